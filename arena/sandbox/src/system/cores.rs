//! The cores that the current process may use, and the assignment of a thread to cores.
//!
//! A pinned thread keeps its bots on its own core, because a process inherits the mask of the thread that starts it. A
//! pipe between two processes on one core is many times as fast as a pipe between cores.

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// The variable in which Slurm states how many cores a job asked for. If Slurm binds jobs to cores, the mask gives the
/// same number. Otherwise only this variable gives it.
const SLURM: &str = "SLURM_CPUS_PER_TASK";

/// Returns the number of cores for the current process, as limited by its mask, by quotas, and by the queue that
/// started it.
pub fn given() -> usize {
    let able = std::thread::available_parallelism().map_or(1, usize::from);
    able.min(by_queue(std::env::var(SLURM).ok().as_deref()))
}

/// Returns the same number as of the first call in this thread. Each start of a bot asks for it, and the quotas are in
/// several files.
pub(crate) fn given_to_thread() -> usize {
    thread_local!(static GIVEN: usize = given());
    GIVEN.with(|cores| *cores)
}

/// Returns true if the mask has only the cores that were given to the process. Otherwise other jobs may use some cores
/// of the mask, and the process must not pin its threads.
pub fn are_told() -> bool {
    allowed().len() <= by_queue(std::env::var(SLURM).ok().as_deref())
}

/// Parses the number of cores that a queue states. Returns `usize::MAX` if the queue states none.
fn by_queue(text: Option<&str>) -> usize {
    text.and_then(|text| text.parse().ok()).filter(|&cores| cores > 0).unwrap_or(usize::MAX)
}

/// Returns the cores of the current thread's mask, beginning with the core on which the thread runs now.
pub fn allowed() -> Vec<usize> {
    let Ok(mask) = sched_getaffinity(None) else { return Vec::new() };
    let mut cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&core| mask.is_set(core)).collect();
    let here = cores.iter().position(|&core| core == sched_getcpu()).unwrap_or(0);
    cores.rotate_left(here);
    cores
}

/// Returns the number of cores that the mask of a thread of any process has.
pub(crate) fn of_thread(id: i32) -> usize {
    let mask = rustix::thread::Pid::from_raw(id).and_then(|id| sched_getaffinity(Some(id)).ok());
    mask.map_or(0, |mask| mask.count() as usize)
}

/// Pins the current thread, and the processes that it starts later, to these cores. If the system forbids it, the
/// thread keeps its previous mask.
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
