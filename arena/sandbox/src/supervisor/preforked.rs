//! A pre-forked supervisor. It has its process and its namespaces, which take the longest part of a start, and waits
//! for a bot.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal};

use crate::contain::{self, Layers};
use crate::keeper::handover::{DESCRIPTORS, Handover};
use crate::keeper::{Places, die_with_parent, keep};

/// The fork server's end of a supervisor that waits. Dropping it ends the supervisor.
pub(super) struct Spare {
    pid: Pid,
    socket: UnixStream,
    namespaces: Layers,
}

impl Spare {
    /// Starts a supervisor for a bot with these namespaces. Returns `None` on failure. If `handover` is set already,
    /// the new process closes its copy of it.
    pub(super) fn start(
        namespaces: Layers,
        places: &Places,
        handover: &mut Option<Handover>,
    ) -> Option<Spare> {
        let (ours, theirs) = UnixStream::pair().ok()?;
        let mut ends = Some((ours, theirs));
        let pid = contain::start_in(namespaces, |taken| {
            let Some((ours, theirs)) = ends.take() else { return };
            // The new process has a copy of every descriptor that the fork server has open. It drops these copies,
            // because they would hide the end of the fork server or of a stream.
            drop((ours, handover.take()));
            live(&theirs, taken, places);
        });
        let (socket, _) = ends?;
        Some(Spare { pid: pid.ok()?, socket, namespaces })
    }

    /// Returns true if the supervisor has these namespaces.
    pub(super) fn has(&self, namespaces: Layers) -> bool {
        self.namespaces == namespaces
    }

    /// Gives the supervisor its bot. If the supervisor has ended, the arena notices because the supervisor's socket
    /// closes.
    pub(super) fn employ(self, handover: Handover) {
        let _ = Handover { keeper: Some(self.pid), ..handover }.send(&self.socket);
    }
}

/// Runs a supervisor with these namespaces from start to end. It ends with the fork server, even before it gets a bot.
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

/// Installs the bot's standard streams as stdin, stdout, and stderr of the current process. Returns the supervisor's
/// socket.
fn place([control, stdin, stdout, stderr]: [OwnedFd; DESCRIPTORS]) -> rustix::io::Result<UnixStream> {
    rustix::stdio::dup2_stdin(&stdin)?;
    rustix::stdio::dup2_stdout(&stdout)?;
    rustix::stdio::dup2_stderr(&stderr)?;
    Ok(UnixStream::from(control))
}
