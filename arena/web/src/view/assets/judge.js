// Has a match judged by the coach, on the machine that serves its page. The moves get their losses one after the other.

import { html } from './dom.js';
import { ROOT } from './site.js';

const CHECK_MS = 1000;

export class Judge {
  #button = html('button', { type: 'button', class: 'judge' });
  #state = html('span', { class: 'quiet', role: 'status' });
  #view;
  #site;
  #redraw;
  #isJudging = false;
  node = html('span', {}, this.#state, ' ', this.#button);

  // Calls `redraw` with the view after further moves are judged.
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
    const answer = await this.#fetch(`/match/${this.#site.match}/judge`);
    if (!answer?.ok) return;
    const { is_judging: isJudging, trouble } = await answer.json();
    const wasJudging = this.#isJudging;
    this.#isJudging = isJudging;
    if (isJudging || wasJudging) {
      const { site, ...view } = await (await this.#fetch(`/data/view/${this.#site.match}`)).json();
      if (judged(view)[0] !== judged(this.#view)[0]) this.#redraw(view);
      this.#view = view;
    }
    this.#tell(trouble);
    if (isJudging) setTimeout(() => this.#look(), CHECK_MS);
  }

  #tell(trouble) {
    const [count, all] = judged(this.#view);
    this.#button.textContent = this.#isJudging ? 'Cancel' : 'Judge this match';
    this.#button.hidden = !this.#isJudging && count === all;
    this.#state.textContent = trouble?.trim() ?? (this.#isJudging || (count > 0 && count < all) ? `${count} of ${all} moves judged` : '');
  }

  async #fetch(path, options) {
    return fetch(ROOT + path, options).catch(() => null);
  }
}

// The number of judged moves, and of all.
function judged({ frames, given = 0 }) {
  const moves = frames.filter(({ id }) => id >= given).flatMap(({ entries }) => entries.filter(({ act }) => act));
  return [moves.filter(({ analysis }) => analysis).length, moves.length];
}
