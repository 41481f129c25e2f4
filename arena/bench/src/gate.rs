//! An endless supply of matches that can be paused, so that a benchmark measures the workers in windows.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use tournament::run::worker::Work;
use tournament::schedule::Pairing;

/// The pause between two checks of a condition.
const LOOK_PAUSE: Duration = Duration::from_micros(500);

/// The state of the gate: matches may begin, must wait, or end for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Shut,
    Over,
}

/// The supply of matches. It repeats the prepared matches forever.
#[derive(Debug)]
pub(crate) struct Gate {
    matches: u64,
    state: watch::Sender<State>,
    started: AtomicU64,
    done: AtomicU64,
}

impl Gate {
    /// Creates a shut gate.
    pub(crate) fn new(matches: u64) -> Gate {
        let state = watch::Sender::new(State::Shut);
        Gate { matches, state, started: AtomicU64::new(0), done: AtomicU64::new(0) }
    }

    /// Lets matches begin for the length of a window, and longer if none has begun by then. Then shuts the
    /// gate, waits for the running matches, and returns the number of finished ones. Returns 0 if the workers
    /// have ended.
    pub(crate) fn open_for(&self, window: Duration) -> u64 {
        let [started, done] = [&self.started, &self.done].map(|count| move || count.load(Ordering::Acquire));
        let [started_before, done_before] = [started(), done()];
        self.set(State::Open);
        std::thread::sleep(window);
        self.wait_while(|| started() == started_before);
        self.set(State::Shut);
        self.wait_while(|| done() < started());
        done() - done_before
    }

    fn wait_while(&self, holds: impl Fn() -> bool) {
        while holds() && *self.state.borrow() != State::Over {
            std::thread::sleep(LOOK_PAUSE);
        }
    }

    /// Ends the supply. Workers that failed call it too.
    pub(crate) fn end(&self) {
        self.set(State::Over);
    }

    fn set(&self, next: State) {
        self.state.send_if_modified(|state| {
            let changes = *state != State::Over;
            *state = if changes { next } else { State::Over };
            changes
        });
    }

    /// Counts finished matches.
    pub(crate) fn count(&self, matches: u64) {
        self.done.fetch_add(matches, Ordering::AcqRel);
    }
}

impl Work for Gate {
    async fn next(&self) -> Option<(u64, Pairing)> {
        if *self.state.borrow() == State::Shut {
            let mut changes = self.state.subscribe();
            let _ = changes.wait_for(|state| *state != State::Shut).await;
        }
        if *self.state.borrow() == State::Over {
            return None;
        }
        let index = self.started.fetch_add(1, Ordering::AcqRel) % self.matches;
        Some((index, Pairing { round: index, bots: vec![0, 1] }))
    }
}
