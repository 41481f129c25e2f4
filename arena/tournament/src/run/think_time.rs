//! Detects from their answers if bots think or answer at once. The number of matches at once and the cores of
//! the bots depend on it.
//!
//! Bots that think need a core each, so that they do not take each other's time. Bots that answer at once run
//! best on the same core as the arena, with one match on each core. A message between cores costs many times
//! as much as one on the same core. The answers show the kind of a bot, so there is no option for it.

use std::collections::BTreeMap;
use std::time::Duration;

use engine::game::Seat;
use tokio::sync::watch;

use referee::record::Summary;

/// A bot that takes longer is never quick, even under a longer limit. It shares the core with all programs
/// that the others start.
const LIMIT_MAX: Duration = Duration::from_secs(1);
/// Bots become quick if the slowest bot's mean time is below this fraction of the time for a move: 1/100.
const QUICK_SHARE: u32 = 100;
/// Bots remain quick as long as that time is below this fraction: 1/20.
const THINKING_SHARE: u32 = 20;

/// The current kind of the bots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct State {
    quick: bool,
    /// True once there are no more matches.
    over: bool,
}

/// The detector of thinking bots, shared by all workers.
#[derive(Debug)]
pub(crate) struct ThinkTimeDetector {
    limit: Duration,
    state: watch::Sender<State>,
}

impl ThinkTimeDetector {
    /// A detector that starts in the state "thinking". `limit` is the bots' time for a move.
    pub(crate) fn new(limit: Duration) -> ThinkTimeDetector {
        ThinkTimeDetector { limit: limit.min(LIMIT_MAX), state: watch::Sender::new(State::default()) }
    }

    /// Returns true if bots answer at once.
    pub(crate) fn is_quick(&self) -> bool {
        self.state.borrow().quick
    }

    /// Waits until bots answer at once, or until there are no more matches.
    pub(crate) async fn quick(&self) {
        let mut changes = self.state.subscribe();
        let _ = changes.wait_for(|state| state.quick || state.over).await;
    }

    /// Wakes all waiting tasks after the last match.
    pub(crate) fn end(&self) {
        self.state.send_modify(|state| state.over = true);
    }

    /// Updates the state from a finished match.
    pub(crate) fn learn(&self, summary: &Summary) {
        let mut sums: BTreeMap<Seat, (u64, u64)> = BTreeMap::new();
        for turn in summary.played().filter(|turn| turn.fault.is_none()) {
            let (count, sum_us) = sums.entry(turn.seat).or_default();
            (*count, *sum_us) = (*count + 1, *sum_us + turn.us);
        }
        let means_us = sums.into_values().map(|(count, sum_us)| sum_us / count);
        means_us.max().into_iter().for_each(|slowest_us| self.set(Duration::from_micros(slowest_us)));
    }

    fn set(&self, mean: Duration) {
        self.state.send_if_modified(|state| {
            let share = if state.quick { THINKING_SHARE } else { QUICK_SHARE };
            let quick = mean * share < self.limit;
            std::mem::replace(&mut state.quick, quick) != quick
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_are_quick_when_they_show_it_and_think_when_they_show_that() {
        let ms = Duration::from_millis;
        let pace = ThinkTimeDetector::new(ms(1_000));
        for (mean, quick) in
            [(ms(10), false), (ms(9), true), (ms(49), true), (ms(50), false), (ms(40), false)]
        {
            pace.set(mean);
            assert_eq!(pace.is_quick(), quick, "{mean:?}");
        }
        let patient = ThinkTimeDetector::new(ms(60_000));
        patient.set(ms(10));
        assert!(!patient.is_quick(), "a bot of 10 ms needs a fair share, however long it may take");
    }
}
