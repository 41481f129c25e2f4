//! Namespaces of processes, networks, mounts and users.

use std::fs::{self, Permissions};
use std::io::{self, PipeReader, PipeWriter, Read, Write, pipe};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::io::{Errno, retry_on_intr};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change};
use rustix::process::{Pid, WaitOptions, getgid, getuid, waitpid};
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

/// The files that tell about the sockets of a network namespace.
const SOCKETS: &str = "/proc/self/net";

/// Moves this process, for good, into an empty network namespace for the bots that it starts, and closes the files that
/// tell about the sockets in it. It takes a quarter of a start's time to make one for each bot. Returns false if the
/// system does not allow it. The process has then not changed.
pub(crate) fn enter_empty_network() -> bool {
    // A step could fail after others that cannot be undone, so another process tries them first.
    let rehearsal = sys::start_apart(UnshareFlags::empty(), || enter().expect("the system allows it"));
    let wait = |pid| retry_on_intr(|| waitpid(Some(pid), WaitOptions::empty())).ok().flatten();
    let ended = rehearsal.ok().and_then(wait);
    ended.is_some_and(|(_, status)| status.exit_status() == Some(0)) && enter().is_ok()
}

fn enter() -> io::Result<()> {
    let (user, group) = (getuid(), getgid());
    if user.is_root() {
        sys::unshare(UnshareFlags::NEWNET)?;
        return close_sockets();
    }
    // Only root of a user namespace owns the files of its network namespace.
    sys::unshare(UnshareFlags::NEWUSER)?;
    map_ids((0, user.as_raw()), (0, group.as_raw()))?;
    sys::unshare(UnshareFlags::NEWNET)?;
    close_sockets()?;
    // From here on the process is an ordinary user again, which starts bots as in the first namespaces.
    sys::unshare(UnshareFlags::NEWUSER)?;
    map_ids((user.as_raw(), 0), (group.as_raw(), 0))?;
    identity::give_up_all()?;
    // Each bot gets a namespace below this one. Some systems bound their depth.
    sys::start_apart(flags(Layers::of(&[Layer::UserNamespace])), || {})?;
    Ok(())
}

fn close_sockets() -> io::Result<()> {
    for file in fs::read_dir(SOCKETS)? {
        fs::set_permissions(file?.path(), Permissions::from_mode(0o000))?;
    }
    Ok(())
}

/// Runs `live` in a new process, with the strongest of the wanted namespaces that the system allows, and passes it the
/// layers that hold. With `shares_network` the new process stays in the network namespace of this one, which is empty.
/// In a pid namespace the new process is the first one. Root gets a user namespace only if it gets no
/// namespace otherwise, as in containers. All its users are known there if it may change users: then a bot can get a
/// user of its own.
///
/// The process asks for all namespaces at once. On some systems, such as Ubuntu 24.04, only known programs may make
/// user namespaces. There a process gets no other namespaces once it is in a user namespace.
///
/// # Errors
/// The user's process limit, a pid limit of the control group, or no memory.
pub(crate) fn start_in(
    wanted: Layers,
    shares_network: bool,
    mut live: impl FnMut(Layers),
) -> Result<Pid, Errno> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
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
        let flags = if shares_network { flags(set) - UnshareFlags::NEWNET } else { flags(set) };
        outcome = sys::start_apart(flags, || {
            if is_user_namespace && !gate.take().is_some_and(was_mapped) {
                // For the scratch folder's file system. Some systems forbid it, and nothing else depends on it.
                let _ = map_ids((user, user), (group, group));
            }
            // This comes first, so that later mounts are writable.
            let is_read_only = set.has(Layer::ReadOnly) && sys::mount_all_read_only().is_ok();
            let has_proc = set.has(Layer::Proc) && mount_proc(!shares_network).is_ok();
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
/// containers, the kernel does not let ordinary users do that. `covers` is true if a bot of root may keep the right to
/// read files despite their modes.
fn mount_proc(covers: bool) -> rustix::io::Result<()> {
    keep_mounts_apart()?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", PROC, "proc", flags, None)?;
    // Not every kernel has all of these files.
    if covers && getuid().is_root() {
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

/// Gives this process a user and a group in its new user namespace: the number inside and the one outside of each.
fn map_ids((user, user_outside): (u32, u32), (group, group_outside): (u32, u32)) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user_outside} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group_outside} 1"))
}
