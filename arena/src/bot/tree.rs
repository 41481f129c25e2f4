//! Reads the process tree from `/proc`: who descends from whom, what they used. Every answer may be
//! out of date when it is given, and a process that is gone simply does not appear.

use std::fs;
use std::time::Duration;

/// The most processes looked at in one walk: a tree larger than this is a fork bomb, which the next
/// walk goes on with.
const WALK_PROCESSES_MAX: usize = 4_096;
/// The unit of `/proc`, whatever it prints, in bytes.
const KIBIBYTE: u64 = 1_024;

/// What a set of processes used of the processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CpuUse {
    /// Time spent running.
    pub(crate) running: Duration,
    /// Time spent ready to run, waiting for a processor.
    pub(crate) waiting: Duration,
}

impl CpuUse {
    /// What was used since `earlier`; never negative, because threads that ended are not counted.
    pub(crate) fn since(self, earlier: CpuUse) -> CpuUse {
        CpuUse {
            running: self.running.saturating_sub(earlier.running),
            waiting: self.waiting.saturating_sub(earlier.waiting),
        }
    }
}

/// The direct children of a process, whichever of its threads started them.
pub(crate) fn children(pid: i32) -> Vec<i32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = tasks.flatten().filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let pids = lists.flat_map(|list| {
        list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>()
    });
    pids.take(WALK_PROCESSES_MAX).collect()
}

/// All descendants of a process, parents before their children, without the process itself.
pub(crate) fn descendants(pid: i32) -> Vec<i32> {
    let mut found = children(pid);
    let mut next = 0;
    while next < found.len() && found.len() < WALK_PROCESSES_MAX {
        let more = children(found[next]);
        found.extend(more);
        next += 1;
    }
    found
}

/// Processor time of all live threads of these processes.
pub(crate) fn cpu_use(pids: &[i32]) -> CpuUse {
    let mut total = CpuUse::default();
    for pid in pids {
        let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { continue };
        for task in tasks.flatten() {
            let Ok(text) = fs::read_to_string(task.path().join("schedstat")) else { continue };
            let mut numbers = text.split_ascii_whitespace().map_while(|word| word.parse().ok());
            total.running += Duration::from_nanos(numbers.next().unwrap_or(0));
            total.waiting += Duration::from_nanos(numbers.next().unwrap_or(0));
        }
    }
    total
}

/// Resident memory of these processes in bytes; memory they share is counted for each.
pub(crate) fn resident_bytes(pids: &[i32]) -> u64 {
    pids.iter().filter_map(|pid| field_bytes(&format!("/proc/{pid}/status"), "VmRSS:")).sum()
}

/// Resident memory with shared pages divided among those who share them. Much dearer than
/// [`resident_bytes`]; processes that may not be read so closely are counted by that instead.
pub(crate) fn proportional_bytes(pids: &[i32]) -> u64 {
    let one = |pid: &i32| {
        field_bytes(&format!("/proc/{pid}/smaps_rollup"), "Pss:").unwrap_or_else(|| resident_bytes(&[*pid]))
    };
    pids.iter().map(one).sum()
}

/// Whether the process is stopped by a signal or a debugger.
pub(crate) fn is_stopped(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name before the state may itself hold anything, brackets included.
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with(['T', 't']))
}

fn field_bytes(path: &str, field: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
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
        assert!(cpu_use(&[own]).running > Duration::ZERO);
        assert!(!is_stopped(pid));
        child.kill().expect("still running");
        child.wait().expect("a child of ours");
        assert_eq!(cpu_use(&[pid]), CpuUse::default());
    }
}
