// The page of a tournament: combines the drawings and updates them.

import { count, html, refill, say } from './dom.js';
import { ROOT, header, nameSite, visit } from './site.js';
import { Question } from './question.js';
import { panel } from './standings.js';
import { Tables } from './tables.js';
import { MatchList, keepScroll } from './matches.js';
import { RunningList } from './running.js';
import { HostTable } from './hosts.js';
import { follow, paced, silence } from './follow.js';
import { load } from './judge.js';

const question = new Question();
const tables = new Tables();
const matches = new MatchList((query) => load(`/data/matches?${query}`));
const running = new RunningList();
const hosts = new HostTable();
const title = html('h1', {}, 'Quilt Arena');
const facts = html('p', { class: 'facts' });
const progress = html('progress', { 'aria-label': 'Matches played', max: 1, value: 0 });
const state = html('p', { class: 'facts', role: 'status' });
const far = html('span', {});
const latest = html('span', {});
const trouble = html('p', { class: 'fault', role: 'alert', hidden: '' });
const journal = html('a', { href: `${ROOT}/data/journal`, download: 'matches.jsonl' }, 'All records (JSON lines)');
const downloads = panel('Downloads', html('p', { class: 'downloads' }, html('a', { href: `${ROOT}/data/csv`, download: 'standings.csv' }, 'Standings (CSV)'),
  html('a', { href: `${ROOT}/data/standings`, download: 'standings.json' }, 'All tables (JSON)'), journal));
// Tables with the number 0 do not exist yet.
const NOTHING = { plan: -1, tables: 0, hosts: 0, matches: -1 };
let known = NOTHING;
let [hasBoards, hasRecords] = [false, false];

tables.nodes.forEach((node) => { node.hidden = true; });
const about = html('div', { class: 'about' }, title, facts, html('p', { class: 'facts' }, far, ' ', latest), progress, state, trouble);
const main = html('main', {}, question.node, running.node, ...tables.nodes, hosts.node, matches.node, downloads);
visit({ name: null });
document.body.className = 'sheet';
// Until the content is there, nothing is shown that it would push away.
main.style.visibility = 'hidden';
document.body.append(header(about), main);
const scroll = keepScroll();
const parts = { plan: false, tables: false };

function arrived(part) {
  if (parts[part]) return;
  parts[part] = true;
  if (!Object.values(parts).every(Boolean)) return;
  main.style.visibility = '';
  scroll();
}

// What the organizer says about the tournament.
function told({ title: head, game, dates, text, commitment }) {
  about.querySelectorAll('.announced').forEach((line) => line.remove());
  return [head ? [game, dates].filter(Boolean).join(', ') : dates, text, commitment].filter(Boolean).map((line) => html('p', { class: 'announced' }, line));
}

const bringPlan = paced(async () => {
  const plan = await load('/data/plan');
  if (!plan) return;
  title.textContent = plan.title ?? `${plan.game}: ${plan.name ?? 'tournament'}`;
  about.firstChild.after(...told(plan));
  facts.textContent = [plan.schedule, count(plan.bots.length, 'bot'), count(plan.seats, 'seat'), count(plan.rounds, 'deal'),
    `${plan.move_ms} ms a move`, plan.seed === null ? 'seed hidden until the end' : `seed ${plan.seed}`].join(' \u00b7 ');
  [hasBoards, hasRecords] = [plan.has_boards, plan.has_records];
  if (known !== NOTHING) tell(known);
  nameSite(plan);
  matches.plan(plan);
  await matches.refresh();
  arrived('plan');
});

const bringTables = paced(async () => {
  const [standings, notes, comparison] = await Promise.all(['/data/standings', '/data/notes', '/data/comparison'].map(load));
  if (!standings) return;
  tables.show(standings);
  tables.tell(notes ?? []);
  document.documentElement.dataset.matches = standings.matches;
  arrived('tables');
  question.show(comparison);
});

const bringHosts = paced(async () => {
  const table = await load('/data/hosts');
  if (table) hosts.show(table);
});

const bringMatches = paced(() => matches.refresh());

function reached({ matches, total, parts }) {
  const played = `${matches} of ${count(total, 'match', 'matches')}`;
  if (!parts) return played;
  return `${played}, ${parts.of === null ? count(parts.whole, 'shard') : `${parts.whole} of ${count(parts.of, 'shard')}`} done`;
}

function tell(status) {
  far.textContent = status.read < 100 ? `reading: ${status.read} %` : reached(status);
  progress.max = Math.max(status.total, 1);
  progress.value = status.matches;
  running.show(status.running);
  say(state, status.is_over ? 'finished' : silence(status) ?? 'live');
  if (status.latest === null) refill(latest);
  else refill(latest, html('a', { href: `${ROOT}/latest` }, status.is_over ? 'see the last match' : 'watch the newest'), ` (match ${status.latest})`,
    ...(hasBoards ? [', ', html('a', { href: `${ROOT}/latest?untold` }, 'without its result')] : []));
  journal.hidden = status.parts !== null || !hasRecords; // shards are files of their own
  trouble.hidden = !status.trouble;
  trouble.textContent = status.trouble ?? '';
}

follow((status) => {
  tell(status);
  if (status.plan !== known.plan || status.is_over !== known.is_over) bringPlan();
  if (status.tables !== known.tables) bringTables();
  if (status.hosts !== known.hosts) bringHosts();
  if (status.matches !== known.matches) bringMatches();
  known = status;
}, () => {
  say(state, 'the arena does not answer; asking again');
  known = NOTHING;
});
