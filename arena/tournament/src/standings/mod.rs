//! Standings: a fold over the results of a tournament, blind to the order in which they arrive.
//!
//! `tally` is the fold, `counted` what it keeps of matches, `tables` what is made of it with the mathematics of
//! [`stats`]; here is what comes out.

mod counted;
mod tables;
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
    /// Matches that were played a second time because the machine was late, not the bot, or because a process failed
    /// that was kept from an earlier match.
    pub replayed: u64,
    /// The digest of all matches' digests in ascending order: equal digests, equal tournaments.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{32}$")))]
    pub digest: String,
    /// One row a bot, best first.
    pub rows: Vec<Row>,
    /// What the first seat is worth; `null` where no two bots sat in it against each other in turn.
    pub first_seat: Option<FirstSeat>,
    /// How many times as many deals the mean margins would need for the same intervals, if each bot
    /// played deals of its own; `null` where that cannot be said.
    pub pairing: Option<f64>,
    /// What the results say about the game itself.
    pub about: About,
    /// One entry for each ordered pair of bots that met; none with more than 2,016 pairs, which 64 bots have. Where bots
    /// sit alone, those that played the same deal met.
    pub crosstable: Vec<Encounter>,
    /// The probability that the bot of the row is better than that of the column, in percent, both in
    /// the order of the table; `null` on the diagonal and where nothing can be said. No rows with more than 64 bots.
    pub better: Vec<Vec<Option<f64>>>,
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
    /// Bots in one bracket cannot be told from its first one at 95 %; counted from 1.
    pub bracket: u32,
    /// The bot.
    pub bot: String,
    /// Its rating, faults being losses; `null` if it met no other bot.
    pub rating: Option<Rating>,
    /// Its rating without the encounters in which it or the other one failed; only in tournaments in
    /// which a bot failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating_played: Option<Rating>,
    /// How sure it is that it is ahead of the next row; `null` in the last one.
    pub next: Option<Next>,
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
    /// How often its score fell into each of the [`classes`](About::classes).
    pub scores: Vec<u64>,
    /// Faults by kind.
    pub faults: BTreeMap<FaultKind, u64>,
    /// The first fault in the order of matches, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_fault: Option<FirstFault>,
    /// Decisions that took more than 80 % of the limit and were in time.
    pub near_misses: u64,
    /// Times of its decisions, and beside them.
    pub time_us: Times,
}

impl Row {
    /// Faults of all kinds.
    pub fn faults_total(&self) -> u64 {
        self.faults.values().sum()
    }
}

/// A rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rating {
    /// In Elo: 0 is the mean of all bots, 400 more are odds of ten to one.
    pub elo: f64,
    /// Where it lies with 95 % confidence; `null` with fewer than two deals.
    pub ci95: Option<[f64; 2]>,
}

/// A bot against the next one in the table: in Elo, and where bots sit alone in points on the same
/// deals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Next {
    /// How far it is ahead.
    pub ahead: f64,
    /// Where that lies with 95 % confidence; `null` with fewer than two deals.
    pub ahead_ci95: Option<[f64; 2]>,
    /// The probability that it is the better one, in percent; `null` with fewer than two deals.
    pub better: Option<f64>,
    /// About how many more deals would tell them apart at 95 %, if the difference is what it seems;
    /// `null` where that cannot be said.
    pub more_deals: Option<u64>,
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

/// Times of a bot, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Times {
    /// Half of the decisions took no longer.
    pub median: u64,
    /// 99 % of the decisions took no longer.
    pub p99: u64,
    /// The longest.
    pub max: u64,
    /// Processor time while it owed no answer, in all matches together; left out where none was seen.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub off_turn: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(us: &u64) -> bool {
    *us == 0
}

/// What the first seat is worth, over all matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirstSeat {
    /// Share of the opponents that it beat, equal ranks counting half, in percent.
    pub points: f64,
    /// Mean difference to the scores of the other seats, with what the bots are worth taken out.
    pub mean_margin: f64,
    /// Where that lies with 95 % confidence; `null` with fewer than two deals.
    pub margin_ci95: Option<[f64; 2]>,
}

/// What the results say about the game itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct About {
    /// Where differences between scores come from; `null` with fewer than two bots or deals.
    pub luck: Option<Shares>,
    /// Mean distance between two scores at a table; `null` where nobody met.
    pub mean_distance: Option<f64>,
    /// The classes in which scores are counted; `null` without matches.
    pub classes: Option<Classes>,
}

/// Shares of the variance of scores, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shares {
    /// Between bots: strength.
    pub bots: f64,
    /// Between deals, in common to all bots.
    pub deals: f64,
    /// All other luck: deals that suit one bot and not the other, and chance within the match.
    pub rest: f64,
}

/// Classes of equal width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Classes {
    /// The lowest score of the first one.
    pub low: i64,
    /// How many scores are in each.
    pub width: u64,
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
    /// Where that lies with 95 % confidence; `null` with fewer than two deals.
    pub margin_ci95: Option<[f64; 2]>,
    /// How many times as many deals it would take without pairing; `null` where that cannot be said.
    pub pairing: Option<f64>,
}
