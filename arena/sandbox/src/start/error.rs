//! Errors on the arena's side of the pipe. A mistake of a bot is a [`Fault`], never one of these errors.

use std::io;

use rustix::io::Errno;
use thiserror::Error;

use crate::confine::Layer;
use crate::process::fault::Fault;

/// The step that shows a bot the copies of its files.
pub(super) const HOLD: &str = "hold the files";

/// The machine lacks a resource that the start of a bot needs.
#[derive(Debug, Error)]
pub enum Error {
    /// A system call of the arena or of the bot's supervisor failed.
    #[error("cannot {step} for bot {bot:?}: {source}")]
    System {
        /// The bot's name.
        bot: String,
        /// The failed step, as in "cannot ...".
        step: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The supervisor ended, or took too long, before it reported if the bot started.
    #[error("the supervisor process of bot {bot:?} {what}")]
    Supervisor {
        /// The bot's name.
        bot: String,
        /// The supervisor's behaviour, as the end of a sentence.
        what: &'static str,
    },
    /// The bot started without a layer that its level requires, and was killed.
    #[error("the sandbox of bot {bot:?} has no {} this time", .layer.as_str())]
    Layer {
        /// The bot's name.
        bot: String,
        /// The missing layer.
        layer: Layer,
    },
}

impl Error {
    /// Returns advice for the user.
    pub fn hint(&self) -> &'static str {
        let (source, step) = match self {
            Error::System { source, step, .. } => (source, *step),
            Error::Supervisor { .. } => {
                return "this is a fault of the machine or of the arena, not of the bot; try again with fewer --jobs";
            }
            Error::Layer { .. } => {
                return "`arena doctor` shows the layers of this machine; if it has this one, try again with fewer --jobs";
            }
        };
        match Errno::from_io_error(source) {
            Some(Errno::MFILE) => "this process has too many open files; raise `ulimit -n` or lower --jobs",
            Some(Errno::NFILE) => "the whole system has too many open files; lower --jobs",
            Some(Errno::AGAIN) => {
                "a process limit was reached; raise `ulimit -u` (or the container's pid limit) or lower --jobs"
            }
            Some(Errno::NOMEM) => "the machine has no memory left; lower --jobs",
            _ if step == HOLD => {
                "it plays with copies of its files in the folder for caches: start the command again"
            }
            Some(Errno::NOENT | Errno::ACCESS) => {
                "the arena could not execute itself; is its file still there and executable?"
            }
            _ => "this is a fault of the machine or of the arena, not of the bot",
        }
    }
}

/// The reason why a bot could not be started.
#[derive(Debug, Error)]
pub enum SpawnError {
    /// The bot's fault: always of kind `launch`.
    #[error("{}", .0.detail)]
    Fault(Fault),
    /// The machine's fault.
    #[error(transparent)]
    Host(#[from] Error),
}
