//! The budget of a search: a number of nodes, or a deadline.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

thread_local! {
    /// The longest recent wait of this thread, once it has searched. A process may play many matches.
    static LONGEST: Cell<Option<Duration>> = const { Cell::new(None) };
    /// True if the thread does nothing but answer questions, so that it waits for nothing else.
    static ANSWERS: Cell<bool> = const { Cell::new(false) };
    /// The flag that ends the searches of this thread.
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Says that this thread does nothing but answer the questions of the arena.
pub(crate) fn this_thread_answers() {
    ANSWERS.set(true);
}

/// Ends each search that this thread begins from now on once `flag` is true. The search then returns the best that it has
/// found so far.
pub fn this_thread_stops_at(flag: Arc<AtomicBool>) {
    STOP.set(Some(flag));
}

/// The least margin before the deadline of a move. It covers reading, writing, and waking up.
const MARGIN_MIN: Duration = Duration::from_micros(1_500);
/// The margin of a long time limit is `time / MARGIN_PART`.
const MARGIN_PART: u32 = 10;

/// What ends a search.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    /// A number of nodes alone. The answer does not depend on time or machine.
    Nodes(u64),
    /// The clock, and this number of nodes.
    ClockAnd(u64),
}

impl Limit {
    /// Returns the limit of a place that was given a number of nodes or none. Without one it is the clock, and `most` nodes.
    pub(crate) fn of(given: Option<u64>, most: u64) -> Limit {
        given.map_or(Limit::ClockAnd(most), Limit::Nodes)
    }
}

/// The limit of one search, and the amount spent so far.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    most: u64,
    deadline: Option<Deadline>,
    start: Instant,
    nodes: u64,
    /// The time of the last look at the clock.
    last: Instant,
    /// The longest wait so far: before the search, or between two looks at the clock. On a loaded machine the
    /// process may wait for a core between two looks.
    gap: Duration,
    /// The flag that ends the search.
    stop: Option<Arc<AtomicBool>>,
}

/// When a search ends by the clock.
#[derive(Clone, Copy, Debug)]
struct Deadline {
    /// The end, which already allows for waits of length `known`.
    end: Instant,
    known: Duration,
    /// The search goes on to this number of nodes, but not beyond half of the time, however long the waits are.
    least: u64,
    half: Instant,
}

impl Budget {
    /// Makes a budget of a number of nodes.
    pub(crate) fn of(nodes: u64) -> Budget {
        let now = Instant::now();
        let stop = STOP.with_borrow(Option::clone);
        Budget { most: nodes, deadline: None, start: now, nodes: 0, last: now, gap: Duration::ZERO, stop }
    }

    /// Makes a budget within this limit. By the clock it is the usable part of `time_ms` milliseconds, after an allowance
    /// for recent `waits`, or `least` nodes if half of the time is enough for them. The time runs from the moment when
    /// the arena sent the question, so the budget also loses the wait before the process could read it.
    pub(crate) fn new(limit: Limit, least: u64, time_ms: u64, waits: Waits) -> Budget {
        let most = match limit {
            Limit::Nodes(nodes) => return Budget::of(nodes),
            Limit::ClockAnd(most) => most,
        };
        let time = Duration::from_millis(time_ms.min(TIME_MAX_MS));
        let before = waits.since_the_last_search();
        let known = waits.longest.max(before);
        let left = time.saturating_sub(before);
        let budget = Budget::of(most);
        let [end, half] = [usable(left, known), left / 2].map(|time| budget.start + time);
        Budget { deadline: Some(Deadline { end, known, least, half }), gap: before, ..budget }
    }

    /// Goes on after work that did not look at the clock. Its time was no wait.
    pub(crate) fn resume(&mut self) {
        self.last = Instant::now();
    }

    /// Adds searched nodes to the amount spent.
    pub(crate) fn spend(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// Returns the nodes searched so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns true while budget remains and no flag ends the search. With a deadline, the remaining time must cover two gaps as long as
    /// the longest.
    pub(crate) fn goes_on(&mut self) -> bool {
        if self.is_stopped() {
            return false;
        }
        let Some(Deadline { end, known, least, half }) = self.deadline else { return self.nodes < self.most };
        let now = Instant::now();
        self.gap = self.gap.max(now - self.last);
        self.last = now;
        let is_early = now + 2 * self.gap.saturating_sub(known) < end;
        self.nodes < self.most && (is_early || (self.nodes < least && now < half))
    }

    /// Returns true if a flag ends the search.
    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns the share of the budget spent, from 0 to 1. It is 1 once a flag ends the search.
    pub(crate) fn share_spent(&self) -> f64 {
        if self.is_stopped() {
            return 1.0;
        }
        let share = match self.deadline {
            // What a fixed number of nodes finds must not depend on the clock, unless it ends the search.
            _ if self.most < u64::MAX => self.nodes as f64 / self.most.max(1) as f64,
            None => 0.0,
            Some(Deadline { end, least, .. }) => {
                let all = end.saturating_duration_since(self.start).as_secs_f64();
                let of_time = self.start.elapsed().as_secs_f64() / all.max(f64::MIN_POSITIVE);
                // However little time there is, these nodes are searched if half of it is enough.
                if self.nodes < least { of_time.min(self.nodes as f64 / least as f64) } else { of_time }
            }
        };
        share.min(1.0)
    }
}

/// Recent waits of the process for a core, tracked from move to move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waits {
    /// The longest recent wait. It decays by a quarter per search.
    longest: Duration,
    /// The total wait at the end of the last search, as counted by the kernel.
    counted: Option<Duration>,
}

impl Waits {
    /// The assumed wait of a process that has not searched yet, where the system counts none.
    const ASSUMED: Duration = Duration::from_millis(10);

    /// Returns the waits at the beginning of a match: those of the searches before it, or what the thread waited since it
    /// began.
    pub(crate) fn so_far() -> Waits {
        let counted = counted_waits();
        let since_it_began = counted.map_or(Waits::ASSUMED, |waited| waited.min(Waits::ASSUMED));
        Waits { longest: LONGEST.get().unwrap_or(since_it_began), counted }
    }

    /// Updates the waits after a search.
    pub(crate) fn learn(&mut self, budget: &Budget) {
        self.longest = budget.gap.max(self.longest - self.longest / 4);
        self.counted = counted_waits();
        LONGEST.set(Some(self.longest));
    }

    /// Returns the time waited for a core since the last search. Nearly all of it is time during which the
    /// question had arrived and the process had no core to read it.
    fn since_the_last_search(self) -> Duration {
        match (self.counted, counted_waits()) {
            (Some(then), Some(now)) if ANSWERS.get() => now.saturating_sub(then),
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
    time.saturating_sub(MARGIN_MIN + time / MARGIN_PART + 2 * wait)
}

/// The time of a match for all decisions together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bank {
    move_ms: u64,
    left_ms: u64,
    increment_ms: u64,
}

impl Bank {
    /// Returns a bank with its increment, beside a limit for each move.
    pub(crate) fn new(move_ms: u64, left_ms: u64, increment_ms: u64) -> Bank {
        Bank { move_ms, left_ms, increment_ms }
    }

    /// Returns the part of the `time_ms` milliseconds of a question that this decision may use: what is left, divided by the
    /// decisions that are left, and the increment. At least half of the rest stays for what comes.
    pub(crate) fn share(&mut self, time_ms: u64, decisions: u64) -> u64 {
        // Below the limit of a move, the question tells what is left.
        self.left_ms = if time_ms < self.move_ms { time_ms } else { self.left_ms.max(time_ms) };
        let share = self.left_ms / decisions.max(1) + self.increment_ms;
        share.min(self.left_ms / 2).min(time_ms)
    }

    /// Takes the time of a decision, and gives the increment.
    pub(crate) fn spend(&mut self, time: Duration) {
        self.left_ms = self.left_ms.saturating_sub(time.as_millis() as u64 + 1) + self.increment_ms;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BY_CLOCK: Limit = Limit::ClockAnd(u64::MAX);

    #[test]
    fn a_part_of_the_time_is_kept_back() {
        for (time, wait, used) in [
            (0, 0, 0.0),
            (1, 0, 0.0),
            (10, 0, 7.5),
            (50, 0, 43.5),
            (50, 3, 37.5),
            (200, 0, 178.5),
            (200, 10, 158.5),
            (20, 10, 0.0),
        ] {
            let [time, wait] = [time, wait].map(Duration::from_millis);
            assert_eq!(usable(time, wait).as_secs_f64() * 1e3, used, "{time:?} {wait:?}");
        }
    }

    #[test]
    fn waits_are_learned_at_once_and_forgotten() {
        LONGEST.set(None);
        let mut waits = Waits::so_far();
        assert!(waits.longest <= Waits::ASSUMED);
        let searched = |gap| Budget { gap, ..Budget::of(1) };
        waits.learn(&searched(Duration::from_millis(32)));
        assert_eq!(waits.longest, Duration::from_millis(32));
        waits.learn(&searched(Duration::from_millis(1)));
        assert_eq!(waits.longest, Duration::from_millis(24));
        assert_eq!(Waits::so_far().longest, Duration::from_millis(24), "the next match knows them");
        assert!(counted_waits() <= counted_waits(), "the system's count never falls");
    }

    /// A search that the waits would end at once still looks at `least` nodes, if half of the time is enough.
    #[test]
    fn half_of_the_time_is_for_the_least_number_of_nodes() {
        let waits = Waits { longest: Duration::from_hours(1), counted: None };
        let mut budget = Budget::new(BY_CLOCK, 4, 60_000, waits);
        assert!(budget.goes_on());
        budget.spend(2);
        assert!(budget.goes_on() && budget.share_spent() == 0.5, "of the nodes, as there is no time");
        budget.spend(2);
        assert!(!budget.goes_on() && budget.share_spent() == 1.0);
        assert!(!Budget::new(BY_CLOCK, 4, 0, waits).goes_on(), "half of nothing");
    }

    #[test]
    fn nodes_are_counted_and_no_time_is_none() {
        for mut budget in [Budget::of(4), Budget::new(Limit::Nodes(4), 9, 0, Waits::so_far())] {
            budget.spend(3);
            assert!(budget.goes_on() && budget.share_spent() == 0.75);
            budget.spend(1);
            assert!(!budget.goes_on() && budget.share_spent() == 1.0);
        }
        let mut both = Budget::new(Limit::ClockAnd(4), 4, u64::MAX, Waits::so_far());
        both.spend(2);
        assert!(both.goes_on() && both.share_spent() == 0.5, "the clock changes no share");
        both.spend(2);
        assert!(!both.goes_on());
        assert!(!Budget::new(BY_CLOCK, 0, 0, Waits::so_far()).goes_on());
        assert!(Budget::new(BY_CLOCK, 0, u64::MAX, Waits::so_far()).goes_on());
    }

    #[test]
    fn a_flag_ends_a_search_of_its_thread() {
        let flag = Arc::new(AtomicBool::new(false));
        this_thread_stops_at(Arc::clone(&flag));
        for mut budget in [Budget::of(4), Budget::new(BY_CLOCK, 4, 60_000, Waits::so_far())] {
            flag.store(false, Ordering::Relaxed);
            assert!(budget.goes_on() && budget.share_spent() < 1.0);
            flag.store(true, Ordering::Relaxed);
            assert!(!budget.goes_on() && budget.share_spent() == 1.0);
        }
    }

    #[test]
    fn a_bank_is_divided_by_the_decisions_that_are_left() {
        let ms = Duration::from_millis;
        let mut bank = Bank::new(1_000, 4_000, 0);
        assert_eq!(bank.share(1_000, 20), 200);
        bank.spend(ms(199));
        assert_eq!(bank.share(1_000, 19), 200, "3,800 are left");
        assert_eq!(bank.share(500, 10), 50, "the question says what is left");
        assert_eq!(bank.share(500, 1), 250, "half of the rest stays");
        assert_eq!(bank.share(1_000, 10), 100, "there is more than was known");
        let mut bank = Bank::new(1_000, 1_000, 100);
        assert_eq!(bank.share(1_000, 20), 150);
        bank.spend(ms(149));
        assert_eq!(bank.share(950, 19), 150);
        assert_eq!(Bank::new(100, 60_000, 0).share(100, 20), 100, "not beyond the limit of a move");
    }
}
