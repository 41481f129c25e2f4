// The tables of schedules that have their own: Swiss, knockout, ladder, and pairs to be decided.

import { html, refill, signed } from './dom.js';
import { NONE, fixed, framed, half, head } from './standings.js';

const OUTCOMES = {
  swiss: ({ table, rounds }) => [
    listed(['rank', 'bot', 'points', 'Buchholz', 'won-drawn-lost', 'byes', 'mean margin'], table, (row) =>
      [row.rank, row.bot, row.points, row.buchholz, `${row.won}-${row.drawn}-${row.lost}`, row.byes, fixed(row.mean_margin, 2)]),
    ...meetings(rounds)],
  knockout: ({ winner, rounds }) => [html('p', {}, winner === null ? 'Not decided yet' : `Won by ${winner}`), ...meetings(rounds)],
  ladder: (rows) => [listed(['rung', 'bot', 'passed', 'stopped by'], rows, (row) =>
    [row.rank, row.bot, row.passed, row.stopped_by ?? NONE])],
  until_decided: (pairs) => [listed(['deals', 'pair', 'mean margin', 'decided'], pairs, (pair) =>
    [pair.deals, `${pair.bot} against ${pair.against}`, `${fixed(pair.mean_margin, 2)} ${half(pair.margin_ci95, 2)}`, pair.decided ? 'yes' : 'not yet'])],
};

// Returns true if a schedule's own table decides the tournament, and not the rating.
export function decides({ outcome }) {
  return ['swiss', 'knockout', 'ladder'].some((name) => outcome?.[name]);
}

export class OutcomeTables {
  #frame = framed('Course of the schedule');
  node = html('section', { class: 'panel wide', 'aria-label': 'Schedule' }, html('h2', {}, 'Schedule'), this.#frame);

  show({ outcome }) {
    const kind = Object.keys(OUTCOMES).find((name) => outcome?.[name]);
    this.node.hidden = !kind;
    if (kind) refill(this.#frame, ...OUTCOMES[kind](outcome[kind]));
  }
}

function meetings(rounds) {
  return rounds.flatMap((ties, round) => [html('h3', {}, `Round ${round + 1}`),
    listed(['points', 'meeting', 'mean margin', 'winner'], ties, (tie) => [
      tie.points.join(' : '), tie.against === null ? `${tie.bot}: bye` : `${tie.bot} against ${tie.against}`,
      signed(tie.mean_margin.toFixed(2)), (tie.winner ?? NONE) + (tie.decided_by ? ` (${tie.decided_by})` : '')])]);
}

// A table whose second column names the row.
function listed(titles, rows, cells) {
  const cell = (text, column) => html(column === 1 ? 'th' : 'td', column === 1 ? { scope: 'row' } : {}, String(text));
  return html('table', {}, head(...titles.map((title, column) => [title, '', column === 1 ? 'words' : ''])),
    html('tbody', {}, ...rows.map((row) => html('tr', {}, ...cells(row).map(cell)))));
}
