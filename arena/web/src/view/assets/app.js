// The page of one match.

import { html } from './dom.js';
import { weaves } from './fabric.js';
import { themeSwitch } from './theme.js';
import { Match, title } from './match.js';

function open(film) {
  const match = new Match(film);
  document.title = `${title(film)}, match ${film.match}`;
  document.body.append(weaves(), html('header', { class: 'top' }, match.heading, themeSwitch()), match.main, match.controls);
}

open(JSON.parse(document.getElementById('film').textContent));
