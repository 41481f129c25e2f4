//! The decision for each known system call. A call without a decision does not exist for a bot, so a kernel that is
//! newer than this table opens nothing.
//!
//! To allow a new call, or to keep it closed, add its name to the group with the right reason, or add a group. The crate
//! `syscalls` knows the numbers on each processor.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use syscalls::Sysno;

/// The result of a call that a bot makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// The kernel executes the call.
    Allowed,
    /// Not permitted.
    Refused,
    /// The call does nothing and reports success.
    Pretended,
    /// A change of a file's mode or times. Pretended, unless the bot can only change files in folders of its own.
    Marked,
    /// The call fails as if the kernel did not have it, like every call that is not in the table.
    Unknown,
    /// The same, for a call that runtimes try first, and do without.
    Tried,
    /// The call fails as if the file system did not have it.
    Unsupported,
    /// The call fails as if the arguments did not go together.
    Unfit,
    /// The result depends on the arguments, on the network, or on the namespace.
    ByArgument,
}

impl Decision {
    /// Returns the error number that the bot gets in place of the kernel's answer, or `None` if the kernel is asked.
    pub(super) fn errno(self) -> Option<i32> {
        match self {
            Decision::Allowed | Decision::ByArgument => None,
            Decision::Refused => Some(libc::EPERM),
            Decision::Pretended | Decision::Marked => Some(0),
            Decision::Unknown | Decision::Tried => Some(libc::ENOSYS),
            Decision::Unsupported => Some(libc::EOPNOTSUPP),
            Decision::Unfit => Some(libc::EINVAL),
        }
    }
}

/// The names of calls with one decision.
type Group = (Decision, &'static [&'static str]);

macro_rules! calls {
    ($($decision:ident { $($name:ident)* })*) => {
        /// The table of all calls. Some names exist on some processors only.
        const CALLS: &[Group] = &[$((Decision::$decision, &[$(stringify!($name)),*])),*];
    };
}

/// The decisions by the numbers of this processor. Looked up once: without a pid namespace every start needs them.
pub(super) static DECISIONS: LazyLock<BTreeMap<u32, Decision>> = LazyLock::new(|| {
    let number = |name: &str| u32::try_from(name.parse::<Sysno>().ok()?.id()).ok();
    let group =
        |&(decision, names): &Group| names.iter().filter_map(move |name| Some((number(name)?, decision)));
    CALLS.iter().flat_map(group).collect()
});

calls! {
    // Files. Landlock says which of them.
    Allowed {
        read write close stat fstat lstat newfstatat fstatat statx lseek pread64 pwrite64 readv writev
        preadv pwritev access faccessat faccessat2 creat dup dup2 dup3 close_range pipe pipe2
        sendfile copy_file_range ftruncate fallocate getdents getdents64 getcwd chdir fchdir rename renameat
        renameat2 mkdir mkdirat rmdir link linkat unlink unlinkat symlink symlinkat readlink readlinkat
        umask statfs fstatfs
    }
    // Waiting for files and times. A timer can have the signal that wakes a stopped process, which no
    // filter can see. Programs of GHC do not start without `timer_create`.
    Allowed {
        poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
        eventfd eventfd2 signalfd signalfd4 timerfd_create timerfd_settime timerfd_gettime timer_create
        timer_settime timer_gettime timer_getoverrun timer_delete nanosleep clock_nanosleep clock_gettime
        clock_getres gettimeofday time times getitimer setitimer alarm pause
    }
    // The bot's own memory.
    Allowed {
        mmap munmap mprotect mremap brk msync mlock mlock2 munlock mlockall munlockall mseal pkey_mprotect
        pkey_alloc pkey_free map_shadow_stack get_mempolicy
    }
    // The bot itself, its threads and its children. These calls only give up rights.
    Allowed {
        getpid getppid gettid getpgrp getpgid getsid fork vfork execve execveat exit exit_group wait4 waitid
        restart_syscall set_tid_address set_robust_list get_robust_list rseq arch_prctl riscv_hwprobe
        riscv_flush_icache futex futex_wake futex_wait futex_requeue futex_waitv rt_sigaction rt_sigprocmask
        rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack getuid geteuid getgid getegid
        getresuid getresgid getgroups setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid
        setgroups capget capset getrlimit setrlimit getrusage getpriority ioprio_get sched_yield
        sched_getaffinity sched_getparam sched_getscheduler sched_getattr sched_get_priority_max
        sched_get_priority_min sched_rr_get_interval getcpu getrandom uname sysinfo
    }
    // Pairs of sockets that are connected already, and with the network the sockets that `socket` makes.
    Allowed {
        accept accept4 sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg shutdown getsockname getpeername
        getsockopt
    }
    // Calls whose arguments decide: `arguments.rs`.
    ByArgument {
        open openat madvise preadv2 pwritev2 ioctl fcntl prctl personality membarrier clone socket
        socketpair setsockopt connect bind listen prlimit64 kill tkill tgkill rt_sigqueueinfo
        rt_tgsigqueueinfo pidfd_open pidfd_send_signal mknod mknodat
    }
    // Modes and times of files. Compilers and copiers set them on files that they have just written, and give
    // up if they may not. `arguments.rs` says what is real.
    Marked {
        chmod fchmod fchmodat fchmodat2 utime utimes futimesat utimensat
    }
    // Advice about the page cache. The cache shows a bot the files that it has read in an earlier match.
    Pretended {
        fadvise64 readahead
    }
    // Writing to the disk has no use for files that are gone with the bot, and all others who write wait
    // for it.
    Pretended {
        sync syncfs fsync fdatasync sync_file_range
    }
    // What a program asks for itself, and others would feel: its place among others at the processor and the
    // disk, its cores, and its session and group, on which stopping and killing rest. Programs and the wrappers
    // before them (`nice`, `taskset`, `setsid`) give up if they may not ask.
    Pretended {
        sched_setscheduler sched_setparam sched_setattr sched_setaffinity setpriority ioprio_set setsid setpgid
    }
    // Locks on files. Others who read the file would see them, and later matches of the bot.
    Pretended {
        flock
    }
    // Attributes of files: storage that outlives the bot, and access lists, which change modes. The calls
    // fail as on a file system without attributes, and copiers go on without them.
    Unsupported {
        setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
        removexattr lremovexattr fremovexattr
    }
    // The kernel moves pages between files and pipes with these calls, and attackers have broken into it by
    // them. The calls fail as for a file that cannot be moved like this, and programs then read and write.
    Unfit {
        splice tee vmsplice
    }
    // Changes that Landlock does not know of: these calls change files that others need, without opening
    // them. Copiers go on if they are not permitted to change an owner.
    Refused {
        chown fchown lchown fchownat truncate file_setattr
    }
    // Other processes and their memory.
    Unknown {
        ptrace process_vm_readv process_vm_writev process_madvise process_mrelease pidfd_getfd kcmp
        move_pages migrate_pages
    }
    // The choice of its memory.
    Tried {
        set_mempolicy mbind
    }
    Unknown {
        set_mempolicy_home_node
    }
    // Namespaces, mounts, and other new ground in the kernel.
    Unknown {
        unshare setns mount umount2 pivot_root chroot fsopen fsconfig fsmount fspick open_tree
        open_tree_attr move_mount mount_setattr open_by_handle_at fanotify_init fanotify_mark keyctl add_key
        request_key bpf userfaultfd
    }
    Tried {
        perf_event_open
    }
    // Memory that no limit counts, and places where strangers meet.
    Unknown {
        mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr shmget shmat shmctl shmdt
        msgget msgsnd msgrcv msgctl semget semop semtimedop semctl
    }
    // The machine itself, in case the arena's user may change it.
    Unknown {
        reboot kexec_load kexec_file_load init_module finit_module delete_module swapon swapoff acct
        settimeofday clock_settime adjtimex clock_adjtime sethostname setdomainname syslog quotactl
        quotactl_fd ioperm iopl vhangup
    }
    // Runtimes fall back on older calls. The flags of `clone3` and `openat2` lie where no filter can look.
    // `memfd` makes memory that belongs to no process.
    Tried {
        clone3 openat2 io_uring_setup memfd_create
    }
    Unknown {
        io_uring_enter io_uring_register memfd_secret
    }
    // News of files elsewhere, their names and attributes, the parts that others read, and the places where
    // they are mounted.
    Unknown {
        inotify_init inotify_init1 inotify_add_watch inotify_rm_watch file_getattr
        setxattrat getxattrat listxattrat removexattrat listns
    }
    Tried {
        name_to_handle_at cachestat mincore statmount listmount
    }
    // Landlock's rules take memory that no limit counts.
    Unknown {
        landlock_create_ruleset landlock_add_rule landlock_restrict_self
    }
    // Asynchronous input and output. The machine has few contexts for it.
    Unknown {
        io_setup io_destroy io_getevents io_pgetevents io_submit io_cancel
    }
    // Rare or outdated calls. Each is a way into the kernel that no bot needs.
    Unknown {
        modify_ldt remap_file_pages lsm_get_self_attr lsm_set_self_attr lsm_list_modules uretprobe
        uprobe set_thread_area get_thread_area lookup_dcookie uselib ustat sysfs _sysctl create_module
        get_kernel_syms query_module nfsservctl getpmsg putpmsg afs_syscall tuxcall security epoll_ctl_old
        epoll_wait_old vserver
    }
    Tried {
        seccomp
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The headers with the kernel's lists of calls: for x86-64, and for processors without a list of their own.
    const X86_64: [&str; 2] =
        ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"];
    const OTHERS: [&str; 1] = ["/usr/include/asm-generic/unistd.h"];
    /// The numbers of the calls that only 32-bit processors have.
    const FOR_32_BITS: std::ops::RangeInclusive<u32> = 403..=423;
    /// Names in the list that describe it and are not calls.
    const WORDS: [&str; 2] = ["syscalls", "arch_specific_syscall"];

    fn all_names() -> impl Iterator<Item = &'static str> {
        CALLS.iter().flat_map(|(_, names)| names.iter().copied())
    }

    /// Returns the names in a header by their numbers. A number may have several names, and a name may stand for
    /// another name.
    fn names(header: &str) -> BTreeMap<u32, BTreeSet<&str>> {
        let mut names = BTreeMap::<u32, BTreeSet<&str>>::new();
        let mut shared = BTreeMap::new();
        for line in header.lines() {
            let mut words = line.split_ascii_whitespace();
            let (Some("#define"), Some(name), Some(number)) = (words.next(), words.next(), words.next())
            else {
                continue;
            };
            let number = number.parse().ok().or_else(|| shared.get(number).copied());
            if let (Some(of_both), Some(number)) = (name.strip_prefix("__NR3264_"), number) {
                shared.insert(name, number);
                names.entry(number).or_default().insert(of_both);
            }
            if let (Some(name), Some(number)) = (name.strip_prefix("__NR_"), number)
                && !WORDS.contains(&name)
            {
                names.entry(number).or_default().insert(name);
            }
        }
        names
    }

    /// Compares the table with the list in a header. A new call of the build machine's kernel fails the test until it
    /// has a decision.
    fn compare(headers: &[&str]) {
        let header = headers.iter().find_map(|path| std::fs::read_to_string(path).ok());
        let header = header.unwrap_or_else(|| panic!("no list of system calls at {headers:?}"));
        let (listed, decided) = (names(&header), all_names().collect::<BTreeSet<_>>());
        let calls = listed.iter().filter(|(number, _)| !FOR_32_BITS.contains(number));
        let open = calls.filter(|(_, names)| names.is_disjoint(&decided));
        let open: Vec<String> = open.map(|(number, names)| format!("{number} {names:?}")).collect();
        assert!(listed.len() > 250, "only {} calls in {headers:?}", listed.len());
        assert!(open.is_empty(), "not decided: {}", open.join(", "));
    }

    #[test]
    fn every_call_of_the_kernels_list_is_decided() {
        if !needs::KERNEL_HEADERS.is_met() {
            return;
        }
        if cfg!(target_arch = "x86_64") {
            compare(&X86_64);
        }
        compare(&OTHERS);
    }

    #[test]
    fn a_new_call_in_the_list_is_noticed() {
        let listed =
            names("#define __NR_read 63\n#define __NR3264_fcntl 25\n#define __NR_fcntl __NR3264_fcntl\n");
        assert_eq!(listed.keys().copied().collect::<Vec<_>>(), [25, 63]);
        let decided: BTreeSet<_> = all_names().collect();
        assert!(decided.contains("read") && !decided.contains("read_minds"));
    }

    #[test]
    fn no_call_has_two_decisions() {
        assert_eq!(all_names().collect::<BTreeSet<_>>().len(), all_names().count());
        assert!(DECISIONS.len() > 250);
    }

    /// Without this test a misspelt name would silently leave a call closed.
    #[test]
    fn open_calls_have_numbers_here_or_belong_to_other_processors() {
        let is_open = |decision| !matches!(decision, Decision::Unknown | Decision::Tried);
        let open = CALLS.iter().filter(|(decision, _)| is_open(*decision));
        let names = open.flat_map(|(_, names)| names.iter().copied());
        let unknown: Vec<&str> = names.filter(|name| name.parse::<Sysno>().is_err()).collect();
        if cfg!(target_arch = "x86_64") {
            assert_eq!(unknown, ["fstatat", "riscv_hwprobe", "riscv_flush_icache"]);
        }
    }
}
