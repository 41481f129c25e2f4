// The matches between two bots, deal by deal.

import { count, html, refill, signed } from './dom.js';
import { botLink, header, listLink, matchLink, nameSite, visit } from './site.js';
import { framed, panel, table } from './standings.js';
import { pageOfAddress } from './matches.js';
import { followTables, paced } from './follow.js';
import { load } from './judge.js';

const [bot, against] = location.pathname.split('/').slice(-2).map(decodeURIComponent);
const facts = html('p', { class: 'facts' });
const main = html('main', {});
const frame = framed('Table of deals');
const turn = html('div', { class: 'turn' });
const page = pageOfAddress();

visit({ name: null });
document.body.className = 'sheet';
document.body.append(
  header(html('div', { class: 'about' }, html('h1', {}, botLink(bot), ' against ', botLink(against)), facts)), main);
main.append(panel('Deals', frame, turn));

// The matches of each deal in a row, with the margin of the first bot.
function dealTable(rows, bots) {
  const deals = Map.groupBy(rows, ({ round }) => round);
  const score = ({ seats }, name) => seats.find((seat) => bots[seat.bot] === name)?.score ?? 0;
  const margin = (row) => score(row, bot) - score(row, against);
  const cell = (row) => html('span', { class: 'sat' }, matchLink(row.match),
    ` ${signed(score(row, bot))} : ${signed(score(row, against))}`,
    row.seats.some(({ fault }) => fault) ? html('span', { class: 'bad' }, ' fault') : null);
  const line = ([deal, all]) => html('tr', {}, html('th', { scope: 'row' }, String(deal + 1)),
    html('td', { class: 'seated' }, ...all.map(cell)),
    html('td', {}, signed((all.reduce((sum, row) => sum + margin(row), 0) / all.length).toFixed(1))));
  return table([['deal', '', 'words'], [`matches: ${bot} : ${against}`, '', 'words'], [`mean margin of ${bot}`]], [...deals].map(line));
}

const bring = paced(async () => {
  const [plan, standings] = await Promise.all([load('/data/plan'), load('/data/standings')]);
  const found = await load(`/data/matches?${new URLSearchParams({ bot, against, order: 'deal', page })}`);
  if (!plan || !standings || !found) return;
  nameSite(plan);
  const pair = standings.crosstable.find((one) => one.bot === bot && one.against === against);
  refill(facts, pair ? `${bot} won ${pair.won}, drew ${pair.drawn}, lost ${pair.lost}; mean margin ${signed(pair.mean_margin.toFixed(1))} \u00b7 ` : '',
    listLink({ bot, against }, count(found.total, 'match', 'matches')));
  refill(frame, dealTable(found.rows, plan.bots));
  const step = (to, text) => (to < 0 || to >= found.pages ? null : html('a', { href: `?page=${to + 1}` }, text));
  refill(turn, step(page - 1, 'Earlier deals'), html('p', { class: 'quiet' }, `page ${page + 1} of ${Math.max(found.pages, 1)}`), step(page + 1, 'Later deals'));
  document.documentElement.dataset.matches = found.total;
});

followTables(bring);
