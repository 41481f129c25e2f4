// All tables and plots of a tournament. The table that decides comes first.

import { StandingsTable } from './standings.js';
import { OutcomeTables, decides } from './outcome.js';
import { Crosstable } from './crosstable.js';
import { Spread } from './spread.js';
import { Strength } from './strength.js';

export class Tables {
  #standings = new StandingsTable();
  #outcome = new OutcomeTables();
  #all = [this.#standings, this.#outcome, new Strength(), new Spread(), new Crosstable()];

  get nodes() {
    return this.#all.map(({ node }) => node);
  }

  // Shows what the tables mean, a line each.
  tell(notes) {
    this.#standings.tell(notes);
  }

  show(standings) {
    const isDecided = decides(standings);
    if (isDecided) this.#standings.node.before(this.#outcome.node);
    else this.#standings.node.after(this.#outcome.node);
    for (const table of this.#all) {
      table.node.hidden = false; // a table with nothing to show hides itself
      table.show(standings, isDecided);
    }
  }
}
