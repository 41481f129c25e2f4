// The page of a league with several stages: a link to each, and the joint table.

import { count, html } from './dom.js';
import { header, visit } from './site.js';
import { framed, head, panel } from './standings.js';

// The time after which the page is loaded again: while matches are played, and else, because a further stage may begin.
const [AGAIN_MS, LATER_MS] = [5000, 60000];

const league = JSON.parse(document.getElementById('report').textContent);

function stageItem({ name, address, matches, total, is_over: isOver }) {
  const state = isOver ? count(matches, 'match', 'matches') : `${matches} of ${count(total, 'match', 'matches')} played`;
  return html('li', {}, html('a', { href: address }, name), `: ${state}`);
}

function jointTable({ stages, rows }) {
  const frame = framed('All stages');
  const columns = ['bot', 'mean rank', ...stages.map(({ name }) => name)];
  const row = ([bot, ...cells]) => html('tr', {}, html('th', { scope: 'row', class: 'bot' }, bot), ...cells.map((cell) => html('td', {}, cell)));
  frame.append(html('table', {}, head(...columns.map((text, place) => [text, '', place === 0 ? 'words' : ''])), html('tbody', {}, ...rows.map(row))));
  return frame;
}

visit(null);
const title = html('h1', {}, league.title);
const text = [league.dates, league.text].filter(Boolean).map((line) => html('p', { class: 'announced' }, line));
document.body.append(header(html('div', { class: 'about' }, title, ...text)),
  html('main', {}, panel('Stages', html('ul', {}, ...league.stages.map(stageItem))), panel('All stages', jointTable(league))));
if (location.protocol !== 'file:') setTimeout(() => location.reload(), league.is_over ? LATER_MS : AGAIN_MS);
