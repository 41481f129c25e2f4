//! Landlock: the files that a bot may touch. For opening, listing and executing, no other file exists for the bot.

use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetStatus, Scope,
};

use crate::confine::SandboxSpec;
use crate::confine::namespaces::PROC;

/// The system's files, separated by blanks: programs, libraries, and files that tell runtimes about the machine.
const READ: &str = "/usr /bin /sbin /lib /lib32 /lib64 /etc/alternatives /etc/ld.so.cache /etc/ld.so.conf \
    /etc/ld.so.conf.d /etc/localtime /etc/locale.alias /etc/mono /etc/java /etc/nsswitch.conf /etc/passwd /etc/group \
    /etc/ssl/certs /etc/ssl/openssl.cnf /nix/store /gnu/store /sys/devices/system/cpu \
    /sys/kernel/mm/transparent_hugepage";
/// The first letters of the folders in `/etc` in which compilers and runtimes of a distribution have their settings,
/// separated by blanks.
const SETTINGS: &str = "java- dotnet ghc- julia";
/// Devices without a state that others could see, separated by blanks.
const DEVICES: &str = "/dev/null /dev/zero /dev/full /dev/random /dev/urandom";
/// The version of Landlock for which the rules are written. On an older kernel they ask for less.
const KNOWN: ABI = ABI::V9;

/// The version from which on Landlock keeps programs from each other's abstract sockets.
pub(super) const SCOPES_SINCE: u32 = 6;

/// The operations that Landlock restricts from a version on. On older versions only seccomp stops them.
const SINCE: [(u32, &str); 5] = [
    (3, "truncating files"),
    (4, "TCP"),
    (5, "requests to devices"),
    (SCOPES_SINCE, "signals and abstract sockets"),
    (9, "sockets in the file system"),
];

/// Returns the operations that a kernel with this version of Landlock leaves to seccomp.
pub(super) fn left_open(abi: u32) -> Vec<&'static str> {
    SINCE.iter().filter(|(since, _)| abi < *since).map(|(_, what)| *what).collect()
}

/// The opened files of both lists, without the missing ones. They are the same for all bots, so a process that starts
/// many bots looks them up once.
static SYSTEM: LazyLock<[Vec<PathFd>; 2]> = LazyLock::new(|| {
    let devices: Vec<PathBuf> = DEVICES.split(' ').map(PathBuf::from).collect();
    [&READABLE, &devices].map(|paths| paths.iter().filter_map(|path| PathFd::new(path).ok()).collect())
});

/// The system's files that every contained program may read.
static READABLE: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let is_settings = |name: &OsStr| {
        let name = name.as_bytes();
        SETTINGS.split(' ').any(|first| name.starts_with(first.as_bytes()))
    };
    let etc = std::fs::read_dir("/etc").into_iter().flatten().flatten();
    let settings = etc.filter(|entry| is_settings(&entry.file_name())).map(|entry| entry.path());
    READ.split(' ').map(PathBuf::from).chain(settings).collect()
});

/// Opens the system's files in advance, because they do not depend on the bot.
pub(super) fn prepare() {
    LazyLock::force(&SYSTEM);
}

/// Returns true if every contained program may read this canonical path.
pub fn is_of_the_system(path: &Path) -> bool {
    READABLE.iter().any(|folder| path.starts_with(folder)) || path.starts_with(PROC)
}

/// Returns the rules for one bot, or `None` if the kernel has no Landlock.
pub(super) fn ruleset(spec: &SandboxSpec, scratch: Option<&Path>) -> Option<RulesetCreated> {
    let read = AccessFs::from_read(KNOWN);
    let device = (read & AccessFs::from_file(KNOWN)) | AccessFs::WriteFile;
    let mut rules = Ruleset::default().handle_access(AccessFs::from_all(KNOWN)).ok()?;
    if !spec.rights.network {
        rules = rules.handle_access(AccessNet::from_all(KNOWN)).ok()?;
    }
    let mut rules = rules.scope(Scope::Signal | Scope::AbstractUnixSocket).ok()?.create().ok()?;
    let [readable, devices] = &*SYSTEM;
    let system = readable.iter().map(|fd| (fd, read)).chain(devices.iter().map(|fd| (fd, device)));
    for (fd, access) in system {
        rules = allow(rules, fd, access)?;
    }
    // Each bot may have its own `/proc`, so the one of the process that starts many bots does not fit.
    let own = spec.rights.read.iter().map(PathBuf::as_path).chain([Path::new(PROC)]);
    let read = own.map(|path| (path, read));
    let list = spec.list.iter().map(|folder| (folder.as_path(), AccessFs::ReadDir.into()));
    let write = scratch.into_iter().chain(spec.rights.write.iter().map(PathBuf::as_path));
    let write = write.map(|folder| (folder, AccessFs::from_all(KNOWN)));
    for (path, access) in read.chain(list).chain(write) {
        // A missing path needs no rule.
        if let Ok(fd) = PathFd::new(path) {
            rules = allow(rules, fd, access)?;
        }
    }
    Some(rules)
}

/// Adds a rule. For a file, the crate leaves out the rights that only folders have.
fn allow(rules: RulesetCreated, fd: impl AsFd, access: BitFlags<AccessFs>) -> Option<RulesetCreated> {
    rules.add_rule(PathBeneath::new(fd, access)).ok()
}

/// Applies the rules to this process and to all processes that it starts. Returns false if the kernel does not know any
/// rules.
pub(super) fn restrict(rules: RulesetCreated) -> bool {
    rules.restrict_self().is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}
