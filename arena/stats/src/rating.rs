//! Ratings: a fit of the Bradley-Terry model to all pairs at all tables. The order of matches has no
//! influence.
//!
//! A bot of strength `a` beats one of strength `b` with probability `1 / (1 + exp(b - a))`. A draw counts
//! as half a win. At a table of more than two seats, each pair is one such comparison (a composite
//! likelihood). The fit maximizes the likelihood. The uncertainty is the sandwich covariance with the deal
//! as cluster, so matches on one deal may depend on each other in any way.

use super::Estimate;
use super::results::{DealSums, Deals, Place, pairs_of, score};
use super::simultaneous::leader::leader;
use super::simultaneous::linear::Matrix;
use super::simultaneous::{Claims, difference_variance};

/// Elo for one unit of strength: odds of ten to one are 400 Elo.
pub const ELO_OF_ONE: f64 = 400.0 / std::f64::consts::LN_10;
/// Weight of the prior: each bot has a virtual win and a virtual loss of this weight against strength 0,
/// which together make a draw. The prior keeps every strength finite, and matters less with every match.
const PRIOR: f64 = 0.5;
/// The fit ends when no strength moves by more than this.
const STEP_MIN: f64 = 1e-10;
/// The most steps of Newton's method. The fit takes about ten, so this limit is never reached.
const STEPS_MAX: usize = 200;

/// Returns the expected share of wins of a bot with `strength` against one with strength `against`.
pub fn expected(strength: f64, against: f64) -> f64 {
    1.0 / (1.0 + (against - strength).exp())
}

/// The strengths of bots, in Elo. The mean over all bots that met another bot is 0.
#[derive(Clone, Debug)]
pub struct Ratings {
    elo: Vec<f64>,
    covariance: Matrix,
    /// By bot, the number of deals on which it met another bot.
    deals: Vec<u64>,
}

impl Ratings {
    /// Fits the ratings to all pairs for which `counts` returns true.
    pub fn fit(results: &impl Deals, counts: impl Fn(&Place, &Place) -> bool) -> Ratings {
        let scores = Scores::of(results, &counts);
        let met: Vec<usize> = (0..results.bots()).filter(|&bot| scores.deals[bot] > 0).collect();
        if met.is_empty() {
            // Without pairs there are no ratings, and matrices for thousands of bots would take seconds.
            return Ratings { elo: Vec::new(), covariance: Matrix::zeros(0, 0), deals: scores.deals };
        }
        let mut strengths = scores.strengths();
        let curvature = scores.curvature(&strengths).cholesky().expect("the prior makes it positive");
        let Scores { deals, met: matches, .. } = scores;
        drop(matches); // as large as the matrices below
        let inverse = curvature.inverse();
        drop(curvature);
        // The spread is symmetric, and so is the inverse.
        let half = inverse.times_transposed(&spread(&strengths, results, &counts));
        let mut covariance = half.times_transposed(&inverse);
        centre(&mut strengths, &mut covariance, &met);
        strengths.iter_mut().for_each(|strength| *strength *= ELO_OF_ONE);
        covariance.values.iter_mut().for_each(|value| *value *= ELO_OF_ONE.powi(2));
        Ratings { elo: strengths, covariance, deals }
    }

    /// Returns the rating of a bot, or `None` if it met no other bot.
    pub fn of(&self, bot: usize) -> Option<Estimate> {
        let deals = *self.deals.get(bot)?;
        (deals > 0).then(|| Estimate::of_sum(self.elo[bot], self.covariance[(bot, bot)], deals))
    }

    /// Compares all ratings at once. Bots with fewer than `deals_min` deals are in no claim.
    pub fn claims(&self, deals_min: u64) -> Claims {
        Claims::of(&self.elo, &self.covariance, &self.deals, deals_min)
    }

    /// Returns the best bot with at least `deals_min` deals, and its rating without its luck: the rating of the best of
    /// many bots is too high on average. Returns `None` without two such bots.
    pub fn leader(&self, claims: &Claims, deals_min: u64) -> Option<(usize, f64)> {
        let mut bots: Vec<usize> =
            (0..self.elo.len()).filter(|&bot| self.deals[bot] >= deals_min.max(2)).collect();
        bots.sort_by(|&one, &other| self.elo[other].total_cmp(&self.elo[one]));
        Some((*bots.first()?, leader(&bots, &self.elo, &self.covariance, &self.deals, claims)?))
    }

    /// Returns the rating of `bot` minus the rating of `other`, or `None` if either met no other bot.
    pub fn difference(&self, bot: usize, other: usize) -> Option<Estimate> {
        let deals = self.deals.get(bot)?.min(self.deals.get(other)?);
        let variance = || difference_variance(&self.covariance, bot, other);
        (*deals > 0).then(|| Estimate::of_sum(self.elo[bot] - self.elo[other], variance(), *deals))
    }
}

/// Subtracts the mean strength of the bots in `met` from all strengths, and transforms the covariance
/// accordingly.
fn centre(strengths: &mut [f64], covariance: &mut Matrix, met: &[usize]) {
    let mean = |values: &[f64]| met.iter().map(|&bot| values[bot]).sum::<f64>() / met.len() as f64;
    let of_strengths = mean(strengths);
    strengths.iter_mut().for_each(|strength| *strength -= of_strengths);
    let rows = covariance.values.chunks_exact(strengths.len());
    let means: Vec<f64> = rows.map(mean).collect(); // those of the columns are the same
    let of_means = mean(&means);
    for (place, value) in covariance.values.iter_mut().enumerate() {
        *value += of_means - means[place / means.len()] - means[place % means.len()];
    }
}

/// The results in the form that the likelihood needs.
struct Scores {
    /// By bot, its wins plus half of its draws.
    won: Vec<f64>,
    /// By pair, the number of meetings; symmetric.
    met: Matrix,
    deals: Vec<u64>,
}

impl Scores {
    fn of(results: &impl Deals, counts: &impl Fn(&Place, &Place) -> bool) -> Scores {
        let bots = results.bots();
        let (mut won, mut met) = (vec![0.0; bots], Matrix::zeros(bots, bots));
        let mut deals = vec![0; bots];
        let mut present: DealSums<()> = DealSums::new(bots);
        results.each(|deal| {
            for (one, other) in deal.tables().flat_map(pairs_of).filter(|(one, other)| counts(one, other)) {
                let score = score(one, other);
                for (bot, against, score) in [(one.bot, other.bot, score), (other.bot, one.bot, 1.0 - score)]
                {
                    won[bot as usize] += score;
                    met[(bot as usize, against as usize)] += 1.0;
                    present.of(bot as usize);
                }
            }
            present.take().into_iter().for_each(|(bot, ())| deals[bot] += 1);
        });
        Scores { won, met, deals }
    }

    /// Returns the strengths that maximize the likelihood. Uses Newton's method and halves each step until
    /// the likelihood does not fall. The logarithm of the likelihood is concave, so there is one maximum.
    fn strengths(&self) -> Vec<f64> {
        let mut strengths = vec![0.0; self.won.len()];
        let largest = |step: &[f64]| step.iter().fold(0.0, |largest: f64, part| largest.max(part.abs()));
        let mut height = self.height(&strengths);
        for _ in 0..STEPS_MAX {
            let curvature = self.curvature(&strengths).cholesky().expect("the prior makes it positive");
            let mut step = curvature.solve(&self.slope(&strengths));
            while largest(&step) > STEP_MIN {
                let next: Vec<f64> = strengths.iter().zip(&step).map(|(value, step)| value + step).collect();
                let higher = self.height(&next);
                if higher >= height {
                    (height, strengths) = (higher, next);
                    break;
                }
                step.iter_mut().for_each(|step| *step /= 2.0);
            }
            if largest(&step) <= STEP_MIN {
                break;
            }
        }
        strengths
    }

    /// Returns the logarithm of the likelihood.
    fn height(&self, strengths: &[f64]) -> f64 {
        let mut height = 0.0;
        for (bot, &strength) in strengths.iter().enumerate() {
            height += self.won[bot] * strength;
            height += PRIOR * (expected(strength, 0.0).ln() + expected(0.0, strength).ln());
            for (other, &against) in strengths[..bot].iter().enumerate() {
                // The logarithm of exp(strength) + exp(against), without overflow.
                let sum = strength.max(against) + (-(strength - against).abs()).exp().ln_1p();
                height -= self.met[(bot, other)] * sum;
            }
        }
        height
    }

    /// Returns the gradient of the log-likelihood.
    fn slope(&self, strengths: &[f64]) -> Vec<f64> {
        let slope = |(bot, &strength): (usize, &f64)| {
            let of_pair = |other: usize| self.met[(bot, other)] * expected(strength, strengths[other]);
            let prior = PRIOR * (1.0 - 2.0 * expected(strength, 0.0));
            self.won[bot] - (0..strengths.len()).map(of_pair).sum::<f64>() + prior
        };
        strengths.iter().enumerate().map(slope).collect()
    }

    /// Returns the negative Hessian of the log-likelihood.
    fn curvature(&self, strengths: &[f64]) -> Matrix {
        let bend = |one: f64, other: f64| expected(one, other) * expected(other, one);
        let mut curvature = self.met.clone();
        for (bot, &strength) in strengths.iter().enumerate() {
            let row = &mut curvature.values[bot * strengths.len()..][..strengths.len()];
            row.iter_mut().zip(strengths).for_each(|(met, &against)| *met *= -bend(strength, against));
            row[bot] = 2.0 * PRIOR * bend(strength, 0.0) - row.iter().sum::<f64>();
        }
        curvature
    }
}

/// Returns the variation of the gradient: the sum over deals of the outer products of the deals'
/// contributions. The virtual win and the virtual loss count as deals of their own. A bot that never won
/// therefore gets an interval with a width.
fn spread(strengths: &[f64], results: &impl Deals, counts: &impl Fn(&Place, &Place) -> bool) -> Matrix {
    let bots = strengths.len();
    let mut spread = Matrix::zeros(bots, bots);
    for (bot, &strength) in strengths.iter().enumerate() {
        let share = expected(strength, 0.0);
        spread[(bot, bot)] = PRIOR * ((1.0 - share).powi(2) + share.powi(2));
    }
    let mut parts: DealSums<f64> = DealSums::new(bots);
    results.each(|deal| {
        for (one, other) in deal.tables().flat_map(pairs_of).filter(|(one, other)| counts(one, other)) {
            let (bot, against) = (one.bot as usize, other.bot as usize);
            let surprise = score(one, other) - expected(strengths[bot], strengths[against]);
            *parts.of(bot) += surprise;
            *parts.of(against) -= surprise;
        }
        let parts = parts.take();
        for (place, &(bot, part)) in parts.iter().enumerate() {
            for &(other, other_part) in &parts[..=place] {
                spread[(bot.min(other), bot.max(other))] += part * other_part;
            }
        }
    });
    spread.mirror();
    spread
}
