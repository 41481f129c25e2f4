//! Standings: a fold over the results of a tournament. The order of the results makes no difference.
//!
//! `tally` is the fold and `counted` stores the matches. `tables` computes the tables with the mathematics of
//! [`stats`]. `numbers` sums up the numbers that bots send. This file has the types of the tables.

mod basis;
mod counted;
pub(crate) mod kept;
mod numbers;
pub mod ratings;
mod tables;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use engine::wire::FaultKind;
use serde::{Deserialize, Serialize};

use crate::plan::Skipped;
use crate::schedule::Outcome;
use referee::play::time_control::OwnLimits;

pub use basis::Basis;
pub use numbers::{NumberRow, NumberTally};
pub use tally::Tally;

/// With fewer deals than this, the tables have no intervals, probabilities, or tiers: an uncertainty that is
/// measured on a handful of deals is itself too uncertain.
pub const DEALS_MIN: u64 = 8;

/// The tables of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Standings {
    /// The name of the game.
    pub game: String,
    /// Seats at a table.
    pub seats: usize,
    /// The number of matches counted.
    pub matches: u64,
    /// The number of deals played.
    pub deals: u64,
    /// The number of matches that were replayed because the machine was late, or because a process kept from
    /// an earlier match failed.
    pub replayed: u64,
    /// The number of moves that came after their limit and count, because others had the processors.
    #[serde(default, skip_serializing_if = "referee::record::is_default")]
    pub credited: u64,
    /// The number of counted timeouts for which the kernel did not tell who had the processors.
    #[serde(default, skip_serializing_if = "referee::record::is_default")]
    pub untold_timeouts: u64,
    /// The digest of all matches' digests in ascending order. Equal tournaments have equal digests.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{32}$")))]
    pub digest: String,
    /// One row a bot, best first.
    pub rows: Vec<Row>,
    /// The advantage of the first seat; `null` if no two bots took turns in it against each other.
    pub first_seat: Option<FirstSeat>,
    /// The factor by which the number of deals would grow for the same intervals of the mean margins, if each
    /// bot played deals of its own; `null` if unknown.
    pub pairing: Option<f64>,
    /// Statistics about the game itself.
    pub about: About,
    /// One entry for each ordered pair of bots that met. Empty with more than 2,016 pairs, the number of
    /// pairs of 64 bots. Solo players count as having met if they played the same deal.
    pub crosstable: Vec<Encounter>,
    /// The probability that the bot of the row is better than the bot of the column, in percent. Rows and
    /// columns have the order of the table. `null` on the diagonal and if unknown. Empty with more than 64
    /// bots.
    pub better: Vec<Vec<Option<f64>>>,
    /// The table of the schedule, if it has one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The best bot with a rating that does not contain its luck; absent with fewer than three bots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leader: Option<Leader>,
    /// The difference between each copy of a bot and the original. All of it is chance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<CopyNoise>,
    /// What has changed between the matches, because the tournament was continued with `--force`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// The bots that were withdrawn. Their matches count for nobody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withdrawn: Vec<String>,
    /// The bots that could not start and were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
    /// The bots whose files were others when the tournament went on. They played with what was held at its beginning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub older: Vec<String>,
    /// The bots that played with their own files, which were watched, and not with copies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unheld: Vec<String>,
}

/// The leader of a table. The measured rating of the best of many bots is too high on average, because it is also the
/// luckiest one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Leader {
    /// The bot.
    pub bot: String,
    /// Its rating in Elo, moved towards the bots close to it (empirical Bayes).
    pub elo: f64,
}

/// A bot and its copy, which plays with other random numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CopyNoise {
    /// The bot.
    pub bot: String,
    /// Its copy.
    pub copy: String,
    /// Mean difference of the scores of the bot and its copy.
    pub mean_margin: f64,
    /// The 95 % confidence interval of the mean margin; `null` with fewer than 8 deals.
    pub margin_ci95: Option<[f64; 2]>,
}

/// One bot's row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// Place in the table; equal results share it.
    pub rank: u32,
    /// The first and the last tier of the bot, from 1. Bots differ significantly if they share no tier. With a
    /// confidence of 95 %, none of these differences in the table is wrong.
    #[serde(default)]
    pub tiers: [u32; 2],
    /// The best and the worst rank that the bot can have, if all significant differences are right.
    #[serde(default)]
    pub ranks: [u32; 2],
    /// The bot.
    pub bot: String,
    /// Its own limits, if they differ from those of the tournament.
    #[serde(default, skip_serializing_if = "OwnLimits::is_empty")]
    pub limits: OwnLimits,
    /// Its rating, with faults as losses; `null` if it met no other bot.
    pub rating: Option<Rating>,
    /// Its rating without the encounters in which one of the two bots had a fault. Only in tournaments with
    /// faults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating_played: Option<Rating>,
    /// The comparison with the next row; `null` in the last one.
    pub next: Option<Next>,
    /// Matches played.
    pub matches: u64,
    /// Matches in which it alone was first.
    pub won: u64,
    /// Matches in which it shared the first place.
    pub drawn: u64,
    /// All other matches.
    pub lost: u64,
    /// The share of opponents that it beat, in percent; an equal rank counts half.
    pub points: f64,
    /// Mean score.
    pub mean_score: f64,
    /// The 95 % confidence interval of the mean score; `null` with fewer than 8 deals.
    pub ci95: Option<[f64; 2]>,
    /// Mean difference to the scores of its opponents.
    pub mean_margin: f64,
    /// The 95 % confidence interval of the mean margin; `null` with fewer than 8 deals.
    pub margin_ci95: Option<[f64; 2]>,
    /// Mean rank at its tables.
    pub mean_rank: f64,
    /// The number of its scores in each of the [`classes`](About::classes).
    pub scores: Vec<u64>,
    /// Faults by kind.
    pub faults: BTreeMap<FaultKind, u64>,
    /// The first fault in the order of matches, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_fault: Option<FirstFault>,
    /// Slow moves: decisions in time that took more than 80 % of the limit.
    pub slow_moves: u64,
    /// Answers that were refused, after which the bot was asked again.
    #[serde(default, skip_serializing_if = "referee::record::is_default")]
    pub retries: u64,
    /// The times of its decisions, and its processor time outside of its turns.
    pub time_us: Times,
}

impl Row {
    /// The number of faults of all kinds.
    pub fn faults_total(&self) -> u64 {
        self.faults.values().sum()
    }
}

/// A rating.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rating {
    /// The rating in Elo. The mean of all bots is 0; a lead of 400 means odds of ten to one.
    pub elo: f64,
    /// The 95 % confidence interval; `null` with fewer than 8 deals.
    pub ci95: Option<[f64; 2]>,
}

/// A bot against the next one in the table: in Elo, or for solo games in points on the same deals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Next {
    /// The lead of the bot.
    pub ahead: f64,
    /// The 95 % confidence interval of the lead; `null` with fewer than 8 deals.
    pub ahead_ci95: Option<[f64; 2]>,
    /// The probability that it is the better one, in percent; `null` with fewer than 8 deals.
    pub better: Option<f64>,
    /// About this many further deals make the gap significant at 95 % among all gaps of the table, if the
    /// estimate is right. 0 if it is significant already, `null` if unknown.
    pub more_deals: Option<u64>,
}

/// The first fault of a bot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirstFault {
    /// Index of the match.
    #[serde(rename = "match")]
    pub index: u64,
    /// The id of the decision.
    pub id: u32,
    /// The kind of fault.
    pub kind: FaultKind,
    /// The question, the answer, and the remedy.
    pub detail: String,
}

/// Times of a bot, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Times {
    /// The median time of a decision.
    pub median: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The longest time.
    pub max: u64,
    /// Processor time outside of its turns, summed over all matches; absent if none was measured.
    #[serde(default, skip_serializing_if = "referee::record::is_default")]
    pub off_turn: u64,
}

/// The advantage of the first seat, over all matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirstSeat {
    /// The share of opponents that the first seat beat, in percent; an equal rank counts half.
    pub points: f64,
    /// Mean difference to the scores of the other seats, corrected for the strength of the bots.
    pub mean_margin: f64,
    /// The 95 % confidence interval of the mean margin; `null` with fewer than 8 deals.
    pub margin_ci95: Option<[f64; 2]>,
}

/// Statistics about the game itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct About {
    /// The sources of the variance of scores; `null` with fewer than two bots or 8 deals.
    pub luck: Option<Shares>,
    /// Mean distance between two scores at a table; `null` if no bots met.
    pub mean_distance: Option<f64>,
    /// The classes of the histograms of scores; `null` without matches.
    pub classes: Option<Classes>,
}

/// Shares of the variance of scores, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shares {
    /// Between bots: strength.
    pub bots: f64,
    /// Between deals, common to all bots.
    pub deals: f64,
    /// The remaining chance: deals that suit one bot and not the other, and chance within the match.
    pub rest: f64,
}

/// Classes of equal width. The first and the last class have all scores beyond them, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Classes {
    /// The lowest score of the first class.
    pub low: i64,
    /// The number of scores in each class.
    pub width: u64,
}

/// The results between two bots at the same tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Encounter {
    /// The bot.
    pub bot: String,
    /// The other bot.
    pub against: String,
    /// Matches in which both sat at the table.
    pub matches: u64,
    /// Matches in which the bot ranked before the other.
    pub won: u64,
    /// Matches with equal ranks.
    pub drawn: u64,
    /// Matches in which the bot ranked behind the other.
    pub lost: u64,
    /// Mean difference of the scores.
    pub mean_margin: f64,
    /// The 95 % confidence interval of the mean margin; `null` with fewer than 8 deals.
    pub margin_ci95: Option<[f64; 2]>,
    /// The probability that the true mean margin of this pair is above zero, in percent; `null` with fewer
    /// than 8 deals.
    #[serde(default)]
    pub ahead: Option<f64>,
    /// The factor by which the number of deals would grow without shared deals; `null` if unknown.
    pub pairing: Option<f64>,
}
