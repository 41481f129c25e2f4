//! Starts untrusted programs, confines them, asks them for lines under a deadline, and stops them with everything that
//! they started.
//!
//! - A [`Command`] says what to start; a [`Host`] holds what all programs of one owner share.
//! - [`BotProcess::spawn`] starts a program behind every [`Layer`] that the system allows: namespaces, Landlock,
//!   seccomp, control groups, limits.
//! - [`BotProcess::ask`] writes a line and waits for one line within a limit. A failure of the program is a
//!   [`Fault`], a failure of the machine an [`Error`].
//! - [`selftest`] attacks each layer on this machine and reports which of them hold.
//!
//! A small supervisor process for each program kills everything that the program started, even if the owner crashes.
//! The supervisor is the owner's own executable, whose `main` begins with [`supervisor::main_if_asked`].
//!
//! A [`BotProcess`] belongs to the runtime of one thread. `cargo run -p quilt-sandbox --example ask` starts a program
//! and talks to it.
//!
#![doc = include_str!("../README.md")]

mod command;
pub mod confine;
mod process;
pub mod selftest;
mod start;
pub mod supervisor;
mod system;
pub mod text;

pub use command::error::CommandError;
pub use command::folders::Hidden;
pub use command::rights::Rights;
pub use command::shim::is_shim;
pub use command::{Command, STDERR_BYTES_MAX};
pub use confine::held::Held;
pub use confine::{Containment, Layer, Layers, SandboxLevel};
pub use process::BotProcess;
pub use process::ended::Ended;
pub use process::fault::{DOUBTFUL_TRIES_MAX, Exit, Failure, Fault};
pub use process::inbox::LINE_BYTES_MAX;
pub use process::refused::Refused;
pub use process::reply::{Reply, Timing};
pub use process::stderr::StderrLog;
pub use process::transcript::{Said, TRANSCRIPT_LINE_BYTES_MAX, TRANSCRIPT_LINES_MAX};
pub use start::error::{Error, SpawnError};
pub use start::host::Host;
pub use start::spawn::{MEMORY_BYTES_MAX_DEFAULT, Started, least_environment};
pub use system::cores;
pub use system::sys::{cpu_time, is_being_written, survive_file_limit};
pub use system::tree::{cpu_time_with_reaped, descendants, resident_bytes};

/// The variables that name the input and the output of a program whose terminal belongs to a debugger. Confined
/// programs never get them.
pub const DEBUG_VARIABLES: [&str; 2] = ["QUILT_IN", "QUILT_OUT"];
