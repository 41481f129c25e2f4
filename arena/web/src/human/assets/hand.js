// The piece that the player holds over a board: a shape with an orientation and a position. The engine has
// listed the legal positions; this module only looks them up.

import { svg } from './dom.js';
import { MARGIN, SIDE, UNIT, cellsOf, patch } from './board.js';

const QUARTERS = 4;

export class Hand {
  #board;
  #layer = svg('g', { class: 'hand' });
  #below = svg('g', { class: 'pending' });
  #fabric = '';
  #turned = 0;
  choice = null;
  row = 0;
  col = 0;

  // Draws over a board. Placed pieces that are not confirmed are drawn below the held piece.
  constructor(board) {
    this.#board = board;
    board.append(this.#below, this.#layer);
  }

  get #turning() {
    return this.choice.turnings[this.#turned];
  }

  get #size() {
    const { shape } = this.#turning;
    return [shape.length, Math.max(...shape.map((row) => row.length))];
  }

  // The cells that the held piece covers at its position.
  get cells() {
    return cellsOf(this.#turning.shape).map(([row, col]) => [row + this.row, col + this.col]);
  }

  get fits() {
    return this.#turning.anchors.includes(this.row * SIDE + this.col);
  }

  // Takes a choice in hand, at the legal position nearest to the middle of the board.
  take(choice, fabric) {
    [this.choice, this.#fabric, this.#turned] = [choice, fabric, 0];
    const [height, width] = this.#size;
    const middle = [(SIDE - height) / 2, (SIDE - width) / 2];
    const away = (anchor) => Math.hypot(Math.floor(anchor / SIDE) - middle[0], (anchor % SIDE) - middle[1]);
    const best = [...this.#turning.anchors].sort((one, other) => away(one) - away(other) || one - other)[0];
    if (best === undefined) this.to(...middle.map(Math.floor));
    else this.to(Math.floor(best / SIDE), best % SIDE);
  }

  drop() {
    this.choice = null;
    this.#draw();
  }

  rotate() {
    this.#turn((Math.floor(this.#turned / QUARTERS) * QUARTERS) + ((this.#turned + 1) % QUARTERS));
  }

  // Mirrors the piece as it appears. The mirror image of a shape turned clockwise is its mirror image
  // turned counterclockwise.
  flip() {
    const side = Math.floor(this.#turned / QUARTERS);
    this.#turn((1 - side) * QUARTERS + ((QUARTERS - (this.#turned % QUARTERS)) % QUARTERS));
  }

  #turn(turned) {
    this.#turned = turned;
    this.to(this.row, this.col);
  }

  move(down, right) {
    this.to(this.row + down, this.col + right);
  }

  // Moves to the next legal position.
  seek() {
    const here = this.row * SIDE + this.col;
    const { anchors } = this.#turning;
    const next = anchors.find((anchor) => anchor > here) ?? anchors[0];
    if (next !== undefined) this.to(Math.floor(next / SIDE), next % SIDE);
  }

  // Moves the upper left corner to this cell, or as near as the board allows.
  to(row, col) {
    const [height, width] = this.#size;
    const within = (value, length) => Math.max(0, Math.min(value, SIDE - length));
    [this.row, this.col] = [within(row, height), within(col, width)];
    this.#draw();
  }

  // Moves the middle of the piece to a pointer. Returns false if the pointer is outside the board.
  follow({ clientX, clientY }) {
    const box = this.#board.getBoundingClientRect();
    const unit = box.width / (SIDE * UNIT + 2 * MARGIN);
    const [down, right] = [(clientY - box.top) / unit - MARGIN, (clientX - box.left) / unit - MARGIN].map((at) => at / UNIT);
    if (down < 0 || right < 0 || down >= SIDE || right >= SIDE) return false;
    const [height, width] = this.#size;
    this.to(Math.round(down - height / 2), Math.round(right - width / 2));
    return true;
  }

  // Draws the placed pieces that are not confirmed: a list of cells with their fabric.
  lay(pieces) {
    this.#below.replaceChildren(...pieces.map(({ cells, fabric }) => patch(cells, fabric)));
  }

  #draw() {
    if (!this.choice) {
      this.#layer.replaceChildren();
      return;
    }
    // A mark for each legal position, at the first cell that the piece would cover there.
    const [first] = cellsOf(this.#turning.shape);
    const marks = this.#turning.anchors.map((anchor) => svg('circle', {
      class: 'place', r: 1.4,
      cx: ((anchor % SIDE) + first[1] + 0.5) * UNIT, cy: (Math.floor(anchor / SIDE) + first[0] + 0.5) * UNIT,
    }));
    const held = patch(this.cells, this.#fabric);
    held.classList.add('held', this.fits ? 'fits' : 'misfit');
    this.#layer.replaceChildren(held, ...marks);
  }
}
