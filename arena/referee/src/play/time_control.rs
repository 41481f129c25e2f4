//! Time control: the limits of a seat in a match, and its remaining time. This module does arithmetic only
//! and reads no clock.

use std::time::Duration;

use engine::wire::Limits;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The limits of a seat in a match: its time, and its budget.
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
    /// The time that the bank gets after each decision.
    pub increment: Duration,
    /// The work for one decision, in a unit of the bot's own choosing. The bot is told, and nothing checks it.
    pub budget: Option<u64>,
}

/// Limits that differ from those of the tournament. An empty field keeps the tournament's limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct OwnLimits {
    /// The limit from the start of the program to its `ready`, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup_ms: Option<u64>,
    /// The limit of one decision, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub move_ms: Option<u64>,
    /// The time bank for all decisions of a match together, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_ms: Option<u64>,
    /// The time that the bank gets after each decision, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u64>,
    /// The work for one decision, in a unit of the bot's own choosing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
}

impl OwnLimits {
    /// The keys of the limits in a league file and in `--limit`, in the order of the fields.
    pub const KEYS: [&str; 5] = ["startup-time", "move-time", "match-time", "increment", "budget"];

    /// Returns true if all fields are empty.
    pub fn is_empty(&self) -> bool {
        *self == OwnLimits::default()
    }

    /// Returns these limits, with missing ones filled in from others.
    #[must_use]
    pub fn over(self, lower: OwnLimits) -> OwnLimits {
        OwnLimits {
            startup_ms: self.startup_ms.or(lower.startup_ms),
            move_ms: self.move_ms.or(lower.move_ms),
            match_ms: self.match_ms.or(lower.match_ms),
            increment_ms: self.increment_ms.or(lower.increment_ms),
            budget: self.budget.or(lower.budget),
        }
    }

    /// Returns all limits of a seat. Missing ones are those of `table`.
    pub fn at(self, table: TimeControl) -> TimeControl {
        let Limits { startup_ms, move_ms, match_ms, increment_ms, budget } = table.into();
        TimeControl::from(Limits {
            startup_ms: self.startup_ms.unwrap_or(startup_ms),
            move_ms: self.move_ms.unwrap_or(move_ms),
            match_ms: self.match_ms.or(match_ms),
            increment_ms: self.increment_ms.unwrap_or(increment_ms),
            budget: self.budget.or(budget),
        })
    }

    /// Returns the limits as keys and values of a league file, such as `move-time=2s`.
    pub fn settings(&self) -> Vec<String> {
        let OwnLimits { startup_ms, move_ms, match_ms, increment_ms, budget } = *self;
        let times = [startup_ms, move_ms, match_ms, increment_ms].map(|ms| Some(format!("{}ms", ms?)));
        let values = times.into_iter().chain([budget.map(|budget| budget.to_string())]);
        let settings = OwnLimits::KEYS.into_iter().zip(values);
        settings.filter_map(|(key, value)| Some(format!("{key}={}", value?))).collect()
    }
}

impl Default for TimeControl {
    fn default() -> TimeControl {
        TimeControl::new(Duration::from_secs(10), Duration::from_secs(1))
    }
}

impl From<TimeControl> for Limits {
    fn from(control: TimeControl) -> Limits {
        Limits {
            startup_ms: whole_ms(control.startup),
            move_ms: whole_ms(control.per_move),
            match_ms: control.per_match.map(whole_ms),
            increment_ms: whole_ms(control.increment),
            budget: control.budget,
        }
    }
}

impl From<Limits> for TimeControl {
    fn from(limits: Limits) -> TimeControl {
        TimeControl {
            startup: Duration::from_millis(limits.startup_ms),
            per_move: Duration::from_millis(limits.move_ms),
            per_match: limits.match_ms.map(Duration::from_millis),
            increment: Duration::from_millis(limits.increment_ms),
            budget: limits.budget,
        }
    }
}

impl TimeControl {
    /// Returns limits for the start and for one decision, without a bank and without a budget.
    pub const fn new(startup: Duration, per_move: Duration) -> TimeControl {
        TimeControl { startup, per_move, per_match: None, increment: Duration::ZERO, budget: None }
    }

    /// Returns the command-line options that set these limits.
    pub fn options(&self) -> String {
        let all: Vec<String> = OwnLimits::from(*self).settings();
        all.iter().map(|setting| format!(" --{}", setting.replacen('=', " ", 1))).collect()
    }

    /// Returns these limits for the bot of this name, if they fit together.
    ///
    /// # Errors
    /// There is an increment and no bank.
    pub fn checked(self, bot: &str) -> Result<TimeControl, Error> {
        match self.per_match {
            None if !self.increment.is_zero() => Err(Error::usage(format!(
                "bot {bot:?} has an increment of {:?} and no match time",
                self.increment
            ))
            .hint("the increment is added to the match time after each move: set match-time, too")),
            _ => Ok(self),
        }
    }
}

/// Returns whole milliseconds, rounded down. A bot is never promised more time than it has.
pub fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns whole microseconds, rounded down.
pub fn whole_us(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl From<TimeControl> for OwnLimits {
    fn from(control: TimeControl) -> OwnLimits {
        let Limits { startup_ms, move_ms, match_ms, increment_ms, budget } = control.into();
        let increment_ms = Some(increment_ms).filter(|&ms| ms > 0);
        OwnLimits { startup_ms: Some(startup_ms), move_ms: Some(move_ms), match_ms, increment_ms, budget }
    }
}

/// The clock of one seat in one match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    per_move: Duration,
    bank: Option<Duration>,
    increment: Duration,
    /// The time of the current decision so far. More than zero only while the bot is asked again.
    spent: Duration,
}

impl Clock {
    /// Creates a full clock.
    pub fn new(control: &TimeControl) -> Clock {
        let TimeControl { per_move, per_match: bank, increment, .. } = *control;
        Clock { per_move, bank, increment, spent: Duration::ZERO }
    }

    /// Returns the time for the next answer: the smaller of what is left of the move limit and of the bank.
    pub fn budget(&self) -> Duration {
        let of_move = self.per_move.saturating_sub(self.spent);
        self.bank.map_or(of_move, |bank| bank.min(of_move))
    }

    /// Subtracts the time of an answer.
    pub(crate) fn charge(&mut self, elapsed: Duration) {
        self.spent += elapsed;
        self.bank = self.bank.map(|bank| bank.saturating_sub(elapsed));
    }

    /// Ends a decision: the bank gets the increment, and the next decision has the whole move limit.
    pub(crate) fn end_decision(&mut self) {
        self.spent = Duration::ZERO;
        self.bank = self.bank.map(|bank| bank.saturating_add(self.increment));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn decide(clock: &mut Clock, ms: u32) {
        clock.charge(ms * MS);
        clock.end_decision();
    }

    #[test]
    fn who_is_asked_again_has_what_is_left() {
        let (per_move, increment) = (100 * MS, 30 * MS);
        let control = TimeControl { per_match: Some(250 * MS), increment, ..TimeControl::new(MS, per_move) };
        let mut clock = Clock::new(&control);
        clock.charge(70 * MS);
        assert_eq!(clock.budget(), 30 * MS, "of the move");
        decide(&mut clock, 20);
        assert_eq!(clock.budget(), 100 * MS, "the bank has 190 ms");
        decide(&mut clock, 100);
        decide(&mut clock, 80);
        clock.charge(30 * MS);
        assert_eq!(clock.budget(), 40 * MS, "of the bank, without a second increment");
    }

    #[test]
    fn the_bank_caps_the_budget_of_a_move() {
        let control = TimeControl { per_move: 100 * MS, per_match: Some(250 * MS), ..TimeControl::default() };
        let mut clock = Clock::new(&control);
        assert_eq!(clock.budget(), 100 * MS);
        decide(&mut clock, 90);
        decide(&mut clock, 90);
        assert_eq!(clock.budget(), 70 * MS);
        decide(&mut clock, 80);
        assert_eq!(clock.budget(), Duration::ZERO);
    }

    #[test]
    fn without_a_bank_every_move_has_the_same_budget() {
        let mut clock = Clock::new(&TimeControl { per_move: 7 * MS, ..TimeControl::default() });
        decide(&mut clock, 6);
        assert_eq!(clock.budget(), 7 * MS);
    }

    #[test]
    fn the_bank_grows_after_each_decision_and_the_move_limit_caps_it() {
        let (per_move, increment) = (100 * MS, 30 * MS);
        let control = TimeControl { per_move, per_match: Some(50 * MS), increment, ..TimeControl::default() };
        let mut clock = Clock::new(&control);
        assert_eq!(clock.budget(), 50 * MS, "the first decision has no increment yet");
        decide(&mut clock, 50);
        assert_eq!(clock.budget(), 30 * MS, "a bank that was used up has the increment");
        decide(&mut clock, 0);
        decide(&mut clock, 10);
        assert_eq!(clock.budget(), 80 * MS, "more than at the start");
        decide(&mut clock, 0);
        assert_eq!(clock.budget(), 100 * MS, "the bank has 110 ms");
        decide(&mut clock, 100);
        assert_eq!(clock.budget(), 40 * MS);
    }

    #[test]
    fn an_increment_needs_a_bank() {
        let control = TimeControl { increment: MS, ..TimeControl::default() };
        assert!(control.checked("x").is_err());
        assert!(TimeControl { per_match: Some(MS), ..control }.checked("x").is_ok());
    }

    #[test]
    fn own_limits_replace_those_of_the_table() {
        let table = TimeControl { per_match: Some(9 * MS), ..TimeControl::default() };
        assert_eq!(OwnLimits::default().at(table), table);
        assert_eq!(OwnLimits::from(table).at(TimeControl::default()), table);
        let own = OwnLimits { move_ms: Some(2_000), budget: Some(7), ..OwnLimits::default() };
        assert_eq!(own.at(table), TimeControl { per_move: 2_000 * MS, budget: Some(7), ..table });
        assert_eq!(own.settings(), ["move-time=2000ms", "budget=7"]);
        assert_eq!(table.options(), " --startup-time 10000ms --move-time 1000ms --match-time 9ms");
    }
}
