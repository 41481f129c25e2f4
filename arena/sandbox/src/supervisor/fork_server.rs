//! The fork server: a process with one thread, started once. It forks a supervisor each time the arena sends the
//! descriptors for it. A fork of a small process takes a tenth of the time of executing the arena again. One
//! supervisor is always forked in advance.
//!
//! The fork server gives up the arena's terminal, so that no bot has it. It ends when the arena's socket does, after
//! its supervisors. It stays in the arena's session, because the kernel divides the processors among sessions first.
//! In two sessions, each switch between the arena and its bots would wait for all other processes.

use rustix::io::Errno;
use rustix::process::{WaitOptions, wait};

use crate::contain;
use crate::keeper::Places;
use crate::keeper::handover::Handover;
use crate::keeper::spare::Spare;
use crate::system::sys;

/// Forks supervisors until the arena has ended, then waits until the supervisors have ended.
pub(super) fn run() {
    // Its own group: input at the terminal is for the arena.
    let _ = rustix::process::setpgid(None, None);
    sys::leave_terminal();
    sys::close_on_exec_above_stderr();
    sys::be_interrupted_by_children();
    contain::prepare();
    let places = Places::make();
    let mut spare: Option<Spare> = None;
    loop {
        reap();
        let handover = match Handover::receive(rustix::stdio::stdin()) {
            Ok(Some(handover)) => handover,
            Err(Errno::INTR) => continue,
            Ok(None) | Err(_) => break,
        };
        let namespaces = handover.namespaces;
        let mut handover = Some(handover);
        let suitable = spare.take().filter(|spare| spare.has(namespaces));
        let keeper = suitable.or_else(|| Spare::start(namespaces, &places, &mut handover));
        // Without a supervisor the handover is dropped. The arena notices because the supervisor's socket closes.
        if let (Some(keeper), Some(handover)) = (keeper, handover.take()) {
            keeper.employ(handover);
        }
        // Most bots use the same namespaces.
        spare = Spare::start(namespaces, &places, &mut None);
    }
    drop(spare);
    // The closed sockets of the arena tell each supervisor to clean up. The loop waits until all have ended.
    while !matches!(wait(WaitOptions::empty()), Err(Errno::CHILD)) {}
    places.remove();
}

/// Reaps supervisors that have ended. They report to the arena, but if the kernel reaped them by itself, the processor
/// time of the bots would be lost.
fn reap() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}
