//! Seccomp: which system calls a bot may make. A list of what is refused, so that runtimes find everything
//! else as they know it. It holds what the other layers leave open, and stands in for those that are missing.

mod dispatch;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use dispatch::Part;
use rustix::process::{Pid, getpid};
use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{self, Eq, MaskedEq, Ne};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
    apply_filter,
};

/// Refused with "not permitted", whatever the arguments are.
const FORBIDDEN: &[i64] = &[
    // Other processes and their memory.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    // Out of its group, so that stopping and killing the group reaches everything.
    libc::SYS_setsid,
    libc::SYS_setpgid,
    // Its share of the machine. The older calls for it stay: runtimes die without them, and they give nobody more.
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    // Namespaces, mounts and what else is new ground in the kernel.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    // Memory that no limit counts, and places where strangers meet.
    libc::SYS_mq_open,
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    // What Landlock does not know of: files that others need are changed without being opened for it.
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_truncate,
    // The machine itself, in case the arena's user may.
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_mknodat,
    libc::SYS_syslog,
    libc::SYS_quotactl,
];

/// The same under the names that only this processor has.
#[cfg(target_arch = "x86_64")]
const FORBIDDEN_HERE: &[i64] = &[
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_mknod,
    libc::SYS_kexec_file_load,
    libc::SYS_ioperm,
    libc::SYS_iopl,
];
#[cfg(not(target_arch = "x86_64"))]
const FORBIDDEN_HERE: &[i64] = &[];

/// Said to be done, and not done: modes and times of files, which compilers and copiers set on what they have just
/// written and give up where they may not.
const PRETENDED: &[i64] = &[libc::SYS_fchmod, libc::SYS_fchmodat, libc::SYS_fchmodat2, libc::SYS_utimensat];

/// The same under the names that only this processor has.
#[cfg(target_arch = "x86_64")]
const PRETENDED_HERE: &[i64] = &[libc::SYS_chmod, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const PRETENDED_HERE: &[i64] = &[];

/// As if the kernel did not have them: runtimes then take what they took before there were any.
const UNKNOWN: &[i64] = &[
    libc::SYS_clone3, // its flags lie where no filter can look
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_memfd_create, // memory that belongs to no process
    libc::SYS_memfd_secret,
];

/// Connections to others.
const CONNECTING: &[i64] = &[libc::SYS_socket, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen];

/// New namespaces, as flags of `clone`.
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];
/// The signal that wakes whoever is stopped. Nobody may have the kernel send it: on an event of a file, at the end of
/// the parent, at the end of a child. A timer of `timer_create` still can: its signal lies where no filter can look,
/// and programs of GHC do not start without that call.
const WAKING: libc::c_int = libc::SIGCONT;
/// The order to `fcntl` that names the signal for events of a file.
const F_SETSIG: u64 = 10;
/// Where the signal for the end of a child stands in the flags of `clone`.
const EXIT_SIGNAL: u64 = 0xff;
/// The kinds of a socket without its flags.
const SOCKET_TYPE: u64 = 0xf;

/// How a call is refused: with this error number if any of the rules matches, or always if there is none.
type Refusal = (i32, Vec<SeccompRule>);
/// By number of the call.
type Rules = BTreeMap<i64, Refusal>;

/// The programs for bots in a pid namespace, without and with the network: the same for all of them, so that a
/// process that starts many makes them once.
static PREPARED: LazyLock<[Option<BpfProgram>; 2]> =
    LazyLock::new(|| [false, true].map(|network| program(&refused(network, true)?)));

/// Makes ahead what does not depend on the bot.
pub(super) fn prepare() {
    LazyLock::force(&PREPARED);
}

/// Applies the filter to this process for good; false if this system cannot. In a pid namespace it may
/// signal whom it sees; elsewhere only itself.
pub(super) fn apply(network: bool, in_pid_namespace: bool) -> bool {
    let is_applied = |program: &BpfProgram| apply_filter(program).is_ok();
    match in_pid_namespace {
        true => PREPARED[usize::from(network)].as_ref().is_some_and(is_applied),
        false => refused(network, false).and_then(|rules| program(&rules)).is_some_and(|it| is_applied(&it)),
    }
}

/// All rules, whatever the error number.
fn refused(network: bool, in_pid_namespace: bool) -> Option<Rules> {
    let mut rules = forbidden(network, in_pid_namespace)?;
    rules.append(&mut always(UNKNOWN, libc::ENOSYS));
    rules.append(&mut always(PRETENDED, 0));
    rules.append(&mut always(PRETENDED_HERE, 0));
    Some(rules)
}

/// One program for the kernel; none if this processor is not known.
fn program(rules: &Rules) -> Option<BpfProgram> {
    let allow = dispatch::always(SeccompAction::Allow.into());
    let mut parts = vec![Part { first: 0, program: allow.clone() }];
    for (&call, (errno, rules)) in rules {
        let first = u32::try_from(call).ok()?;
        parts.pop_if(|part| part.first == first); // nothing is between two calls that follow each other
        parts.push(Part { first, program: refusal(call, *errno, rules)? });
        parts.push(Part { first: first + 1, program: allow.clone() });
    }
    parts.extend(x32());
    parts.dedup_by(|next, part| next.program == part.program);
    let mut program = processor_check()?;
    program.append(&mut dispatch::join(&parts));
    Some(program)
}

/// What is done with this call.
fn refusal(call: i64, errno: i32, rules: &[SeccompRule]) -> Option<BpfProgram> {
    let refuse = SeccompAction::Errno(errno.unsigned_abs());
    if rules.is_empty() {
        return Some(dispatch::always(refuse.into()));
    }
    let rules = BTreeMap::from([(call, rules.to_vec())]);
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, processor()?).ok()?.try_into().ok()
}

fn processor() -> Option<TargetArch> {
    TargetArch::try_from(std::env::consts::ARCH).ok()
}

fn always(calls: &[i64], errno: i32) -> Rules {
    calls.iter().map(|&call| (call, (errno, Vec::new()))).collect()
}

/// Refused as not permitted if one of the rules matches.
fn sometimes(rules: Vec<SeccompRule>) -> Refusal {
    (libc::EPERM, rules)
}

fn forbidden(network: bool, in_pid_namespace: bool) -> Option<Rules> {
    let mut rules = always(FORBIDDEN, libc::EPERM);
    rules.append(&mut always(FORBIDDEN_HERE, libc::EPERM));
    rules.append(&mut sockets(network)?);
    rules.append(&mut if in_pid_namespace { of_the_keeper()? } else { signals()? });
    let namespace = |&flag: &libc::c_int| rule(0, Qword, MaskedEq(bits(flag)), bits(flag));
    let mut clones: Vec<SeccompRule> = NAMESPACES.iter().map(namespace).collect::<Option<_>>()?;
    clones.push(rule(0, Qword, MaskedEq(EXIT_SIGNAL), bits(WAKING))?);
    rules.insert(libc::SYS_clone, sometimes(clones));
    let wakes = |order_at, order| {
        let both =
            [condition(order_at, Dword, Eq, order)?, condition(order_at + 1, Dword, Eq, bits(WAKING))?];
        SeccompRule::new(both.to_vec()).ok().map(|rule| sometimes(vec![rule]))
    };
    rules.insert(libc::SYS_fcntl, wakes(1, F_SETSIG)?);
    rules.insert(libc::SYS_prctl, wakes(0, bits(libc::PR_SET_PDEATHSIG))?);
    // Input for the terminal as if it had been typed.
    let terminal = [libc::TIOCSTI, libc::TIOCLINUX].map(|request| rule(1, Dword, Eq, request));
    rules.insert(libc::SYS_ioctl, sometimes(terminal.into_iter().collect::<Option<_>>()?));
    Some(rules)
}

/// No socket but pairs that are connected already. With the network, no way to other programs of this
/// machine but through it: sockets with a place in the file system lead to services that start programs.
fn sockets(network: bool) -> Option<Rules> {
    let unix = bits(libc::AF_UNIX);
    let mut rules = Rules::new();
    if network {
        let families = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
        let others = families.iter().map(|&family| condition(0, Dword, Ne, bits(family)));
        let others = SeccompRule::new(others.collect::<Option<_>>()?).ok()?;
        rules.insert(libc::SYS_socket, sometimes(vec![others]));
    } else {
        rules.append(&mut always(CONNECTING, libc::EPERM));
    }
    let datagram = rule(1, Dword, MaskedEq(SOCKET_TYPE), bits(libc::SOCK_DGRAM))?;
    rules.insert(libc::SYS_socketpair, sometimes(vec![rule(0, Dword, Ne, unix)?, datagram]));
    Some(rules)
}

/// No limits and no priority for the first process of the namespace. Signals from inside it does not get.
fn of_the_keeper() -> Option<Rules> {
    let calls = [libc::SYS_prlimit64, libc::SYS_sched_setscheduler, libc::SYS_sched_setparam];
    let keeper = u64::from(Pid::INIT.as_raw_pid().unsigned_abs());
    calls.map(|call| Some((call, sometimes(vec![rule(0, Dword, Eq, keeper)?])))).into_iter().collect()
}

/// Signals and limits for itself alone.
fn signals() -> Option<Rules> {
    let own = u64::from(getpid().as_raw_pid().unsigned_abs());
    let not_itself = || {
        let both = [condition(0, Dword, Ne, own)?, condition(0, Dword, Ne, 0)?];
        SeccompRule::new(both.to_vec()).ok().map(|rule| sometimes(vec![rule]))
    };
    let strangers = [libc::SYS_tkill, libc::SYS_pidfd_open, libc::SYS_pidfd_send_signal];
    let mut rules = always(&strangers, libc::EPERM);
    for call in [
        libc::SYS_kill,
        libc::SYS_tgkill,
        libc::SYS_rt_sigqueueinfo,
        libc::SYS_rt_tgsigqueueinfo,
        libc::SYS_prlimit64,
    ] {
        rules.insert(call, not_itself()?);
    }
    Some(rules)
}

fn bits(flag: libc::c_int) -> u64 {
    u64::from(flag.unsigned_abs())
}

fn condition(arg: u8, len: SeccompCmpArgLen, op: SeccompCmpOp, value: u64) -> Option<SeccompCondition> {
    SeccompCondition::new(arg, len, op, value).ok()
}

fn rule(arg: u8, len: SeccompCmpArgLen, op: SeccompCmpOp, value: u64) -> Option<SeccompRule> {
    SeccompRule::new(vec![condition(arg, len, op, value)?]).ok()
}

/// Kills a program that calls as another processor would: the instructions with which every program of the crate
/// begins.
fn processor_check() -> Option<BpfProgram> {
    const LENGTH: usize = 3;
    let nothing =
        SeccompFilter::new(BTreeMap::new(), SeccompAction::Allow, SeccompAction::Trap, processor()?);
    let mut program = BpfProgram::try_from(nothing.ok()?).ok()?;
    program.truncate(LENGTH);
    Some(program)
}

/// Calls by the numbers of x32, a second set of the same calls, do not exist.
fn x32() -> Option<Part> {
    const FIRST: u32 = 0x4000_0000;
    let unknown = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    cfg!(target_arch = "x86_64").then(|| Part { first: FIRST, program: dispatch::always(unknown.into()) })
}
