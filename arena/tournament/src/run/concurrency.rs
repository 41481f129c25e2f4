//! The number of matches at a time, and the cores of each worker.

use std::cell::Cell;
use std::fmt;

use sandbox::cores;

/// Limits how many matches run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Concurrency {
    /// The most matches at once.
    pub jobs: usize,
    /// The most matches at once while bots think. The other matches wait until bots answer at once.
    pub jobs_thinking: usize,
    /// True if workers and their bots stay on cores of their own.
    pub pin: bool,
    /// True if each match at once has a worker of its own, for rules that keep a worker waiting.
    pub alone: bool,
}

impl Concurrency {
    /// Uses `jobs` if it is set. Otherwise thinking bots get as many matches at once as the cores can think
    /// for. With `pin`, bots that answer at once get one match on each core. `thinking` is the number of bots
    /// of a match that think at the same time.
    pub fn new(jobs: Option<usize>, thinking: usize, pin: bool) -> Concurrency {
        let for_all = (cores::given() / thinking).max(1);
        let jobs_thinking = jobs.unwrap_or(for_all);
        let jobs = jobs.unwrap_or(if pin { cores::given() } else { for_all });
        Concurrency { jobs, jobs_thinking, pin: pin && cores::are_told(), alone: false }
    }

    /// Sets whether each match at once has a worker of its own.
    #[must_use]
    pub fn alone(self, alone: bool) -> Concurrency {
        Concurrency { alone, ..self }
    }

    /// Returns the share of each worker. There is at most one worker for each core, or else one for each match.
    pub(super) fn shares(self) -> Vec<CoreSlice> {
        let allowed = if self.pin { cores::allowed() } else { Vec::new() };
        let workers = if self.alone { self.jobs } else { self.jobs.min(cores::given()) };
        let workers = workers.max(1);
        // While bots think, the cores are divided among the workers that play then.
        let each = allowed.len() / self.jobs_thinking.clamp(1, workers);
        let share = |number: usize| {
            let tables = self.jobs / workers + usize::from(number < self.jobs % workers);
            let own = allowed.get(number..=number).unwrap_or_default();
            let block = allowed.get(number * each..(number + 1) * each).unwrap_or(own);
            CoreSlice { number, tables, alone: own.to_vec(), roomy: block.to_vec() }
        };
        (0..workers).map(share).collect()
    }
}

/// Formats the number of matches at once for a message.
impl fmt::Display for Concurrency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.jobs_thinking < self.jobs {
            true => write!(f, "{} at a time, {} while bots are slow", self.jobs, self.jobs_thinking),
            false => write!(f, "{} at a time", self.jobs),
        }
    }
}

/// A worker's share of the machine.
pub(super) struct CoreSlice {
    pub(super) number: usize,
    /// The number of matches at once.
    pub(super) tables: usize,
    /// The core for the worker and bots that answer at once; any core if empty.
    alone: Vec<usize>,
    /// The cores for the worker and bots that think.
    roomy: Vec<usize>,
}

impl CoreSlice {
    /// Moves the worker to the cores for quick or thinking bots. Returns true if it moved away from other
    /// cores.
    pub(super) fn move_for(&self, quick: bool, was_quick: &Cell<Option<bool>>) -> bool {
        let before = was_quick.replace(Some(quick));
        let moves = before.is_none() || (before != Some(quick) && self.alone != self.roomy);
        if moves && !self.alone.is_empty() {
            cores::stay_on(if quick { &self.alone } else { &self.roomy });
        }
        moves && before.is_some()
    }
}
