// The distribution of scores, with a row of bars for each bot.

import { html, refill, signed, svg } from './dom.js';
import { botLink } from './site.js';

const BARS_HEIGHT = 34;

export class Spread {
  #rows = html('ul', { class: 'spread' });
  #words = html('p', { class: 'quiet' });
  node = html('section', { class: 'panel', 'aria-label': 'Distribution of scores' },
    html('h2', {}, 'Distribution of scores'), this.#words, this.#rows);

  show({ rows, about: { classes } }) {
    this.node.hidden = !classes;
    if (!classes) return;
    const low = (place) => classes.low + place * classes.width;
    const count = Math.max(...rows.map(({ scores }) => scores.length));
    this.#words.textContent = `Scores from ${signed(low(0))} to ${signed(low(count) - 1)}, in classes of ${classes.width}`;
    refill(this.#rows, ...rows.map((row) => {
      const most = Math.max(...row.scores);
      const usual = row.scores.indexOf(most);
      const label = `Scores of ${row.bot}: most often from ${signed(low(usual))} to ${signed(low(usual + 1) - 1)}`;
      return html('li', {}, html('span', { class: 'bot', title: row.bot }, botLink(row.bot)), bars(row.scores, most, label, low));
    }));
  }
}

function bars(scores, most, label, low) {
  const height = (times) => (times === 0 ? 0 : Math.max((BARS_HEIGHT * times) / most, 1));
  return svg('svg', { class: 'bars', role: 'img', 'aria-label': label, viewBox: `0 0 ${10 * scores.length} ${BARS_HEIGHT}`, preserveAspectRatio: 'none' },
    svg('line', { class: 'rule', x1: 0, x2: 10 * scores.length, y1: BARS_HEIGHT, y2: BARS_HEIGHT }),
    ...scores.map((times, place) => svg('rect', { class: 'bar', x: 10 * place + 1, width: 8, y: BARS_HEIGHT - height(times), height: height(times) },
      svg('title', {}, `${signed(low(place))} to ${signed(low(place + 1) - 1)}: ${times}`))));
}
