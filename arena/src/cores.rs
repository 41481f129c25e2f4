//! The cores that this process may use, and a thread's place on them.
//!
//! A thread that is pinned keeps its bots beside it, because a process inherits the mask of the thread
//! that starts it: a pipe between two processes of one core is many times as quick as one between cores.

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

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
