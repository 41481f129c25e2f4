//! Landlock: which files a bot may touch. Everything else does not exist for it, as far as opening,
//! listing and executing go.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetStatus, Scope,
};

use super::Wish;

/// What the system is made of: programs, libraries, and what tells runtimes about the machine.
const READ: [&str; 25] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/locale.alias",
    "/etc/mono",
    "/etc/java",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/group",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/nix/store",
    "/gnu/store",
    "/proc",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage",
];
/// Devices without a state that others could see.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/fd"];
/// What the rules are written for; of an older kernel they ask for less.
const KNOWN: ABI = ABI::V6;

/// Whether every bot may read it.
pub(super) fn is_of_the_system(path: &Path) -> bool {
    READ.iter().any(|folder| path.starts_with(folder))
}

/// The rules for one bot; none where the kernel has no Landlock.
pub(super) fn ruleset(wish: &Wish, scratch: Option<&Path>) -> Option<RulesetCreated> {
    let read = AccessFs::from_read(KNOWN);
    let device = (read & AccessFs::from_file(KNOWN)) | AccessFs::WriteFile;
    let mut rules = Ruleset::default().handle_access(AccessFs::from_all(KNOWN)).ok()?;
    if !wish.network {
        rules = rules.handle_access(AccessNet::from_all(KNOWN)).ok()?;
    }
    let mut rules = rules.scope(Scope::Signal | Scope::AbstractUnixSocket).ok()?.create().ok()?;
    let own = wish.read.iter().map(|path| path.as_path());
    for path in READ.iter().map(Path::new).chain(own) {
        rules = allow(rules, path, read)?;
    }
    for path in DEVICES {
        rules = allow(rules, Path::new(path), device)?;
    }
    if let Some(folder) = &wish.list {
        rules = allow(rules, folder, AccessFs::ReadDir.into())?;
    }
    match scratch {
        Some(scratch) => allow(rules, scratch, AccessFs::from_all(KNOWN)),
        None => Some(rules),
    }
}

/// Adds a path; one that is not there needs no rule.
fn allow(rules: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> Option<RulesetCreated> {
    let Ok(fd) = PathFd::new(path) else { return Some(rules) };
    // Of what is asked for a file, the crate leaves out what only folders have.
    rules.add_rule(PathBeneath::new(fd, access)).ok()
}

/// Holds this process and all that it starts to the rules; false if the kernel does not know any.
pub(super) fn restrict(rules: RulesetCreated) -> bool {
    rules.restrict_self().is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}
