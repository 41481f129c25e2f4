// The table of the bots, best first.

import { count, duration, html, refill, signed } from './dom.js';
import { botLink, listLink } from './site.js';

export const NONE = '\u2013';
// Further notes are folded.
const NOTES_MAX = 4;
// The crosstable and the distribution show at most this many bots.
const BEST_MAX = 20;

// The rows of the best bots, and a sentence if some bots are left out.
export function best({ rows }) {
  const words = rows.length > BEST_MAX ? ` Only the best ${BEST_MAX} bots are shown; the file standings.json has all.` : '';
  return [rows.slice(0, BEST_MAX), words];
}

// A frame in which a wide table scrolls, also with keys.
export function framed(label, classes = '', ...children) {
  return html('div', { class: `frame ${classes}`, role: 'group', tabindex: 0, 'aria-label': label }, ...children);
}

export function fixed(value, digits) {
  return value === null || value === undefined ? NONE : signed(value.toFixed(digits));
}

// Half of the width of an interval, as text to append to the value.
export function half(interval, digits = 1) {
  return interval ? `\u00b1 ${((interval[1] - interval[0]) / 2).toFixed(digits)}` : '';
}

// The number of a bot's faults, as a link to its matches with faults.
export function faultsOf({ bot, faults }) {
  const sum = Object.values(faults).reduce((all, kind) => all + kind, 0);
  return sum > 0 ? listLink({ bot, fault: 'any' }, String(sum)) : '0';
}

// The rating with its interval.
export function elo({ rating }) {
  return rating?.ci95 ? `${fixed(rating.elo, 0)} ${half(rating.ci95, 0)}` : NONE;
}

// The share of the points that the first bot of a pair won, in percent. Draws count half.
export function shareWon({ won, drawn, matches }) {
  return (100 * (won + drawn / 2)) / matches;
}

// A part of a page, as wide as the page.
export function panel(title, ...children) {
  return html('section', { class: 'panel wide', 'aria-label': title }, html('h2', {}, title), ...children);
}

// A range such as 2-4.
export const range = ([first, last]) => (first === last ? `${first}` : `${first}\u2013${last}`);

export function head(...titles) {
  return html('thead', {}, html('tr', {}, ...titles.map(([text, title, kind]) => {
    const cell = html('th', { scope: 'col', class: kind ?? '' }, text);
    if (title) cell.title = title;
    return cell;
  })));
}

// A table with these titles, as in `head`, and rows.
export function table(titles, rows, attributes = {}) {
  return html('table', attributes, head(...titles), html('tbody', {}, ...rows));
}

// What a row of the standings says of its bot, as a table of names and values.
export function summary(standings, row) {
  const { bot } = row;
  const facts = [
    ['rank', `${row.rank} of ${standings.rows.length}`],
    ...(standings.seats > 1 ? [
      ['Elo', elo(row)],
      ['ranks', range(row.ranks)],
      [standings.seats === 2 ? 'won-drawn-lost' : 'first-shared-other', html('span', {}, ...['won', 'drawn', 'lost'].flatMap((result, place) =>
        [place > 0 ? '-' : '', listLink({ bot, result }, String(row[result]))]))],
      ['mean margin', `${fixed(row.mean_margin, 2)} ${half(row.margin_ci95, 2)}`]] : []),
    ['mean score', `${fixed(row.mean_score, 2)} ${half(row.ci95, 2)}`],
    ['matches', listLink({ bot }, String(row.matches))],
    ['faults', faultsOf(row)],
    ['thinking time', `median ${duration(row.time_us.median)}, 99 % ${duration(row.time_us.p99)}, longest ${duration(row.time_us.max)}`],
  ];
  // A bot that has not played has no results.
  const shown = ([name, value]) => (row.matches > 0 || name === 'matches' ? value : NONE);
  return html('table', {}, html('tbody', {}, ...facts.map((fact) =>
    html('tr', {}, html('th', { scope: 'row' }, fact[0]), html('td', { class: 'seated' }, shown(fact))))));
}

// Changes fields of the page's address. Removes the empty ones.
export function rewrite(fields) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(fields)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  history.replaceState(history.state, '', `${location.pathname}${query.size > 0 ? `?${query}` : ''}${location.hash}`);
}

// True if the table has all columns, which the address keeps.
function isWhole() {
  return new URLSearchParams(location.search).get('columns') === 'all';
}

export class StandingsTable {
  #frame = framed('Standings');
  #title = html('h2', {}, 'Standings');
  #notes = html('ul', { class: 'notes' });
  #meanings = html('dl', { class: 'meanings' });
  #all = html('button', { type: 'button' }, 'All columns');
  #shown = null;
  #words = html('p', { class: 'quiet', hidden: '' });
  node = html('section', { class: 'panel wide', id: 'bots', 'aria-label': 'Standings' }, this.#title, this.#words, this.#frame,
    html('p', { class: 'columns' }, this.#all), this.#notes,
    html('details', { class: 'notes' }, html('summary', {}, 'What the columns mean'), this.#meanings));

  constructor() {
    this.#all.addEventListener('click', () => {
      rewrite({ columns: isWhole() ? '' : 'all' });
      this.show(...this.#shown);
    });
  }

  // What the tables mean, a line each.
  tell(notes) {
    const words = notes.map((line) => html('li', {}, signed(line)));
    const more = words.splice(NOTES_MAX);
    refill(this.#notes, ...words, more.length === 0 ? null : html('li', {}, html('details', {}, html('summary', {}, count(more.length, 'more note')), html('ul', {}, ...more))));
  }

  // If `isDecided` is true, another table has the ranks.
  show(standings, isDecided) {
    this.#shown = [standings, isDecided];
    this.#title.textContent = isDecided ? 'Rating' : 'Standings';
    this.#words.hidden = !isDecided;
    const [rows, only] = isDecided ? best(standings) : [standings.rows, ''];
    this.#words.textContent = `The schedule decides the ranks. This table estimates the strength from all matches.${only}`;
    const isAlone = standings.seats <= 1;
    const isPair = standings.seats === 2;
    const all = [
      ['', ({ rank }) => rank],
      ['bot', null],
      ...(isAlone ? [] : [
        ['Elo', elo, '0 is the mean of all bots; 95 % interval'],
        [isDecided ? 'places' : 'ranks', ({ ranks }) => range(ranks), 'best and worst possible place by strength', true],
        ['tier', ({ tiers }) => range(tiers), 'bots differ significantly if they share no tier', true],
        [isPair ? 'won-drawn-lost' : 'first-shared-other', ({ won, drawn, lost }) => `${won}-${drawn}-${lost}`],
        ['points', ({ points }) => `${fixed(points, 1)} %`, 'share of its opponents that ranked behind it', true],
      ]),
      ['mean score', ({ mean_score: mean, ci95 }) => `${fixed(mean, 2)} ${half(ci95, 2)}`, '95 % interval over deals'],
      ...(isAlone ? [] : [['mean margin', (row) => `${fixed(row.mean_margin, 2)} ${half(row.margin_ci95, 2)}`, '95 % interval over deals']]),
      ['matches', ({ matches }) => matches, '', true],
      ['faults', faultsOf],
      ['median time', ({ time_us: times }) => duration(times.median), 'half of its decisions took no longer', true],
      ['99 %', ({ time_us: times }) => duration(times.p99), '', true],
    ];
    const columns = all.filter(([, , , isMore]) => isWhole() || !isMore);
    this.#all.textContent = isWhole() ? 'Fewer columns' : 'All columns';
    refill(this.#meanings, ...columns.filter(([, , remark]) => remark).flatMap(([title, , remark]) => [html('dt', {}, title), html('dd', {}, remark)]));
    // A bot that has not played has no results.
    const played = ({ matches }, title) => matches > 0 || title === 'matches';
    const cells = (row) => columns.map(([title, words]) =>
      (words ? html('td', {}, played(row, title) ? words(row) : NONE) : html('th', { scope: 'row', class: 'bot' }, botLink(row.bot))));
    const titles = columns.map(([title, words, remark]) => [title || (isDecided ? 'place' : 'rank'), remark, words ? '' : 'words']);
    refill(this.#frame, table(titles, rows.map((row) => html('tr', {}, ...cells(row)))));
  }
}
