//! The reason why a command line is invalid.

use std::io;

use thiserror::Error;

/// The reason why a command line is invalid.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The command line has no program.
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
