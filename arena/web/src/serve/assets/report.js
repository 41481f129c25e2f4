// The report of a tournament: the drawings of the live page, the best matches, the faults, and the command
// to play the tournament again.

import { count, html, signed } from './dom.js';
import { header } from './site.js';
import { framed, panel, summary, table } from './standings.js';
import { Tables } from './tables.js';
import { weaves } from './fabric.js';
import { Theatre } from './theatre.js';

// A match as a button that shows it, if the file has it.
function label(match, views, theatre) {
  if (!views[match]) return `match ${match}`;
  const button = html('button', { type: 'button', 'aria-haspopup': 'dialog' }, `match ${match}`);
  button.addEventListener('click', () => theatre.show(views[match]));
  return button;
}

// The titles of columns that have words.
const worded = (...titles) => titles.map((title) => [title, '', 'words']);

const scores = ({ seats }) => seats.map(([bot, score]) => `${bot} ${signed(score)}`).join(', ');

function bestMatches({ best, views, name }, theatre) {
  const item = (one) => html('li', {}, label(one.match, views, theatre), `: ${scores(one)}`);
  return panel('Matches worth seeing',
    ...best.filter(({ matches }) => matches.length > 0).flatMap(({ title, matches }) =>
      [html('h3', {}, title), html('ul', { class: 'best' }, ...matches.map(item))]),
    html('p', { class: 'quiet' }, 'Each with a button opens here, turn by turn. Whoever has the records can see every match: ', html('code', {}, `arena view ${name} --match N`)));
}

function faultTable({ standings, views }, theatre) {
  const failed = standings.rows.filter(({ first_fault: first }) => first);
  if (failed.length === 0) return panel('Faults', html('p', {}, 'None: every bot finished every match.'));
  const kinds = ({ faults }) => Object.entries(faults).filter(([, times]) => times > 0).map(([kind, times]) => `${times} ${kind}`).join(', ');
  const rows = failed.map((row) => html('tr', {}, html('th', { scope: 'row', class: 'bot' }, row.bot),
    html('td', {}, label(row.first_fault.match, views, theatre)), html('td', { class: 'told-of' }, kinds(row)),
    html('td', { class: 'told-of' }, `turn ${row.first_fault.id + 1}: ${row.first_fault.kind}. ${row.first_fault.detail}`)));
  return panel('Faults', framed('Faults of bots', '', table(worded('bot', 'the first one', 'all faults', 'what happened'), rows)));
}

function again(report) {
  const { name, command, bots, standings } = report;
  const script = framed('Commands', '', html('pre', {}, [command, '', '# with the records: prove them, print the tables, see a match',
    `arena replay ${name} --all --quiet`, `arena standings ${name}`, `arena view ${name} --match 0`].join('\n')));
  const rows = bots.map((bot) => html('tr', {}, html('th', { scope: 'row', class: 'bot' }, bot.name), html('td', { class: 'told-of' }, bot.version ?? ''),
    html('td', { class: 'told-of' }, ...bot.files.flatMap((file) => [html('code', {}, file), html('br')]))));
  const files = framed('Versions and files of the bots', '', table(worded('bot', 'version', 'SHA-256 of its files'), rows));
  return panel('How to play it again', script,
    html('p', { class: 'quiet' }, `The same bots give the digest ${standings.digest} where none of them decides by the clock. `
      + `The plan has the digest ${report.plan_digest}. It was played by version ${report.arena} on ${report.system}.`),
    report.commitment ? html('p', { class: 'quiet' }, report.commitment) : null, files);
}

// What an author wants to know first: the place of the bot, why it lost, and what it said.
function own({ author: { bot, lost, files }, standings }) {
  const row = standings.rows.find((one) => one.bot === bot);
  const link = (path, text) => html('a', { href: path.split('/').map(encodeURIComponent).join('/') }, text);
  const list = (items) => html('ul', { class: 'best' }, ...items.map((item) => html('li', {}, ...item)));
  return panel(bot, row ? summary(standings, row) : html('p', {}, 'It did not start: not-started.txt says why.'),
    ...(lost.length > 0 ? [html('h3', {}, 'Lost by most'), list(lost.map((one) => [link(`lost/match-${one.match}.html`, `match ${one.match}`), `: ${scores(one)}`]))] : []),
    ...(files.length > 0 ? [html('h3', {}, 'What it wrote, and its faults'), list(files.map((path) => [link(path, path)]))] : []));
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
    header(html('div', { class: 'about' }, html('h1', {}, document.title),
      ...[report.dates, report.text].filter(Boolean).map((line) => html('p', { class: 'announced' }, line)),
      html('p', { class: 'facts' }, facts.join(' \u00b7 ')),
      html('p', { class: 'facts' }, `${played} on ${count(standings.deals, 'deal')} \u00b7 digest ${standings.digest}`))),
    html('main', {}, ...(report.author ? [own(report)] : []), ...tables.nodes, bestMatches(report, theatre), faultTable(report, theatre), again(report)),
    theatre.node);
  tables.show(standings);
  tables.tell(report.notes);
}

publish(JSON.parse(document.getElementById('report').textContent));
