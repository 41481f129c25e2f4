// The list of moves with what each of them won, and the order of the seats.

import { dot, html, refill, signed } from './dom.js';
import { marked } from './seat.js';
import { turnAddress } from './site.js';
import { costly, did, isGiven, isOver, order, plus, swing } from './story.js';

// With more seats, the list has the moves of one seat, which the reader chooses.
const TOGETHER_MAX = 2;
const WORST_MAX = 10;
const LOST = 'Beside each move: points lost, if significant';

// A link to the frame with this number, which calls `jump` with the number.
export function frameLink({ frames }, number, jump, attributes, ...children) {
  const link = html('a', { href: turnAddress(frames[number].id), ...attributes }, ...children);
  link.addEventListener('click', (event) => {
    event.preventDefault();
    jump(number);
  });
  return link;
}

// A line of a list of turns. The list is one stop for the Tab key, and the arrow keys lead from turn to turn.
export function turnLine(view, number, jump, game, seat, ...children) {
  return line(view, number, jump, game, seat, { tabindex: -1, 'data-at': number }, ...children);
}

function line(view, number, jump, game, seat, attributes, ...children) {
  return html('li', {}, frameLink(view, number, jump, attributes,
    html('span', { class: 'when' }, game.short(view.frames[number])), dot(seat), ...children));
}

function figure(words) {
  return html('span', { class: 'swing' }, words);
}

// The moves that lost the most points, the worst first, as links. Null if no move lost any.
export function worstMoves(view, game, jump) {
  const rows = costly(view).sort((one, other) => other.analysis.loss - one.analysis.loss).slice(0, WORST_MAX)
    .map(({ number, seat, ...entry }) => line(view, number, jump, game, seat, {},
      html('span', { class: 'what' }, did({ seat, ...entry }, number, view, game)), figure(marked(entry.analysis))));
  if (rows.length === 0) return null;
  return html('section', { class: 'panel', 'aria-label': 'Worst moves' }, html('h2', {}, 'Worst moves'),
    html('p', { class: 'facts' }, LOST), html('ol', { class: 'moves worst' }, ...rows));
}

// Marks the lines of a frame, and scrolls `box` to them, but not the page. So many pixels at the top of the box are
// covered.
export function markLines(list, number, box = list, covered = 0) {
  const rows = [...list.querySelectorAll(`[data-at="${number}"]`)];
  // Measures before it marks. The marks change no size, and measuring after them would compute styles again.
  const edge = box.getBoundingClientRect().top;
  const [top, bottom] = rows.length === 0 ? [0, 0]
    : [rows[0].getBoundingClientRect().top - edge - covered, rows.at(-1).getBoundingClientRect().bottom - edge - box.clientHeight];
  list.querySelectorAll('[aria-current]').forEach((row) => row.removeAttribute('aria-current'));
  rows.forEach((row) => row.setAttribute('aria-current', 'step'));
  if (top < 0) box.scrollTop += top;
  else if (bottom > 0) box.scrollTop += bottom;
}

export class Moves {
  #view;
  #game;
  #jump;
  #seat = html('select', { 'aria-label': 'Whose moves' });
  #list = html('ol', { class: 'moves', tabindex: 0, 'aria-label': 'Moves' });
  #words = html('p', { class: 'facts' });
  #isAnalyzed = false;
  #isLast = false;
  #at = 0;
  node = html('section', { class: 'panel', 'aria-label': 'List of moves' }, html('h2', {}, 'Moves ', this.#seat), this.#words, this.#list);

  // Calls `jump` with the number of a frame.
  constructor(view, game, jump) {
    [this.#view, this.#game, this.#jump] = [view, game, jump];
    this.#seat.hidden = view.bots.length <= TOGETHER_MAX;
    if (!this.#seat.hidden) this.#seat.append(...order(view, view.frames.length - 1).map((seat) => html('option', { value: seat }, view.bots[seat])));
    this.#seat.addEventListener('change', () => this.draw());
    new ResizeObserver(() => this.show(this.#at)).observe(this.#list);
  }

  // Draws the moves of all frames that are there.
  draw() {
    const { frames } = this.#view;
    const isShown = ({ seat }) => this.#seat.hidden || seat === Number(this.#seat.value);
    this.#isAnalyzed = frames.some(({ entries }) => entries.some(({ analysis }) => analysis));
    this.#words.textContent = this.#isAnalyzed ? LOST : `Beside each move: ${this.#game.figure.words}`;
    refill(this.#list, ...frames.flatMap((frame, number) => frame.entries.filter(isShown).map((entry) => this.#row(number, entry))));
    this.show(this.#at);
  }

  #row(number, entry) {
    const { seat, fault, analysis } = entry;
    const won = fault || !entry.act ? 0 : swing(this.#view, number, seat, this.#game);
    return turnLine(this.#view, number, this.#jump, this.#game, seat,
      html('span', { class: fault ? 'what bad' : isGiven(this.#view, this.#view.frames[number]) ? 'what given' : 'what' }, did(entry, number, this.#view, this.#game)),
      figure(this.#isAnalyzed ? (analysis?.named ? marked(analysis) : '') : won === 0 ? '' : plus(won)));
  }

  show(number) {
    this.#at = number;
    const column = this.node.parentElement;
    if (!column || getComputedStyle(column).overflowY !== 'auto') return markLines(this.#list, number);
    // The column of a wide window scrolls as a whole, below the chart. It begins at its top whenever the table comes first
    // or last, and follows the turns while the table is out of sight.
    const isLast = isOver(this.#view, number);
    if (isLast !== this.#isLast) column.scrollTop = 0;
    this.#isLast = isLast;
    const isFollowed = isLast || column.scrollTop > 0;
    markLines(this.#list, number, isFollowed ? column : this.#list, column.querySelector('.chart').offsetHeight);
  }
}

// The seats in the order of their places, for tables where that is hard to see.
export class Ranking {
  #view;
  node = html('ol', { class: 'ranking', 'aria-label': 'Ranking' });

  constructor(view) {
    this.#view = view;
    this.node.hidden = view.bots.length <= TOGETHER_MAX;
  }

  show(number) {
    if (this.node.hidden) return;
    const { bots, frames } = this.#view;
    refill(this.node, ...order(this.#view, number).map((seat) =>
      html('li', {}, dot(seat), html('span', { class: 'bot' }, bots[seat]), html('b', {}, signed(frames[number].seats[seat].score)))));
  }
}
