// What the arena says of a tournament: data on request, and an event whenever something changed.

// Calls `show` with the status at once and after every change, and `lost` when nobody answers. The
// browser asks again by itself. A page that nobody sees lets go: browsers keep few connections to one
// place, for all tabs together.
export function follow(show, lost) {
  let events = null;
  const listen = () => {
    events?.close();
    events = null;
    if (document.hidden) return;
    events = new EventSource('/events');
    events.addEventListener('message', (event) => show(JSON.parse(event.data)));
    events.addEventListener('error', lost);
  };
  document.addEventListener('visibilitychange', listen);
  listen();
}

// Data; `null` where there is none yet.
export async function load(path) {
  const answer = await fetch(path);
  return answer.ok ? answer.json() : null;
}

// Runs `work`, which may take its time, no more often than each so many milliseconds, and once more
// where it was asked for meanwhile.
export function paced(work, pauseMs) {
  let [isBusy, isWanted] = [false, false];
  return async function run() {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      await work().catch(() => {}); // who does not answer now is asked again at the next event
      await new Promise((done) => setTimeout(done, pauseMs));
    }
    isBusy = false;
  };
}
