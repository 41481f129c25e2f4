//! Resource limits of the bot's processes. A limit that is lower already stays.

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::confine::SandboxSpec;

/// The most pending signals of a user, in place of the kernel's thousands. A timer takes one, and each program of GHC
/// has a timer.
const SIGNALS_MAX: u64 = 1024;
/// The supervisor, which counts too if it has the bot's user.
const OWN_PROCESSES: u64 = 1;

/// Makes the kernel kill bots first if the machine's memory runs out. Call it before a change of user.
pub(super) fn go_first() {
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

/// Sets the limits of each process by itself.
pub(super) fn set(spec: &SandboxSpec) -> Result<(), Errno> {
    lower(Resource::Nofile, spec.rights.open_files_max())?;
    lower(Resource::Fsize, spec.rights.scratch_bytes_max())?;
    // Memory that the kernel keeps for a process beyond its own: locked pages and message queues.
    lower(Resource::Memlock, 0)?;
    lower(Resource::Msgqueue, 0)?;
    lower(Resource::Sigpending, SIGNALS_MAX)?;
    // No precedence at the processor, which audio programs may have.
    lower(Resource::Rtprio, 0)?;
    lower(Resource::Nice, 0)
}

/// Sets the limit of processes. It is of use only if the count begins with this bot: in a user namespace, or with a
/// user of its own.
pub(super) fn set_processes(max: u64) -> Result<(), Errno> {
    lower(Resource::Nproc, max.saturating_add(OWN_PROCESSES))
}

/// Returns the most processes that all bots together may have, or `None` if root gives each of them a user of its own.
pub fn processes_of_all_bots() -> Option<u64> {
    getrlimit(Resource::Nproc).current.filter(|_| !rustix::process::getuid().is_root())
}

/// Sets both limits to `most`, or to the present hard limit if that is lower.
pub(crate) fn lower(resource: Resource, most: u64) -> Result<(), Errno> {
    let hard = getrlimit(resource).maximum.map_or(most, |hard| hard.min(most));
    setrlimit(resource, Rlimit { current: Some(hard), maximum: Some(hard) })
}
