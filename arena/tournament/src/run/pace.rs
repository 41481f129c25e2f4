//! Whether bots answer at once or think: what the number of matches at a time and the place of bots on the
//! cores follow from.
//!
//! Bots that think need a core each, or they would take each other's time. Bots that answer at once are best
//! beside the arena on one core, one match on each: a message between cores costs many times as much as one
//! on the same core. Which of the two a bot is shows in its answers, so it is not asked of the user.

use std::collections::BTreeMap;
use std::time::Duration;

use engine::game::Seat;
use tokio::sync::watch;

use referee::record::Summary;

/// No bot that takes longer is quick, however long the limit is: it shares the core with whatever the others start.
const LIMIT_MAX: Duration = Duration::from_secs(1);
/// Bots are quick when the slowest takes less than one part in so many of its time for a move, on average...
const QUICK_SHARE: u32 = 100;
/// ...and stay so up to one part in so many.
const THINKING_SHARE: u32 = 20;

/// How bots answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct State {
    quick: bool,
    /// There are no more matches.
    over: bool,
}

/// Shared by all workers.
#[derive(Debug)]
pub(crate) struct Pace {
    limit: Duration,
    state: watch::Sender<State>,
}

impl Pace {
    /// Bots think until they show that they do not. `limit` is their time for a move.
    pub(crate) fn new(limit: Duration) -> Pace {
        Pace { limit: limit.min(LIMIT_MAX), state: watch::Sender::new(State::default()) }
    }

    /// Whether bots answer at once.
    pub(crate) fn is_quick(&self) -> bool {
        self.state.borrow().quick
    }

    /// Returns when bots answer at once, or there are no more matches.
    pub(crate) async fn quick(&self) {
        let mut changes = self.state.subscribe();
        let _ = changes.wait_for(|state| state.quick || state.over).await;
    }

    /// Nobody needs to wait any more.
    pub(crate) fn end(&self) {
        self.state.send_modify(|state| state.over = true);
    }

    /// Learns from a finished match.
    pub(crate) fn learn(&self, played: &Summary) {
        let mut sums: BTreeMap<Seat, (u64, u64)> = BTreeMap::new();
        for turn in played.turns.iter().filter(|turn| turn.fault.is_none()) {
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
        let pace = Pace::new(ms(1_000));
        for (mean, quick) in
            [(ms(10), false), (ms(9), true), (ms(49), true), (ms(50), false), (ms(40), false)]
        {
            pace.set(mean);
            assert_eq!(pace.is_quick(), quick, "{mean:?}");
        }
        let patient = Pace::new(ms(60_000));
        patient.set(ms(10));
        assert!(!patient.is_quick(), "a bot of 10 ms needs a fair share, however long it may take");
    }
}
