// Giving up: a button, and the question whether it is meant.

import { html } from './dom.js';

export class Leaving {
  button = html('button', { type: 'button', class: 'leave', hidden: '', 'aria-haspopup': 'dialog' }, 'Give up');
  node;
  // Whether it was confirmed.
  isDone = false;

  // `leave` is called once it is confirmed.
  constructor(leave) {
    // The first button, which has the focus once this is asked.
    const on = html('button', { type: 'button' }, 'Play on');
    const out = html('button', { type: 'button', class: 'sure' }, 'Give up');
    this.node = html('dialog', { class: 'panel leaving', 'aria-labelledby': 'leaving' },
      html('h2', { id: 'leaving' }, 'Give up this match?'),
      html('p', {}, 'You are last then. The others play it to its end, and it is recorded so.'),
      html('div', { class: 'sides' }, on, out));
    this.button.addEventListener('click', () => this.node.showModal());
    on.addEventListener('click', () => this.node.close());
    out.addEventListener('click', () => {
      this.isDone = true;
      this.node.close();
      leave();
    });
  }

  get isOpen() {
    return this.node.open;
  }

  // Shows the button while there is a match to give up.
  show(isPlayed) {
    this.button.hidden = !isPlayed;
    if (!isPlayed && this.isOpen) this.node.close();
  }
}
