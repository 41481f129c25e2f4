//! Reads the process tree from `/proc`: the descendants of a process, and the resources that they used. Each result
//! may be out of date when it is returned. A process that has ended does not appear.

use std::fs;
use std::time::Duration;

use crate::system::{cores, sys};

/// The maximum number of processes in one walk. A larger tree is a fork bomb, and the next walk continues with it.
const WALK_PROCESSES_MAX: usize = 4_096;
/// The maximum number of threads of a bot that the arena looks at.
const THREADS_MAX: usize = 128;
/// The unit of `/proc` in bytes, although the files print it as kB.
const KIBIBYTE: u64 = 1_024;
/// The flag of a process that is ending, from `include/linux/sched.h` of Linux.
const PF_EXITING: u64 = 4;

/// The times of a thread since its start, from `/proc/TID/schedstat`. All are zero on a kernel that does not count them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadTimes {
    pub(crate) id: i32,
    /// Time spent running.
    pub(crate) ran: Duration,
    /// Time in which it was ready to run and waited for a processor, without a wait that goes on.
    pub(crate) waited: Duration,
    /// The number of times that it got a processor.
    pub(crate) runs: u64,
    /// True if it runs or is ready to run.
    pub(crate) is_ready: bool,
    /// The number of processors that it may use.
    pub(crate) cores: u32,
}

/// The processor time of each process of a set at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct CpuTimes(Vec<(i32, Duration)>);

impl CpuTimes {
    /// Reads the current processor times of these processes.
    pub(crate) fn of(pids: Vec<i32>) -> CpuTimes {
        let time = |pid| (pid, sys::cpu_time(pid).unwrap_or_default());
        CpuTimes(pids.into_iter().map(time).collect())
    }

    /// Returns the total processor time of these processes since then. A process that has ended in the meantime is not
    /// counted.
    pub(crate) fn used_since(&self) -> Duration {
        let used =
            |&(pid, before)| sys::cpu_time(pid).map_or(Duration::ZERO, |now| now.saturating_sub(before));
        self.0.iter().map(used).sum()
    }
}

/// Returns the direct children of a process, started by any of its threads.
pub(crate) fn children(pid: i32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    threads.flat_map(|thread| listed_children(&thread)).take(WALK_PROCESSES_MAX).collect()
}

/// Returns the processes that a thread started, from its directory in `/proc`.
fn listed_children(thread: &fs::DirEntry) -> Vec<i32> {
    let list = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
    list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// Returns all descendants of a process, parents before their children, without the process itself.
pub fn descendants(pid: i32) -> Vec<i32> {
    let mut found = children(pid);
    let mut next = 0;
    while next < found.len() && found.len() < WALK_PROCESSES_MAX {
        let more = children(found[next]);
        found.extend(more);
        next += 1;
    }
    found
}

/// Returns the times of the threads of all processes below this one, parents before their children, at most
/// [`THREADS_MAX`]. A thread that the system tells nothing of is left out.
pub(crate) fn threads_below(pid: i32) -> Vec<ThreadTimes> {
    let mut pids = children(pid);
    let (mut next, mut found) = (0, Vec::new());
    while next < pids.len() && found.len() < THREADS_MAX {
        for thread in fs::read_dir(format!("/proc/{}/task", pids[next])).into_iter().flatten().flatten() {
            found.extend(thread.file_name().to_str().and_then(|id| thread_times(id.parse().ok()?)));
            pids.extend(listed_children(&thread));
        }
        next += 1;
    }
    found.truncate(THREADS_MAX);
    found
}

/// Returns true if the kernel counts how long threads waited for a processor.
pub(crate) fn tells_waits() -> bool {
    thread_times(rustix::process::getpid().as_raw_pid()).is_some_and(|times| times.runs > 0)
}

fn thread_times(id: i32) -> Option<ThreadTimes> {
    let text = fs::read_to_string(format!("/proc/{id}/schedstat")).ok()?;
    let mut fields = text.split_ascii_whitespace().map_while(|field| field.parse().ok());
    let (ran, waited, runs) = (fields.next()?, fields.next()?, fields.next()?);
    Some(ThreadTimes {
        id,
        ran: Duration::from_nanos(ran),
        waited: Duration::from_nanos(waited),
        runs,
        is_ready: stat(id).first().is_some_and(|state| state == "R"),
        cores: u32::try_from(cores::of_thread(id).min(cores::given_to_thread())).unwrap_or(u32::MAX),
    })
}

/// Returns the memory of these processes in bytes, with swapped memory and page tables. Memory that they share is
/// counted for each process.
pub fn resident_bytes(pids: &[i32]) -> u64 {
    pids.iter().map(|pid| status_bytes(*pid, &["VmRSS:", "VmPTE:", "VmSwap:"])).sum()
}

/// Returns the memory of these processes in bytes, with shared pages divided among the processes that share them. This
/// is much more expensive than [`resident_bytes`]. If the detailed file of a process cannot be read, `resident_bytes`
/// counts it.
pub(crate) fn proportional_bytes(pids: &[i32]) -> u64 {
    let one = |pid: &i32| match fields_bytes(&format!("/proc/{pid}/smaps_rollup"), &["Pss:", "SwapPss:"]) {
        0 => resident_bytes(&[*pid]),
        bytes => bytes + status_bytes(*pid, &["VmPTE:"]),
    };
    pids.iter().map(one).sum()
}

/// Returns the memory in bytes that these processes hold themselves: anonymous, shared, and swapped memory, without
/// the files that they map. Other processes that map the same files never change the number.
pub(crate) fn held_bytes(pids: &[i32]) -> u64 {
    pids.iter().map(|pid| status_bytes(*pid, &["RssAnon:", "RssShmem:", "VmSwap:"])).sum()
}

/// Returns the sum of these fields of `/proc/PID/status`, in bytes.
pub(crate) fn status_bytes(pid: i32, fields: &[&str]) -> u64 {
    fields_bytes(&format!("/proc/{pid}/status"), fields)
}

fn fields_bytes(path: &str, fields: &[&str]) -> u64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    fields.iter().filter_map(|field| in_text(&text, field)).sum()
}

/// Returns true if the process is stopped by a signal or a debugger.
pub(crate) fn is_stopped(pid: i32) -> bool {
    stat(pid).first().is_some_and(|state| ["T", "t"].contains(&state.as_str()))
}

/// Returns true if the process is ending or has ended. The system sets the flag before it closes the process's files.
pub(crate) fn is_ending(pid: i32) -> bool {
    stat(pid).get(6).and_then(|flags| flags.parse().ok()).is_none_or(|flags: u64| flags & PF_EXITING != 0)
}

/// Returns the processor time of a process and of the children that it has reaped, with all processes that these had
/// reaped. The precision is a hundredth of a second.
pub fn cpu_time_with_reaped(pid: i32) -> Duration {
    ticks(stat(pid).iter().skip(11).take(4))
}

/// Returns the processor time of all processes below this one, including ended processes that they or it have reaped.
/// The precision of the latter part is a hundredth of a second.
pub(crate) fn cpu_time_below(pid: i32) -> Duration {
    let pids = descendants(pid);
    let running: Duration = pids.iter().filter_map(|pid| sys::cpu_time(*pid)).sum();
    running + reaped_time(pid) + pids.into_iter().map(reaped_time).sum::<Duration>()
}

/// Returns the processor time of the children that a process has reaped, with all processes that these had reaped.
fn reaped_time(pid: i32) -> Duration {
    ticks(stat(pid).iter().skip(13).take(2))
}

fn ticks<'a>(fields: impl Iterator<Item = &'a String>) -> Duration {
    let ticks: u64 = fields.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 1_000 / rustix::param::clock_ticks_per_second())
}

/// Returns the fields of `/proc/PID/stat` from the state on. Empty if the process has ended.
fn stat(pid: i32) -> Vec<String> {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name before the state may contain any characters, brackets included.
    let fields = line.rsplit_once(')').map_or("", |(_, rest)| rest);
    fields.split_ascii_whitespace().map(str::to_owned).collect()
}

/// Returns a field of a file of `/proc` that is in kibibytes, converted to bytes.
pub(crate) fn field_bytes(path: &str, field: &str) -> Option<u64> {
    in_text(&fs::read_to_string(path).ok()?, field)
}

fn in_text(text: &str, field: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = rest.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kibibytes * KIBIBYTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_found_and_measured() {
        let mut child = std::process::Command::new("sleep").arg("5").spawn().expect("sleep exists");
        let own = i32::try_from(std::process::id()).expect("ids are small");
        let pid = i32::try_from(child.id()).expect("ids are small");
        assert!(descendants(own).contains(&pid));
        assert!(resident_bytes(&[pid]) > 0);
        assert!(proportional_bytes(&[pid]) <= resident_bytes(&[own, pid]));
        // The kernel's counters are exact to some hundred kilobytes only, so a large block is held.
        let (before, block) = (held_bytes(&[own]), vec![1_u8; 64 << 20]);
        let grown = held_bytes(&[own]) - before;
        assert!(grown > (block.len() as u64) * 9 / 10, "{grown}");
        assert!(!is_stopped(pid));
        assert!(!is_ending(pid));
        let threads = threads_below(own);
        assert!(threads.iter().any(|thread| thread.id == pid && thread.runs > 0 && thread.cores > 0));
        let times = CpuTimes::of(vec![own, pid]);
        let begin = sys::cpu_time(own);
        while sys::cpu_time(own) == begin {}
        assert!(times.used_since() > Duration::ZERO);
        child.kill().expect("still running");
        while !is_ending(pid) {} // also before it is reaped
        child.wait().expect("a child of ours");
        assert!(is_ending(pid));
        assert_eq!(thread_times(pid), None);
    }
}
