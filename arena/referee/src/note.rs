//! Notes for the user in addition to a command's result.

use std::io::Write;
use std::sync::OnceLock;

use sandbox::text::lines;

/// The function that writes notes.
static WRITER: OnceLock<fn(&str)> = OnceLock::new();

/// Sets the function that writes notes. Call it once, before the first note; otherwise notes go to stderr.
pub fn write_with(writer: fn(&str)) {
    let _ = WRITER.set(writer);
}

/// Writes a note for the user. Errors of the write are ignored.
pub fn note(text: &str) {
    match WRITER.get() {
        Some(writer) => writer(text),
        None => {
            let _ = writeln!(std::io::stderr(), "{}", lines(text));
        }
    }
}
