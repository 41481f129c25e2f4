//! A pre-forked supervisor. It has its process and its namespaces, which take the longest part of a start, and waits
//! for a bot.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal};

use crate::confine::{self, Layers};
use crate::supervisor::spawn_request::{DESCRIPTORS, SpawnRequest};
use crate::supervisor::{Places, die_with_parent, handle};

/// The fork server's end of a supervisor that waits. Dropping it ends the supervisor.
pub(super) struct Preforked {
    pid: Pid,
    socket: UnixStream,
    namespaces: Layers,
}

impl Preforked {
    /// Starts a supervisor for a bot with these namespaces. Returns `None` on failure. If `spawn_request` is set already,
    /// the new process closes its copy of it.
    pub(super) fn start(
        namespaces: Layers,
        shares_network: bool,
        places: &Places,
        spawn_request: &mut Option<SpawnRequest>,
    ) -> Option<Preforked> {
        let (ours, theirs) = UnixStream::pair().ok()?;
        let mut ends = Some((ours, theirs));
        let pid = confine::start_in(namespaces, shares_network, |taken| {
            let Some((ours, theirs)) = ends.take() else { return };
            // The new process has a copy of every descriptor that the fork server has open. It drops these copies,
            // because they would hide the end of the fork server or of a stream.
            drop((ours, spawn_request.take()));
            live(&theirs, taken, places);
        });
        let (socket, _) = ends?;
        Some(Preforked { pid: pid.ok()?, socket, namespaces })
    }

    /// Returns true if the supervisor has these namespaces.
    pub(super) fn has(&self, namespaces: Layers) -> bool {
        self.namespaces == namespaces
    }

    /// Gives the supervisor its bot. If the supervisor has ended, the arena notices because the supervisor's socket
    /// closes.
    pub(super) fn employ(self, spawn_request: SpawnRequest) {
        let _ = SpawnRequest { supervisor: Some(self.pid), ..spawn_request }.send(&self.socket);
    }
}

/// Runs a supervisor with these namespaces from start to end. It ends with the fork server, even before it gets a bot.
fn live(fork_server: &UnixStream, namespaces: Layers, places: &Places) {
    die_with_parent(Signal::KILL);
    // Its own group, which the terminal does not know.
    let _ = rustix::process::setpgid(None, None);
    let spawn_request = retry_on_intr(|| SpawnRequest::receive(fork_server.as_fd()));
    if let Ok(Some(SpawnRequest { supervisor: Some(own), descriptors, .. })) = spawn_request
        && let Ok(control) = place(descriptors)
    {
        handle(own, &control, namespaces, places);
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
