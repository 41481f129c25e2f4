//! The value of the leader without its luck. The best of many bots is partly the luckiest one, so its measured value
//! is too high on average.
//!
//! The estimate is empirical Bayes among the bots that are close to the leader: it moves the leader towards their mean,
//! the more so, the less they differ beyond chance. `docs/statistics.md` has the measured bias.

use super::linear::Matrix;
use super::{Claims, difference_variance};
use crate::estimate::Estimate;

/// A bot is close to the leader if it is behind by less than this share of the smallest significant difference.
/// Simulated leagues of many shapes have the least bias with this share.
const CLOSE: f64 = 0.8;

/// Returns the estimated true value of the bot with the largest value. `bots` are in order of their values, the best
/// first. Returns `None` without two bots.
pub(crate) fn leader(
    bots: &[usize],
    values: &[f64],
    covariance: &Matrix,
    deals: &[u64],
    claims: &Claims,
) -> Option<f64> {
    let [first, others @ ..] = bots else { return None };
    let is_close = |other: &&usize| {
        let variance = difference_variance(covariance, *first, **other);
        let lead = values[*first] - values[**other];
        let difference = Estimate::of_sum(lead, variance, deals[*first].min(deals[**other]));
        claims.half_width_of_all(&difference).is_some_and(|half| lead <= CLOSE * half)
    };
    let close: Vec<usize> = std::iter::once(first).chain(others.iter().filter(is_close)).copied().collect();
    if others.is_empty() || close.len() < 2 {
        return others.first().map(|_| values[*first]);
    }
    let count = close.len() as f64;
    let mean = close.iter().map(|&bot| values[bot]).sum::<f64>() / count;
    let squares: f64 = close.iter().map(|&bot| (values[bot] - mean).powi(2)).sum();
    let pairs = close
        .iter()
        .enumerate()
        .flat_map(|(place, &bot)| close[..place].iter().map(move |&other| (bot, other)));
    let between: f64 = pairs.map(|(bot, other)| difference_variance(covariance, bot, other)).sum();
    let chance = between / (count * (count - 1.0));
    let real = (squares / (count - 1.0) - chance).max(0.0);
    let share = if real > 0.0 { real / (real + chance) } else { 0.0 };
    Some(mean + share * (values[*first] - mean))
}
