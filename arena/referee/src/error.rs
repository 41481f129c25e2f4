//! Errors of the arena, the machine, or the user's input: one line with the problem, one with the remedy. A
//! bot's failure is a [`Fault`](sandbox::Fault), never an error.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use engine::game::SetupError;
use sandbox::text::line;

/// An error that ends a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
}

/// The cause of an error, which decides the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command worked and its answer is no. Exit status 1.
    No,
    /// Wrong usage or input. Exit status 2.
    Usage,
    /// A problem of the machine. Exit status 75: try again later or on another machine.
    Host,
    /// The user stopped the command. Exit status 130.
    Interrupted,
    /// The system stopped the command, for another job or at a time limit. Exit status 75.
    Evicted,
}

impl Error {
    /// Creates an error for wrong usage or input.
    pub fn usage(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Usage, message: message.into(), hint: None }
    }

    /// Creates an error for a problem of the machine.
    pub fn host(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Host, ..Error::usage(message) }
    }

    /// Creates an error for a negative answer.
    pub fn no(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::No, ..Error::usage(message) }
    }

    /// Creates an error for a command stopped by the user.
    pub fn interrupted(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Interrupted, ..Error::usage(message) }
    }

    /// Creates an error for a command stopped by the system.
    pub fn evicted(message: impl Into<String>) -> Error {
        Error { kind: ErrorKind::Evicted, ..Error::usage(message) }
    }

    /// Creates an error for a file of the user that cannot be read.
    pub fn unreadable(path: &Path, error: &std::io::Error) -> Error {
        Error::usage(format!("cannot read {}: {error}", path.display()))
    }

    /// Creates an error for a file that cannot be written.
    pub fn unwritable(path: &Path, error: &std::io::Error) -> Error {
        Error::host(format!("cannot write {}: {error}", path.display()))
    }

    /// Adds a remedy to the error.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Error {
        Error { hint: Some(hint.into()), ..self }
    }

    /// Adds the place of the problem, such as a line of a file.
    #[must_use]
    pub fn at(self, place: impl std::fmt::Display) -> Error {
        Error { message: format!("{place}: {}", self.message), ..self }
    }

    /// Returns the remedy, if it has one.
    pub fn cure(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Returns the message, with the hint on a line below it.
    pub fn without_label(&self) -> String {
        let hint = self.hint.as_ref().map_or(String::new(), |hint| format!("\n  hint: {}", line(hint)));
        format!("{}{hint}", line(&self.message))
    }

    /// Returns the message without label and hint.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the cause.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the exit status of the program.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.exit_status())
    }

    /// Returns the exit status as a number.
    pub fn exit_status(&self) -> u8 {
        match self.kind {
            ErrorKind::No => 1,
            ErrorKind::Usage => 2,
            ErrorKind::Host | ErrorKind::Evicted => 75,
            ErrorKind::Interrupted => 130,
        }
    }
}

/// A game that fails is a [`Host`](ErrorKind::Host) error; every other one is wrong input.
impl From<SetupError> for Error {
    fn from(error: SetupError) -> Error {
        match error {
            SetupError::Failed(_) => Error::host(error.to_string()),
            _ => Error::usage(error.to_string()),
        }
    }
}

/// A machine that cannot start a program is a [`Host`](ErrorKind::Host) error.
impl From<sandbox::Error> for Error {
    fn from(error: sandbox::Error) -> Error {
        Error::host(error.to_string()).hint(error.hint())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_stop = matches!(self.kind, ErrorKind::Interrupted | ErrorKind::Evicted);
        let label = if is_stop { "stopped" } else { "error" };
        write!(f, "{label}: {}", self.without_label())
    }
}

impl std::error::Error for Error {}
