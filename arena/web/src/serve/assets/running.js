// The running matches that can be watched.

import { count, html } from './dom.js';
import { matchLink } from './site.js';

export class RunningList {
  #items = new Map(); // by match
  #list = html('ul', { class: 'running' });
  node = html('section', { class: 'panel wide', 'aria-label': 'Being played', hidden: '' }, html('h2', {}, 'Being played'), this.#list);

  // Items that remain keep their place and their focus.
  show(rows) {
    const wanted = new Set(rows.map((row) => row.match));
    for (const [match, item] of this.#items) {
      if (!wanted.has(match)) {
        item.remove();
        this.#items.delete(match);
      }
    }
    rows.forEach((row, place) => {
      const item = this.#items.get(row.match) ?? this.#item(row);
      item.lastChild.textContent = `: ${row.bots.join(', ')}, ${count(row.turns, 'turn')}`;
      if (this.#list.children[place] !== item) this.#list.insertBefore(item, this.#list.children[place] ?? null);
    });
    this.node.hidden = rows.length === 0;
  }

  #item({ match }) {
    const item = html('li', {}, matchLink(match), html('span', {}));
    this.#items.set(match, item);
    return item;
  }
}
