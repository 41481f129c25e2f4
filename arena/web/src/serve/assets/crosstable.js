// The crosstable of all bots.

import { html, refill, signed } from './dom.js';
import { NONE, best, framed, panel, shareWon } from './standings.js';
import { botLink, pairLink } from './site.js';

export class Crosstable {
  #frame = framed('Crosstable', 'cross fabric-1');
  #words = html('p', { class: 'quiet' });
  node = panel('Crosstable', this.#words, this.#frame);

  show(standings) {
    this.node.hidden = standings.crosstable.length === 0;
    // A table that is hidden keeps no elements.
    if (this.node.hidden) {
      this.#frame.replaceChildren();
      return;
    }
    const [rows, left] = best(standings);
    const bots = rows.map(({ bot }) => bot);
    const met = new Map(standings.crosstable.map((pair) => [JSON.stringify([pair.bot, pair.against]), pair]));
    this.#words.textContent = `Share won in percent, draws counting half, and mean margin.${left}`;
    refill(this.#frame, html('table', {},
      html('thead', {}, html('tr', {}, html('td', {}), ...bots.map((bot) => html('th', { scope: 'col', title: bot }, botLink(bot))))),
      html('tbody', {}, ...bots.map((bot) => html('tr', {}, html('th', { scope: 'row', class: 'bot' }, botLink(bot)),
        ...bots.map((against) => this.#cell(bot, against, met.get(JSON.stringify([bot, against])))))))));
  }

  #cell(bot, against, pair) {
    if (!pair) return html('td', {}, bot === against ? '' : NONE);
    const percent = shareWon(pair);
    const cell = html('td', { title: `${bot} against ${against}: ${pair.won}-${pair.drawn}-${pair.lost}` },
      pairLink(bot, against, html('b', {}, percent.toFixed(1)), ` ${signed(pair.mean_margin.toFixed(1))}`));
    cell.style.setProperty('--share', `${Math.round(percent)}%`);
    return cell;
  }
}
