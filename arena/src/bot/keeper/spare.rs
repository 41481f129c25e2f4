//! A keeper made ahead of need: it has its process and its namespaces, which take longest of a start, and waits
//! for a bot.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, getpid, getppid};

use super::handover::{DESCRIPTORS, Handover};
use super::{die_with_parent, keep};
use crate::bot::contain::scratch::ScratchRoot;
use crate::bot::contain::{self, Layers};
use crate::bot::sys::{self, Forked};

/// The nursery's end of a keeper that waits. Dropped, it ends the keeper.
pub(super) struct Spare {
    socket: UnixStream,
    namespaces: Layers,
}

impl Spare {
    /// Forks a keeper for a bot with these namespaces; none if that cannot be.
    pub(super) fn fork(namespaces: Layers, scratch: Option<&ScratchRoot>) -> Option<Spare> {
        let nursery = getpid();
        let (socket, theirs) = UnixStream::pair().ok()?;
        if let Forked::Child = sys::fork().ok()? {
            drop(socket);
            let handover = || retry_on_intr(|| Handover::receive(theirs.as_fd()));
            live(nursery, namespaces, scratch, || handover().ok().flatten());
            std::process::exit(0);
        }
        Some(Spare { socket, namespaces })
    }

    /// Whether it suits such a bot.
    pub(super) fn has(&self, namespaces: Layers) -> bool {
        self.namespaces == namespaces
    }

    /// Gives it its bot. If it is gone, that shows by the keeper's socket, which closes.
    pub(super) fn employ(self, handover: Handover) {
        let _ = handover.send(&self.socket);
    }
}

/// Forks a keeper for a bot that is there. If that cannot be, it shows by the keeper's socket, which closes.
pub(super) fn fork_for(handover: Handover, scratch: Option<&ScratchRoot>) {
    let nursery = getpid();
    if let Ok(Forked::Child) = sys::fork() {
        live(nursery, handover.namespaces, scratch, || Some(handover));
        std::process::exit(0);
    }
}

/// The whole life of a keeper; `handover` waits for its bot.
fn live(
    nursery: Pid,
    namespaces: Layers,
    scratch: Option<&ScratchRoot>,
    handover: impl FnOnce() -> Option<Handover>,
) {
    die_with_parent(Signal::KILL);
    if getppid() != Some(nursery) {
        return; // it was gone before the line above took effect
    }
    sys::heed_children();
    // Its own group, which the terminal does not know.
    let _ = rustix::process::setpgid(None, None);
    let taken = contain::unshare(namespaces);
    die_with_parent(Signal::KILL); // a change of credentials may have cleared it
    let Some(Handover { descriptors, .. }) = handover() else { return };
    if let Ok(control) = place(descriptors) {
        keep(&control, taken, scratch);
    }
}

/// Makes the bot's standard streams those of this process; what is left is the keeper's socket.
fn place([control, stdin, stdout, stderr]: [OwnedFd; DESCRIPTORS]) -> rustix::io::Result<UnixStream> {
    rustix::stdio::dup2_stdin(&stdin)?;
    rustix::stdio::dup2_stdout(&stdout)?;
    rustix::stdio::dup2_stderr(&stderr)?;
    Ok(UnixStream::from(control))
}
