//! The answer to one question.

use std::time::Duration;

/// From here on a decision counts as slow: processor time and the arena's own lateness are measured
/// for the rest of it. Quicker decisions pay for no measurement.
pub const SLOW_AFTER: Duration = Duration::from_millis(20);

/// The answer to one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// The line without its newline, and without a carriage return before it.
    pub line: &'a [u8],
    /// Time from before the question was written until the newline was read, but never more than
    /// the limit: see `BotProcess::ask` on answers that are found when the arena itself is late.
    pub elapsed: Duration,
    /// This line, or a part of it, was there before the question was written, so that it cannot be
    /// an answer to it.
    pub early: bool,
    /// How late the arena itself was in this decision, as far as it noticed; see `Fault::lateness`.
    pub lateness: Duration,
    /// Processor time of the bot in this decision; see `Fault::cpu`.
    pub cpu: Option<Duration>,
    /// Time in which the bot waited for a processor; see `Fault::starved`.
    pub starved: Option<Duration>,
}
