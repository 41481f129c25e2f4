//! Starts the bot's program from the keeper or the namespace's init, and learns for certain whether
//! it was executed: a pipe that closes on exec carries the failure, so that no exit code of a
//! program can be mistaken for one.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, getrlimit, setrlimit};

use super::report::{REPORT_BYTES, Report};
use super::{Plan, Stage, die_with_parent, report_failure, send};
use crate::bot::host::Containment;
use crate::bot::search;
use crate::bot::sys::{self, Forked};

/// How often, and how long apart, an executable that is still open for writing is tried again.
const BUSY_TRIES_MAX: u32 = 5;
const BUSY_PAUSE: Duration = Duration::from_millis(20);

/// A step of the start and why it failed.
type Failure = (Stage, Errno);

/// Starts the bot and reports how that went. `None` if it did not start.
pub(super) fn launch(plan: &Plan, control: &UnixStream, held: Containment) -> Option<Pid> {
    match try_launch(plan) {
        Ok((pid, None)) => {
            send(control, Report::Started(held));
            Some(pid)
        }
        Ok((pid, Some(report))) => {
            let _ = rustix::process::waitpid(Some(pid), WaitOptions::empty());
            send(control, report);
            None
        }
        Err(errno) => {
            report_failure(control, Stage::Fork, errno);
            None
        }
    }
}

/// The bot's process, and what it said if it never became the bot.
fn try_launch(plan: &Plan) -> rustix::io::Result<(Pid, Option<Report>)> {
    let (failed, fails) = pipe_with(PipeFlags::CLOEXEC)?;
    let argv = c_strings(plan)?;
    let forked = sys::fork().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::AGAIN))?;
    match forked {
        Forked::Child => {
            drop(failed);
            let (stage, errno) = become_bot(plan, &argv);
            let report = Report::Failed { stage, errno: errno.raw_os_error() };
            let _ = rustix::io::write(&fails, &report.encode());
            std::process::exit(1)
        }
        Forked::Parent(pid) => {
            drop(fails);
            let mut bytes = [0; REPORT_BYTES];
            let read = rustix::io::retry_on_intr(|| rustix::io::read(&failed, &mut bytes))?;
            Ok((pid, (read == REPORT_BYTES).then(|| Report::decode(bytes)).flatten()))
        }
    }
}

fn c_strings(plan: &Plan) -> rustix::io::Result<Vec<CString>> {
    let argv = plan.argv.iter().map(|arg| CString::new(arg.as_bytes()));
    argv.collect::<Result<_, _>>().map_err(|_| Errno::INVAL)
}

/// Turns this process into the bot; comes back only with the reason why not.
fn become_bot(plan: &Plan, argv: &[CString]) -> Failure {
    die_with_parent(Signal::KILL);
    // Its own group: what the bot does to its group must not reach the keeper.
    if let Err(errno) = rustix::process::setpgid(None, None) {
        return (Stage::Fork, errno);
    }
    sys::default_signals();
    if let Err(errno) = set_limits(plan) {
        return (Stage::Limit, errno);
    }
    if let Some(dir) = &plan.dir
        && let Err(errno) = rustix::process::chdir(dir)
    {
        return (Stage::Dir, errno);
    }
    (Stage::Exec, exec_first(&plan.argv[0], argv))
}

/// No core files, the data limit, and the open-file limit that the arena had before it raised its own.
fn set_limits(plan: &Plan) -> rustix::io::Result<()> {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, none)?;
    if let Some(bytes) = plan.memory_bytes_max {
        let hard = getrlimit(Resource::Data).maximum.map_or(bytes, |hard| hard.min(bytes));
        setrlimit(Resource::Data, Rlimit { current: Some(hard), maximum: Some(hard) })?;
    }
    if let Some(soft) = plan.open_files_soft {
        let hard = getrlimit(Resource::Nofile).maximum;
        setrlimit(Resource::Nofile, Rlimit { current: Some(soft), maximum: hard })?;
    }
    Ok(())
}

/// Executes the first candidate that can be; otherwise the most telling error of all of them.
fn exec_first(program: &OsStr, argv: &[CString]) -> Errno {
    let mut telling = Errno::NOENT;
    for candidate in search::candidates(program, std::env::var_os("PATH").as_deref()) {
        let Ok(path) = CString::new(candidate.as_os_str().as_bytes()) else { return Errno::INVAL };
        match exec_patiently(&path, argv) {
            Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => {}
            Errno::ACCESS => telling = Errno::ACCESS,
            errno => return errno,
        }
    }
    telling
}

/// A compiler or a copy may hold the file open for a moment.
fn exec_patiently(path: &CString, argv: &[CString]) -> Errno {
    for _ in 1..BUSY_TRIES_MAX {
        let error = sys::exec(path, argv);
        match Errno::from_io_error(&error) {
            Some(Errno::TXTBSY) => std::thread::sleep(BUSY_PAUSE),
            errno => return errno.unwrap_or(Errno::NOEXEC),
        }
    }
    Errno::TXTBSY
}
