//! Statistics: means over deals, paired differences, and ratings for the tables. [`sequential`] has the
//! test of `arena compare`. The crate knows no process and no file.
//!
//! The deal is the block. Matches on one deal are not independent, so each function first adds up the
//! results of a deal. The intervals come from the variation of these sums between deals.
//! `docs/statistics.md` describes the methods and their checks by simulation.
//!
#![doc = include_str!("../README.md")]

mod deals;
mod estimate;
mod games;
mod pairs;
pub mod planning;
mod rating;
mod results;
pub mod sequential;
mod simultaneous;
#[cfg(test)]
mod tests;

pub use deals::{BotMeans, DealMeans, bot_means};
pub use estimate::Estimate;
pub use games::{Histogram, Luck, SeatAdvantage, histogram, luck, mean_distance, seat_advantage};
pub use pairs::{Pair, Pairs};
pub use rating::{ELO_OF_ONE, Ratings, expected};
pub use results::{Deal, Deals, Place, Results};
pub use simultaneous::tier::tiers;
pub use simultaneous::{Claims, score_claims};

/// Rounds to three decimals, so that files do not end in noise. Never returns negative zero.
pub fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0 + 0.0
}
