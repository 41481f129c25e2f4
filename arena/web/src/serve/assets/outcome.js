// The tables of schedules that have their own: Swiss, knockout, ladder, and pairs to be decided.

import { html, refill, signed } from './dom.js';
import { NONE, fixed, framed, half, head, panel, table } from './standings.js';
import { botLink, pairLink } from './site.js';

// The most meetings that are drawn.
const ROWS_MAX = 100;

const OUTCOMES = {
  swiss: ({ table, rounds, now = [] }) => [swiss(table), meetings(roundsOf(rounds, now))],
  swiss_tables: ({ table, rounds, now = [] }) => [swiss(table), grouped(['points', 'table'], roundsOf(rounds, now), (places) =>
    [places.map(({ points }) => points.toFixed(2)).join(' : '), [...places.flatMap(({ bot }, place) => [place > 0 ? ', ' : '', botLink(bot)]), places.length === 1 ? ': bye' : '']])],
  knockout: ({ winner, rounds, now = [] }) => [
    html('p', {}, winner === null ? 'Not decided yet' : 'Won by ', winner === null ? null : botLink(winner)),
    bracket(now.length > 0 ? [...rounds.slice(0, -1), now] : rounds, now)],
  ladder: (rows) => [
    listed(['rung', 'bot', 'passed', 'stopped by'], rows, (row) =>
      [row.rank, botLink(row.bot), row.passed, row.stopped_by ? pairLink(row.bot, row.stopped_by, row.stopped_by) : NONE]),
    meetings(rows.filter((row) => row.climb.length > 0).map((row) => [`Climb of ${row.bot}`, row.climb]))],
  until_decided: (pairs) => [listed(['deals', 'pair', 'mean margin', 'decided'], pairs, (pair) =>
    [pair.deals, pairLink(pair.bot, pair.against, `${pair.bot} against ${pair.against}`), `${fixed(pair.mean_margin, 2)} ${half(pair.margin_ci95, 2)}`, pair.decided ? 'yes' : 'not yet'])],
};

// Returns true if a schedule's own table decides the tournament, and not the rating.
export function decides({ outcome }) {
  return ['swiss', 'swiss_tables', 'knockout', 'ladder'].some((name) => outcome?.[name]);
}

export class OutcomeTables {
  #frame = framed('Course of the schedule');
  node = panel('Schedule', this.#frame);

  show({ outcome }) {
    const kind = Object.keys(OUTCOMES).find((name) => outcome?.[name]);
    this.node.hidden = !kind;
    if (kind) refill(this.#frame, ...OUTCOMES[kind](outcome[kind]));
  }
}

function swiss(rows) {
  const byes = (cell) => (rows.some((row) => row.byes > 0) ? [cell] : []);
  return listed(['rank', 'bot', 'points', 'Buchholz', 'won-drawn-lost', ...byes('byes'), 'mean margin'], rows, (row) =>
    [row.rank, botLink(row.bot), rounded(row.points), rounded(row.buchholz), `${row.won}-${row.drawn}-${row.lost}`, ...byes(row.byes), fixed(row.mean_margin, 2)]);
}

function rounded(points) {
  return Math.round(100 * points) / 100;
}

// The rounds of a Swiss, each with its title.
function roundsOf(rounds, now) {
  return [...rounds, ...(now.length > 0 ? [now] : [])].map((round, number) => [`Round ${number + 1}${round === now ? ', so far' : ''}`, round]);
}

// One table of all meetings.
function meetings(groups) {
  const cells = (tie) => [
    tie.points.join(' : '), tie.against === null ? [botLink(tie.bot), ': bye'] : pairLink(tie.bot, tie.against, `${tie.bot} against ${tie.against}`),
    signed(tie.mean_margin.toFixed(2)), [tie.winner ? botLink(tie.winner) : NONE, tie.decided_by ? ` (${tie.decided_by})` : '']];
  return grouped(['points', 'meeting', 'mean margin', 'winner'], groups, cells);
}

// A table of rows in groups, each with a title: the last group, and those before it as far as the rows are not too many.
function grouped(titles, groups, cells) {
  let left = ROWS_MAX;
  const last = groups.toReversed().filter(([, rows], place) => (left -= rows.length) >= 0 || place === 0).reverse();
  const words = last.length < groups.length ? html('caption', {}, `${groups.length - last.length} of ${groups.length} parts are left out here; the file standings.json has all.`) : null;
  if (groups.length === 0) return null;
  return html('table', {}, words, head(...titlesOf(titles)), ...last.map(([title, rows]) =>
    html('tbody', {}, html('tr', {}, html('th', { scope: 'rowgroup', colspan: titles.length }, title)), ...rowsOf(rows, cells))));
}

// The rounds of a knockout side by side, with the ties that are still to come. Each round has half of the ties of the
// round before, and the winners of two neighbors meet.
function bracket(rounds, now) {
  const all = [...rounds];
  while (all.at(-1).length > 1) {
    const before = all.at(-1);
    const winner = (place) => before[place]?.winner ?? null;
    all.push(Array.from({ length: Math.ceil(before.length / 2) }, (_, place) => ({ bot: winner(2 * place), against: winner(2 * place + 1), isToCome: true })));
  }
  const name = (round) => ({ 1: 'Final', 2: 'Semifinals', 4: 'Quarterfinals' }[all[round].length] ?? `Round ${round + 1}`);
  return html('ol', { class: 'bracket' }, ...all.map((ties, round) => html('li', {}, html('h3', {}, name(round)),
    html('ol', {}, ...ties.map((tie) => boxOf(tie, ties === now && tie.winner === null))))));
}

function boxOf(tie, isRunning) {
  const side = (bot, points) => html('span', { class: bot !== null && bot === tie.winner ? 'side won' : 'side' },
    html('span', { class: 'bot', title: bot ?? '' }, bot ?? (tie.isToCome ? 'open' : 'bye')), html('span', {}, points === undefined ? '' : String(points)));
  const sides = [side(tie.bot, tie.points?.[0]), side(tie.against, tie.against === null ? undefined : tie.points?.[1])];
  const isLink = tie.bot !== null && tie.against !== null;
  return html('li', { class: tie.isToCome ? 'tie to-come' : 'tie' }, isLink ? pairLink(tie.bot, tie.against, ...sides) : html('span', {}, ...sides),
    tie.decided_by ? html('span', { class: 'quiet' }, `by ${tie.decided_by}`) : null, isRunning ? html('span', { class: 'quiet' }, 'so far') : null);
}

// A table whose second column names the row.
function listed(titles, rows, cells) {
  return table(titlesOf(titles), rowsOf(rows, cells));
}

function titlesOf(titles) {
  return titles.map((title, column) => [title, '', column === 1 ? 'words' : '']);
}

function rowsOf(rows, cells) {
  const cell = (parts, column) => html(column === 1 ? 'th' : 'td', column === 1 ? { scope: 'row' } : {}, ...[parts].flat());
  return rows.map((row) => html('tr', {}, ...cells(row).map(cell)));
}
