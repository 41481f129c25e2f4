//! The table of all known system calls, with the decision for each. A call without a row does not exist for a bot, so a
//! kernel that is newer than this table opens nothing.
//!
//! A row is the call's name, its number on x86-64, and its number on aarch64 and riscv64, which have one list. To allow
//! or refuse a new call, add a row to the group with the right reason, or add a group.

/// The result of a call that a bot makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// The kernel executes the call.
    Allowed,
    /// Not permitted.
    Refused,
    /// The call does nothing and reports success.
    Pretended,
    /// The call fails as if the kernel did not have it.
    Unknown,
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
            Decision::Pretended => Some(0),
            Decision::Unknown => Some(libc::ENOSYS),
            Decision::Unsupported => Some(libc::EOPNOTSUPP),
            Decision::Unfit => Some(libc::EINVAL),
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    #[cfg_attr(not(test), expect(dead_code, reason = "for those who read it, and for tests"))]
    pub(super) name: &'static str,
    x86_64: Option<u32>,
    others: Option<u32>,
    pub(super) decision: Decision,
}

impl Call {
    /// Returns the call's number on this processor, if the processor has the call.
    pub(super) fn number(self) -> Option<u32> {
        if cfg!(target_arch = "x86_64") { self.x86_64 } else { self.others }
    }
}

macro_rules! number {
    (-) => {
        None
    };
    ($number:literal) => {
        Some($number)
    };
}

macro_rules! calls {
    ($($decision:ident { $($name:ident $x86_64:tt $others:tt;)* })*) => {
        /// The table of all calls.
        pub(super) const CALLS: &[Call] = &[$($(Call {
            name: stringify!($name),
            x86_64: number!($x86_64),
            others: number!($others),
            decision: Decision::$decision,
        },)*)*];
    };
}

calls! {
    // Files. Landlock says which of them.
    Allowed {
        read 0 63;
        write 1 64;
        open 2 -;
        close 3 57;
        stat 4 -;
        fstat 5 80;
        lstat 6 -;
        newfstatat 262 79;
        statx 332 291;
        lseek 8 62;
        pread64 17 67;
        pwrite64 18 68;
        readv 19 65;
        writev 20 66;
        preadv 295 69;
        pwritev 296 70;
        access 21 -;
        faccessat 269 48;
        faccessat2 439 439;
        openat 257 56;
        openat2 437 437;
        creat 85 -;
        dup 32 23;
        dup2 33 -;
        dup3 292 24;
        close_range 436 436;
        pipe 22 -;
        pipe2 293 59;
        sendfile 40 71;
        copy_file_range 326 285;
        ftruncate 77 46;
        fallocate 285 47;
        getdents 78 -;
        getdents64 217 61;
        getcwd 79 17;
        chdir 80 49;
        fchdir 81 50;
        rename 82 -;
        renameat 264 38;
        renameat2 316 276;
        mkdir 83 -;
        mkdirat 258 34;
        rmdir 84 -;
        link 86 -;
        linkat 265 37;
        unlink 87 -;
        unlinkat 263 35;
        symlink 88 -;
        symlinkat 266 36;
        readlink 89 -;
        readlinkat 267 78;
        umask 95 166;
        statfs 137 43;
        fstatfs 138 44;
    }
    // Waiting for files and times. A timer can have the signal that wakes a stopped process, which no filter can see.
    // Programs of GHC do not start without `timer_create`.
    Allowed {
        poll 7 -;
        ppoll 271 73;
        select 23 -;
        pselect6 270 72;
        epoll_create 213 -;
        epoll_create1 291 20;
        epoll_ctl 233 21;
        epoll_wait 232 -;
        epoll_pwait 281 22;
        epoll_pwait2 441 441;
        eventfd 284 -;
        eventfd2 290 19;
        signalfd 282 -;
        signalfd4 289 74;
        timerfd_create 283 85;
        timerfd_settime 286 86;
        timerfd_gettime 287 87;
        timer_create 222 107;
        timer_settime 223 110;
        timer_gettime 224 108;
        timer_getoverrun 225 109;
        timer_delete 226 111;
        nanosleep 35 101;
        clock_nanosleep 230 115;
        clock_gettime 228 113;
        clock_getres 229 114;
        gettimeofday 96 169;
        time 201 -;
        times 100 153;
        getitimer 36 102;
        setitimer 38 103;
        alarm 37 -;
        pause 34 -;
    }
    // The bot's own memory.
    Allowed {
        mmap 9 222;
        munmap 11 215;
        mprotect 10 226;
        mremap 25 216;
        brk 12 214;
        msync 26 227;
        mlock 149 228;
        mlock2 325 284;
        munlock 150 229;
        mlockall 151 230;
        munlockall 152 231;
        mseal 462 462;
        pkey_mprotect 329 288;
        pkey_alloc 330 289;
        pkey_free 331 290;
        map_shadow_stack 453 453;
        get_mempolicy 239 236;
    }
    // The bot itself, its threads and its children. These calls only give up rights.
    Allowed {
        getpid 39 172;
        getppid 110 173;
        gettid 186 178;
        getpgrp 111 -;
        getpgid 121 155;
        getsid 124 156;
        fork 57 -;
        vfork 58 -;
        execve 59 221;
        execveat 322 281;
        exit 60 93;
        exit_group 231 94;
        wait4 61 260;
        waitid 247 95;
        restart_syscall 219 128;
        set_tid_address 218 96;
        set_robust_list 273 99;
        get_robust_list 274 100;
        rseq 334 293;
        arch_prctl 158 -;
        riscv_hwprobe - 258;
        riscv_flush_icache - 259;
        futex 202 98;
        futex_wake 454 454;
        futex_wait 455 455;
        futex_requeue 456 456;
        futex_waitv 449 449;
        rt_sigaction 13 134;
        rt_sigprocmask 14 135;
        rt_sigreturn 15 139;
        rt_sigpending 127 136;
        rt_sigtimedwait 128 137;
        rt_sigsuspend 130 133;
        sigaltstack 131 132;
        getuid 102 174;
        geteuid 107 175;
        getgid 104 176;
        getegid 108 177;
        getresuid 118 148;
        getresgid 120 150;
        getgroups 115 158;
        setuid 105 146;
        setgid 106 144;
        setreuid 113 145;
        setregid 114 143;
        setresuid 117 147;
        setresgid 119 149;
        setfsuid 122 151;
        setfsgid 123 152;
        setgroups 116 159;
        capget 125 90;
        capset 126 91;
        getrlimit 97 163;
        setrlimit 160 164;
        getrusage 98 165;
        getpriority 140 141;
        ioprio_get 252 31;
        sched_yield 24 124;
        sched_getaffinity 204 123;
        sched_getparam 143 121;
        sched_getscheduler 145 120;
        sched_getattr 315 275;
        sched_get_priority_max 146 125;
        sched_get_priority_min 147 126;
        sched_rr_get_interval 148 127;
        getcpu 309 168;
        getrandom 318 278;
        uname 63 160;
        sysinfo 99 179;
    }
    // Pairs of sockets that are connected already, and with the network the sockets that `socket` makes.
    Allowed {
        accept 43 202;
        accept4 288 242;
        sendto 44 206;
        sendmsg 46 211;
        sendmmsg 307 269;
        recvfrom 45 207;
        recvmsg 47 212;
        recvmmsg 299 243;
        shutdown 48 210;
        getsockname 51 204;
        getpeername 52 205;
        getsockopt 55 209;
    }
    // Calls whose arguments decide: `arguments.rs`.
    ByArgument {
        madvise 28 233;
        preadv2 327 286;
        pwritev2 328 287;
        ioctl 16 29;
        fcntl 72 25;
        prctl 157 167;
        personality 135 92;
        membarrier 324 283;
        clone 56 220;
        socket 41 198;
        socketpair 53 199;
        setsockopt 54 208;
        connect 42 203;
        bind 49 200;
        listen 50 201;
        prlimit64 302 261;
        kill 62 129;
        tkill 200 130;
        tgkill 234 131;
        rt_sigqueueinfo 129 138;
        rt_tgsigqueueinfo 297 240;
        pidfd_open 434 434;
        pidfd_send_signal 424 424;
    }
    // Modes and times of files: the call reports success and does nothing. Compilers and copiers set them on files that
    // they have just written, and give up if they may not.
    Pretended {
        chmod 90 -;
        fchmod 91 52;
        fchmodat 268 53;
        fchmodat2 452 452;
        utime 132 -;
        utimes 235 -;
        futimesat 261 -;
        utimensat 280 88;
    }
    // Advice about the page cache. The cache shows a bot the files that it has read in an earlier match.
    Pretended {
        fadvise64 221 223;
        readahead 187 213;
    }
    // Writing to the disk has no use for files that are gone with the bot, and all others who write wait for it.
    Pretended {
        sync 162 81;
        syncfs 306 267;
        fsync 74 82;
        fdatasync 75 83;
        sync_file_range 277 84;
    }
    // Scheduling of a thread among others. Runtimes die if they may not ask for the scheduling that they have anyway.
    // Real-time scheduling would take the whole machine.
    Pretended {
        sched_setscheduler 144 119;
        sched_setparam 142 118;
    }
    // Attributes of files: storage that outlives the bot, and access lists, which change modes. The calls fail as on a
    // file system without attributes, and copiers go on without them.
    Unsupported {
        setxattr 188 5;
        lsetxattr 189 6;
        fsetxattr 190 7;
        getxattr 191 8;
        lgetxattr 192 9;
        fgetxattr 193 10;
        listxattr 194 11;
        llistxattr 195 12;
        flistxattr 196 13;
        removexattr 197 14;
        lremovexattr 198 15;
        fremovexattr 199 16;
    }
    // The kernel moves pages between files and pipes with these calls, and attackers have broken into it by them. The
    // calls fail as for a file that cannot be moved like this, and programs then read and write.
    Unfit {
        splice 275 76;
        tee 276 77;
        vmsplice 278 75;
    }
    // Other processes and their memory.
    Refused {
        ptrace 101 117;
        process_vm_readv 310 270;
        process_vm_writev 311 271;
        process_madvise 440 440;
        process_mrelease 448 448;
        pidfd_getfd 438 438;
        kcmp 312 272;
        move_pages 279 239;
        migrate_pages 256 238;
    }
    // Leaving the process group. They are refused so that stopping and killing the group reaches everything.
    Refused {
        setsid 112 157;
        setpgid 109 154;
    }
    // The bot's share of the machine, and the choice of its memory.
    Refused {
        sched_setaffinity 203 122;
        sched_setattr 314 274;
        setpriority 141 140;
        ioprio_set 251 30;
        set_mempolicy 238 237;
        mbind 237 235;
        set_mempolicy_home_node 450 450;
    }
    // Namespaces, mounts, and other new ground in the kernel.
    Refused {
        unshare 272 97;
        setns 308 268;
        mount 165 40;
        umount2 166 39;
        pivot_root 155 41;
        chroot 161 51;
        fsopen 430 430;
        fsconfig 431 431;
        fsmount 432 432;
        fspick 433 433;
        open_tree 428 428;
        open_tree_attr 467 467;
        move_mount 429 429;
        mount_setattr 442 442;
        open_by_handle_at 304 265;
        fanotify_init 300 262;
        fanotify_mark 301 263;
        keyctl 250 219;
        add_key 248 217;
        request_key 249 218;
        bpf 321 280;
        perf_event_open 298 241;
        userfaultfd 323 282;
    }
    // Memory that no limit counts, and places where strangers meet, such as a lock on a file that others read too.
    Refused {
        mq_open 240 180;
        mq_unlink 241 181;
        mq_timedsend 242 182;
        mq_timedreceive 243 183;
        mq_notify 244 184;
        mq_getsetattr 245 185;
        shmget 29 194;
        shmat 30 196;
        shmctl 31 195;
        shmdt 67 197;
        msgget 68 186;
        msgsnd 69 189;
        msgrcv 70 188;
        msgctl 71 187;
        semget 64 190;
        semop 65 193;
        semtimedop 220 192;
        semctl 66 191;
        flock 73 32;
    }
    // Changes that Landlock does not know of: these calls change files that others need, without opening them.
    Refused {
        chown 92 -;
        fchown 93 55;
        lchown 94 -;
        fchownat 260 54;
        truncate 76 45;
        file_setattr 469 469;
        mknod 133 -;
        mknodat 259 33;
    }
    // The machine itself, in case the arena's user may change it.
    Refused {
        reboot 169 142;
        kexec_load 246 104;
        kexec_file_load 320 294;
        init_module 175 105;
        finit_module 313 273;
        delete_module 176 106;
        swapon 167 224;
        swapoff 168 225;
        acct 163 89;
        settimeofday 164 170;
        clock_settime 227 112;
        adjtimex 159 171;
        clock_adjtime 305 266;
        sethostname 170 161;
        setdomainname 171 162;
        syslog 103 116;
        quotactl 179 60;
        quotactl_fd 443 443;
        ioperm 173 -;
        iopl 172 -;
        vhangup 153 58;
    }
    // These calls fail as if the kernel did not have them, and runtimes fall back on older calls. The flags of `clone3`
    // lie where no filter can look. `memfd` makes memory that belongs to no process.
    Unknown {
        clone3 435 435;
        io_uring_setup 425 425;
        io_uring_enter 426 426;
        io_uring_register 427 427;
        memfd_create 319 279;
        memfd_secret 447 447;
    }
    // News of files elsewhere, their names and attributes, the parts that others read, and the places where they are
    // mounted.
    Unknown {
        inotify_init 253 -;
        inotify_init1 294 26;
        inotify_add_watch 254 27;
        inotify_rm_watch 255 28;
        name_to_handle_at 303 264;
        file_getattr 468 468;
        setxattrat 463 463;
        getxattrat 464 464;
        listxattrat 465 465;
        removexattrat 466 466;
        cachestat 451 451;
        mincore 27 232;
        statmount 457 457;
        listmount 458 458;
        listns 470 470;
    }
    // Landlock's rules take memory that no limit counts.
    Unknown {
        landlock_create_ruleset 444 444;
        landlock_add_rule 445 445;
        landlock_restrict_self 446 446;
    }
    // Asynchronous input and output. The machine has few contexts for it.
    Unknown {
        io_setup 206 0;
        io_destroy 207 1;
        io_getevents 208 4;
        io_pgetevents 333 292;
        io_submit 209 2;
        io_cancel 210 3;
    }
    // Rare or outdated calls. Each is a way into the kernel that no bot needs.
    Unknown {
        seccomp 317 277;
        modify_ldt 154 -;
        remap_file_pages 216 234;
        lsm_get_self_attr 459 459;
        lsm_set_self_attr 460 460;
        lsm_list_modules 461 461;
        uretprobe 335 -;
        uprobe 336 -;
        set_thread_area 205 -;
        get_thread_area 211 -;
        lookup_dcookie 212 18;
        uselib 134 -;
        ustat 136 -;
        sysfs 139 -;
        _sysctl 156 -;
        create_module 174 -;
        get_kernel_syms 177 -;
        query_module 178 -;
        nfsservctl 180 42;
        getpmsg 181 -;
        putpmsg 182 -;
        afs_syscall 183 -;
        tuxcall 184 -;
        security 185 -;
        epoll_ctl_old 214 -;
        epoll_wait_old 215 -;
        vserver 236 -;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// The headers with the kernel's lists of calls: for x86-64, and for processors without a list of their own.
    const X86_64: [&str; 2] =
        ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"];
    const OTHERS: [&str; 1] = ["/usr/include/asm-generic/unistd.h"];
    /// The numbers of the calls that only 32-bit processors have.
    const FOR_32_BITS: std::ops::RangeInclusive<u32> = 403..=423;
    /// Names in the list that describe it and are not calls.
    const WORDS: [&str; 2] = ["syscalls", "arch_specific_syscall"];

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
    /// has a row.
    fn compare(headers: &[&str], number: impl Fn(&Call) -> Option<u32>) {
        let header = headers.iter().find_map(|path| std::fs::read_to_string(path).ok());
        let header = header.unwrap_or_else(|| panic!("no list of system calls at {headers:?}"));
        let listed = names(&header);
        let wrong: Vec<String> = listed
            .iter()
            .filter(|(listed, _)| !FOR_32_BITS.contains(listed))
            .filter(|(listed, names)| {
                let mut rows = CALLS.iter().filter(|call| number(call) == Some(**listed));
                !rows.next().is_some_and(|call| names.contains(call.name))
            })
            .map(|(number, names)| format!("{number} {names:?}"))
            .collect();
        assert!(listed.len() > 250, "only {} calls in {headers:?}", listed.len());
        assert!(wrong.is_empty(), "not decided, or under another name: {}", wrong.join(", "));
    }

    #[test]
    fn every_call_of_the_kernels_list_is_decided() {
        if !needs::KERNEL_HEADERS.is_met() {
            return;
        }
        compare(&X86_64, |call| call.x86_64);
        compare(&OTHERS, |call| call.others);
    }

    #[test]
    fn a_new_call_in_the_list_is_noticed() {
        let listed =
            names("#define __NR_read 63\n#define __NR3264_fcntl 25\n#define __NR_fcntl __NR3264_fcntl\n");
        assert_eq!(listed.keys().copied().collect::<Vec<_>>(), [25, 63]);
        let lists =
            |number| CALLS.iter().any(|call| call.others == Some(number) || call.x86_64 == Some(number));
        assert!(lists(63) && !lists(1_000));
    }

    #[test]
    fn no_call_stands_there_twice() {
        for number in [|call: &Call| call.x86_64, |call: &Call| call.others] {
            let numbers: Vec<u32> = CALLS.iter().filter_map(number).collect();
            assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), numbers.len());
        }
        let names: BTreeSet<&str> = CALLS.iter().map(|call| call.name).collect();
        assert_eq!(names.len(), CALLS.len());
    }

    /// Compares the table with the numbers that the C library knows on this processor, one of each kind.
    #[test]
    fn numbers_are_those_of_this_processor() {
        for (name, number) in [
            ("read", libc::SYS_read),
            ("ioctl", libc::SYS_ioctl),
            ("clone", libc::SYS_clone),
            ("fchmodat", libc::SYS_fchmodat),
            ("rseq", libc::SYS_rseq),
            ("futex_waitv", libc::SYS_futex_waitv),
        ] {
            let call = CALLS.iter().find(|call| call.name == name).expect("it is in the table");
            assert_eq!(call.number().map(i64::from), Some(number), "{name}");
        }
    }
}
