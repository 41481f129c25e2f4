//! The two pipes of a dialogue, with the bytes received and not yet used, and the bytes still to send. Never blocks,
//! and has no clock.

use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::unix::pipe;

use crate::process::inbox::Inbox;

/// The most bytes kept for a bot that does not read.
const UNSENT_BYTES_MAX: usize = 1024 * 1024;

/// The result of a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Got {
    /// A complete line, at this place of the inbox.
    Line(Range<usize>),
    /// More bytes than a line may have.
    Oversize,
    /// The end of the stream.
    Closed,
}

/// The arena's ends of a bot's stdin and stdout.
#[derive(Debug)]
pub(crate) struct Pipes {
    stdin: Option<pipe::Sender>,
    stdout: pipe::Receiver,
    pub(crate) inbox: Inbox,
    /// The rest of a line that did not fit into the pipe at once.
    unsent: Vec<u8>,
}

impl Pipes {
    /// Takes over both ends.
    pub(crate) fn new(stdin: pipe::Sender, stdout: pipe::Receiver) -> Self {
        Pipes { stdin: Some(stdin), stdout, inbox: Inbox::new(), unsent: Vec::new() }
    }

    /// Returns true if no process holds the reading end of the bot's stdin any more.
    pub(crate) fn is_stdin_closed(&self) -> bool {
        let Some(stdin) = &self.stdin else { return true };
        let mut look = [PollFd::new(stdin, PollFlags::OUT)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut look, Some(&now)).is_ok() && look[0].revents().contains(PollFlags::ERR)
    }

    /// Closes the bot's stdin.
    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Reads without waiting, at most one buffer full. The bytes came before anything that is written afterwards.
    pub(crate) fn look_ahead(&mut self) {
        let space = self.inbox.space();
        if !space.is_empty()
            && let Ok(count) = rustix::io::read(&self.stdout, space)
        {
            self.inbox.filled(count);
        }
    }

    /// The next line that is already here.
    pub(crate) fn take_line(&mut self) -> Option<Got> {
        match self.inbox.take_line() {
            Some(place) => Some(Got::Line(place)),
            None => self.inbox.is_oversize().then_some(Got::Oversize),
        }
    }

    /// Reads once. A bot on the same core has often answered by the time that the write of the question returns. If
    /// the pipe is empty, waits for this time and reads again.
    pub(crate) fn read_at_once(&mut self, soon: Duration) -> Option<Got> {
        let mut read = rustix::io::read(&self.stdout, self.inbox.space());
        if read == Err(Errno::AGAIN) && !soon.is_zero() && self.comes_within(soon) {
            read = rustix::io::read(&self.stdout, self.inbox.space());
        }
        self.inbox.filled(read.ok()?);
        self.take_line()
    }

    /// Returns true if bytes arrive within this time. Blocks the thread meanwhile.
    fn comes_within(&self, time: Duration) -> bool {
        let mut look = [PollFd::new(&self.stdout, PollFlags::IN)];
        let time = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
        poll(&mut look, Some(&time)).is_ok_and(|ready| ready > 0)
    }

    /// Reads without waiting until a line is complete or the pipe is empty.
    pub(crate) fn read_now(&mut self) -> Option<Got> {
        loop {
            if let Some(got) = self.take_line() {
                return Some(got);
            }
            match rustix::io::read(&self.stdout, self.inbox.space()) {
                Ok(0) => return Some(Got::Closed),
                Ok(count) => self.inbox.filled(count),
                Err(Errno::INTR) => {}
                Err(_) => return None,
            }
        }
    }

    /// Reads once. `Ready(None)` means that bytes came and the line is not complete.
    pub(crate) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Option<Got>> {
        let mut buffer = ReadBuf::new(self.inbox.space());
        let read = Pin::new(&mut self.stdout).poll_read(cx, &mut buffer);
        let count = buffer.filled().len();
        match read {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(())) if count > 0 => {
                self.inbox.filled(count);
                Poll::Ready(self.take_line())
            }
            Poll::Ready(_) => Poll::Ready(Some(Got::Closed)),
        }
    }

    /// Reads once, past the inbox, and adds the bytes to `output`. Returns their number, 0 at the end of the stream.
    pub(crate) fn poll_read_past_inbox(&mut self, cx: &mut Context<'_>, output: &mut Vec<u8>) -> Poll<usize> {
        let mut chunk = [0; 4096];
        let mut buffer = ReadBuf::new(&mut chunk);
        let read = std::task::ready!(Pin::new(&mut self.stdout).poll_read(cx, &mut buffer));
        output.extend_from_slice(buffer.filled());
        Poll::Ready(if read.is_ok() { buffer.filled().len() } else { 0 })
    }

    /// Writes as much of `line` as the pipe takes at once, after the rest of an earlier line. Returns the number of
    /// bytes of `line`.
    pub(crate) fn write_now(&mut self, line: &[u8]) -> usize {
        if !self.unsent.is_empty() {
            let sent = write_some(&mut self.stdin, &self.unsent);
            self.unsent.drain(..sent);
            if !self.unsent.is_empty() {
                return 0;
            }
        }
        write_some(&mut self.stdin, line)
    }

    /// Writes `line` from `sent` on, after the rest of an earlier line. Ready when all is written,
    /// or when the bot has closed its stdin.
    pub(crate) fn poll_write(&mut self, cx: &mut Context<'_>, line: &[u8], sent: &mut usize) -> Poll<()> {
        while let Some(stdin) = &mut self.stdin {
            let owed = if self.unsent.is_empty() { &line[*sent..] } else { &self.unsent };
            if owed.is_empty() {
                return Poll::Ready(());
            }
            match std::task::ready!(Pin::new(stdin).poll_write(cx, owed)) {
                Ok(count) if self.unsent.is_empty() => *sent += count,
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.stdin = None,
            }
        }
        Poll::Ready(())
    }

    /// Writes a line without waiting. Writes all of it, or nothing, or the beginning; the rest is kept for the next
    /// write.
    pub(crate) fn send(&mut self, line: &[u8]) {
        let sent = self.write_now(line);
        if sent > 0 {
            self.send_later(&line[sent..]);
        }
    }

    /// Keeps the rest of a line for the next write, so that the bot never sees half a line. Stops writing to a bot with
    /// too many unread bytes.
    pub(crate) fn send_later(&mut self, rest: &[u8]) {
        if self.unsent.len() + rest.len() > UNSENT_BYTES_MAX {
            self.stdin = None;
        }
        if self.stdin.is_some() {
            self.unsent.extend_from_slice(rest);
        }
    }
}

/// Writes without waiting; a bot that has closed its stdin is not written to again.
fn write_some(stdin: &mut Option<pipe::Sender>, bytes: &[u8]) -> usize {
    let Some(pipe) = stdin else { return 0 };
    match rustix::io::retry_on_intr(|| rustix::io::write(&*pipe, bytes)) {
        Ok(count) => count,
        Err(Errno::AGAIN) => 0,
        Err(_) => {
            *stdin = None;
            0
        }
    }
}
