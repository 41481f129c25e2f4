//! The only writer to stdout and stderr. Text for people is wrapped to the terminal, and colored if the
//! settings allow it. Text from outside cannot inject terminal sequences. `arena ... | head` ends without an
//! error.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use clap::ColorChoice;
use console::Term;
use serde::Serialize;

use referee::error::Error;
use sandbox::text::{json, lines};
use tournament::report::layout::wrapped;
use tournament::report::style::marked_lines;

/// The width of a terminal that does not tell its columns.
const COLUMNS_DEFAULT: usize = 80;
/// The width that `--width` sets, in columns.
static WIDTH: OnceLock<usize> = OnceLock::new();

/// Applies the output options of the command line. Call it before any output.
pub fn configure(color: ColorChoice, width: Option<u16>) {
    match color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
    if let Some(width) = width {
        WIDTH.get_or_init(|| usize::from(width));
    }
}

/// Returns the columns of `--width` or of the terminal behind stdout. Pipes and files have no width.
pub fn width() -> Option<usize> {
    width_of(&Term::stdout(), io::stdout().is_terminal())
}

fn width_of(term: &Term, is_terminal: bool) -> Option<usize> {
    let asked = WIDTH.get().copied();
    // Serial lines and some CI systems have a terminal that reports no columns.
    let of_terminal = |(_, columns)| if columns == 0 { COLUMNS_DEFAULT } else { usize::from(columns) };
    asked.or_else(|| is_terminal.then(|| term.size_checked().map(of_terminal))?)
}

/// Returns true if people read stderr: it is a terminal, or `--width` is set.
pub fn is_for_people() -> bool {
    WIDTH.get().is_some() || io::stderr().is_terminal()
}

/// Writes data to stdout without wrapping. If the reader has closed the pipe, the output is dropped.
///
/// # Errors
/// Any other failure to write.
pub fn print(text: &str) -> Result<(), Error> {
    offer(text).map(|_| ())
}

/// Writes data as [`print()`] does. Returns false if the reader has closed the pipe.
///
/// # Errors
/// As [`print()`].
pub fn offer(text: &str) -> Result<bool, Error> {
    written(&mut io::stdout().lock(), &lines(text))
}

/// Writes text for people to stdout. Wraps long lines on a terminal, and removes colors if the settings
/// forbid them.
///
/// # Errors
/// As [`print()`].
pub fn show(text: &str) -> Result<(), Error> {
    offer_shown(text).map(|_| ())
}

/// Writes text as [`show`] does. Returns false if the reader has closed the pipe.
///
/// # Errors
/// As [`print()`].
pub fn offer_shown(text: &str) -> Result<bool, Error> {
    let text = fitted(text, width());
    written(&mut anstream::stdout().lock(), &marked_lines(&text))
}

fn fitted(text: &str, width: Option<usize>) -> String {
    width.map_or_else(|| text.to_owned(), |columns| wrapped(text, columns))
}

fn written(out: &mut impl Write, text: &str) -> Result<bool, Error> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
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

/// Writes a line for people to stderr. Errors of the write are ignored.
pub fn say(text: &str) {
    let width = width_of(&Term::stderr(), io::stderr().is_terminal());
    let _ = writeln!(anstream::stderr(), "{}", marked_lines(&fitted(text, width)));
}
