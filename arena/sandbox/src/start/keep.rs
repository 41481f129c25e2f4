//! The arena's end of a keeper: starting it, hearing from it, and ending it. State that the bot's
//! owner and its attendant share lives here, behind one lock that is never held across a wait.

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

use crate::contain::cgroup::GroupHandle;
use crate::keeper::report::Report;
use crate::keeper::{DESCRIPTORS_MAX, Handover, Plan};
use crate::process::fault::Exit;
use crate::process::stderr::StderrKeep;
use crate::start::nursery::Nursery;
use crate::system::tree::{self, CpuTimes, CpuUse};

/// How old the list of a bot's processes may be, at most, when it is asked for in a slow decision and when in a rest. That
/// of a young bot, which may be starting others, may be no older than the bot was when it was made. With 512 bots
/// at once a walk for each in every second would take a tenth of a core.
const FAMILY_AGE_MAX_SLOW: Duration = Duration::from_secs(1);
const FAMILY_AGE_MAX_RESTING: Duration = Duration::from_secs(10);
/// How often the processes below a keeper are looked for and killed: who starts others as fast is left.
const KILL_ROUNDS_MAX: u32 = 32;

/// What is known of a bot's processes.
#[derive(Debug)]
pub(crate) struct State {
    /// The keeper's number, once it has told it.
    pid: Option<i32>,
    /// The keeper itself, where the system has descriptors of processes.
    pidfd: Option<Arc<OwnedFd>>,
    /// The bot's control group, where it has one.
    group: Option<GroupHandle>,
    /// Whether the bot started; `Ended` here would mean that the report was lost.
    pub(crate) start: Option<Report>,
    /// How the bot's first process ended, unless it was killed by us.
    pub(crate) exit: Option<Exit>,
    /// Other processes of the bot were still running when the first one ended.
    pub(crate) left_running: bool,
    /// The arena ordered the end while the bot was alive.
    pub(crate) killed: bool,
    /// The keeper has ended, so that nothing is left of the tree.
    pub(crate) gone: bool,
    /// The bot was killed because its scratch folder held too much.
    pub(crate) overfull: bool,
    /// What all its processes held when the memory watch stopped them, in bytes; or the limit at which the kernel did.
    pub(crate) memory_bytes: Option<u64>,
    /// What they may hold where the kernel meters it, in bytes.
    group_bytes_max: Option<u64>,
    /// Its stderr.
    pub(crate) stderr: StderrKeep,
    /// Everything that will ever come from its stderr has come.
    pub(crate) stderr_closed: bool,
    /// The bot's processes, its first one first, when they were last looked for.
    family: Vec<i32>,
    family_seen: Option<Instant>,
    /// When the keeper was asked for.
    begun: Instant,
    waker: Option<Waker>,
}

impl State {
    /// Whether the bot cannot answer any more.
    pub(crate) fn has_ended(&self) -> bool {
        self.exit.is_some() || self.gone || self.memory_bytes.is_some() || self.overfull
    }

    /// Wakes the owner, if it waits. To be called after every change it may wait for.
    pub(crate) fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Takes what came with a keeper's message.
    fn take(&mut self, descriptors: Vec<OwnedFd>) {
        match <[OwnedFd; 2]>::try_from(descriptors) {
            Ok(files) => self.group = Some(GroupHandle::new(files.map(File::from))),
            Err(other) => self.pidfd = other.into_iter().next().map(Arc::new),
        }
    }

    /// Takes note of a keeper's message.
    pub(crate) fn heard(&mut self, report: Report) {
        match report {
            Report::Ended { exit, left_running } if !self.killed => {
                self.exit = Some(exit);
                self.left_running = left_running;
            }
            Report::Ended { .. } => {}
            Report::Here { pid } => self.pid = Some(pid),
            Report::Overfull => (self.overfull, self.killed) = (true, true),
            Report::OutOfMemory => self.memory_bytes = self.group_bytes_max,
            first => self.start = Some(first),
        }
        self.wake();
    }

    /// The keeper has ended.
    pub(crate) fn end(&mut self) {
        self.gone = true;
        self.wake();
    }

    /// Whether everything below the keeper ends with it.
    fn has_namespace(&self) -> bool {
        matches!(self.start, Some(Report::Started(held, _)) if held.is_namespace())
    }
}

/// A running keeper.
#[derive(Clone, Debug)]
pub(crate) struct Keep {
    state: Arc<Mutex<State>>,
    pub(crate) control: Arc<UnixStream>,
}

impl Keep {
    /// Starts a keeper with a plan and the bot's three standard streams.
    pub(crate) fn start(
        nursery: &Nursery,
        plan: &Plan,
        [stdin, stdout, stderr]: [OwnedFd; 3],
        kept: StderrKeep,
    ) -> io::Result<Self> {
        let (ours, theirs) = StdUnixStream::pair()?;
        let bytes = plan.to_bytes()?;
        let descriptors = [theirs.into(), stdin, stdout, stderr];
        let namespaces = plan.wish.namespaces();
        nursery.employ_keeper(&Handover { namespaces, keeper: None, descriptors })?;
        // A failure to send shows as a keeper that ends without a report.
        let _ = Plan::send(&bytes, &ours);
        let state = Mutex::new(State {
            pid: None,
            pidfd: None,
            group: None,
            start: None,
            exit: None,
            left_running: false,
            killed: false,
            gone: false,
            overfull: false,
            memory_bytes: None,
            group_bytes_max: plan.wish.group_bytes_max,
            stderr: kept,
            stderr_closed: false,
            family: Vec::new(),
            family_seen: None,
            begun: Instant::now(),
            waker: None,
        });
        ours.set_nonblocking(true)?;
        let control = Arc::new(UnixStream::from_std(ours)?);
        Ok(Keep { state: Arc::new(state), control })
    }

    /// Reads what the keeper sends, without waiting: how many bytes. The keeper's own descriptor comes with
    /// its first report, those of the bot's control group with that of its start.
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

    /// What is known now. The lock must not be held across a wait.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics while holding the lock")
    }

    /// Waits until `found` finds something in the state.
    pub(crate) async fn wait_for<T>(&self, found: impl Fn(&State) -> Option<T>) -> T {
        poll_fn(|cx| self.poll_for(cx, &found)).await
    }

    /// The same as a poll. Only one task at a time may wait.
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

    /// Orders the keeper to kill the tree. Returns at once; [`State::gone`] tells when nothing is left.
    pub(crate) fn kill(&self) {
        let mut state = self.state();
        state.killed |= state.exit.is_none();
        let _ = rustix::net::shutdown(self.control.as_fd(), Shutdown::Write);
    }

    /// Kills without the keeper's help: for a keeper that was stopped or does not come to run.
    pub(crate) fn kill_hard(&self) {
        self.kill();
        let state = self.state();
        let Some(keeper) = state.pidfd.as_ref().filter(|_| !state.gone) else { return };
        if !state.has_namespace() {
            state.pid.into_iter().for_each(kill_all_below);
        }
        let _ = rustix::process::pidfd_send_signal(keeper, Signal::KILL);
    }

    /// A descriptor that becomes readable when the keeper has ended.
    pub(crate) fn pidfd(&self) -> Option<Arc<OwnedFd>> {
        self.state().pidfd.clone()
    }

    /// The bot's processes, which are all those below the keeper, its first one first.
    pub(crate) fn processes(&self) -> Vec<i32> {
        let pid = self.state().pid;
        pid.map(tree::descendants).unwrap_or_default()
    }

    /// The bot's first process, if it is there.
    pub(crate) fn bot_pid(&self) -> Option<i32> {
        self.processes().first().copied()
    }

    /// The bot's processes, its first one first. They are looked up again only when the list is older than this or
    /// the bot was when it was made: a walk costs many times what a reading does. Empty if the system does not tell.
    fn family(&self, age_max: Duration) -> Vec<i32> {
        let now = Instant::now();
        let mut state = self.state();
        let is_old = |seen| now.duration_since(seen) > seen.duration_since(state.begun).min(age_max);
        if state.family_seen.is_none_or(is_old) {
            state.family = state.pid.map(tree::descendants).unwrap_or_default();
            state.family_seen = Some(now);
        }
        state.family.clone()
    }

    /// What the bot's processes used of the processors so far. None if the system does not tell.
    pub(crate) fn cpu_use(&self) -> Option<CpuUse> {
        let family = self.family(FAMILY_AGE_MAX_SLOW);
        (!family.is_empty()).then(|| tree::cpu_use(&family))
    }

    /// Freezes all that the bot has started, or lets it go on. False where it has no control group.
    pub(crate) fn freeze(&self, is_frozen: bool) -> bool {
        self.state().group.as_ref().is_some_and(|group| group.freeze(is_frozen))
    }

    /// Processor time of all processes that the bot has and had, where it has a control group.
    pub(crate) fn cpu_of_group(&self) -> Option<Duration> {
        self.state().group.as_ref().and_then(GroupHandle::cpu_time)
    }

    /// The same without one, by a walk through its processes. None if the keeper has not told its number yet.
    pub(crate) fn cpu_total(&self) -> Option<Duration> {
        self.cpu_of_group().or_else(|| {
            let pid = self.state().pid;
            pid.map(tree::cpu_time_below)
        })
    }

    /// How long each of the bot's processes has run so far.
    pub(crate) fn cpu_times(&self) -> CpuTimes {
        CpuTimes::of(self.family(FAMILY_AGE_MAX_RESTING))
    }

    /// The bot's process group, while its first process is there: it has the number of that.
    pub(crate) fn group(&self) -> Option<Pid> {
        let state = self.state();
        if state.has_ended() {
            return None; // the number may be another's
        }
        let known = state.family.first().copied();
        drop(state);
        known.or_else(|| self.family(FAMILY_AGE_MAX_RESTING).first().copied()).and_then(Pid::from_raw)
    }

    /// Whether the bot's first process is ending or has ended, though its keeper may not have said so yet.
    pub(crate) fn is_ending(&self) -> bool {
        self.bot_pid().is_none_or(tree::is_ending)
    }

    /// Whether the bot's first process is stopped by a signal.
    pub(crate) fn is_stopped(&self) -> bool {
        self.state().family.first().is_some_and(|pid| tree::is_stopped(*pid))
    }
}

/// Kills all processes below this one, and those that they have started meanwhile.
fn kill_all_below(keeper: i32) {
    let mut killed = HashSet::new();
    for _ in 0..KILL_ROUNDS_MAX {
        let fresh: Vec<i32> =
            tree::descendants(keeper).into_iter().filter(|pid| killed.insert(*pid)).collect();
        if fresh.is_empty() {
            return;
        }
        for pid in fresh.into_iter().filter_map(Pid::from_raw) {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
    }
}
