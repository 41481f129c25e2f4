//! Resource limits of the bot's processes. A limit that is lower already stays.

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::contain::Wish;

/// The most open files of a process: enough for any runtime, and too few to take all that the kernel has for a user.
const OPEN_FILES_MAX: u64 = 128;
/// The most signals of a user that wait, in place of the kernel's thousands. A timer takes one, and each program of GHC
/// has a timer.
const SIGNALS_MAX: u64 = 1024;
/// The keeper counts too, where it has the bot's user.
const OWN_PROCESSES: u64 = 1;

/// Where the machine's memory runs out, bots go first. To be said before a change of user.
pub(super) fn go_first() {
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

/// Limits of each process by itself.
pub(super) fn set(wish: &Wish) -> Result<(), Errno> {
    lower(Resource::Nofile, OPEN_FILES_MAX)?;
    lower(Resource::Fsize, wish.scratch_bytes_max)?;
    // Memory that the kernel keeps for a process beyond its own: locked pages and message queues.
    lower(Resource::Memlock, 0)?;
    lower(Resource::Msgqueue, 0)?;
    lower(Resource::Sigpending, SIGNALS_MAX)?;
    // Before others at the processor, as audio programs may be.
    lower(Resource::Rtprio, 0)?;
    lower(Resource::Nice, 0)
}

/// Only of use where the count begins with this bot: in a user namespace, or with a user of its own.
pub(super) fn set_processes(max: u64) -> Result<(), Errno> {
    lower(Resource::Nproc, max.saturating_add(OWN_PROCESSES))
}

/// Sets both limits to `most`, or to what the hard one is now if that is less.
pub(crate) fn lower(resource: Resource, most: u64) -> Result<(), Errno> {
    let hard = getrlimit(resource).maximum.map_or(most, |hard| hard.min(most));
    setrlimit(resource, Rlimit { current: Some(hard), maximum: Some(hard) })
}
