// The newest match, and each next one when it is available.

import { html } from './dom.js';
import { themeSwitch } from './theme.js';
import { follow } from './follow.js';

// The shortest time that a match stays on the page.
const STAY_MS = 8000;

const frame = html('iframe', { title: 'The newest match' });
const words = html('h1', { role: 'status' }, 'No match is finished yet');
const keep = html('input', { type: 'checkbox' });
let [shown, newest, timer] = [null, null, null];

document.body.append(
  html('header', { class: 'top' },
    html('div', { class: 'about' }, words, html('p', { class: 'facts' }, html('a', { href: '/' }, 'the whole tournament'))),
    html('label', { class: 'theme' }, keep, html('span', {}, 'stay at this one')), themeSwitch()),
  html('main', {}, frame));

function turn() {
  timer = null;
  if (newest === shown || newest === null || keep.checked) return;
  shown = newest;
  words.textContent = `Newest: match ${shown}`;
  frame.src = `/match/${shown}#turn=end`;
  timer = setTimeout(turn, STAY_MS);
}

keep.addEventListener('change', () => { if (timer === null) turn(); });
follow((status) => {
  newest = status.latest;
  if (timer === null) turn();
}, () => {});
