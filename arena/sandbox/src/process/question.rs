//! A question in flight, and the result of the wait for its answer.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::process::fault::{Failure, Fault};
use crate::process::pipes::Got;
use crate::process::reply::SLOW_AFTER;
use crate::system::stolen::Stolen;
use crate::system::tree::CpuUse;

/// A question in flight.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    pub(crate) line: &'a [u8],
    /// True if the bot rests after its answer.
    pub(crate) rests: bool,
    /// The number of its bytes that the pipe has taken.
    pub(crate) sent: usize,
    /// Before the write.
    pub(crate) asked: Instant,
    pub(crate) deadline: Instant,
    /// True once the decision is slow.
    pub(crate) is_slow: bool,
    /// The processor time of the bot at that moment, if the system reports it.
    pub(crate) used_before: Option<CpuUse>,
    /// The time that the host had taken by then, if the system reports it.
    pub(crate) stolen_before: Option<Stolen>,
    pub(crate) lateness: Duration,
}

/// The result of a wait for an answer: the place of the line in the inbox, or the reason why none came.
pub(crate) type Outcome = Result<Range<usize>, NoLine>;

/// The reason why a wait for an answer ended without a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoLine {
    /// More bytes came than a line may have.
    Oversize,
    /// The bot closed its stdout.
    Closed,
    /// The bot has ended.
    Ended,
    /// The deadline passed.
    Deadline,
}

impl NoLine {
    /// Returns the kind of the bot's failure.
    pub(crate) fn failure(self) -> Failure {
        match self {
            NoLine::Oversize => Failure::Oversize,
            NoLine::Closed | NoLine::Ended => Failure::Exit,
            NoLine::Deadline => Failure::Timeout,
        }
    }
}

impl<'a> Question<'a> {
    pub(crate) fn new(line: &'a [u8], sent: usize, asked: Instant, deadline: Instant) -> Self {
        let lateness = Duration::ZERO;
        let (used_before, stolen_before) = (None, None);
        Question {
            line,
            rests: false,
            sent,
            asked,
            deadline,
            is_slow: false,
            used_before,
            stolen_before,
            lateness,
        }
    }

    /// The time limit.
    pub(crate) fn limit(&self) -> Duration {
        self.deadline.saturating_duration_since(self.asked)
    }

    /// Returns true if the whole question is in the bot's pipe.
    pub(crate) fn is_sent(&self) -> bool {
        self.sent == self.line.len()
    }

    pub(crate) fn slow_due(&self) -> Instant {
        self.deadline.min(self.asked + SLOW_AFTER)
    }

    pub(crate) fn note_lateness(&mut self, now: Instant, due: Instant) {
        self.lateness = self.lateness.max(now.saturating_duration_since(due));
    }

    /// Puts the measurements into a fault.
    pub(crate) fn measure(&self, mut fault: Fault, used: Option<CpuUse>) -> Fault {
        fault.elapsed = self.asked.elapsed();
        fault.lateness = self.lateness;
        fault.cpu = used.map(|used| used.running);
        fault.starved = used.map(|used| used.waiting);
        fault.stolen = self.stolen_before.as_ref().and_then(|before| Some(Stolen::now()?.since(before)));
        fault
    }
}

impl From<Got> for Outcome {
    fn from(got: Got) -> Self {
        match got {
            Got::Line(place) => Ok(place),
            Got::Oversize => Err(NoLine::Oversize),
            Got::Closed => Err(NoLine::Closed),
        }
    }
}
