// The page of a league with several stages: a link to each, and the joint table.

import { count, html } from './dom.js';
import { header, visit } from './site.js';
import { framed, panel, table } from './standings.js';

// The time after which the page is loaded again: while matches are played, and else, because a further stage may begin.
const [AGAIN_MS, LATER_MS] = [5000, 60000];

const league = JSON.parse(document.getElementById('report').textContent);

function stageItem({ name, address, matches, total, is_over: isOver }) {
  const state = isOver ? count(matches, 'match', 'matches') : `${matches} of ${count(total, 'match', 'matches')} played`;
  return html('li', {}, html('a', { href: address }, name), `: ${state}`);
}

function jointTable({ stages, rows }) {
  const titles = [['bot', '', 'words'], ['mean rank'], ...stages.map(({ name }) => [name])];
  // A server has a page of each bot in each stage, and a file has none.
  const inStage = (bot, cell, { address }) => (cell === '-' || !address.endsWith('/') ? cell : html('a', { href: `${address}bot/${encodeURIComponent(bot)}` }, cell));
  const row = ([bot, mean, ...cells]) => html('tr', {}, html('th', { scope: 'row', class: 'bot' }, bot), html('td', {}, mean),
    ...cells.map((cell, place) => html('td', {}, inStage(bot, cell, stages[place]))));
  return framed('All stages', '', table(titles, rows.map(row)));
}

// Who won, when all stages are over.
function winner({ rows, stages, is_over: isOver, is_whole: isWhole }) {
  if (!isOver || !isWhole || rows.length === 0) return null;
  const best = rows.filter(([, mean]) => mean === rows[0][1]).map(([bot]) => bot);
  if (best.length > 1) return `${best.join(' and ')} share the best mean rank, ${rows[0][1]}.`;
  return Number(rows[0][1]) === 1 ? `${best[0]} wins ${stages.length === 1 ? 'the stage' : `all ${stages.length} stages`}.` : `${best[0]} has the best mean rank, ${rows[0][1]}.`;
}

visit(null);
const title = html('h1', {}, league.title);
const text = [league.dates, league.text].filter(Boolean).map((line) => html('p', { class: 'announced' }, line));
const won = winner(league);
if (won) text.push(html('p', { class: 'story' }, won));
document.body.append(header(html('div', { class: 'about' }, title, ...text)),
  html('main', {}, panel('Stages', html('ul', {}, ...league.stages.map(stageItem))), panel('All stages', jointTable(league))));
if (location.protocol !== 'file:') setTimeout(() => location.reload(), league.is_over ? LATER_MS : AGAIN_MS);
