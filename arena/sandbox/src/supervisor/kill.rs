//! Kills a bot with everything that it started.

use std::fs::File;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};

use super::children::{forget, has_children};
use crate::system::tree;

/// The pause between two rounds of killing. The end of a child shortens it.
const KILL_PAUSE: Duration = Duration::from_millis(5);
/// The maximum time that the first process of a namespace waits for the others' ends before it leaves them to the
/// kernel.
const NAMESPACE_WAIT_MAX: Duration = Duration::from_millis(100);

/// Kills the bot's first process and its process group. The signal to the group reaches processes outside this tree
/// if the supervisor adopts none. The signal to the process reaches a bot that has left the group.
pub(super) fn bot(pid: Pid) {
    let _ = kill_process_group(pid, Signal::KILL);
    let _ = kill_process(pid, Signal::KILL);
}

/// Kills everything below the current process, round after round, until no child is left. Processes that a dying tree
/// abandons come to the current process, if it adopts any. The kernel kills the rest of a namespace when its first
/// process ends, so that process does not wait for processes that it cannot kill.
pub(super) fn rest(ends: &File) {
    let is_first = getpid() == Pid::INIT;
    let begin = Instant::now();
    while has_children() && !(is_first && begin.elapsed() > NAMESPACE_WAIT_MAX) {
        if is_first {
            // Signals all processes that it may signal: all others of the namespace or some of them.
            let _ = kill_process_group(Pid::INIT, Signal::KILL);
        } else {
            descendants();
        }
        let _ = poll(&mut [PollFd::new(ends, PollFlags::IN)], Timespec::try_from(KILL_PAUSE).ok().as_ref());
        forget(ends);
    }
}

fn descendants() {
    for pid in tree::descendants(getpid().as_raw_pid()).into_iter().filter_map(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
    }
}
