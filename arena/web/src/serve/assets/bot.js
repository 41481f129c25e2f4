// The page of a bot: its results, its opponents, its most notable matches, and its faults.

import { count, html, refill, signed } from './dom.js';
import { header, listLink, matchLink, nameSite, pairLink, visit } from './site.js';
import { framed, panel, shareWon, summary, table } from './standings.js';
import { matchTable } from './matches.js';
import { followTables, paced } from './follow.js';
import { Judge, load } from './judge.js';

const SHOWN = 5;

const bot = decodeURIComponent(location.pathname.split('/').pop());
const path = `/bot/${encodeURIComponent(bot)}/judge`;
let [judge, costs] = [null, null];
const costly = framed('Table of costliest moves');
const version = html('p', { class: 'facts' });
const main = html('main', { class: 'bot-page' });
visit({ name: null });
document.body.className = 'sheet';
document.body.append(header(html('div', { class: 'about' }, html('h1', {}, bot), version)), main);

// How much of the bot is judged, and what the next work is.
function judgedWords() {
  if (!costs) return ['', ''];
  const { judged, matches, next, seconds } = costs;
  const time = seconds === null ? '' : `, about ${seconds < 100 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`}`;
  return [next === 0 ? '' : `Judge the next worst ${count(next, 'match', 'matches')}${time}`,
    `${judged} of ${count(matches, 'match', 'matches')} ${matches === 1 ? 'is' : 'are'} judged`];
}

function showCosts(told) {
  costs = told?.costs ?? costs;
  costly.hidden = !costs?.moves.length;
  if (costly.hidden || costly.contains(document.activeElement)) return;
  const row = ({ match, id, analysis }) => html('tr', {},
    html('th', { scope: 'row' }, matchLink(match, id)), html('td', {}, `${analysis.loss.toFixed(1)} \u00b1 ${analysis.margin.toFixed(1)}`), html('td', { class: 'told-of' }, analysis.best));
  const titles = [['move', '', 'words'], ['points lost', 'With the 95 % interval'], ['best was', '', 'words']];
  refill(costly, table(titles, costs.moves.map(row)));
}

function opponents({ crosstable }) {
  const pairs = crosstable.filter((pair) => pair.bot === bot);
  if (pairs.length === 0) return null;
  const row = (pair) => html('tr', {}, html('th', { scope: 'row', class: 'bot' }, pairLink(bot, pair.against, pair.against)),
    html('td', {}, `${pair.won}-${pair.drawn}-${pair.lost}`), html('td', {}, `${shareWon(pair).toFixed(1)} %`),
    html('td', {}, signed(pair.mean_margin.toFixed(1))));
  const titles = [['opponent', '', 'words'], ['won-drawn-lost'], ['share won'], ['mean margin']];
  const rows = pairs.sort((one, other) => shareWon(other) - shareWon(one)).map(row);
  return panel('Opponents', framed('Table of opponents', '', table(titles, rows)));
}

async function listed(title, query, bots, note) {
  const found = await load(`/data/matches?${new URLSearchParams({ bot, ...query })}`);
  if (!found || found.rows.length === 0) return null;
  const frame = framed(`Table of ${title.toLowerCase()}`, '', matchTable(found.rows.slice(0, SHOWN), bots));
  const all = found.total > SHOWN ? html('p', {}, listLink({ bot, ...query }, `All ${found.total}`)) : null;
  return panel(title, note ?? null, frame, all);
}

const bring = paced(async () => {
  const [plan, standings] = await Promise.all([load('/data/plan'), load('/data/standings')]);
  if (!plan || !standings) return;
  nameSite(plan);
  const text = plan.versions[plan.bots.indexOf(bot)];
  version.textContent = [plan.game, text ? `version ${text}` : null, count(standings.matches, 'match', 'matches') + ' in the tournament'].filter(Boolean).join(' \u00b7 ');
  const row = standings.rows.find((one) => one.bot === bot);
  if (!row) return refill(main, html('p', {}, 'This bot has played no match yet.'));
  const first = row.first_fault;
  const note = first ? html('p', {}, 'The first one: ', matchLink(first.match, first.id), `: ${first.kind}. ${first.detail}`) : null;
  if (plan.judge) judge ??= new Judge(path, plan.judge, judgedWords, showCosts);
  const isAlone = standings.seats <= 1;
  const lists = await Promise.all([
    listed(isAlone ? 'Lowest scores' : 'Worst matches', { order: 'worst', fault: 'none' }, plan.bots),
    first ? listed('Faults', { fault: 'any' }, plan.bots, note) : null,
    listed(isAlone ? 'Highest scores' : 'Best matches', { order: 'best', fault: 'none' }, plan.bots),
    isAlone ? null : listed('Closest matches', { order: 'closest', fault: 'none' }, plan.bots),
  ]);
  const [worst, faults, ...others] = lists;
  // What went wrong comes before what went well.
  refill(main, panel('Summary', summary(standings, row)), judge && panel('Costliest moves', html('p', {}, judge.node), costly), worst, faults, opponents(standings), ...others);
  document.documentElement.dataset.matches = standings.matches;
  return undefined;
});

followTables(bring);
