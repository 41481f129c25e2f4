//! Under root: a separate user for each bot, which owns nothing and which no other program has.
//!
//! Root may read files that other users often may not, such as a folder below `/root` or a temporary one. If Landlock
//! says which files a bot may touch, the bot therefore keeps one capability: to read the files that it finds there. The
//! bot can neither write nor execute by it. A bot also keeps the capability to write if it may write to a folder, or if
//! root of a container has no other capability to read. Landlock bounds it to the folders that the bot may write, and
//! seccomp refuses what changes files without opening them.

use std::fs;
use std::ops::Range;
use std::os::unix::fs::{MetadataExt, lchown};
use std::path::Path;
use std::sync::LazyLock;

use rustix::io::Errno;
use rustix::process::{Gid, Pid, Uid, getuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, configure_capability_in_ambient_set,
    remove_capability_from_bounding_set, set_capabilities, set_keep_capabilities, set_thread_groups,
    set_thread_res_gid, set_thread_res_uid,
};

/// The first number of the users for bots. It is above all numbers that systems and containers assign, and below the
/// numbers that are negative when signed. Process numbers are below 2^22, so each supervisor has its own user.
const USERS_BEGIN: u32 = 0x7000_0000;
/// The users for systems that know only 65,536 users, as many containers do. Two bots may have the same user.
const FEW_USERS: Range<u32> = 61_184..65_520;

/// The number of bits in the kernel's sets of capabilities. The kernel has fewer capabilities.
const CAPABILITIES_MAX: u32 = u64::BITS;

/// Returns the user for the bot of this supervisor. Returns `None` if this process is not root or may not change users,
/// or if its namespace has no user to give.
pub(super) fn choose(supervisor: Pid, in_user_namespace: bool) -> Option<u32> {
    if !may_change_users() {
        return None;
    }
    let of_namespace = if in_user_namespace { Some(numbers(&own_map("uid"))) } else { None };
    let known = of_namespace.as_ref().unwrap_or(&KNOWN);
    let number = supervisor.as_raw_pid().unsigned_abs();
    let few = FEW_USERS.start + number % (FEW_USERS.end - FEW_USERS.start);
    let is_known = |user: &u32| known.iter().any(|users| users.contains(&u64::from(*user)));
    [USERS_BEGIN + number, few].into_iter().find(is_known)
}

/// Gives everything in a folder that belongs to a user for bots to the owner of the folder. Follows no links. No
/// process of a bot may write there any more.
pub fn take_back(folder: &Path) {
    if getuid().is_root()
        && let Ok(owner) = fs::metadata(folder)
    {
        take_back_to(folder, owner.uid(), owner.gid());
    }
}

fn take_back_to(folder: &Path, user: u32, group: u32) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(facts) = entry.metadata() else { continue };
        if facts.uid() >= USERS_BEGIN || FEW_USERS.contains(&facts.uid()) {
            let _ = lchown(entry.path(), Some(user), Some(group));
        }
        if facts.is_dir() {
            take_back_to(&entry.path(), user, group);
        }
    }
}

/// Returns true if this process is root and may take another user.
pub(super) fn may_change_users() -> bool {
    let needed = CapabilitySet::SETUID | CapabilitySet::SETGID;
    getuid().is_root() && capabilities(None).is_ok_and(|sets| sets.effective.contains(needed))
}

/// Gives every user and group of this process the same number in the user namespace that another process has just
/// made. Returns true if the kernel allows it. Groups come first: users without groups could not be taken.
pub(super) fn map_all(process: Pid) -> bool {
    ["gid", "uid"].into_iter().all(|kind| {
        let line = |known: Range<u64>| format!("{0} {0} {1}\n", known.start, known.end - known.start);
        let map: String = numbers(&own_map(kind)).into_iter().map(line).collect();
        std::fs::write(format!("/proc/{process}/{kind}_map"), map).is_ok()
    })
}

/// The users that have a number in the namespace in which this process began.
static KNOWN: LazyLock<Vec<Range<u64>>> = LazyLock::new(|| numbers(&own_map("uid")));

/// Returns this process's map of users (`uid`) or groups (`gid`), or an empty text if the system has none.
fn own_map(kind: &str) -> String {
    std::fs::read_to_string(format!("/proc/self/{kind}_map")).unwrap_or_default()
}

/// Returns the numbers that a map gives to users or groups.
fn numbers(map: &str) -> Vec<Range<u64>> {
    map.lines().filter_map(users_of).collect()
}

/// Returns the users in a line of a map. The line has the first number inside, the first one outside, and the count.
fn users_of(line: &str) -> Option<Range<u64>> {
    let mut numbers = line.split_ascii_whitespace().map(str::parse::<u64>);
    let (first, count) = (numbers.next()?.ok()?, numbers.nth(1)?.ok()?);
    Some(first..first + count)
}

/// Reads the map of users in advance, because it does not depend on the bot.
pub(super) fn prepare() {
    LazyLock::force(&KNOWN);
}

/// Gives up root's capabilities, for a bot that has no user of its own: it is root by name alone. A process that is not
/// root has nothing to give up. `reads_all` keeps the capability to read.
pub(super) fn give_up_rights(reads_all: bool) -> Result<(), Errno> {
    if !getuid().is_root() {
        return Ok(());
    }
    let kept = reading(reads_all)?;
    // A program that root executes gets all capabilities in the bounding set. If this process may not change that set,
    // the program gets no more than this process had, because it may have no new privileges.
    for number in 0..CAPABILITIES_MAX {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        if !kept.contains(capability) {
            let _ = remove_capability_from_bounding_set(capability);
        }
    }
    handle(kept)
}

/// Returns the capability to read files despite their modes, if `reads_all` is true and this process has it. Root of a
/// container often has only the capability to read and write.
fn reading(reads_all: bool) -> Result<CapabilitySet, Errno> {
    let permitted = capabilities(None)?.permitted;
    let by_preference = [CapabilitySet::DAC_READ_SEARCH, CapabilitySet::DAC_OVERRIDE];
    let reading = by_preference.into_iter().find(|capability| reads_all && permitted.contains(*capability));
    Ok(reading.unwrap_or(CapabilitySet::empty()))
}

/// Keeps these capabilities and no others, also after this process executes a program.
fn handle(kept: CapabilitySet) -> Result<(), Errno> {
    set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable: kept })?;
    kept.iter().try_for_each(|capability| configure_capability_in_ambient_set(capability, true))
}

/// Gives up all capabilities of this process in its user namespace.
pub(super) fn give_up_all() -> Result<(), Errno> {
    handle(CapabilitySet::empty())
}

/// Makes this process run as the user for good. `reads_all` keeps the capability to read, and `writes_all` the
/// capability to write, if the process has them.
pub(super) fn take(user: u32, reads_all: bool, writes_all: bool) -> Result<(), Errno> {
    let (uid, gid) = (Uid::from_raw(user), Gid::from_raw(user));
    let mut kept = reading(reads_all)?;
    if writes_all {
        kept |= capabilities(None)?.permitted & CapabilitySet::DAC_OVERRIDE;
    }
    set_keep_capabilities(!kept.is_empty())?;
    set_thread_groups(&[])?;
    set_thread_res_gid(gid, gid, gid)?;
    set_thread_res_uid(uid, uid, uid)?;
    handle(kept)
}
