//! The answer to one question, and its measurements.

use std::time::Duration;

/// A decision is slow after this time. From then on the arena measures processor time and its own lateness. Quicker
/// decisions cost no measurement.
pub const SLOW_AFTER: Duration = Duration::from_millis(20);

/// The answer to one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// The line without its newline, and without a carriage return before it.
    pub line: &'a [u8],
    /// True if the bot wrote a part of this line before the question, so that the line cannot be the answer.
    pub early: bool,
    /// The measurements of this decision.
    pub timing: Timing,
}

/// The measurements of one decision. [`cpu`](Self::cpu), [`starved`](Self::starved), and [`stolen`](Self::stolen) cover
/// the time from [`SLOW_AFTER`] on. They are none if the decision was shorter or the system does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// The time from before the question was written until the answer or the fault was seen. For an answer at most the
    /// limit; see `BotProcess::ask` for answers that the arena reads late.
    pub elapsed: Duration,
    /// The arena's own delay: the largest one of its timer and its reads. A referee may decide that the machine was to
    /// blame.
    pub lateness: Duration,
    /// Processor time of the bot.
    pub cpu: Option<Duration>,
    /// Time in which the bot was ready to run and got no processor.
    pub starved: Option<Duration>,
    /// Time for which the host of a virtual machine kept a processor from the bot. A referee may decide that the
    /// machine was to blame.
    pub stolen: Option<Duration>,
}

impl Timing {
    /// A decision of this length, without other measurements.
    pub fn of(elapsed: Duration) -> Timing {
        Timing { elapsed, ..Timing::default() }
    }
}
