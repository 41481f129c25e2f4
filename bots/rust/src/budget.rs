//! How long a search may go on: so many nodes, or until a moment.

use std::time::{Duration, Instant};

/// What is kept back of the time for a move at least: reading, writing, and being woken up late.
const MARGIN_MIN: Duration = Duration::from_millis(30);
/// What is kept back of a long time, as a part of it.
const MARGIN_PART: u32 = 5;
/// Of a time that is shorter than the margin, a part of this kind is used.
const SHORT_PART: u32 = 4;
/// However long a process has to wait for a core, a part of this kind is used: of 50 ms as much as a
/// scheduler leaves it at a time.
const LEAST_PART: u32 = 16;

/// What one search may spend, and what it has spent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    limit: Limit,
    start: Instant,
    nodes: u64,
    /// When the clock was last looked at.
    last: Instant,
    /// The longest wait: before it began, or between two looks; on a loaded machine a process has to wait in between.
    gap: Duration,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    /// So many nodes: the same answer whenever and wherever it is asked for.
    Nodes(u64),
    /// By the clock, until `end`, for which waits of `known` are already allowed for.
    Until { end: Instant, known: Duration },
}

impl Budget {
    /// So many nodes where they are given, else what may be used of `time_ms` milliseconds by a process that lately
    /// had such waits. The time runs since the question was sent, which may have waited for the process.
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

    /// Counts nodes that were looked at.
    pub(crate) fn spend(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// Whether there is something left; by the clock, time for two more gaps as long as the longest.
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

    /// How much of it is spent, from 0 to 1.
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

/// How long a process lately had to wait for a core, from move to move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waits {
    /// The longest wait; what was long ago is forgotten little by little.
    longest: Duration,
    /// All waits until the end of the last search, as the system counts them.
    counted: Option<Duration>,
}

impl Waits {
    /// Of a process that has not searched yet. Where it is one of many, they all start now.
    const LONGEST_AT_FIRST: Duration = Duration::from_millis(10);

    /// Of a process that has not searched yet.
    pub(crate) fn unknown() -> Waits {
        Waits { longest: Waits::LONGEST_AT_FIRST, counted: counted_waits() }
    }

    /// Learns from a search that has just ended.
    pub(crate) fn learn(&mut self, budget: &Budget) {
        self.longest = budget.gap.max(self.longest - self.longest / 16);
        self.counted = counted_waits();
    }

    /// What the process waited since: nearly all of it when the question was there and it had no core to read it on.
    fn since_the_last_search(self) -> Duration {
        match (self.counted, counted_waits()) {
            (Some(then), Some(now)) => now.saturating_sub(then),
            _ => Duration::ZERO,
        }
    }
}

/// For how long this thread was ready to run and had no core, since it began; `None` where the system does not tell.
fn counted_waits() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

/// No move is thought about for longer than an hour.
const TIME_MAX_MS: u64 = 3_600_000;

/// What may be used of a time by a process that has to wait for so long at the start and once more, so
/// that the answer is there before the end on a busy machine, too.
fn usable(time: Duration, wait: Duration) -> Duration {
    let margin = MARGIN_MIN.max(time / MARGIN_PART);
    let idle = time.saturating_sub(margin).max(time / SHORT_PART);
    idle.saturating_sub(2 * wait).max(time / LEAST_PART)
}

/// The same for one that has waited before it could read the question, and lately for so long; and what wait is allowed
/// for in it.
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
