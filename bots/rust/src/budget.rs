//! How long a search may go on: so many nodes, or until a moment.

use std::time::{Duration, Instant};

/// What is kept back of the time for a move at least: reading, writing, and being woken up late.
const MARGIN_MIN: Duration = Duration::from_millis(30);
/// What is kept back of a long time, as a part of it.
const MARGIN_PART: u32 = 5;
/// Of a time that is shorter than the margin, a part of this kind is used.
const SHORT_PART: u32 = 4;

/// The limit of one search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Budget {
    /// So many nodes: the same answer whenever and wherever it is asked for.
    Nodes(u64),
    /// Until this moment by the clock.
    Until(Instant),
}

impl Budget {
    /// So many nodes where they are given, else what may be used of `time_ms` milliseconds from now.
    pub(crate) fn new(nodes: Option<u64>, time_ms: u64) -> Budget {
        match nodes {
            Some(nodes) => Budget::Nodes(nodes),
            None => Budget::Until(Instant::now() + usable(Duration::from_millis(time_ms.min(TIME_MAX_MS)))),
        }
    }

    /// Whether a search that has done so many nodes may do one more.
    pub(crate) fn allows(self, done: u64) -> bool {
        match self {
            Budget::Nodes(nodes) => done < nodes,
            Budget::Until(end) => Instant::now() < end,
        }
    }
}

/// No move is thought about for longer than an hour.
const TIME_MAX_MS: u64 = 3_600_000;

/// What may be used of a time, so that the answer is there before its end on a busy machine, too.
fn usable(time: Duration) -> Duration {
    let margin = MARGIN_MIN.max(time / MARGIN_PART);
    time.saturating_sub(margin).max(time / SHORT_PART)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_time_is_kept_back() {
        for (time, used) in [(0, 0), (8, 2), (20, 5), (50, 20), (200, 160), (1000, 800)] {
            assert_eq!(usable(Duration::from_millis(time)), Duration::from_millis(used), "{time} ms");
        }
    }

    #[test]
    fn nodes_are_counted_and_no_time_is_none() {
        let budget = Budget::new(Some(3), 0);
        assert_eq!([0, 2, 3].map(|done| budget.allows(done)), [true, true, false]);
        assert!(!Budget::new(None, 0).allows(0));
        assert!(Budget::new(None, u64::MAX).allows(u64::MAX));
    }
}
