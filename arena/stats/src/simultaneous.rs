//! Claims about all pairs of a table at once: which bots differ, so that with 95 % confidence no claim is
//! wrong.
//!
//! Each pair has a studentized difference. The largest of them all has a distribution that depends on the
//! covariance of the values, and is simulated from it. Its 95 % quantile decides for every pair. After the
//! clearest pairs are decided, the largest difference of the others has a smaller quantile, and so on (the
//! step-down method of Romano and Wolf, 2005). `docs/statistics.md` has the measured error rates.

pub(super) mod leader;
pub(super) mod linear;
pub(super) mod tier;

use std::collections::HashMap;
use std::f64::consts::TAU;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, Normal};

use super::estimate::{ERROR, Estimate};
use super::results::{DealSums, Deals};
use linear::{Cholesky, Matrix};

/// The seed of the simulation. The same results always give the same table.
const SEED: u64 = 1;
/// The number of simulated tables for up to [`FEW_BOTS`], and for up to [`SIMULATED_BOTS_MAX`].
const DRAWS: usize = 5_000;
const DRAWS_OF_MANY: usize = 1_000;
const FEW_BOTS: usize = 200;
/// With more bots than this, each pair gets an equal part of the error instead (Bonferroni).
const SIMULATED_BOTS_MAX: usize = 1_000;

/// The significant differences of a table: for each pair of bots, which one is ahead, if the difference is
/// significant. With 95 % confidence, all of these claims are right.
#[derive(Clone, Debug)]
pub struct Claims {
    bots: usize,
    /// By bot and other bot, true if the bot is ahead.
    ahead: Vec<bool>,
    /// The level at which each of the undecided pairs was tested.
    level: f64,
    /// The level at which each pair was tested while all were undecided.
    level_of_all: f64,
}

impl Claims {
    /// Returns true if `bot` is better than `other`.
    pub fn is_ahead(&self, bot: usize, other: usize) -> bool {
        bot < self.bots && other < self.bots && self.ahead[bot * self.bots + other]
    }

    /// Returns true if one of the two is better than the other.
    pub fn differ(&self, bot: usize, other: usize) -> bool {
        self.is_ahead(bot, other) || self.is_ahead(other, bot)
    }

    /// Returns half of the width of the interval of an undecided difference that must leave out zero for a
    /// claim, or `None` with fewer than two deals.
    pub fn half_width(&self, difference: &Estimate) -> Option<f64> {
        difference.half_width_at(self.level)
    }

    /// As [`half_width`](Self::half_width), while no pair is decided.
    pub(crate) fn half_width_of_all(&self, difference: &Estimate) -> Option<f64> {
        difference.half_width_at(self.level_of_all)
    }

    /// Returns the best and the worst rank that `bot` can have among `bots`, from 1 (Mogstad, Romano, Shaikh
    /// and Wilhelm, 2024).
    pub fn ranks(&self, bot: usize, bots: &[usize]) -> [u32; 2] {
        let count = |is_so: &dyn Fn(usize) -> bool| bots.iter().filter(|&&other| is_so(other)).count() as u32;
        let better = count(&|other| self.is_ahead(other, bot));
        let worse = count(&|other| self.is_ahead(bot, other));
        [1 + better, bots.len() as u32 - worse]
    }

    /// Compares values with this covariance. `deals` has the number of deals of each bot; bots with fewer
    /// than `deals_min` are in no claim.
    pub(crate) fn of(values: &[f64], covariance: &Matrix, deals: &[u64], deals_min: u64) -> Claims {
        let bots = values.len();
        let mut claims = Claims { bots, ahead: vec![false; bots * bots], level: ERROR, level_of_all: ERROR };
        let met: Vec<usize> = (0..bots).filter(|&bot| deals[bot] >= deals_min.max(2)).collect();
        let pairs = met.iter().enumerate().flat_map(|(place, &other)| {
            met[..place].iter().map(move |&bot| Pair::of(bot, other, values, covariance, deals))
        });
        if bots > SIMULATED_BOTS_MAX {
            // So many pairs are not kept.
            claims.level = ERROR / (met.len() * met.len().saturating_sub(1) / 2).max(1) as f64;
            claims.level_of_all = claims.level;
            let mut bounds = Bounds::new(claims.level);
            pairs.filter(|pair| bounds.is_significant(pair)).for_each(|pair| claims.add(&pair));
            return claims;
        }
        let mut open: Vec<Pair> = pairs.collect();
        let draws = Draws::of(covariance, if bots <= FEW_BOTS { DRAWS } else { DRAWS_OF_MANY });
        if !open.is_empty() {
            claims.level_of_all = draws.level(&open);
        }
        while !open.is_empty() {
            claims.level = draws.level(&open);
            let mut bounds = Bounds::new(claims.level);
            let (found, rest): (Vec<Pair>, Vec<Pair>) =
                open.into_iter().partition(|pair| bounds.is_significant(pair));
            found.iter().for_each(|pair| claims.add(pair));
            open = if found.is_empty() { Vec::new() } else { rest };
        }
        claims
    }

    fn add(&mut self, pair: &Pair) {
        let (first, last) = if pair.ratio > 0.0 { (pair.bot, pair.other) } else { (pair.other, pair.bot) };
        self.ahead[first * self.bots + last] = true;
    }
}

/// A pair of bots that is not decided yet.
struct Pair {
    bot: usize,
    other: usize,
    /// The difference in standard errors.
    ratio: f64,
    /// One over the standard deviation of the simulated difference, or 0 if that is 0.
    scale: f64,
    deals: u64,
}

impl Pair {
    fn of(bot: usize, other: usize, values: &[f64], covariance: &Matrix, deals: &[u64]) -> Pair {
        let variance = difference_variance(covariance, bot, other);
        let deals = deals[bot].min(deals[other]);
        let Estimate { value, error, .. } = Estimate::of_sum(values[bot] - values[other], variance, deals);
        let ratio = if value == 0.0 { 0.0 } else { value / error };
        Pair { bot, other, ratio, scale: if variance > 0.0 { 1.0 / variance.sqrt() } else { 0.0 }, deals }
    }
}

/// Returns the variance of the difference of two values with this covariance. It is never negative.
pub(crate) fn difference_variance(covariance: &Matrix, one: usize, other: usize) -> f64 {
    let at = |row: usize, column: usize| covariance[(row, column)];
    (at(one, one) + at(other, other) - 2.0 * at(one, other)).max(0.0)
}

/// Simulated tables: a row each, with the deviation of every bot from its true value.
struct Draws(Matrix);

impl Draws {
    /// Draws normal values with this covariance.
    fn of(covariance: &Matrix, count: usize) -> Draws {
        let bots = covariance.columns;
        // The values have a mean of 0, so one of them is known from the others. The addition makes the matrix
        // invertible and changes no bound visibly.
        let trace: f64 = (0..bots).map(|bot| covariance[(bot, bot)]).sum();
        let addition = 1e-9 * trace / bots.max(1) as f64 + f64::MIN_POSITIVE;
        let mut regular = covariance.clone();
        (0..bots).for_each(|bot| regular[(bot, bot)] += addition);
        let Some(Cholesky(factor)) = regular.cholesky() else { return Draws(Matrix::zeros(0, bots)) };
        let (mut random, mut draws) = (ChaCha8Rng::seed_from_u64(SEED), Matrix::zeros(count, bots));
        draws.values.fill_with(|| normal(&mut random));
        Draws(draws.times_transposed(&factor))
    }

    /// Returns the level at which each pair is tested, such that one of the open pairs is above its bound in
    /// the share [`ERROR`] of the simulated tables. Without simulated tables each pair gets an equal part.
    fn level(&self, open: &[Pair]) -> f64 {
        if let [_] = open {
            return ERROR;
        }
        let bots = self.0.columns;
        let largest = |draw: &[f64]| {
            let difference = |pair: &Pair| (draw[pair.bot] - draw[pair.other]).abs() * pair.scale;
            open.iter().map(difference).fold(0.0, f64::max)
        };
        let mut largest: Vec<f64> = self.0.values.chunks_exact(bots.max(1)).map(largest).collect();
        largest.sort_unstable_by(f64::total_cmp);
        let place = ((1.0 - ERROR) * largest.len() as f64) as usize;
        largest.get(place).map_or(ERROR / open.len() as f64, |bound| 2.0 * Normal::standard().sf(*bound))
    }
}

/// Returns a standard normal number (Box-Muller).
pub(crate) fn normal(random: &mut impl Rng) -> f64 {
    let mut share = || 1.0 - random.random::<f64>();
    (-2.0 * share().ln()).sqrt() * (TAU * share()).cos()
}

/// The bounds of differences at one level, by the number of deals.
struct Bounds {
    level: f64,
    known: HashMap<u64, f64>,
}

impl Bounds {
    fn new(level: f64) -> Bounds {
        Bounds { level, known: HashMap::new() }
    }

    fn is_significant(&mut self, pair: &Pair) -> bool {
        let level = self.level;
        pair.ratio.abs() > *self.known.entry(pair.deals).or_insert_with(|| bound(level, pair.deals))
    }
}

/// Returns the number of standard errors at which a difference over `deals` deals is significant at this
/// level.
fn bound(level: f64, deals: u64) -> f64 {
    Estimate { value: 0.0, error: 1.0, deals }.half_width_at(level).expect("two deals or more")
}

/// Compares the mean scores of bots that played the same deals, each alone.
pub fn score_claims(results: &impl Deals, deals_min: u64) -> Claims {
    let bots = results.bots();
    let mut means = vec![0.0; bots];
    let mut deals = vec![0_u64; bots];
    on_deals(results, |scores| {
        for &(bot, score) in scores {
            means[bot] += score;
            deals[bot] += 1;
        }
    });
    deals.iter().enumerate().for_each(|(bot, &deals)| means[bot] /= deals.max(1) as f64);
    let mut covariance = Matrix::zeros(bots, bots);
    on_deals(results, |scores| {
        for (place, &(bot, score)) in scores.iter().enumerate() {
            for &(other, other_score) in &scores[..=place] {
                let part = (score - means[bot]) * (other_score - means[other]);
                covariance[(bot.min(other), bot.max(other))] += part / (deals[bot] * deals[other]) as f64;
            }
        }
    });
    covariance.mirror();
    Claims::of(&means, &covariance, &deals, deals_min)
}

/// Calls `show` for each deal with the bots that played it and their mean scores.
fn on_deals(results: &impl Deals, mut show: impl FnMut(&[(usize, f64)])) {
    let mut sums: DealSums<(f64, u64)> = DealSums::new(results.bots());
    results.each(|deal| {
        for place in deal.places() {
            let (sum, count) = sums.of(place.bot as usize);
            (*sum, *count) = (*sum + f64::from(place.score), *count + 1);
        }
        let scores: Vec<(usize, f64)> =
            sums.take().into_iter().map(|(bot, (sum, count))| (bot, sum / count as f64)).collect();
        show(&scores);
    });
}
