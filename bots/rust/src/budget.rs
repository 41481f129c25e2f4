//! How long a search may go on: so many nodes, or until a moment.

use std::time::{Duration, Instant};

/// What is kept back of the time for a move at least: reading, writing, and being woken up late.
const MARGIN_MIN: Duration = Duration::from_millis(30);
/// What is kept back of a long time, as a part of it.
const MARGIN_PART: u32 = 5;
/// Of a time that is shorter than the margin, a part of this kind is used.
const SHORT_PART: u32 = 4;

/// What one search may spend, and what it has spent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    limit: Limit,
    start: Instant,
    nodes: u64,
    /// When the clock was last looked at.
    last: Instant,
    /// The longest time between two looks: on a loaded machine the process has to wait in between.
    gap: Duration,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    /// So many nodes: the same answer whenever and wherever it is asked for.
    Nodes(u64),
    /// Until this moment by the clock.
    Until(Instant),
}

impl Budget {
    /// So many nodes where they are given, else what may be used of `time_ms` milliseconds from now.
    pub(crate) fn new(nodes: Option<u64>, time_ms: u64) -> Budget {
        let now = Instant::now();
        let until = || Limit::Until(now + usable(Duration::from_millis(time_ms.min(TIME_MAX_MS))));
        let limit = nodes.map_or_else(until, Limit::Nodes);
        Budget { limit, start: now, nodes: 0, last: now, gap: Duration::ZERO }
    }

    /// Counts nodes that were looked at.
    pub(crate) fn spend(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// Whether there is something left; by the clock, time for two more gaps as long as the longest.
    pub(crate) fn goes_on(&mut self) -> bool {
        match self.limit {
            Limit::Nodes(nodes) => self.nodes < nodes,
            Limit::Until(end) => {
                let now = Instant::now();
                self.gap = self.gap.max(now - self.last);
                self.last = now;
                now + 2 * self.gap < end
            }
        }
    }

    /// How much of it is spent, from 0 to 1.
    pub(crate) fn share_spent(&self) -> f64 {
        let share = match self.limit {
            Limit::Nodes(nodes) => self.nodes as f64 / nodes.max(1) as f64,
            Limit::Until(end) => {
                let all = end.saturating_duration_since(self.start).as_secs_f64();
                self.start.elapsed().as_secs_f64() / all.max(f64::MIN_POSITIVE)
            }
        };
        share.min(1.0)
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
        let mut budget = Budget::new(Some(4), 0);
        budget.spend(3);
        assert!(budget.goes_on() && budget.share_spent() == 0.75);
        budget.spend(1);
        assert!(!budget.goes_on() && budget.share_spent() == 1.0);
        assert!(!Budget::new(None, 0).goes_on());
        assert!(Budget::new(None, u64::MAX).goes_on());
    }
}
