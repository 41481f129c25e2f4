// Goofspiel for two or three seats: each has a hand that only it sees, and all play a card at once for the prize on top.
// The highest card wins the prize; if several are highest, nobody does.
const readline = require('readline');

const CARDS = 6;

// A small generator of random numbers, so that a seed always deals the same.
function random(seed) {
  let state = BigInt(seed);
  return (below) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number((state >> 33n) % BigInt(below));
  };
}

function shuffled(cards, below) {
  const all = [...cards];
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = below(at + 1);
    [all[at], all[other]] = [all[other], all[at]];
  }
  return all;
}

// What the seats see that still have to play. The hands and the cards played in this round are hidden.
function observations({ hands, prizes, played, points, out }) {
  if (prizes.length === 0 || out.every((is_out) => is_out)) return hands.map(() => null);
  return hands.map((hand, seat) => (out[seat] || played[seat] !== null ? null
    : { hand, prize: prizes[0], left: prizes.length, points, legal: hand.map((card) => ({ card })) }));
}

// Ends the round once all have played.
function settled(state) {
  const isIn = (seat) => !state.out[seat];
  const seats = state.hands.map((_, seat) => seat).filter(isIn);
  if (seats.length === 0 || seats.some((seat) => state.played[seat] === null)) return state;
  const highest = Math.max(...seats.map((seat) => state.played[seat]));
  const winners = seats.filter((seat) => state.played[seat] === highest);
  const points = state.points.map((sum, seat) => sum + (winners.length === 1 && winners[0] === seat ? state.prizes[0] : 0));
  return { ...state, points, prizes: state.prizes.slice(1), played: state.played.map(() => null) };
}

const answers = {
  describe: () => ({ name: 'goofspiel', version: '1.0', seats: [2, 3], simultaneous: true, supports: ['legal', 'withdraw'] }),
  deal: ({ seats, seed }) => {
    const below = random(seed);
    const cards = Array.from({ length: 3 * CARDS }, (_, card) => card + 1);
    const dealt = shuffled(cards, below);
    const hands = Array.from({ length: seats }, (_, seat) => dealt.slice(seat * CARDS, (seat + 1) * CARDS).sort((a, b) => a - b));
    const prizes = shuffled(Array.from({ length: CARDS }, (_, prize) => prize + 1), below);
    return { state: { hands, prizes, played: hands.map(() => null), points: hands.map(() => 0), out: hands.map(() => false) } };
  },
  observe: ({ state }) => ({ observations: observations(state) }),
  play: ({ state, seat, move }) => {
    if (!state.hands[seat].includes(move.card)) return { refused: `your hand is ${state.hands[seat].join(', ')}` };
    const hands = state.hands.map((hand, at) => (at === seat ? hand.filter((card) => card !== move.card) : hand));
    const played = state.played.map((card, at) => (at === seat ? move.card : card));
    const after = settled({ ...state, hands, played });
    return { state: after, observations: observations(after) };
  },
  withdraw: ({ state, seat }) => {
    const after = settled({ ...state, out: state.out.map((is_out, at) => is_out || at === seat) });
    return { state: after, observations: observations(after) };
  },
  result: ({ state }) => ({ scores: state.points }),
  legal: ({ state, seat }) => ({ moves: state.hands[seat].map((card) => ({ card })) }),
};

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const question = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(answers[question.type](question))}\n`);
});
