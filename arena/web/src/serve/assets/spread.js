// The distribution of scores, with a row of bars for each bot.

import { html, refill, signed, svg } from './dom.js';
import { botLink } from './site.js';
import { best } from './standings.js';

const BARS_HEIGHT = 34;
const TICKS_MAX = 5;

export class Spread {
  #rows = html('ul', { class: 'spread' });
  #words = html('p', { class: 'quiet' });
  node = html('section', { class: 'panel', 'aria-label': 'Distribution of scores' },
    html('h2', {}, 'Distribution of scores'), this.#words, this.#rows);

  show(standings) {
    const { about: { classes } } = standings;
    this.node.hidden = !classes;
    if (!classes) return;
    const [rows, left] = best(standings);
    const low = (place) => classes.low + place * classes.width;
    const count = Math.max(...rows.map(({ scores }) => scores.length));
    // The first and the last class have all scores beyond them, too.
    const range = (place) => (count === 1 ? 'all scores' : place === 0 ? `${signed(low(1) - 1)} or less`
      : place === count - 1 ? `${signed(low(place))} or more` : `${signed(low(place))} to ${signed(low(place + 1) - 1)}`);
    this.#words.textContent = `Scores in classes of ${classes.width}. The first and the last class have all scores beyond them, too.${left}`;
    refill(this.#rows, ...rows.map((row) => {
      const most = Math.max(...row.scores);
      const usual = row.scores.indexOf(most);
      const label = `Scores of ${row.bot}: most often ${range(usual)}`;
      return html('li', {}, html('span', { class: 'bot', title: row.bot }, botLink(row.bot)), bars(row.scores, most, label, range));
    }), axis(count, low));
  }
}

// The scores at which classes begin, once for all rows.
function axis(count, low) {
  const step = Math.ceil(count / TICKS_MAX);
  // The last tenth has no room for a number.
  const ticks = Array.from({ length: Math.ceil((0.9 * count) / step) }, (_, number) => number * step).map((place) => {
    const tick = html('span', {}, signed(low(place)));
    tick.style.left = `${(100 * place) / count}%`;
    return tick;
  });
  return html('li', { class: 'axis', 'aria-hidden': 'true' }, html('span', {}), html('div', {}, ...ticks));
}

function bars(scores, most, label, range) {
  const height = (times) => Math.max((BARS_HEIGHT * times) / most, 1);
  return svg('svg', { class: 'bars', role: 'img', 'aria-label': label, viewBox: `0 0 ${10 * scores.length} ${BARS_HEIGHT}`, preserveAspectRatio: 'none' },
    svg('line', { class: 'rule', x1: 0, x2: 10 * scores.length, y1: BARS_HEIGHT, y2: BARS_HEIGHT }),
    ...scores.flatMap((times, place) => (times === 0 ? [] : svg('rect', { class: 'bar', x: 10 * place + 1, width: 8, y: BARS_HEIGHT - height(times), height: height(times) },
      svg('title', {}, `${range(place)}: ${times}`)))));
}
