// A match on a page: combines the drawings and shows the frame that the player selects. A running match
// grows.

import { duration, html, refill, signed } from './dom.js';
import { fabrics } from './fabric.js';
import { doodle } from './doodle.js';
import { patchwork } from './patchwork.js';
import { Chart, linear, logarithmic } from './chart.js';
import { Player } from './player.js';
import { Place } from './seat.js';
import { Controls } from './controls.js';
import { Help } from './help.js';
import { Moves, Ranking, frameLink, worstMoves } from './moves.js';
import { fitted } from './fit.js';
import { costly, events, isOver, jumps, leadWords, lostWords, titled, told } from './story.js';

export const GAMES = { doodle, patchwork };

// The title of the match.
export function title({ game, bots }) {
  return titled(GAMES[game], bots);
}

export const KEYS = [['\u2190 \u2192', 'one turn back or on'], ['Home End', 'the beginning, the end'], ['Space', 'play, pause'],
  ['J', 'the next event; with Shift, the one before'], ['N', 'the next costly move, if the match was analyzed'], ['?', 'this help']];

// Which match it is. What proves it is folded.
function facts({ match, round, seed, digest }) {
  return html('details', { class: 'facts' }, html('summary', {}, `match ${match} \u00b7 deal ${round + 1}`),
    html('p', {}, [`seed ${seed}`, ...(digest ? [`digest ${digest}`] : [])].join(' \u00b7 ')));
}

export class Match {
  #view;
  #game;
  #places;
  #table;
  #charts;
  #controls;
  #player;
  #moves;
  #ranking;
  #help = new Help('Keys', KEYS);
  #events = [];
  #jumps = html('p', { class: 'jumps' });
  // The numbers that bots send: their names, and a chart of the selected one.
  #names = html('select', { 'aria-label': 'Number' });
  #numbers;
  // The points that moves lost, if the match was analyzed, and the command that plays on from a turn.
  #losses;
  #command = html('code', {});

  // Shows a view with the frames so far. If `isAddress` is true, the page's address follows the turns.
  // Aborting `signal` removes the key handlers of the match.
  constructor(view, { isAddress = true, signal } = {}) {
    [this.#view, this.#game] = [view, GAMES[view.game]];
    const fabric = fabrics(this.#game.ids(view));
    this.#places = view.bots.map((_, seat) => new Place(this.#game, view, seat, fabric));
    this.#table = this.#game.table(view, fabric);
    this.#player = new Player((index, isPlaying) => this.#show(index, isPlaying), { isAddress, signal });
    const jump = (index) => this.#player.go(index);
    this.#charts = [new Chart('Score if the match ended now', jump), new Chart('Thinking time', jump)];
    this.#numbers = new Chart(this.#names, jump);
    this.#names.addEventListener('change', () => this.#draw());
    this.#losses = new Chart('Points lost by a move', jump);
    [this.#moves, this.#ranking] = [new Moves(view, this.#game, jump), new Ranking(view)];
    this.#controls = new Controls(this.#player, view, this.#game, this.#help);
    document.addEventListener('keydown', (event) => this.#key(event), { signal });
    this.heading = html('div', {}, html('h1', {}, title(view)), view.result ? html('p', { class: 'story' }, told(view, this.#game)) : null,
      view.given ? html('p', { class: 'again' }, `From turn ${view.given + 1}; the turns before were given.`) : null,
      this.#jumps, facts(view),
      view.replayed ? html('p', { class: 'again' }, `Played a second time: ${view.replayed}`) : null,
      this.#costly.length > 0 ? html('p', { class: 'again' }, `${lostWords(view)}. The key N leads to the next costly move. ?! marks a loss of 1 point or more, ? of 3, and ?? of 8, if it is hardly chance. An outline shows the best move.`) : null,
      view.from ? html('p', { class: 'again' }, 'Play this turn yourself: ', this.#command) : null);
    const seats = html('div', { class: 'seats', role: 'group', 'aria-label': 'Seats', 'data-seats': Math.min(view.bots.length, 5) }, ...this.#places.map((place) => place.node));
    fitted(seats);
    this.main = html('main', { class: `match ${view.game}` },
      this.#ranking.node, seats,
      html('div', { class: 'side' }, this.#table.node, this.#charts[0].node, this.#moves.node, worstMoves(view, this.#game, jump), this.#charts[1].node));
    this.controls = this.#controls.node;
    this.#take(view.frames);
    // A finished match opens at its result.
    this.#player.start(view.result ? view.frames.length - 1 : 0);
  }

  // Adds frames. A view of the last frame moves to the new last frame. `view.open` has the table of the
  // current decision.
  add(frames) {
    const isFollowed = this.isAtEnd && !this.#player.isPlaying;
    this.#view.frames.push(...frames);
    this.#take(frames);
    if (isFollowed) this.goToEnd();
    else this.#player.stay();
  }

  // Plays from the current turn, at this speed.
  play(speed) {
    this.#player.speed = speed;
    this.#controls.setSpeed(speed);
    if (!this.#player.isPlaying) this.#player.toggle();
  }

  // The frames with a costly move.
  get #costly() {
    return [...new Set(costly(this.#view).map(({ number }) => number))];
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.('input, select, textarea')) return;
    if (event.key === '?') this.#help.open();
    const isBack = event.shiftKey;
    const stops = { n: this.#costly, j: this.#events.map(({ number }) => number) }[event.key.toLowerCase()] ?? [];
    if (stops.length === 0) return;
    const next = isBack ? stops.findLast((number) => number < this.#player.index) : stops.find((number) => number > this.#player.index);
    this.#player.go(next ?? (isBack ? stops.at(-1) : stops[0]));
  }

  goToEnd() {
    this.#player.go(this.#player.last);
  }

  get isPlaying() {
    return this.#player.isPlaying;
  }

  get isAtEnd() {
    return this.#player.index === this.#player.last;
  }

  // The current decision, in words.
  get asked() {
    const { open } = this.#view;
    return open ? this.#game.heading(open, this.#view) : null;
  }

  #take(frames) {
    const view = this.#view;
    const first = view.frames.length - frames.length;
    frames.forEach((frame, number) => {
      this.#places.forEach((place) => place.add(frame, first + number));
      this.#player.add(frame.id ?? null);
    });
    this.#events = events(view, this.#game);
    refill(this.#jumps, ...jumps(view, this.#events).map((event) => this.#jump(event)));
    this.#moves.draw();
    this.#draw();
  }

  #jump({ number, words, isBad }) {
    return frameLink(this.#view, number, (at) => this.#player.go(at), { class: isBad ? 'bad' : '' }, words);
  }

  #show(index, isPlaying) {
    const { frames, open } = this.#view;
    // At the last frame, the table shows the current decision.
    if (open && index === frames.length - 1) this.#table.show(open, frames[index]);
    else this.#table.show(frames[index], frames[index - 1]);
    // Nobody takes any more of the table: it comes last.
    this.main.classList.toggle('over', isOver(this.#view, index));
    [...this.#places, this.#controls, this.#ranking, ...this.#charts, this.#numbers, this.#losses].forEach((part) => part.show(index, isPlaying));
    const shown = frames[index].id ?? frames[index + 1]?.id ?? 0;
    this.#command.textContent = `arena play --from '${this.#view.from}${shown}'`;
    document.documentElement.dataset.frame = index;
    // The list measures its lines, which costs a layout. It comes last, so that no change needs another one.
    this.#moves.show(index);
  }

  #draw() {
    const { bots, frames } = this.#view;
    const scores = bots.map((_, seat) => frames.map((frame, number) => [number, frame.seats[seat].score]));
    const times = this.#lines(({ us }) => us || undefined);
    const values = (lines) => lines.flat().map(([, value]) => value);
    const last = (line, words) => (line.length > 0 ? words(line[line.length - 1][1]) : 'none');
    const summary = (lines, words) => lines.map((line, seat) => `${bots[seat]} ${last(line, words)}`).join(', ');
    const { limits_us: limits = [] } = this.#view;
    const all = values(times).length > 0 ? [...values(times), ...limits] : [1];
    const total = (line) => duration(line.reduce((sum, [, us]) => sum + us, 0));
    const words = `In all: ${times.map((line, seat) => `${bots[seat]} ${total(line)}`).join(', ')}${limits.length > 0 ? `. Limit of a move: ${[...new Set(limits)].map(duration).join(', ')}` : ''}`;
    const [score, time] = this.#charts;
    const many = frames.length - 1;
    score.draw({ lines: scores, frames: many, scale: linear(values(scores), signed), hint: bots.length === 2 ? (number) => leadWords(this.#view, number) : null,
      summary: `Scores ${this.#view.result ? 'at the end' : 'so far'}: ${summary(scores, signed)}` });
    time.draw({ lines: times, frames: many, scale: logarithmic(all, duration), limits: values(times).length > 0 ? limits : [], words, summary: `Time of the last move: ${summary(times, duration)}` });
    this.#drawNumbers(many, summary);
    const lost = this.#lines(({ analysis }) => analysis && Math.max(analysis.loss, 0));
    if (lost.flat().length === 0) return;
    this.#addChart(this.#losses);
    this.#losses.draw({ lines: lost, frames: many, scale: linear(values(lost), signed),
      summary: `Points lost by the last move: ${summary(lost, signed)}` });
  }

  // The points of a chart's lines: for each seat, the frames in which its entry has a value, with the value.
  #lines(value) {
    return this.#view.bots.map((_, seat) => this.#view.frames.flatMap(({ entries }, number) =>
      entries.filter((entry) => entry.seat === seat && value(entry) !== undefined).map((entry) => [number, value(entry)])));
  }

  #addChart({ node }) {
    if (!node.isConnected) this.#table.node.parentNode.append(node);
  }

  #drawNumbers(many, summary) {
    const names = new Set(this.#view.frames.flatMap(({ entries }) => entries.flatMap(({ data }) => Object.keys(data ?? {}))));
    if (names.size === 0) return;
    this.#addChart(this.#numbers);
    const known = [...this.#names.options].map(({ value }) => value);
    this.#names.append(...[...names].filter((name) => !known.includes(name)).map((name) => html('option', {}, name)));
    const name = this.#names.value;
    const lines = this.#lines(({ data }) => (Object.hasOwn(data ?? {}, name) ? data[name] : undefined));
    const words = (value) => value.toLocaleString('en', { maximumSignificantDigits: 4 });
    this.#numbers.draw({ lines, frames: many, scale: linear(lines.flat().map(([, value]) => value), words),
      summary: `Last ${name}: ${summary(lines, words)}` });
  }
}
