//! The arena's end of a keeper: starting it, hearing from it, and ending it. State that the bot's
//! owner and its attendant share lives here, behind one lock that is never held across a wait.

use std::future::poll_fn;
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, Shutdown, sendmsg};
use rustix::process::{Pid, PidfdFlags};
use tokio::net::UnixStream;

use super::fault::Exit;
use super::keeper::report::Report;
use super::stderr::StderrKeep;
use super::tree::{self, CpuUse};

/// How old the list of a bot's processes may be when their processor time is read.
const FAMILY_AGE_MAX: Duration = Duration::from_secs(1);

/// What is known of a bot's processes.
#[derive(Debug)]
pub(super) struct State {
    child: Child,
    /// The keeper's first report; `Ended` here would mean that the report was lost.
    pub(super) start: Option<Report>,
    /// How the bot's first process ended, unless it was killed by us.
    pub(super) exit: Option<Exit>,
    /// Other processes of the bot were still running when the first one ended.
    pub(super) left_running: bool,
    /// The arena ordered the end while the bot was alive.
    pub(super) killed: bool,
    /// The keeper was reaped, so that nothing is left of the tree.
    pub(super) gone: bool,
    /// What all its processes held when the memory watch stopped them, in bytes.
    pub(super) memory_bytes: Option<u64>,
    /// Its stderr.
    pub(super) stderr: StderrKeep,
    /// Everything that will ever come from its stderr has come.
    pub(super) stderr_closed: bool,
    /// The bot's processes, its first one first, when they were last looked for.
    family: Vec<i32>,
    family_seen: Option<Instant>,
    waker: Option<Waker>,
}

impl State {
    /// Whether the bot cannot answer any more.
    pub(super) fn has_ended(&self) -> bool {
        self.exit.is_some() || self.gone || self.memory_bytes.is_some()
    }

    /// Wakes the owner, if it waits. To be called after every change it may wait for.
    pub(super) fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Takes note of a keeper's message.
    pub(super) fn heard(&mut self, report: Report) {
        match report {
            Report::Ended { exit, left_running } if !self.killed => {
                self.exit = Some(exit);
                self.left_running = left_running;
            }
            Report::Ended { .. } => {}
            first => self.start = Some(first),
        }
        self.wake();
    }

    /// Reaps the keeper if it has exited.
    pub(super) fn reap(&mut self) -> bool {
        // An error means that there is no such child, which is all the same.
        if !matches!(self.child.try_wait(), Ok(None)) {
            self.gone = true;
            self.wake();
        }
        self.gone
    }
}

/// A running keeper.
#[derive(Clone, Debug)]
pub(super) struct Keep {
    state: Arc<Mutex<State>>,
    pub(super) control: Arc<UnixStream>,
    pid: i32,
}

impl Keep {
    /// Starts a keeper with `stdout` and `stderr` as the bot's, and hands it `stdin`.
    pub(super) fn start(
        mut command: std::process::Command,
        streams: [OwnedFd; 3],
        stderr: StderrKeep,
    ) -> std::io::Result<Self> {
        let [bot_stdin, bot_stdout, bot_stderr] = streams;
        let (ours, theirs) = StdUnixStream::pair()?;
        let child = command
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(bot_stdout)
            .stderr(bot_stderr)
            .spawn()?;
        drop(command); // and with it our copies of the bot's ends
        let pid = i32::try_from(child.id()).expect("process ids fit into an i32");
        let state = Mutex::new(State {
            child,
            start: None,
            exit: None,
            left_running: false,
            killed: false,
            gone: false,
            memory_bytes: None,
            stderr,
            stderr_closed: false,
            family: Vec::new(),
            family_seen: None,
            waker: None,
        });
        // A failure to send shows as a keeper that ends without a report.
        let _ = send_descriptor(&ours, &bot_stdin);
        ours.set_nonblocking(true)?;
        let control = Arc::new(UnixStream::from_std(ours)?);
        Ok(Keep { state: Arc::new(state), control, pid })
    }

    /// What is known now. The lock must not be held across a wait.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics while holding the lock")
    }

    /// Waits until `found` finds something in the state.
    pub(super) async fn wait_for<T>(&self, found: impl Fn(&State) -> Option<T>) -> T {
        poll_fn(|cx| self.poll_for(cx, &found)).await
    }

    /// The same as a poll. Only one task at a time may wait.
    pub(super) fn poll_for<T>(&self, cx: &mut Context<'_>, found: impl Fn(&State) -> Option<T>) -> Poll<T> {
        let mut state = self.state();
        if let Some(value) = found(&state) {
            return Poll::Ready(value);
        }
        if !state.waker.as_ref().is_some_and(|old| old.will_wake(cx.waker())) {
            state.waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Orders the keeper to kill the tree, and where the kernel then does the rest kills the keeper
    /// itself. Returns at once; [`State::gone`] tells when nothing is left.
    pub(super) fn kill(&self) {
        let mut state = self.state();
        state.killed |= state.exit.is_none();
        let _ = rustix::net::shutdown(self.control.as_fd(), Shutdown::Write);
    }

    /// Kills without the keeper's help: for a keeper that was stopped or does not come to run.
    pub(super) fn kill_hard(&self) {
        self.kill();
        let mut state = self.state();
        if state.gone {
            return;
        }
        if !matches!(state.start, Some(Report::Started(held)) if held.is_namespace()) {
            for pid in tree::descendants(self.pid).into_iter().filter_map(Pid::from_raw) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
        let _ = state.child.kill();
    }

    /// A descriptor that becomes readable when the keeper can be reaped. Only before it is.
    pub(super) fn pidfd(&self) -> std::io::Result<OwnedFd> {
        let pid = Pid::from_raw(self.pid).ok_or(rustix::io::Errno::SRCH)?;
        Ok(rustix::process::pidfd_open(pid, PidfdFlags::NONBLOCK)?)
    }

    /// Everything below the keeper.
    pub(super) fn processes(&self) -> Vec<i32> {
        tree::descendants(self.pid)
    }

    /// The bot's first process, if it is there.
    pub(super) fn bot_pid(&self) -> Option<i32> {
        let is_init_there = matches!(self.state().start, Some(Report::Started(held)) if held.is_namespace());
        self.processes().get(usize::from(is_init_there)).copied()
    }

    /// What the bot's processes used of the processors so far. The list of them is looked up again
    /// only when it is [`FAMILY_AGE_MAX`] old: a walk costs many times what a reading does. None if
    /// the system does not tell.
    pub(super) fn cpu_use(&self) -> Option<CpuUse> {
        let now = Instant::now();
        let mut state = self.state();
        if state.family_seen.is_none_or(|seen| now.duration_since(seen) > FAMILY_AGE_MAX) {
            let is_init_there = matches!(state.start, Some(Report::Started(held)) if held.is_namespace());
            state.family = self.processes();
            if is_init_there && !state.family.is_empty() {
                state.family.remove(0);
            }
            state.family_seen = Some(now);
        }
        (!state.family.is_empty()).then(|| tree::cpu_use(&state.family))
    }

    /// Whether the bot's first process is stopped by a signal.
    pub(super) fn is_stopped(&self) -> bool {
        self.state().family.first().is_some_and(|pid| tree::is_stopped(*pid))
    }
}

fn send_descriptor(socket: &StdUnixStream, fd: &OwnedFd) -> rustix::io::Result<()> {
    let fds = [fd.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&fds));
    let flags = SendFlags::NOSIGNAL;
    sendmsg(socket, &[IoSlice::new(&[0])], &mut ancillary, flags).map(|_| ())
}
