//! The keeper: a small process between the arena and each bot, so that nothing a bot starts can
//! outlive the match or the arena.
//!
//! The arena has many threads, and code between fork and exec in such a program may do next to
//! nothing. So the arena executes itself once more with a hidden argument; [`main_if_asked`] then takes
//! over before there is a thread, a runtime or a parsed command line. That process, the `nursery`, forks a
//! keeper for each bot, and one ahead.
//!
//! The keeper starts the bot, adopts processes whose parents have ended, and kills the rest when the bot has ended. If
//! the system allows it, the keeper is the first process of a pid namespace. Then no process can leave its tree, and the
//! kernel kills all others there when the keeper ends.
//!
//! A keeper has a socket to the arena. It brings the plan, carries reports back, and its end of file means
//! "kill everything": the kernel closes the arena's side however the arena dies. This module knows nothing
//! of lines, time limits or matches.

mod handover;
mod launch;
mod nursery;
mod plan;
pub(crate) mod report;
mod room;
mod spare;
mod stage;
mod supervise;

use std::io::{IoSlice, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, pidfd_open, set_child_subreaper, set_parent_process_death_signal,
};

use crate::contain::cgroup::Groups;
use crate::contain::scratch::ScratchRoot;
use crate::contain::{self, Containment, Layer, Layers, Wish};
use crate::system::sys;
pub(crate) use handover::Handover;
pub(crate) use plan::Plan;
use report::Report;
pub(crate) use stage::Stage;

/// The most descriptors that come with a report.
pub(crate) const DESCRIPTORS_MAX: usize = 2;
/// The hidden first argument that makes an `arena` process the one that starts keepers.
pub(crate) const KEEP_ARG: &str = "__keep";

/// Where there is room for each bot, as far as there is any.
struct Places {
    scratch: Option<ScratchRoot>,
    groups: Option<Groups>,
}

impl Places {
    fn make() -> Places {
        Places { scratch: ScratchRoot::make(), groups: Groups::make() }
    }

    /// Removes them, once no bot is left.
    fn remove(self) {
        self.scratch.into_iter().for_each(ScratchRoot::remove);
        self.groups.into_iter().for_each(Groups::remove);
    }
}

/// How a keeper holds its bot.
#[derive(Clone, Copy, Debug)]
struct Hold {
    containment: Containment,
    /// The layers that stand before the bot's own process is there.
    layers: Layers,
    /// The user that the bot is to have.
    user: Option<u32>,
}

/// Starts keepers until the arena is gone, if this process was started for that; returns at once
/// otherwise.
///
/// Must be the first thing `main` does, before any thread exists.
pub fn main_if_asked() {
    if std::env::args_os().nth(1).is_some_and(|first| first == KEEP_ARG) {
        nursery::run();
        std::process::exit(0);
    }
}

/// Keeps the bot of the plan that comes over `control`, in the namespaces that this process has; its standard
/// streams are the bot's. `own` is its number as the arena sees it.
fn keep(own: Pid, control: &UnixStream, namespaces: Layers, places: &Places) {
    let Ok(plan) = Plan::read(control) else { return };
    present(own, control);
    if !plan.cores.is_empty() {
        crate::system::cores::stay_on(&plan.cores);
    }
    supervise::run(own, &plan, control, hold(own, &plan.wish, namespaces), places);
}

/// Hands the arena a descriptor of this process, so that it can be waited for and killed by it and by no
/// number that may be another's by then.
fn present(own: Pid, control: &UnixStream) {
    let report = Report::Here { pid: own.as_raw_pid() };
    match pidfd_open(getpid(), PidfdFlags::NONBLOCK) {
        Ok(own) => send_with(control, report, &[own.as_fd()]),
        Err(_) => send(control, report),
    }
}

/// Sends a report with descriptors, at most [`DESCRIPTORS_MAX`].
fn send_with(control: &UnixStream, report: Report, descriptors: &[BorrowedFd<'_>]) {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
    let _ = sendmsg(control, &[IoSlice::new(&report.encode())], &mut ancillary, SendFlags::NOSIGNAL);
}

/// The strongest hold that is wished for and allowed here, with these namespaces.
fn hold(own: Pid, wish: &Wish, namespaces: Layers) -> Hold {
    // A user cannot be taken in a namespace that does not know it.
    let user = if namespaces.has(Layer::UserNamespace) { None } else { contain::user_for(wish, own) };
    let containment = if !namespaces.has(Layer::PidNamespace) {
        adopt()
    } else if namespaces.has(Layer::UserNamespace) {
        Containment::UserAndPidNamespace
    } else {
        Containment::PidNamespace
    };
    Hold { containment, layers: namespaces, user }
}

/// Without a namespace: whatever the bot abandons comes to this process.
fn adopt() -> Containment {
    let adopts = set_child_subreaper(Some(getpid())).is_ok();
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
