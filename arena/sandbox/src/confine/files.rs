//! Landlock: the files that a bot may touch. For opening, listing and executing, no other file exists for the bot.

use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
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
    /etc/ld.so.conf.d /etc/localtime /etc/locale.alias /etc/nsswitch.conf /etc/passwd /etc/group /etc/ssl/certs \
    /var/lib/ghc /nix/store /gnu/store /sys/devices/system/cpu /sys/kernel/mm/transparent_hugepage";
/// The files that name hosts and services, for bots with a network, separated by blanks.
const NAMES: &str = "/etc/hosts /etc/host.conf /etc/gai.conf /etc/protocols /etc/resolv.conf /etc/services";
/// What interpreters, compilers, and libraries read in `/etc`, by the names there, separated by blanks. A star stands for the
/// end of a name. A bot may read what everybody may read of it.
const SETTINGS: [(&str, &str); 24] = [
    (".NET", "dotnet"),
    ("certificates of Debian and Arch", "ssl/openssl.cnf ca-certificates/extracted"),
    (
        "certificates of Fedora",
        "pki/tls/cert.pem pki/tls/certs pki/tls/openssl.cnf pki/ca-trust/extracted pki/java",
    ),
    ("Common Lisp", "common-lisp sbclrc"),
    ("cryptographic policies of Fedora", "crypto-policies"),
    ("D", "dmd.conf ldc2.conf ldc2"),
    ("Erlang", "erlang"),
    ("Free Pascal", "fpc.cfg fpc-*"),
    ("Groovy", "groovy"),
    ("Guile", "guile"),
    ("Haskell", "ghc-*"),
    ("Java", "java java-*"),
    ("Julia", "julia"),
    ("Maven", "maven"),
    ("Mono", "mono"),
    ("Nim", "nim"),
    ("OCaml", "findlib.conf ocamlfind.conf"),
    ("Octave", "octave octave.conf"),
    ("Perl", "perl"),
    ("PHP", "php php.d php.ini php-*"),
    ("Python", "python python2* python3*"),
    ("R", "R"),
    ("Racket", "racket"),
    ("Scala", "scala"),
];
/// A folder of this name holds keys.
const PRIVATE: &str = "private";
/// Settings with more levels of folders than this are opened only to this depth.
const SETTINGS_DEPTH_MAX: usize = 8;
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
    let etc = std::fs::read_dir("/etc").into_iter().flatten().flatten();
    let in_etc: Vec<String> = etc.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let there = |name: &str| match name.strip_suffix('*') {
        None => vec![name.to_owned()],
        Some(begin) => in_etc.iter().filter(|name| name.starts_with(begin)).cloned().collect(),
    };
    let settings = SETTINGS.iter().flat_map(|(_, names)| names.split(' ')).flat_map(there);
    let open = settings.flat_map(|name| public(&Path::new("/etc").join(name), 0));
    READ.split(' ').map(PathBuf::from).chain(open).collect()
});

/// Returns the parts of a file or folder that everybody may read: itself if that is so of all of it. A link is left out; what
/// it leads to is open or closed by itself.
fn public(path: &Path, depth: usize) -> Vec<PathBuf> {
    const READ_BY_ALL: u32 = 0o004;
    const LISTED_BY_ALL: u32 = 0o005;
    let Ok(there) = path.symlink_metadata() else { return Vec::new() };
    let mode = there.permissions().mode();
    let itself = || vec![path.to_owned()];
    if there.is_file() {
        return if mode & READ_BY_ALL != 0 { itself() } else { Vec::new() };
    }
    let is_open = there.is_dir() && mode & LISTED_BY_ALL == LISTED_BY_ALL && depth < SETTINGS_DEPTH_MAX;
    if !is_open || path.ends_with(PRIVATE) {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
    let entries = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    let (mut parts, mut is_whole) = (Vec::new(), true);
    for entry in entries.map(|entry| entry.path()) {
        let open = public(&entry, depth + 1);
        is_whole &= open == [entry];
        parts.extend(open);
    }
    if is_whole { itself() } else { parts }
}

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
    let names = NAMES.split(' ').filter(|_| spec.rights.network).map(Path::new);
    let read = own.chain(names).map(|path| (path, read));
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn of_settings_only_what_everybody_may_read_is_open() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let make = |name: &str, mode: u32| {
            let path = folder.path().join("php").join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, name).expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("it is ours");
            path
        };
        let top = folder.path().join("php");
        let set =
            |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("ours");
        let open = [make("cli/conf.d/20-mbstring.ini", 0o644), make("php.ini", 0o644)];
        for folder in [&top, &top.join("cli"), &top.join("cli/conf.d")] {
            set(folder, 0o755);
        }
        let whole = vec![top.clone()];
        assert_eq!(public(&top, 0), whole, "all of it, whatever is added later");
        std::os::unix::fs::symlink("/etc/shadow", top.join("link")).expect("a link");
        assert_eq!(public(&top, 0), whole, "a link opens nothing");

        make("secret.ini", 0o600);
        make("private/key.pem", 0o644);
        set(&top.join("private"), 0o755);
        make("closed/some.ini", 0o644);
        set(&top.join("closed"), 0o750);
        let mut found = public(&top, 0);
        found.sort_unstable();
        assert_eq!(found, [top.join("cli"), open[1].clone()]);
        assert_eq!(public(&top.join("nowhere"), 0), Vec::<PathBuf>::new());
    }
}
