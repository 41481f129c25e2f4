// The fabrics of patches: a colour and a weave for each card, the same everywhere.

import { svg } from './dom.js';

const COLOURS = 12; // .fabric-0 and so on in the style
const WEAVES = 4;
// The next card gets a colour far from the colour of the previous card.
const STRIDE = 5;

// Returns a function from card to the CSS classes of its fabric. A card has the same fabric in every view, because it
// depends on the place of the card in the list of all cards alone.
export function fabrics(ids) {
  // Cards of one colour have different weaves.
  const fabric = (number) => `fabric-${(number * STRIDE) % COLOURS} weave-${(number + Math.floor(number / COLOURS)) % WEAVES}`;
  const classes = new Map(ids.map((id, number) => [id, fabric(number)]));
  return (id) => classes.get(id) ?? 'plain';
}

// The definitions of the weaves, which a page needs once. A weave only lightens and darkens the colour
// below it.
export function weaves() {
  const pattern = (number, size, ...marks) =>
    svg('pattern', { id: `weave-${number}`, width: size, height: size, patternUnits: 'userSpaceOnUse' }, ...marks);
  const light = (d) => svg('path', { d, class: 'thread-light' });
  const dark = (d) => svg('path', { d, class: 'thread-dark' });
  return svg('svg', { class: 'definitions', 'aria-hidden': 'true', width: 0, height: 0 },
    svg('defs', {},
      pattern(0, 2, light('M0 .5H1M1 1.5H2'), dark('M.5 1V2M1.5 0V1')),
      pattern(1, 5, svg('circle', { cx: 1.25, cy: 1.25, r: 0.7, class: 'spot' }),
        svg('circle', { cx: 3.75, cy: 3.75, r: 0.7, class: 'spot' })),
      pattern(2, 2.5, svg('path', { d: 'M0 .6H2.5', class: 'stripe' })),
      pattern(3, 5, svg('path', { d: 'M0 1.25H5M1.25 0V5', class: 'check' }))));
}
