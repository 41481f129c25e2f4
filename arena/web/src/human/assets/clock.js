// The time left for the player's decision.

import { html } from './dom.js';

const TICK_MS = 200;
// With less time than this, the clock warns.
const WARN_MS = 10_000;

export class Clock {
  #end = 0;
  #timer = null;
  #time = html('b', {});
  #warning = html('span', { class: 'hidden', role: 'alert' });
  node = html('p', { class: 'clock', hidden: '' }, this.#time, ' left', this.#warning);

  // Counts down from this many milliseconds; `null` hides the clock.
  show(leftMs) {
    clearInterval(this.#timer);
    this.node.hidden = leftMs === null;
    this.#warning.textContent = '';
    if (leftMs === null) return;
    this.#end = performance.now() + leftMs;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#tick();
  }

  #tick() {
    const left = Math.max(this.#end - performance.now(), 0);
    const seconds = Math.ceil(left / 1000);
    this.#time.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    const isShort = left < WARN_MS;
    this.node.classList.toggle('short', isShort);
    // Screen readers announce the warning once, and not each second.
    if (isShort && this.#warning.textContent === '') this.#warning.textContent = `${seconds} seconds left`;
    if (left === 0) clearInterval(this.#timer);
  }
}
