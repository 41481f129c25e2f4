// Plays the newest match, and then each next one. With `?untold` in the address it loads a turn at a time, and nothing on
// the page tells the result before the last one.

import { html, refill } from './dom.js';
import { weaves } from './fabric.js';
import { header, visit } from './site.js';
import { Match, title } from './match.js';
import { follow } from './follow.js';
import { load } from './judge.js';

const SPEED = 8;
// The time that the end of a match stays on the page.
const STAY_MS = 3000;
const CHECK_MS = 500;
// The time that a turn stays if the end is untold.
const TURN_MS = 1500;

const isUntold = new URLSearchParams(location.search).has('untold');
const state = html('p', { class: 'facts', role: 'status' });
const stay = html('input', { type: 'checkbox' });
const pause = html('input', { type: 'checkbox' });
const full = html('button', { type: 'button', class: 'share' }, 'Full screen');
const heading = html('div', {}, html('h1', {}, 'The newest match'));
const stage = html('div', { class: 'stage' }, html('main'));
let [newest, shown, match, ends, endedAt, timer, isWhole] = [null, null, null, null, 0, null, false];

function fill() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => { state.textContent = 'This browser fills no screen.'; });
}

full.addEventListener('click', fill);
document.addEventListener('keydown', ({ key, ctrlKey, altKey, metaKey, repeat, target }) => {
  if (key.toLowerCase() === 'f' && !ctrlKey && !altKey && !metaKey && !repeat && !target.closest?.('select')) fill();
});
visit({ name: null });
document.body.append(weaves(), header(html('div', { class: 'about' }, heading, state), full,
  ...(isUntold ? [html('label', { class: 'stay' }, pause, 'Pause')] : []),
  html('label', { class: 'stay' }, stay, 'Stay at this match')), stage);

function draw(view) {
  ends?.abort();
  ends = new AbortController();
  match = new Match(view, { isAddress: false, signal: ends.signal });
  refill(heading, ...match.heading.childNodes);
  refill(stage, match.main, match.controls);
  document.title = `${title(view)}, match ${view.match}`;
}

async function show(number) {
  shown = number;
  const view = await load(`/data/view/${number}${isUntold ? '?at=0' : ''}`).catch(() => null);
  if (!view) {
    shown = null;
    return;
  }
  draw(view);
  [endedAt, isWhole] = [0, !isUntold];
  state.textContent = `The newest match, number ${number}`;
  if (isUntold) setTimeout(() => grow(view), TURN_MS);
  else if (matchMedia('(prefers-reduced-motion: reduce)').matches) match.goToEnd();
  else match.play(SPEED);
}

// Adds the next turn to the match.
async function grow(view) {
  const next = pause.checked || !match.isAtEnd ? null : await load(`/data/view/${view.match}?at=${view.frames.length}`).catch(() => null);
  if (next?.result) {
    draw({ ...next, frames: [...view.frames, ...next.frames] });
    isWhole = true;
    return;
  }
  if (next) match.add(next.frames);
  setTimeout(() => grow(view), TURN_MS);
}

// Goes on when the match is over and its end was seen.
async function check() {
  const isEnd = isWhole && match?.isAtEnd;
  const isFree = match === null || (isEnd && endedAt > 0 && performance.now() - endedAt > STAY_MS);
  if (isEnd && endedAt === 0) endedAt = performance.now();
  if (newest !== null && newest !== shown && isFree && !stay.checked) await show(newest);
  clearTimeout(timer);
  timer = setTimeout(check, CHECK_MS);
}

follow(({ latest }) => {
  newest = latest;
  if (latest === null) state.textContent = 'No match is finished yet.';
  else if (shown === null) check();
}, () => {});
