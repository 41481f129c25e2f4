//! The keeper: a small process between the arena and each bot, so that nothing a bot starts can
//! outlive the match or the arena.
//!
//! The arena has many threads, and code between fork and exec in such a program may do next to
//! nothing. So the arena executes itself again with a hidden first argument; [`main_if_asked`] then
//! takes over before there is a thread, a runtime or a parsed command line.
//!
//! With a pid namespace there are three processes: the keeper, the namespace's init, which starts
//! the bot and ends with it, and the bot. When init ends the kernel kills whatever else lives in
//! the namespace. Init is killed when the keeper ends, the keeper when the arena does. Without a
//! namespace the keeper starts the bot itself, adopts everything that the bot's tree abandons, and
//! kills its descendants until none is left.
//!
//! The keeper's standard input is a socket to the arena. It brings the read end of the bot's stdin,
//! carries reports back, and its end of file means "kill everything": the kernel
//! closes the arena's side however the arena dies. This module knows nothing of lines, time limits
//! or matches.

mod launch;
mod plan;
pub(crate) mod report;
mod supervise;

use std::io::{IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use rustix::io::fcntl_dupfd_cloexec;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{Signal, getppid, set_child_subreaper, set_parent_process_death_signal};
use rustix::thread::UnshareFlags;

use super::host::{Contain, Containment};
use super::sys;
pub(crate) use plan::Plan;
use report::Report;

/// The hidden first argument that makes an `arena` process a keeper.
pub const KEEP_ARG: &str = "__keep";

/// The keeper's exit code when it was called by anything but an arena.
const EXIT_USAGE: i32 = 64;

/// The step of a start that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Stage {
    /// A pipe or a process of our own could not be had: the machine's fault.
    Fork,
    /// A resource limit could not be set.
    Limit,
    /// The working directory could not be entered.
    Dir,
    /// The program could not be executed.
    Exec,
}

impl Stage {
    /// Every stage, indexed by its code in a report.
    pub(crate) const ALL: [Stage; 4] = [Stage::Fork, Stage::Limit, Stage::Dir, Stage::Exec];
}

/// Runs the keeper and exits if this process was started as one; returns at once otherwise.
///
/// Must be the first thing `main` does, before any thread exists.
pub fn main_if_asked() {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_none_or(|first| first != KEEP_ARG) {
        return;
    }
    let code = match Plan::from_args(args) {
        Some(plan) => keep(&plan),
        None => EXIT_USAGE,
    };
    std::process::exit(code);
}

/// The whole life of a keeper. The exit code means nothing to the arena: reports and the end do.
fn keep(plan: &Plan) -> i32 {
    die_with_parent(Signal::KILL);
    if getppid().is_none_or(|parent| parent.as_raw_pid() != plan.arena_pid) {
        return 0; // the arena was gone before the line above took effect
    }
    sys::heed_children();
    sys::close_on_exec_above_stderr();
    let Ok(control) = take_control() else { return EXIT_USAGE };
    match receive_stdin(&control).and_then(rustix::stdio::dup2_stdin) {
        Ok(()) => supervise::run(plan, &control, contain(plan.contain)),
        Err(errno) => report_failure(&control, Stage::Fork, errno),
    }
    0
}

/// Moves the socket away from descriptor 0, where the bot's stdin belongs.
fn take_control() -> rustix::io::Result<UnixStream> {
    fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3).map(UnixStream::from)
}

/// Waits for the one descriptor that the arena sends.
fn receive_stdin(control: &UnixStream) -> rustix::io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(control, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    ancillary
        .drain()
        .find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
            _ => None,
        })
        .ok_or(rustix::io::Errno::CONNRESET)
}

/// Takes the strongest containment that is allowed here.
fn contain(wish: Contain) -> Containment {
    if wish == Contain::Auto {
        if sys::unshare(UnshareFlags::NEWPID).is_ok() {
            return Containment::PidNamespace;
        }
        // No id map is written: none is needed, and some systems forbid it to ordinary users.
        if sys::unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWPID).is_ok() {
            die_with_parent(Signal::KILL); // a change of credentials may have cleared it
            return Containment::UserAndPidNamespace;
        }
    }
    let adopts = set_child_subreaper(Some(rustix::process::getpid())).is_ok();
    // From here on only the closed socket ends this process, after it has cleaned up.
    let _ = set_parent_process_death_signal(None);
    sys::ignore_polite_signals();
    if adopts { Containment::Subreaper } else { Containment::ProcessGroup }
}

fn die_with_parent(signal: Signal) {
    // Cannot fail with a valid signal; and the closed socket is a second way to learn of the end.
    let _ = set_parent_process_death_signal(Some(signal));
}

/// Sends a report. Nobody is left to be told if that fails.
fn send(mut control: &UnixStream, report: Report) {
    let _ = control.write_all(&report.encode());
}

fn report_failure(control: &UnixStream, stage: Stage, errno: rustix::io::Errno) {
    send(control, Report::Failed { stage, errno: errno.raw_os_error() });
}
