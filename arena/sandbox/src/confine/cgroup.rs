//! Control groups, version 2: one for each bot if the system lets this process make groups. The kernel stops all
//! processes of a frozen group, and counts the processor time of each process that was ever in it. With the
//! controllers it also meters memory and processes, and shares the processors among groups.
//!
//! An ordinary user needs a delegated group, from `systemd-run --user --scope -p Delegate=yes`, a unit with
//! `Delegate=yes`, or a container manager. Root can also make groups on a machine without a manager for them.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, getpid, getppid, getuid};

use crate::confine::{Layer, SandboxSpec, owned};

/// Prefix of the name of the group to which the arena moves. The kernel allows no processes in a group that has groups
/// with controllers below it.
const SELF_PREFIX: &str = "arena-";
/// Attributes of a group that systemd has delegated.
const DELEGATED: [&str; 2] = ["trusted.delegate", "user.delegate"];
/// The controllers that a group needs to have limits.
const LIMITING: &str = "+memory +pids";
/// The controller that shares the processors among groups.
const SHARING: &str = "+cpu";
/// Size of the buffer for a small file of a group, in bytes.
const TEXT_BYTES: usize = 512;

/// The group that contains the groups of all bots.
#[derive(Debug)]
pub(crate) struct Groups {
    path: PathBuf,
    /// The group's folder, locked so that other arenas know that it is in use.
    folder: File,
    has_limits: bool,
}

impl Groups {
    /// Makes the group below the group of this process, and removes the groups that killed arenas left there. Returns
    /// `None` if the system does not allow it.
    pub(crate) fn make() -> Option<Groups> {
        let below = own_group().filter(|group| is_ours(group))?;
        let (path, folder) = owned::make(&below, |path| fs::create_dir(path), remove)?;
        let has_limits = enable_below(&below, LIMITING) && enable(&path, LIMITING);
        let _ = has_limits && enable_below(&below, SHARING) && enable(&path, SHARING);
        Some(Groups { path, folder, has_limits })
    }

    /// Returns the group's path by its descriptor. Supervisors cannot write by its own path, because their mounts are
    /// read-only.
    fn open(&self) -> PathBuf {
        Path::new("/proc/self/fd").join(self.folder.as_raw_fd().to_string())
    }

    /// Removes the group. Call it once all bots are gone.
    pub(crate) fn remove(self) {
        remove(&self.path);
    }
}

/// The group of one bot. Dropping it removes the group if no process runs in it any more.
#[derive(Debug)]
pub(crate) struct Group {
    path: PathBuf,
    folder: File,
    has_limits: bool,
}

impl Group {
    /// Makes the group for the bot of the supervisor with this number. Returns `None` if that fails.
    pub(crate) fn make(groups: &Groups, spec: &SandboxSpec, supervisor: Pid) -> Option<Group> {
        let path = groups.open().join(supervisor.as_raw_nonzero().to_string());
        fs::create_dir(&path).ok()?;
        let has_limits =
            groups.has_limits && spec.layers.has(Layer::CgroupLimits) && limit(&path, spec).is_ok();
        match File::open(&path) {
            Ok(folder) => Some(Group { path, folder, has_limits }),
            Err(_) => {
                remove(&path);
                None
            }
        }
    }

    /// Returns the group's folder, for the call that starts a process in the group.
    pub(crate) fn folder(&self) -> &File {
        &self.folder
    }

    /// Returns true if the kernel meters the memory and the processes of the group.
    pub(crate) fn has_limits(&self) -> bool {
        self.has_limits
    }

    /// Opens the two files of the group that the arena holds: `cgroup.freeze` and `cpu.stat`.
    pub(crate) fn handle(&self) -> Option<[File; 2]> {
        let freeze = OpenOptions::new().write(true).open(self.path.join("cgroup.freeze")).ok()?;
        Some([freeze, File::open(self.path.join("cpu.stat")).ok()?])
    }

    /// Returns true if the kernel killed a process of the group because the group held too much memory.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        let text = fs::read_to_string(self.path.join("memory.events")).unwrap_or_default();
        field(&text, "oom_kill ").is_some_and(|count| count > 0)
    }

    /// Kills all processes of the group at once, if the kernel can do so (Linux 5.14).
    pub(crate) fn kill(&self) {
        let _ = fs::write(self.path.join("cgroup.kill"), "1");
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// The arena's end of a bot's group.
#[derive(Debug)]
pub(crate) struct GroupHandle {
    freeze: File,
    stat: File,
}

impl GroupHandle {
    /// Makes the handle from the files that [`Group::handle`] has opened.
    pub(crate) fn new([freeze, stat]: [File; 2]) -> GroupHandle {
        GroupHandle { freeze, stat }
    }

    /// Freezes all processes of the group, or lets them go on. Returns true if the kernel does so.
    pub(crate) fn freeze(&self, is_frozen: bool) -> bool {
        self.freeze.write_at(if is_frozen { b"1" } else { b"0" }, 0).is_ok()
    }

    /// Returns the processor time of all processes that are or were in the group.
    pub(crate) fn cpu_time(&self) -> Option<Duration> {
        let mut bytes = [0; TEXT_BYTES];
        let count = self.stat.read_at(&mut bytes, 0).ok()?;
        field(std::str::from_utf8(&bytes[..count]).ok()?, "usage_usec ").map(Duration::from_micros)
    }
}

/// Returns the folder of this process's group.
fn own_group() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = Path::new(groups.lines().find_map(|line| line.strip_prefix("0::"))?);
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    mounts.lines().filter(|line| line.contains(" - cgroup2 ")).find_map(|line| {
        let mut fields = line.split(' ').skip(3);
        let (root, place) = (fields.next()?, fields.next()?);
        Some(Path::new(place).join(own.strip_prefix(root).ok()?))
    })
}

/// Returns true if groups below the group of this process can have the controller.
pub(crate) fn own_has(controller: &str) -> bool {
    let list = own_group().and_then(|group| fs::read_to_string(group.join("cgroup.controllers")).ok());
    list.is_some_and(|list| list.split_whitespace().any(|name| name == controller))
}

/// Returns true if a group around this process has a share of the cores as a whole. The kernel ignores sessions inside
/// such a group.
pub(crate) fn shares_cores_with_others() -> bool {
    let has_share =
        own_group().is_some_and(|group| group.ancestors().any(|at| at.join("cpu.weight").exists()));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    has_share || groups.lines().any(is_in_old_group)
}

/// Returns true if a line of `/proc/self/cgroup` names such a group of version 1: `1:cpu,cpuacct:/some/group`.
fn is_in_old_group(line: &str) -> bool {
    let mut fields = line.splitn(3, ':').skip(1);
    let is_cpu = fields.next().is_some_and(|names| names.split(',').any(|name| name == "cpu"));
    is_cpu && fields.next() != Some("/")
}

/// Returns true if this process may make groups in `group`. An ordinary user must own it. For root it must be delegated
/// or the outermost group. Root's processes are in the outermost group if no manager moved them.
fn is_ours(group: &Path) -> bool {
    let is_delegated = |name: &&str| matches!(rustix::fs::getxattr(group, *name, &mut [0_u8; 8]), Ok(1..));
    let own = getuid();
    match own.is_root() {
        false => fs::metadata(group).is_ok_and(|meta| meta.uid() == own.as_raw()),
        true => !group.join("cgroup.type").exists() || DELEGATED.iter().any(is_delegated),
    }
}

/// Switches controllers on for the groups in the arena's own group. If the kernel refuses, the arena leaves that group
/// and tries again.
fn enable_below(own: &Path, controllers: &str) -> bool {
    enable(own, controllers) || (step_aside(own).is_some() && enable(own, controllers))
}

/// Switches controllers on for the groups in `group`.
fn enable(group: &Path, controllers: &str) -> bool {
    fs::write(group.join("cgroup.subtree_control"), controllers).is_ok()
}

/// Moves the arena and this process to a new group inside `own`. Returns `None` if other processes are in `own`, or if
/// the move fails.
fn step_aside(own: &Path) -> Option<()> {
    let arena = getppid()?.as_raw_nonzero().to_string();
    let this = getpid().as_raw_nonzero().to_string();
    let here = fs::read_to_string(own.join("cgroup.procs")).ok()?;
    if here.lines().any(|pid| pid != arena && pid != this) {
        return None;
    }
    let aside = own.join(format!("{SELF_PREFIX}{arena}"));
    fs::create_dir(&aside).ok()?;
    [arena, this].iter().try_for_each(|pid| fs::write(aside.join("cgroup.procs"), pid)).ok()
}

/// Sets the limits of a bot's group. If the group runs out of memory, the kernel kills all its processes.
fn limit(group: &Path, spec: &SandboxSpec) -> std::io::Result<()> {
    let set = |name: &str, value: u64| fs::write(group.join(name), value.to_string());
    if let Some(bytes) = spec.group_bytes_max {
        set("memory.max", bytes)?;
        set("memory.oom.group", 1)?;
        let _ = set("memory.swap.max", 0); // missing if the machine does not swap
    }
    set("pids.max", spec.rights.processes_max())
}

/// Returns the number that follows `word` at the beginning of a line.
fn field(text: &str, word: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(word)?.trim().parse().ok())
}

/// Removes a group and the groups in it, if they are empty. The kernel keeps the others.
fn remove(group: &Path) {
    let is_busy = |error: std::io::Error| error.kind() == ErrorKind::ResourceBusy;
    if fs::remove_dir(group).is_err_and(is_busy) {
        for entry in fs::read_dir(group).into_iter().flatten().flatten() {
            let _ = fs::remove_dir(entry.path());
        }
        let _ = fs::remove_dir(group);
    }
}
