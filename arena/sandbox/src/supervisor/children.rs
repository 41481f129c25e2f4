//! The children of the supervisor: whether there are any, and the pipe that tells of their ends.

use std::fs::File;
use std::io::Read;

use rustix::io::Errno;
use rustix::process::{WaitOptions, wait};

use crate::process::fault::Exit;

/// Empties the descriptor that reports the ends of children.
pub(super) fn forget(mut ends: &File) {
    let _ = ends.read(&mut [0; size_of::<libc::signalfd_siginfo>()]);
}

/// Reaps the dead children and returns true if a child is left.
pub(super) fn has_children() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            outcome => return matches!(outcome, Ok(None)),
        }
    }
}

/// Returns the exit of a child with this status or this signal.
pub(super) fn exit_of(code: Option<i32>, signal: Option<i32>) -> Exit {
    code.map_or_else(|| Exit::Signal(signal.unwrap_or(0)), Exit::Code)
}
