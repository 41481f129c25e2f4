//! Starts the bot's program from the supervisor and learns for certain if it was executed. The new process shares the
//! supervisor's memory until then, and leaves the reason of a failure there. An exit code of a program is therefore never
//! mistaken for a failure.

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rustix::fs::Access;
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, getrlimit, setrlimit};

use crate::command::search;
use crate::confine::cgroup::Group;
use crate::confine::scratch::Scratch;
use crate::confine::{self, Layer, Layers, SandboxContext};
use crate::supervisor::report::Report;
use crate::supervisor::resources::Resources;
use crate::supervisor::{Hold, Plan, Stage, die_with_parent, report_failure, send, send_with};
use crate::system::sys;

/// The number of tries, and the pause between them, for an executable that another process has open for writing.
const BUSY_TRIES_MAX: u32 = 50;
const BUSY_PAUSE: Duration = Duration::from_millis(20);

/// The step of the start that failed, and the error.
type Failure = (Stage, Errno);

/// The arguments and the environment with which the program is executed.
struct Words {
    argv: Vec<CString>,
    env: Vec<CString>,
    search_path: Option<std::ffi::OsString>,
}

impl Words {
    fn new(plan: &Plan, scratch: Option<&Scratch>) -> rustix::io::Result<Words> {
        let env = plan.environment(scratch.map(|scratch| scratch.path().as_os_str()));
        let search_path = env.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.clone());
        let c_string = |bytes: Vec<u8>| CString::new(bytes).map_err(|_| Errno::INVAL);
        let variable = |(mut name, value): (std::ffi::OsString, std::ffi::OsString)| {
            name.push("=");
            name.push(value);
            c_string(name.into_vec())
        };
        Ok(Words {
            argv: plan.argv.iter().map(|arg| c_string(arg.clone().into_bytes())).collect::<Result<_, _>>()?,
            env: env.into_iter().map(variable).collect::<Result<_, _>>()?,
            search_path,
        })
    }
}

/// Starts the bot and reports the result. Returns its process, and whether that stands still to be traced. Returns `None`
/// if it did not start.
pub(super) fn launch(
    plan: &Plan,
    control: &UnixStream,
    hold: Hold,
    resources: &Resources,
) -> Option<(Pid, bool)> {
    let mut is_traced = false;
    match try_launch(plan, hold, resources, &mut is_traced) {
        Ok((pid, Ok(held))) => {
            let report = Report::Started(hold.containment, held);
            match resources.group.as_ref().filter(|_| held.has(Layer::Cgroup)).and_then(Group::handle) {
                Some(files) => send_with(control, report, &files.each_ref().map(File::as_fd)),
                None => send(control, report),
            }
            Some((pid, is_traced))
        }
        Ok((pid, Err((stage, errno)))) => {
            let _ = rustix::process::waitpid(Some(pid), WaitOptions::empty());
            report_failure(control, stage, errno);
            None
        }
        Err(errno) => {
            report_failure(control, Stage::Fork, errno);
            None
        }
    }
}

/// Returns the bot's process and the layers around it, or its process id and the reason why it did not become the bot.
fn try_launch(
    plan: &Plan,
    hold: Hold,
    resources: &Resources,
    is_traced: &mut bool,
) -> rustix::io::Result<(Pid, Result<Layers, Failure>)> {
    let words = Words::new(plan, resources.scratch.as_ref())?;
    let mut outcome = Err((Stage::Fork, Errno::CHILD)); // if it is killed
    let mut become_it = |layers: Layers| {
        let hold = Hold { layers, ..hold };
        let confined = |held| outcome = Ok(held);
        *is_traced = plan.traces && sys::be_traced(); // the filter refuses it later
        outcome = Err(become_bot(plan, &words, hold, resources.scratch.as_ref(), confined));
    };
    let in_group = resources.group.as_ref().map(|group| {
        let layers = hold.layers.with(Layer::Cgroup);
        let layers = if group.has_limits() { layers.with(Layer::CgroupLimits) } else { layers };
        sys::start_sharing(Some(group.folder().as_fd()), || become_it(layers))
    });
    let pid = match in_group {
        Some(Ok(pid)) => pid,
        Some(Err(_)) | None => sys::start_sharing(None, || become_it(hold.layers))?,
    };
    Ok((pid, outcome))
}

/// Turns the current process into the bot. Returns only on failure, with the reason. Calls `confined` with the layers
/// that hold before it executes the program.
fn become_bot(
    plan: &Plan,
    words: &Words,
    hold: Hold,
    scratch: Option<&Scratch>,
    confined: impl FnOnce(Layers),
) -> Failure {
    if let Err(errno) = leave_group(plan.session) {
        return (Stage::Fork, errno);
    }
    sys::default_signals();
    sys::shorten_slice(); // seccomp refuses it later
    if let Err(errno) = set_limits(plan) {
        return (Stage::Limit, errno);
    }
    // Even without a folder of its own the bot enters one again: a mount may cover what the supervisor entered.
    let has_mounts = !plan.spec.rights.write.is_empty() || !plan.held.is_empty();
    let here = || std::env::current_dir().ok().filter(|_| has_mounts);
    if let Some(dir) = plan.dir.clone().or_else(here)
        && let Err(errno) = rustix::process::chdir(&dir)
    {
        return (Stage::Dir, errno);
    }
    let held = if scratch.is_some() { hold.layers.with(Layer::Scratch) } else { hold.layers };
    let scratch = scratch.map(Scratch::path);
    match confine::confine(&SandboxContext { spec: &plan.spec, held, user: hold.user, scratch }) {
        Ok(held) => confined(held),
        Err(errno) => return (Stage::Limit, errno),
    }
    die_with_parent(Signal::KILL); // last, because a change of user clears it
    (Stage::Exec, exec_first(OsStr::new(&plan.argv[0]), words))
}

/// Puts the bot into its own process group, so that its signals to its group do not reach the supervisor. A session of
/// its own is also such a group.
fn leave_group(and_session: bool) -> rustix::io::Result<()> {
    match and_session {
        true => rustix::process::setsid().map(drop),
        false => rustix::process::setpgid(None, None),
    }
}

/// Disables core files and sets the data limit. Restores the open-file limit that the arena had before it raised its
/// own.
fn set_limits(plan: &Plan) -> rustix::io::Result<()> {
    confine::lower(Resource::Core, 0)?;
    if let Some(bytes) = plan.spec.rights.memory_bytes {
        confine::lower(Resource::Data, bytes)?;
    }
    // The layer of limits sets its own limit later: Landlock rules take descriptors until then.
    let is_lasting = !plan.spec.layers.has(Layer::Limits);
    if let Some(soft) = plan.open_files_soft.filter(|_| is_lasting) {
        let hard = getrlimit(Resource::Nofile).maximum;
        setrlimit(Resource::Nofile, Rlimit { current: Some(soft), maximum: hard })?;
    }
    Ok(())
}

/// Executes the first executable candidate. Returns the most informative error of all candidates if none can run.
fn exec_first(program: &OsStr, words: &Words) -> Errno {
    let mut telling = Errno::NOENT;
    for candidate in search::candidates(program, words.search_path.as_deref()) {
        let Ok(path) = CString::new(candidate.as_os_str().as_bytes()) else { return Errno::INVAL };
        match exec_patiently(&path, words) {
            Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => {}
            // The bot may not enter this folder of the search path, so it cannot know what the folder holds.
            Errno::ACCESS if !search::is_path(program) && candidate.parent().is_some_and(is_closed) => {}
            Errno::ACCESS => telling = Errno::ACCESS,
            errno => return errno,
        }
    }
    telling
}

fn is_closed(folder: &Path) -> bool {
    rustix::fs::access(folder, Access::EXEC_OK) == Err(Errno::ACCESS)
}

/// Executes the file, and tries again while a compiler or a copy has the file open for writing.
fn exec_patiently(path: &CString, words: &Words) -> Errno {
    for _ in 1..BUSY_TRIES_MAX {
        match sys::exec(path, &words.argv, &words.env) {
            Errno::TXTBSY => std::thread::sleep(BUSY_PAUSE),
            errno => return errno,
        }
    }
    Errno::TXTBSY
}
