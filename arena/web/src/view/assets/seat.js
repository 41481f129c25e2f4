// One seat of a match: name, score, board, state, move, and fault.

import { dot, duration, html, refill, signed } from './dom.js';
import { Board } from './board.js';
import { botLink } from './site.js';
import { isGiven, isOver, when } from './story.js';

// A note with more characters may need to scroll.
const NOTE_LONG = 100;

// Draws a seat in the frames of a view that were added.
export class Place {
  #game;
  #view;
  #seat;
  #board;
  #holding;
  #fabric;
  #score = html('p', { class: 'score', title: 'Points if the match ended now' });
  #badge = html('span', { class: 'badge' });
  #did = html('p', { class: 'did' });
  #time = html('p', { class: 'time' });
  #best = html('p', { class: 'advice' });
  #note = html('blockquote', { class: 'note' });
  #fault = html('p', { class: 'fault' });
  #stderr = html('pre', { class: 'stderr', role: 'group', 'aria-label': 'stderr', tabindex: '0' });

  constructor(game, view, seat, fabric) {
    [this.#game, this.#view, this.#seat, this.#fabric] = [game, view, seat, fabric];
    this.#board = new Board(seat);
    this.#holding = game.holding(view);
    this.node = html('article', { class: 'panel seat', 'data-seat': seat, 'aria-label': `Seat ${seat + 1}` },
      html('header', {}, dot(seat), html('h2', { title: view.bots[seat] }, botLink(view.bots[seat])), this.#badge, this.#score),
      this.#board.node, this.#holding.node,
      html('div', { class: 'move' }, html('div', { class: 'told' }, this.#did, this.#time), this.#best, this.#fault, this.#note, this.#stderr));
  }

  // Places the pieces of the frame with this number. The caller adds each frame once, in order.
  add(frame, number) {
    const entry = frame.entries.find((one) => one.seat === this.#seat);
    if (entry?.fault) refill(this.#fault, html('b', {}, `Fault ${when(frame)}: ${entry.fault.kind}. `), entry.fault.detail);
    entry?.pieces?.forEach((piece) => this.#board.lay(piece, piece.card ? this.#fabric(piece.card) : this.#game.loose, number));
  }

  show(number) {
    const { frames, bots, result } = this.#view;
    const [frame, previous] = [frames[number], frames[number - 1] ?? frames[number]];
    const seat = frame.seats[this.#seat];
    const entry = frame.entries.find((one) => one.seat === this.#seat);
    this.#board.show(number);
    this.#board.outline(seat.scored, seat.best);
    this.#board.describe(bots[this.#seat], number);
    this.#holding.show(seat);
    refill(this.#score, signed(seat.score), html('span', { class: 'hidden' }, ' points if the match ended now'));
    this.#badge.textContent = seat.out ? 'out' : isOver(this.#view, number) ? `rank ${result.ranks[this.#seat]}` : '';
    this.#badge.className = seat.out ? 'badge out' : 'badge';
    this.node.classList.toggle('active', Boolean(entry));
    this.#tell(entry, seat, previous.seats[this.#seat], isGiven(this.#view, frame));
    this.#fault.hidden = !seat.out;
  }

  #tell(entry, seat, before, given) {
    const isFault = Boolean(entry?.fault);
    this.#did.textContent = entry && !isFault ? this.#game.tell(entry, seat, before, this.#view) : '';
    this.#time.textContent = entry && given ? 'given' : entry?.us ? duration(entry.us) : '';
    const advice = entry?.analysis?.named ? entry.analysis : null;
    this.#best.hidden = !advice;
    this.#best.textContent = advice ? `${mark(advice)} ${advice.loss.toFixed(1)} \u00b1 ${advice.margin.toFixed(1)} points lost; best was ${advice.best}` : '';
    this.#board.outlineBest(advice?.cells);
    const said = [...(entry?.refused ?? []).map(({ kind, line }) => `Asked again: ${line} was ${kind}.`), ...(entry?.note ? [entry.note] : [])].join('\n');
    this.#note.hidden = !said;
    this.#note.textContent = said;
    this.#stderr.hidden = !entry?.stderr;
    this.#stderr.textContent = entry?.stderr ?? '';
    // A long note scrolls, and must be reachable by keyboard.
    if (said.length > NOTE_LONG) this.#note.tabIndex = 0;
    else this.#note.removeAttribute('tabindex');
  }
}

// The losses from which marks begin, in points.
export const MARKS = [[8, '??'], [3, '?'], [0, '?!']];

function mark({ loss }) {
  return MARKS.find(([least]) => loss >= least)[1];
}

// The points that a move lost, with their mark.
export function marked({ loss }) {
  return `${loss.toFixed(1)} ${mark({ loss })}`;
}
