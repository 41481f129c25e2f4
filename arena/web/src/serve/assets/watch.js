// The page of a running match. It grows with each turn, and becomes the page of the record at the end.

import { html } from './dom.js';
import { weaves } from './fabric.js';
import { themeSwitch } from './theme.js';
import { Match, title } from './match.js';
import { load } from './follow.js';

// The record of a match becomes available shortly after the end of the match.
const RECORD_MS = 500;
const RECORD_TRIES = 20;

const place = location.pathname;
const state = html('p', { class: 'facts', role: 'status' }, 'The match is beginning.');
let [film, match, events] = [null, null, null];

function begin() {
  const isEnd = location.hash === '';
  match = new Match(film);
  document.title = `${title(film)}, match ${film.match}`;
  const heading = html('header', { class: 'top' }, match.heading, themeSwitch());
  match.heading.append(state);
  document.body.append(weaves(), heading, match.main, match.controls);
  if (isEnd) match.goToEnd();
}

// Handles an event. The first event of a connection has the film and all frames so far.
function take(told) {
  film ??= { ...told.film, frames: [] };
  if (told.film && told.frames.length < film.frames.length) return location.reload(); // a replayed match
  const fresh = told.film ? told.frames.slice(film.frames.length) : told.frames;
  film.open = told.open;
  if (match) {
    match.add(fresh);
  } else if (fresh.length > 0) {
    film.frames = fresh;
    begin();
  }
  if (match) say(match.asked ? `Live, now: ${match.asked}` : 'Live');
  document.documentElement.dataset.frames = film.frames.length;
  if (told.is_over) end();
  return undefined;
}

// Changes the text only if it differs, so that screen readers announce it once.
function say(words) {
  if (state.textContent !== words) state.textContent = words;
}

// Loads the page of the record. It opens at the same turn, or at the end if this page was at the end.
async function end() {
  events.close();
  document.removeEventListener('visibilitychange', listen);
  say('The match is over, its record is awaited.');
  for (let tries = 0; tries < RECORD_TRIES; tries += 1) {
    await new Promise((done) => { setTimeout(done, RECORD_MS); });
    if (await load(`/data${place}`).catch(() => null)) {
      if (match?.isAtEnd) history.replaceState(null, '', '#turn=end');
      return location.reload();
    }
  }
  return say('The match was broken off: there is no record of it.');
}

// Connects, unless the page is hidden. A hidden page disconnects, because browsers share a few connections
// to one host among all tabs.
function listen() {
  events?.close();
  if (document.hidden) return;
  events = new EventSource(`${place}/events`);
  events.addEventListener('message', (event) => take(JSON.parse(event.data)));
  events.addEventListener('error', () => {
    if (events.readyState === EventSource.CLOSED) end(); // the match is over
    else say('The arena does not answer; asking again.');
  });
}

document.addEventListener('visibilitychange', listen);
listen();
