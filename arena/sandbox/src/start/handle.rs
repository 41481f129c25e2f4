//! The arena's handle of a supervisor: starts it, reads its reports, and ends it. The state that the bot's owner and
//! its background task share is here, behind one lock that is never held across an await.

use std::collections::HashSet;
use std::fs::File;
use std::future::poll_fn;
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, Shutdown, recvmsg};
use rustix::process::{Pid, Signal};
use tokio::io::Interest;
use tokio::net::UnixStream;

use crate::confine::cgroup::GroupHandle;
use crate::process::fault::Exit;
use crate::process::stderr::StderrKeep;
use crate::start::fork_server::ForkServer;
use crate::supervisor::report::Report;
use crate::supervisor::{DESCRIPTORS_MAX, Plan, SpawnRequest};
use crate::system::tree::{self, CpuTimes, ThreadTimes};

/// The maximum age of the list of a bot's processes between decisions. The list of a young bot, which may be starting
/// others, may be no older than the bot was when the list was made.
const FAMILY_AGE_MAX: Duration = Duration::from_secs(10);
/// The number of rounds that find and kill the processes below a supervisor. A tree that forks faster survives them.
const KILL_ROUNDS_MAX: u32 = 32;

/// The known state of a bot's processes.
#[derive(Debug)]
pub(crate) struct State {
    /// The supervisor's process id, once it has reported it.
    pid: Option<i32>,
    /// A pidfd of the supervisor, if the system supports pidfds.
    pidfd: Option<Arc<OwnedFd>>,
    /// The bot's control group, if it has one.
    group: Option<GroupHandle>,
    /// The list of the calls that failed, if the bot is traced.
    pub(crate) failed_calls: Option<File>,
    /// The report of the start. `Ended` here means that the report of the start was lost.
    pub(crate) start: Option<Report>,
    /// The exit of the bot's first process, unless the arena killed it.
    pub(crate) exit: Option<Exit>,
    /// True if other processes of the bot were running when the first one ended.
    pub(crate) left_running: bool,
    /// True if the arena ordered the end while the bot was alive.
    pub(crate) killed: bool,
    /// True if the supervisor has ended, so that no process of the tree is left.
    pub(crate) gone: bool,
    /// True if the bot was killed because its scratch folder held too much.
    pub(crate) overfull: bool,
    /// The memory of all its processes when the memory watch killed them, in bytes. If the kernel killed them, this is
    /// the limit.
    pub(crate) memory_bytes: Option<u64>,
    /// The limit that the kernel enforces for all processes of the bot, in bytes, if it does.
    group_bytes_max: Option<u64>,
    /// The kept part of the bot's stderr.
    pub(crate) stderr: StderrKeep,
    /// True if the bot's stderr has been read to its end.
    pub(crate) stderr_closed: bool,
    /// The bot's processes at the last lookup, the first process first.
    family: Vec<i32>,
    family_seen: Option<Instant>,
    /// The time at which the supervisor was requested.
    started: Instant,
    waker: Option<Waker>,
}

impl State {
    /// Returns true if the bot can no longer answer.
    pub(crate) fn has_ended(&self) -> bool {
        self.exit.is_some() || self.gone || self.memory_bytes.is_some() || self.overfull
    }

    /// Wakes the owner, if it waits. Call this after every change that the owner may wait for.
    pub(crate) fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Stores the descriptors that came with a supervisor's report.
    fn take(&mut self, descriptors: Vec<OwnedFd>) {
        match <[OwnedFd; 2]>::try_from(descriptors) {
            Ok(files) => self.group = Some(GroupHandle::new(files.map(File::from))),
            Err(other) if self.pid.is_none() => self.pidfd = other.into_iter().next().map(Arc::new),
            Err(other) => self.failed_calls = other.into_iter().next().map(File::from),
        }
    }

    /// Updates the state from a supervisor's report.
    pub(crate) fn heard(&mut self, report: Report) {
        match report {
            Report::Ended { exit, left_running } if !self.killed => {
                self.exit = Some(exit);
                self.left_running = left_running;
            }
            Report::Ended { .. } => {}
            Report::Here { pid } => self.pid = Some(pid),
            Report::Traced => {}
            Report::Overfull => (self.overfull, self.killed) = (true, true),
            Report::OutOfMemory => self.memory_bytes = self.group_bytes_max,
            first => self.start = Some(first),
        }
        self.wake();
    }

    /// Records that the supervisor has ended.
    pub(crate) fn end(&mut self) {
        self.gone = true;
        self.wake();
    }

    /// Returns true if all processes below the supervisor end with it.
    fn has_namespace(&self) -> bool {
        matches!(self.start, Some(Report::Started(held, _)) if held.is_namespace())
    }
}

/// A handle of a running supervisor.
#[derive(Clone, Debug)]
pub(crate) struct SupervisorHandle {
    state: Arc<Mutex<State>>,
    pub(crate) control: Arc<UnixStream>,
}

impl SupervisorHandle {
    /// Starts a supervisor with a plan and the bot's three standard streams.
    pub(crate) fn start(
        fork_server: &ForkServer,
        plan: &Plan,
        [stdin, stdout, stderr]: [OwnedFd; 3],
        kept: StderrKeep,
    ) -> io::Result<Self> {
        let (ours, theirs) = StdUnixStream::pair()?;
        let bytes = plan.to_bytes()?;
        let descriptors = [theirs.into(), stdin, stdout, stderr];
        let namespaces = plan.spec.namespaces();
        fork_server.request_supervisor(&SpawnRequest { namespaces, supervisor: None, descriptors })?;
        // A failure to send shows as a supervisor that ends without a report.
        let _ = Plan::send(&bytes, &ours);
        let state = Mutex::new(State {
            pid: None,
            pidfd: None,
            group: None,
            failed_calls: None,
            start: None,
            exit: None,
            left_running: false,
            killed: false,
            gone: false,
            overfull: false,
            memory_bytes: None,
            group_bytes_max: plan.spec.group_bytes_max,
            stderr: kept,
            stderr_closed: false,
            family: Vec::new(),
            family_seen: None,
            started: Instant::now(),
            waker: None,
        });
        ours.set_nonblocking(true)?;
        let control = Arc::new(UnixStream::from_std(ours)?);
        Ok(SupervisorHandle { state: Arc::new(state), control })
    }

    /// Reads the bytes that the supervisor has sent, without waiting. Returns their number. The supervisor's pidfd
    /// comes with its first report, the descriptors of the bot's control group with the report of the start.
    pub(crate) fn try_read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        self.control.try_io(Interest::READABLE, || {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX))];
            let mut ancillary = RecvAncillaryBuffer::new(&mut space);
            let (flags, socket) = (RecvFlags::CMSG_CLOEXEC, self.control.as_fd());
            let message = recvmsg(socket, &mut [IoSliceMut::new(bytes)], &mut ancillary, flags)?;
            for fd in ancillary.drain() {
                if let RecvAncillaryMessage::ScmRights(fds) = fd {
                    self.state().take(fds.collect());
                }
            }
            Ok(message.bytes)
        })
    }

    /// Locks and returns the current state. Do not hold the lock across an await.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics while holding the lock")
    }

    /// Waits until `found` returns a value for the state.
    pub(crate) async fn wait_for<T>(&self, found: impl Fn(&State) -> Option<T>) -> T {
        poll_fn(|cx| self.poll_for(cx, &found)).await
    }

    /// Polls for the value of [`wait_for`](Self::wait_for). Only one task at a time may wait.
    pub(crate) fn poll_for<T>(&self, cx: &mut Context<'_>, found: impl Fn(&State) -> Option<T>) -> Poll<T> {
        let mut state = self.state();
        if let Some(value) = found(&state) {
            return Poll::Ready(value);
        }
        if !state.waker.as_ref().is_some_and(|old| old.will_wake(cx.waker())) {
            state.waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Orders the supervisor to kill the tree. Returns at once; [`State::gone`] is true when no process is left.
    pub(crate) fn kill(&self) {
        let mut state = self.state();
        state.killed |= state.exit.is_none();
        let _ = rustix::net::shutdown(self.control.as_fd(), Shutdown::Write);
    }

    /// Kills the tree without the supervisor's help, in case the supervisor is stopped or gets no processor time.
    pub(crate) fn kill_hard(&self) {
        self.kill();
        let state = self.state();
        let Some(supervisor) = state.pidfd.as_ref().filter(|_| !state.gone) else { return };
        if !state.has_namespace() {
            state.pid.into_iter().for_each(kill_all_below);
        }
        let _ = rustix::process::pidfd_send_signal(supervisor, Signal::KILL);
    }

    /// Returns a descriptor that becomes readable when the supervisor has ended.
    pub(crate) fn pidfd(&self) -> Option<Arc<OwnedFd>> {
        self.state().pidfd.clone()
    }

    /// Returns the bot's processes, which are all processes below the supervisor, the first process first.
    pub(crate) fn processes(&self) -> Vec<i32> {
        let pid = self.state().pid;
        pid.map(tree::descendants).unwrap_or_default()
    }

    /// Returns the bot's first process, if it exists.
    pub(crate) fn bot_pid(&self) -> Option<i32> {
        self.processes().first().copied()
    }

    /// Returns the bot's processes, the first process first. The list is made again if it is older than
    /// [`FAMILY_AGE_MAX`], or older than the bot was when the list was made. A walk costs many times as much as a
    /// reading. Empty if the system does not provide the list.
    fn family(&self) -> Vec<i32> {
        let now = Instant::now();
        let mut state = self.state();
        let is_old = |seen| now.duration_since(seen) > seen.duration_since(state.started).min(FAMILY_AGE_MAX);
        if state.family_seen.is_none_or(is_old) {
            state.family = state.pid.map(tree::descendants).unwrap_or_default();
            state.family_seen = Some(now);
        }
        state.family.clone()
    }

    /// Returns the times of the bot's threads, those of its first process first. Empty if the system does not provide
    /// them.
    pub(crate) fn threads(&self) -> Vec<ThreadTimes> {
        let pid = self.state().pid;
        pid.map(tree::threads_below).unwrap_or_default()
    }

    /// Freezes or thaws all processes of the bot. Returns false if the bot has no control group.
    pub(crate) fn freeze(&self, is_frozen: bool) -> bool {
        self.state().group.as_ref().is_some_and(|group| group.freeze(is_frozen))
    }

    /// Returns the processor time of all present and past processes of the bot, if it has a control group.
    pub(crate) fn cpu_of_group(&self) -> Option<Duration> {
        self.state().group.as_ref().and_then(GroupHandle::cpu_time)
    }

    /// Returns the processor time of the bot, from a walk through its processes if it has no control group. Returns
    /// `None` if the supervisor has not reported its process id yet.
    pub(crate) fn cpu_total(&self) -> Option<Duration> {
        self.cpu_of_group().or_else(|| {
            let pid = self.state().pid;
            pid.map(tree::cpu_time_below)
        })
    }

    /// Returns the processor time of each process of the bot up to now.
    pub(crate) fn cpu_times(&self) -> CpuTimes {
        CpuTimes::of(self.family())
    }

    /// Returns the bot's process group while its first process exists, which has the same number.
    pub(crate) fn group(&self) -> Option<Pid> {
        let state = self.state();
        if state.has_ended() {
            return None; // another process may have the id now
        }
        let known = state.family.first().copied();
        drop(state);
        known.or_else(|| self.family().first().copied()).and_then(Pid::from_raw)
    }

    /// Returns true if the bot's first process is ending or has ended, even if the supervisor has not reported it yet.
    pub(crate) fn is_ending(&self) -> bool {
        self.bot_pid().is_none_or(tree::is_ending)
    }

    /// Returns true if the bot's first process is stopped by a signal.
    pub(crate) fn is_stopped(&self) -> bool {
        self.bot_pid().is_some_and(tree::is_stopped)
    }
}

/// Kills all processes below this one, and the processes that they start in the meantime.
fn kill_all_below(supervisor: i32) {
    let mut killed = HashSet::new();
    for _ in 0..KILL_ROUNDS_MAX {
        let fresh: Vec<i32> =
            tree::descendants(supervisor).into_iter().filter(|pid| killed.insert(*pid)).collect();
        if fresh.is_empty() {
            return;
        }
        for pid in fresh.into_iter().filter_map(Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
    }
}
