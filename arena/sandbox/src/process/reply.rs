//! The answer to one question, and its measurements.

use std::time::Duration;

/// A decision is slow after this time, or after a quarter of its limit if that is less. From then on the arena measures
/// processor time and its own lateness. Quicker decisions cost no measurement.
pub(crate) const SLOW_AFTER: Duration = Duration::from_millis(20);

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
/// the time after the first 20 milliseconds. They are none if the decision was shorter or the kernel does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// The time from before the question was written until the answer or the fault was seen, without
    /// [`credit`](Self::credit). For an answer at most the limit; see `BotProcess::ask` for answers that the arena reads
    /// late.
    pub elapsed: Duration,
    /// The time that does not count, because others had the processors while a thread of the bot was ready to run.
    pub credit: Duration,
    /// True if the decision was slow and the kernel does not tell who had the processors.
    pub is_untold: bool,
    /// The arena's own delay: the largest one of its timer and its reads.
    pub lateness: Duration,
    /// Processor time of the bot.
    pub cpu: Option<Duration>,
    /// The longest time in which one of the bot's threads was ready to run while others had the processors.
    pub starved: Option<Duration>,
    /// Time for which the host of a virtual machine kept a processor from the bot.
    pub stolen: Option<Duration>,
}

impl Timing {
    /// A decision of this length, without other measurements.
    pub fn of(elapsed: Duration) -> Timing {
        Timing { elapsed, ..Timing::default() }
    }
}
