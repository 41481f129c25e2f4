// Has a match judged by the coach, on the machine that serves its page. The moves get their losses one after the other.

import { html } from './dom.js';
import { ROOT } from './site.js';

const CHECK_MS = 1000;

export class Judge {
  #button = html('button', { type: 'button', class: 'judge' });
  #state = html('span', { class: 'quiet', role: 'status' });
  #count = html('span', { class: 'quiet' });
  #timer = null;
  #view;
  #site;
  #redraw;
  #isJudging = false;
  node = html('span', {}, this.#state, this.#count, ' ', this.#button);

  // Calls `redraw` with the view after further moves are judged, and with true after the last one.
  constructor(view, site, redraw) {
    [this.#view, this.#site, this.#redraw] = [view, site, redraw];
    this.#button.addEventListener('click', () => this.#ask(this.#isJudging ? 'DELETE' : 'POST'));
    this.#tell();
    this.#look();
  }

  async #ask(method) {
    const answer = await this.#fetch(`/match/${this.#site.match}/judge?token=${this.#site.judge}`, { method });
    if (answer?.ok) await this.#look();
    else this.#state.textContent = answer ? (await answer.text()).trim() : 'the arena does not answer';
  }

  // Looks at the process, and at what is judged by now.
  async #look() {
    clearTimeout(this.#timer);
    const path = `/match/${this.#site.match}`;
    const wasJudging = this.#isJudging;
    const told = await this.#json(`${path}/judge`);
    this.#isJudging = told?.is_judging ?? wasJudging;
    const seen = wasJudging || this.#isJudging ? await this.#json(`/data/view/${this.#site.match}`) : null;
    if (seen) {
      const { site, ...view } = seen;
      this.#view = view;
      this.#redraw(view, !this.#isJudging);
    }
    this.#tell(told?.trouble);
    if (this.#isJudging) this.#timer = setTimeout(() => this.#look(), CHECK_MS);
  }

  #tell(trouble) {
    const [count, all] = judged(this.#view);
    this.#button.textContent = this.#isJudging ? 'Cancel' : 'Judge this match';
    this.#button.hidden = !this.#isJudging && count === all;
    const words = trouble?.trim() ?? (this.#isJudging ? 'The coach judges the moves. ' : '');
    if (this.#state.textContent !== words) this.#state.textContent = words;
    this.#count.textContent = this.#isJudging || (count > 0 && count < all) ? `${count} of ${all} moves judged` : '';
  }

  async #json(path) {
    const answer = await this.#fetch(path);
    return answer?.ok ? answer.json().catch(() => null) : null;
  }

  async #fetch(path, options) {
    return fetch(ROOT + path, options).catch(() => null);
  }
}

// The number of judged moves, and of all.
export function judged({ frames, given = 0 }) {
  const moves = frames.filter(({ id }) => id >= given).flatMap(({ entries }) => entries.filter(({ act }) => act));
  return [moves.filter(({ analysis }) => analysis).length, moves.length];
}
