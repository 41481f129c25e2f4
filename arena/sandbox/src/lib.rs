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
mod ended;
mod error;
mod explain;
mod fault;
mod folders;
mod hidden;
mod host;
mod inbox;
mod keep;
pub mod keeper;
mod nursery;
mod pipes;
mod process;
mod question;
mod reply;
mod rest;
mod resting;
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

pub use command::{Command, ProcessLimits, Rights, STDERR_BYTES_MAX_DEFAULT};
pub use contain::{Contain, Containment, Layer, Layers};
pub use ended::Ended;
pub use error::{CommandError, Error, SpawnError};
pub use fault::{DOUBTFUL_TRIES_MAX, Exit, Fault, signal_name};
pub use folders::Hidden;
pub use host::{Host, StartSlot};
pub use process::BotProcess;
pub use reply::{Reply, SLOW_AFTER};
pub use spawn::least_environment;
pub use spawn::{MEMORY_BYTES_MAX_DEFAULT, Started};
pub use stderr::StderrLog;
pub use sys::cpu_time;
pub use transcript::{Said, TRANSCRIPT_LINE_BYTES_MAX, TRANSCRIPT_LINES_MAX};
pub use tree::{cpu_time_with_reaped, descendants, resident_bytes};
