// Which frame is shown: steps, jumps, play and pause, keys, and the address. Knows no game.

// At speed 1 a frame stays for so long.
const FRAME_MS = 1200;
// The address follows when a frame has stayed for so long: browsers allow no more than some changes a second.
const ADDRESS_MS = 200;

export class Player {
  #frames = []; // the ids of the decisions, null for the beginning
  #show;
  #isAddress;
  #timer = null;
  #settling = null;
  index = 0;
  speed = 1;

  // `show` is called with the number of the frame and whether it is played. `isAddress` says whether the page's address
  // follows; `signal` lets go of the keys.
  constructor(show, { isAddress, signal }) {
    [this.#show, this.#isAddress] = [show, isAddress];
    if (isAddress) addEventListener('hashchange', () => this.#jumpToAddress(), { signal });
    document.addEventListener('keydown', (event) => this.#key(event), { signal });
    signal?.addEventListener('abort', () => this.pause());
  }

  // Adds a frame behind the others.
  add(id) {
    this.#frames.push(id);
  }

  start() {
    if (!this.#isAddress || !this.#jumpToAddress()) this.stay();
  }

  // Shows the frame again: there are more behind it.
  stay() {
    this.#show(this.index, this.isPlaying);
  }

  get last() {
    return this.#frames.length - 1;
  }

  get isPlaying() {
    return this.#timer !== null;
  }

  // Goes to a frame; a playing match stops there.
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

  // Replaced, not added: the way back leads out of the page and not through all turns.
  #writeAddress() {
    history.replaceState(null, '', `#turn=${this.#frames[this.index] ?? 'start'}`);
  }

  #jumpToAddress() {
    const wanted = /^#turn=(\d+|start|end)$/.exec(location.hash)?.[1];
    if (wanted === undefined) return false;
    const places = { start: 0, end: this.last };
    const index = places[wanted] ?? this.#frames.findIndex((id) => id !== null && id >= Number(wanted));
    this.go(index < 0 ? this.last : index);
    return true;
  }

  // Keys that an element needs for itself are left to it.
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
