//! The supervisor's work while the bot lives: it waits for the bot's end or for the order to kill. In both cases it
//! leaves no process behind.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitOptions, getpid, wait, waitid, waitpid};

use crate::confine::Layer;
use crate::confine::cgroup::Group;
use crate::confine::held::Held;
use crate::confine::scratch::{Growing, Scratch};
use crate::process::fault::Exit;
use crate::supervisor::children::{exit_of, forget, has_children};
use crate::supervisor::kill;
use crate::supervisor::launch::launch;
use crate::supervisor::report::Report;
use crate::supervisor::resources::Resources;
use crate::supervisor::trace::Trace;
use crate::supervisor::{Hold, Places, Plan, Stage, report_failure, send, send_with};
use crate::system::sys;
use crate::system::tree;

/// The interval at which the supervisor checks the bot's remaining processes while they may end by themselves.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// The interval at which folders without a size limit of their own are checked.
const SCRATCH_LOOK_EVERY: Duration = Duration::from_millis(50);
/// The interval is at least this many times as long as the last check took, because large folders take long.
const SCRATCH_LOOK_SHARE: u32 = 20;
/// The exit of a process that the kernel kills for too much memory.
const KILLED: Exit = Exit::Signal(libc::SIGKILL);

/// Starts the bot with this containment, and stays until no process of the bot is left. `own` is the id of the current
/// process outside its namespace.
pub(super) fn run(own: Pid, plan: &Plan, control: &UnixStream, hold: Hold, places: &Places) {
    let has_namespace = hold.containment.is_namespace();
    if let Err(errno) = hold_files(plan, hold) {
        return report_failure(control, Stage::Hold, errno);
    }
    let mut resources = Resources::make(own, plan, hold, places);
    let ends = match sys::watch_ends_of_children() {
        Ok(ends) => ends,
        Err(errno) => return report_failure(control, Stage::Fork, errno),
    };
    if has_namespace {
        number_after(own);
    }
    let Some((bot, is_traced)) = launch(plan, control, hold, &resources) else { return };
    release_standard_streams();
    let sees_processes = !has_namespace || hold.layers.has(Layer::Proc);
    let trace = is_traced.then(|| Trace::begin(bot, sees_processes)).flatten();
    if let Some(trace) = &trace {
        send_with(control, Report::Traced, &[trace.log.as_fd()]);
    }
    let mut bot = Bot { pid: bot, has_namespace, trace };
    match wait_for_end(control, &mut bot, &ends, &mut resources) {
        Some(exit) => {
            if exit == KILLED && resources.group.as_ref().is_some_and(Group::ran_out_of_memory) {
                send(control, Report::OutOfMemory);
            }
            let left_running = leaves_others(control, &bot, plan.linger);
            send(control, Report::Ended { exit, left_running });
            if !has_namespace && bot.trace.is_none() {
                kill::bot(bot.pid); // not reaped yet, so the process id is valid
            }
        }
        // The bot was not reaped, so its process id is valid.
        None => kill::bot(bot.pid),
    }
    // In a namespace, all processes of the group are children by now.
    if let Some(group) = resources.group.as_ref().filter(|_| !has_namespace || has_children()) {
        group.kill(); // also processes outside the tree of the supervisor
    }
    kill::rest(&ends);
}

/// Covers the bot's files with their copies. Without read-only mounts a copy could be changed, so no bot starts with one.
fn hold_files(plan: &Plan, hold: Hold) -> rustix::io::Result<()> {
    if !plan.held.is_empty() && !hold.layers.has(Layer::ReadOnly) {
        return Err(Errno::PERM);
    }
    plan.held.iter().try_for_each(Held::cover)
}

/// The bot's first process.
struct Bot {
    pid: Pid,
    /// True if it lives in a namespace whose first process is the supervisor.
    has_namespace: bool,
    /// Its tracer, which also reaps it.
    trace: Option<Trace>,
}

/// Makes process ids in this namespace begin after the supervisor's id outside it, so that no two bots have the same
/// ids. Some runtimes, Java's among them, name files in a common folder by their process id. If the system does not
/// allow it, the ids begin with 2 as usual.
fn number_after(supervisor: Pid) {
    let _ = std::fs::write("/proc/sys/kernel/ns_last_pid", supervisor.as_raw_nonzero().to_string());
}

/// Waits until the bot has ended and returns its exit. Returns `None` if the arena ordered its end or has ended. A
/// folder that is too full has the same effect as an order.
fn wait_for_end(control: &UnixStream, bot: &mut Bot, ends: &File, resources: &mut Resources) -> Option<Exit> {
    let Resources { scratch, growing, .. } = resources;
    let mut look_every = SCRATCH_LOOK_EVERY;
    loop {
        let is_used = scratch.as_ref().is_some_and(|scratch| scratch.is_used);
        let unused = scratch.as_ref().filter(|_| !is_used).and_then(Scratch::watch);
        let looks = is_used || !growing.is_empty() || bot.trace.is_some();
        let first_use = wait_for_event(control, ends, unused, looks.then_some(look_every));
        if let Some(scratch) = scratch.as_mut() {
            scratch.is_used |= first_use;
        }
        forget(ends); // before the children are checked, so that no later end is missed
        if let Some(exit) = reap(bot) {
            return Some(exit);
        }
        if order_to_kill(control, Duration::ZERO) {
            return None;
        }
        let begin = Instant::now();
        let is_overfull = scratch.as_ref().is_some_and(|scratch| scratch.is_used && scratch.is_overfull());
        if is_overfull || growing.iter().any(Growing::is_overfull) {
            send(control, Report::Overfull);
            return None;
        }
        look_every = SCRATCH_LOOK_EVERY.max(begin.elapsed() * SCRATCH_LOOK_SHARE);
    }
}

/// Waits for any of these events. Returns true if `unused`, the watch of a scratch folder, is among them.
fn wait_for_event(
    control: &UnixStream,
    ends: &File,
    unused: Option<&OwnedFd>,
    patience: Option<Duration>,
) -> bool {
    let mut fds = vec![PollFd::new(control, PollFlags::IN), PollFd::new(ends, PollFlags::IN)];
    fds.extend(unused.map(|fd| PollFd::new(fd, PollFlags::IN)));
    let patience = patience.and_then(|duration| Timespec::try_from(duration).ok());
    let _ = poll(&mut fds, patience.as_ref());
    unused.is_some() && fds.last().is_some_and(|watch| !watch.revents().is_empty())
}

/// Returns true if the order comes within this time. The arena never writes to the socket, so anything to read is its
/// end of file.
fn order_to_kill(control: &UnixStream, patience: Duration) -> bool {
    let mut look = [PollFd::new(control, PollFlags::IN)];
    !matches!(poll(&mut look, Timespec::try_from(patience).ok().as_ref()), Ok(0) | Err(Errno::INTR))
}

/// Returns true if the bot left a process that does not end by itself within `linger`, or before the arena orders the
/// end.
fn leaves_others(control: &UnixStream, bot: &Bot, linger: Duration) -> bool {
    let begin = Instant::now();
    let has_others = || if bot.has_namespace { has_children() } else { !living_others(bot.pid).is_empty() };
    while has_others() {
        if begin.elapsed() >= linger || order_to_kill(control, LOOK_EVERY) {
            return true;
        }
    }
    false
}

/// Reaps the children that have ended. Returns the exit of the bot's first process if it has ended too. Without a
/// namespace that process stays unreaped: the signal to its group is sent later, and until then no other process may
/// get its id.
fn reap(bot: &mut Bot) -> Option<Exit> {
    if let Some(trace) = &mut bot.trace {
        return trace.step(bot.pid);
    }
    if !bot.has_namespace {
        living_others(bot.pid);
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let ended = waitid(WaitId::Pid(bot.pid), look).ok().flatten()?;
        return Some(exit_of(ended.exit_status(), ended.terminating_signal()));
    }
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == bot.pid => {
                return Some(exit_of(status.exit_status(), status.terminating_signal()));
            }
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) | Err(_) => return None,
        }
    }
}

/// Reaps the children that have ended, except the bot's first process. Returns the other children.
fn living_others(bot: Pid) -> Vec<Pid> {
    let children = tree::children(getpid().as_raw_pid()).into_iter().filter_map(Pid::from_raw);
    let lives = |pid: &Pid| matches!(waitpid(Some(*pid), WaitOptions::NOHANG), Ok(None) | Err(Errno::INTR));
    children.filter(|pid| *pid != bot).filter(lives).collect()
}

/// Closes the bot's pipes here, so that the arena notices when the bot itself closes them.
fn release_standard_streams() {
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    if let Ok(null) = rustix::fs::open("/dev/null", flags, Mode::empty()) {
        let _ = rustix::stdio::dup2_stdin(&null);
        let _ = rustix::stdio::dup2_stdout(&null);
        let _ = rustix::stdio::dup2_stderr(&null);
    }
}
