//! Standings: a fold over the results of a tournament, blind to the order in which they arrive.
//!
//! The unit of statistics is the deal: matches of one round share it, so an interval is computed
//! from the means of the rounds, not from single matches. `tally` is the fold, `by_round` the
//! means; here is what comes out of it.

pub(crate) mod by_round;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use engine::wire::FaultKind;
use serde::{Deserialize, Serialize};

use crate::schedule::Outcome;

pub use tally::Tally;

/// The tables of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Standings {
    /// Name of the game.
    pub game: String,
    /// Seats at a table.
    pub seats: usize,
    /// Matches counted.
    pub matches: u64,
    /// Deals that were played.
    pub deals: u64,
    /// Matches that were played a second time because the arena itself was late.
    pub replayed: u64,
    /// The digest of all matches' digests in ascending order: equal digests, equal tournaments.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{32}$")))]
    pub digest: String,
    /// One row a bot, best first.
    pub rows: Vec<Row>,
    /// What the first seat is worth; `null` where nobody sat opposite it.
    pub first_seat: Option<FirstSeat>,
    /// One entry for each ordered pair of bots that met.
    pub crosstable: Vec<Encounter>,
    /// The table of a schedule that has one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// One bot's row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// Place in the table; equal results share it.
    pub rank: u32,
    /// The bot.
    pub bot: String,
    /// Matches played.
    pub matches: u64,
    /// Matches in which it alone was first.
    pub won: u64,
    /// Matches in which it shared the first place.
    pub drawn: u64,
    /// All others.
    pub lost: u64,
    /// Share of the opponents at its tables that it beat, equal ranks counting half, in percent.
    pub points: f64,
    /// Mean score.
    pub mean_score: f64,
    /// Where the mean score lies with 95 % confidence; `null` with fewer than two deals.
    pub ci95: Option<[f64; 2]>,
    /// Mean difference to the scores of its opponents.
    pub mean_margin: f64,
    /// Where the mean margin lies with 95 % confidence; `null` with fewer than two deals.
    pub margin_ci95: Option<[f64; 2]>,
    /// Mean rank at its tables.
    pub mean_rank: f64,
    /// Faults by kind.
    pub faults: BTreeMap<FaultKind, u64>,
    /// The first fault in the order of matches, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_fault: Option<FirstFault>,
    /// Decisions that took more than 80 % of the limit and were in time.
    pub near_misses: u64,
    /// Times of its decisions.
    pub time_us: Times,
}

impl Row {
    /// Faults of all kinds.
    pub fn faults_total(&self) -> u64 {
        self.faults.values().sum()
    }
}

/// A fault with its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirstFault {
    /// Index of the match.
    #[serde(rename = "match")]
    pub index: u64,
    /// During which decision.
    pub id: u32,
    /// What kind.
    pub kind: FaultKind,
    /// What was asked, what came, what to do.
    pub detail: String,
}

/// Times of decisions, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Times {
    /// Half of the decisions took no longer.
    pub median: u64,
    /// 99 % of the decisions took no longer.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

/// What the first seat is worth, over all matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirstSeat {
    /// Share of the opponents that it beat, equal ranks counting half, in percent.
    pub points: f64,
    /// Mean difference to the scores of the other seats.
    pub mean_margin: f64,
    /// Where that lies with 95 % confidence; `null` with fewer than two deals.
    pub margin_ci95: Option<[f64; 2]>,
}

/// What happened between two bots at the same tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Encounter {
    /// The bot.
    pub bot: String,
    /// The other one.
    pub against: String,
    /// Matches in which both sat at the table.
    pub matches: u64,
    /// Of these, ranked before the other.
    pub won: u64,
    /// Equal ranks.
    pub drawn: u64,
    /// Ranked behind the other.
    pub lost: u64,
    /// Mean difference of the scores.
    pub mean_margin: f64,
}
