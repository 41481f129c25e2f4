//! The state of a bot's rests: how it is stopped, and the processor time that it used.

use std::time::{Duration, Instant};

use crate::process::fault::Failure;
use crate::process::fault::Fault;
use crate::system::tree::CpuTimes;
use rustix::process::Pid;

/// The state of a bot's rests.
#[derive(Debug)]
pub(crate) struct IdleState {
    /// True if the bot is stopped in its rests.
    pub(crate) freezes: bool,
    /// True if the bot is stopped only when the host calls `keep_frozen`, and not right after its answer.
    pub(crate) when_held: bool,
    /// The most processor time that it may use in the rests of a match; unlimited if `None`.
    pub(crate) used_max: Option<Duration>,
    /// The way in which it is stopped now.
    pub(crate) stopped: Option<Stopped>,
    /// The beginning of the current rest.
    pub(crate) since: Option<Instant>,
    /// The processor time at the beginning of the rest, if the rest is measured.
    pub(crate) before: Option<Before>,
    /// True if the last rest was long enough to be measured. The next rest is assumed to be like it, so that quick bots
    /// cost no measurement.
    pub(crate) was_long: bool,
    /// True once the bot has computed in a rest.
    pub(crate) is_noticed: bool,
    /// The processor time used in the rests of this match.
    pub(crate) used: Duration,
}

/// A way to stop a bot.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stopped {
    /// Its control group is frozen.
    Frozen,
    /// Its process group got SIGSTOP. The next signal is due at this moment.
    Signalled(Pid, Instant),
}

/// The processor time that a bot had used when its rest began.
#[derive(Debug)]
pub(crate) enum Before {
    /// The times of each known process. Cheap to read.
    Known(CpuTimes),
    /// The time of all processes together, including ended ones.
    All(Duration),
}

impl IdleState {
    /// Returns the state before the first rest; the arguments are the fields of the same names.
    pub(crate) fn new(freezes: bool, when_held: bool, used_max: Option<Duration>) -> IdleState {
        IdleState {
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

    /// Returns the fault of a bot that used too much processor time in its rests.
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
