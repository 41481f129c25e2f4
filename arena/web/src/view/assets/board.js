// Boards of nine by nine cells with patches on them, and single shapes.

import { count, svg } from './dom.js';

export const SIDE = 9;
// The size of a cell in the drawing, and of the margin with the numbers of rows and columns.
export const UNIT = 10;
const MARGIN = 4.5;

// A board that shows the pieces placed up to a given frame.
export class Board {
  #patches = [];
  #laid;
  #best;
  #mark;

  constructor(seat) {
    this.#laid = svg('g');
    this.#best = svg('path', { class: 'best' });
    this.#mark = svg('g', { class: 'scored' });
    const size = SIDE * UNIT + 2 * MARGIN;
    this.node = svg('svg', {
      class: 'board', role: 'img', 'data-seat': seat, viewBox: `${-MARGIN} ${-MARGIN} ${size} ${size}`,
    }, ground(), this.#laid, this.#best, this.#mark);
  }

  // Places a piece in this frame. `fabric` has the CSS classes for its look.
  lay(piece, fabric, frame) {
    const cells = piece.cells.map((cell) => [Math.floor(cell / SIDE), cell % SIDE]);
    const group = patch(cells, fabric);
    group.dataset.patch = this.#patches.length;
    group.dataset.frame = frame;
    if (piece.card) group.dataset.card = piece.card;
    this.#patches.push({ group, frame, cells });
    this.#laid.append(group);
  }

  // Shows the board after a frame and marks the pieces placed in it.
  show(frame) {
    for (const { group, frame: laid } of this.#patches) {
      group.classList.toggle('absent', laid > frame);
      group.classList.toggle('fresh', laid === frame);
    }
  }

  // Outlines the rectangle that scored, if there is one, or else with a thin line the best one of now.
  outline(scored, best) {
    this.#mark.replaceChildren();
    if (!scored && !best) return;
    const { row, col, height, width, points } = scored ?? best;
    const place = { x: col * UNIT, y: row * UNIT, width: width * UNIT, height: height * UNIT, rx: 1.5 };
    const [x, y] = [(col + width) * UNIT - 3, row * UNIT + 3];
    if (!scored) return this.#mark.append(svg('rect', { ...place, class: 'growing' }));
    return this.#mark.append(
      svg('rect', { ...place, class: 'halo' }),
      svg('rect', { ...place, class: 'line' }),
      svg('circle', { cx: x, cy: y, r: 5.2, class: 'disc' }),
      svg('text', { x, y, class: 'points' }, String(points)));
  }

  // Outlines the cells of the best move, if there are some.
  outlineBest(cells) {
    this.#best.setAttribute('d', cells?.length ? path(loops(cells), 0.8, 1.2) : '');
  }

  // Describes the board in words, with the empty cells after a frame.
  describe(name, frame) {
    const covered = new Set(this.#patches.filter(({ frame: laid }) => laid <= frame).flatMap(({ cells }) => cells.map(([row, col]) => row * SIDE + col)));
    const all = Array.from({ length: SIDE }, (_, number) => number);
    const rows = all.map((row) => [row, all.filter((col) => !covered.has(row * SIDE + col))]).filter(([, empty]) => empty.length > 0);
    const whole = rows.filter(([, empty]) => empty.length === SIDE).map(([row]) => row);
    const parts = rows.filter(([, empty]) => empty.length < SIDE).map(([row, empty]) => `row ${row + 1}: ${ranges(empty)}`);
    const words = [...(whole.length > 0 ? [`all of row ${ranges(whole)}`] : []), ...parts].join('; ');
    this.node.setAttribute('aria-label', `Board of ${name}: ${count(covered.size, 'cell')} covered, ${SIDE * SIDE - covered.size} empty${words ? `, in ${words}` : ''}`);
  }
}

// Numbers from 0 as ranges that people count from 1, such as "1 to 3, 7".
function ranges(numbers) {
  const runs = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run && number === run[1] + 1) run[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([first, last]) => (first === last ? `${first + 1}` : `${first + 1} to ${last + 1}`)).join(', ');
}

// A shape in words: the columns that it covers in each of its rows.
export function shapeWords(rows) {
  const cells = cellsOf(rows);
  const height = Math.max(...cells.map(([row]) => row)) + 1;
  const words = Array.from({ length: height }, (_, row) => ranges(cells.filter((cell) => cell[0] === row).map(([, col]) => col)));
  return `${count(cells.length, 'cell')}, ${words.map((columns, row) => `row ${row + 1}: ${columns}`).join('; ')}`;
}

// The empty cells: cloth with a basting thread between them.
function ground() {
  const lines = [];
  for (let line = 1; line < SIDE; line += 1) {
    lines.push(`M0 ${line * UNIT}H${SIDE * UNIT}M${line * UNIT} 0V${SIDE * UNIT}`);
  }
  const whole = { x: 0, y: 0, width: SIDE * UNIT, height: SIDE * UNIT };
  return svg('g', { class: 'ground' },
    svg('rect', { x: -MARGIN, y: -MARGIN, width: whole.width + 2 * MARGIN, height: whole.height + 2 * MARGIN, rx: 3, class: 'binding' }),
    svg('rect', { ...whole, rx: 1, class: 'cloth' }),
    svg('path', { d: lines.join(''), class: 'basting' }),
    ...coordinates());
}

// The numbers of the columns and rows, from 1.
function coordinates() {
  const numbers = Array.from({ length: SIDE }, (_, number) => number);
  const along = numbers.map((number) => (number + 0.5) * UNIT).join(' ');
  const aside = numbers.map(() => -MARGIN / 2).join(' ');
  const text = numbers.map((number) => number + 1).join('');
  return [{ x: along, y: -MARGIN / 2 }, { x: aside, y: along }].map((place) =>
    svg('text', { ...place, class: 'coordinate', 'aria-hidden': 'true' }, text));
}

// A patch of cells, each given as row and column.
export function patch(cells, fabric) {
  const edge = loops(cells);
  return svg('g', { class: `patch ${fabric}` },
    svg('path', { d: path(edge, 0.25, 1.6), class: 'cloth' }),
    svg('path', { d: path(edge, 0.25, 1.6), class: 'weave' }),
    svg('path', { d: path(edge, 1.5, 0.8), class: 'seam' }));
}

// The shape of a card as an SVG element. The rows consist of X and other letters.
export function shape(rows, fabric, attributes = {}) {
  const cells = cellsOf(rows);
  const [height, width] = [0, 1].map((axis) => Math.max(...cells.map((cell) => cell[axis])) + 1);
  const box = `-1 -1 ${width * UNIT + 2} ${height * UNIT + 2}`;
  return svg('svg', { class: 'shape', viewBox: box, width: width * UNIT + 2, height: height * UNIT + 2, ...attributes },
    patch(cells, fabric));
}

// The shape of a card as part of another drawing, centred on a point, in a square of this size.
export function shapeAt(rows, fabric, x, y, size) {
  const cells = cellsOf(rows);
  const [height, width] = [0, 1].map((axis) => Math.max(...cells.map((cell) => cell[axis])) + 1);
  const scale = Math.min(size / (Math.max(height, width) * UNIT), 1.1);
  const [left, top] = [x - (width * UNIT * scale) / 2, y - (height * UNIT * scale) / 2];
  const drawn = patch(cells, fabric);
  drawn.setAttribute('transform', `translate(${left} ${top}) scale(${scale})`);
  return drawn;
}

export function cellsOf(rows) {
  const cells = rows.flatMap((row, down) => [...row].map((letter, right) => (letter === 'X' ? [down, right] : null)));
  const marked = cells.filter(Boolean);
  const [top, left] = [0, 1].map((axis) => Math.min(...marked.map((cell) => cell[axis])));
  return marked.map(([row, col]) => [row - top, col - left]);
}

// The edge of a set of cells as closed loops of corners. The cells are always to the right.
function loops(cells) {
  const has = new Set(cells.map(String));
  const from = new Map(); // corner -> the steps that leave it
  const step = (row, col, down, right) => {
    const key = String([row, col]);
    from.set(key, [...(from.get(key) ?? []), [down, right]]);
  };
  for (const [row, col] of cells) {
    if (!has.has(String([row - 1, col]))) step(row, col, 0, 1);
    if (!has.has(String([row, col + 1]))) step(row, col + 1, 1, 0);
    if (!has.has(String([row + 1, col]))) step(row + 1, col + 1, 0, -1);
    if (!has.has(String([row, col - 1]))) step(row + 1, col, -1, 0);
  }
  const found = [];
  for (const key of from.keys()) {
    while (from.get(key).length > 0) found.push(loop(from, key.split(',').map(Number)));
  }
  return found;
}

function loop(from, start) {
  const corners = [];
  let [place, way] = [start, null];
  do {
    const steps = from.get(String(place));
    // If two cells touch only at a corner, the right turn stays at the same cell.
    const turn = way ? steps.findIndex(([down, right]) => down === way[1] && right === -way[0]) : 0;
    const [next] = steps.splice(Math.max(turn, 0), 1);
    if (!way || String(next) !== String(way)) corners.push({ place, next });
    [place, way] = [[place[0] + next[0], place[1] + next[1]], next];
  } while (String(place) !== String(start));
  if (String(corners[0].next) === String(way)) corners.shift(); // the walk began in the middle of a side
  return corners;
}

// The loops as a path with round corners, inside the edge by `inset`.
function path(edge, inset, radius) {
  return edge.map((corners) => {
    const count = corners.length;
    const points = corners.map(({ place, next }, number) => {
      const last = corners[(number + count - 1) % count].next;
      // The inside is to the right: for a step (down, right), this is the direction (right, -down).
      return [place[1] * UNIT - inset * (last[0] + next[0]), place[0] * UNIT + inset * (last[1] + next[1])];
    });
    const rounded = points.map((point, number) => {
      const [before, after] = [points[(number + count - 1) % count], points[(number + 1) % count]];
      const [enter, leave] = [toward(point, before, radius), toward(point, after, radius)];
      return `${number ? 'L' : 'M'}${enter}Q${numbers(point)} ${leave}`;
    });
    return `${rounded.join('')}Z`;
  }).join('');
}

function toward([x, y], [toX, toY], length) {
  const distance = Math.hypot(toX - x, toY - y);
  const share = Math.min(length / distance, 0.5);
  return numbers([x + (toX - x) * share, y + (toY - y) * share]);
}

function numbers(point) {
  return point.map((value) => Number(value.toFixed(2))).join(' ');
}
