//! What goes wrong on our side of the pipe. What a bot does wrong is a
//! [`Fault`], never one of these.

use std::io;

use rustix::io::Errno;
use thiserror::Error;

use crate::process::fault::Fault;

/// The machine could not give what starting a bot takes.
#[derive(Debug, Error)]
pub enum Error {
    /// A system call of the arena or of the bot's keeper failed.
    #[error("cannot {step} for bot {bot:?}: {source}")]
    System {
        /// The bot's name.
        bot: String,
        /// What was being done, as in "cannot ...".
        step: &'static str,
        /// The system's reason.
        source: io::Error,
    },
    /// The keeper ended, or took too long, before it said whether the bot started.
    #[error("the keeper process of bot {bot:?} {what}")]
    Keeper {
        /// The bot's name.
        bot: String,
        /// What it did instead.
        what: &'static str,
    },
}

impl Error {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        let Error::System { source, .. } = self else {
            return "the machine is overloaded or a guard killed it; try fewer --jobs";
        };
        match Errno::from_io_error(source) {
            Some(Errno::MFILE) => "this process has too many open files; raise `ulimit -n` or lower --jobs",
            Some(Errno::NFILE) => "the whole system has too many open files; lower --jobs",
            Some(Errno::AGAIN) => {
                "a process limit was reached; raise `ulimit -u` (or the container's pid limit) or lower --jobs"
            }
            Some(Errno::NOMEM) => "the machine has no memory left; lower --jobs",
            Some(Errno::NOENT | Errno::ACCESS) => {
                "the arena could not execute itself; is its file still there and executable?"
            }
            _ => "this is a fault of the machine or of the arena, not of the bot",
        }
    }
}

/// Why a bot could not be started.
#[derive(Debug, Error)]
pub enum SpawnError {
    /// The bot's fault: always of kind `launch`.
    #[error("{}", .0.detail)]
    Fault(Fault),
    /// The machine's.
    #[error(transparent)]
    Host(#[from] Error),
}

/// Why a command line is none.
#[derive(Debug, Error)]
pub enum CommandError {
    /// There is no program in it.
    #[error("the command names no program")]
    Empty,
    /// A quote is open at its end.
    #[error("the command {text:?} has a quote that is not closed")]
    Unbalanced {
        /// The command as given.
        text: String,
    },
    /// The arena's working directory is not UTF-8.
    #[error("the program's full path is not UTF-8")]
    NotUtf8,
    /// The arena's working directory cannot be read.
    #[error("the working directory cannot be read: {source}")]
    WorkingDirectory {
        /// The system's reason.
        source: io::Error,
    },
}
