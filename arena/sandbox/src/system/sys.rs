//! The few system calls that have no safe wrapper; the only unsafe code of this package.
//!
//! All functions except [`cpu_time`] and [`landlock_abi`] are for supervisors and the fork server, which was executed
//! for that purpose. Each of these processes has one thread and holds no lock. The arena itself must not call those
//! functions.

#![expect(unsafe_code, reason = "clone, exec, signals and another process's clock have no safe wrapper")]

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::Pid;
use rustix::thread::UnshareFlags;

/// Standard signals are numbered 1 to 31; real-time ones are never ignored by launchers.
const STANDARD_SIGNAL_MAX: i32 = 31;

/// A flag of `clone3` that does not fit the type of the C library's constant.
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;

/// The argument of `mount_setattr`, which the C library does not name.
#[repr(C)]
#[derive(Default)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}
const MOUNT_ATTR_RDONLY: u64 = 1;
/// Applies the call to all mounts below the path too.
const AT_RECURSIVE: c_int = 0x8000;

/// Makes all mounts of the current mount namespace read-only. Then reading a file does not change its access time
/// either.
///
/// # Errors
/// A kernel before 5.12, or no right to mount.
pub(crate) fn mount_all_read_only() -> Result<(), Errno> {
    let attributes = MountAttributes { set: MOUNT_ATTR_RDONLY, ..MountAttributes::default() };
    set_mount_attributes(c"/", AT_RECURSIVE, &attributes)
}

/// Makes the mount at this folder writable again.
///
/// # Errors
/// As [`mount_all_read_only`]; or the folder is not a mount, or its file system is read-only.
pub(crate) fn mount_writable(folder: &Path) -> Result<(), Errno> {
    let attributes = MountAttributes { clear: MOUNT_ATTR_RDONLY, ..MountAttributes::default() };
    let folder = CString::new(folder.as_os_str().as_bytes()).map_err(|_| Errno::INVAL)?;
    set_mount_attributes(&folder, 0, &attributes)
}

fn set_mount_attributes(path: &CStr, flags: c_int, attributes: &MountAttributes) -> Result<(), Errno> {
    // SAFETY: a path that ends with a NUL, and a structure that the call only reads, with its size; both outlive it.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            ptr::from_ref(attributes),
            size_of::<MountAttributes>(),
        )
    };
    if result == 0 { Ok(()) } else { Err(last_errno()) }
}

/// Runs `work` in a new process with a copy of the current memory, in these new namespaces and, if one is given, in
/// this control group. The process ends after `work` without the usual steps at a program's end, which would write to
/// many pages.
///
/// # Errors
/// The user's process limit, a pid limit of the control group, no memory, or namespaces that are not allowed. With a
/// group also a kernel before 5.7.
pub(crate) fn start_apart(
    namespaces: UnshareFlags,
    group: Option<BorrowedFd<'_>>,
    work: impl FnOnce(),
) -> Result<Pid, Errno> {
    let namespaces = namespaces.bits();
    // SAFETY: without a stack of its own the new process continues as after `fork`, with copies of the parent's memory
    // and of its only thread. It therefore finds every lock free and may run any code, not only async-signal-safe
    // code. It never returns from here. The structure, for which all zero is valid, outlives the call.
    let id = unsafe {
        match group {
            None => {
                let (flags, stack) = (c_long::from(namespaces.cast_signed() | libc::SIGCHLD), 0);
                let [first, second] =
                    if cfg!(target_arch = "s390x") { [stack, flags] } else { [flags, stack] };
                libc::syscall(libc::SYS_clone, first, second, 0_usize, 0_usize, 0_usize)
            }
            Some(group) => {
                let mut words: libc::clone_args = std::mem::zeroed();
                words.flags = u64::from(namespaces) | CLONE_INTO_CGROUP;
                words.exit_signal = u64::from(libc::SIGCHLD.unsigned_abs());
                words.cgroup = u64::from(group.as_raw_fd().unsigned_abs());
                libc::syscall(libc::SYS_clone3, &raw const words, size_of::<libc::clone_args>())
            }
        }
    };
    if id == 0 {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        // SAFETY: ends the new process alone, without the steps at a program's end, which belong to the parent.
        unsafe { libc::_exit(i32::from(outcome.is_err())) }
    }
    let id = i32::try_from(id).ok().filter(|id| *id > 0);
    id.and_then(Pid::from_raw).ok_or_else(last_errno)
}

/// Replaces the current process with the program at `path`, with this environment of `NAME=value` entries. Returns
/// only on failure. Unlike the C library's search functions it never passes an unknown format to a shell.
pub(crate) fn exec(path: &CStr, argv: &[CString], env: &[CString]) -> Errno {
    let (argv, env) = (pointers(argv), pointers(env));
    // SAFETY: `path` and every argument and variable are NUL-terminated and outlive the call, and both
    // lists of pointers end with a null pointer.
    unsafe { libc::execve(path.as_ptr(), argv.as_ptr(), env.as_ptr()) };
    last_errno()
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}

/// Gives up the terminal of the session, for the current process and the processes that it starts. The process stays
/// in the session.
pub(crate) fn leave_terminal() {
    if let Ok(terminal) = File::open("/dev/tty") {
        // SAFETY: the call takes no argument and touches no memory.
        unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCNOTTY) };
    }
}

/// Makes every inherited descriptor above the standard three close on exec, so that a bot does not get files that the
/// arena's own parent left open. Failures are ignored.
pub(crate) fn close_on_exec_above_stderr() {
    // SAFETY: the call only sets flags on descriptors; it reads and writes no memory of the current process.
    unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

/// Gives every standard signal its default action and unblocks all of them.
pub(crate) fn default_signals() {
    set_actions(1..=STANDARD_SIGNAL_MAX, libc::SIG_DFL);
    // SAFETY: `sigemptyset` initialises the set before `sigprocmask` reads it; a null third argument
    // asks for no copy of the old set.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, ptr::null_mut());
    }
}

/// Ignores the signals with which people stop programs, so that they do not stop a supervisor before it has cleaned
/// up.
pub(crate) fn ignore_polite_signals() {
    set_actions([libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM], libc::SIG_IGN);
}

/// Returns a descriptor that is readable from the end of a child until it is read. After this call the end of a child
/// interrupts no other call. Waiting for the child itself would also wake the current process at each stop and
/// continuation of a child, which happen to bots at every turn.
///
/// # Errors
/// No more descriptors, or no memory.
pub(crate) fn watch_ends_of_children() -> Result<File, Errno> {
    act_on_end_of_child(libc::SIG_DFL);
    // SAFETY: `sigemptyset` initialises the set, and a null third argument asks for no copy of the old one; the
    // descriptor is new, and has no other owner.
    unsafe {
        let mut ends: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut ends);
        libc::sigaddset(&mut ends, libc::SIGCHLD);
        libc::sigprocmask(libc::SIG_BLOCK, &ends, ptr::null_mut());
        match libc::signalfd(-1, &ends, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
            -1 => Err(last_errno()),
            watch => Ok(File::from_raw_fd(watch)),
        }
    }
}

/// Makes the end of a child interrupt every later system call in which the current process waits.
pub(crate) fn be_interrupted_by_children() {
    act_on_end_of_child(interrupt as extern "C" fn(c_int) as libc::sighandler_t);
}

extern "C" fn interrupt(_: c_int) {}

/// Sets the action for the end of a child. A stop of a child does not trigger it.
fn act_on_end_of_child(action: libc::sighandler_t) {
    // SAFETY: the action is initialised. It is a constant or a handler that does nothing, which may run at any moment.
    unsafe {
        let mut child_end: libc::sigaction = std::mem::zeroed();
        child_end.sa_sigaction = action;
        child_end.sa_flags = libc::SA_NOCLDSTOP;
        libc::sigaction(libc::SIGCHLD, &child_end, ptr::null_mut());
    }
}

/// Returns the error of the last call.
fn last_errno() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::AGAIN)
}

fn set_actions(signals: impl IntoIterator<Item = i32>, action: libc::sighandler_t) {
    for signal in signals {
        // SAFETY: the action is one of the two constants, never a function of this program. The call fails harmlessly
        // for the two signals that cannot be changed.
        unsafe { libc::signal(signal, action) };
    }
}

/// Returns the kernel's Landlock version, or `None` without Landlock.
pub(crate) fn landlock_abi() -> Option<u32> {
    const VERSION: c_long = 1;
    // SAFETY: with this flag the call reads no rules and makes none.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<c_void>(), 0_usize, VERSION) };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

/// Returns the processor time of all present and past threads of a process, or `None` if the process has ended. The
/// call takes a third of a microsecond; the same from `/proc` takes hundreds.
pub fn cpu_time(pid: i32) -> Option<Duration> {
    let mut clock: libc::clockid_t = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both calls write to a local variable of the type they ask for, and nothing else.
    let read = unsafe {
        libc::clock_getcpuclockid(pid, &mut clock) == 0 && libc::clock_gettime(clock, &mut time) == 0
    };
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanoseconds = u32::try_from(time.tv_nsec).ok()?;
    read.then(|| Duration::new(seconds, nanoseconds))
}
