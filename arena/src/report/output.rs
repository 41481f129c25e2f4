//! Writing to stdout so that `arena ... | head` ends quietly, and nothing but printable text to any terminal.

use std::io::{self, ErrorKind, Write};

use serde::Serialize;

use crate::error::Error;
use crate::text::{json, lines};

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
    match stdout.write_all(lines(text).as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::host(format!("cannot write to stdout: {error}"))),
    }
}

/// Writes plain data to stdout as JSON.
///
/// # Errors
/// As [`print()`].
pub fn print_json(value: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value).expect("plain data");
    print(&(json(&text) + "\n"))
}

/// Writes a line to stderr, if there is still somebody to read it.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{}", lines(text));
}
