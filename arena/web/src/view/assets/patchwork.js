// The drawings of patchwork: the time track, the patches on offer, the circle, and the state of a quilt.

import { count, html, refill, svg } from './dom.js';
import { shape } from './board.js';
import { lead } from './story.js';

const COLUMNS = 16;
const SPACE = 24;
const GAP = 9; // between the rows

export const patchwork = {
  title: 'Patchwork',
  loose: 'leather',
  ids: ({ parts }) => Object.keys(parts.patches),
  heading: headingOfTurn,
  place: ({ id }) => `turn ${id + 1}`,
  short: ({ id }) => (id === undefined ? 'start' : String(id + 1)),
  tell: tellPatchwork,
  figure: { words: 'change of the lead', of: lead },
  sum: (seat, view) => `${seat.buttons}${restOfSum(seat, view)}`,
  won: ({ buttons }) => count(buttons, 'button'),
  events: eventsOfTurn,
  table: (view, fabric) => new Counter(view, fabric),
  holding: (view) => new Purse(view),
};

function headingOfTurn({ id, table }, view) {
  if (id === undefined) return 'Beginning';
  return `${view.bots[table.mover]} ${table.phase === 'leather' ? 'places leather' : 'moves'}`;
}

function tellPatchwork(entry, seat, before, view) {
  if (entry.act === 'leather') return 'Places a leather patch';
  const walk = before.space === seat.space ? '' : `, from space ${before.space} to ${seat.space}`;
  if (entry.act === 'advance') return `Advances${walk}`;
  const { buttons } = view.parts.patches[entry.card];
  return `Buys ${entry.card} for ${count(buttons, 'button')}${walk}`;
}

// The parts of a score after the buttons. The empty cells cost what is left of it.
function restOfSum(seat, { parts }) {
  const bonus = seat.bonus ? parts.bonus : 0;
  return `${seat.buttons === 1 ? ' button' : ' buttons'}${bonus ? ` + ${bonus} for 7\u00d77` : ''} \u2212 ${seat.buttons + bonus - seat.score} empty`;
}

function eventsOfTurn({ entries, seats }, before, bots) {
  const won = seats.flatMap(({ bonus }, seat) => (bonus && before && !before.seats[seat].bonus ? [`${bots[seat]}: 7\u00d77`] : []));
  return [...won, ...entries.filter(({ act }) => act === 'leather').map(({ seat }) => `${bots[seat]}: leather`)];
}

// The table: the track, and the patches for sale.
class Counter {
  #view;
  #fabric;
  #track;
  #offer = html('ol', { class: 'offer' });
  #circle = html('ol', { class: 'circle', 'aria-label': 'The rest of the circle, clockwise' });
  #rest = html('h3', {});

  constructor(view, fabric) {
    [this.#view, this.#fabric] = [view, fabric];
    this.#track = new Track(view.parts.track);
    this.node = html('section', { class: 'panel table', 'aria-label': 'The table' },
      html('h2', {}, 'Time track'), this.#track.node,
      html('h2', {}, 'On offer'), this.#offer, this.#rest, this.#circle);
  }

  show(frame, previous) {
    const { circle } = frame.table;
    const offered = this.#view.parts.offer;
    const entry = frame.entries.find(({ act }) => act === 'buy');
    this.#track.show(frame, previous);
    refill(this.#offer, ...circle.slice(0, offered).map((id) => this.#priced(id, entry)));
    const rest = circle.slice(offered);
    this.#rest.textContent = rest.length > 0 ? `Then ${count(rest.length, 'more patch', 'more patches')}` : 'No more patches';
    refill(this.#circle, ...rest.map((id) => html('li', {}, this.#shape(id, { role: 'img', 'aria-label': id }))));
  }

  #shape(id, attributes) {
    return shape(this.#view.parts.patches[id].cells, this.#fabric(id), attributes);
  }

  #priced(id, bought) {
    const { buttons, time, income } = this.#view.parts.patches[id];
    const isBought = bought?.card === id;
    return html('li', { class: isBought ? 'bought' : '', 'data-card': id },
      html('div', { class: 'picture' }, this.#shape(id, { 'aria-hidden': 'true' })),
      html('b', {}, id),
      html('span', {}, count(buttons, 'button')),
      html('span', {}, `${time} time`),
      html('span', {}, `${income} income`),
      html('span', { class: 'by' }, isBought ? 'bought' : '\u00a0'));
  }
}

class Track {
  #facts;
  #spaces;
  #tokens = svg('g');

  constructor(facts) {
    this.#facts = facts;
    const rows = Math.ceil((facts.last + 1) / COLUMNS);
    this.#spaces = Array.from({ length: facts.last + 1 }, (_, space) => this.#space(space));
    this.node = svg('svg', { class: 'track', role: 'img', viewBox: `0 0 ${COLUMNS * SPACE} ${rows * (SPACE + GAP) - GAP}` },
      ...this.#spaces, this.#tokens);
  }

  #space(space) {
    const [x, y] = middle(space);
    const half = SPACE / 2;
    return svg('g', { class: 'space', 'data-space': space, 'aria-hidden': 'true' },
      svg('title', {}, `space ${space}`),
      svg('rect', { x: x - half + 0.75, y: y - half, width: SPACE - 1.5, height: SPACE, rx: 3 }),
      this.#facts.income.includes(space) ? button(x, y) : null,
      this.#facts.leather.includes(space) ? leather(x, y) : null);
  }

  show(frame, previous) {
    const { seats, table } = frame;
    for (const space of this.#facts.leather) {
      this.#spaces[space].classList.toggle('taken', !table.leather.includes(space));
    }
    const trails = seats.map((seat, number) => trail(previous?.seats[number].space ?? seat.space, seat.space, number));
    const isShared = seats[0].space === seats[1].space;
    const tokens = seats.map((seat, number) => counter(seat.space, number, isShared ? (number ? 5 : -5) : 0));
    refill(this.#tokens, ...trails, ...tokens);
    const leatherLeft = table.leather.length > 0 ? `spaces ${table.leather.join(', ')}` : 'none';
    const places = seats.map((seat, number) => `seat ${number + 1} on space ${seat.space}`).join(', ');
    this.node.setAttribute('aria-label', `Track of ${this.#facts.last} spaces: ${places}. Leather left: ${leatherLeft}.`);
  }
}

// Rows alternate in direction, so that the next space is always adjacent.
function middle(space) {
  const [row, column] = [Math.floor(space / COLUMNS), space % COLUMNS];
  const across = row % 2 ? COLUMNS - 1 - column : column;
  return [(across + 0.5) * SPACE, row * (SPACE + GAP) + SPACE / 2];
}

function button(x, y) {
  const holes = [[-1.6, -1.6], [1.6, -1.6], [-1.6, 1.6], [1.6, 1.6]];
  return svg('g', { class: 'income' },
    svg('circle', { cx: x, cy: y, r: 6.5 }),
    ...holes.map(([right, down]) => svg('circle', { cx: x + right, cy: y + down, r: 0.9, class: 'hole' })));
}

function leather(x, y) {
  return svg('rect', { x: x - 7, y: y - 7, width: 14, height: 14, rx: 2, class: 'leather-mark' });
}

function trail(from, to, seat) {
  if (from >= to) return null;
  const spaces = Array.from({ length: to - from + 1 }, (_, step) => middle(from + step).join(','));
  return svg('polyline', { points: spaces.join(' '), class: `trail seat-${seat}` });
}

function counter(space, seat, aside) {
  const [x, y] = middle(space);
  return svg('g', { class: `counter seat-${seat}`, 'data-seat': seat, 'data-at': space },
    svg('circle', { cx: x + aside, cy: y, r: 8.5 }),
    svg('text', { x: x + aside, y }, String(seat + 1)));
}

class Purse {
  #view;
  #figures = html('p', { class: 'rounds' });

  constructor(view) {
    this.#view = view;
    this.node = html('div', { class: 'holding' }, this.#figures);
  }

  show(seat) {
    const bold = (value) => html('b', {}, String(value));
    refill(this.#figures, html('span', { class: 'sum' }, bold(seat.buttons), restOfSum(seat, this.#view)), ' \u00b7 ',
      bold(seat.income), ' income \u00b7 space ', bold(seat.space),
      seat.bonus ? html('span', { class: 'tile' }, '7\u00d77 tile') : null);
  }
}
