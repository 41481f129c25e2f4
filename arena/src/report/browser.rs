//! Opens pages in the user's browser.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use crate::report::output::say;

/// The program that opens addresses and files on a desktop.
const OPENER: &str = "xdg-open";

/// Opens an address or a file. Prints the reason if the opener cannot start.
pub(crate) fn open(page: &OsStr) {
    let opened = Command::new(OPENER)
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = opened {
        say(&format!("cannot open a browser: {OPENER}: {error}"));
    }
}
