//! Namespaces of processes, networks, mounts and users.

use rustix::io::Errno;
use rustix::process::{Pid, getgid, getuid};
use rustix::thread::UnshareFlags;

use super::layer::{Layer, Layers};
use crate::bot::sys;

/// The number of a user and that of a group.
type Ids = (u32, u32);

/// Runs `live` in a new process with the strongest namespaces of those wanted that are allowed here; it is told
/// which. In a namespace of processes it is the first one. As root no user namespace is made where it can be helped,
/// because a bot could not get a user of its own in it.
///
/// # Errors
/// The user's process limit, a pid limit of the control group, or no memory.
pub(crate) fn start_in(wanted: Layers, mut live: impl FnMut(Layers)) -> Result<Pid, Errno> {
    let ids = (getuid().as_raw(), getgid().as_raw());
    let of_processes = Layers::of(&[Layer::PidNamespace]);
    let first =
        wanted.has(Layer::PidNamespace).then_some([of_processes, of_processes.with(Layer::UserNamespace)]);
    let mut start = |first: Layers| {
        sys::start_apart(flags(first), || {
            if first.has(Layer::UserNamespace) {
                map_itself(ids);
            }
            live(if wanted == Layers::NONE { wanted } else { unshare(wanted, first, ids) });
        })
    };
    let found = first.into_iter().flatten().find_map(|first| start(first).ok());
    found.map_or_else(|| start(Layers::NONE), Ok)
}

/// Takes the other namespaces, that of mounts among them, beside those that this process has already; all that it has
/// then. They take long, so whoever starts many processes should not wait for them.
fn unshare(wanted: Layers, held: Layers, ids: Ids) -> Layers {
    let others = wanted.without(Layer::PidNamespace);
    let by_user = others.with(Layer::UserNamespace);
    let take = |set: &Layers| sys::unshare(flags(*set) | UnshareFlags::NEWNS).is_ok();
    let sets = [others, by_user, Layers::NONE].into_iter();
    let mut allowed = sets.filter(|set| !held.has(Layer::UserNamespace) || *set != by_user);
    let taken = allowed.find(take).unwrap_or(Layers::NONE);
    if taken.has(Layer::UserNamespace) {
        map_itself(ids);
    }
    taken.iter().fold(held, Layers::with)
}

fn flags(layers: Layers) -> UnshareFlags {
    let mut flags = UnshareFlags::empty();
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

/// Gives the user its own number in the new namespace, for the scratch folder's file system. Some systems
/// forbid it; nothing else depends on it.
fn map_itself((user, group): Ids) {
    let _ = std::fs::write("/proc/self/setgroups", "deny");
    let _ = std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"));
    let _ = std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"));
}
