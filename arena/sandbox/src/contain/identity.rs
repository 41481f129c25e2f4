//! Under root: a user of its own for each bot, one that owns nothing and that nobody else has.
//!
//! What root may read, strangers' users often may not: a folder below `/root`, a temporary one. Where
//! Landlock says which files a bot may touch, the bot therefore keeps the one capability of reading what it
//! finds there. It can neither write nor execute by it. Only a bot that may write to a folder also keeps the one of
//! writing; Landlock bounds it to that folder.

use std::ops::Range;
use std::sync::LazyLock;

use rustix::io::Errno;
use rustix::process::{Gid, Pid, Uid, getuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, configure_capability_in_ambient_set,
    remove_capability_from_bounding_set, set_capabilities, set_keep_capabilities, set_thread_groups,
    set_thread_res_gid, set_thread_res_uid,
};

/// Above everything that systems and containers hand out, below what is negative as a signed number.
/// Process numbers are below 2^22, so that each keeper has its own.
const USERS_BEGIN: u32 = 0x7000_0000;
/// Where only 65,536 users are known, as in many containers: two bots may have the same.
const FEW_USERS: Range<u32> = 61_184..65_520;

/// The kernel counts capabilities in a number of so many bits, and has fewer.
const CAPABILITIES_MAX: u32 = u64::BITS;

/// The user for a bot of this keeper; none where it is not root or may not change users.
pub(super) fn choose(keeper: Pid) -> Option<u32> {
    if !getuid().is_root() {
        return None;
    }
    let can = capabilities(None).ok()?.effective;
    if !can.contains(CapabilitySet::SETUID | CapabilitySet::SETGID) {
        return None;
    }
    let number = keeper.as_raw_pid().unsigned_abs();
    let few = FEW_USERS.start + number % (FEW_USERS.end - FEW_USERS.start);
    [USERS_BEGIN + number, few].into_iter().find(|&user| is_known(user))
}

/// The users that have a number in the namespace that this process began in.
static KNOWN: LazyLock<Vec<Range<u64>>> = LazyLock::new(|| {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    map.lines().filter_map(users_of).collect()
});

/// A line of a map: the first number inside, the first one outside, how many.
fn users_of(line: &str) -> Option<Range<u64>> {
    let mut numbers = line.split_ascii_whitespace().map(str::parse::<u64>);
    let (first, count) = (numbers.next()?.ok()?, numbers.nth(1)?.ok()?);
    Some(first..first + count)
}

/// Makes ahead what does not depend on the bot.
pub(super) fn prepare() {
    LazyLock::force(&KNOWN);
}

fn is_known(user: u32) -> bool {
    KNOWN.iter().any(|users| users.contains(&u64::from(user)))
}

/// Under root without a user for the bot: root by name alone. In the sets of a process that is not root there is
/// nothing to give up. `reads_all` keeps the capability to read.
pub(super) fn give_up_rights(reads_all: bool) -> Result<(), Errno> {
    if !getuid().is_root() {
        return Ok(());
    }
    let kept = reading(reads_all)?;
    // A program that root executes gets all that is bounded by this set. Without the right to bound it, it gets no more
    // than it had, because it may have no new privileges.
    for number in 0..CAPABILITIES_MAX {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        if !kept.contains(capability) {
            let _ = remove_capability_from_bounding_set(capability);
        }
    }
    keep(kept)
}

/// Of what this process has, the right to read what modes deny, if it is to be kept.
fn reading(reads_all: bool) -> Result<CapabilitySet, Errno> {
    let permitted = capabilities(None)?.permitted;
    Ok(if reads_all { permitted & CapabilitySet::DAC_READ_SEARCH } else { CapabilitySet::empty() })
}

/// Has these capabilities and no others, also after it has executed a program.
fn keep(kept: CapabilitySet) -> Result<(), Errno> {
    set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable: kept })?;
    kept.iter().try_for_each(|capability| configure_capability_in_ambient_set(capability, true))
}

/// Becomes this user for good. `reads_all` keeps the capability to read, and `writes_all` to write, where there is one.
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
    keep(kept)
}
