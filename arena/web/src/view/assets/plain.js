// The page of a match of a user's own game: its turns as text. Moves, notes, and boards are any text of strangers.

import { count, duration, html } from './dom.js';
import { botLink, header, visit } from './site.js';

function resultOf({ bots, result }) {
  const seats = bots.map((_, seat) => seat).sort((one, other) => result.ranks[one] - result.ranks[other]);
  const row = (seat) => {
    const fault = result.faults?.[seat];
    return html('tr', {}, html('td', {}, `${result.ranks[seat]}.`), html('th', { scope: 'row' }, botLink(bots[seat])),
      html('td', {}, count(result.scores[seat], 'point')), html('td', {}, fault ? `out by ${fault.kind}` : ''));
  };
  return html('table', {}, html('tbody', {}, ...seats.map(row)));
}

function turnItem({ bots }, turn) {
  const { id, seat, move, fault, note, data, text, us } = turn;
  const remarks = Object.entries(data ?? {}).map(([name, value]) => `${name} ${value}`).join(', ');
  return html('li', { id: `turn-${id + 1}` },
    html('b', {}, `turn ${id + 1}, ${bots[seat]}: `),
    fault ? html('span', { class: 'bad' }, `${fault.kind}: ${fault.detail}`) : html('code', {}, JSON.stringify(move)),
    us ? ` ${duration(us)}` : null,
    note ? html('p', {}, note) : null,
    remarks ? html('p', {}, remarks) : null,
    text ? html('pre', {}, text) : null);
}

function openPlain({ site, ...view }) {
  visit(site);
  const { game, bots, match: index, seed, turns } = view;
  const heading = html('h1', {}, `${game}: ${bots.join(' against ')}`);
  document.body.append(header(heading), html('main', {},
    html('section', { class: 'panel' }, html('p', {}, `match ${index}, seed ${seed}, ${count(turns.length, 'turn')}`), resultOf(view)),
    html('section', { class: 'panel' }, html('ol', { class: 'plain' }, ...turns.map((turn) => turnItem(view, turn))))));
}

openPlain(JSON.parse(document.getElementById('view').textContent));
