//! The cores that this process may use, and a thread's place on them.
//!
//! A thread that is pinned keeps its bots beside it, because a process inherits the mask of the thread
//! that starts it: a pipe between two processes of one core is many times as quick as one between cores.

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// How many cores a job of the queue asked for, in an environment that Slurm makes. Where it binds jobs to
/// cores the mask says the same; where it does not, this alone does.
const SLURM: &str = "SLURM_CPUS_PER_TASK";

/// How many cores this process was given: by its mask, by quotas, by the queue that started it.
pub fn given() -> usize {
    let able = std::thread::available_parallelism().map_or(1, usize::from);
    able.min(by_queue(std::env::var(SLURM).ok().as_deref()))
}

/// Whether the mask tells which cores were given, and not only that they are among those in it: then other jobs
/// may have the others, and nobody may choose.
pub fn are_told() -> bool {
    allowed().len() <= by_queue(std::env::var(SLURM).ok().as_deref())
}

/// What a queue says; no bound where it says nothing.
fn by_queue(text: Option<&str>) -> usize {
    text.and_then(|text| text.parse().ok()).filter(|&cores| cores > 0).unwrap_or(usize::MAX)
}

/// The cores of this thread's mask, that on which it runs now first.
pub fn allowed() -> Vec<usize> {
    let Ok(mask) = sched_getaffinity(None) else { return Vec::new() };
    let mut cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&core| mask.is_set(core)).collect();
    let here = cores.iter().position(|&core| core == sched_getcpu()).unwrap_or(0);
    cores.rotate_left(here);
    cores
}

/// Keeps this thread, and the processes that it will start, on these cores. Best effort: where the system
/// forbids it the thread runs wherever it did.
pub fn stay_on(cores: &[usize]) {
    let mut mask = CpuSet::new();
    cores.iter().for_each(|&core| mask.set(core));
    let _ = sched_setaffinity(None, &mask);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_bounds_the_cores_and_what_is_no_number_does_not() {
        assert_eq!(by_queue(Some("3")), 3);
        for nothing in [None, Some(""), Some("0"), Some("all")] {
            assert_eq!(by_queue(nothing), usize::MAX, "{nothing:?}");
        }
    }
}
