// Requests of a page to its arena. Has moves judged by the coach, on the machine that serves the page; values appear one
// after the other.

import { html, say } from './dom.js';
import { ROOT } from './site.js';

const CHECK_MS = 1000;

export class Judge {
  #button = html('button', { type: 'button', class: 'judge' });
  #state = html('span', { class: 'quiet', role: 'status' });
  #count = html('span', { class: 'quiet' });
  #timer = null;
  #path;
  #token;
  #words;
  #bring;
  #isJudging = false;
  node = html('span', {}, this.#state, this.#count, ' ', this.#button);

  // Requests to `path` begin the work and stop it. Calls `bring` with each answer, with true if it may have values, and with
  // true if nothing is judged now. `words` returns what the button begins, which may be nothing, and how much is judged.
  constructor(path, token, words, bring) {
    [this.#path, this.#token, this.#words, this.#bring] = [path, token, words, bring];
    this.#button.addEventListener('click', () => this.#ask(this.#isJudging ? 'DELETE' : 'POST'));
    this.#tell();
    this.#look();
  }

  async #ask(method) {
    const answer = await fetch(`${ROOT}${this.#path}?token=${this.#token}`, { method }).catch(() => null);
    if (answer?.ok) await this.#look();
    else this.#state.textContent = answer ? (await answer.text()).trim() : 'the arena does not answer';
  }

  // Looks at the process, and at what is judged by now.
  async #look() {
    clearTimeout(this.#timer);
    const wasJudging = this.#isJudging;
    const told = await load(this.#path).catch(() => null);
    this.#isJudging = told?.is_judging ?? wasJudging;
    await this.#bring(told, wasJudging || this.#isJudging, !this.#isJudging);
    this.#tell(told?.trouble);
    if (this.#isJudging) this.#timer = setTimeout(() => this.#look(), CHECK_MS);
  }

  #tell(trouble) {
    const [work, count] = this.#words(this.#isJudging);
    this.#button.textContent = this.#isJudging ? 'Cancel' : work;
    this.#button.hidden = this.#button.textContent === '';
    const words = trouble?.trim() ?? (this.#isJudging ? 'The coach judges the moves. ' : '');
    say(this.#state, words);
    this.#count.textContent = count;
  }
}

// Loads the data at a path of the tournament; `null` if there are none yet.
export async function load(path) {
  const answer = await fetch(ROOT + path);
  return answer.ok ? answer.json() : null;
}

// The number of judged moves, and of all.
export function judged({ frames, given = 0 }) {
  const moves = frames.filter(({ id }) => id >= given).flatMap(({ entries }) => entries.filter(({ act }) => act));
  return [moves.filter(({ analysis }) => analysis).length, moves.length];
}
