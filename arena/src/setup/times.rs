//! Time limits of bots, as options or in a league file.

use std::ops::Range;
use std::time::Duration;

use clap::{Args, value_parser};
use engine::wire::{NUMBER_MAX, WireFormat};
use serde::Deserialize;

use super::layers::layered;
use referee::bots::names::did_you_mean;
use referee::play::time_control::{OwnLimits, TimeControl, whole_ms};
use referee::record::MatchRecord;
use tournament::plan::TournamentFile;

/// The budgets that every language reads exactly.
const BUDGETS: Range<u64> = 1..NUMBER_MAX;
/// The longest time limit.
const TIME_MAX: Duration = Duration::from_secs(30 * 24 * 3600);

/// Time limits of all bots, and of single ones.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Times {
    /// Limit the time from start to "ready" [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Time and limits", hide_short_help = true)]
    #[serde(deserialize_with = "duration_text")]
    pub(crate) startup_time: Option<Duration>,
    /// Limit the time of a move [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Time and limits")]
    #[serde(deserialize_with = "duration_text")]
    pub(crate) move_time: Option<Duration>,
    /// Limit the time of all moves of a match [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Time and limits")]
    #[serde(deserialize_with = "duration_text")]
    pub(crate) match_time: Option<Duration>,
    /// Add this to the match time after each move [default: nothing]
    #[arg(long, value_name = "TIME", value_parser = increment, help_heading = "Time and limits", hide_short_help = true)]
    #[serde(deserialize_with = "increment_text")]
    pub(crate) increment: Option<Duration>,
    /// Tell bots how much work to do for a move, such as nodes; bundled bots do it [default: none]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(BUDGETS), help_heading = "Time and limits", hide_short_help = true)]
    #[serde(deserialize_with = "budget_number")]
    pub(crate) budget: Option<u64>,
    /// Set a limit for one bot, such as mine:move-time=2s; repeatable
    #[arg(long = "limit", value_name = "NAME:KEY=VALUE", value_parser = own_limit, help_heading = "Time and limits", hide_short_help = true)]
    #[serde(skip)]
    pub(crate) own: Vec<(String, OwnLimits)>,
}

layered!(
    Times:
    values startup_time, move_time, match_time, increment, budget;
    flags;
    typed own
);

impl Times {
    /// Returns the limits of a tournament's file.
    pub(crate) fn of<S>(file: &TournamentFile<S>) -> Times {
        let TimeControl { startup, per_move, per_match, increment, budget } = file.plan.limits;
        Times {
            startup_time: Some(startup),
            move_time: Some(per_move),
            match_time: per_match,
            increment: Some(increment).filter(|time| !time.is_zero()),
            budget,
            own: Vec::new(),
        }
    }

    /// Returns the limits by seat of a match that is played again. Options come before the record, and the record before
    /// the tournament.
    pub(crate) fn of_seats<G: WireFormat, S>(
        &self,
        record: &MatchRecord<G>,
        file: Option<&TournamentFile<S>>,
    ) -> Vec<TimeControl> {
        let table = self.clone().over(file.map_or(Times::default(), Times::of)).time_control();
        let limits = |(seat, name): (usize, &String)| {
            let bot = file.and_then(|file| file.plan.bots.iter().find(|bot| bot.name == *name));
            let there = record.limits.get(seat).copied();
            let there = there.unwrap_or_else(|| bot.map_or(table, |bot| bot.limits.at(table)));
            let own = self.own.iter().filter(|(bot, _)| bot == name);
            own.fold(self.own_limits().at(there), |limits, (_, own)| own.at(limits))
        };
        record.bots.iter().enumerate().map(limits).collect()
    }

    /// Returns the limits of bots without limits of their own, with missing ones filled in from the defaults.
    pub(crate) fn time_control(&self) -> TimeControl {
        self.own_limits().at(TimeControl::default())
    }

    /// Returns the limits that these options set.
    pub(crate) fn own_limits(&self) -> OwnLimits {
        let Times { startup_time, move_time, match_time, increment, budget, own: _ } = self;
        let ms = |time: &Option<Duration>| time.map(whole_ms);
        OwnLimits {
            startup_ms: ms(startup_time),
            move_ms: ms(move_time),
            match_ms: ms(match_time),
            increment_ms: ms(increment),
            budget: *budget,
        }
    }
}

/// Parses a limit of one bot, such as `mine:move-time=2s`.
fn own_limit(text: &str) -> Result<(String, OwnLimits), String> {
    let parts = text.rsplit_once(':').and_then(|(name, rest)| Some((name, rest.split_once('=')?)));
    let Some((name, (key, value))) = parts.filter(|(name, _)| !name.is_empty()) else {
        return Err("NAME:KEY=VALUE, such as mine:move-time=2s".to_owned());
    };
    if !OwnLimits::KEYS.contains(&key) {
        let near = did_you_mean(key, OwnLimits::KEYS);
        return Err(format!("unknown key {key:?}: {near}the keys are {}", OwnLimits::KEYS.join(", ")));
    }
    let number = value.parse().ok().filter(|_| key == "budget");
    let value = number.map_or_else(|| toml::Value::String(value.to_owned()), toml::Value::Integer);
    let table = toml::Table::from_iter([(key.to_owned(), value)]);
    let limits = Times::deserialize(table).map_err(|error| error.message().to_owned())?;
    Ok((name.to_owned(), limits.own_limits()))
}

/// Parses a time such as `250ms` or `2s`. The protocol has whole milliseconds, so a fraction is an error.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|_| "a time such as 250ms or 2s".to_owned())?;
    match time.subsec_nanos() % 1_000_000 {
        _ if time.is_zero() => Err("a time above zero, such as 250ms or 2s".to_owned()),
        _ if time > TIME_MAX => Err("a time of at most 30 days".to_owned()),
        0 => Ok(time),
        _ => Err("a time in whole milliseconds, such as 250ms".to_owned()),
    }
}

/// Parses the time that is added after each move. It may be zero, which gives a bot none.
fn increment(text: &str) -> Result<Duration, String> {
    let is_zero = humantime::parse_duration(text).is_ok_and(|time| time.is_zero());
    if is_zero { Ok(Duration::ZERO) } else { duration(text) }
}

fn increment_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    increment(&String::deserialize(deserializer)?).map(Some).map_err(serde::de::Error::custom)
}

fn budget_number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let is_in_range = |number: &i64| u64::try_from(*number).is_ok_and(|number| BUDGETS.contains(&number));
    let number = toml::Value::deserialize(deserializer)?.as_integer().filter(is_in_range);
    let number = number.ok_or_else(|| format!("a whole number from 1 to {}", NUMBER_MAX - 1));
    number.map(|number| u64::try_from(number).ok()).map_err(serde::de::Error::custom)
}

pub(crate) fn duration_text<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    duration(&text).map(Some).map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_whole_milliseconds_above_zero() {
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("1m 2s"), Ok(Duration::from_secs(62)));
        for wrong in ["0s", "10", "-1s", "1us", "soon", "400000y"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
