//! Follows the system calls of a bot and of everything that it starts, and writes down those that failed. The kernel
//! itself says what it refused. Each call costs two stops, so no match is played like this.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{Pid, WaitOptions, wait, waitpid};
use serde::{Deserialize, Serialize};
use syscalls::Sysno;

use crate::process::fault::Exit;
use crate::supervisor::children::exit_of;
use crate::system::sys::{self, Traced};

/// The most calls that are written down.
const FAILED_MAX: usize = 1_000;
/// The most events that are handled at a time.
const STEPS_MAX: u32 = 10_000;
/// The mark of a stop at a system call, beside the number of the signal.
const AT_CALL: i32 = 0x80;
/// Signals that stop a process. A bot that stops itself goes on.
const STOPS: [i32; 4] = [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];
/// Files that the C library opens after it has asked a service in vain for a user or a host.
const NAMES: [&str; 6] =
    ["/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/hosts", "/etc/host.conf", "/etc/resolv.conf"];

/// Calls with a path, each with the number of the argument. A star marks those that change something there. Except
/// for `link` and `symlink`, the argument before is the folder to which the path is relative.
const PATHS: &str = "open 0|openat 1|creat 0*|execve 0|execveat 1|stat 0|newfstatat 1|statx 1|chdir 0|readlink 0|\
    mkdir 0*|mkdirat 1*|mknod 0*|mknodat 1*|rmdir 0*|unlink 0*|unlinkat 1*|rename 0*|renameat 1*|renameat2 1*|\
    symlink 1*|symlinkat 2*|link 1*|linkat 3*";
/// The flags of an opening call that ask to change the file.
const CHANGING: i32 = libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC;

/// A system call of a bot that failed, or that opened one of the files with names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failed {
    /// The name of the call.
    pub(crate) call: String,
    /// The number of the error, or 0.
    pub(crate) errno: i32,
    /// The path, as the call names it.
    pub(crate) path: Option<PathBuf>,
    /// The folder to which a relative path is relative.
    pub(crate) folder: Option<PathBuf>,
    /// True if the call was to change something at the path.
    pub(crate) changes: bool,
    /// The first argument.
    pub(crate) argument: u64,
}

/// The tracer of one bot.
pub(super) struct Trace {
    /// The arena reads it after the end.
    pub(super) log: File,
    /// True if the list of processes has the bot's under the same numbers as the tracer.
    sees_processes: bool,
    /// The calls that have begun, by thread.
    calls: HashMap<Pid, (u64, [u64; 6])>,
    told: Vec<Failed>,
}

impl Trace {
    /// Begins with the bot's first process, which stands still after it has executed its program. Returns `None` if it is
    /// not traced.
    pub(super) fn begin(bot: Pid, sees_processes: bool) -> Option<Trace> {
        let log = File::from(memfd_create("calls", MemfdFlags::CLOEXEC).ok()?);
        let (_, status) = waitpid(Some(bot), WaitOptions::UNTRACED).ok()??;
        status.stopped().then(|| {
            sys::watch_stops_of_children();
            sys::stop_at_calls(bot);
            sys::go_on(bot, 0);
            Trace { log, sees_processes, calls: HashMap::new(), told: Vec::new() }
        })
    }

    /// Handles what happened to the traced processes since the last time. Returns the bot's exit if its first process has
    /// ended.
    pub(super) fn step(&mut self, bot: Pid) -> Option<Exit> {
        // The supervisor looks after other things too.
        for _ in 0..STEPS_MAX {
            let (process, status) = wait(WaitOptions::NOHANG).ok()??;
            if !status.stopped() {
                self.calls.remove(&process);
                if process == bot {
                    return Some(exit_of(status.exit_status(), status.terminating_signal()));
                }
                continue;
            }
            let signal = status.stopping_signal().unwrap_or_default();
            let passed = match status.as_raw() >> 16 {
                0 if signal == libc::SIGTRAP | AT_CALL => {
                    self.at_call(process);
                    0
                }
                0 if !STOPS.contains(&signal) => signal,
                _ => 0, // a new process, a new program, or a stop
            };
            sys::go_on(process, passed);
        }
        None
    }

    fn at_call(&mut self, process: Pid) {
        match sys::traced(process) {
            Some(Traced::Begins(call, arguments)) => _ = self.calls.insert(process, (call, arguments)),
            Some(Traced::Returns(result)) => {
                if let Some((call, arguments)) = self.calls.remove(&process) {
                    self.returned(process, call, arguments, result);
                }
            }
            None => {}
        }
    }

    /// Writes the call down if its result says that it was refused.
    fn returned(&mut self, process: Pid, number: u64, arguments: [u64; 6], result: i64) {
        let Some(call) = usize::try_from(number).ok().and_then(Sysno::new).map(|call| call.name()) else {
            return;
        };
        let errno = i32::try_from(-result).unwrap_or_default().max(0);
        let place = PATHS.split('|').find_map(|row| row.strip_prefix(call)?.strip_prefix(' '));
        let opens = call.starts_with("open") || call.starts_with("exec");
        let may_matter = match errno {
            libc::EACCES | libc::EPERM | libc::EROFS | libc::ENOSYS | libc::EMFILE => true,
            libc::EFBIG | libc::ENOSPC | libc::EDQUOT => true,
            libc::EAGAIN => ["fork", "vfork", "clone"].contains(&call),
            libc::ENOMEM => call != "mlock",
            0 | libc::ENOENT => opens,
            _ => false,
        };
        if !may_matter || self.told.len() >= FAILED_MAX {
            return;
        }
        let (mut path, mut folder, mut changes) = (None, None, false);
        if let Some(place) = place
            && let Ok(at) = place.trim_end_matches('*').parse::<usize>()
        {
            let text = PathBuf::from(OsString::from_vec(sys::traced_text(process, arguments[at])));
            let flags = if call.starts_with("open") { arguments[at + 1] as i32 } else { 0 };
            changes = place.ends_with('*') || flags & CHANGING != 0;
            let is_below = at > 0 && call != "symlink" && call != "link";
            folder = text
                .is_relative()
                .then(|| self.folder(process, is_below.then(|| arguments[at - 1])))
                .flatten();
            path = Some(text);
        }
        let is_name = path.as_deref().is_some_and(|path| NAMES.iter().any(|name| path == Path::new(name)));
        let is_missing = || path.as_deref().is_some_and(Path::is_relative);
        let is_told = match errno {
            0 => is_name,
            libc::ENOENT => is_missing(),
            _ => true,
        };
        let failed = Failed { call: call.to_owned(), errno, path, folder, changes, argument: arguments[0] };
        // Whether a socket matters depends on what follows it, each time.
        if is_told && (call == "socket" || is_name || !self.told.contains(&failed)) {
            // A path that is not UTF-8 has no form in JSON, and no advice.
            if let Ok(line) = serde_json::to_string(&failed) {
                let _ = writeln!(self.log, "{line}");
            }
            self.told.push(failed);
        }
    }

    /// Returns the folder of this descriptor, or the one in which the process is.
    fn folder(&self, process: Pid, descriptor: Option<u64>) -> Option<PathBuf> {
        let descriptor = descriptor.map(|descriptor| descriptor as i32).filter(|&it| it != libc::AT_FDCWD);
        let link = descriptor.map_or("cwd".to_owned(), |descriptor| format!("fd/{descriptor}"));
        let link = format!("/proc/{}/{link}", process.as_raw_pid());
        self.sees_processes.then(|| std::fs::read_link(link).ok()).flatten()
    }
}
