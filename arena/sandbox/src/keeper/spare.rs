//! A keeper made ahead of need: it has its process and its namespaces, which take longest of a start, and waits
//! for a bot.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal};

use crate::contain::{self, Layers};
use crate::keeper::handover::{DESCRIPTORS, Handover};
use crate::keeper::{Places, die_with_parent, keep};

/// The nursery's end of a keeper that waits. Dropped, it ends the keeper.
pub(super) struct Spare {
    pid: Pid,
    socket: UnixStream,
    namespaces: Layers,
}

impl Spare {
    /// Starts a keeper for a bot with these namespaces; none if that cannot be. A `handover` that is there already is not for
    /// it to have twice.
    pub(super) fn start(
        namespaces: Layers,
        places: &Places,
        handover: &mut Option<Handover>,
    ) -> Option<Spare> {
        let (ours, theirs) = UnixStream::pair().ok()?;
        let mut ends = Some((ours, theirs));
        let pid = contain::start_in(namespaces, |taken| {
            let Some((ours, theirs)) = ends.take() else { return };
            // What the nursery has open is open here too; with a copy of these it would never see the end of the
            // nursery or of a stream.
            drop((ours, handover.take()));
            live(&theirs, taken, places);
        });
        let (socket, _) = ends?;
        Some(Spare { pid: pid.ok()?, socket, namespaces })
    }

    /// Whether it suits such a bot.
    pub(super) fn has(&self, namespaces: Layers) -> bool {
        self.namespaces == namespaces
    }

    /// Gives it its bot. If it is gone, that shows by the keeper's socket, which closes.
    pub(super) fn employ(self, handover: Handover) {
        let _ = Handover { keeper: Some(self.pid), ..handover }.send(&self.socket);
    }
}

/// The whole life of a keeper with these namespaces. It ends when the nursery does, also if that is before it gets a bot.
fn live(nursery: &UnixStream, namespaces: Layers, places: &Places) {
    die_with_parent(Signal::KILL);
    // Its own group, which the terminal does not know.
    let _ = rustix::process::setpgid(None, None);
    let handover = retry_on_intr(|| Handover::receive(nursery.as_fd()));
    if let Ok(Some(Handover { keeper: Some(own), descriptors, .. })) = handover
        && let Ok(control) = place(descriptors)
    {
        keep(own, &control, namespaces, places);
    }
}

/// Makes the bot's standard streams those of this process; what is left is the keeper's socket.
fn place([control, stdin, stdout, stderr]: [OwnedFd; DESCRIPTORS]) -> rustix::io::Result<UnixStream> {
    rustix::stdio::dup2_stdin(&stdin)?;
    rustix::stdio::dup2_stdout(&stdout)?;
    rustix::stdio::dup2_stderr(&stderr)?;
    Ok(UnixStream::from(control))
}
