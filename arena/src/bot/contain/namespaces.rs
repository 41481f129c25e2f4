//! Namespaces of processes, networks, mounts and users.

use rustix::process::{getgid, getuid};
use rustix::thread::UnshareFlags;

use super::layer::{Layer, Layers};
use crate::bot::sys;

/// Takes the strongest namespaces of those wanted that are allowed here. As root no user namespace is
/// made where it can be helped, because a bot could not get a user of its own in it.
pub(crate) fn unshare(wanted: Layers) -> Layers {
    if wanted == Layers::NONE {
        return wanted;
    }
    let ids = (getuid().as_raw(), getgid().as_raw());
    let taken = [wanted, wanted.without(Layer::NetNamespace)]
        .into_iter()
        .flat_map(|set| [set, set.with(Layer::UserNamespace)])
        .filter(|set| set.without(Layer::UserNamespace) != Layers::NONE)
        .find(|set| sys::unshare(flags(*set)).is_ok())
        .unwrap_or(Layers::NONE);
    if taken.has(Layer::UserNamespace) {
        map_itself(ids);
    }
    taken
}

fn flags(layers: Layers) -> UnshareFlags {
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

/// Gives the user its own number in the new namespace, for the scratch folder's file system. Some systems
/// forbid it; nothing else depends on it.
fn map_itself((user, group): (u32, u32)) {
    let _ = std::fs::write("/proc/self/setgroups", "deny");
    let _ = std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"));
    let _ = std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"));
}
