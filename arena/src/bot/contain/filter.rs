//! Seccomp: which system calls a bot may make. A list of what is refused, so that runtimes find everything
//! else as they know it. It holds what the other layers leave open, and stands in for those that are missing.

use std::collections::BTreeMap;

use rustix::process::getpid;
use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{self, Eq, MaskedEq, Ne};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
    apply_filter, sock_filter,
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
const CONNECTING: &[i64] = &[libc::SYS_connect, libc::SYS_bind, libc::SYS_listen];

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

/// By number of the call: refused if any of the rules matches, or always if there is none.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Applies the filters to this process for good; false if this system cannot. In a pid namespace it may
/// signal whom it sees; elsewhere only itself.
pub(super) fn apply(network: bool, in_pid_namespace: bool) -> bool {
    let programs = || {
        let refused = program(forbidden(network, in_pid_namespace)?, libc::EPERM)?;
        let unknown = program(always(UNKNOWN), libc::ENOSYS)?;
        let mut pretended = always(PRETENDED);
        pretended.append(&mut always(PRETENDED_HERE));
        Some([guarded(refused), unknown, program(pretended, 0)?])
    };
    programs().is_some_and(|programs| programs.iter().all(|program| apply_filter(program).is_ok()))
}

fn program(rules: Rules, errno: i32) -> Option<BpfProgram> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    let refuse = SeccompAction::Errno(errno.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).ok()?.try_into().ok()
}

fn always(calls: &[i64]) -> Rules {
    calls.iter().map(|&call| (call, Vec::new())).collect()
}

fn forbidden(network: bool, in_pid_namespace: bool) -> Option<Rules> {
    let mut rules = always(FORBIDDEN);
    rules.append(&mut always(FORBIDDEN_HERE));
    rules.append(&mut sockets(network)?);
    if !in_pid_namespace {
        rules.append(&mut signals()?);
    }
    let namespace = |&flag: &libc::c_int| rule(0, Qword, MaskedEq(bits(flag)), bits(flag));
    let mut clones: Vec<SeccompRule> = NAMESPACES.iter().map(namespace).collect::<Option<_>>()?;
    clones.push(rule(0, Qword, MaskedEq(EXIT_SIGNAL), bits(WAKING))?);
    rules.insert(libc::SYS_clone, clones);
    let wakes = |order_at, order| {
        let both =
            [condition(order_at, Dword, Eq, order)?, condition(order_at + 1, Dword, Eq, bits(WAKING))?];
        SeccompRule::new(both.to_vec()).ok().map(|rule| vec![rule])
    };
    rules.insert(libc::SYS_fcntl, wakes(1, F_SETSIG)?);
    rules.insert(libc::SYS_prctl, wakes(0, bits(libc::PR_SET_PDEATHSIG))?);
    // Input for the terminal as if it had been typed.
    let terminal = [libc::TIOCSTI, libc::TIOCLINUX].map(|request| rule(1, Dword, Eq, request));
    rules.insert(libc::SYS_ioctl, terminal.into_iter().collect::<Option<_>>()?);
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
        rules.insert(libc::SYS_socket, vec![SeccompRule::new(others.collect::<Option<_>>()?).ok()?]);
    } else {
        rules.append(&mut always(CONNECTING));
        rules.insert(libc::SYS_socket, Vec::new());
    }
    let datagram = rule(1, Dword, MaskedEq(SOCKET_TYPE), bits(libc::SOCK_DGRAM))?;
    rules.insert(libc::SYS_socketpair, vec![rule(0, Dword, Ne, unix)?, datagram]);
    Some(rules)
}

/// Signals and limits for itself alone.
fn signals() -> Option<Rules> {
    let own = u64::from(getpid().as_raw_pid().unsigned_abs());
    let not_itself = || {
        let both = [condition(0, Dword, Ne, own)?, condition(0, Dword, Ne, 0)?];
        SeccompRule::new(both.to_vec()).ok().map(|rule| vec![rule])
    };
    let mut rules = always(&[libc::SYS_tkill, libc::SYS_pidfd_open, libc::SYS_pidfd_send_signal]);
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

/// Puts a guard in front: calls by the numbers of x32, a second set of the same calls, do not exist.
#[cfg(target_arch = "x86_64")]
fn guarded(mut program: BpfProgram) -> BpfProgram {
    const X32_BEGIN: u32 = 0x4000_0000;
    let load_number = sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 };
    let if_below = sock_filter { code: 0x35, jt: 0, jf: 1, k: X32_BEGIN };
    let refuse = sock_filter { code: 0x06, jt: 0, jf: 0, k: u32::from(SeccompAction::Errno(38)) };
    program.splice(0..0, [load_number, if_below, refuse]);
    program
}

#[cfg(not(target_arch = "x86_64"))]
fn guarded(program: BpfProgram) -> BpfProgram {
    program
}
