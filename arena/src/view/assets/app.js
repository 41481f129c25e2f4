// The page of one match: puts the drawings together and shows the frame that the player is at.

import { count, duration, html, refill, signed, svg } from './dom.js';
import { fabrics, weaves } from './fabric.js';
import { Board, neighbours } from './board.js';
import { doodle } from './doodle.js';
import { patchwork } from './patchwork.js';
import { Chart, linear, logarithmic } from './chart.js';
import { Player } from './player.js';

const GAMES = { doodle, patchwork };
const SPEEDS = [0.5, 1, 2, 4, 8];
// A note of more characters may need more room than it gets.
const NOTE_LONG = 100;
const THEMES = { system: 'light dark', light: 'light', dark: 'dark' };

// One seat: name, score, board, what it has, what it did.
class Place {
  #game;
  #film;
  #seat;
  #board;
  #holding;
  #score = html('p', { class: 'score', title: 'Points if the match ended now' });
  #badge = html('span', { class: 'badge' });
  #did = html('p', { class: 'did' });
  #time = html('p', { class: 'time' });
  #note = html('blockquote', { class: 'note' });
  #fault = html('p', { class: 'fault' });

  constructor(game, film, seat, fabric) {
    [this.#game, this.#film, this.#seat] = [game, film, seat];
    this.#board = new Board(seat);
    this.#holding = game.holding(film);
    film.frames.forEach((frame, number) => {
      const entry = frame.entries.find((one) => one.seat === seat);
      if (entry?.fault) refill(this.#fault, html('b', {}, `Fault ${when(frame)}: ${entry.fault.kind}. `), entry.fault.detail);
      entry?.pieces?.forEach((piece) => this.#board.lay(piece, piece.card ? fabric(piece.card) : game.loose, number));
    });
    this.node = html('article', { class: 'panel seat', 'data-seat': seat, 'aria-label': `Seat ${seat}` },
      html('header', {}, dot(seat), html('h2', {}, film.bots[seat]), this.#badge, this.#score),
      this.#board.node, this.#holding.node,
      html('div', { class: 'move' }, html('div', { class: 'told' }, this.#did, this.#time), this.#fault, this.#note));
  }

  show(number) {
    const { frames, bots, result } = this.#film;
    const [frame, previous] = [frames[number], frames[number - 1] ?? frames[number]];
    const seat = frame.seats[this.#seat];
    const entry = frame.entries.find((one) => one.seat === this.#seat);
    const covered = this.#board.show(number);
    this.#board.outline(seat.scored);
    this.#board.describe(`Board of ${bots[this.#seat]}: ${covered} cells covered, ${81 - covered} empty`);
    this.#holding.show(seat);
    refill(this.#score, signed(seat.score), html('span', { class: 'hidden' }, ' points if the match ended now'));
    const isEnd = number === frames.length - 1;
    this.#badge.textContent = seat.out ? 'out' : isEnd ? `rank ${result.ranks[this.#seat]}` : '';
    this.#badge.className = seat.out ? 'badge out' : 'badge';
    this.node.classList.toggle('active', Boolean(entry));
    this.#tell(entry, seat, previous.seats[this.#seat]);
    this.#fault.hidden = !seat.out;
  }

  #tell(entry, seat, before) {
    const isFault = Boolean(entry?.fault);
    this.#did.textContent = entry && !isFault ? this.#game.tell(entry, seat, before, this.#film) : '';
    this.#time.textContent = entry ? duration(entry.us) : '';
    this.#note.hidden = !entry?.note;
    this.#note.textContent = entry?.note ?? '';
    // A long note is scrolled, and who scrolls with keys must get there.
    if (entry?.note?.length > NOTE_LONG) this.#note.tabIndex = 0;
    else this.#note.removeAttribute('tabindex');
  }
}

function when({ id }) {
  return id === undefined ? 'at the start' : `in turn ${id}`;
}

function dot(seat) {
  return svg('svg', { class: `dot seat-${seat % 10}`, viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    svg('circle', { cx: 10, cy: 10, r: 10 }), svg('text', { x: 10, y: 10 }, String(seat)));
}

// Slider and buttons, always in sight.
class Controls {
  #player;
  #film;
  #game;
  #slider;
  #play = html('button', { type: 'button', class: 'play' });
  #where = html('p', { class: 'where' });

  constructor(player, film, game) {
    [this.#player, this.#film, this.#game] = [player, film, game];
    this.#slider = html('input', { type: 'range', min: 0, max: player.last, step: 1, 'aria-label': 'Turn' });
    this.#slider.addEventListener('input', () => player.go(Number(this.#slider.value)));
    this.#play.addEventListener('click', () => player.toggle());
    const go = (label, name, target) => {
      const button = html('button', { type: 'button', 'aria-label': label, title: label }, icon(name));
      button.addEventListener('click', () => player.go(target()));
      return button;
    };
    this.node = html('nav', { class: 'controls', 'aria-label': 'Turns' }, this.#slider,
      html('div', { class: 'row' },
        go('To the beginning', 'first', () => 0), go('One turn back', 'back', () => player.index - 1), this.#play,
        go('One turn on', 'on', () => player.index + 1), go('To the end', 'last', () => player.last),
        this.#where, this.#speed()));
  }

  #speed() {
    const options = SPEEDS.map((speed) => html('option', { value: speed }, `${speed}\u00d7`));
    const select = html('select', {}, ...options);
    select.value = String(this.#player.speed);
    select.addEventListener('change', () => { this.#player.speed = Number(select.value); });
    return html('label', { class: 'speed' }, html('span', {}, 'Speed'), select);
  }

  show(index, isPlaying) {
    const frame = this.#film.frames[index];
    const heading = frame.id === undefined ? 'Beginning' : this.#game.heading(frame, this.#film);
    const turn = frame.id === undefined ? count(this.#player.last, 'turn') : `turn ${frame.id} of ${this.#film.frames.at(-1).id}`;
    this.#slider.value = index;
    this.#slider.setAttribute('aria-valuetext', `${heading}, ${turn}`);
    const label = isPlaying ? 'Pause' : 'Play';
    this.#play.setAttribute('aria-label', label);
    this.#play.title = label;
    refill(this.#play, icon(isPlaying ? 'pause' : 'play'));
    // Read out when somebody steps, not while the match plays.
    this.#where.setAttribute('aria-live', isPlaying ? 'off' : 'polite');
    refill(this.#where, html('b', {}, heading), ' ', html('span', {}, turn));
  }
}

function icon(name) {
  const shapes = {
    first: 'M5 4h2v12H5zM16 4v12L8 10z', back: 'M14 4v12L6 10z', play: 'M6 3.5v13L16.5 10z',
    pause: 'M5 4h3.6v12H5zM11.4 4H15v12h-3.6z', on: 'M6 4v12l8-6z', last: 'M4 4v12l8-6zM13 4h2v12h-2z',
  };
  return svg('svg', { class: 'icon', viewBox: '0 0 20 20', 'aria-hidden': 'true' }, svg('path', { d: shapes[name] }));
}

function themeSwitch() {
  const select = html('select', {}, ...Object.keys(THEMES).map((name) => html('option', { value: name }, name)));
  const set = (name) => { document.documentElement.style.colorScheme = THEMES[name]; };
  select.addEventListener('change', () => {
    set(select.value);
    remember(select.value);
  });
  select.value = remembered() in THEMES ? remembered() : 'system';
  set(select.value);
  return html('label', { class: 'theme' }, html('span', {}, 'Theme'), select);
}

// Browsers may keep nothing for a page from the disk; then the theme is that of the system.
function remember(theme) {
  try { localStorage.setItem('quilt-theme', theme); } catch { /* not kept */ }
}

function remembered() {
  try { return localStorage.getItem('quilt-theme') ?? 'system'; } catch { return 'system'; }
}

function heading(film, game) {
  const facts = [`match ${film.match}`, `round ${film.round}`, `seed ${film.seed}`, `digest ${film.digest}`];
  const faults = film.frames.flatMap((frame) => frame.entries.filter(({ fault }) => fault).map((entry) =>
    html('a', { href: `#turn=${frame.id ?? 'start'}` }, `${film.bots[entry.seat]}: ${entry.fault.kind} ${when(frame)}`)));
  const again = film.replayed ? html('p', { class: 'again' }, `Played a second time: ${film.replayed}`) : null;
  return html('header', { class: 'top' },
    html('div', {}, html('h1', {}, title(film, game)), html('p', { class: 'facts' }, facts.join(' \u00b7 ')),
      faults.length > 0 ? html('p', { class: 'faults' }, ...faults) : null, again),
    themeSwitch());
}

function title(film, game) {
  const { bots } = film;
  return bots.length > 3 ? `${game.title}: ${bots.length} seats` : `${game.title}: ${bots.join(' against ')}`;
}

function charts(film, jump) {
  const frames = film.frames.length - 1;
  const scores = film.bots.map((_, seat) => film.frames.map((frame, number) => [number, frame.seats[seat].score]));
  const times = film.bots.map((_, seat) => film.frames.flatMap((frame, number) =>
    frame.entries.filter((entry) => entry.seat === seat).map((entry) => [number, entry.us])));
  const values = (lines) => lines.flat().map(([, value]) => value);
  const last = (line, words) => (line.length > 0 ? words(line[line.length - 1][1]) : 'none');
  const summary = (lines, words) => lines.map((line, seat) => `${film.bots[seat]} ${last(line, words)}`).join(', ');
  const all = values(times).length > 0 ? values(times) : [1];
  return [
    new Chart({ title: 'Score if the match ended now', summary: `Scores at the end: ${summary(scores, signed)}`,
      lines: scores, frames, jump, scale: linear(values(scores), signed) }),
    new Chart({ title: 'Thinking time', summary: `Time of the last move: ${summary(times, duration)}`,
      lines: times, frames, jump, scale: logarithmic(all, duration) }),
  ];
}

function open(film) {
  const game = GAMES[film.game];
  const laid = (seat) => film.frames.flatMap(({ entries }) => entries.filter((entry) => entry.seat === seat))
    .flatMap(({ pieces }) => pieces ?? []);
  const fabric = fabrics(game.ids(film), neighbours(film.bots.map((_, seat) => laid(seat))));
  const places = film.bots.map((_, seat) => new Place(game, film, seat, fabric));
  const table = game.table(film, fabric);
  const parts = [];
  const player = new Player(film.frames.map((frame) => frame.id ?? null), (index, isPlaying) => {
    table.show(film.frames[index], film.frames[index - 1]);
    places.forEach((place) => place.show(index));
    parts.forEach((part) => part.show(index, isPlaying));
    document.documentElement.dataset.frame = index;
  });
  const drawn = charts(film, (index) => player.go(index));
  const controls = new Controls(player, film, game);
  parts.push(controls, ...drawn);
  document.title = `${title(film, game)}, match ${film.match}`;
  document.body.append(weaves(), heading(film, game),
    html('main', { class: film.game },
      html('div', { class: 'seats', 'data-seats': Math.min(film.bots.length, 5) }, ...places.map((place) => place.node)),
      html('div', { class: 'side' }, table.node, ...drawn.map((chart) => chart.node))),
    controls.node);
  player.start();
}

open(JSON.parse(document.getElementById('film').textContent));
