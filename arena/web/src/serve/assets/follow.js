// The connection of a tournament's page to the arena: an event after each change.

import { ROOT } from './site.js';

// The shortest time between two requests for the same data. Many people may watch a large tournament.
const PAUSE_MS = 2000;

// Calls `show` with the status at once and after every change, and `lost` when the connection fails. Returns a function
// that ends the connection.
export function follow(show, lost) {
  return connect(`${ROOT}/events`, show, lost);
}

// Calls `take` with the data of each event from an address, and `lost` when the connection fails, with true if it is over.
// Otherwise the browser reconnects by itself. A hidden page disconnects, because browsers share a few connections to one
// host among all tabs. Returns a function that ends the connection.
export function connect(address, take, lost) {
  let events = null;
  const listen = () => {
    events?.close();
    events = null;
    if (document.hidden) return;
    events = new EventSource(address);
    events.addEventListener('message', (event) => take(JSON.parse(event.data)));
    events.addEventListener('error', ({ target }) => lost(target.readyState === EventSource.CLOSED));
  };
  document.addEventListener('visibilitychange', listen);
  listen();
  return () => {
    events?.close();
    document.removeEventListener('visibilitychange', listen);
  };
}

// Calls `bring` at once, and again after each change of the tables or the plan.
export function followTables(bring) {
  let known = null;
  follow(({ tables, plan }) => {
    if (known !== `${tables} ${plan}`) bring();
    known = `${tables} ${plan}`;
  }, () => { known = null; });
}

// The time since which no arena has given a sign, in words; `null` while one plays.
export function silence({ silent_since: since }) {
  if (!since) return null;
  const [date, now] = [new Date(since), new Date()];
  const day = date.toDateString() === now.toDateString() ? '' : ` on ${date.toLocaleDateString()}`;
  return `no sign of the arena since ${date.toLocaleTimeString()}${day}`;
}

// Returns a function that runs `work`, which may be slow, with a pause after each run. Calls during a run or a pause
// cause one more run.
export function paced(work) {
  let [isBusy, isWanted] = [false, false];
  return async function run() {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      await work().catch(() => {}); // after a failure, the next event causes another request
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
    isBusy = false;
  };
}
