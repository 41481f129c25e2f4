//! Lines for the user beside the result of a command.

use std::io::Write;
use std::sync::OnceLock;

use sandbox::text::lines;

/// Who writes them.
static WRITER: OnceLock<fn(&str)> = OnceLock::new();

/// Chooses who writes notes, once and before the first one; else they go to stderr as they are.
pub fn write_with(writer: fn(&str)) {
    let _ = WRITER.set(writer);
}

/// Writes a line for the user, if there is still somebody to read it.
pub fn note(text: &str) {
    match WRITER.get() {
        Some(writer) => writer(text),
        None => {
            let _ = writeln!(std::io::stderr(), "{}", lines(text));
        }
    }
}
