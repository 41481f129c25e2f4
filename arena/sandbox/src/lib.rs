//! Bots as processes: start one, ask it for a line within a deadline, stop it and all it started.
//!
//! This is the only place that knows of processes, pipes and signals. It knows nothing of games: a
//! line is bytes, an answer is the next line, and whether it makes sense is for the referee. What a
//! bot does wrong is a [`Fault`], as data; an [`Error`] is what the machine could not give.
//!
//! Everything here belongs to one thread's runtime, but the process that starts keepers, which all share.

pub mod command;
pub mod contain;
pub mod keeper;
pub mod process;
pub mod selftest;
pub mod start;
pub mod system;
pub mod text;

pub use command::error::{CommandError, Error, SpawnError};
pub use command::folders::Hidden;
pub use command::{Command, ProcessLimits, Rights, STDERR_BYTES_MAX_DEFAULT, search, shim};
pub use contain::{Contain, Containment, Layer, Layers};
pub use process::BotProcess;
pub use process::ended::Ended;
pub use process::fault::{DOUBTFUL_TRIES_MAX, Exit, Failure, Fault, signal_name};
pub use process::inbox::LINE_BYTES_MAX;
pub use process::reply::{Reply, SLOW_AFTER};
pub use process::stderr::StderrLog;
pub use process::transcript::{Said, TRANSCRIPT_LINE_BYTES_MAX, TRANSCRIPT_LINES_MAX};
pub use start::host::{Host, StartSlot};
pub use start::spawn::{MEMORY_BYTES_MAX_DEFAULT, Started, least_environment};
pub use system::cores;
pub use system::sys::cpu_time;
pub use system::tree::{cpu_time_with_reaped, descendants, resident_bytes};
