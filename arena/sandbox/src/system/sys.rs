//! The few system calls that have no safe wrapper; the only unsafe code of this package.
//!
//! All but [`cpu_time`] and [`landlock_abi`] are for keepers and the process that starts them, which was executed for that: each has one thread
//! and holds no lock. Nothing of the arena proper may call those.

#![expect(unsafe_code, reason = "clone, exec, signals and another process's clock have no safe wrapper")]

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd};
use std::ptr;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::Pid;
use rustix::thread::UnshareFlags;

/// Standard signals are numbered 1 to 31; real-time ones are never ignored by launchers.
const STANDARD_SIGNAL_MAX: i32 = 31;

/// A flag of `clone3` that is too large for the type which the C library's has.
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
/// All mounts below the path too.
const AT_RECURSIVE: c_int = 0x8000;

/// Makes all mounts of this mount namespace read-only. Then reading a file does not change its access time either.
///
/// # Errors
/// A kernel before 5.12, or no right to mount.
pub(crate) fn mount_all_read_only() -> Result<(), Errno> {
    let attributes = MountAttributes { set: MOUNT_ATTR_RDONLY, ..MountAttributes::default() };
    // SAFETY: a path that ends with a NUL, and a structure that the call only reads, with its size; both outlive it.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            c"/".as_ptr(),
            AT_RECURSIVE,
            ptr::from_ref(&attributes),
            size_of::<MountAttributes>(),
        )
    };
    if result == 0 { Ok(()) } else { Err(last_errno()) }
}

/// For all that a process does before it executes a program.
const STACK_BYTES: usize = 1024 * 1024;

/// Runs `work` in a new process with a copy of this one's memory and in namespaces of its own; it ends after it,
/// without the steps at a program's end, which would write to many pages.
///
/// # Errors
/// The user's process limit, a pid limit of the control group, no memory, or namespaces that are not allowed.
pub(crate) fn start_apart(namespaces: UnshareFlags, mut work: impl FnMut()) -> Result<Pid, Errno> {
    let mut work: &mut dyn FnMut() = &mut work;
    let (flags, stack) = (c_long::from(namespaces.bits().cast_signed() | libc::SIGCHLD), 0);
    let [first, second] = if cfg!(target_arch = "s390x") { [stack, flags] } else { [flags, stack] };
    // SAFETY: without a stack of its own the new process goes on, like one of `fork`, with copies of this one's memory
    // and of its only thread. So it finds every lock free and may run any code, not only what is async-signal-safe. It
    // never returns from here.
    match unsafe { libc::syscall(libc::SYS_clone, first, second, 0_usize, 0_usize, 0_usize) } {
        0 => {
            run_and_exit(ptr::from_mut(&mut work).cast());
            unreachable!("the process has ended")
        }
        id => pid_of(id),
    }
}

/// Runs `work` in a new process that shares the memory of this one and ends after it. This one goes on when
/// the new one has executed a program or has ended. To copy the tables of the memory for a process that
/// replaces it at once would take longer than all else that `work` does.
///
/// # Errors
/// As of [`start_apart`].
pub(crate) fn start_sharing(mut work: impl FnMut()) -> Result<Pid, Errno> {
    let work: &mut dyn FnMut() = &mut work;
    start_on_stack(work, None)
}

/// The same with the new process in this control group from its beginning on. To move it there later would wait for
/// all processors of the machine.
///
/// # Errors
/// As of [`start_apart`]; or a kernel before 5.7, a group that takes no more, a processor for which this is not written.
pub(crate) fn start_sharing_in(group: BorrowedFd<'_>, mut work: impl FnMut()) -> Result<Pid, Errno> {
    let work: &mut dyn FnMut() = &mut work;
    start_on_stack(work, Some(group))
}

fn start_on_stack(mut work: &mut dyn FnMut(), group: Option<BorrowedFd<'_>>) -> Result<Pid, Errno> {
    let mut stack = Vec::<u128>::with_capacity(STACK_BYTES / size_of::<u128>());
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the new process runs on memory of its own, from the upper end of `stack` down, while this one, with
    // its only thread, stands still; so `work`, which outlives the call, is used by one of them at a time.
    let id = unsafe {
        let (bottom, argument) = (stack.as_mut_ptr(), ptr::from_mut(&mut work).cast());
        match group {
            None => libc::clone(run_and_exit, bottom.add(stack.capacity()).cast(), flags, argument).into(),
            Some(group) => clone_into(group, flags, bottom.cast(), argument),
        }
    };
    pid_of(id)
}

/// `clone3`, which alone names a group, for [`run_and_exit`] on a stack of [`STACK_BYTES`]. The C library has no function
/// for it. Returns like the system call: a number, or an error below 0, which becomes the last error.
///
/// # Safety
/// As of [`start_on_stack`], which knows that the stack and the argument outlive the new process's use of them.
unsafe fn clone_into(
    group: BorrowedFd<'_>,
    flags: c_int,
    stack: *mut c_void,
    argument: *mut c_void,
) -> c_long {
    // SAFETY: all zero is a valid value of this struct of numbers.
    let mut words: libc::clone_args = unsafe { std::mem::zeroed() };
    words.flags = u64::from((flags & !libc::SIGCHLD).unsigned_abs()) | CLONE_INTO_CGROUP;
    words.exit_signal = u64::from(libc::SIGCHLD.unsigned_abs());
    words.stack = stack as u64;
    words.stack_size = STACK_BYTES as u64;
    words.cgroup = u64::from(group.as_raw_fd().unsigned_abs());
    let result: c_long;
    // SAFETY: the new process has all registers of this one but the result and the stack, which is its own and
    // empty; it calls `run_and_exit` with the argument and never comes back, so that nothing of this frame is used
    // twice. This one goes on behind it; what the call may change is named.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r12",
            "call r13",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone3 => result,
            in("rdi") &raw const words,
            in("rsi") size_of::<libc::clone_args>(),
            in("r12") argument,
            in("r13") run_and_exit as extern "C" fn(*mut c_void) -> c_int,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, 0",
            "mov x0, x20",
            "blr x21",
            "brk 1",
            "2:",
            in("x8") libc::SYS_clone3,
            inlateout("x0") &raw const words => result,
            in("x1") size_of::<libc::clone_args>(),
            in("x20") argument,
            in("x21") run_and_exit as extern "C" fn(*mut c_void) -> c_int,
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = (argument, &words);
        result = -c_long::from(libc::ENOSYS);
    }
    if result < 0 {
        // SAFETY: the place of this thread's last error can be written to.
        unsafe { *libc::__errno_location() = i32::try_from(-result).unwrap_or(libc::EAGAIN) };
    }
    result
}

/// What `clone` returned, to the process that called it.
fn pid_of(id: c_long) -> Result<Pid, Errno> {
    let id = i32::try_from(id).ok().filter(|id| *id > 0);
    id.and_then(Pid::from_raw).ok_or_else(last_errno)
}

/// A panic in it ends the process: nothing unwinds out of this function.
extern "C" fn run_and_exit(work: *mut c_void) -> c_int {
    // SAFETY: whoever names this function hands over a pointer to just that.
    let work = unsafe { &mut *work.cast::<&mut dyn FnMut()>() };
    work();
    // SAFETY: ends this process alone, without the steps at an end that are the other's.
    unsafe { libc::_exit(0) }
}

/// Replaces this process by the program at `path` with this environment, `NAME=value` each. Returns only on
/// failure. Unlike the C library's search functions it never hands an unknown format to a shell.
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

/// Gives up the terminal of the session, for this process and those that it starts; it stays in the session.
pub(crate) fn leave_terminal() {
    if let Ok(terminal) = File::open("/dev/tty") {
        // SAFETY: the call takes no argument and touches no memory.
        unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCNOTTY) };
    }
}

/// Makes every inherited descriptor above the standard three close on exec, best effort: a file
/// that the arena's own parent left open is no business of a bot.
pub(crate) fn close_on_exec_above_stderr() {
    // SAFETY: the call only sets flags on descriptors; it reads and writes no memory of ours.
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

/// Ignores the signals with which people stop programs, so that a keeper which must clean up itself
/// is not stopped before it has done so.
pub(crate) fn ignore_polite_signals() {
    set_actions([libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM], libc::SIG_IGN);
}

/// A descriptor that becomes readable, until it is read, when a child ends; from now on that interrupts nothing. To wait
/// for the child itself would wake this process also whenever one is stopped and goes on, which bots are and do
/// at every turn.
///
/// # Errors
/// No more descriptors, or no memory.
pub(crate) fn watch_ends_of_children() -> Result<File, Errno> {
    act_on_end_of_child(libc::SIG_DFL);
    // SAFETY: `sigemptyset` initialises the set, and a null third argument asks for no copy of the old one; the
    // descriptor is new, and nobody else's.
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

/// From now on the end of a child interrupts whatever this process waits for.
pub(crate) fn be_interrupted_by_children() {
    act_on_end_of_child(interrupt as extern "C" fn(c_int) as libc::sighandler_t);
}

extern "C" fn interrupt(_: c_int) {}

/// Only of ends: not when one is stopped.
fn act_on_end_of_child(action: libc::sighandler_t) {
    // SAFETY: the action is initialised, and a constant or a handler that does nothing, which it may at any moment.
    unsafe {
        let mut child_end: libc::sigaction = std::mem::zeroed();
        child_end.sa_sigaction = action;
        child_end.sa_flags = libc::SA_NOCLDSTOP;
        libc::sigaction(libc::SIGCHLD, &child_end, ptr::null_mut());
    }
}

/// Why the last call failed.
fn last_errno() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::AGAIN)
}

fn set_actions(signals: impl IntoIterator<Item = i32>, action: libc::sighandler_t) {
    for signal in signals {
        // SAFETY: the action is one of the two constants, never a function of ours; the call fails
        // harmlessly for the two signals that cannot be changed.
        unsafe { libc::signal(signal, action) };
    }
}

/// The kernel's version of Landlock; none where it has none.
pub(crate) fn landlock_abi() -> Option<u32> {
    const VERSION: c_long = 1;
    // SAFETY: with this flag the call reads no rules and makes none.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<c_void>(), 0_usize, VERSION) };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

/// Processor time of all threads a process has and had; none if it is gone. A third of a
/// microsecond, where the same from `/proc` takes hundreds.
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
