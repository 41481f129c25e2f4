// Slider and buttons, always visible.

import { count, html, refill, svg } from './dom.js';

const SPEEDS = [0.5, 1, 2, 4, 8];

export class Controls {
  #player;
  #view;
  #game;
  #slider;
  #play = html('button', { type: 'button', class: 'play' });
  #where = html('p', { class: 'where' });
  #select = html('select', {});

  constructor(player, view, game, help) {
    [this.#player, this.#view, this.#game] = [player, view, game];
    this.#slider = html('input', { type: 'range', min: 0, step: 1, 'aria-label': 'Turn' });
    this.#slider.addEventListener('input', () => player.go(Number(this.#slider.value)));
    this.#play.addEventListener('click', () => player.toggle());
    const go = (label, name, target) => {
      const button = html('button', { type: 'button', 'aria-label': label, title: label }, icon(name));
      button.addEventListener('click', () => player.go(target()));
      return button;
    };
    this.node = html('nav', { class: 'controls', 'aria-label': 'Turns' }, this.#slider,
      html('div', { class: 'row' },
        go('To the beginning', 'first', () => 0), go('One turn back', 'back', () => player.index - 1), this.#play,
        go('One turn on', 'on', () => player.index + 1), go('To the end', 'last', () => player.last),
        this.#where, this.#speed(), help.button), help.node);
  }

  #speed() {
    const options = SPEEDS.map((speed) => html('option', { value: speed }, `${speed}\u00d7`));
    this.#select.append(...options);
    this.setSpeed(this.#player.speed);
    this.#select.addEventListener('change', () => { this.#player.speed = Number(this.#select.value); });
    return html('label', { class: 'speed' }, html('span', {}, 'Speed'), this.#select);
  }

  // Shows a speed that the player has.
  setSpeed(speed) {
    this.#select.value = String(speed);
  }

  show(index, isPlaying) {
    const frame = this.#view.frames[index];
    const heading = frame.id === undefined ? 'Beginning' : this.#game.heading(frame, this.#view);
    const turn = frame.id === undefined ? count(this.#player.last, 'turn') : `turn ${frame.id + 1} of ${this.#view.frames.at(-1).id + 1}`;
    this.#slider.max = this.#player.last;
    this.#slider.value = index;
    this.#slider.setAttribute('aria-valuetext', `${heading}, ${turn}`);
    const label = isPlaying ? 'Pause' : 'Play';
    this.#play.setAttribute('aria-label', label);
    this.#play.title = label;
    refill(this.#play, icon(isPlaying ? 'pause' : 'play'));
    // Screen readers announce single steps, but not a playing match.
    this.#where.setAttribute('aria-live', isPlaying ? 'off' : 'polite');
    refill(this.#where, html('b', {}, heading), ' ', html('span', {}, turn));
  }
}

function icon(name) {
  const shapes = {
    first: 'M5 4h2v12H5zM16 4v12L8 10z', back: 'M14 4v12L6 10z', play: 'M6 3.5v13L16.5 10z',
    pause: 'M5 4h3.6v12H5zM11.4 4H15v12h-3.6z', on: 'M6 4v12l8-6z', last: 'M4 4v12l8-6zM13 4h2v12h-2z',
  };
  return svg('svg', { class: 'icon', viewBox: '0 0 20 20', 'aria-hidden': 'true' }, svg('path', { d: shapes[name] }));
}
