// What a match tells: its result in words, the points that each move won, and the turns worth a look.

import { count, duration, signed } from './dom.js';

// By how much a seat is ahead of the best other one. A seat that plays alone is ahead by its score.
export function lead(scores, seat) {
  const others = scores.filter((_, other) => other !== seat);
  return scores[seat] - (others.length > 0 ? Math.max(...others) : 0);
}

// The points by which a move changed the figure of its game. A rectangle that was just scored counts for the next round
// with its first turn, which is not the merit of that turn.
export function swing({ frames }, number, seat, { figure }) {
  const before = frames[number - 1]?.seats.map(({ score, scored }) => score + (scored?.points ?? 0));
  return before ? figure.of(frames[number].seats.map(({ score }) => score), seat) - figure.of(before, seat) : 0;
}

// The lead of a table of two after a frame, in words.
export function leadWords({ bots, frames }, number) {
  const where = number === 0 ? 'At the start' : `After turn ${frames[number].id + 1}`;
  const out = frames[number].seats.findIndex((seat) => seat.out);
  if (out >= 0) return `${where}, ${bots[out]} is out.`;
  const ahead = lead(frames[number].seats.map(({ score }) => score), 0);
  return `${where}, ${ahead === 0 ? 'both have the same score' : `${bots[ahead > 0 ? 0 : 1]} leads by ${Math.abs(ahead)}`}.`;
}

// The title of a match.
export function titled({ title }, bots) {
  return `${title}: ${bots.length > 3 ? `${bots.length} seats` : bots.join(' against ')}`;
}

// What a seat did in a frame, in words: its move, or its fault.
export function did({ seat, ...entry }, number, view, game) {
  if (entry.fault) return entry.fault.kind;
  const frame = view.frames[number];
  return game.tell(entry, frame.seats[seat], (view.frames[number - 1] ?? frame).seats[seat], view);
}

// True for a frame whose moves were given, before the bots took over.
export function isGiven({ given }, { id }) {
  return id < given;
}

// True for the last frame of a finished match.
export function isOver({ result, frames }, number) {
  return Boolean(result) && number === frames.length - 1;
}

// The seats in the order of their places at a frame: by rank at the end, else by score.
export function order(view, number) {
  const { bots, result, frames } = view;
  const isEnd = isOver(view, number);
  const { seats } = frames[number];
  const key = (seat) => (isEnd ? [result.ranks[seat], -seats[seat].score] : [Number(seats[seat].out ?? false), -seats[seat].score]);
  return bots.map((_, seat) => seat).sort((one, other) => key(one)[0] - key(other)[0] || key(one)[1] - key(other)[1]);
}

// The result of a finished match in one or two sentences.
export function told(view, game) {
  const { bots, result, frames, given } = view;
  const last = frames.length - 1;
  const [first, second] = order(view, last);
  const points = (seat) => signed(result.scores[seat]);
  const out = (seat) => Boolean(result.faults[seat]);
  const isShared = second !== undefined && result.ranks[second] === 1;
  const sum = `${game.sum(frames[last].seats[first], view)}`;
  if (bots.every((_, seat) => out(seat))) return bots.length > 1 ? 'Every bot failed.' : `${bots[0]} failed.`;
  if (bots.length === 1) return `${bots[0]} scores ${points(0)} = ${sum}.`;
  if (isShared) {
    const names = bots.filter((_, seat) => result.ranks[seat] === 1 && !out(seat));
    return `${names.join(' and ')} share the first place with ${points(first)} points.`;
  }
  const fault = bots.length === 2 && result.faults[second];
  const by = bots.length === 2 ? `${points(first)} : ${points(second)}` : `with ${points(first)} points, ${bots[second]} has ${points(second)}`;
  if (fault) return `${bots[first]} wins ${by}, because ${bots[second]} is out by ${fault.kind}.`;
  const from = frames.findLastIndex(({ seats }) => lead(seats.map(({ score }) => score), first) <= 0) + 1;
  const since = from > last ? '' : given && from <= given ? ' It led from the given position on.' : from <= 1 ? ' It led all the way.' : ` It led for good from ${game.place(frames[from])}.`;
  return `${bots[first]} wins ${by}. Its points: ${sum}.${since}`;
}

// The turns worth a look, in order: faults, what the game knows, the largest swing, and the longest thought. Each has
// its frame and words. Given moves are not among them.
export function events(view, game) {
  const { bots, frames } = view;
  const found = frames.flatMap((frame, number) => (isGiven(view, frame) ? [] : [
    ...game.events(frame, frames[number - 1], bots).map((words) => ({ number, words })),
    ...frame.entries.filter(({ fault }) => fault).map(({ seat, fault }) => ({ number, words: `${bots[seat]}: ${fault.kind}`, isBad: true }))]));
  const moves = frames.flatMap((frame, number) => frame.entries.filter(({ act }) => act && !isGiven(view, frame)).map(({ seat, us }) => ({ number, seat, us: us ?? 0, swing: swing(view, number, seat, game) })));
  const most = (value) => moves.reduce((best, move) => (best && value(best) >= value(move) ? best : move), null);
  const [turned, slow] = [most((move) => Math.abs(move.swing)), most(({ us }) => us)];
  if (turned && turned.swing !== 0 && bots.length > 1) found.push({ number: turned.number, words: `largest swing: ${bots[turned.seat]} ${plus(turned.swing)}` });
  if (slow && slow.us > 0) found.push({ number: slow.number, words: `longest thought: ${bots[slow.seat]} ${duration(slow.us)}` });
  return found.sort((one, other) => one.number - other.number);
}

// The links to these events, each with its turn. Events with the same words share a link to the first of them.
export function jumps({ frames }, found) {
  return [...Map.groupBy(found, ({ words }) => words).values()].map((same) => {
    const [first] = same;
    const times = same.length > 1 ? ` ${same.length} times, first` : '';
    return { ...first, words: `${first.words}${times} ${when(frames[first.number])}` };
  });
}

// The moves that lost points, if the match was analyzed, each with the number of its frame.
export function costly({ frames }) {
  return frames.flatMap(({ entries }, number) => entries.filter(({ analysis }) => analysis?.named).map((entry) => ({ number, ...entry })));
}

// The points that each seat lost, in words.
export function lostWords(view) {
  const lost = costly(view);
  return view.bots.map((bot, seat) => {
    const own = lost.filter((entry) => entry.seat === seat);
    return `${bot} lost ${own.reduce((sum, { analysis }) => sum + analysis.loss, 0).toFixed(1)} points in ${count(own.length, 'move')}`;
  }).join(', ');
}

// A number with its sign.
export function plus(number) {
  return number > 0 ? `+${number}` : signed(number);
}

// The turn of a frame, in words.
export function when({ id }) {
  return id === undefined ? 'at the start' : `in turn ${id + 1}`;
}
