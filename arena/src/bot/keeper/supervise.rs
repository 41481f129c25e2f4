//! What a keeper does while the bot lives: wait for its end or for the order to kill, and leave
//! nothing behind either way.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus, getpid, kill_process,
    kill_process_group, pidfd_open, wait, waitid, waitpid,
};

use super::launch::launch;
use super::report::Report;
use super::{Hold, Plan, Stage, die_with_parent, report_failure, send};
use crate::bot::contain::Layer;
use crate::bot::contain::scratch::{Scratch, ScratchRoot};
use crate::bot::fault::Exit;
use crate::bot::sys::{self, Forked};
use crate::bot::tree;

/// How often abandoned processes are reaped where the keeper adopts them.
const REAP_EVERY: Duration = Duration::from_millis(100);
/// How often the child is looked at where the system has no pidfd, and what it left while that may end.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How often a scratch folder is looked through, once there is something in it that does not bound itself.
const SCRATCH_LOOK_EVERY: Duration = Duration::from_millis(50);
/// The pause between two rounds of killing.
const KILL_PAUSE: Duration = Duration::from_millis(1);

/// Starts the bot under the hold that was taken, and stays until nothing of it is left.
pub(super) fn run(plan: &Plan, control: &UnixStream, hold: Hold, root: Option<&ScratchRoot>) {
    let wish = &plan.wish;
    let may_mount = hold.containment.is_namespace();
    let mut scratch = root
        .filter(|_| wish.layers.has(Layer::Scratch))
        .and_then(|root| Scratch::make(root, wish.scratch_bytes_max, hold.user, may_mount));
    if hold.containment.is_namespace() {
        if let Some(init) = start_init(plan, control, hold, scratch.as_ref()) {
            release_standard_streams();
            wait_for_end(control, init, None, scratch.as_mut());
        }
    } else if let Some(bot) = launch(plan, control, hold, scratch.as_ref()) {
        release_standard_streams();
        let exit = wait_for_end(control, bot, Some(REAP_EVERY), scratch.as_mut());
        send(control, Report::Ended { exit, left_running: leaves_children(plan.linger) });
        kill_descendants();
    }
}

/// Forks the first process of the new pid namespace.
fn start_init(plan: &Plan, control: &UnixStream, hold: Hold, scratch: Option<&Scratch>) -> Option<Pid> {
    // The write end lives in the keeper only: how init sees a keeper that died before init asked
    // to die with it (its parent's id reads 0 from inside the namespace, dead or alive).
    let (keeper_gone, alive) = match pipe_with(PipeFlags::CLOEXEC) {
        Ok(ends) => ends,
        Err(errno) => {
            report_failure(control, Stage::Fork, errno);
            return None;
        }
    };
    let keeper = getpid();
    match sys::fork() {
        Ok(Forked::Child) => {
            drop(alive);
            number_after(keeper);
            be_init(plan, control, (hold, scratch), &keeper_gone);
            std::process::exit(0)
        }
        Ok(Forked::Parent(init)) => {
            std::mem::forget(alive); // open until this process ends
            Some(init)
        }
        Err(error) => {
            let errno = Errno::from_io_error(&error).unwrap_or(Errno::AGAIN);
            report_failure(control, Stage::Fork, errno);
            None
        }
    }
}

/// Lets the numbers of processes in this namespace begin behind the keeper's outside of it, so that no two
/// bots have the same: some runtimes name files in a common folder by them, Java's among them. Where
/// the system does not allow it, they begin with 2 as everywhere.
fn number_after(keeper: Pid) {
    let _ = std::fs::write("/proc/sys/kernel/ns_last_pid", keeper.as_raw_nonzero().to_string());
}

/// Process 1 of the namespace: starts the bot, reaps, and ends with the bot, upon which the kernel
/// kills all others inside.
fn be_init(
    plan: &Plan,
    control: &UnixStream,
    (hold, scratch): (Hold, Option<&Scratch>),
    keeper_gone: &OwnedFd,
) {
    die_with_parent(Signal::KILL);
    let mut look = [PollFd::new(keeper_gone, PollFlags::IN)];
    if poll(&mut look, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) != Ok(0) {
        return;
    }
    sys::hold_ends_of_children();
    let Some(bot) = launch(plan, control, hold, scratch) else { return };
    release_standard_streams();
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == bot => {
                let (exit, left_running) = (exit_of(status), leaves_children(plan.linger));
                return send(control, Report::Ended { exit, left_running });
            }
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => sys::await_end_of_child(),
            Err(_) => return,
        }
    }
}

/// Waits until `main` has ended, killing it when the arena says so or is gone. With `reap_every`
/// other children are reaped too, and the child's group is killed before its id is given up. A scratch
/// folder that is too full is as good as an order.
fn wait_for_end(
    control: &UnixStream,
    main: Pid,
    reap_every: Option<Duration>,
    mut scratch: Option<&mut Scratch>,
) -> Exit {
    let pidfd = pidfd_open(main, PidfdFlags::empty()).ok();
    let mut patience = if pidfd.is_some() { reap_every } else { Some(LOOK_EVERY) };
    let mut ordered = false;
    loop {
        let unused = scratch.as_deref().filter(|scratch| !scratch.is_used).and_then(Scratch::watch);
        let first_use = wait_for_event((!ordered).then_some(control), pidfd.as_ref(), unused, patience);
        if let Some(scratch) = scratch.as_deref_mut().filter(|scratch| first_use && !scratch.is_used) {
            scratch.is_used = true;
            patience = Some(patience.map_or(SCRATCH_LOOK_EVERY, |patience| patience.min(SCRATCH_LOOK_EVERY)));
        }
        let overfull =
            !ordered && scratch.as_deref().is_some_and(|scratch| scratch.is_used && scratch.is_overfull());
        if overfull {
            send(control, Report::Overfull);
        }
        if !ordered && (overfull || order_to_kill(control)) {
            ordered = true;
            let _ = kill_process_group(main, Signal::KILL);
            let _ = kill_process(main, Signal::KILL);
        }
        if has_ended(main) {
            if reap_every.is_some() {
                let _ = kill_process_group(main, Signal::KILL);
            }
            if let Ok(Some((_, status))) = waitpid(Some(main), WaitOptions::empty()) {
                return exit_of(status);
            }
        }
        if reap_every.is_some() {
            reap_all_but(main);
        }
    }
}

/// Waits for any of these; whether `unused`, the watch of a scratch folder, is among what came.
fn wait_for_event(
    control: Option<&UnixStream>,
    pidfd: Option<&OwnedFd>,
    unused: Option<&OwnedFd>,
    patience: Option<Duration>,
) -> bool {
    let mut fds = Vec::with_capacity(3);
    fds.extend(control.map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)));
    fds.extend(pidfd.map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)));
    fds.extend(unused.map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)));
    let patience = patience.and_then(|duration| Timespec::try_from(duration).ok());
    let _ = poll(&mut fds, patience.as_ref());
    unused.is_some() && fds.last().is_some_and(|watch| !watch.revents().is_empty())
}

/// The arena never writes to the socket, so that anything to read is its end of file.
fn order_to_kill(control: &UnixStream) -> bool {
    let mut look = [PollFd::new(control, PollFlags::IN)];
    !matches!(poll(&mut look, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })), Ok(0) | Err(Errno::INTR))
}

/// Whether any process is left that does not end by itself within `linger`.
fn leaves_children(linger: Duration) -> bool {
    let begin = Instant::now();
    while has_children() {
        if begin.elapsed() >= linger {
            return true;
        }
        std::thread::sleep(LOOK_EVERY);
    }
    false
}

/// Whether any process is left that was adopted, once the dead ones are reaped.
fn has_children() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            outcome => return matches!(outcome, Ok(None)),
        }
    }
}

/// Looks without reaping, so that neither the id nor the group can be given to anyone else yet.
fn has_ended(main: Pid) -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(main), look), Ok(None) | Err(Errno::INTR))
}

/// Reaps abandoned processes. `main` is left alone by looking at it first; should it end just now
/// it is still the caller's to reap, because the loop stops at it.
fn reap_all_but(main: Pid) {
    for pid in tree::children(getpid().as_raw_pid()) {
        if let Some(pid) = Pid::from_raw(pid).filter(|pid| *pid != main) {
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
    }
}

/// Kills every descendant, round after round, until there is no child left: what a dying tree
/// abandons comes to this process, the nearest one that adopts.
fn kill_descendants() {
    loop {
        for pid in tree::descendants(getpid().as_raw_pid()) {
            if let Some(pid) = Pid::from_raw(pid) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        if !has_children() {
            return;
        }
        std::thread::sleep(KILL_PAUSE);
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
