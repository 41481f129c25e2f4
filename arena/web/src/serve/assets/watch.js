// The page of a match that is being played: it grows with each turn, and becomes that of the record at the end.

import { html } from './dom.js';
import { weaves } from './fabric.js';
import { themeSwitch } from './theme.js';
import { Match, title } from './match.js';
import { load } from './follow.js';

// The record of a match comes a moment after its end.
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

// The film comes first, with all frames so far, and again when the page was away.
function take(told) {
  film ??= { ...told.film, frames: [] };
  if (told.film && told.frames.length < film.frames.length) return location.reload(); // it is played a second time
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

// Written where it is another word only, so that it is read out once.
function say(words) {
  if (state.textContent !== words) state.textContent = words;
}

// Whoever looks at a turn looks at it again in the record, and who followed sees the end.
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

// A page that nobody sees lets go: browsers keep few connections to one place, for all tabs together.
function listen() {
  events?.close();
  if (document.hidden) return;
  events = new EventSource(`${place}/events`);
  events.addEventListener('message', (event) => take(JSON.parse(event.data)));
  events.addEventListener('error', () => {
    if (events.readyState === EventSource.CLOSED) end(); // it is not played any more
    else say('The arena does not answer; asking again.');
  });
}

document.addEventListener('visibilitychange', listen);
listen();
