//! The supervisor: a small process between the arena and each bot. No process that a bot starts can outlive the match
//! or the arena.
//!
//! The arena has many threads, and code between fork and exec in such a program may do almost nothing. Therefore the
//! arena executes itself once more with a hidden argument. [`main_if_asked`] then takes control before the process has
//! a thread, a runtime or a parsed command line. That process is the fork server (`fork_server`). It forks a supervisor
//! for each bot, and one in advance.
//!
//! The supervisor starts the bot, adopts processes whose parents have ended, and kills the rest when the bot has
//! ended. If the system allows it, the supervisor is the first process of a pid namespace. Then no process can leave
//! its tree, and the kernel kills all others in the namespace when the supervisor ends.
//!
//! A supervisor has a socket to the arena. The socket brings the plan and carries reports back. Its end of file means
//! "kill everything": the kernel closes the arena's side however the arena dies. This module knows nothing of lines,
//! time limits or matches.

mod children;
mod fork_server;
mod kill;
mod launch;
mod plan;
mod preforked;
pub(crate) mod report;
mod resources;
mod spawn_request;
mod stage;
mod supervise;
pub(crate) mod trace;

use std::io::{IoSlice, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, pidfd_open, set_child_subreaper, set_parent_process_death_signal,
};

use crate::confine::cgroup::Groups;
use crate::confine::scratch::ScratchRoot;
use crate::confine::{self, Containment, Layer, Layers, SandboxSpec};
use crate::system::sys;
pub(crate) use plan::Plan;
use report::Report;
pub(crate) use spawn_request::SpawnRequest;
pub(crate) use stage::Stage;

/// The maximum number of descriptors that come with a report.
pub(crate) const DESCRIPTORS_MAX: usize = 2;
/// The hidden first argument that makes an `arena` process the fork server.
pub(crate) const SUPERVISOR_ARG: &str = "__supervisor";
/// The argument after it for a fork server whose bots share an empty network namespace.
pub(crate) const SHARED_NETWORK_ARG: &str = "shared-network";

/// The parent folders for scratch folders and control groups, if the system allows them.
struct Places {
    scratch: Option<ScratchRoot>,
    groups: Option<Groups>,
}

impl Places {
    fn make() -> Places {
        Places { scratch: ScratchRoot::make(), groups: Groups::make() }
    }

    /// Removes the folders after the last bot has ended.
    fn remove(self) {
        self.scratch.into_iter().for_each(ScratchRoot::remove);
        self.groups.into_iter().for_each(Groups::remove);
    }
}

/// The containment that a supervisor has over its bot.
#[derive(Clone, Copy, Debug)]
struct Hold {
    containment: Containment,
    /// The layers that are set up before the bot's own process exists.
    layers: Layers,
    /// The user for the bot.
    user: Option<u32>,
}

/// Runs the fork server until the arena has ended, if the current process was started for that. Returns at once
/// otherwise.
///
/// Must be the first thing `main` does, before any thread exists.
pub fn main_if_asked() {
    if std::env::args_os().nth(1).is_some_and(|first| first == SUPERVISOR_ARG) {
        fork_server::run(std::env::args_os().nth(2).is_some_and(|second| second == SHARED_NETWORK_ARG));
        std::process::exit(0);
    }
}

/// Supervises the bot of the plan that comes over `control`, in the current namespaces. The standard streams of the
/// process are those for the bot. `own` is the process id as the arena sees it.
fn handle(own: Pid, control: &UnixStream, namespaces: Layers, places: &Places) {
    let Ok(plan) = Plan::read(control) else { return };
    present(own, control);
    if !plan.cores.is_empty() {
        crate::system::cores::stay_on(&plan.cores);
    }
    supervise::run(own, &plan, control, hold(own, &plan.spec, namespaces), places);
}

/// Sends the arena a pidfd of the current process. With it the arena can wait for the process and kill it. A process
/// id might belong to another process by then.
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

/// Takes the strongest containment that is requested and allowed with these namespaces.
fn hold(own: Pid, spec: &SandboxSpec, namespaces: Layers) -> Hold {
    let user = confine::user_for(spec, own, namespaces);
    let containment = if !namespaces.has(Layer::PidNamespace) {
        adopt()
    } else if namespaces.has(Layer::UserNamespace) {
        Containment::UserAndPidNamespace
    } else {
        Containment::PidNamespace
    };
    Hold { containment, layers: namespaces, user }
}

/// Without a namespace: makes the current process adopt all processes that the bot abandons.
fn adopt() -> Containment {
    let adopts = set_child_subreaper(Some(getpid())).is_ok();
    // After this call only the closed socket ends the current process, after it has cleaned up.
    let _ = set_parent_process_death_signal(None);
    sys::ignore_polite_signals();
    if adopts { Containment::Subreaper } else { Containment::ProcessGroup }
}

fn die_with_parent(signal: Signal) {
    // Cannot fail with a valid signal. The closed socket also reports the end.
    let _ = set_parent_process_death_signal(Some(signal));
}

/// Sends a report. A failure is ignored, because the arena is gone then.
fn send(mut control: &UnixStream, report: Report) {
    let _ = control.write_all(&report.encode());
}

fn report_failure(control: &UnixStream, stage: Stage, errno: rustix::io::Errno) {
    send(control, Report::Failed { stage, errno: errno.raw_os_error() });
}
