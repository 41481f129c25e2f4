// The page of a match of a user's own game: its boards and moves, one turn after the other. The page knows no rules.
// Moves, notes, and boards are any text of strangers.

import { dot, duration, html, refill, signed } from './dom.js';
import { header, turnAddress, visit } from './site.js';
import { Player } from './player.js';
import { Help } from './help.js';
import { Controls } from './controls.js';
import { cellOf, drawing, moveWords, resultTable, resultWords } from './cells.js';

const KEYS = [['\u2190 \u2192', 'one turn back or on'], ['Home End', 'the beginning, the end'], ['Space', 'play, pause'], ['?', 'this help']];
// Lists and headings have the beginning of longer moves, and a note with more characters may need to scroll.
const MOVE_LONG = 300;
const NOTE_LONG = 100;

// A frame for each decision, with the last board until then and the id of its decision.
function framesOf(turns) {
  let text;
  const frames = [...Map.groupBy(turns, ({ id }) => id)].map(([id, entries]) => {
    text = entries.findLast((entry) => entry.text)?.text ?? text;
    return { id, entries, text };
  });
  return frames.length > 0 ? frames : [{ entries: [] }];
}

function shortWords({ move, fault }, board) {
  return (fault?.kind ?? moveWords(move, board)).slice(0, MOVE_LONG);
}

// The heading of a frame.
function heading({ entries }, { bots, board }) {
  return entries.length > 1 ? `${entries.length} bots at once` : `${bots[entries[0].seat]}: ${shortWords(entries[0], board)}`;
}

// What a bot did and said in a turn.
function told({ seat, move, fault, us, data, note, refused }, bots, board) {
  const numbers = Object.entries(data ?? {}).map(([name, value]) => `${name} ${signed(value)}`);
  const aside = [us ? duration(us) : null, ...numbers].filter(Boolean).join(', ');
  const said = [...(refused ?? []).map(({ kind, line }) => `Asked again: ${line} was ${kind}.`), ...(note ? [note] : [])].join('\n');
  return html('li', {},
    html('p', { class: 'told' }, dot(seat), html('b', {}, bots[seat]), fault ? null : html('span', {}, moveWords(move, board)), html('span', { class: 'time' }, aside)),
    fault ? html('p', { class: 'fault' }, html('b', {}, `Fault: ${fault.kind}. `), fault.detail) : null,
    // A long note scrolls, and must be reachable by keyboard.
    said ? html('blockquote', { class: 'note', ...(said.length > NOTE_LONG ? { tabindex: 0 } : {}) }, said) : null);
}

// The board of the shown turn, as a drawing or as text, and what its bots did.
function table({ frames, bots, board }) {
  const [picture, list] = [html('div', {}), html('ul', {})];
  // The text of a drawing remains for screen readers.
  const text = html('pre', { role: 'group', 'aria-label': 'Board' });
  // Text that is wider than its box scrolls with the arrow keys.
  text.addEventListener('keydown', (event) => {
    if (['ArrowLeft', 'ArrowRight'].includes(event.key) && text.scrollWidth > text.clientWidth) event.stopPropagation();
  });
  const show = (index) => {
    const { entries, text: words } = frames[index];
    const moved = entries.map(({ move }) => cellOf(move, board));
    const drawn = drawing(words, board, (row, column) => moved.includes(`${row},${column}`));
    refill(picture, drawn);
    const moves = entries.map(({ move, fault }) => fault?.kind ?? JSON.stringify(move, null, 2)).join('\n');
    text.textContent = words ?? (moves || 'No turn was played.');
    text.className = drawn ? 'hidden' : 'text';
    text.tabIndex = drawn ? -1 : 0;
    refill(list, ...entries.map((entry) => told(entry, bots, board)));
  };
  return { show, node: html('section', { class: 'panel', 'aria-label': 'Board' }, picture, text, list) };
}

// The list of turns. It is one stop for the Tab key, and the arrow keys lead from turn to turn. Calls `jump` with the
// number of a frame.
function turnList({ frames, bots, board }, jump) {
  const line = (entry, at) => {
    const link = html('a', { href: turnAddress(entry.id), tabindex: -1, 'data-at': at }, html('span', { class: 'when' }, String(entry.id + 1)), dot(entry.seat),
      html('span', { class: 'hidden' }, bots[entry.seat]), html('span', { class: entry.fault ? 'what bad' : 'what' }, shortWords(entry, board)));
    link.addEventListener('click', (event) => {
      event.preventDefault();
      jump(at);
    });
    return html('li', {}, link);
  };
  const list = html('ol', { class: 'moves', tabindex: 0, 'aria-label': 'Moves' }, ...frames.flatMap(({ entries }, at) => entries.map((entry) => line(entry, at))));
  // Marks the lines of a frame, and scrolls the list to them, but not the page.
  const show = (at) => {
    list.querySelectorAll('[aria-current]').forEach((link) => link.removeAttribute('aria-current'));
    const links = list.querySelectorAll(`[data-at="${at}"]`);
    links.forEach((link) => link.setAttribute('aria-current', 'step'));
    list.scrollTop = (links[0]?.offsetTop ?? 0) - list.clientHeight / 2;
  };
  return { show, node: html('section', { class: 'panel', 'aria-label': 'List of moves' }, html('h2', {}, 'Moves'), list) };
}

function openPlain({ site, ...data }) {
  visit(site);
  const view = { ...data, frames: framesOf(data.turns) };
  const { game, bots, match, round, seed, frames } = view;
  const help = new Help('Keys', KEYS);
  const player = new Player((index, isPlaying) => {
    parts.forEach((part) => part.show(index, isPlaying));
    document.documentElement.dataset.frame = index;
  }, { isAddress: true });
  const parts = [table(view), turnList(view, (index) => player.go(index)), new Controls(player, view, { heading }, help)];
  const [shown, turns, controls] = parts.map(({ node }) => node);
  document.addEventListener('keydown', (event) => {
    if (event.key === '?' && !event.target.closest?.('input, select')) help.open();
  });
  const about = html('div', {}, html('h1', {}, `${game}: ${bots.length > 3 ? `${bots.length} seats` : bots.join(' against ')}`), html('p', { class: 'story' }, resultWords(view)),
    html('details', { class: 'facts' }, html('summary', {}, `match ${match} \u00b7 deal ${round + 1}`), html('p', {}, `seed ${seed}`)));
  document.body.append(header(about), html('main', { class: 'stepped' }, shown,
    html('div', { class: 'side' }, html('section', { class: 'panel', 'aria-label': 'Result' }, resultTable(view)), turns)), controls);
  frames.forEach(({ id }) => player.add(id ?? null));
  // A match opens at its result.
  player.start(player.last);
}

openPlain(JSON.parse(document.getElementById('view').textContent));
