//! What a keeper does while the bot lives: wait for its end or for the order to kill, and leave
//! nothing behind either way.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group,
    wait, waitid, waitpid,
};

use crate::contain::cgroup::Group;
use crate::contain::scratch::Scratch;
use crate::keeper::launch::launch;
use crate::keeper::report::Report;
use crate::keeper::room::Room;
use crate::keeper::{Hold, Places, Plan, Stage, report_failure, send};
use crate::process::fault::Exit;
use crate::system::sys;
use crate::system::tree;

/// How often what the bot left is looked at while it may end by itself.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How often a scratch folder is looked through, once there is something in it that does not bound itself.
const SCRATCH_LOOK_EVERY: Duration = Duration::from_millis(50);
/// The pause between two rounds of killing, unless a child ends before.
const KILL_PAUSE: Duration = Duration::from_millis(5);
/// How the kernel ends what holds too much memory.
const KILLED: Exit = Exit::Signal(libc::SIGKILL);
/// How long the first process of a namespace waits for the others' ends before it leaves them to the kernel.
const NAMESPACE_WAIT_MAX: Duration = Duration::from_millis(100);

/// Starts the bot under the hold that was taken, and stays until nothing of it is left. `own` is the number of this
/// process outside of its namespace.
pub(super) fn run(own: Pid, plan: &Plan, control: &UnixStream, hold: Hold, places: &Places) {
    let has_namespace = hold.containment.is_namespace();
    let mut room = Room::make(own, plan, hold, places);
    let ends = match sys::watch_ends_of_children() {
        Ok(ends) => ends,
        Err(errno) => return report_failure(control, Stage::Fork, errno),
    };
    if has_namespace {
        number_after(own);
    }
    let Some(bot) = launch(plan, control, hold, &room) else { return };
    release_standard_streams();
    let bot = Bot { pid: bot, has_namespace };
    match wait_for_end(control, &bot, &ends, room.scratch.as_mut()) {
        Some(exit) => {
            if exit == KILLED && room.group.as_ref().is_some_and(Group::ran_out_of_memory) {
                send(control, Report::OutOfMemory);
            }
            let left_running = leaves_children(control, plan.linger);
            send(control, Report::Ended { exit, left_running });
        }
        // It was not reaped, so that the number is its own. The group, for what leaves this process's tree where nothing
        // is adopted; the process, in case that it left the group.
        None => {
            let _ = kill_process_group(bot.pid, Signal::KILL);
            let _ = kill_process(bot.pid, Signal::KILL);
        }
    }
    if let Some(group) = &room.group {
        group.kill(); // also what is nowhere below this process
    }
    kill_rest(&ends);
}

/// The bot's first process.
struct Bot {
    pid: Pid,
    /// Whether it lives in a namespace, of which this process is the first one.
    has_namespace: bool,
}

/// Lets the numbers of processes in this namespace begin behind the keeper's outside of it, so that no two
/// bots have the same: some runtimes name files in a common folder by them, Java's among them. Where
/// the system does not allow it, they begin with 2 as everywhere.
fn number_after(keeper: Pid) {
    let _ = std::fs::write("/proc/sys/kernel/ns_last_pid", keeper.as_raw_nonzero().to_string());
}

/// Waits until the bot has ended: how. None if the arena ordered its end or is gone; a scratch folder that is too full
/// is as good as an order.
fn wait_for_end(
    control: &UnixStream,
    bot: &Bot,
    ends: &File,
    mut scratch: Option<&mut Scratch>,
) -> Option<Exit> {
    loop {
        let is_used = scratch.as_deref().is_some_and(|scratch| scratch.is_used);
        let unused = scratch.as_deref().filter(|_| !is_used).and_then(Scratch::watch);
        let first_use = wait_for_event(control, ends, unused, is_used.then_some(SCRATCH_LOOK_EVERY));
        if let Some(scratch) = scratch.as_deref_mut() {
            scratch.is_used |= first_use;
        }
        forget(ends); // before the children are looked at, so that no end after that is missed
        if let Some(exit) = reap(bot) {
            return Some(exit);
        }
        if order_to_kill(control, Duration::ZERO) {
            return None;
        }
        if scratch.as_deref().is_some_and(|scratch| scratch.is_used && scratch.is_overfull()) {
            send(control, Report::Overfull);
            return None;
        }
    }
}

/// Empties what tells of the ends of children.
fn forget(mut ends: &File) {
    let _ = ends.read(&mut [0; size_of::<libc::signalfd_siginfo>()]);
}

/// Waits for any of these; whether `unused`, the watch of a scratch folder, is among what came.
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

/// Whether the order comes within this time. The arena never writes to the socket, so that anything to read is its end
/// of file.
fn order_to_kill(control: &UnixStream, patience: Duration) -> bool {
    let mut look = [PollFd::new(control, PollFlags::IN)];
    !matches!(poll(&mut look, Timespec::try_from(patience).ok().as_ref()), Ok(0) | Err(Errno::INTR))
}

/// Whether any process is left that does not end by itself within `linger`, or until the arena orders the end.
fn leaves_children(control: &UnixStream, linger: Duration) -> bool {
    let begin = Instant::now();
    while has_children() {
        if begin.elapsed() >= linger || order_to_kill(control, LOOK_EVERY) {
            return true;
        }
    }
    false
}

/// Whether any child is left, once the dead ones are reaped.
fn has_children() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            outcome => return matches!(outcome, Ok(None)),
        }
    }
}

/// Reaps those that have ended, the bot's first process among them: how that ended.
fn reap(bot: &Bot) -> Option<Exit> {
    if !bot.has_namespace {
        return reap_by_number(bot.pid);
    }
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == bot.pid => return Some(exit_of(status)),
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) | Err(_) => return None,
        }
    }
}

/// The same where the bot's group must be killed before its number is given up, because that may soon be another's: so it is
/// looked at before it is reaped, and the others are reaped one by one.
fn reap_by_number(bot: Pid) -> Option<Exit> {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if matches!(waitid(WaitId::Pid(bot), look), Ok(None) | Err(Errno::INTR)) {
        let others = tree::children(getpid().as_raw_pid()).into_iter().filter_map(Pid::from_raw);
        for pid in others.filter(|pid| *pid != bot) {
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
        return None;
    }
    let _ = kill_process_group(bot, Signal::KILL);
    let ended = waitpid(Some(bot), WaitOptions::empty()).ok().flatten();
    ended.map(|(_, status)| exit_of(status))
}

/// Kills everything below this process, round after round, until there is no child left: what a dying tree abandons
/// comes to this process, if anything is adopted. The first process of a namespace is sure of what the kernel does when it
/// ends, so it does not wait for what it cannot kill.
fn kill_rest(ends: &File) {
    let is_first = getpid() == Pid::INIT;
    let begin = Instant::now();
    while has_children() && !(is_first && begin.elapsed() > NAMESPACE_WAIT_MAX) {
        if is_first {
            // All that it may signal, which are all others of the namespace or some of them.
            let _ = kill_process_group(Pid::INIT, Signal::KILL);
        } else {
            kill_descendants();
        }
        let _ = poll(&mut [PollFd::new(ends, PollFlags::IN)], Timespec::try_from(KILL_PAUSE).ok().as_ref());
        forget(ends);
    }
}

fn kill_descendants() {
    for pid in tree::descendants(getpid().as_raw_pid()).into_iter().filter_map(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Lets go of the bot's pipes, so that the arena sees when the bot itself closes them.
fn release_standard_streams() {
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    if let Ok(null) = rustix::fs::open("/dev/null", flags, Mode::empty()) {
        let _ = rustix::stdio::dup2_stdin(&null);
        let _ = rustix::stdio::dup2_stdout(&null);
        let _ = rustix::stdio::dup2_stderr(&null);
    }
}

fn exit_of(status: WaitStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or(0)),
    }
}
