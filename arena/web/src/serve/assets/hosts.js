// The machines of a tournament with shards.

import { count, duration, html, refill } from './dom.js';
import { NONE, fixed, framed, table } from './standings.js';

const COLUMNS = [
  ['matches', ({ matches }) => matches],
  ['a minute', ({ per_minute: speed }) => fixed(speed, 1), 'matches that came in over the last five minutes, a minute'],
  ['cores', ({ cores }) => cores],
  ['late', ({ late_percent: late }) => `${late.toFixed(2)} %`, 'share of decisions in which the arena itself was late'],
  ['at most', ({ late_us_max: us }) => duration(us), 'the most that it was late'],
  ['time faults', ({ time_faults: faults }) => faults, 'bots that were not in time'],
  ['expected', ({ expected }) => expected.toFixed(1), 'if each bot failed there as often as everywhere'],
  ['residual', ({ residual }) => fixed(residual, 1), 'how far that is apart, in standard deviations; above 3 it stands out'],
];

export class HostTable {
  #frame = framed('Machines');
  #notes = html('div', {});
  node = html('section', { class: 'panel wide', 'aria-label': 'Machines', hidden: '' }, html('h2', {}, 'Machines'), this.#frame, this.#notes);

  show({ rows }) {
    this.node.hidden = rows.length === 0;
    if (this.node.hidden) return;
    const titles = COLUMNS.map(([title, , remark]) => [title, remark]);
    refill(this.#frame, table([['machine', '', 'words'], ['processor', '', 'words'], ...titles], rows.map(line)));
    refill(this.#notes, ...rows.filter(({ again }) => again).map(note));
  }
}

function line(row) {
  const cells = COLUMNS.map(([, words]) => html('td', {}, String(words(row))));
  return html('tr', row.stands_out ? { class: 'out' } : {}, html('th', { scope: 'row', class: 'bot' }, row.host),
    html('td', { class: 'seated' }, row.cpu || NONE), ...cells);
}

function note({ host, time_faults: faults, expected, again }) {
  return html('div', {},
    html('p', { class: 'bad' }, `${host} stands out: ${count(faults, 'time fault')}, ${expected.toFixed(1)} by what the bots have elsewhere. To play elsewhere what was played there:`),
    html('pre', {}, again.join('\n')));
}
