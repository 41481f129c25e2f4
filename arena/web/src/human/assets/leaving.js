// The button to give up, with a dialog for confirmation.

import { html } from './dom.js';

export class Leaving {
  button = html('button', { type: 'button', class: 'leave', hidden: '', 'aria-haspopup': 'dialog' }, 'Give up');
  node;
  // True after confirmation.
  isDone = false;

  // Calls `leave` after confirmation.
  constructor(leave) {
    // The first button, which has the focus when the dialog opens.
    const on = html('button', { type: 'button', class: 'sure' }, 'Play on');
    const out = html('button', { type: 'button', class: 'grave' }, 'Give up');
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

  // Shows the button during a match.
  show(isPlayed) {
    this.button.hidden = !isPlayed;
    if (!isPlayed && this.isOpen) this.node.close();
  }
}
