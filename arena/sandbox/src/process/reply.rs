//! The answer to one question.

use std::time::Duration;

/// A decision is slow after this time. From then on the arena measures processor time and its own lateness. Quicker
/// decisions cost no measurement.
pub const SLOW_AFTER: Duration = Duration::from_millis(20);

/// The answer to one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// The line without its newline, and without a carriage return before it.
    pub line: &'a [u8],
    /// The time from before the question was written until the newline was read, at most the limit. See
    /// `BotProcess::ask` for answers that the arena reads late.
    pub elapsed: Duration,
    /// True if the bot wrote a part of this line before the question, so that the line cannot be the answer.
    pub early: bool,
    /// The arena's own delay in this decision; see `Fault::lateness`.
    pub lateness: Duration,
    /// Processor time of the bot in this decision; see `Fault::cpu`.
    pub cpu: Option<Duration>,
    /// Time in which the bot waited for a processor; see `Fault::starved`.
    pub starved: Option<Duration>,
}
