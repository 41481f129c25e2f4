//! Where keepers come from: a process of one thread, started once, that forks one whenever the arena sends
//! the descriptors for it. To fork a small process takes a tenth of what executing the arena anew does, and
//! one is always forked ahead.
//!
//! It gives up the arena's terminal, so that no bot has it, and ends when the arena's socket does, after its
//! keepers. It stays in the arena's session: the kernel shares out the processors among sessions first, and in
//! two of them the arena and its bots would wait for everybody else each time that one hands over to the other.

use rustix::io::Errno;
use rustix::process::{WaitOptions, wait};

use crate::contain;
use crate::keeper::Places;
use crate::keeper::handover::Handover;
use crate::keeper::spare::Spare;
use crate::system::sys;

/// Forks keepers until the arena is gone, then waits until they are.
pub(super) fn run() {
    // Its own group: what is typed at the terminal is for the arena.
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
        // Without a keeper the handover is dropped, which shows by the keeper's socket: it closes.
        if let (Some(keeper), Some(handover)) = (keeper, handover.take()) {
            keeper.employ(handover);
        }
        // Bots mostly come with the same.
        spare = Spare::start(namespaces, &places, &mut None);
    }
    drop(spare);
    // Dropped, the arena's sockets tell each keeper to clean up; then none is left to wait for.
    while !matches!(wait(WaitOptions::empty()), Err(Errno::CHILD)) {}
    places.remove();
}

/// Lets keepers that have ended go. They answer to the arena; but if the kernel did this by itself, the processor time
/// of the bots would be known to nobody.
fn reap() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}
