// The page of a running match. It grows with each turn, and becomes the page of the record at the end.

import { html, say } from './dom.js';
import { weaves } from './fabric.js';
import { header, visit } from './site.js';
import { Match, title } from './match.js';
import { connect, follow, silence } from './follow.js';
import { load } from './judge.js';

const LOST = 'The arena does not answer; asking again.';

const place = location.pathname;
const number = Number(place.split('/').pop());
const state = html('p', { class: 'facts', role: 'status' });
let [view, match, disconnect] = [null, null, null];

function begin() {
  const isEnd = location.hash === '';
  match = new Match(view);
  document.title = `${title(view)}, match ${view.match}`;
  match.heading.append(state);
  waiting.forEach((node) => node.remove());
  document.body.append(weaves(), header(match.heading), match.main, match.controls);
  if (isEnd) match.goToEnd();
}

// Handles an event. The first event of a connection has the view and all frames so far.
function take(told) {
  view ??= { ...told.view, frames: [] };
  if (told.view && told.frames.length < view.frames.length) return location.reload(); // a replayed match
  const fresh = told.view ? told.frames.slice(view.frames.length) : told.frames;
  view.open = told.open;
  if (match) {
    match.add(fresh);
  } else if (fresh.length > 0) {
    view.frames = fresh;
    begin();
  }
  if (match) say(state, match.asked ? `Live, now: ${match.asked}` : 'Live');
  document.documentElement.dataset.frames = view.frames.length;
  if (told.is_over) wait();
  return undefined;
}

// Leaves for the page of the record. It opens at the same turn, or at the end if this page was at the end.
function leave() {
  if (match?.isAtEnd) history.replaceState(null, '', '#turn-end');
  location.reload();
}

// Waits until the match is played, now or again after the arena was stopped, or until its record arrives.
function wait() {
  disconnect?.();
  const stop = follow(async (status) => {
    if (status.running.some((row) => row.match === number)) {
      if (match) return location.reload();
      stop();
      disconnect = connect(`${place}/events`, take, (isOver) => (isOver ? wait() : say(state, LOST)));
      return undefined;
    }
    if (await load(`/data/match/${number}`).catch(() => null)) return leave();
    const silent = silence(status);
    if (status.is_over) return say(state, 'There is no record of this match.');
    if (silent) return say(state, match ? `The match was broken off: ${silent}.` : `The match is not played: ${silent}.`);
    return say(state, match ? 'The match is over, or about to go on.' : 'The match is not being played yet.');
  }, () => say(state, LOST));
}

// Until the match begins, the page has nothing but its state.
visit({ name: null });
const waiting = [header(html('div', { class: 'about' }, html('h1', {}, document.title))), html('main', {}, state)];
document.body.append(...waiting);
wait();
