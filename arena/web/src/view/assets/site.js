// The links between the pages of a tournament. A page that no server delivers has none.

import { html } from './dom.js';
import { takeRecords } from './drop.js';
import { themeSwitch } from './theme.js';

let site = null;

// The beginning of the addresses of all pages of a tournament: empty, or the stage of a league.
export const ROOT = location.pathname.replace(/\/(latest|bot\/[^/]+|pair\/[^/]+\/[^/]+|match\/\d+|beside\/\d+\/\d+)?$/, '');

// Tells the modules to which tournament the page belongs. `site` has the tournament's name, and on the page of a match
// its number, its neighbors, and the matches of the same bots on the same deal. A page that was saved to a disk has no links,
// and those of an embedded page open in another tab, because the frame may show only pages with `?embed`.
export function visit(tournament) {
  site = location.protocol === 'file:' ? null : tournament ?? null;
  takeRecords();
  if (isEmbedded()) document.head.append(html('base', { target: '_blank' }));
}

// True in the frame of another site.
function isEmbedded() {
  return site !== null && new URLSearchParams(location.search).has('embed');
}

// The address of a bot's page, or null without one.
export function botAddress(bot) {
  return site ? `${ROOT}/bot/${encodeURIComponent(bot)}` : null;
}

// The end of an address that opens a match at the turn with this id, which people count from 1.
export function turnAddress(id) {
  return `#turn-${id === null || id === undefined ? 'start' : id + 1}`;
}

// A link to the page of a match, at the turn with this id if there is one.
export function matchLink(match, id, text = `match ${match}${id === undefined ? '' : `, turn ${id + 1}`}`) {
  return html('a', { href: `${ROOT}/match/${match}${id === undefined ? '' : turnAddress(id)}` }, text);
}

// The name of a bot, as a link to its page.
export function botLink(bot) {
  return site ? html('a', { href: botAddress(bot) }, bot) : bot;
}

// A link to the matches between two bots.
export function pairLink(bot, against, ...children) {
  if (!site) return html('span', {}, ...children);
  return html('a', { href: `${ROOT}/pair/${encodeURIComponent(bot)}/${encodeURIComponent(against)}` }, ...children);
}

// A link to the list of matches with these filters.
export function listLink(filters, text) {
  return site ? html('a', { href: `${ROOT}/?${new URLSearchParams(filters)}#matches` }, text) : text;
}

// The header that all pages of a tournament share: links, what the page is about, and the theme. An embedded page has
// no links there.
export function header(about, ...tools) {
  const hasLinks = site !== null && !isEmbedded();
  return html('header', { class: 'top' },
    html('div', { class: 'about' }, hasLinks ? links() : null, about),
    html('div', { class: 'tools' }, ...tools, hasLinks ? share() : null, themeSwitch()));
}

// Puts the name of the tournament into the header.
export function nameSite({ name }) {
  const home = document.querySelector(`nav.site a[href="${ROOT}/"]`);
  if (home) home.textContent = name ?? 'Tournament';
}

function links() {
  const { name, match, previous, next, same, has_boards, has_records } = site;
  const link = (href, text, attributes = {}) => html('a', { href, ...attributes }, text);
  const step = (to, text, rel) => (to === null || to === undefined ? null : link(`${ROOT}/match/${to}`, text, { rel }));
  const items = [link(`${ROOT}/`, name ?? 'Tournament'), link(`${ROOT}/#bots`, 'Bots'), link(`${ROOT}/#matches`, 'Matches')];
  if (ROOT !== '') items.unshift(link('/', 'All stages'));
  if (match !== undefined) {
    items.push(step(previous, '\u2190 Previous match', 'prev'), step(next, 'Next match \u2192', 'next'),
      same?.length > 0 ? html('span', { class: 'same' }, 'Same deal: ', ...same.flatMap((other) => [link(`${ROOT}/match/${other}`, `match ${other}`), ' ', ...(has_boards ? ['(', link(`${ROOT}/beside/${match}/${other}`, 'beside this one'), ') '] : [])])) : null,
      link(`${ROOT}/match/${match}?save`, 'Save this page', { download: `match-${match}.html` }),
      has_records ? link(`${ROOT}/data/record/${match}`, 'Record', { download: `match-${match}.json` }) : null);
  }
  return html('nav', { class: 'site', 'aria-label': 'Tournament' }, html('ul', {}, ...items.filter(Boolean).map((item) => html('li', {}, item))));
}

// A button that passes on the address of the page.
function share() {
  const state = html('span', { class: 'quiet', role: 'status' });
  const button = html('button', { type: 'button', class: 'share' }, 'Share');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      state.textContent = 'Address copied';
    } catch {
      prompt('The address of this page', location.href); // browsers copy for secure pages only
    }
  });
  return html('span', {}, state, ' ', button);
}
