//! Time control: the limits of a match, and the remaining time of a seat. This module does arithmetic only
//! and reads no clock.

use std::time::Duration;

use engine::wire::Limits;
use serde::{Deserialize, Serialize};

/// The time limits of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(into = "Limits", from = "Limits")]
pub struct TimeControl {
    /// The limit from the start of the program to its `ready`.
    pub startup: Duration,
    /// The limit of one decision.
    pub per_move: Duration,
    /// The time bank for all decisions of a match together.
    pub per_match: Option<Duration>,
}

impl Default for TimeControl {
    fn default() -> TimeControl {
        TimeControl { startup: Duration::from_secs(10), per_move: Duration::from_secs(1), per_match: None }
    }
}

impl From<TimeControl> for Limits {
    fn from(control: TimeControl) -> Limits {
        Limits {
            startup_ms: whole_ms(control.startup),
            move_ms: whole_ms(control.per_move),
            match_ms: control.per_match.map(whole_ms),
        }
    }
}

impl From<Limits> for TimeControl {
    fn from(limits: Limits) -> TimeControl {
        TimeControl {
            startup: Duration::from_millis(limits.startup_ms),
            per_move: Duration::from_millis(limits.move_ms),
            per_match: limits.match_ms.map(Duration::from_millis),
        }
    }
}

impl TimeControl {
    /// Returns the command-line options that set these limits.
    pub fn options(&self) -> String {
        let ms = |time: Duration| format!("{}ms", time.as_millis());
        let bank = self.per_match.map_or(String::new(), |bank| format!(" --match-time {}", ms(bank)));
        format!(" --startup-time {} --move-time {}{bank}", ms(self.startup), ms(self.per_move))
    }
}

/// Returns whole milliseconds, rounded down. A bot is never promised more time than it has.
pub(crate) fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns whole microseconds, rounded down.
pub fn whole_us(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The clock of one seat in one match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    per_move: Duration,
    bank: Option<Duration>,
}

impl Clock {
    /// Creates a full clock.
    pub fn new(control: &TimeControl) -> Clock {
        Clock { per_move: control.per_move, bank: control.per_match }
    }

    /// Returns the time for the next decision: the smaller of the move limit and the bank.
    pub fn budget(&self) -> Duration {
        self.bank.map_or(self.per_move, |bank| bank.min(self.per_move))
    }

    /// Subtracts the time of a decision from the bank.
    pub(crate) fn charge(&mut self, elapsed: Duration) {
        self.bank = self.bank.map(|bank| bank.saturating_sub(elapsed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn the_bank_caps_the_budget_of_a_move() {
        let control = TimeControl { startup: MS, per_move: 100 * MS, per_match: Some(250 * MS) };
        let mut clock = Clock::new(&control);
        assert_eq!(clock.budget(), 100 * MS);
        clock.charge(90 * MS);
        clock.charge(90 * MS);
        assert_eq!(clock.budget(), 70 * MS);
        clock.charge(80 * MS);
        assert_eq!(clock.budget(), Duration::ZERO);
    }

    #[test]
    fn without_a_bank_every_move_has_the_same_budget() {
        let mut clock = Clock::new(&TimeControl { startup: MS, per_move: 7 * MS, per_match: None });
        clock.charge(6 * MS);
        assert_eq!(clock.budget(), 7 * MS);
    }
}
