// Lines over the frames of a match, one for each seat.

import { html, svg } from './dom.js';

const HEIGHT = 190;
const EDGE = { top: 12, right: 26, bottom: 22, left: 54 };
const LABEL_GAP = 13;

export class Chart {
  #facts = null;
  #plot;
  #words = html('p', { class: 'facts' });
  #cursor;
  #at = 0;
  #x = () => 0;

  // Calls `jump` with the number of a frame.
  constructor(title, jump) {
    this.#cursor = svg('line', { class: 'cursor', y1: EDGE.top, y2: HEIGHT - EDGE.bottom });
    this.#plot = svg('svg', { class: 'plot', role: 'img', height: HEIGHT });
    this.node = html('section', { class: 'panel chart' }, html('h2', {}, title), this.#plot, this.#words);
    this.#plot.addEventListener('click', (event) => jump(this.#frameAt(event)));
    new ResizeObserver(() => this.#facts && this.#draw()).observe(this.node);
  }

  // Draws these facts: summary, lines (a list of [frame, value] for each seat), frames, and scale; and words below, a
  // hint on each frame, and a limit for each seat, if there are some.
  draw(facts) {
    this.#facts = facts;
    this.#plot.setAttribute('aria-label', facts.summary);
    this.#words.textContent = facts.words ?? '';
    if (this.node.isConnected) this.#draw();
  }

  show(frame) {
    this.#at = frame;
    if (this.#facts?.hint) this.#words.textContent = this.#facts.hint(frame);
    for (const end of ['x1', 'x2']) this.#cursor.setAttribute(end, this.#x(frame));
  }

  #frameAt(event) {
    const { left } = this.#plot.getBoundingClientRect();
    const share = (event.clientX - left - EDGE.left) / (this.#width - EDGE.left - EDGE.right);
    return Math.round(share * this.#facts.frames);
  }

  get #width() {
    return Math.max(this.#plot.clientWidth, 160);
  }

  // Draws at the present width, so that the letters keep their size.
  #draw() {
    const { lines, frames, scale, limits = [] } = this.#facts;
    const width = this.#width;
    const [bottom, right] = [HEIGHT - EDGE.bottom, width - EDGE.right];
    this.#x = (frame) => EDGE.left + ((right - EDGE.left) * frame) / Math.max(frames, 1);
    const y = (value) => bottom - (bottom - EDGE.top) * scale.share(value);
    this.#plot.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    this.#plot.replaceChildren(
      ...scale.ticks.flatMap((value) => [
        svg('line', { class: value === 0 ? 'rule zero' : 'rule', x1: EDGE.left, x2: right, y1: y(value), y2: y(value) }),
        svg('text', { class: 'tick left', x: EDGE.left - 8, y: y(value) }, scale.words(value))]),
      ...[...new Set(limits)].map((value) => svg('line', { class: 'limit', x1: EDGE.left, x2: right, y1: y(value), y2: y(value) })),
      ...lines.map((points, seat) => this.#line(points, seat, y)),
      this.#cursor,
      ...this.#names(lines, right, y),
      svg('text', { class: 'tick', x: EDGE.left, y: HEIGHT - 6 }, 'start'),
      svg('text', { class: 'tick end', x: right, y: HEIGHT - 6 }, 'end'));
    this.show(this.#at);
  }

  #line(points, seat, y) {
    // A line with one point repeats the point. Its length is 0, and it is drawn as a dot.
    const at = [...points, ...points.slice(-1)].map(([frame, value]) => `${this.#x(frame).toFixed(1)},${y(value).toFixed(1)}`);
    return svg('polyline', { class: `line seat-${seat % 10}`, points: at.join(' ') });
  }

  // The number of each seat next to the end of its line, without overlaps.
  #names(lines, right, y) {
    const ends = lines.map((points, seat) => ({ seat, y: points.length ? y(points[points.length - 1][1]) : null }));
    const sorted = ends.filter((end) => end.y !== null).sort((one, other) => one.y - other.y);
    let lowest = -Infinity;
    for (const end of sorted) lowest = end.y = Math.max(end.y, lowest + LABEL_GAP);
    let highest = HEIGHT - 4;
    for (const end of sorted.reverse()) {
      end.y = Math.min(end.y, highest);
      highest = end.y - LABEL_GAP;
    }
    return sorted.map((end) => svg('text', { class: `name seat-${end.seat % 10}`, x: right + 7, y: end.y }, String(end.seat + 1)));
  }
}

// A linear scale from the smallest to the largest value, with round numbers as labels.
export function linear(values, words) {
  const [low, high] = [Math.min(0, ...values), Math.max(1, ...values)];
  const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000].find((size) => (high - low) / size <= 5) ?? (high - low) / 4;
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)];
  const ticks = Array.from({ length: last - first + 1 }, (_, number) => (first + number) * step);
  const share = (value) => (value - first * step) / ((last - first) * step);
  return { share, ticks, words };
}

// A scale with one step for each factor of ten. Values below 1 count as 1.
export function logarithmic(values, words) {
  const power = (value) => Math.log10(Math.max(value, 1));
  const [first, last] = [Math.floor(power(Math.min(...values))), Math.ceil(power(Math.max(...values)))];
  const steps = Math.max(last - first, 1);
  const ticks = Array.from({ length: steps + 1 }, (_, number) => 10 ** (first + number));
  return { share: (value) => (power(value) - first) / steps, ticks, words };
}
