// The list of matches: filters, pages, and a link to each match.

import { count, html, refill, signed } from './dom.js';
import { NONE, framed, panel, rewrite, table } from './standings.js';
import { botLink, matchLink } from './site.js';

const FAULTS = ['any', 'none', 'launch', 'startup', 'timeout', 'exit', 'oversize', 'malformed', 'id', 'illegal', 'off-turn'];
const ORDERS = { newest: 'newest first', deal: 'in order of deals', highest: 'highest score first', closest: 'closest first', widest: 'widest margin first',
  best: 'best of the bot first', worst: 'worst of the bot first' };
// What makes sense for the matches of one bot only.
const OF_A_BOT = ['won', 'drawn', 'lost', 'best', 'worst'];
const SCROLL_MS = 150;

export class MatchList {
  #bots = [];
  #load;
  #page = 0;
  #asked = 0; // the number of requests for rows: only the answer to the last one is shown
  #shown = null; // the query of the rows on the page
  #filters;
  #frame = framed('Matches');
  #total = html('p', { class: 'quiet', role: 'status' });
  #back = html('button', { type: 'button' }, 'Newer');
  #on = html('button', { type: 'button' }, 'Older');

  // `load` returns the rows for a query.
  constructor(load) {
    this.#load = load;
    this.#filters = {
      bot: html('select'), against: html('select'),
      result: choice(['', 'won', 'drawn', 'lost'].map((kind) => [kind, kind || 'all'])),
      fault: choice(['', ...FAULTS].map((kind) => [kind, kind || 'all'])),
      margin_min: html('input', { type: 'number', step: 1 }), margin_max: html('input', { type: 'number', step: 1 }),
      order: choice(Object.entries(ORDERS)),
    };
    const titles = { bot: 'bot', against: 'and', result: 'result', fault: 'faults', margin_min: 'margin from', margin_max: 'to', order: 'order' };
    const fields = Object.entries(this.#filters).map(([name, field]) => html('label', {}, titles[name], field));
    Object.values(this.#filters).forEach((field) => field.addEventListener('change', () => this.#turn(0)));
    this.#back.addEventListener('click', () => this.#turn(this.#page - 1));
    this.#on.addEventListener('click', () => this.#turn(this.#page + 1));
    this.node = panel('Matches', html('div', { class: 'filters', role: 'search', 'aria-label': 'Which matches' }, ...fields),
      this.#frame, html('div', { class: 'turn' }, this.#back, this.#total, this.#on));
    this.node.id = 'matches';
  }

  plan({ bots }) {
    const isFirst = this.#bots.length === 0;
    this.#bots = bots;
    offer(this.#filters.bot, bots);
    offer(this.#filters.against, this.#others());
    if (isFirst) this.#readAddress();
    this.#suit();
  }

  // The other bot is chosen after the first one.
  #others() {
    return this.#filters.bot.value === '' ? [] : this.#bots;
  }

  // The list stays unchanged while an element in it has the focus, so that the reader keeps their place.
  async refresh() {
    if (!this.#isUsed()) await this.#show();
  }

  #isUsed() {
    return this.#frame.contains(document.activeElement) && this.#frame !== document.activeElement;
  }

  #turn(page) {
    this.#page = Math.max(page, 0);
    this.#suit();
    this.#writeAddress();
    this.#show();
  }

  // Offers what makes sense for the bot that is chosen, or for all.
  #suit() {
    const isOfBot = this.#filters.bot.value !== '';
    // A list that is open stays as it is.
    if (this.#filters.against.options.length !== this.#others().length + 1) offer(this.#filters.against, this.#others());
    for (const field of [this.#filters.result, this.#filters.order]) {
      for (const option of field.options) option.disabled = !isOfBot && OF_A_BOT.includes(option.value);
      if (field.selectedOptions[0].disabled) field.selectedIndex = 0;
    }
  }

  // Filters, order, and page are in the address, so that a link, Back, and a reload show the same list.
  #readAddress() {
    const query = new URLSearchParams(location.search);
    for (const [name, field] of Object.entries(this.#filters)) {
      if (query.has(name)) field.value = query.get(name);
      if (name === 'bot') offer(this.#filters.against, this.#others());
    }
    this.#page = pageOfAddress();
  }

  #writeAddress() {
    const set = Object.entries(this.#filters).map(([name, field]) => [name, field.value === 'newest' ? '' : field.value]);
    rewrite({ ...Object.fromEntries(set), page: this.#page > 0 ? this.#page + 1 : '' });
  }

  async #show() {
    this.#asked += 1;
    const asked = this.#asked;
    const set = Object.entries(this.#filters).map(([name, field]) => [name, field.value]).filter(([, value]) => value !== '');
    const options = set.map(([name, value]) => (name === 'result' ? [value, true] : [name, value])); // as those of a command
    const query = new URLSearchParams([...options, ['page', this.#page]]);
    const found = await this.#load(query);
    if (!found || asked !== this.#asked) return;
    const isSame = String(query) === this.#shown;
    if (isSame && this.#isUsed()) return; // the focus moved into the list after the request
    this.#shown = String(query);
    const last = Math.max(found.pages - 1, 0);
    if (this.#page > last) return this.#turn(last);
    this.#total.textContent = `${count(found.total, 'match', 'matches')}, page ${this.#page + 1} of ${last + 1}`;
    this.#back.disabled = this.#page === 0;
    this.#on.disabled = this.#page === last;
    refill(this.#frame, matchTable(found.rows, this.#bots));
  }
}

// The number of the page in the address, from 0. People count from 1.
export function pageOfAddress() {
  const number = Number.parseInt(new URLSearchParams(location.search).get('page') ?? '1', 10);
  return Math.max(number - 1, 0) || 0;
}

// A table of matches. The rows name bots by their numbers.
export function matchTable(rows, bots) {
  const titles = [['match', '', 'words'], ['deal'], ['seats: score', '', 'words'], ['margin'], ['faults', '', 'words']];
  return table(titles, rows.map((row) => matchRow(row, bots)), { class: 'listed' });
}

function matchRow({ match, round, margin, seats }, bots) {
  const seat = ({ bot, score, rank, fault }) => html('span', { class: rank === 1 && !fault ? 'sat first' : 'sat' }, botLink(bots[bot] ?? NONE), ' ', html('b', {}, signed(score)));
  const link = ({ bot, fault, fault_id: id }) => matchLink(match, id, `${bots[bot] ?? NONE}: ${fault}`);
  const faults = seats.filter(({ fault }) => fault).map(link).flatMap((one, place) => (place > 0 ? [', ', one] : [one]));
  return html('tr', {}, html('th', { scope: 'row' }, matchLink(match)),
    html('td', { 'data-what': 'deal' }, String(round + 1)), html('td', { class: 'seated' }, ...seats.map(seat)),
    html('td', { 'data-what': 'margin' }, seats.length > 1 ? signed(margin) : NONE),
    html('td', { class: 'bad' }, ...faults));
}

// Keeps the scroll position of the page in its history entry, because browsers restore it before the content is there.
export function keepScroll() {
  let timer = null;
  addEventListener('scroll', () => {
    clearTimeout(timer);
    timer = setTimeout(() => history.replaceState({ scroll: scrollY }, ''), SCROLL_MS);
  }, { passive: true });
  const wanted = history.state?.scroll;
  // Call it when the content is there.
  return () => {
    if (wanted !== undefined) scrollTo(0, wanted);
    else if (location.hash) document.querySelector(`[id="${CSS.escape(location.hash.slice(1))}"]`)?.scrollIntoView();
  };
}

// Lets the reader choose one of these bots. What was chosen stays if it can.
function offer(select, bots) {
  const chosen = select.value;
  refill(select, html('option', { value: '' }, 'any'), ...bots.map((bot) => html('option', { value: bot }, bot)));
  select.value = bots.includes(chosen) ? chosen : '';
}

function choice(options) {
  return html('select', {}, ...options.map(([value, text]) => html('option', { value }, text)));
}
