// A dialog that tells the keys, and a button that opens it.

import { html } from './dom.js';

export class Help {
  button = html('button', { type: 'button', class: 'help', 'aria-haspopup': 'dialog', 'aria-label': 'Keys and help', title: 'Keys and help' }, '?');
  node;

  // `keys` has pairs of keys and what they do. Paragraphs may follow.
  constructor(title, keys, ...more) {
    const close = html('button', { type: 'button' }, 'Close');
    this.node = html('dialog', { class: 'panel helping', 'aria-label': title }, html('h2', {}, title),
      html('dl', {}, ...keys.flatMap(([key, words]) => [html('dt', {}, html('kbd', {}, key)), html('dd', {}, words)])), ...more, close);
    close.addEventListener('click', () => this.node.close());
    this.button.addEventListener('click', () => this.open());
  }

  open() {
    if (!this.node.open) this.node.showModal();
  }
}
