// A dialog that shows a match above the page.

import { html, refill } from './dom.js';
import { Match, title } from './match.js';

export class Theatre {
  #ends = null;
  node = html('dialog', { class: 'theatre' });

  constructor() {
    this.node.addEventListener('close', () => {
      this.#ends.abort();
      this.node.replaceChildren();
    });
  }

  show(view) {
    this.#ends = new AbortController();
    const match = new Match(view, { isAddress: false, signal: this.#ends.signal });
    const close = html('button', { type: 'button', class: 'close' }, 'Close');
    close.addEventListener('click', () => this.node.close());
    match.heading.setAttribute('tabindex', -1);
    this.node.setAttribute('aria-label', `${title(view)}, match ${view.match}`);
    refill(this.node, html('header', { class: 'top' }, match.heading, close), match.main, match.controls);
    this.node.showModal();
    match.heading.focus(); // the heading uses none of the match's keys
  }
}
