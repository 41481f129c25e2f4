// The available pieces: a button for each card or patch, and for each piece that a cut leaves.

import { html, refill } from './dom.js';
import { shape, shapeWords } from './board.js';

export class Tray {
  #take;
  #whole = html('ul', { class: 'choices', 'aria-label': 'To lay' });
  #pieces = html('ul', { class: 'choices small', 'aria-label': 'Pieces that cuts leave' });
  #cut = html('details', { class: 'cut' }, html('summary', {}, 'Cut it'), this.#pieces);
  #fabric;

  // Calls `take` with the choice that the player takes in hand.
  constructor(take) {
    this.#take = take;
    this.node = html('section', { class: 'panel tray', 'aria-label': 'What you can take' },
      html('h2', {}, 'What you can take'), this.#whole, this.#cut);
    this.show([], () => '', null);
  }

  // Shows choices with their fabrics. `held` is the choice in hand; the pieces of its card are shown too. The card of `hinted`,
  // if there is one, is marked. Without choices, the last ones stay to be seen, so that nothing on the page moves.
  show(choices, fabric, held, hinted) {
    this.node.inert = choices.length === 0;
    if (choices.length === 0 && this.#whole.childElementCount > 0) return;
    this.#fabric = fabric;
    const { card, piece } = this.node.contains(document.activeElement) ? document.activeElement.dataset : {};
    refill(this.#whole, ...choices.filter(({ piece }) => piece === 0).map((choice) => this.#button(choice, held)));
    const pieces = choices.filter(({ piece, card }) => piece > 0 && card === held?.card);
    this.#cut.classList.toggle('absent', pieces.length === 0);
    refill(this.#pieces, ...pieces.map((choice) => this.#button(choice, held)));
    if (hinted?.choice) this.#whole.querySelector(`[data-card="${CSS.escape(hinted.card ?? '')}"]`)?.classList.add('hinted');
    // The buttons are new, and the one for the same piece keeps the focus.
    if (card !== undefined) this.node.querySelector(`[data-card="${CSS.escape(card)}"][data-piece="${piece}"]`)?.focus({ preventScroll: true });
  }

  // Focuses the first choice that fits somewhere, or else the first one.
  focus() {
    const button = this.#whole.querySelector('button:not(:has(.none))') ?? this.#whole.querySelector('button');
    button?.focus({ preventScroll: true });
  }

  #button(choice, held) {
    const { card, piece, costs, turnings } = choice;
    const places = turnings.some(({ anchors }) => anchors.length > 0);
    const picture = html('span', { class: 'picture' },
      shape(turnings[0].shape, this.#fabric(choice), { 'aria-hidden': 'true' }));
    const name = piece > 0 ? `${card}, piece ${piece}` : card ?? 'Leather patch';
    const words = [html('b', {}, name), html('span', { class: 'hidden' }, `: ${shapeWords(turnings[0].shape)}. `), html('span', {}, costs), places ? null : html('span', { class: 'none' }, choice.obstacle ?? 'no place')];
    const button = html('button', {
      type: 'button', class: 'choice', 'aria-pressed': String(choice === held), 'data-card': card ?? '', 'data-piece': piece,
    }, picture, ...words);
    // Pressing a button starts a drag. The press redraws the tray, so no click follows.
    button.addEventListener('pointerdown', () => this.#take(choice, false));
    button.addEventListener('click', () => this.#take(choice, true));
    return html('li', {}, button);
  }
}
