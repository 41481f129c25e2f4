// The page of one match: puts the drawings together and shows the frame that the player is at.

import { duration, html, signed } from './dom.js';
import { fabrics, weaves } from './fabric.js';
import { neighbours } from './board.js';
import { doodle } from './doodle.js';
import { patchwork } from './patchwork.js';
import { Chart, linear, logarithmic } from './chart.js';
import { Player } from './player.js';
import { Place, when } from './seat.js';
import { Controls } from './controls.js';
import { themeSwitch } from './theme.js';

const GAMES = { doodle, patchwork };

function heading(film, game) {
  const facts = [`match ${film.match}`, `round ${film.round}`, `seed ${film.seed}`, `digest ${film.digest}`];
  const faults = film.frames.flatMap((frame) => frame.entries.filter(({ fault }) => fault).map((entry) =>
    html('a', { href: `#turn=${frame.id ?? 'start'}` }, `${film.bots[entry.seat]}: ${entry.fault.kind} ${when(frame)}`)));
  const again = film.replayed ? html('p', { class: 'again' }, `Played a second time: ${film.replayed}`) : null;
  return html('header', { class: 'top' },
    html('div', {}, html('h1', {}, title(film, game)), html('p', { class: 'facts' }, facts.join(' \u00b7 ')),
      faults.length > 0 ? html('p', { class: 'faults' }, ...faults) : null, again),
    themeSwitch());
}

function title(film, game) {
  const { bots } = film;
  return bots.length > 3 ? `${game.title}: ${bots.length} seats` : `${game.title}: ${bots.join(' against ')}`;
}

function charts(film, jump) {
  const frames = film.frames.length - 1;
  const scores = film.bots.map((_, seat) => film.frames.map((frame, number) => [number, frame.seats[seat].score]));
  const times = film.bots.map((_, seat) => film.frames.flatMap((frame, number) =>
    frame.entries.filter((entry) => entry.seat === seat).map((entry) => [number, entry.us])));
  const values = (lines) => lines.flat().map(([, value]) => value);
  const last = (line, words) => (line.length > 0 ? words(line[line.length - 1][1]) : 'none');
  const summary = (lines, words) => lines.map((line, seat) => `${film.bots[seat]} ${last(line, words)}`).join(', ');
  const all = values(times).length > 0 ? values(times) : [1];
  return [
    new Chart({ title: 'Score if the match ended now', summary: `Scores at the end: ${summary(scores, signed)}`,
      lines: scores, frames, jump, scale: linear(values(scores), signed) }),
    new Chart({ title: 'Thinking time', summary: `Time of the last move: ${summary(times, duration)}`,
      lines: times, frames, jump, scale: logarithmic(all, duration) }),
  ];
}

function open(film) {
  const game = GAMES[film.game];
  const laid = (seat) => film.frames.flatMap(({ entries }) => entries.filter((entry) => entry.seat === seat))
    .flatMap(({ pieces }) => pieces ?? []);
  const fabric = fabrics(game.ids(film), neighbours(film.bots.map((_, seat) => laid(seat))));
  const places = film.bots.map((_, seat) => new Place(game, film, seat, fabric));
  const table = game.table(film, fabric);
  const parts = [];
  const player = new Player(film.frames.map((frame) => frame.id ?? null), (index, isPlaying) => {
    table.show(film.frames[index], film.frames[index - 1]);
    places.forEach((place) => place.show(index));
    parts.forEach((part) => part.show(index, isPlaying));
    document.documentElement.dataset.frame = index;
  });
  const drawn = charts(film, (index) => player.go(index));
  const controls = new Controls(player, film, game);
  parts.push(controls, ...drawn);
  document.title = `${title(film, game)}, match ${film.match}`;
  document.body.append(weaves(), heading(film, game),
    html('main', { class: film.game },
      html('div', { class: 'seats', 'data-seats': Math.min(film.bots.length, 5) }, ...places.map((place) => place.node)),
      html('div', { class: 'side' }, table.node, ...drawn.map((chart) => chart.node))),
    controls.node);
  player.start();
}

open(JSON.parse(document.getElementById('film').textContent));
