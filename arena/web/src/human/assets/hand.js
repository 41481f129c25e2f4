// The piece that the player holds over a board: a shape with an orientation and a position. The engine has
// listed the legal positions; this module only looks them up.

import { svg } from './dom.js';
import { SIDE, UNIT, cellsOf, patch } from './board.js';

const QUARTERS = 4;

// A piece this near to a place where it fits, in cells, goes there.
const SNAP = 0.8;
// The orientation that each piece had last, by card and piece.
const kept = new Map();

function keyOf({ card, piece }) {
  return `${card ?? ''} ${piece}`;
}

export class Hand {
  #board;
  #layer = svg('g', { class: 'hand' });
  #below = svg('g', { class: 'pending' });
  #outlined = svg('g', { class: 'hint' });
  #fabric = '';
  #turned = 0;
  choice = null;
  row = 0;
  col = 0;

  // Draws over a board. Placed pieces that are not confirmed are drawn below the held piece.
  constructor(board) {
    this.#board = board;
    board.append(this.#below, this.#outlined, this.#layer);
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

  // The shape of the piece as it is turned, as rows of text.
  get shape() {
    return this.#turning.shape;
  }

  // The orientation, for `take` to restore.
  get turned() {
    return this.#turned;
  }

  // Takes a choice in hand as it was held last, at this place or else at the legal position nearest to the middle of the board.
  take(choice, fabric, place) {
    [this.choice, this.#fabric, this.#turned] = [choice, fabric, place?.turned ?? kept.get(keyOf(choice)) ?? 0];
    if (place) return this.to(place.row, place.col);
    const [height, width] = this.#size;
    const middle = [(SIDE - height) / 2, (SIDE - width) / 2];
    const away = (anchor) => Math.hypot(Math.floor(anchor / SIDE) - middle[0], (anchor % SIDE) - middle[1]);
    const best = [...this.#turning.anchors].sort((one, other) => away(one) - away(other) || one - other)[0];
    if (best === undefined) return this.to(...middle.map(Math.floor));
    return this.to(Math.floor(best / SIDE), best % SIDE);
  }

  drop() {
    this.choice = null;
    this.#draw();
  }

  get #rotated() {
    return (Math.floor(this.#turned / QUARTERS) * QUARTERS) + ((this.#turned + 1) % QUARTERS);
  }

  rotate() {
    this.#turn(this.#rotated);
  }

  // The mirror image of a shape turned clockwise is its mirror image turned counterclockwise.
  get #flipped() {
    const side = Math.floor(this.#turned / QUARTERS);
    return (1 - side) * QUARTERS + ((QUARTERS - (this.#turned % QUARTERS)) % QUARTERS);
  }

  // Mirrors the piece as it appears.
  flip() {
    this.#turn(this.#flipped);
  }

  #turn(turned) {
    this.#turned = turned;
    kept.set(keyOf(this.choice), turned);
    this.to(this.row, this.col);
  }

  move(down, right) {
    this.to(this.row + down, this.col + right);
  }

  // All legal positions, each as its orientation and its anchor. Orientations that look alike count once.
  get #places() {
    const looks = this.choice.turnings.map(({ shape }) => String(shape));
    return this.choice.turnings.flatMap(({ anchors }, turned) => (looks.indexOf(looks[turned]) === turned ? anchors.map((anchor) => [turned, anchor]) : []));
  }

  // True if the piece has a legal position in some orientation.
  get fitsSomewhere() {
    return this.choice.turnings.some(({ anchors }) => anchors.length > 0);
  }

  // True if the piece has a legal position as it is turned.
  get fitsAsTurned() {
    return this.#turning.anchors.length > 0;
  }

  // The step, `rotate` or `flip`, that makes the piece fit here, perhaps when it is repeated. Null if neither does.
  get remedy() {
    const now = [this.#turned, this.row, this.col];
    const makesFit = (next, times) => {
      const isFit = Array.from({ length: times }).some(() => {
        this.#turned = next();
        [this.row, this.col] = this.#within(this.row, this.col);
        return this.fits;
      });
      [this.#turned, this.row, this.col] = now;
      return isFit;
    };
    return makesFit(() => this.#rotated, QUARTERS - 1) ? 'rotate' : makesFit(() => this.#flipped, 1) ? 'flip' : null;
  }

  // Moves to the next legal position, in this orientation first.
  seek() {
    const here = this.row * SIDE + this.col;
    const places = this.#places;
    const now = this.choice.turnings.findIndex(({ shape }) => String(shape) === String(this.shape));
    const next = places.find(([turned, anchor]) => turned > now || (turned === now && anchor > here)) ?? places[0];
    if (!next) return;
    this.#turn(next[0]);
    this.to(Math.floor(next[1] / SIDE), next[1] % SIDE);
  }

  // Moves the upper left corner to this cell, or as near as the board allows.
  to(row, col) {
    [this.row, this.col] = this.#within(row, col);
    this.#draw();
  }

  // The cell nearest to this one at which the piece is on the board.
  #within(row, col) {
    return [row, col].map((value, axis) => Math.max(0, Math.min(value, SIDE - this.#size[axis])));
  }

  // The point of the board at a pointer, in cells; `null` outside.
  at({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.#board.getScreenCTM().inverse());
    const point = [y / UNIT, x / UNIT];
    return point.every((value) => value >= 0 && value < SIDE) ? point : null;
  }

  // Moves the middle of the piece to a pointer, or to a legal position beside it. Returns false if the pointer is outside
  // the board.
  follow(event) {
    const point = this.at(event);
    if (!point) return false;
    const [height, width] = this.#size;
    const [row, col] = [point[0] - height / 2, point[1] - width / 2];
    const away = (anchor) => Math.hypot(Math.floor(anchor / SIDE) - row, (anchor % SIDE) - col);
    const near = this.#turning.anchors.reduce((best, one) => (best === null || away(one) < away(best) ? one : best), null);
    if (near !== null && away(near) <= SNAP) this.to(Math.floor(near / SIDE), near % SIDE);
    else this.to(Math.round(row), Math.round(col));
    return true;
  }

  // True if the held piece covers the cell at a pointer.
  covers(event) {
    const point = this.at(event)?.map(Math.floor);
    return Boolean(point && this.choice) && this.cells.some(([row, col]) => row === point[0] && col === point[1]);
  }

  // Draws the placed pieces that are not confirmed: a list of cells with their fabric.
  lay(pieces) {
    this.#below.replaceChildren(...pieces.map(({ cells, fabric }) => patch(cells, fabric)));
  }

  // Outlines pieces that a hint would place.
  outline(pieces) {
    this.#outlined.replaceChildren(...pieces.map(({ cells }) => patch(cells, '')));
  }

  #draw() {
    if (!this.choice) {
      this.#layer.replaceChildren();
      return;
    }
    // A mark for each legal position, where the middle of the piece would be. The piece lies above them.
    const [height, width] = this.#size;
    const marks = this.#turning.anchors.map((anchor) => svg('circle', {
      class: 'place', r: 1.2, cx: ((anchor % SIDE) + width / 2) * UNIT, cy: (Math.floor(anchor / SIDE) + height / 2) * UNIT,
    }));
    const held = patch(this.cells, this.#fabric);
    held.classList.add('held', this.fits ? 'fits' : 'misfit');
    this.#layer.replaceChildren(...marks, held);
  }
}
