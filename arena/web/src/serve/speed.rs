//! How fast matches come in.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Over how long it is measured.
const WINDOW: Duration = Duration::from_secs(300);
/// How often it is noted how many there are.
pub(super) const NOTE_EVERY: Duration = Duration::from_secs(10);

/// How many matches there were, now and then in the last minutes.
#[derive(Debug, Default)]
pub(super) struct Speed {
    notes: VecDeque<(Instant, u64)>,
}

impl Speed {
    /// There are so many now.
    pub(super) fn note(&mut self, now: Instant, matches: u64) {
        if self.notes.back().is_none_or(|&(then, _)| now.duration_since(then) >= NOTE_EVERY) {
            self.notes.push_back((now, matches));
        }
        // The oldest note is the last one that is as old as the window, or all there is.
        while self.notes.get(1).is_some_and(|&(then, _)| now.duration_since(then) >= WINDOW) {
            self.notes.pop_front();
        }
    }

    /// Matches a minute since the oldest note; `None` before there was time to tell.
    pub(super) fn per_minute(&self, now: Instant, matches: u64) -> Option<f64> {
        let &(then, before) = self.notes.front()?;
        let minutes = Some(now.duration_since(then)).filter(|&took| took >= NOTE_EVERY)?.as_secs_f64() / 60.0;
        Some(matches.saturating_sub(before) as f64 / minutes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_in_counts_over_the_last_minutes_alone() {
        let begin = Instant::now();
        let at = |seconds: u64| begin + Duration::from_secs(seconds);
        let mut speed = Speed::default();
        assert_eq!(speed.per_minute(at(0), 500), None);
        speed.note(at(0), 500);
        assert_eq!(speed.per_minute(at(5), 510), None, "too early");
        assert_eq!(speed.per_minute(at(30), 560), Some(120.0), "what was there before does not count");
        // Two a second for ten minutes, then none.
        (1..=600).for_each(|second| speed.note(at(second), 500 + 2 * second));
        assert_eq!(speed.per_minute(at(600), 1700), Some(120.0));
        assert!(speed.notes.len() < 40, "{}", speed.notes.len());
        (601..=1000).for_each(|second| speed.note(at(second), 1700));
        assert_eq!(speed.per_minute(at(1000), 1700), Some(0.0));
    }
}
