//! The few system calls that have no safe wrapper; the only unsafe code of this package.
//!
//! All functions except [`cpu_time`], [`is_being_written`], [`landlock_abi`], and [`survive_file_limit`] are for supervisors and the fork server, which was executed
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

/// The stack for everything that a process does before it executes a program.
const STACK_BYTES: usize = 1024 * 1024;

/// The scheduler's slice for a bot, in nanoseconds. It is the shortest that the kernel accepts.
const SLICE_NS: u64 = 100_000;

/// A command of `fcntl` that the C library's crate does not name: the signal at the end of a lease.
const F_SETSIG: c_int = 10;

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

/// Moves the current process into these new namespaces.
///
/// # Errors
/// Namespaces that are not allowed.
pub(crate) fn unshare(namespaces: UnshareFlags) -> Result<(), Errno> {
    // SAFETY: no flag unshares the table of descriptors.
    unsafe { rustix::thread::unshare_unsafe(namespaces) }
}

/// Runs `work` in a new process with a copy of the current memory, in these new namespaces. The process ends after
/// `work` without the usual steps at a program's end, which would write to many pages.
///
/// # Errors
/// The user's process limit, a pid limit of the control group, no memory, or namespaces that are not allowed.
pub(crate) fn start_apart(namespaces: UnshareFlags, mut work: impl FnMut()) -> Result<Pid, Errno> {
    let (flags, stack) = (c_long::from(namespaces.bits().cast_signed() | libc::SIGCHLD), 0);
    let [first, second] = if cfg!(target_arch = "s390x") { [stack, flags] } else { [flags, stack] };
    // SAFETY: without a stack of its own the new process continues as after `fork`, with copies of the parent's memory
    // and of its only thread. It therefore finds every lock free and may run any code, not only async-signal-safe
    // code. It never returns from here.
    let id = unsafe { libc::syscall(libc::SYS_clone, first, second, 0_usize, 0_usize, 0_usize) };
    if id == 0 {
        let mut work: &mut dyn FnMut() = &mut work;
        run_and_exit(ptr::from_mut(&mut work).cast());
    }
    pid_of(id)
}

/// Runs `work` in a new process that shares the current memory, until it executes a program or ends. The current
/// process stands still meanwhile. This takes a third of the time of copying the memory's tables. If a control group
/// is given, the new process begins in it. To move it there later would wait for all processors of the machine.
///
/// # Errors
/// As [`start_apart`]. With a group also a kernel before 5.7, or a processor for which this is not written.
pub(crate) fn start_sharing(group: Option<BorrowedFd<'_>>, mut work: impl FnMut()) -> Result<Pid, Errno> {
    let mut work: &mut dyn FnMut() = &mut work;
    let mut stack = Vec::<u128>::with_capacity(STACK_BYTES / size_of::<u128>());
    let flags = libc::CLONE_VM | libc::CLONE_VFORK;
    // SAFETY: the new process runs on a stack of its own, while the current process, with its only thread, stands still.
    // One of the two therefore uses `work`, which outlives the call, at a time.
    let id = unsafe {
        let (bottom, argument) = (stack.as_mut_ptr(), ptr::from_mut(&mut work).cast());
        match group {
            None => {
                let top = bottom.add(stack.capacity()).cast();
                libc::clone(run_and_exit, top, flags | libc::SIGCHLD, argument).into()
            }
            Some(group) => {
                let mut words: libc::clone_args = std::mem::zeroed();
                words.flags = u64::from(flags.unsigned_abs()) | CLONE_INTO_CGROUP;
                words.exit_signal = u64::from(libc::SIGCHLD.unsigned_abs());
                words.stack = bottom as u64;
                words.stack_size = STACK_BYTES as u64;
                words.cgroup = u64::from(group.as_raw_fd().unsigned_abs());
                clone3_and_run(&words, argument)
            }
        }
    };
    std::mem::forget(stack); // the supervisor starts one bot, and returning the pages takes longer than keeping them
    pid_of(id)
}

/// Calls `clone3`, for which the C library has no function. The new process calls [`run_and_exit`] with `argument`.
/// Returns as the C library does.
///
/// # Safety
/// The stack in `words` is free, and `argument` fits `run_and_exit`. Both outlive the use by the new process.
unsafe fn clone3_and_run(words: &libc::clone_args, argument: *mut c_void) -> c_long {
    let result: c_long;
    // SAFETY: the new process has all registers of the current one but the result and the stack, which is its own and
    // empty. It calls `run_and_exit` and never returns, so nothing of this frame is used twice. The registers that the
    // call may change are named.
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
            in("rdi") ptr::from_ref(words),
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
            inlateout("x0") ptr::from_ref(words) => result,
            in("x1") size_of::<libc::clone_args>(),
            in("x20") argument,
            in("x21") run_and_exit as extern "C" fn(*mut c_void) -> c_int,
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = (argument, words);
        result = -c_long::from(libc::ENOSYS);
    }
    if result < 0 {
        // SAFETY: the C library's place for the last error of this thread can be written.
        unsafe { *libc::__errno_location() = i32::try_from(-result).unwrap_or(libc::EAGAIN) };
    }
    result
}

/// Runs the work of a new process, and ends that process alone, without the usual steps at a program's end.
extern "C" fn run_and_exit(work: *mut c_void) -> c_int {
    // SAFETY: the functions that name this one pass a pointer to exactly this type.
    let work = unsafe { &mut *work.cast::<&mut dyn FnMut()>() };
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    // SAFETY: the steps at a program's end belong to the parent.
    unsafe { libc::_exit(outcome.is_err().into()) }
}

/// Returns the new process to the process that made it.
fn pid_of(id: c_long) -> Result<Pid, Errno> {
    let id = i32::try_from(id).ok().filter(|id| *id > 0);
    id.and_then(Pid::from_raw).ok_or_else(last_errno)
}

/// Asks the kernel to run the current process in short slices while other processes want its core. A bot that the
/// arena wakes then runs at once, and has often answered when the arena's write returns. The share of the core stays
/// the same. Kernels before 6.12 ignore it, and processes with another than the usual policy are left alone.
pub(crate) fn shorten_slice() {
    // SAFETY: all zero is valid, and both calls use the structure with its size only while they run.
    unsafe {
        let mut attributes: libc::sched_attr = std::mem::zeroed();
        let size = size_of::<libc::sched_attr>();
        let read = libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0);
        if read == 0 && attributes.sched_policy == libc::SCHED_OTHER.unsigned_abs() {
            attributes.sched_runtime = SLICE_NS;
            libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0);
        }
    }
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

/// Makes a write beyond the limit of a file's size (`ulimit -f`) fail, as on a full disk, instead of ending the current
/// process. Call it before there are threads. Bots have the usual action.
pub fn survive_file_limit() {
    set_actions([libc::SIGXFSZ], libc::SIG_IGN);
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

/// What a traced process is doing as it stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Traced {
    /// It begins the call of this number, with these arguments.
    Begins(u64, [u64; 6]),
    /// Its call has returned this.
    Returns(i64),
}

/// The words that the kernel writes about a stop at a system call. The C library does not name them everywhere.
#[repr(C)]
#[derive(Default)]
struct SyscallInfo {
    stop: u8,
    _rest: [u8; 7],
    _pointers: [u64; 2],
    first: u64,
    more: [u64; 6],
}
const AT_ENTRY: u8 = 1;
const AT_EXIT: u8 = 2;
/// Requests of `ptrace`, whose types differ among C libraries.
const PTRACE_TRACEME: c_long = 0;
const PTRACE_PEEKDATA: c_long = 2;
const PTRACE_SYSCALL: c_long = 24;
const PTRACE_SETOPTIONS: c_long = 0x4200;
const PTRACE_GET_SYSCALL_INFO: c_long = 0x420e;
/// Marks of stops at calls, news of processes, threads, and programs, and an end with the tracer.
const TRACE_OPTIONS: u64 = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x10_0000;

/// Makes a request about a traced process. Returns true if the kernel obeyed.
///
/// # Safety
/// `data` is a number or an address that the kernel may write to, as the request wants it.
unsafe fn ptrace(request: c_long, process: Option<Pid>, address: u64, data: u64) -> bool {
    // SAFETY: as the caller promises.
    unsafe { libc::syscall(libc::SYS_ptrace, request, Pid::as_raw(process), address, data) == 0 }
}

/// Lets the parent trace the current process and all that it starts. It stands still once it has executed a program.
/// Returns false if the system does not allow it.
pub(crate) fn be_traced() -> bool {
    // SAFETY: the request has no data.
    unsafe { ptrace(PTRACE_TRACEME, None, 0, 0) }
}

/// Makes a traced process that stands still stop at every system call, and everything that it starts. All of them end with
/// the current process.
pub(crate) fn stop_at_calls(process: Pid) {
    // SAFETY: the data is a number.
    unsafe { ptrace(PTRACE_SETOPTIONS, Some(process), 0, TRACE_OPTIONS) };
}

/// Lets a traced process go on to the next stop, with this signal or, for 0, without one.
pub(crate) fn go_on(process: Pid, signal: c_int) {
    // SAFETY: the data is a number.
    unsafe { ptrace(PTRACE_SYSCALL, Some(process), 0, u64::from(signal.unsigned_abs())) };
}

/// Returns what a traced process does that stands still at a system call.
pub(crate) fn traced(process: Pid) -> Option<Traced> {
    let mut info = SyscallInfo::default();
    let (size, into) = (size_of::<SyscallInfo>() as u64, (&raw mut info) as u64);
    // SAFETY: the kernel writes as many bytes as the structure has, at most.
    unsafe { ptrace(PTRACE_GET_SYSCALL_INFO, Some(process), size, into) };
    match info.stop {
        AT_ENTRY => Some(Traced::Begins(info.first, info.more)),
        AT_EXIT => Some(Traced::Returns(info.first.cast_signed())),
        _ => None,
    }
}

/// Returns the bytes at an address of a traced process up to the first NUL, as many as a path may have.
pub(crate) fn traced_text(process: Pid, address: u64) -> Vec<u8> {
    let mut text = Vec::new();
    while text.len() < libc::PATH_MAX.unsigned_abs() as usize {
        let mut word = [0_u8; size_of::<c_long>()];
        let at = address.wrapping_add(text.len() as u64);
        // SAFETY: the kernel writes one word into the local variable.
        let is_read = unsafe { ptrace(PTRACE_PEEKDATA, Some(process), at, word.as_mut_ptr() as u64) };
        let end = word.iter().position(|&byte| byte == 0);
        text.extend(word.iter().take(end.unwrap_or(word.len())).filter(|_| is_read));
        if !is_read || end.is_some() {
            break;
        }
    }
    text
}

/// Makes each stop of a traced child wake the descriptor of [`watch_ends_of_children`] too.
pub(crate) fn watch_stops_of_children() {
    set_actions([libc::SIGCHLD], libc::SIG_DFL);
}

/// Returns the kernel's Landlock version, or `None` without Landlock.
pub(crate) fn landlock_abi() -> Option<u32> {
    const VERSION: c_long = 1;
    // SAFETY: with this flag the call reads no rules and makes none.
    let version =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<c_void>(), 0_usize, VERSION) };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

/// Returns true if a process has the file open for writing, as far as the system tells. The file itself must be open for
/// reading.
pub fn is_being_written(file: &File) -> bool {
    // A read lease is refused while the file is open for writing. Whoever opens it in the instant of the lease waits, and
    // this process gets a signal that does nothing.
    let set = |what: c_int, value: c_int| {
        // SAFETY: the calls change only settings of this open file.
        unsafe { libc::fcntl(file.as_raw_fd(), what, value) }
    };
    set(F_SETSIG, libc::SIGURG);
    let is_refused = set(libc::F_SETLEASE, libc::F_RDLCK) != 0
        && io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock;
    set(libc::F_SETLEASE, libc::F_UNLCK);
    is_refused
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
