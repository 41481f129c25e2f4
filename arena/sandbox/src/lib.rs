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
mod command;
pub mod contain;
pub mod cores;
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
pub mod search;
pub mod shim;
mod spawn;
mod stderr;
mod stolen;
mod stop;
mod sys;
pub mod text;
mod timer;
mod transcript;
mod tree;
mod verdict;

use std::time::Duration;

pub use command::{Command, ProcessLimits, Rights, STDERR_BYTES_MAX_DEFAULT};
pub use contain::paths::Hidden;
pub use contain::{Contain, Containment, Layer, Layers};
pub use error::{CommandError, Error, SpawnError};
pub use fault::{DOUBTFUL_TRIES_MAX, Exit, Fault, signal_name};
pub use host::{Host, StartSlot};
pub use process::BotProcess;
pub use spawn::least_environment;
pub use spawn::{MEMORY_BYTES_MAX_DEFAULT, Started};
pub use stderr::StderrLog;
pub use stop::Ended;
pub use sys::cpu_time;
pub use transcript::{Said, TRANSCRIPT_LINE_BYTES_MAX, TRANSCRIPT_LINES_MAX};
pub use tree::{cpu_time_with_reaped, descendants, resident_bytes};

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
