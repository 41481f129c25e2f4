//! Writing to stdout so that `arena ... | head` ends quietly.

use std::io::{self, ErrorKind, Write};

use crate::error::Error;

/// Writes to stdout. A reader that has gone away ends the output, not the command.
///
/// # Errors
/// Any other failure to write.
pub fn print(text: &str) -> Result<(), Error> {
    offer(text).map(|_| ())
}

/// Writes to stdout; false where the reader has gone away, so that more need not be computed.
///
/// # Errors
/// Any other failure to write.
pub fn offer(text: &str) -> Result<bool, Error> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::host(format!("cannot write to stdout: {error}"))),
    }
}

/// Writes a line to stderr, if there is still somebody to read it.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
