// Strength against time: a point for each bot. The point has the interval of the bot's rating, or of its
// mean score if no bots have met.

import { duration, html, refill, signed, svg } from './dom.js';
import { logarithmic } from './chart.js';
import { botAddress, botLink } from './site.js';

const PLOT_HEIGHT = 330;
const PLOT_MARGIN = { top: 14, right: 18, bottom: 44, left: 58 };
const NAME_HEIGHT = 15;
const NAME_CHARACTERS = 22;
// The width of a letter of a name, and the distance of a name from its point, in pixels.
const LETTER = 7.2;
const ASIDE = 9;
// With more bots than this, only the pointer and the list show names.
const NAMED_MAX = 20;

export class Strength {
  #title = html('h2', {});
  #drawing = svg('svg', { class: 'plot still', height: PLOT_HEIGHT });
  #others = html('ol', { class: 'point-list' });
  #standings = null;
  node = html('section', { class: 'panel', 'aria-label': 'Strength against time' }, this.#title, this.#drawing, this.#others);

  constructor() {
    new ResizeObserver(() => this.#draw()).observe(this.node);
  }

  show(standings) {
    this.#standings = standings;
    this.#draw();
  }

  #draw() {
    if (!this.#standings) return;
    const { what, points } = read(this.#standings);
    this.node.hidden = points.length === 0;
    if (points.length === 0) return;
    this.#title.textContent = `${what} against time a move`;
    const words = points.map(({ value, time }) => `${signed(Math.round(value))} at ${duration(time)}`);
    // Where points are links, the drawing is no image: images have no parts for a screen reader.
    this.#drawing.setAttribute('role', botAddress('') === null ? 'img' : 'group');
    this.#drawing.setAttribute('aria-label', `${what} and median time a move: ${points.map(({ bot }, number) => `${bot} ${words[number]}`).join(', ')}`);
    const width = Math.max(this.#drawing.clientWidth, 260);
    const [right, bottom] = [width - PLOT_MARGIN.right, PLOT_HEIGHT - PLOT_MARGIN.bottom];
    const times = logarithmic(points.map(({ time }) => time), duration);
    const values = ruled(points.flatMap(({ low, high }) => [low, high]));
    const x = (time) => PLOT_MARGIN.left + (right - PLOT_MARGIN.left) * times.share(time);
    const y = (value) => bottom - (bottom - PLOT_MARGIN.top) * values.share(value);
    const across = (value) => [
      svg('line', { class: value === 0 ? 'rule zero' : 'rule', x1: PLOT_MARGIN.left, x2: right, y1: y(value), y2: y(value) }),
      svg('text', { class: 'tick left', x: PLOT_MARGIN.left - 8, y: y(value) }, signed(value))];
    const down = (time) => [
      svg('line', { class: 'rule', x1: x(time), x2: x(time), y1: PLOT_MARGIN.top, y2: bottom }),
      svg('text', { class: 'tick middle', x: x(time), y: bottom + 16 }, duration(time))];
    const named = points.length > NAMED_MAX ? [] : names(points, x, y, right);
    this.#list(points, words, named);
    this.#drawing.setAttribute('viewBox', `0 0 ${width} ${PLOT_HEIGHT}`);
    this.#drawing.replaceChildren(
      ...values.ticks.flatMap(across), ...times.ticks.flatMap(down),
      svg('path', { class: 'reach', d: points.map(({ time, low, high }) => `M${x(time)} ${y(low)}V${y(high)}`).join('') }),
      ...points.map(({ bot, time, value, low, high }, number) => linked(bot, { class: 'bot-point', 'data-point': number },
        svg('title', {}, `${bot}: ${words[number]}${low === high ? ', too few deals for an interval' : ''}`),
        svg('circle', { class: low === high ? 'point unsure' : 'point', cx: x(time), cy: y(value), r: 4.5 }))),
      ...named,
      svg('text', { class: 'tick middle', x: (PLOT_MARGIN.left + right) / 2, y: PLOT_HEIGHT - 8 }, 'median time a move'));
  }

  // Lists all bots if some have no name in the plot. The pointer on an item marks its point.
  #list(points, words, named) {
    this.#others.hidden = named.length === points.length;
    refill(this.#others, ...(this.#others.hidden ? [] : words.map((text, number) => {
      const item = html('li', {}, botLink(points[number].bot), ` ${text}`);
      const mark = (isOn) => this.#drawing.querySelector(`[data-point="${number}"]`)?.classList.toggle('lit', isOn);
      item.addEventListener('pointerenter', () => mark(true));
      item.addEventListener('pointerleave', () => mark(false));
      return item;
    })));
  }
}

// A point as a link to the page of its bot. The tables have the same links for the keyboard.
function linked(bot, attributes, ...parts) {
  const href = botAddress(bot);
  return href === null ? svg('g', attributes, ...parts) : svg('a', { ...attributes, href, tabindex: -1, 'aria-label': bot }, ...parts);
}

function read({ rows, seats }) {
  // A rating without an interval is from too few matches, and the table does not have it either.
  const isRated = seats > 1 && rows.some(({ rating }) => rating?.ci95);
  const of = (row) => (isRated ? [row.rating?.ci95 ? row.rating.elo : undefined, row.rating?.ci95] : [row.mean_score, row.ci95]);
  const points = rows.filter(({ matches }) => matches > 0).flatMap((row) => {
    const [value, interval] = of(row);
    if (value === undefined) return [];
    const [low, high] = interval ?? [value, value];
    return [{ bot: row.bot, time: Math.max(row.time_us.median, 1), value, low, high }];
  });
  return { what: isRated ? 'Elo' : 'Mean score', points };
}

// A scale with round numbers around these values, which need not be near zero.
function ruled(all) {
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const span = Math.max(high - low, 1);
  const power = 10 ** Math.floor(Math.log10(span / 5));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => span / size <= 6);
  const [first, last] = [Math.floor(low / step), Math.max(Math.ceil(high / step), Math.floor(low / step) + 1)];
  const ticks = Array.from({ length: last - first + 1 }, (_, number) => Number(((first + number) * step).toPrecision(12)));
  return { ticks, share: (value) => (value / step - first) / (last - first) };
}

// The names next to their points. Leaves out a name that would cover another name, a point, or an interval.
function names(points, x, y, right) {
  const marks = points.flatMap(({ time, value, low, high }) => [
    { left: x(time) - 5, right: x(time) + 5, top: y(value) - 5, bottom: y(value) + 5 },
    { left: x(time) - 1, right: x(time) + 1, top: y(high), bottom: y(low) }]);
  const taken = [];
  return [...points].sort((one, other) => other.value - one.value).flatMap(({ bot, time, value }) => {
    const text = bot.length > NAME_CHARACTERS ? `${bot.slice(0, NAME_CHARACTERS)}\u2026` : bot;
    const width = text.length * LETTER;
    const [at, level] = [x(time), y(value)];
    const places = [0, -NAME_HEIGHT * 0.7, NAME_HEIGHT * 0.7].flatMap((shift) => [true, false].map((isRight) => {
      const left = isRight ? at + ASIDE : at - ASIDE - width;
      return { isRight, y: level + shift, left, right: left + width, top: level + shift - NAME_HEIGHT / 2, bottom: level + shift + NAME_HEIGHT / 2 };
    }));
    const isFree = (place) => place.left >= PLOT_MARGIN.left && place.right <= right + PLOT_MARGIN.right && place.top >= 0
      && place.bottom <= PLOT_HEIGHT - PLOT_MARGIN.bottom && ![...taken, ...marks].some((other) => overlap(place, other));
    const place = places.find(isFree);
    if (!place) return [];
    taken.push(place);
    return svg('text', { class: place.isRight ? 'label' : 'label end', x: at + (place.isRight ? ASIDE : -ASIDE), y: place.y }, text);
  });
}

function overlap(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
