// The page of a match that a person plays. It shows the match, lets the player place pieces and take them
// back, and sends confirmed moves. The arena decides what is legal; this page knows no rules.

import { count, html, refill, say, signed } from './dom.js';
import { cellsOf, shapeWords } from './board.js';
import { fabrics, weaves } from './fabric.js';
import { Help } from './help.js';
import { doodle } from './doodle.js';
import { patchwork } from './patchwork.js';
import { Place } from './seat.js';
import { did, order, titled, told } from './story.js';
import { themeSwitch } from './theme.js';
import { Hand } from './hand.js';
import { Tray } from './tray.js';
import { Leaving } from './leaving.js';
import { ask } from './ask.js';
import { Clock } from './clock.js';
import { KEYS, RULES } from './rules.js';

const GAMES = { doodle, patchwork };
const AGAIN_MS = 1000;
// A pointer that moves less than this, in pixels, is a click or a tap.
const STILL = 8;
// The turn of a wheel that turns a piece by a quarter.
const NOTCH = 40;
// What the page says if a step leaves the piece as it is.
const SAME = { rotate: 'It looks the same when turned.', flip: 'It looks the same when flipped.', seek: 'It fits nowhere else.', step: 'The edge of the board is in the way.' };
const KEYS_OF_ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

class Page {
  #state = null;
  #hand = null;
  #fabric = () => 'plain';
  #game = null;
  // Placed pieces that are not confirmed, oldest first, each with its choice, cells, and place. A single cell has no card.
  #laid = [];
  #verdict = null;
  #busy = false;
  #isClosed = false;
  #rules = html('div', { class: 'rules' });
  #help = new Help('How to play', KEYS, this.#rules);
  #lately = html('p', { class: 'lately', role: 'status' });
  #pressed = null; // where a pointer went down, and whether it picked up a piece there
  #isTouch = matchMedia('(pointer: coarse)').matches; // what the player used last
  #wheel = 0;
  #isThinking = false; // about a hint
  #hinted = null; // the hint of this turn, its pieces, and how much of it is told
  #shape = html('p', { class: 'hidden', role: 'status' }); // the shape in hand, for screen readers
  #again = html('button', { type: 'button', class: 'again' }, 'Play again');
  #leaving = new Leaving(() => this.#leave());
  #heading = html('h1', {}, 'Quilt Arena');
  #own = html('div', { class: 'own' });
  #others = html('div', { class: 'seats others', 'data-seats': 2 });
  #table = html('div', {});
  #tray = new Tray((choice, byKey) => this.#take(choice, byKey));
  #status = html('p', { class: 'status', role: 'status' }, 'The match has not begun.');
  #clock = new Clock();
  #why = html('p', { class: 'why', role: 'alert' });
  #end = html('button', { type: 'button', class: 'end' }, 'End the arena');
  #result = html('section', { class: 'panel result', 'aria-label': 'The result' });
  #buttons = {
    rotate: this.#button('Rotate', 'R', () => this.#step('rotate', () => this.#hand.rotate())),
    flip: this.#button('Flip', 'F', () => this.#step('flip', () => this.#hand.flip())),
    seek: this.#button('Next place', 'L', () => this.#step('seek', () => this.#hand.seek())),
    cut: this.#button('Cut', 'C', () => this.#cut()),
    single: this.#button('Single cell', 'S', () => this.#takeSingle()),
    place: this.#button('Place', 'Enter', () => this.#place()),
    back: this.#button('Take back', 'Esc', () => this.#takeBack()),
    hint: this.#button('Hint', 'H', () => this.#hint()),
    confirm: this.#button('Confirm', 'Enter', () => this.#confirm()),
  };

  constructor() {
    const bar = html('div', { class: 'hand-bar', role: 'region', 'aria-label': 'Your move' },
      this.#why, this.#shape, html('div', { class: 'now' }, this.#status, this.#clock.node), html('div', { class: 'keys' }, ...Object.values(this.#buttons)));
    document.body.append(weaves(),
      html('header', { class: 'top' }, this.#heading, html('div', { class: 'tools' }, this.#help.button, this.#leaving.button, themeSwitch())),
      html('main', { class: 'play' }, html('div', { class: 'desk' }, this.#own, this.#result, this.#tray.node),
        html('div', { class: 'side', role: 'region', 'aria-label': 'The table and the other seats', tabindex: 0 }, this.#lately, this.#table, this.#others)),
      bar, this.#leaving.node, this.#help.node);
    this.#result.hidden = true;
    this.#end.addEventListener('click', () => this.#close());
    this.#again.addEventListener('click', () => this.#ask('again', null));
    document.addEventListener('keydown', (event) => this.#key(event));
    // Before the tray takes a choice in hand, so that the status suits what touched it.
    document.addEventListener('pointerdown', (event) => this.#press(event), { capture: true });
    document.addEventListener('pointermove', (event) => this.#point(event));
    document.addEventListener('pointerup', (event) => this.#release(event));
    this.#update();
  }

  #button(label, key, act) {
    const button = html('button', { type: 'button', 'aria-keyshortcuts': key === 'Esc' ? 'Escape' : key },
      html('span', { class: 'label' }, label), html('kbd', { 'aria-hidden': 'true' }, key));
    button.addEventListener('click', () => {
      const said = act();
      this.#update(typeof said === 'string' ? said : '');
    });
    return button;
  }

  // Shows the current state of the match.
  show(state) {
    this.#state = state;
    this.#game = GAMES[state.game];
    this.#fabric = fabrics(this.#game.ids(state));
    const view = { ...state, match: 0 };
    const last = state.frames.length - 1;
    const places = state.bots.map((_, seat) => {
      const place = new Place(this.#game, view, seat, this.#fabric);
      state.frames.forEach((frame, number) => place.add(frame, number));
      place.show(last);
      return place.node;
    });
    const table = this.#game.table(view, this.#fabric);
    // The trails on the track are of all moves since the player's own last one.
    const since = Math.max(state.frames.findLastIndex(({ entries }) => entries.some(({ seat }) => seat === state.seat)), 0);
    table.show(state.open ?? state.frames[last], state.frames[since]);
    this.#tellLately(since, view);
    document.querySelector('main').className = `play ${state.game}`;
    document.title = titled(this.#game, state.bots);
    this.#heading.textContent = document.title;
    refill(this.#own, places[state.seat]);
    const covered = state.frames.flatMap(({ entries }) => entries.filter(({ seat }) => seat === state.seat)).flatMap(({ pieces }) => pieces ?? []).flatMap(({ cells }) => cells);
    const won = this.#game.won(state.frames[last].seats[state.seat]);
    this.#own.querySelector('.score').before(html('p', { class: 'so-far' }, `${won} so far, ${count(81 - covered.length, 'empty cell')}`));
    refill(this.#others, ...places.filter((_, seat) => seat !== state.seat));
    refill(this.#table, table.node);
    this.#others.classList.toggle('compact', state.bots.length > 2);
    refill(this.#rules, ...RULES[state.game].map((rule) => html('p', {}, rule)));
    const board = this.#own.querySelector('.board');
    board.setAttribute('role', 'application');
    board.setAttribute('tabindex', 0);
    board.setAttribute('aria-label', `Your board. ${board.getAttribute('aria-label')}`);
    this.#hand = new Hand(board);
    board.addEventListener('wheel', (event) => this.#roll(event), { passive: false });
    board.addEventListener('contextmenu', (event) => {
      if (!this.#hand.choice) return;
      event.preventDefault();
      this.#buttons.flip.click();
    });
    if (state.turn) this.#leaving.isDone = false;
    [this.#laid, this.#verdict, this.#hinted] = [[], state.turn?.verdict ?? null, null];
    this.#clock.show(state.turn?.left_ms ?? null);
    this.#showResult();
    this.#tell('');
    this.#update();
    if (state.turn) this.#tray.focus();
    document.documentElement.dataset.version = state.version;
    document.documentElement.dataset.turn = state.turn?.id ?? '';
  }

  // Tells what the others did since the player's own last move, in words that are short at large tables too.
  #tellLately(since, view) {
    const { frames, bots, seat: own } = view;
    const told = new Map();
    // Where all move at once, the others' moves are of the same turn as the own one.
    frames.slice(since).forEach((frame, number) => frame.entries.filter(({ seat }) => seat !== own).forEach((entry) => {
      const words = `${entry.fault ? 'is out by ' : ''}${did(entry, since + number, view, this.#game)}`;
      const many = bots.length > 2 && this.#game === doodle ? words : `${bots[entry.seat]} ${number}`;
      told.set(many, { words, names: [...(told.get(many)?.names ?? []), bots[entry.seat]] });
    }));
    const words = [...told.values()].map(({ names, words }) => `${names.join(', ')}: ${words[0].toLowerCase()}${words.slice(1)}.`).join(' ');
    say(this.#lately, words);
  }

  gone() {
    this.#clock.show(null);
    if (!this.#isClosed) this.#status.textContent = 'The arena does not answer any more.';
  }

  async #leave() {
    // Ignores whether another request is running, because its answer no longer matters.
    await ask('leave', null).catch((error) => this.#tell(error.message));
  }

  // Ends the arena. The page then has no data to show.
  async #close() {
    this.#isClosed = await this.#ask('close', null) === true;
    if (this.#isClosed) refill(this.#result, html('p', { role: 'status' }, 'The arena has ended. You can close this page.'));
  }

  #showResult() {
    const { result, bots, seat } = this.#state;
    [this.#result.hidden, this.#tray.node.hidden] = [!result, Boolean(result)];
    if (!result) return this.#result.replaceChildren();
    const out = { exit: 'You gave up', timeout: 'Your time ran out' }[result.faults[seat]?.kind];
    const sentence = told(this.#state, this.#game);
    const line = (number) => html('li', {}, html('b', {}, bots[number]), ` ${signed(result.scores[number])} points`,
      result.faults[number] ? `, out by ${result.faults[number].kind}` : null);
    refill(this.#result, html('h2', {}, out ?? sentence), out ? html('p', {}, sentence) : null, html('ol', {}, ...order(this.#state, this.#state.frames.length - 1).map(line)),
      html('a', { href: 'replay' }, 'See the match again, turn by turn'),
      html('p', { class: 'sides' }, this.#again, this.#end));
    return undefined;
  }

  // --- held and placed pieces

  #take(choice, byKey) {
    // Only one card can lie on the board: another one takes its place.
    const rest = this.#laid.filter(({ single }) => single || choice.single);
    if (rest.length < this.#laid.length) this.#keep(rest);
    this.#hold(choice);
    this.#own.querySelector('.board').focus({ preventScroll: !byKey });
  }

  #hold(choice, place) {
    this.#hand.take(choice, this.#look(choice), place);
    this.#tell('');
    this.#update();
  }

  // Keeps these of the placed pieces, and asks what they lead to.
  async #keep(laid) {
    this.#laid = laid;
    const verdict = await this.#ask('judge', this.#word(laid));
    if (verdict && this.#laid === laid) this.#verdict = verdict;
    this.#update();
  }

  // Takes a placed piece in hand again, as it lies.
  #pick(event) {
    const point = this.#hand.at(event)?.map(Math.floor);
    const found = point && this.#laid.find(({ cells }) => cells.some(([row, col]) => row === point[0] && col === point[1]));
    if (!found) return false;
    this.#keep(this.#laid.filter((one) => one !== found));
    if (found.choice) this.#hold(found.choice, found.place);
    return Boolean(found.choice);
  }

  #takeSingle() {
    const anchors = this.#verdict.singles.map(([row, col]) => 9 * row + col);
    if (anchors.length === 0) return this.#tell('No single cell can be shaded now.');
    const one = { shape: ['X'], anchors };
    return this.#take({ piece: 0, costs: 'single', single: true, turnings: Array(8).fill(one) }, true);
  }

  // Turns or moves the held piece. Returns why it stays as it is, or an empty text.
  #step(name, act) {
    this.#tell('');
    const before = String(this.#hand.cells);
    act();
    return String(this.#hand.cells) === before && this.#hand.fitsSomewhere ? SAME[name] : '';
  }

  // Says why a key does nothing now.
  #idle(name) {
    const held = this.#hand.choice;
    const card = held?.card;
    if (name === 'back') return 'Nothing is in hand, and nothing is laid.';
    if (name === 'cut' && held) return card ? `No cut of ${card} can be laid now.` : 'A single cell cannot be cut.';
    if (name === 'single') return 'No single cell can be shaded now.';
    if (name === 'hint') return 'The piece in hand comes first: Escape takes it back.';
    return 'Nothing is in hand: take something first.';
  }

  // Takes the next piece of the held card.
  #cut() {
    const held = this.#hand.choice;
    const same = this.#state.turn.choices.filter(({ card }) => card === held.card);
    this.#take(same[(same.indexOf(held) + 1) % same.length], true);
  }

  async #place() {
    const { choice, cells, row, col, turned } = this.#hand;
    const laid = [...this.#laid, { choice, card: choice.card, cells, single: Boolean(choice.single), fabric: this.#look(choice), place: { row, col, turned } }];
    const verdict = await this.#ask('judge', this.#word(laid));
    if (!verdict) return;
    if (!verdict.legal) return this.#tell(verdict.why);
    [this.#laid, this.#verdict] = [laid, verdict];
    this.#hand.drop();
    this.#tell('');
    this.#update();
    this.#buttons.confirm.focus();
  }

  async #takeBack() {
    this.#tell('');
    if (this.#hand.choice) {
      this.#hand.drop();
    } else if (this.#laid.length > 0) {
      await this.#keep(this.#laid.slice(0, -1));
    }
    this.#update();
    this.#tray.focus();
  }

  // Tells a hint in steps: first the piece, then its place, and then it is laid. Returns the words of the step.
  #hint() {
    this.#tell('');
    if (this.#isThinking) return '';
    if (this.#hinted) return this.#showHint();
    this.#isThinking = true;
    const { id } = this.#state.turn;
    this.#ask('hint', null).then((hint) => {
      this.#isThinking = false;
      if (this.#state.turn?.id !== id) return this.#update();
      if (!hint?.laid) return this.#update(hint?.words);
      this.#hinted = { ...hint, step: 0, pieces: this.#hintPieces(hint.laid) };
      return this.#update(this.#showHint());
    });
    return '';
  }

  // The pieces that a hint lays.
  #hintPieces({ card, cells, singles }) {
    const corner = [0, 1].map((axis) => Math.min(...cells.map((cell) => cell[axis])));
    const look = (list) => String(list.map(([row, col]) => 9 * row + col).sort((one, other) => one - other));
    const turned = ({ turnings }) => turnings.findIndex(({ shape }) => look(cellsOf(shape).map(([row, col]) => [row + corner[0], col + corner[1]])) === look(cells));
    const choice = this.#state.turn.choices.find((one) => (one.card ?? null) === card && turned(one) >= 0);
    const piece = choice && { choice, card: choice.card, cells, single: false, fabric: this.#look(choice), place: { row: corner[0], col: corner[1], turned: turned(choice) } };
    return [...(piece ? [piece] : []), ...singles.map((cell) => ({ choice: null, cells: [cell], single: true, fabric: this.#game.loose, place: null }))];
  }

  #showHint() {
    const hint = this.#hinted;
    hint.step += 1;
    const [first] = hint.pieces;
    const said = hint.said ? ` ${hint.said}` : '';
    if (!first) return `The hint: ${this.#state.turn.nothing}.${said}`;
    const name = first.card ?? 'one cell';
    if (hint.step === 1) return `The hint: ${name}.${said} ${this.#call('hint')} again shows its place.`;
    if (hint.step > 2) return this.#layHint();
    this.#own.querySelector('.board').focus({ preventScroll: true });
    const [row, col] = first.place ? [first.place.row, first.place.col] : first.cells[0];
    const single = hint.pieces.length > 1 ? ', and single cells beside it' : '';
    return `The hint: ${name} at row ${row + 1}, column ${col + 1}${single}: ${hint.words}${said} ${this.#call('hint')}${this.#isTouch ? '' : ' or Enter'} lays it.`;
  }

  #layHint() {
    const { pieces } = this.#hinted;
    this.#hinted.step = 0;
    this.#keep(pieces).then(() => this.#buttons.confirm.focus());
    return '';
  }

  async #confirm() {
    const { id } = this.#state.turn;
    const verdict = await this.#ask('move', { id, laid: this.#word(this.#laid) });
    if (verdict && !verdict.legal) this.#tell(verdict.why);
  }

  // The placed pieces in the arena's format.
  #word(laid) {
    const drawn = laid.find(({ single }) => !single);
    const singles = laid.filter(({ single }) => single).flatMap(({ cells }) => cells);
    return { card: drawn?.card ?? null, cells: drawn?.cells ?? [], singles };
  }

  get #isOut() {
    const { frames, seat } = this.#state;
    return this.#leaving.isDone || frames.at(-1).seats[seat].out === true;
  }

  get #isLate() {
    const { frames, seat } = this.#state;
    return frames.some(({ entries }) => entries.some((entry) => entry.seat === seat && entry.fault?.kind === 'timeout'));
  }

  #look({ card }) {
    return card ? this.#fabric(card) : this.#game.loose;
  }

  async #ask(path, body) {
    if (this.#busy) return null;
    this.#busy = true;
    try {
      return await ask(path, body);
    } catch (error) {
      this.#tell(error.message);
      return null;
    } finally {
      this.#busy = false;
    }
  }

  // --- display

  #tell(why) {
    this.#why.textContent = why;
  }

  // Shows what can be done now. The status has these words, or else tells the state of the move.
  #update(said) {
    const turn = this.#state?.turn;
    const held = this.#hand?.choice;
    this.#hand?.lay(this.#laid);
    const hint = this.#hinted?.step > 0 ? this.#hinted : null;
    this.#hand?.outline(hint?.step === 2 ? hint.pieces : []);
    this.#leaving.show(Boolean(this.#state) && !this.#state.result && !this.#isOut);
    const choices = turn?.choices ?? [];
    this.#tray.show(choices, (choice) => this.#look(choice), held, hint?.pieces[0]);
    const canCut = held && !held.single && choices.some(({ card, piece }) => piece > 0 && card === held.card);
    const usable = {
      rotate: held, flip: held, seek: held, place: held, cut: canCut, single: turn && this.#verdict?.singles.length > 0,
      back: held || this.#laid.length > 0, confirm: turn && !held && this.#verdict.legal, hint: turn && !held,
    };
    for (const [name, button] of Object.entries(this.#buttons)) button.hidden = !usable[name];
    this.#buttons.confirm.parentNode.hidden = Boolean(this.#state?.result);
    const nothing = turn && this.#laid.length === 0 && this.#verdict.legal ? turn.nothing : 'confirm';
    this.#buttons.confirm.firstChild.textContent = nothing[0].toUpperCase() + nothing.slice(1);
    this.#status.textContent = said || this.#words(held);
    this.#shape.textContent = held ? shapeWords(this.#hand.shape) : '';
  }

  #words(held) {
    const { turn, result, open, bots, seat } = this.#state ?? {};
    if (!this.#state) return 'The match has not begun.';
    if (this.#isThinking) return 'A strong bot thinks.';
    if (result) return 'The match is over.';
    if (this.#isOut) return `${this.#isLate ? 'Your time ran out: you' : 'You'} are out of the match; the others play it to its end.`;
    if (!turn) return `Waiting for ${bots.filter((_, number) => number !== seat).join(', ')}.`;
    if (held) return `${held.card ?? 'One cell'} ${this.#fitting(held)}.`;
    if (this.#laid.length > 0) return `Laid: ${this.#verdict?.effect ?? ''} Confirm it, or take it back.`;
    const nothing = this.#verdict?.legal ? ` Or ${turn.nothing}: ${this.#verdict.effect}` : '';
    const when = this.#game === doodle ? `${doodle.heading(open)}. ` : '';
    return `${when}Your move${this.#isTouch ? ': tap what you want to lay' : ''}.${nothing}`;
  }

  // Tells whether the held piece fits, and which key helps if it does not.
  #fitting({ obstacle }) {
    const { row, col, fits, fitsSomewhere, fitsAsTurned, remedy } = this.#hand;
    const here = `at row ${row + 1}, column ${col + 1}`;
    if (fits) return `${here}: fits${this.#isTouch ? '. Tap it again to lay it, or tap a mark to lay it there' : ''}`;
    if (obstacle) return `${here}: ${obstacle}`;
    if (!fitsSomewhere) return `fits nowhere; ${this.#call('back')} takes it back`;
    if (remedy) return `${here}: fits when ${remedy === 'rotate' ? 'turned' : 'flipped'}: ${this.#call(remedy)}`;
    if (this.#isTouch && fitsAsTurned) return `${here}: does not fit here. Tap a mark to lay it there`;
    return `${here}: does not fit here${fitsAsTurned ? '' : ' as it is turned'}; ${this.#call('seek')} finds a place`;
  }

  // The key for a button, or its label for fingers.
  #call(name) {
    const button = this.#buttons[name];
    return this.#isTouch ? button.firstChild.textContent : button.getAttribute('aria-keyshortcuts');
  }

  // --- keys and pointers

  #key(event) {
    this.#isTouch = false;
    if (event.ctrlKey || event.altKey || event.metaKey || !this.#state?.turn || this.#leaving.isOpen || this.#help.node.open) return undefined;
    const control = event.target.closest?.('button, select, a, summary');
    // A key that is held repeats itself, and would take, lay, and confirm one patch after another.
    if (event.repeat && (event.key === 'Enter' || event.key === ' ')) return event.preventDefault();
    const step = KEYS_OF_ARROWS[event.key];
    const letter = event.key.toLowerCase();
    const named = { r: 'rotate', f: 'flip', l: 'seek', c: 'cut', s: 'single', h: 'hint', escape: 'back' }[letter];
    if (event.key === '?') return this.#help.open();
    if (control?.matches('select') || (event.key === 'Enter' && control)) return undefined;
    if (!step && !named && event.key !== 'Enter') return undefined;
    // An arrow without a piece scrolls the page.
    if (!step || this.#hand.choice) event.preventDefault();
    if (event.key === 'Enter') return this.#enter();
    if (step && !this.#hand.choice && event.target.closest?.('.side')) return undefined;
    if (step ? !this.#hand.choice : this.#buttons[named].hidden) {
      this.#tell('');
      return this.#update(this.#idle(named));
    }
    return step ? this.#update(this.#step('step', () => this.#hand.move(...step))) : this.#buttons[named].click();
  }

  // Places the held piece, or confirms the laid ones. A move that lays nothing is final too, so it needs its button.
  #enter() {
    if (this.#hand.choice) return this.#buttons.place.click();
    if (this.#laid.length > 0) return this.#buttons.confirm.click();
    if (this.#hinted?.step === 2) return this.#buttons.hint.click();
    if (!this.#verdict.legal) return this.#update(`There is nothing to confirm: ${this.#verdict.why}.`);
    this.#buttons.confirm.focus();
    return this.#tell(`Nothing is laid. Press Enter again to ${this.#state.turn.nothing}.`);
  }

  #point(event) {
    if (this.#pressed?.isStill && Math.hypot(event.clientX - this.#pressed.x, event.clientY - this.#pressed.y) > STILL) this.#pressed.isStill = false;
    // A finger that rests on the board may tap; only one that moves takes the piece along.
    const isRest = event.pointerType !== 'mouse' && this.#pressed?.isStill;
    if (!this.#hand?.choice || isRest || !this.#hand.follow(event)) return;
    this.#tell('');
    this.#status.textContent = this.#words(this.#hand.choice);
  }

  // A press on a placed piece takes it in hand.
  #press(event) {
    this.#isTouch = event.pointerType !== 'mouse';
    const isOnBoard = Boolean(event.target.closest?.('.own .board')) && event.button === 0;
    const isPicked = isOnBoard && this.#state?.turn && !this.#hand.choice && this.#pick(event);
    this.#pressed = { x: event.clientX, y: event.clientY, isStill: true, isOnBoard, isPicked };
  }

  // Releasing a mouse button over the board places the piece. So does a tap on the piece or on a mark; another tap moves the
  // piece there, and a finger that was drawn over the board only moves it.
  #release(event) {
    const pressed = this.#pressed ?? {};
    this.#pressed = null;
    if (event.button !== 0 || !this.#hand?.choice || !event.target.closest?.('.own .board')) return;
    if (pressed.isPicked && pressed.isStill) return;
    if (event.pointerType === 'mouse') {
      if (this.#hand.follow(event)) this.#place();
    } else if (pressed.isStill && pressed.isOnBoard) {
      if (!(this.#hand.fits && this.#hand.covers(event)) && !this.#hand.follow(event)) return;
      if (this.#hand.fits) this.#place();
      else this.#update();
    }
  }

  // The wheel turns the piece in hand.
  #roll(event) {
    if (!this.#hand?.choice) return;
    event.preventDefault();
    this.#wheel += event.deltaY;
    if (Math.abs(this.#wheel) < NOTCH) return;
    this.#wheel = 0;
    this.#buttons.rotate.click();
  }
}

// Follows the match until the arena no longer answers.
async function follow(page) {
  let version = 0;
  let failures = 0;
  while (failures < 3) {
    try {
      const state = await ask(`state?after=${version}`);
      failures = 0;
      if (state.version !== version) page.show(state);
      version = state.version;
    } catch {
      // Another match counts its versions anew.
      version = 0;
      failures += 1;
      await new Promise((done) => { setTimeout(done, AGAIN_MS); });
    }
  }
  page.gone();
}

follow(new Page());
