//! Where keepers come from: a process of one thread, started once, that forks one whenever the arena sends
//! the descriptors for it. To fork a small process takes a tenth of what executing the arena anew does, and
//! one is always forked ahead.
//!
//! It has a session of its own, so that no bot has the arena's terminal, and ends when the arena's socket
//! does, after its keepers.

use rustix::io::Errno;
use rustix::process::{WaitOptions, wait};

use super::handover::Handover;
use super::spare::{Spare, fork_for};
use crate::bot::contain;
use crate::bot::contain::scratch::ScratchRoot;
use crate::bot::sys;

/// Forks keepers until the arena is gone, then waits until they are.
pub(super) fn run() {
    let _ = rustix::process::setsid();
    sys::close_on_exec_above_stderr();
    sys::let_children_go(); // keepers answer to the arena, and nobody here waits for one
    contain::prepare();
    let scratch = ScratchRoot::make();
    let mut spare: Option<Spare> = None;
    while let Some(handover) = Handover::receive(rustix::stdio::stdin()) {
        let namespaces = handover.namespaces;
        match spare.take().filter(|spare| spare.has(namespaces)) {
            Some(keeper) => keeper.employ(handover),
            None => fork_for(handover, scratch.as_ref()),
        }
        spare = Spare::fork(namespaces, scratch.as_ref()); // bots mostly come with the same
    }
    drop(spare);
    // Dropped, the arena's sockets tell each keeper to clean up; then none is left to wait for.
    while !matches!(wait(WaitOptions::empty()), Err(Errno::CHILD)) {}
    if let Some(scratch) = scratch {
        scratch.remove();
    }
}
