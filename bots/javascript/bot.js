// A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
"use strict";

/** The moves that are looked at. All are legal; protocol.md tells of more. */
function* moves(start, state) {
  const me = state.players[start.seat];
  if (start.game === "doodle") {
    for (const card of state.offer)
      for (const cells of placements(start.byId.get(card).cells, me.board)) yield { card, cells };
    if (state.phase !== "start") yield { pass: true };
  } else if (state.phase === "leather") {
    for (const [leather] of placements(["X"], me.board)) yield { leather };
  } else {
    for (const buy of state.circle.slice(0, 3))
      if (start.byId.get(buy).buttons <= me.buttons)
        for (const cells of placements(start.byId.get(buy).cells, me.board)) yield { buy, cells };
    yield { advance: true };
  }
}

/** How good a move is; the first of the best is played. */
function value(start, state, move) {
  const me = state.players[start.seat];
  if (move.pass) return -1;
  if (move.advance) return 0;
  const touching = contact(me.board, move.cells ?? [move.leather]);
  if (!move.buy) return touching;
  const patch = start.byId.get(move.buy);
  const payments = start.track.income.filter((space) => space > me.space).length;
  const worth = 2 * move.cells.length + payments * patch.income - patch.buttons - patch.time;
  return 100 * worth + touching;
}

/** How many sides of the cells touch the edge or a covered cell. */
function contact(board, cells) {
  const around = cells.flatMap(([r, c]) => [[r - 1, c], [r, c - 1], [r, c + 1], [r + 1, c]]);
  return around.filter(([r, c]) => board[r]?.[c] !== ".").length; // beyond the edge it is undefined
}

/** The distinct rotations and flips of a shape, each moved to the top left corner. */
function orientations(shape) {
  const all = shape.flatMap((row, r) => [...row].map((_, c) => [r, c]));
  const cells = all.filter(([r, c]) => shape[r][c] === "X");
  const found = new Set();
  for (let turned of [cells, cells.map(([r, c]) => [r, -c])])
    for (let quarter = 0; quarter < 4; quarter++) {
      turned = turned.map(([r, c]) => [c, -r]);
      const top = Math.min(...turned.map(([r]) => r));
      const left = Math.min(...turned.map(([, c]) => c));
      const moved = turned.map(([r, c]) => [r - top, c - left]);
      found.add(JSON.stringify(moved.sort(([r, c], [s, d]) => r - s || c - d)));
    }
  return [...found].sort().map((text) => JSON.parse(text)); // single digits sort as text
}

/** Every way to lay the shape on empty cells. */
function* placements(shape, board) {
  for (const cells of orientations(shape)) {
    const lowest = Math.max(...cells.map(([r]) => r));
    const rightmost = Math.max(...cells.map(([, c]) => c));
    for (let top = 0; top + lowest < 9; top++)
      for (let left = 0; left + rightmost < 9; left++) {
        const spot = cells.map(([r, c]) => [r + top, c + left]);
        if (spot.every(([r, c]) => board[r][c] === ".")) yield spot;
      }
  }
}

function decide(start, state) {
  let best, most = -Infinity;
  for (const move of moves(start, state)) {
    const worth = value(start, state, move);
    if (worth > most) [best, most] = [move, worth];
  }
  return best;
}

/** The start message with all its cards or patches by their ids. */
function prepare(start) {
  const cards = start.cards ? [...start.cards.starts, ...start.cards.patches] : start.patches;
  return { ...start, byId: new Map(cards.map((card) => [card.id, card])) };
}

/** The lines of stdin. The module readline also ends lines at other characters than the newline. */
async function* lines() {
  let rest = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop();
    yield* parts;
  }
}

// Chance that the seed repeats (multiply-with-carry), and time: uncomment what you use, here and below.
//const random = (n) => () => ((n = 2095533 * (n >>> 0) + Math.floor(n / 2 ** 32)) >>> 0) / 2 ** 32;

async function run(name) {
  let start;
  for await (const line of lines()) {
    const message = JSON.parse(line);
    if (message.type === "hello") {
      console.log(JSON.stringify({ type: "hello", protocol: 1, name }));
    } else if (message.type === "start") {
      start = prepare(message);
      //start.chance = random(start.seed || 1); // start.chance() is below 1; a seed 0 would give only 0
      console.log(JSON.stringify({ type: "ready" }));
    } else if (message.type === "turn") {
      //const { time_ms: ms } = message, { match_ms = null, increment_ms = 0 } = start.limits;
      //start.budgetMs = Math.floor(Math.min((ms * 9) / 10, match_ms === null ? ms : ms / 20 + increment_ms));
      const answer = { type: "move", id: message.id, move: decide(start, message.state) };
      //answer.data = { seed: start.seed, budget_ms: start.budgetMs, chance: start.chance() };
      console.log(JSON.stringify(answer));
    } else if (message.type === "quit") {
      break;
    } // "fault" and "end" want no answer
  }
}

run("javascript");
