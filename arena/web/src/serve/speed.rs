//! The rate at which matches arrive.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The time window of the measurement.
const WINDOW: Duration = Duration::from_secs(300);
/// The time between two notes of the number of matches.
pub(super) const NOTE_EVERY: Duration = Duration::from_secs(10);

/// Notes of the number of matches over the last minutes.
#[derive(Debug, Default)]
pub(super) struct Speed {
    notes: VecDeque<(Instant, u64)>,
}

impl Speed {
    /// Notes the number of matches, unless the last note is too recent.
    pub(super) fn note(&mut self, now: Instant, matches: u64) {
        if self.notes.back().is_none_or(|&(then, _)| now.duration_since(then) >= NOTE_EVERY) {
            self.notes.push_back((now, matches));
        }
        // Keep one note that is at least as old as the window, if there is one.
        while self.notes.get(1).is_some_and(|&(then, _)| now.duration_since(then) >= WINDOW) {
            self.notes.pop_front();
        }
    }

    /// Returns the matches per minute since the oldest note, or `None` if the note is too recent.
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
        // Two per second for ten minutes, then none.
        (1..=600).for_each(|second| speed.note(at(second), 500 + 2 * second));
        assert_eq!(speed.per_minute(at(600), 1700), Some(120.0));
        assert!(speed.notes.len() < 40, "{}", speed.notes.len());
        (601..=1000).for_each(|second| speed.note(at(second), 1700));
        assert_eq!(speed.per_minute(at(1000), 1700), Some(0.0));
    }
}
