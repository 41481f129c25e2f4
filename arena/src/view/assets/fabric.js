// What patches are made of: a colour and a weave for each card, the same wherever the card appears.

import { svg } from './dom.js';

const COLOURS = 12; // --fabric-0 and so on in the style
const WEAVES = 4;
// Neighbours in the list of cards get colours far apart.
const STRIDE = 5;

// Gives the classes of a card's fabric. The same colour comes again with another weave.
export function fabrics(ids) {
  const classes = new Map();
  [...ids].sort().forEach((id, number) => {
    const round = Math.floor(number / COLOURS);
    classes.set(id, `fabric-${(number * STRIDE) % COLOURS} weave-${(number + round) % WEAVES}`);
  });
  return (id) => classes.get(id) ?? 'plain';
}

// The weaves, to be put into the page once. They only lighten and darken what lies below.
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
