//! Statistics: numbers in, answers out. Knows nothing of processes and files. Means over deals, paired
//! differences and ratings for the tables, and in [`sequential`] the test of `arena compare`.
//!
//! The deal is the block: whatever happens on one deal is added up first, because matches on one
//! deal are not independent. Every interval comes from how these sums differ from deal to deal.
//! `docs/statistics.md` has the methods in words, and what simulation says of them.

mod bracket;
mod deals;
mod estimate;
mod games;
mod pairs;
mod rating;
mod results;
pub mod sequential;
#[cfg(test)]
mod tests;

pub use bracket::brackets;
pub use deals::{BotMeans, DealMeans, bot_means};
pub use estimate::Estimate;
pub use games::{Histogram, Luck, SeatAdvantage, histogram, luck, mean_distance, seat_advantage};
pub use pairs::{Pair, Pairs};
pub use rating::{ELO_OF_ONE, Ratings, expected};
pub use results::{Deal, Deals, Place, Results};

/// To three decimals, so that files do not end in noise; never a negative zero.
pub fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0 + 0.0
}
