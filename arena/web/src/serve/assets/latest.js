// Plays the newest match, and then each next one.

import { html, refill } from './dom.js';
import { weaves } from './fabric.js';
import { header, visit } from './site.js';
import { Match, title } from './match.js';
import { follow, load } from './follow.js';

const SPEED = 8;
// The time that the end of a match stays on the page.
const STAY_MS = 3000;
const CHECK_MS = 500;

const state = html('p', { class: 'facts', role: 'status' });
const stay = html('input', { type: 'checkbox' });
const heading = html('div', {}, html('h1', {}, 'The newest match'));
const stage = html('div', { class: 'stage' }, html('main'));
let [newest, shown, match, ends, endedAt, timer] = [null, null, null, null, 0, null];

visit({ name: null });
document.body.append(weaves(), header(html('div', { class: 'about' }, heading, state),
  html('label', { class: 'stay' }, stay, 'Stay at this match')), stage);

async function show(number) {
  shown = number;
  const view = await load(`/data/view/${number}`).catch(() => null);
  if (!view) {
    shown = null;
    return;
  }
  ends?.abort();
  ends = new AbortController();
  match = new Match(view, { isAddress: false, signal: ends.signal });
  endedAt = 0;
  refill(heading, ...match.heading.childNodes);
  refill(stage, match.main, match.controls);
  document.title = `${title(view)}, match ${number}`;
  state.textContent = `The newest match, number ${number}`;
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) match.goToEnd();
  else match.play(SPEED);
}

// Goes on when the match is over and its end was seen.
async function check() {
  const isFree = match === null || (match.isAtEnd && endedAt > 0 && performance.now() - endedAt > STAY_MS);
  if (match?.isAtEnd && endedAt === 0) endedAt = performance.now();
  if (newest !== null && newest !== shown && isFree && !stay.checked) await show(newest);
  clearTimeout(timer);
  timer = setTimeout(check, CHECK_MS);
}

follow(({ latest }) => {
  newest = latest;
  if (latest === null) state.textContent = 'No match is finished yet.';
  else if (shown === null) check();
}, () => {});
