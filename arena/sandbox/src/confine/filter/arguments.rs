//! Rules for system calls that do harm or good by their arguments. Some calls have many orders, such as the commands of
//! `fcntl`. For these the rules list the orders that runtimes need, so a bot gets no order that is new in the kernel.

use std::collections::BTreeMap;

use libc::c_int;
use rustix::process::{Pid, getpid};
use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{self, Eq, MaskedEq, Ne};
use seccompiler::{SeccompCmpArgLen, SeccompCondition, SeccompRule};
use syscalls::Sysno;

/// What the filter of a bot depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::confine) struct Around {
    /// The bot has the network.
    pub(in crate::confine) network: bool,
    /// It may signal all processes that it sees. Elsewhere it may signal only itself.
    pub(in crate::confine) in_pid_namespace: bool,
    /// It may change modes and times of files.
    pub(in crate::confine) sets_marks: bool,
    /// Landlock says in which folders it may make FIFOs.
    pub(in crate::confine) makes_fifos: bool,
}

impl Around {
    /// Returns the usual case, without or with the network.
    pub(super) fn usual(network: bool) -> Around {
        Around { network, in_pid_namespace: true, sets_marks: false, makes_fifos: true }
    }
}

/// The treatment of one call.
pub(super) enum Ruling {
    /// The kernel executes the call.
    Allowed,
    /// Not permitted with any arguments.
    Refused,
    /// Not permitted if one of the rules matches.
    RefusedIf(Vec<SeccompRule>),
    /// The kernel executes the call if one of the rules matches. Otherwise the bot gets this error number.
    AllowedIf(Vec<SeccompRule>, i32),
    /// The kernel executes the call if the argument is one of these orders, or if one of the rules matches. If the
    /// argument is one of `pretended`, the call does nothing and reports success. Otherwise the bot gets this error
    /// number.
    Listed { argument: u32, orders: Vec<u32>, pretended: &'static [u32], or_if: Vec<SeccompRule>, errno: i32 },
}

/// The rulings by the number of the call.
type Rulings = BTreeMap<i64, Ruling>;

/// Orders to `ioctl`: queries about a terminal, which no bot has, the number of waiting bytes, blocking, and closing on
/// exec.
const IOCTL: &[u32] = &[
    0x5401,      // TCGETS
    0x802c_542a, // TCGETS2
    0x540f,      // TIOCGPGRP
    0x5411,      // TIOCOUTQ
    0x5413,      // TIOCGWINSZ
    0x541b,      // FIONREAD
    0x5421,      // FIONBIO
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
];
/// Orders to `ioctl` that query network interfaces.
const IOCTL_OF_NETWORK: &[u32] = &[
    0x8905, // SIOCATMARK
    0x8910, // SIOCGIFNAME
    0x8912, // SIOCGIFCONF
    0x8913, // SIOCGIFFLAGS
    0x8915, // SIOCGIFADDR
    0x8919, // SIOCGIFBRDADDR
    0x891b, // SIOCGIFNETMASK
    0x8921, // SIOCGIFMTU
    0x8927, // SIOCGIFHWADDR
    0x8933, // SIOCGIFINDEX
];

/// Orders to `fcntl`. They include no signals for events of a file, with which a bot could wake itself or end others.
/// They also include no leases, for which others wait, no news of folders, and no larger pipes.
const FCNTL: &[u32] = &[
    0,    // F_DUPFD
    1,    // F_GETFD
    2,    // F_SETFD
    3,    // F_GETFL
    4,    // F_SETFL
    5,    // F_GETLK
    9,    // F_GETOWN
    11,   // F_GETSIG
    36,   // F_OFD_GETLK
    1025, // F_GETLEASE
    1027, // F_DUPFD_QUERY
    1028, // F_CREATED_QUERY
    1030, // F_DUPFD_CLOEXEC
    1032, // F_GETPIPE_SZ
    1034, // F_GET_SEALS
];

/// Orders for locks, which the filter only pretends to execute. Another match of the bot would see locks, and the
/// kernel counts no memory for them. A bot is alone with the files that it may write, so it needs no locks.
const FCNTL_LOCKS: &[u32] = &[
    6,  // F_SETLK
    7,  // F_SETLKW
    37, // F_OFD_SETLK
    38, // F_OFD_SETLKW
];

/// Advice to `madvise` that evicts pages of files.
const EVICTIONS: [c_int; 2] = [libc::MADV_COLD, libc::MADV_PAGEOUT];

/// Orders to `prctl`: for names of threads, the process's own memory, and vectors. A bot may not keep a core for
/// itself, hide from inspection, or pose as another program.
const PRCTL: &[u32] = &[
    2,           // PR_GET_PDEATHSIG
    3,           // PR_GET_DUMPABLE
    15,          // PR_SET_NAME
    16,          // PR_GET_NAME
    21,          // PR_GET_SECCOMP
    23,          // PR_CAPBSET_READ
    25,          // PR_GET_TSC
    29,          // PR_SET_TIMERSLACK
    30,          // PR_GET_TIMERSLACK
    37,          // PR_GET_CHILD_SUBREAPER
    38,          // PR_SET_NO_NEW_PRIVS
    39,          // PR_GET_NO_NEW_PRIVS
    41,          // PR_SET_THP_DISABLE
    42,          // PR_GET_THP_DISABLE
    50,          // PR_SVE_SET_VL
    51,          // PR_SVE_GET_VL
    52,          // PR_GET_SPECULATION_CTRL
    54,          // PR_PAC_RESET_KEYS
    55,          // PR_SET_TAGGED_ADDR_CTRL
    56,          // PR_GET_TAGGED_ADDR_CTRL
    60,          // PR_PAC_SET_ENABLED_KEYS
    61,          // PR_PAC_GET_ENABLED_KEYS
    69,          // PR_RISCV_V_SET_CONTROL
    70,          // PR_RISCV_V_GET_CONTROL
    71,          // PR_RISCV_SET_ICACHE_FLUSH_CTX
    74,          // PR_GET_SHADOW_STACK_STATUS
    75,          // PR_SET_SHADOW_STACK_STATUS
    76,          // PR_LOCK_SHADOW_STACK_STATUS
    0x4155_5856, // PR_GET_AUXV
    0x5356_4d41, // PR_SET_VMA
];

/// The personalities for a bot: the default, the one without random addresses (some Lisps), and the query.
const PERSONALITY: &[u32] = &[0, 0x0004_0000, u32::MAX];

/// Barriers among the threads of one process. Other barriers interrupt every core.
const MEMBARRIER: &[u32] = &[
    0,   // QUERY
    8,   // PRIVATE_EXPEDITED
    16,  // REGISTER_PRIVATE_EXPEDITED
    32,  // PRIVATE_EXPEDITED_SYNC_CORE
    64,  // REGISTER_PRIVATE_EXPEDITED_SYNC_CORE
    128, // PRIVATE_EXPEDITED_RSEQ
    256, // REGISTER_PRIVATE_EXPEDITED_RSEQ
    512, // GET_REGISTRATIONS
];

/// New namespaces, as flags of `clone`.
const NAMESPACES: [c_int; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];
/// The signal that wakes a stopped process. A bot may not have the kernel send it at the end of the parent or of a
/// child. A timer of `timer_create` can send it nonetheless, because its signal lies where no filter can look.
const WAKING: c_int = libc::SIGCONT;
/// The bits in the flags of `clone` that hold the signal for the end of a child.
const EXIT_SIGNAL: u64 = 0xff;
/// The bits in the type of a socket that hold its kind without its flags.
const SOCKET_TYPE: u64 = 0xf;
/// The kinds of sockets whose pairs stay a pair. The kernel turns raw ones into datagram sockets, which reach the
/// sockets of all others.
const PAIRS: [c_int; 2] = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET];
/// Orders to `setsockopt` that let a socket hold more. No limit counts that memory.
const BUFFERS: [c_int; 2] = [libc::SO_SNDBUF, libc::SO_SNDBUFFORCE];
/// Family, kind and protocol of the sockets that a bot with the network may open: TCP, UDP, and sockets that list
/// addresses. Sockets with a place in the file system lead to services that start programs.
const SOCKETS: [[c_int; 3]; 10] = [
    [libc::AF_INET, libc::SOCK_STREAM, 0],
    [libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_TCP],
    [libc::AF_INET, libc::SOCK_DGRAM, 0],
    [libc::AF_INET, libc::SOCK_DGRAM, libc::IPPROTO_UDP],
    [libc::AF_INET6, libc::SOCK_STREAM, 0],
    [libc::AF_INET6, libc::SOCK_STREAM, libc::IPPROTO_TCP],
    [libc::AF_INET6, libc::SOCK_DGRAM, 0],
    [libc::AF_INET6, libc::SOCK_DGRAM, libc::IPPROTO_UDP],
    [libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_ROUTE],
    [libc::AF_NETLINK, libc::SOCK_DGRAM, libc::NETLINK_ROUTE],
];

/// The bits of a mode that give the rights of a file's owner or group.
const SET_ID: u64 = 0o6000;

/// Returns the ruling for each call that depends on the arguments, the network or the namespace.
pub(super) fn rulings(around: Around) -> Option<Rulings> {
    let Around { network, in_pid_namespace, makes_fifos, .. } = around;
    let mut rulings = orders(network)?;
    rulings.append(&mut nodes(makes_fifos)?);
    rulings.append(&mut openings()?);
    rulings.append(&mut sockets(network)?);
    rulings.append(&mut processes(in_pid_namespace)?);
    rulings.insert(libc::SYS_clone, Ruling::RefusedIf(clones()?));
    Some(rulings)
}

/// Returns the ruling for a call that changes a file's mode or times, where these are real. Nobody gets the rights of a
/// file's owner or group by executing it.
pub(super) fn marks(call: u32) -> Option<Ruling> {
    let mode = match Sysno::new(call as usize)?.name() {
        "chmod" | "fchmod" => 1,
        "fchmodat" | "fchmodat2" => 2,
        _ => return Some(Ruling::Allowed),
    };
    Some(Ruling::AllowedIf(vec![all([condition(mode, Dword, MaskedEq(SET_ID), 0)?])?], 0))
}

/// Returns the rulings for calls that are many calls in one.
fn orders(network: bool) -> Option<Rulings> {
    let ioctl = [IOCTL, if network { IOCTL_OF_NETWORK } else { &[] }].concat();
    let death = condition(0, Dword, Eq, bits(libc::PR_SET_PDEATHSIG))?;
    let death = all([death, condition(1, Dword, Ne, bits(WAKING))?])?;
    let with = |argument, orders: &[u32], pretended, or_if, errno| Ruling::Listed {
        argument,
        orders: orders.to_vec(),
        pretended,
        or_if,
        errno,
    };
    let listed = |argument, orders, or_if, errno| with(argument, orders, &[], or_if, errno);
    let eviction = |&advice: &c_int| all([condition(2, Dword, Eq, bits(advice))?]);
    let evictions = EVICTIONS.iter().map(eviction).collect::<Option<_>>()?;
    // A flag of these calls asks if a read would have to wait for the disk.
    let unflagged = || Some(Ruling::AllowedIf(vec![all([condition(5, Dword, Eq, 0)?])?], libc::EOPNOTSUPP));
    Some(Rulings::from([
        (libc::SYS_ioctl, listed(1, &ioctl, Vec::new(), libc::ENOTTY)),
        (libc::SYS_fcntl, with(1, FCNTL, FCNTL_LOCKS, Vec::new(), libc::EINVAL)),
        (libc::SYS_madvise, Ruling::RefusedIf(evictions)),
        (libc::SYS_preadv2, unflagged()?),
        (libc::SYS_pwritev2, unflagged()?),
        (libc::SYS_prctl, listed(0, PRCTL, vec![death], libc::EINVAL)),
        (libc::SYS_personality, listed(0, PERSONALITY, Vec::new(), libc::EPERM)),
        (libc::SYS_membarrier, listed(0, MEMBARRIER, Vec::new(), libc::EINVAL)),
    ]))
}

/// Returns the rulings that refuse to empty a file which is not opened for writing. Landlock before version 3 asks only
/// for the right to read.
fn openings() -> Option<Rulings> {
    let refused = |flags| {
        let empties = |mode| {
            let both = bits(libc::O_TRUNC | libc::O_ACCMODE);
            all([condition(flags, Dword, MaskedEq(both), bits(libc::O_TRUNC | mode))?])
        };
        // The second mode, all bits of the mask, is for neither reading nor writing.
        let rules = [libc::O_RDONLY, libc::O_ACCMODE].map(empties);
        Some(Ruling::RefusedIf(rules.into_iter().collect::<Option<_>>()?))
    };
    let openat = (libc::SYS_openat, refused(2)?);
    #[cfg(target_arch = "x86_64")]
    return Some(Rulings::from([openat, (libc::SYS_open, refused(1)?)]));
    #[cfg(not(target_arch = "x86_64"))]
    Some(Rulings::from([openat]))
}

/// Returns the rulings for new entries of a folder that are no files. A bot may make FIFOs where Landlock says in which
/// folders.
fn nodes(makes_fifos: bool) -> Option<Rulings> {
    let ruling = |mode| {
        let fifo = condition(mode, Dword, MaskedEq(libc::S_IFMT.into()), libc::S_IFIFO.into())?;
        let fifos = Ruling::AllowedIf(vec![all([fifo])?], libc::EPERM);
        Some(if makes_fifos { fifos } else { Ruling::Refused })
    };
    let mknodat = (libc::SYS_mknodat, ruling(2)?);
    #[cfg(target_arch = "x86_64")]
    return Some(Rulings::from([mknodat, (libc::SYS_mknod, ruling(1)?)]));
    #[cfg(not(target_arch = "x86_64"))]
    Some(Rulings::from([mknodat]))
}

/// Returns the rules that refuse new namespaces, and an end of the child that sends the waking signal.
fn clones() -> Option<Vec<SeccompRule>> {
    let namespace = |&flag: &c_int| all([condition(0, Qword, MaskedEq(bits(flag)), bits(flag))?]);
    let mut clones: Vec<SeccompRule> = NAMESPACES.iter().map(namespace).collect::<Option<_>>()?;
    clones.push(all([condition(0, Qword, MaskedEq(EXIT_SIGNAL), bits(WAKING))?])?);
    Some(clones)
}

/// Returns the rulings for sockets. A bot gets pairs that are connected already, and with the network the sockets for
/// it.
fn sockets(network: bool) -> Option<Rulings> {
    let kind = |kind| condition(1, Dword, MaskedEq(SOCKET_TYPE), bits(kind));
    let family = |family| condition(0, Dword, Eq, bits(family));
    let pairs = PAIRS.iter().map(|&pair| all([family(libc::AF_UNIX)?, kind(pair)?]));
    let open = SOCKETS.iter().map(|&[place, sort, protocol]| {
        all([family(place)?, kind(sort)?, condition(2, Dword, Eq, bits(protocol))?])
    });
    let if_network = |allowed| if network { allowed } else { Ruling::Refused };
    let [connect, bind, listen] = [libc::SYS_connect, libc::SYS_bind, libc::SYS_listen];
    let mut rulings = Rulings::from([connect, bind, listen].map(|call| (call, if_network(Ruling::Allowed))));
    rulings.insert(libc::SYS_socketpair, Ruling::AllowedIf(pairs.collect::<Option<_>>()?, libc::EPERM));
    let sockets = Ruling::AllowedIf(open.collect::<Option<_>>()?, libc::EPERM);
    rulings.insert(libc::SYS_socket, if_network(sockets));
    let larger = BUFFERS.iter().map(|&option| {
        all([condition(1, Dword, Eq, bits(libc::SOL_SOCKET))?, condition(2, Dword, Eq, bits(option))?])
    });
    let larger = Ruling::RefusedIf(larger.collect::<Option<_>>()?);
    rulings.insert(libc::SYS_setsockopt, if network { Ruling::Allowed } else { larger });
    Some(rulings)
}

/// Returns the rulings for signals and limits. In a pid namespace a bot may use them on all processes that it sees. It
/// may not limit the first process, which is the supervisor and gets no signals from inside. Elsewhere it may use them on
/// itself alone.
fn processes(in_pid_namespace: bool) -> Option<Rulings> {
    let everywhere = |ruling: fn() -> Ruling, calls: &[i64]| {
        calls.iter().map(|&call| (call, ruling())).collect::<Rulings>()
    };
    let own = [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo];
    let others = [libc::SYS_tkill, libc::SYS_pidfd_open, libc::SYS_pidfd_send_signal];
    if in_pid_namespace {
        let supervisor = u64::from(Pid::INIT.as_raw_pid().unsigned_abs());
        let mut rulings = everywhere(|| Ruling::Allowed, &[&own[..], &others].concat());
        let limits = Ruling::RefusedIf(vec![all([condition(0, Dword, Eq, supervisor)?])?]);
        rulings.insert(libc::SYS_prlimit64, limits);
        return Some(rulings);
    }
    let itself = u64::from(getpid().as_raw_pid().unsigned_abs());
    let mut rulings = everywhere(|| Ruling::Refused, &others);
    for call in own.into_iter().chain([libc::SYS_prlimit64]) {
        let not_itself = all([condition(0, Dword, Ne, itself)?, condition(0, Dword, Ne, 0)?])?;
        rulings.insert(call, Ruling::RefusedIf(vec![not_itself]));
    }
    Some(rulings)
}

fn bits(flag: c_int) -> u64 {
    u64::from(flag.unsigned_abs())
}

fn condition(arg: u8, len: SeccompCmpArgLen, op: SeccompCmpOp, value: u64) -> Option<SeccompCondition> {
    SeccompCondition::new(arg, len, op, value).ok()
}

fn all<const COUNT: usize>(conditions: [SeccompCondition; COUNT]) -> Option<SeccompRule> {
    SeccompRule::new(conditions.to_vec()).ok()
}
