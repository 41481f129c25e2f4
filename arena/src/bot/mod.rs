//! Bots as processes: start one, ask it for a line within a deadline, stop it and all it started.
//!
//! This is the only place that knows of processes, pipes and signals. It knows nothing of games: a
//! line is bytes, an answer is the next line, and whether it makes sense is for the referee. What a
//! bot does wrong is a [`Fault`], as data; an [`Error`] is what the machine could not give.
//!
//! Everything here belongs to one thread's runtime, but the process that starts keepers, which all share.

mod ask;
mod attend;
mod available;
pub mod canned;
mod command;
pub mod contain;
mod error;
mod explain;
mod fault;
mod hidden;
mod host;
mod inbox;
mod keep;
pub mod keeper;
mod nursery;
mod pipes;
mod process;
mod rest;
pub(crate) mod search;
pub(crate) mod shim;
mod spawn;
mod stderr;
mod stolen;
mod stop;
mod sys;
mod timer;
mod transcript;
mod tree;
mod verdict;

use std::task::Context;
use std::time::{Duration, Instant};

use crate::clock::TimeControl;

pub use command::{Command, ProcessLimits, Rights, STDERR_BYTES_MAX_DEFAULT};
pub use contain::paths::Hidden;
pub use contain::{Contain, Containment, Layer, Layers};
pub use error::{CommandError, Error, SpawnError};
pub use fault::{DOUBTFUL_TRIES_MAX, Exit, Fault, signal_name};
pub use host::{Host, StartSlot};
pub use process::BotProcess;
pub(crate) use spawn::least_environment;
pub use spawn::{MEMORY_BYTES_MAX_DEFAULT, Started};
pub use stderr::StderrLog;
pub use stop::Ended;
pub(crate) use sys::cpu_time;
pub use transcript::{Said, TRANSCRIPT_LINE_BYTES_MAX, TRANSCRIPT_LINES_MAX};
pub(crate) use tree::{cpu_time_with_reaped, descendants, resident_bytes};

/// From here on a decision counts as slow: processor time and the arena's own lateness are measured
/// for the rest of it. Quicker decisions pay for no measurement.
pub const SLOW_AFTER: Duration = Duration::from_millis(20);

/// The answer to one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// The line without its newline, and without a carriage return before it.
    pub line: &'a [u8],
    /// Time from before the question was written until the newline was read, but never more than
    /// the limit: see [`BotProcess::ask`] on answers that are found when the arena itself is late.
    pub elapsed: Duration,
    /// This line, or a part of it, was there before the question was written, so that it cannot be
    /// an answer to it.
    pub early: bool,
    /// How late the arena itself was in this decision, as far as it noticed; see [`Fault::lateness`].
    pub lateness: Duration,
    /// Processor time of the bot in this decision; see [`Fault::cpu`].
    pub cpu: Option<Duration>,
    /// Time in which the bot waited for a processor; see [`Fault::starved`].
    pub starved: Option<Duration>,
}

/// Something that answers one line with one line: a process, or a script in a test.
#[expect(async_fn_in_trait, reason = "futures stay on the worker's thread and need not be Send")]
pub trait Bot {
    /// Writes `line`, newline included, and waits for one line until `deadline`.
    ///
    /// # Errors
    /// The fault that ended the bot.
    async fn ask(&mut self, line: &[u8], deadline: Instant) -> Result<Reply<'_>, Fault>;

    /// Writes the question that is to be asked next, if it can be written before it is waited for: [`ask`](Bot::ask) with
    /// the same line follows, and only waits. True if the answer is there, so that it does not even do that.
    fn put(&mut self, _line: &[u8], _deadline: Instant) -> bool {
        false
    }

    /// Whether it hears anything at all: for one that does not, nothing need be written.
    fn listens(&self) -> bool {
        true
    }

    /// The time limits of this seat at a table with these: the same for every program. A person has others.
    fn limits(&self, table: TimeControl) -> TimeControl {
        table
    }

    /// Another one is being waited for: whoever is to be stopped in the turns of others is, until it is asked or
    /// told something.
    /// Called again whenever the task of `cx` is polled, which it may have woken for that.
    fn keep_held(&mut self, _cx: &mut Context<'_>) {}

    /// Processor time that it used since this was asked last while it owed no answer, as far as it was
    /// measured.
    fn take_used_at_rest(&mut self) -> Duration {
        Duration::ZERO
    }

    /// Writes `line`, newline included, without waiting for anything. Dropped if the bot does not
    /// read.
    fn tell(&mut self, line: &[u8]);

    /// Writes `line` as [`tell`](Bot::tell) does and ends the bot at once: it is out of the match.
    fn dismiss(&mut self, line: &[u8]);
}
