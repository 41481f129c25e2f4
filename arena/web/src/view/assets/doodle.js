// The drawings of doodle: the ring of cards with token and die, and the state of a sheet apart from its
// board.

import { count, html, refill, svg } from './dom.js';
import { shapeAt } from './board.js';

const SIZE = 340;
const RADIUS = 128;
const CARD = 66;
const SPECIALS = ['neighbor', 'single', 'cut', 'repeat'];
const PIPS = { 1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]] };

export const doodle = {
  title: 'Doodle',
  // The class of cells without a card.
  loose: 'single',
  ids: ({ parts }) => Object.keys(parts.cards),
  heading: ({ table }) => (table.phase === 'start' ? 'Start patches' : `Round ${table.round}, turn ${table.turn}`),
  place: ({ table }) => (table.phase === 'start' ? 'the start patches' : `round ${table.round}, turn ${table.turn}`),
  short: ({ table }) => (table.phase === 'start' ? 'start' : `${table.round}.${table.turn}`),
  tell: tellDoodle,
  // A move changes no other sheet.
  figure: { words: 'points won for its sheet', of: (scores, seat) => scores[seat] },
  sum: (seat) => `${[...seat.rounds, ...(seat.best ? [seat.best.points] : [])].join(' + ') || '0'}${minusEmpty(seat)}`,
  won: ({ rounds, best }) => count(rounds.reduce((sum, points) => sum + points, best?.points ?? 0), 'point'),
  events: ({ seats, table }) => (seats.some(({ scored }) => scored) ? [`round ${table.round} ends`] : []),
  table: (view, fabric) => new Ring(view, fabric),
  holding: () => new Sheet(),
};

// The empty cells, which cost a point each, as the last part of a sum.
function minusEmpty({ score, rounds, best }) {
  const empty = rounds.reduce((sum, points) => sum + points, best?.points ?? 0) - score;
  return ` \u2212 ${empty} empty`;
}

function tellDoodle(entry, seat) {
  const used = seat.used.length > 0 ? `, using ${seat.used.join(' and ')}` : '';
  return entry.act === 'draw' ? `Draws ${entry.card}${used}` : `Passes${used}`;
}

class Ring {
  #view;
  #fabric;
  #drawing;
  #words;

  constructor(view, fabric) {
    [this.#view, this.#fabric] = [view, fabric];
    this.#drawing = svg('svg', { class: 'ring', role: 'img', viewBox: `0 0 ${SIZE} ${SIZE}` });
    this.#words = html('p', { class: 'words' });
    this.node = html('section', { class: 'panel table', 'aria-label': 'The table' }, this.#drawing, this.#words);
  }

  show({ table }) {
    const places = table.ring.map((card, place) => this.#card(card, place, table));
    this.#drawing.replaceChildren(
      svg('circle', { cx: SIZE / 2, cy: SIZE / 2, r: RADIUS, class: 'path' }),
      ...places, ...token(table), ...die(table));
    const words = ringWords(table);
    this.#words.textContent = words;
    this.#drawing.setAttribute('aria-label', `The circle: ${table.ring.filter(Boolean).join(', ')}. ${words}`);
  }

  #card(card, place, table) {
    const [x, y] = spot(place, table, RADIUS);
    const half = CARD / 2;
    if (!card) return svg('circle', { cx: x, cy: y, r: 5, class: 'gone' });
    const state = table.offer.includes(place) ? 'card offered' : 'card';
    return svg('g', { class: state, 'data-card': card },
      svg('rect', { x: x - half, y: y - half, width: CARD, height: CARD, rx: 7, class: 'paper' }),
      shapeAt(this.#view.parts.cards[card], this.#fabric(card), x, y - 6, CARD - 20),
      svg('text', { x, y: y + half - 6, class: 'id' }, card));
  }
}

function spot(place, table, radius) {
  const angle = (2 * Math.PI * place) / table.ring.length - Math.PI / 2;
  return [SIZE / 2 + radius * Math.cos(angle), SIZE / 2 + radius * Math.sin(angle)];
}

// The token is inside the ring, in front of its card.
function token(table) {
  if (table.token === null) return [];
  const [x, y] = spot(table.token, table, RADIUS - CARD / 2 - 32);
  const turned = (360 * table.token) / table.ring.length;
  return [svg('path', { class: 'token', d: 'M0 -13L9 4A9.5 9.5 0 1 1 -9 4Z', transform: `translate(${x} ${y}) rotate(${turned})` })];
}

function die({ die: roll }) {
  if (!roll) return [];
  const centre = SIZE / 2;
  const pips = PIPS[roll].map(([right, down]) => svg('circle', { cx: centre + right * 10, cy: centre + down * 10, r: 4.2, class: 'pip' }));
  return [svg('rect', { x: centre - 20, y: centre - 20, width: 40, height: 40, rx: 8, class: 'die' }), ...pips];
}

function ringWords(table) {
  const card = table.token === null ? null : table.ring[table.token];
  const rolled = table.die ? `The die shows ${table.die}. ` : '';
  if (table.phase === 'start') return 'Each seat draws its own start card.';
  if (table.phase === 'final') return 'Each seat may draw one of the last three cards.';
  return `${rolled}The token stands at ${card}.`;
}

class Sheet {
  #specials = SPECIALS.map((name) => html('li', { class: 'special' }, name));
  #rounds = html('span', {});

  constructor() {
    this.node = html('div', { class: 'holding' },
      html('p', { class: 'rounds' }, html('span', { class: 'label' }, 'Rounds '), this.#rounds),
      html('ul', { class: 'specials', 'aria-label': 'Special actions' }, ...this.#specials));
  }

  show(seat) {
    // The points of the running round are those of now.
    const points = seat.rounds.map((value) => html('b', {}, String(value)));
    if (seat.best) points.push(html('i', { title: 'the best rectangle of now' }, String(seat.best.points)));
    if (points.length === 0) points.push('0');
    refill(this.#rounds, html('span', { class: 'sum' }, ...points.flatMap((part, number) => [number ? ' + ' : '', part]), minusEmpty(seat)));
    SPECIALS.forEach((name, number) => {
      const item = this.#specials[number];
      const state = seat.used.includes(name) ? 'just used' : seat.actions.includes(name) ? 'left' : 'used';
      item.className = `special ${state.replace(' ', '-')}`;
      refill(item, name, html('span', { class: 'hidden' }, ` ${state}`));
    });
  }
}
