//! Where keepers come from: a process of one thread, started once, that forks one whenever the arena sends
//! the descriptors for it. To fork a small process takes a tenth of what executing the arena anew does.
//!
//! It has a session of its own, so that no bot has the arena's terminal, and ends when the arena's socket
//! does, after its keepers.

use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{Pid, WaitOptions, getpid, wait};

use super::keep;
use crate::bot::contain;
use crate::bot::contain::scratch::ScratchRoot;
use crate::bot::sys::{self, Forked};

/// The keeper's socket and the bot's three standard streams.
pub(crate) const DESCRIPTORS: usize = 4;

/// Forks keepers until the arena is gone, then waits until they are.
pub(super) fn run() {
    let _ = rustix::process::setsid();
    sys::close_on_exec_above_stderr();
    sys::let_children_go(); // keepers answer to the arena, and nobody here waits for one
    contain::prepare();
    let scratch = ScratchRoot::make();
    while let Some(descriptors) = receive(rustix::stdio::stdin()) {
        let Ok(descriptors) = <[OwnedFd; DESCRIPTORS]>::try_from(descriptors) else { continue };
        let nursery = getpid();
        // A keeper that cannot be forked shows by its socket, which closes.
        if let Ok(Forked::Child) = sys::fork() {
            be_keeper(descriptors, nursery, scratch.as_ref());
            std::process::exit(0);
        }
    }
    // Dropped, the arena's sockets tell each keeper to clean up; then none is left to wait for.
    while !matches!(wait(WaitOptions::empty()), Err(Errno::CHILD)) {}
    if let Some(scratch) = scratch {
        scratch.remove();
    }
}

fn be_keeper(
    [control, stdin, stdout, stderr]: [OwnedFd; DESCRIPTORS],
    nursery: Pid,
    scratch: Option<&ScratchRoot>,
) {
    let is_placed = rustix::stdio::dup2_stdin(&stdin)
        .and_then(|()| rustix::stdio::dup2_stdout(&stdout))
        .and_then(|()| rustix::stdio::dup2_stderr(&stderr));
    drop((stdin, stdout, stderr));
    if is_placed.is_ok() {
        keep(&UnixStream::from(control), nursery, scratch);
    }
}

/// The descriptors for the next keeper; none once the arena is gone.
fn receive(socket: BorrowedFd<'_>) -> Option<Vec<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    loop {
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let flags = RecvFlags::CMSG_CLOEXEC;
        match recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, flags) {
            Ok(message) if message.bytes == 0 => return None,
            Ok(_) => {
                let rights = ancillary.drain().filter_map(|message| match message {
                    RecvAncillaryMessage::ScmRights(fds) => Some(fds),
                    _ => None,
                });
                return Some(rights.flatten().collect());
            }
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}
