// Selects the frame to show: steps, jumps, play and pause, keys, and the address. Knows no game.

import { turnAddress } from './site.js';

// The time that a frame stays at speed 1.
const FRAME_MS = 1200;
// The time that a frame stays before the address follows. Browsers limit the number of changes per second.
const ADDRESS_MS = 200;

export class Player {
  #frames = []; // the ids of the decisions, null for the start position
  #show;
  #isAddress;
  #timer = null;
  #settling = null;
  index = 0;
  speed = 1;

  // Calls `show` with the number of the frame and whether the match is playing. If `isAddress` is true, the
  // page's address follows. Aborting `signal` removes the key handlers.
  constructor(show, { isAddress, signal }) {
    [this.#show, this.#isAddress] = [show, isAddress];
    if (isAddress) addEventListener('hashchange', () => this.#jumpToAddress(), { signal });
    document.addEventListener('keydown', (event) => this.#key(event), { signal });
    signal?.addEventListener('abort', () => {
      this.pause();
      clearTimeout(this.#settling);
    });
  }

  // Adds a frame at the end.
  add(id) {
    this.#frames.push(id);
  }

  // Shows the frame of the address, or else this one.
  start(index) {
    if (this.#isAddress && this.#jumpToAddress()) return;
    this.index = index;
    this.stay();
  }

  // Shows the frame again, because more frames follow it now.
  stay() {
    this.#show(this.index, this.isPlaying);
  }

  get last() {
    return this.#frames.length - 1;
  }

  get isPlaying() {
    return this.#timer !== null;
  }

  // Goes to a frame and pauses.
  go(index) {
    this.pause();
    this.#turnTo(index);
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.#play();
    this.#show(this.index, this.isPlaying);
  }

  pause() {
    clearTimeout(this.#timer);
    this.#timer = null;
  }

  #play() {
    if (this.index === this.last) this.index = 0;
    this.#wait();
  }

  #wait() {
    this.#timer = setTimeout(() => {
      if (this.index + 1 < this.last) this.#wait();
      else this.#timer = null;
      this.#turnTo(this.index + 1);
    }, FRAME_MS / this.speed);
  }

  #turnTo(index) {
    this.index = Math.max(0, Math.min(index, this.last));
    this.#show(this.index, this.isPlaying);
    clearTimeout(this.#settling);
    if (this.#isAddress) this.#settling = setTimeout(() => this.#writeAddress(), ADDRESS_MS);
  }

  // Replaces the address, so that the back button leaves the page and does not step through all turns.
  #writeAddress() {
    history.replaceState(null, '', turnAddress(this.#frames[this.index]));
  }

  #jumpToAddress() {
    // After "=", as in older links, the number is the id in the record, which counts from 0.
    const [, mark, wanted] = /^#turn([-=])(\d+|start|end)$/.exec(location.hash) ?? [];
    if (wanted === undefined) return false;
    const places = { start: 0, end: this.last };
    const first = Number(wanted) - (mark === '-' ? 1 : 0);
    const index = places[wanted] ?? this.#frames.findIndex((id) => id !== null && id >= first);
    this.go(index < 0 ? this.last : index);
    return true;
  }

  // Ignores keys that the focused element needs itself.
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const element = event.target.closest?.('input, select, textarea, button, summary');
    const keys = {
      ArrowLeft: () => this.go(this.index - 1),
      ArrowRight: () => this.go(this.index + 1),
      Home: () => this.go(0),
      End: () => this.go(this.last),
      ' ': () => this.toggle(),
    };
    const isOwn = element && (event.key === ' ' ? !element.matches('input') : element.matches('input, select, textarea'));
    if (isOwn || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  }
}
