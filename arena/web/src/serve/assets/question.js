// The question of a comparison: its answer, the way of the test to it, and the deals that parted the bots the most.

import { count, html, refill, signed, svg } from './dom.js';
import { matchLink } from './site.js';
import { framed, table } from './standings.js';

const [WIDTH, HEIGHT, LEFT, MARGIN] = [640, 180, 60, 24];

export class Question {
  #answer = html('h2', {});
  #estimate = html('p', {});
  #path = html('figure', {});
  #parted = framed('Deals that parted the bots the most');
  node = html('section', { class: 'panel wide', 'aria-label': 'Question', hidden: '' }, this.#answer, this.#estimate, this.#path, this.#parted);

  // Shows a comparison; nothing for another tournament.
  show(comparison) {
    this.node.hidden = comparison === null;
    if (comparison === null) return;
    const { bots, question, answer, verdict, estimate, course } = comparison;
    this.#answer.textContent = verdict;
    this.#estimate.textContent = [estimate, `H0: ${question.h0}, H1: ${question.h1} ${question.metric === 'elo' ? 'Elo' : 'points'}`].filter(Boolean).map(signed).join(' \u00b7 ');
    refill(this.#path, ...(course.path.length > 1 ? [drawn(course.path), html('figcaption', { class: 'quiet' },
      `The log-likelihood ratio after each deal, now ${signed(answer.llr.toFixed(2))}. Above the upper line ${bots[0]} is better, below the lower one it is not.`)] : []));
    const titles = [['deals that parted them most', '', 'words'], [`lead of ${bots[0]}`], ['matches', '', 'words']];
    refill(this.#parted, table(titles, course.parted.map(({ round, lead, matches }) => html('tr', {}, html('th', { scope: 'row' }, `deal ${round + 1}`), html('td', {}, signed(lead)),
      html('td', { class: 'seated' }, ...matches.flatMap((match, place) => [place > 0 ? ', ' : '', matchLink(match)]))))));
  }
}

function drawn(path) {
  const most = Math.max(...path.flatMap(([, llr, bounds]) => [llr, ...bounds].map(Math.abs)), 1);
  const [first, last] = [path[0][0], path.at(-1)[0]];
  const x = (deals) => LEFT + ((WIDTH - LEFT - MARGIN) * (deals - first)) / Math.max(last - first, 1);
  const y = (value) => HEIGHT / 2 - ((HEIGHT / 2 - MARGIN) * value) / most;
  const line = (kind, value) => svg('polyline', { class: kind, points: path.map((point) => `${x(point[0]).toFixed(1)},${y(value(point)).toFixed(1)}`).join(' ') });
  const bounds = path.at(-1)[2];
  return svg('svg', { class: 'plot still test', role: 'img', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-label': `The test over ${count(last, 'deal')}` },
    ...[...bounds, 0].map((value) => svg('text', { class: 'tick left', x: LEFT - 8, y: y(value) }, signed(value.toFixed(value === 0 ? 0 : 2)))),
    ...[first, last].map((deals) => svg('text', { class: 'tick middle', x: x(deals), y: HEIGHT - 4 }, deals)),
    line('rule zero', () => 0), line('bound', ([, , [low]]) => low), line('bound', ([, , [, high]]) => high), line('line', ([, llr]) => llr));
}
