// Two matches of one deal side by side, in step: the boards, and the turns in which the seats part.

import { html } from './dom.js';
import { fabrics } from './fabric.js';
import { Controls } from './controls.js';
import { Help } from './help.js';
import { GAMES, KEYS } from './match.js';
import { Player } from './player.js';
import { markLines, turnLine } from './moves.js';
import { Place } from './seat.js';
import { fitted } from './fit.js';
import { did, titled, told } from './story.js';

// What a move does, to compare it with another one.
function done({ act, card, pieces = [] }) {
  return JSON.stringify([act, card, pieces.flatMap(({ cells }) => cells).sort((one, other) => one - other)]);
}

export class Beside {
  #sides;
  #player;
  #controls;
  #list = html('ol', { class: 'moves', tabindex: 0, 'aria-label': 'Where they part' });

  // Shows two views of the same deal.
  constructor(views) {
    const game = GAMES[views[0].game];
    const fabric = fabrics(game.ids(views[0]));
    this.#sides = views.map((view) => {
      const places = view.bots.map((_, seat) => new Place(game, view, seat, fabric));
      view.frames.forEach((frame, number) => places.forEach((place) => place.add(frame, number)));
      return { view, places, table: game.table(view, fabric) };
    });
    // The deal of doodle has one table; at Patchwork each match has its own.
    const tables = views[0].game === 'doodle' ? this.#sides.slice(0, 1) : this.#sides;
    const longer = views.reduce((one, other) => (other.frames.length > one.frames.length ? other : one));
    this.#player = new Player((index, isPlaying) => this.#show(index, isPlaying), { isAddress: true });
    longer.frames.forEach(({ id }) => this.#player.add(id ?? null));
    const help = new Help('Keys', KEYS.slice(0, 3));
    this.#controls = new Controls(this.#player, longer, game, help);
    this.#fill(game);
    const seats = html('div', { class: 'seats', role: 'group', 'aria-label': 'Seats' },
      ...this.#sides.flatMap(({ view, places }) => places.map((place) => {
        place.node.querySelector('h2').append(html('small', {}, ` match ${view.match}`));
        return place.node;
      })));
    fitted(seats);
    const names = views.map((view) => html('p', { class: 'story' }, `Match ${view.match}: ${view.result ? told(view, game) : titled(game, view.bots)}`));
    this.heading = html('div', {}, html('h1', {}, `${game.title}: matches ${views.map((view) => view.match).join(' and ')} on one deal`), ...names);
    this.main = html('main', { class: `match beside ${views[0].game}` }, seats,
      html('div', { class: 'side' }, html('section', { class: 'panel', 'aria-label': 'Differences' }, html('h2', {}, 'Where they part'), this.#list),
        ...tables.map(({ table }) => table.node)));
    this.controls = this.#controls.node;
    this.#player.start(longer.frames.length - 1);
  }

  // Lists the turns in which the same seat did something else, the first one first, with what it cost where that is known.
  #fill(game) {
    const [left, right] = this.#sides.map(({ view }) => view);
    const tell = (view, number, seat) => {
      const entry = view.frames[number]?.entries.find((one) => one.seat === seat);
      if (!entry) return null;
      const loss = entry.analysis?.named ? `, lost ${entry.analysis.loss.toFixed(1)}` : '';
      return { what: entry.fault ? entry.fault.kind : done(entry), words: `${view.bots[seat]}: ${did(entry, number, view, game)}${loss}` };
    };
    left.frames.forEach((_frame, number) => left.bots.forEach((_bot, seat) => {
      const [one, other] = [left, right].map((view) => tell(view, number, seat));
      if (!one || !other || one.what === other.what) return;
      this.#list.append(turnLine(left, number, (at) => this.#player.go(at), game, seat,
        html('span', { class: 'what' }, one.words, html('br'), other.words)));
    }));
    if (this.#list.childElementCount === 0) this.#list.append(html('li', {}, 'Nowhere: the seats play alike.'));
  }

  #show(index, isPlaying) {
    for (const { view, places, table } of this.#sides) {
      const number = Math.min(index, view.frames.length - 1);
      places.forEach((place) => place.show(number));
      table.show(view.frames[number], view.frames[number - 1]);
    }
    this.#controls.show(index, isPlaying);
    markLines(this.#list, index);
    document.documentElement.dataset.frame = index;
  }
}
