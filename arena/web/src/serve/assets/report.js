// The report of a tournament: the drawings of the live page, the best matches, the faults, and the command
// to play the tournament again.

import { count, html, signed } from './dom.js';
import { header } from './site.js';
import { framed, head, panel } from './standings.js';
import { Tables } from './tables.js';
import { weaves } from './fabric.js';
import { Theatre } from './theatre.js';

function bestMatches({ best, views, name }, theatre) {
  const scores = ({ seats }) => seats.map(([bot, score]) => `${bot} ${signed(score)}`).join(', ');
  const label = ({ match }) => {
    if (!views[match]) return `match ${match}`;
    const button = html('button', { type: 'button', 'aria-haspopup': 'dialog' }, `match ${match}`);
    button.addEventListener('click', () => theatre.show(views[match]));
    return button;
  };
  const item = (one) => html('li', {}, label(one), `: ${scores(one)}`);
  return panel('Matches worth seeing',
    ...best.filter(({ matches }) => matches.length > 0).flatMap(({ title, matches }) =>
      [html('h3', {}, title), html('ul', { class: 'best' }, ...matches.map(item))]),
    html('p', { class: 'quiet' }, 'Each with a button opens here, turn by turn. Whoever has the records can see every match: ', html('code', {}, `arena view ${name} --match N`)));
}

function faultTable({ standings }) {
  const failed = standings.rows.filter(({ first_fault: first }) => first);
  if (failed.length === 0) return panel('Faults', html('p', {}, 'None: every bot finished every match.'));
  const kinds = ({ faults }) => Object.entries(faults).filter(([, times]) => times > 0).map(([kind, times]) => `${times} ${kind}`).join(', ');
  const frame = framed('Faults of bots');
  frame.append(html('table', {}, head(['bot', '', 'words'], ['faults', '', 'words'], ['the first one', '', 'words']),
    html('tbody', {}, ...failed.map((row) => html('tr', {}, html('th', { scope: 'row', class: 'bot' }, row.bot),
      html('td', { class: 'told-of' }, kinds(row)),
      html('td', { class: 'told-of' }, `match ${row.first_fault.match}, turn ${row.first_fault.id + 1}: ${row.first_fault.kind}. ${row.first_fault.detail}`))))));
  return panel('Faults', frame);
}

function again(report) {
  const { name, command, bots, standings } = report;
  const script = framed('Commands');
  script.append(html('pre', {}, [command, '', '# with the records: prove them, print the tables, see a match',
    `arena replay ${name} --all --quiet`, `arena standings ${name}`, `arena view ${name} --match 0`].join('\n')));
  const files = framed('Versions and files of the bots');
  files.append(html('table', {}, head(['bot', '', 'words'], ['version', '', 'words'], ['SHA-256 of its files', '', 'words']),
    html('tbody', {}, ...bots.map((bot) => html('tr', {}, html('th', { scope: 'row', class: 'bot' }, bot.name),
      html('td', { class: 'told-of' }, bot.version ?? ''),
      html('td', { class: 'told-of' }, ...bot.files.flatMap((file) => [html('code', {}, file), html('br')])))))));
  return panel('How to play it again', script,
    html('p', { class: 'quiet' }, `The same bots give the digest ${standings.digest} where none of them decides by the clock. `
      + `The plan has the digest ${report.plan_digest}. It was played by version ${report.arena} on ${report.system}.`),
    report.commitment ? html('p', { class: 'quiet' }, report.commitment) : null, files);
}

function publish(report) {
  const { standings } = report;
  const tables = new Tables();
  const facts = [report.schedule, count(standings.rows.length, 'bot'), count(report.seats, 'seat'), count(report.rounds, 'deal'),
    `${report.move_ms} ms a move`, report.seed === null ? 'seed hidden until the end' : `seed ${report.seed}`];
  const played = count(standings.matches, 'match', 'matches') + (report.missing > 0 ? `, ${report.missing} more are not played` : '');
  const theatre = new Theatre();
  document.body.append(
    weaves(),
    header(html('div', { class: 'about' }, html('h1', {}, report.title ?? `${standings.game}: ${report.name}`),
      ...[report.dates, report.text].filter(Boolean).map((line) => html('p', { class: 'announced' }, line)),
      html('p', { class: 'facts' }, facts.join(' \u00b7 ')),
      html('p', { class: 'facts' }, `${played} on ${count(standings.deals, 'deal')} \u00b7 digest ${standings.digest}`))),
    html('main', {}, ...tables.nodes, bestMatches(report, theatre), faultTable(report), again(report)),
    theatre.node);
  tables.show(standings);
  tables.tell(report.notes);
}

publish(JSON.parse(document.getElementById('report').textContent));
