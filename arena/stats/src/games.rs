//! Statistics about the game itself: luck, seat advantage, and score distribution.

use std::collections::{BTreeMap, HashMap};

use super::pairs::Pairs;
use super::results::{Deals, Place, pairs_of, score};
use super::{DealMeans, Estimate};

/// The most classes of a histogram.
const CLASSES_MAX: i64 = 25;
/// The share of the scores that lies beyond the classes on each side, at most.
const BEYOND: f64 = 0.005;

/// The sources of differences between scores, as variances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Luck {
    /// The variance between bots: strength.
    pub bots: f64,
    /// The variance between deals, common to all bots.
    pub deals: f64,
    /// The remaining variance: a deal may suit one bot more than another, and matches have chance of their
    /// own.
    pub rest: f64,
}

/// Splits the variance of scores into its sources. The inputs are each bot's mean and variance over deals,
/// and the covariance of two bots' scores on one deal. Returns `None` with fewer than two bots or deals.
pub fn luck(scores: &[DealMeans], pairs: &Pairs) -> Option<Luck> {
    let played: Vec<&DealMeans> = scores.iter().filter(|scores| scores.deals() > 1).collect();
    let common: Vec<f64> =
        pairs.met().filter(|pair| pair.margin.deals() > 1).map(super::Pair::covariance).collect();
    if played.len() < 2 || common.is_empty() {
        return None;
    }
    let mean = |values: &mut dyn Iterator<Item = f64>, count: usize| values.sum::<f64>() / count as f64;
    let within = mean(&mut played.iter().map(|scores| scores.variance()), played.len());
    let noise = mean(&mut played.iter().map(|scores| scores.estimate().error.powi(2)), played.len());
    let mut means = DealMeans::default();
    played.iter().for_each(|scores| means.add(scores.estimate().value, 1));
    let deals = mean(&mut common.iter().copied(), common.len()).clamp(0.0, within);
    Some(Luck { bots: (means.variance() - noise).max(0.0), deals, rest: within - deals })
}

/// The advantage of the first seat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeatAdvantage {
    /// The share of opponents that the first seat beats, from 0 to 1. A draw counts as half.
    pub share: f64,
    /// The mean margin of the first seat over the other seats, in points, corrected for the strength of the
    /// bots.
    pub margin: Estimate,
}

/// Returns the advantage of the first seat. Only pairs count in which each bot had the first seat against
/// the other at least once. The correction for strength is half of the difference between the pair's mean
/// margins in the two seatings. Returns `None` without such pairs.
pub fn seat_advantage(results: &impl Deals) -> Option<SeatAdvantage> {
    // Sum and number of margins, by the bot in the first seat and its opponent.
    let mut sums: HashMap<(u32, u32), (f64, u64)> = HashMap::new();
    let margin = |first: &Place, other: &Place| f64::from(first.score) - f64::from(other.score);
    results.each(|deal| {
        for (first, other) in deal.tables().flat_map(against_first) {
            let (sum, count) = sums.entry((first.bot, other.bot)).or_default();
            (*sum, *count) = (*sum + margin(first, other), *count + 1);
        }
    });
    let mean = |bot: u32, other: u32| sums.get(&(bot, other)).map(|&(sum, count)| sum / count as f64);
    let (mut advantage, mut won, mut met) = (DealMeans::default(), 0.0, 0_u64);
    results.each(|deal| {
        let (mut sum, mut count) = (0.0, 0);
        for (first, other) in deal.tables().flat_map(against_first) {
            let (ahead, behind) = (mean(first.bot, other.bot), mean(other.bot, first.bot));
            if let (Some(ahead), Some(behind)) = (ahead, behind) {
                (sum, count) = (sum + margin(first, other) - (ahead - behind) / 2.0, count + 1);
                won += score(first, other);
            }
        }
        advantage.add(sum, count);
        met += count;
    });
    (met > 0).then(|| SeatAdvantage { share: won / met as f64, margin: advantage.estimate() })
}

/// Returns the first seat of a table paired with each other seat.
fn against_first(table: &[Place]) -> impl Iterator<Item = (&Place, &Place)> {
    let first = table.first().into_iter();
    let pairs = first.flat_map(|first| table[1..].iter().map(move |other| (first, other)));
    pairs.filter(|(first, other)| first.bot != other.bot)
}

/// Returns the mean absolute difference between two scores at a table, or `None` if no two bots met.
pub fn mean_distance(results: &impl Deals) -> Option<f64> {
    let distance =
        |(one, other): (&Place, &Place)| (i64::from(one.score) - i64::from(other.score)).abs() as f64;
    let (mut sum, mut count) = (0.0, 0_u64);
    results.each(|deal| {
        for distance in deal.tables().flat_map(pairs_of).map(distance) {
            (sum, count) = (sum + distance, count + 1);
        }
    });
    (count > 0).then(|| sum / count as f64)
}

/// The scores of each bot, counted in classes of equal width. The first and the last class have all scores beyond
/// them, too, so that a few extreme scores leave the others apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// The lowest score of the first class.
    pub low: i64,
    /// The number of different scores in a class.
    pub width: u64,
    /// The counts, by bot and class.
    pub counts: Vec<Vec<u64>>,
}

/// Counts the scores of all bots in the same classes, 15 to 25 of them for the middle 99 % of the scores, or fewer if
/// these have fewer values. Returns `None` without scores.
pub fn histogram(results: &impl Deals) -> Option<Histogram> {
    let mut times: BTreeMap<i64, u64> = BTreeMap::new();
    results.each(|deal| {
        deal.places().iter().for_each(|place| *times.entry(place.score.into()).or_default() += 1);
    });
    let beyond = (times.values().sum::<u64>() as f64 * BEYOND) as u64;
    let [low, high] = [edge(times.iter(), beyond)?, edge(times.iter().rev(), beyond)?];
    let classes = |width: i64| (high.div_euclid(width) - low.div_euclid(width) + 1) as usize;
    // A step to the next width leaves at least 15 of 25 classes.
    let steps = [10, 15, 20, 30, 40, 60];
    let mut widths = (0..).flat_map(|power| steps.map(|step| step * 10_i64.pow(power) / 10));
    let width = widths.find(|&width| classes(width) as i64 <= CLASSES_MAX)?;
    let low = low.div_euclid(width) * width;
    let mut counts = vec![vec![0; classes(width)]; results.bots()];
    results.each(|deal| {
        for place in deal.places() {
            let class = (i64::from(place.score) - low).div_euclid(width).clamp(0, classes(width) as i64 - 1);
            counts[place.bot as usize][class as usize] += 1;
        }
    });
    Some(Histogram { low, width: width as u64, counts })
}

/// Returns the first score that has more than `beyond` scores up to it.
fn edge<'a>(times: impl Iterator<Item = (&'a i64, &'a u64)>, beyond: u64) -> Option<i64> {
    let mut before = 0;
    times
        .map(|(&score, &count)| {
            before += count;
            (score, before)
        })
        .find(|&(_, before)| before > beyond)
        .map(|(score, _)| score)
}
