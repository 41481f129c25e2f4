//! How long to think: so many nodes, or until a deadline with a margin.

use std::time::{Duration, Instant};

/// No more than this is taken however long there is: beyond it hardly anything is gained.
const CLOCK_MAX: Duration = Duration::from_secs(60);
/// Kept back of each move's time, beside a share of it: a loaded machine lets a process wait for a few
/// of the scheduler's slices.
const MARGIN: Duration = Duration::from_millis(15);
/// This share of the rest is used.
const SHARE: f64 = 0.9;

/// What may be spent on a move, and what was.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Budget {
    /// Work is counted, so that the same seed gives the same move anywhere.
    Nodes { max: u64, spent: u64 },
    /// The clock counts.
    Clock { start: Instant, limit: Duration },
}

impl Budget {
    /// So many nodes.
    pub(crate) fn nodes(max: u64) -> Budget {
        Budget::Nodes { max, spent: 0 }
    }

    /// From now on for a move that has so many milliseconds, less the margin.
    pub(crate) fn clock(time_ms: u64) -> Budget {
        let rest = Duration::from_millis(time_ms).saturating_sub(MARGIN).min(CLOCK_MAX);
        Budget::Clock { start: Instant::now(), limit: rest.mul_f64(SHARE) }
    }

    /// Counts so many nodes.
    pub(crate) fn spend(&mut self, nodes: u64) {
        if let Budget::Nodes { spent, .. } = self {
            *spent += nodes;
        }
    }

    /// The share that is spent; 1 and more where nothing is left.
    pub(crate) fn share_spent(&self) -> f64 {
        match *self {
            Budget::Nodes { max, spent } => spent as f64 / max.max(1) as f64,
            Budget::Clock { start, limit } => {
                start.elapsed().as_secs_f64() / limit.as_secs_f64().max(f64::MIN_POSITIVE)
            }
        }
    }
}
