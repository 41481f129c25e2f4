// What the pages of a user's own game share: a board as cells, words for moves, and the result. They know no rules, and
// names, boards, and moves are any text of strangers.

import { count, dot, html, signed, svg } from './dom.js';
import { botLink } from './site.js';

// A larger board stays text.
const CELLS_MAX = 4096;
// The height of the slanted sides of a hexagon. Cells are 10 wide.
const SLANT = 10 / Math.sqrt(12);
// For each form of cells: half its height, how far a row is below the row before and right of it, and the corners.
const FORMS = {
  square: { half: 5, below: 10, right: 0, points: '-5,-5 5,-5 5,5 -5,5' },
  hexagonal: { half: 2 * SLANT, below: 3 * SLANT, right: 5,
    points: `0,${-2 * SLANT} 5,${-SLANT} 5,${SLANT} 0,${2 * SLANT} -5,${SLANT} -5,${-SLANT}` },
};
const COLOUR = /^#[0-9a-f]{6}$/i;
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// The letters of a board by row and column, or null without cells that fit a drawing.
export function lettersOf(text) {
  const rows = (text ?? '').replace(/[\r\n]+$/, '').split(/\r?\n/).map((line) => [...line]);
  const width = rows.reduce((most, { length }) => Math.max(most, length), 0);
  if (width === 0 || rows.length * width > CELLS_MAX) return null;
  return rows.map((row) => [...row, ...Array(width - row.length).fill(' ')]);
}

// Draws the text of a board as cells, or returns null. Outlines the cells for which `isMarked` returns true for row,
// column, and letter. With `keys`, such as "3,4", cells are buttons that call `play` with their key, the first at `home`.
export function drawing(text, board, isMarked, { keys, play, home } = {}) {
  const rows = board ? lettersOf(text) : null;
  if (!rows) return null;
  const { half, below, right, points } = FORMS[board.cells] ?? FORMS.square;
  const [cells, pieces, marks] = [[], [], []];
  rows.forEach((letters, row) => letters.forEach((letter, column) => {
    const key = `${row},${column}`;
    const place = { transform: `translate(${10 * column + right * row} ${below * row})` };
    const [fill, isEmpty, isNew] = [board.colours?.[letter], /^[.\s]$/.test(letter), isMarked(row, column, letter)];
    const label = `${board.row} ${row + 1}, ${board.column} ${column + 1}: ${isEmpty ? 'empty' : letter}${isNew ? ', new' : ''}`;
    const button = keys && { role: 'button', tabindex: -1, 'data-at': key, 'aria-disabled': !keys.has(key), 'aria-label': label };
    cells.push(svg('polygon', { class: keys?.has(key) ? 'cell playable' : 'cell', points, ...place, ...button }));
    if (COLOUR.test(fill)) pieces.push(svg('circle', { r: 3.9, fill, ...place }));
    else if (!isEmpty) pieces.push(svg('text', place, letter));
    if (isNew) marks.push(svg('polygon', { class: 'last', points, ...place }));
  }));
  const [wide, high] = [10 * rows[0].length + right * (rows.length - 1), below * (rows.length - 1) + 2 * half];
  const picture = svg('svg', { class: 'cells', role: keys ? 'group' : 'img', 'aria-label': 'Board', viewBox: `-6 ${-half - 1} ${wide + 2} ${high + 2}` },
    ...cells, ...pieces, ...marks);
  picture.style.cssText = `--columns: ${wide / 10}; --rows: ${high / 10}`;
  if (keys) listen(picture, play, cells.find(({ dataset }) => dataset.at === home) ?? cells.find(({ dataset }) => keys.has(dataset.at)) ?? cells[0]);
  return picture;
}

// The Tab key stops at one cell of the picture, and the arrow keys go to its neighbors.
function listen(picture, play, home) {
  home.setAttribute('tabindex', 0);
  const go = (key) => {
    const cell = picture.querySelector(`[data-at="${key}"]`);
    if (!cell) return;
    picture.querySelector('[tabindex="0"]').setAttribute('tabindex', -1);
    cell.setAttribute('tabindex', 0);
    cell.focus();
  };
  picture.addEventListener('click', ({ target }) => {
    go(target.dataset.at);
    play(target.dataset.at);
  });
  picture.addEventListener('keydown', (event) => {
    const [arrow, { at }] = [ARROWS[event.key], event.target.dataset];
    if (event.ctrlKey || event.altKey || event.metaKey || !(arrow || event.key === 'Enter' || event.key === ' ')) return;
    event.preventDefault();
    if (arrow) go(at.split(',').map((number, axis) => Number(number) + arrow[axis]).join());
    // A key that is held repeats itself, and would play one move after another.
    else if (!event.repeat) play(at);
  });
}

// The cell of a move, such as "3,4", or null.
export function cellOf(move, board) {
  const place = [move?.[board?.row], move?.[board?.column]];
  return place.every(Number.isInteger) ? place.join() : null;
}

// A move in words, such as "row 3, column 4"; one with inner objects or lists as JSON. People count cells from 1.
export function moveWords(move, board) {
  const fields = move?.constructor === Object ? Object.entries(move) : [];
  if (fields.length === 0 || fields.some(([, value]) => typeof value === 'object')) return JSON.stringify(move ?? null);
  const isOfCell = (name) => cellOf(move, board) !== null && [board.row, board.column].includes(name);
  return fields.map(([name, value]) => (value === true ? name : `${name} ${isOfCell(name) ? value + 1 : value}`)).join(', ');
}

// The result in sentences. `you` is the seat of the reader, if there is one.
export function resultWords({ bots, result: { ranks, scores, faults } }, you) {
  const seats = [...bots.keys()];
  const name = (seat) => (seat === you ? 'You' : bots[seat]);
  const says = (seat, own, other) => `${name(seat)} ${seat === you ? own : other}`;
  const points = (seat) => signed(count(scores[seat], 'point'));
  const outs = seats.filter((seat) => faults[seat]).map((seat) => `${says(seat, 'are', 'is')} out by ${faults[seat].kind}.`);
  if (outs.length === bots.length && bots.length > 1) return 'Every seat is out.';
  if (bots.length === 1) return outs[0] ?? `${says(0, 'have', 'has')} ${points(0)}.`;
  const best = seats.filter((seat) => ranks[seat] === 1).sort((one, other) => (other === you) - (one === you));
  const by = bots.length === 2 && best.length === 1 ? `${signed(scores[best[0]])} : ${signed(scores[1 - best[0]])}` : `with ${points(best[0])}`;
  const first = best.length > 1 ? `${best.map(name).join(' and ')} share the first place` : says(best[0], 'win', 'wins');
  return [`${first} ${by}.`, ...(bots.length === 2 ? outs : [])].join(' ');
}

// A table of the seats by rank.
export function resultTable({ bots, result: { ranks, scores, faults } }, you) {
  const row = (seat) => html('tr', {}, html('td', {}, `${ranks[seat]}.`), html('th', { scope: 'row' }, dot(seat), botLink(bots[seat]), seat === you ? ' (you)' : ''),
    html('td', {}, signed(scores[seat])), html('td', { class: 'bad' }, faults[seat]?.kind ?? ''));
  const head = ['Rank', 'Bot', 'Points', 'Out by'].map((name) => html('th', { scope: 'col' }, name));
  const seats = [...bots.keys()].sort((one, other) => ranks[one] - ranks[other] || scores[other] - scores[one]);
  return html('table', {}, html('thead', {}, html('tr', {}, ...head)), html('tbody', {}, ...seats.map(row)));
}
