//! Sends descriptors from the arena to the fork server, and from there to a supervisor, with one message over a
//! socket. The message also has the namespaces for the bot and the process id of the supervisor.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fd::AsFd;
use rustix::io::retry_on_intr;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use rustix::process::Pid;

use crate::confine::Layers;

/// The number of descriptors: the supervisor's socket and the bot's three standard streams.
pub(crate) const DESCRIPTORS: usize = 4;

/// The values that a supervisor needs before it can read its plan.
#[derive(Debug)]
pub(crate) struct SpawnRequest {
    /// The namespaces to try.
    pub(crate) namespaces: Layers,
    /// The supervisor's process id, which it cannot see from inside its own namespace. `None` before a supervisor
    /// exists.
    pub(crate) supervisor: Option<Pid>,
    /// The supervisor's socket and the bot's three standard streams.
    pub(crate) descriptors: [OwnedFd; DESCRIPTORS],
}

impl SpawnRequest {
    /// Sends the request.
    ///
    /// # Errors
    /// The other end of the socket is closed.
    pub(crate) fn send(&self, socket: impl AsFd) -> rustix::io::Result<()> {
        let fds = self.descriptors.each_ref().map(OwnedFd::as_fd);
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(SendAncillaryMessage::ScmRights(&fds));
        let namespaces = self.namespaces.bits().to_le_bytes();
        let supervisor = Pid::as_raw(self.supervisor).to_le_bytes();
        let words = [IoSlice::new(&namespaces), IoSlice::new(&supervisor)];
        retry_on_intr(|| sendmsg(&socket, &words, &mut ancillary, SendFlags::NOSIGNAL)).map(drop)
    }

    /// Waits for the next request. Returns `None` once the other end of the socket is closed.
    ///
    /// # Errors
    /// For example, a signal interrupts the call.
    pub(super) fn receive(socket: BorrowedFd<'_>) -> rustix::io::Result<Option<SpawnRequest>> {
        loop {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
            let mut ancillary = RecvAncillaryBuffer::new(&mut space);
            let (mut namespaces, mut supervisor) = ([0; 2], [0; 4]);
            let into = &mut [IoSliceMut::new(&mut namespaces), IoSliceMut::new(&mut supervisor)];
            if recvmsg(socket, into, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?.bytes == 0 {
                return Ok(None);
            }
            let rights = ancillary.drain().filter_map(|message| match message {
                RecvAncillaryMessage::ScmRights(fds) => Some(fds),
                _ => None,
            });
            // A message with a wrong number of descriptors is ignored: its sender sees the supervisor's socket close.
            if let Ok(descriptors) = rights.flatten().collect::<Vec<_>>().try_into() {
                let namespaces = Layers::from_bits(u16::from_le_bytes(namespaces));
                let supervisor = Pid::from_raw(i32::from_le_bytes(supervisor));
                return Ok(Some(SpawnRequest { namespaces, supervisor, descriptors }));
            }
        }
    }
}
