//! Namespaces of processes, networks, mounts and users.

use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
use std::path::Path;

use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change};
use rustix::process::{Pid, getgid, getuid};
use rustix::thread::UnshareFlags;

use crate::confine::identity;
use crate::confine::layer::{Layer, Layers};
use crate::system::sys;

/// The folder in which the kernel lists processes.
pub(super) const PROC: &str = "/proc";
/// Files in that folder that tell root alone about the whole machine.
const OF_ROOT: [&str; 9] = [
    "/proc/kcore",
    "/proc/kmsg",
    "/proc/kpagecgroup",
    "/proc/kpagecount",
    "/proc/kpageflags",
    "/proc/pagetypeinfo",
    "/proc/slabinfo",
    "/proc/timer_list",
    "/proc/vmallocinfo",
];
/// The file that covers them.
const NOTHING: &str = "/dev/null";

/// Runs `live` in a new process, with the strongest of the wanted namespaces that the system allows, and passes it the
/// layers that hold. In a pid namespace the new process is the first one. Root gets a user namespace only if it gets no
/// namespace otherwise, as in containers. All its users are known there if it may change users: then a bot can get a
/// user of its own.
///
/// The process asks for all namespaces at once. On some systems, such as Ubuntu 24.04, only known programs may make
/// user namespaces. There a process gets no other namespaces once it is in a user namespace.
///
/// # Errors
/// The user's process limit, a pid limit of the control group, or no memory.
pub(crate) fn start_in(wanted: Layers, mut live: impl FnMut(Layers)) -> Result<Pid, Errno> {
    let ids = (getuid().as_raw(), getgid().as_raw());
    let sets = [wanted, wanted.without(Layer::NetNamespace)]
        .into_iter()
        .flat_map(|set| [set, set.with(Layer::UserNamespace)])
        .filter(|set| {
            let by_themselves = [Layer::UserNamespace, Layer::Proc, Layer::ReadOnly];
            by_themselves.into_iter().fold(*set, Layers::without) != Layers::NONE
        });
    let mut outcome = Err(Errno::PERM);
    for set in sets.chain([Layers::NONE]) {
        let is_user_namespace = set.has(Layer::UserNamespace);
        let mut gate = if is_user_namespace && identity::may_change_users() { pipe().ok() } else { None };
        outcome = sys::start_apart(flags(set), None, || {
            if is_user_namespace && !gate.take().is_some_and(was_mapped) {
                map_itself(ids);
            }
            // This comes first, so that later mounts are writable.
            let is_read_only = set.has(Layer::ReadOnly) && sys::mount_all_read_only().is_ok();
            let has_proc = set.has(Layer::Proc) && mount_proc().is_ok();
            let missed = [(Layer::ReadOnly, is_read_only), (Layer::Proc, has_proc)];
            let missed = missed.into_iter().filter(|(_, holds)| !holds);
            live(missed.fold(set, |set, (layer, _)| set.without(layer)));
        });
        if let (Ok(process), Some((_, mut said))) = (outcome, gate) {
            let _ = said.write_all(&[u8::from(identity::map_all(process))]);
        }
        // A shortage is no reason to go on with fewer namespaces.
        if matches!(outcome, Ok(_) | Err(Errno::AGAIN | Errno::NOMEM)) {
            break;
        }
    }
    outcome
}

fn flags(layers: Layers) -> UnshareFlags {
    if layers == Layers::NONE {
        return UnshareFlags::empty();
    }
    let mut flags = UnshareFlags::NEWNS;
    if layers.has(Layer::PidNamespace) {
        flags |= UnshareFlags::NEWPID;
    }
    if layers.has(Layer::NetNamespace) {
        flags |= UnshareFlags::NEWNET | UnshareFlags::NEWIPC;
    }
    if layers.has(Layer::UserNamespace) {
        flags |= UnshareFlags::NEWUSER;
    }
    flags
}

/// Mounts a `/proc` that lists only the processes of this namespace. If parts of the earlier `/proc` are covered, as in
/// containers, the kernel does not let ordinary users do that.
fn mount_proc() -> rustix::io::Result<()> {
    keep_mounts_apart()?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", PROC, "proc", flags, None)?;
    // A bot that root starts keeps the right to read files despite their modes. Not every kernel has all of these
    // files.
    if getuid().is_root() {
        for file in OF_ROOT {
            let _ = mount_bind(NOTHING, file);
        }
    }
    Ok(())
}

/// Makes this folder writable again, in a mount of its own.
pub(crate) fn make_writable(folder: &Path) -> rustix::io::Result<()> {
    keep_mounts_apart()?;
    mount_bind(folder, folder)?;
    sys::mount_writable(folder)
}

/// Hides the mounts that this process makes from all other mount namespaces.
pub(super) fn keep_mounts_apart() -> rustix::io::Result<()> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
}

/// Waits until the parent has mapped the users of this process's namespace. Returns false if it could not.
fn was_mapped((mut told, said): (PipeReader, PipeWriter)) -> bool {
    drop(said); // the end of the parent ends the wait
    let mut byte = [0];
    told.read_exact(&mut byte).is_ok() && byte == [1]
}

/// Maps the user to its own number in the new namespace, for the scratch folder's file system. Some systems forbid it,
/// and nothing else depends on it.
fn map_itself((user, group): (u32, u32)) {
    let _ = std::fs::write("/proc/self/setgroups", "deny");
    let _ = std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"));
    let _ = std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"));
}
