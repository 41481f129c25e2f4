//! Matches without end that can be held up: how a benchmark measures the workers in windows.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use tournament::run::worker::Work;
use tournament::schedule::Pairing;

/// The pause between two looks at whether all matches are done.
const LOOK_PAUSE: Duration = Duration::from_micros(500);

/// What the gate lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Shut,
    Over,
}

/// The matches of the prepared file, over and over.
#[derive(Debug)]
pub(super) struct Gate {
    matches: u64,
    state: watch::Sender<State>,
    begun: AtomicU64,
    done: AtomicU64,
}

impl Gate {
    /// A gate that is shut.
    pub(super) fn new(matches: u64) -> Gate {
        let state = watch::Sender::new(State::Shut);
        Gate { matches, state, begun: AtomicU64::new(0), done: AtomicU64::new(0) }
    }

    /// Lets matches begin for so long, at least until one does, and waits until all of them are done: their number.
    /// 0 where nobody plays on.
    pub(super) fn open_for(&self, window: Duration) -> u64 {
        let [begun, done] = [&self.begun, &self.done].map(|count| move || count.load(Ordering::Acquire));
        let [begun_before, done_before] = [begun(), done()];
        self.set(State::Open);
        std::thread::sleep(window);
        self.wait_while(|| begun() == begun_before);
        self.set(State::Shut);
        self.wait_while(|| done() < begun());
        done() - done_before
    }

    fn wait_while(&self, holds: impl Fn() -> bool) {
        while holds() && *self.state.borrow() != State::Over {
            std::thread::sleep(LOOK_PAUSE);
        }
    }

    /// No more matches; also said by who cannot play on.
    pub(super) fn end(&self) {
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
    pub(super) fn count(&self, matches: u64) {
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
        let index = self.begun.fetch_add(1, Ordering::AcqRel) % self.matches;
        Some((index, Pairing { round: index, bots: vec![0, 1] }))
    }
}
