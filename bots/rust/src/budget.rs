//! The budget of a search: a number of nodes, or a deadline.

use std::time::{Duration, Instant};

/// The least margin before the deadline of a move. It covers reading, writing, and a late wake-up.
const MARGIN_MIN: Duration = Duration::from_millis(30);
/// The margin of a long time limit is `time / MARGIN_PART`.
const MARGIN_PART: u32 = 5;
/// A search gets at least `time / SHORT_PART` before waits for a core are subtracted. This applies to limits
/// below 40 ms.
const SHORT_PART: u32 = 4;
/// A search gets at least `time / LEAST_PART`, even if the process waits long for a core. With a limit of
/// 50 ms, this is about one time slice of a scheduler.
const LEAST_PART: u32 = 16;

/// The limit of one search, and the amount spent so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    limit: Limit,
    start: Instant,
    nodes: u64,
    /// The time of the last look at the clock.
    last: Instant,
    /// The longest wait so far: before the search, or between two looks at the clock. On a loaded machine the
    /// process may wait for a core between two looks.
    gap: Duration,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    /// A number of nodes. The answer does not depend on time or machine.
    Nodes(u64),
    /// Time until `end`, which already allows for waits of length `known`.
    Until { end: Instant, known: Duration },
}

impl Budget {
    /// Makes a budget of `nodes` if they are given. Otherwise it is the usable part of `time_ms`
    /// milliseconds, after an allowance for recent `waits`. The time limit runs from the moment when the
    /// arena sent the question, so the budget also loses the wait before the process could read it.
    pub(crate) fn new(nodes: Option<u64>, time_ms: u64, waits: Waits) -> Budget {
        let now = Instant::now();
        let (limit, gap) = match nodes {
            Some(nodes) => (Limit::Nodes(nodes), Duration::ZERO),
            None => {
                let time = Duration::from_millis(time_ms.min(TIME_MAX_MS));
                let before = waits.since_the_last_search();
                let (search, known) = usable_after(time, before, waits.longest);
                (Limit::Until { end: now + search, known }, before)
            }
        };
        Budget { limit, start: now, nodes: 0, last: now, gap }
    }

    /// Adds searched nodes to the amount spent.
    pub(crate) fn spend(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// Returns the nodes searched so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns true while budget remains. With a deadline, the remaining time must cover two gaps as long as
    /// the longest.
    pub(crate) fn goes_on(&mut self) -> bool {
        match self.limit {
            Limit::Nodes(nodes) => self.nodes < nodes,
            Limit::Until { end, known } => {
                let now = Instant::now();
                self.gap = self.gap.max(now - self.last);
                self.last = now;
                now + 2 * self.gap.saturating_sub(known) < end
            }
        }
    }

    /// Returns the share of the budget spent, from 0 to 1.
    pub(crate) fn share_spent(&self) -> f64 {
        let share = match self.limit {
            Limit::Nodes(nodes) => self.nodes as f64 / nodes.max(1) as f64,
            Limit::Until { end, .. } => {
                let all = end.saturating_duration_since(self.start).as_secs_f64();
                self.start.elapsed().as_secs_f64() / all.max(f64::MIN_POSITIVE)
            }
        };
        share.min(1.0)
    }
}

/// Recent waits of the process for a core, tracked from move to move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waits {
    /// The longest recent wait. It decays by 1/16 per search.
    longest: Duration,
    /// The total wait at the end of the last search, as counted by the kernel.
    counted: Option<Duration>,
}

impl Waits {
    /// The assumed wait of a process that has not searched yet. Bots started together compete for cores at
    /// first.
    const LONGEST_AT_FIRST: Duration = Duration::from_millis(10);

    /// Returns the waits of a process that has not searched yet.
    pub(crate) fn unknown() -> Waits {
        Waits { longest: Waits::LONGEST_AT_FIRST, counted: counted_waits() }
    }

    /// Updates the waits after a search.
    pub(crate) fn learn(&mut self, budget: &Budget) {
        self.longest = budget.gap.max(self.longest - self.longest / 16);
        self.counted = counted_waits();
    }

    /// Returns the time waited for a core since the last search. Nearly all of it is time during which the
    /// question had arrived and the process had no core to read it.
    fn since_the_last_search(self) -> Duration {
        match (self.counted, counted_waits()) {
            (Some(then), Some(now)) => now.saturating_sub(then),
            _ => Duration::ZERO,
        }
    }
}

/// Returns the total time that this thread was ready to run without a core. `None` if the system does not
/// report it.
fn counted_waits() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

/// The upper limit of thinking time for a move: one hour.
const TIME_MAX_MS: u64 = 3_600_000;

/// Returns the usable part of a time limit. It subtracts a margin and two waits of the given length, so that
/// the answer arrives in time on a busy machine too.
fn usable(time: Duration, wait: Duration) -> Duration {
    let margin = MARGIN_MIN.max(time / MARGIN_PART);
    let idle = time.saturating_sub(margin).max(time / SHORT_PART);
    idle.saturating_sub(2 * wait).max(time / LEAST_PART)
}

/// Like [`usable`], after a wait of `before` that delayed reading the question, and with `longest` as the
/// longest recent wait. Also returns the wait that the result allows for.
fn usable_after(time: Duration, before: Duration, longest: Duration) -> (Duration, Duration) {
    let known = longest.max(before);
    (usable(time.saturating_sub(before), known), known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_time_is_kept_back() {
        for (time, used) in [(0, 0), (8, 2), (20, 5), (50, 20), (200, 160), (1000, 800)] {
            let time = Duration::from_millis(time);
            assert_eq!(usable(time, Duration::ZERO), Duration::from_millis(used), "{time:?}");
        }
    }

    #[test]
    fn who_has_to_wait_uses_less() {
        for (time, used) in [(0, 0), (16, 1), (64, 4), (80, 20), (200, 130), (1000, 770)] {
            let time = Duration::from_millis(time);
            assert_eq!(usable(time, Duration::from_millis(15)), Duration::from_millis(used), "{time:?}");
        }
    }

    #[test]
    fn waits_are_learned_at_once_and_forgotten_slowly() {
        let mut waits = Waits::unknown();
        let searched = |gap| Budget { gap, ..Budget::new(None, 50, Waits::unknown()) };
        waits.learn(&searched(Duration::from_millis(32)));
        assert_eq!(waits.longest, Duration::from_millis(32));
        waits.learn(&searched(Duration::from_millis(1)));
        assert_eq!(waits.longest, Duration::from_millis(30));
    }

    #[test]
    fn what_was_waited_before_the_question_was_read_is_gone_and_may_come_again() {
        let ms = Duration::from_millis;
        for (time, before, longest, used) in
            [(200, 0, 0, 160), (200, 20, 0, 104), (200, 20, 40, 64), (50, 34, 10, 1)]
        {
            let (search, known) = usable_after(ms(time), ms(before), ms(longest));
            assert_eq!((search, known), (ms(used), ms(before.max(longest))), "{time} {before} {longest}");
        }
        assert!(counted_waits() <= counted_waits(), "the system's count never falls");
    }

    #[test]
    fn nodes_are_counted_and_no_time_is_none() {
        let mut budget = Budget::new(Some(4), 0, Waits::unknown());
        budget.spend(3);
        assert!(budget.goes_on() && budget.share_spent() == 0.75);
        budget.spend(1);
        assert!(!budget.goes_on() && budget.share_spent() == 1.0);
        assert!(!Budget::new(None, 0, Waits::unknown()).goes_on());
        assert!(Budget::new(None, u64::MAX, Waits::unknown()).goes_on());
    }
}
