//! Whether a bot is stopped outside of its turns, and what it used there.

use std::time::{Duration, Instant};

use crate::process::fault::Failure;
use crate::process::fault::Fault;
use crate::system::tree::CpuTimes;
use rustix::process::Pid;

/// What is known of a bot's rests.
#[derive(Debug)]
pub(crate) struct Rest {
    /// Whether it is stopped in them.
    pub(crate) freezes: bool,
    /// Whether it is stopped no sooner than that is said.
    pub(crate) when_held: bool,
    /// What it may use in the rests of a match; no bound if none.
    pub(crate) used_max: Option<Duration>,
    /// How it is stopped now, if it is.
    pub(crate) stopped: Option<Stopped>,
    /// Since when the bot rests, if it does.
    pub(crate) since: Option<Instant>,
    /// What its processes had used by then, where that is measured.
    pub(crate) before: Option<Before>,
    /// Whether the last rest was one that is measured: the next one is taken to be like it, so that bots
    /// which are asked again at once cost no measurement.
    pub(crate) was_long: bool,
    /// Whether it was seen to compute in a rest.
    pub(crate) is_noticed: bool,
    /// What was used in the rests of this match.
    pub(crate) used: Duration,
}

/// How a bot is stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stopped {
    /// Its control group is frozen.
    Frozen,
    /// Its process group got the signal, and is to get it again at this moment.
    Signalled(Pid, Instant),
}

/// What a bot had used of the processors when its rest began.
#[derive(Debug)]
pub(crate) enum Before {
    /// The processes that were known, each by itself: cheap to read.
    Known(CpuTimes),
    /// All its processes together, also those that had ended.
    All(Duration),
}

impl Rest {
    /// None yet. With `freezes` the bot is stopped in them, with `when_held` only once that is said; `used_max`
    /// bounds what it may use in those of a match.
    pub(crate) fn new(freezes: bool, when_held: bool, used_max: Option<Duration>) -> Rest {
        Rest {
            freezes,
            when_held,
            used_max,
            stopped: None,
            since: None,
            before: None,
            was_long: false,
            is_noticed: false,
            used: Duration::ZERO,
        }
    }

    /// Why the bot is out, if it used more than it may.
    pub(crate) fn excess(&self) -> Option<Fault> {
        let max = self.used_max.filter(|max| self.used > *max)?;
        let (used_ms, max_ms) = (self.used.as_millis(), max.as_millis());
        let detail = format!(
            "{used_ms} ms of processor time while it owed no answer, at most {max_ms} ms a match are allowed: \
             compute between a question and your answer only"
        );
        Some(Fault::new(Failure::OffTurn, detail))
    }
}
