// The page on which a person plays a user's own game. It shows what the seat may see and its legal moves. The arena decides
// what is legal; this page knows no rules. Names, boards, and moves are any text of strangers.

import { count, html, refill } from './dom.js';
import { cellOf, drawing, lettersOf, moveWords, resultTable, resultWords } from './cells.js';
import { ask } from './ask.js';
import { Clock } from './clock.js';
import { Leaving } from './leaving.js';
import { themeSwitch } from './theme.js';

const AGAIN_MS = 1000;
const MOST_BUTTONS = 200;

function button(words, act, attributes = {}) {
  const element = html('button', { type: 'button', ...attributes }, words);
  element.addEventListener('click', act);
  return element;
}

class Page {
  isClosed = false;
  #state = null;
  #isBusy = false;
  #cells = new Map(); // the legal moves by their cell, such as "3,4", or null
  #before = null; // the board at the last own turn
  #heading = html('h1', {}, 'Quilt Arena');
  #leaving = new Leaving(() => this.#ask('leave', null));
  #clock = new Clock();
  #status = html('p', { class: 'status', role: 'status' }, 'The match has not begun.');
  #why = html('p', { class: 'why', role: 'alert' });
  #table = html('section', { class: 'panel table', 'aria-label': 'The table' });
  #label = html('label', { for: 'field' });
  #field = html('input', { id: 'field', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', 'aria-describedby': 'found' });
  #found = html('p', { id: 'found', role: 'status' });
  #list = html('ul', { 'aria-label': 'Legal moves', tabindex: -1 });
  #choosing = html('form', { class: 'panel choosing', 'aria-label': 'Your move', hidden: '' }, html('h2', {}, 'Your move'),
    this.#label, html('div', { class: 'sides' }, this.#field, html('button', { class: 'main' }, 'Play')), this.#found, this.#list);
  #result = html('section', { class: 'panel choosing', 'aria-label': 'The result', hidden: '' });

  constructor() {
    document.body.append(
      html('header', { class: 'top' }, this.#heading, html('div', { class: 'tools' }, this.#leaving.button, themeSwitch())),
      html('main', { class: 'stepped own' }, this.#table, html('div', { class: 'side' }, this.#result, this.#choosing)),
      html('div', { class: 'bar', role: 'region', 'aria-label': 'The match' }, this.#status, this.#clock.node, this.#why), this.#leaving.node);
    this.#field.addEventListener('input', () => this.#showList());
    this.#choosing.addEventListener('submit', (event) => this.#playField(event));
  }

  // Shows the current state of the match.
  show(state) {
    const last = this.#state;
    const { version, game, bots, board, turn, out, result } = state;
    const isNew = !last || version < last.version;
    this.#state = state;
    if (isNew) [this.#before, this.#field.value, this.#choosing.hidden] = [null, '', true];
    else if (last.turn && last.turn.id !== turn?.id) this.#before = last.text;
    document.title = `${game}: ${bots.length > 3 ? `${bots.length} seats` : bots.join(' against ')}`;
    this.#heading.textContent = document.title;
    this.#cells = Map.groupBy(turn?.moves ?? [], (move) => cellOf(move, board));
    if (turn && turn.id !== last?.turn?.id) this.#why.textContent = '';
    if (turn) this.#label.textContent = turn.typed ? 'A move as a JSON object, such as {"take": 1}' : 'Search the moves';
    this.#choosing.hidden = Boolean(result || out) || (this.#choosing.hidden && !turn);
    this.#leaving.show(!result && !out);
    this.#clock.show(turn?.left_ms ?? null);
    this.#status.textContent = this.#words();
    this.#showTable();
    this.#showList();
    this.#result.hidden = !result;
    if (result && (isNew || !last.result)) this.#end(resultWords(state, state.seat), resultTable(state, state.seat), html('p', { class: 'sides' },
      button('Play again', () => this.#ask('again', null), { class: 'main' }), button('End the arena', () => this.#close())));
    // The button for another match is gone with the last one.
    if (isNew && last) this.#table.querySelector('[tabindex="0"]').focus();
    document.documentElement.dataset.version = version;
    document.documentElement.dataset.turn = turn?.id ?? '';
  }

  // Tells that the arena does not answer.
  lost(words) {
    this.#clock.show(null);
    if (!this.isClosed) this.#status.textContent = words;
  }

  #words() {
    const { turn, result, out, bots, seat } = this.#state;
    if (result) return 'The match is over.';
    if (out) return 'You are out of the match; the others play it to its end.';
    if (turn) return 'Your move.';
    const others = bots.filter((_, number) => number !== seat);
    return `Waiting for ${others.length > 3 ? `${others.length} others` : others.join(', ') || 'the game'}.`;
  }

  // Tells the end in place of the moves, and leads there.
  #end(words, ...more) {
    refill(this.#result, html('h2', { tabindex: -1 }, words), ...more).firstChild.focus();
  }

  // Shows the board, or else what the seat sees as text or as data.
  #showTable() {
    const { board, text, observation } = this.#state;
    const isFocused = this.#table.contains(document.activeElement);
    const home = this.#table.querySelector('[tabindex="0"]')?.dataset.at;
    const before = lettersOf(this.#before);
    const drawn = drawing(text, board, (row, column, letter) => before !== null && before[row]?.[column] !== letter,
      { keys: new Set(this.#cells.keys()), play: (cell) => this.#playCell(cell), home });
    refill(this.#table, drawn ?? html('pre', { class: 'text', role: 'group', tabindex: 0, 'aria-label': 'What you see' }, text ?? JSON.stringify(observation, null, 2)));
    if (isFocused) this.#table.querySelector('[tabindex="0"]').focus({ preventScroll: true });
  }

  // The legal moves that fit the field. A part before a comma is whole: "row 1," does not fit "row 11".
  #fitting() {
    const parts = this.#field.value.trim().toLowerCase().match(/[^,]+,?/g) ?? [];
    return (this.#state.turn?.moves ?? []).filter((move) => parts.every((part) => ` ${this.#said(move).toLowerCase()},`.includes(part)));
  }

  #said(move) {
    return moveWords(move, this.#state.board);
  }

  #showList() {
    const { turn } = this.#state;
    const isFocused = this.#list.contains(document.activeElement);
    const fitting = this.#fitting();
    refill(this.#list, ...fitting.slice(0, MOST_BUTTONS).map((move) => html('li', {}, button(this.#said(move), () => this.#play(move)))));
    const more = fitting.length > MOST_BUTTONS ? `; the first ${MOST_BUTTONS} are shown` : '';
    this.#found.textContent = turn && !turn.typed ? `${fitting.length} of ${count(turn.moves.length, 'move')}${more}.` : '';
    // The buttons are new. Until the next turn, the list keeps the focus.
    if (isFocused) (this.#list.querySelector('button') ?? this.#list).focus({ preventScroll: true });
  }

  // Plays the move of a cell. Several ones go to the list, for the person to choose.
  #playCell(cell) {
    const moves = this.#cells.get(cell) ?? [];
    if (moves.length === 1) this.#play(moves[0]);
    if (moves.length < 2) return;
    const { board: { row, column } } = this.#state;
    this.#field.value = `${row} ${moves[0][row] + 1}, ${column} ${moves[0][column] + 1},`;
    this.#showList();
    this.#list.querySelector('button')?.focus();
  }

  // Plays the typed move, or the only one that fits the field, or the one with just its words.
  #playField(event) {
    event.preventDefault();
    const [words, fitting] = [this.#field.value.trim(), this.#fitting()];
    if (!this.#state.turn?.typed) return this.#play(fitting.length === 1 ? fitting[0] : fitting.find((move) => this.#said(move) === words));
    try { return this.#play(words.startsWith('{') ? JSON.parse(words) : null); } catch { return this.#play(null); }
  }

  async #play(move) {
    const { turn } = this.#state;
    if (!turn || this.#isBusy) return;
    this.#isBusy = true;
    const unclear = turn.typed ? 'A move is a JSON object, such as {"take": 1}.' : 'Choose one of the moves.';
    const verdict = move ? await this.#ask('move', { id: turn.id, move }) : { why: unclear };
    this.#isBusy = false;
    this.#why.textContent = verdict?.why ?? this.#why.textContent;
    if (!verdict?.legal) return;
    this.#field.value = '';
    this.#showList();
  }

  // Ends the arena. The page then has no data to show.
  async #close() {
    this.isClosed = await this.#ask('close', null) === true;
    if (this.isClosed) this.#end('The arena has ended. You can close this page.');
  }

  // Sends a request, and tells what goes wrong.
  async #ask(path, body) {
    this.#why.textContent = '';
    return ask(path, body).catch(({ message }) => { this.#why.textContent = message; });
  }
}

// Follows the match until the person ends the arena.
async function follow(page) {
  let version = null;
  while (!page.isClosed) {
    const state = await ask(`state?after=${version ?? 0}`).catch(({ message }) => page.lost(`${message} The page tries it again.`));
    if (state && state.version !== version) page.show(state);
    // After a lost connection, what is shown next is news, whatever its version.
    version = state?.version ?? null;
    if (!state) await new Promise((done) => { setTimeout(done, AGAIN_MS); });
  }
}

follow(new Page());
