//! A sequential test: is the mean above H0, or below H1? The test looks after every deal and stops when it
//! can decide.
//!
//! The method is the generalised sequential probability ratio test: the log-likelihood ratio of H1 against
//! H0 for a normal mean. The variance is estimated from the samples so far. `docs/compare.md` describes the
//! method and its measured error rates.

mod walk;

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use walk::StoppedWalk;

/// The fewest deals before a decision. With fewer deals, the estimate of the variance is too uncertain.
pub const DEALS_MIN: u64 = 16;
/// The variance for the test is the sum of squares divided by the number of samples minus this constant. A
/// test that may stop after any deal stops too early if the first deals happen to vary little. With this
/// divisor, the measured error rates match the requested ones for every tested variance of the deals
/// (`docs/compare.md`).
const CAUTION: u64 = 6;
/// Bound of the exponent in `samples_to_go`. Beyond the bound, the walk leaves at one end almost surely.
/// The bound keeps `exp` finite.
const PULL_MAX: f64 = 500.0;
/// The mean overshoot of a random walk with normal steps over a bound, in standard deviations of a step
/// (Siegmund 1985). The test moves its bounds inwards by the overshoot to meet the requested error rates.
const OVERSHOOT: f64 = 0.583;

/// The hypotheses and error rates of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The mean under H0, in the unit of the samples.
    pub h0: f64,
    /// The mean under H1, above `h0`.
    pub h1: f64,
    /// The probability of accepting H1 if the true mean is `h0`; `alpha + beta < 1`.
    pub alpha: f64,
    /// The probability of accepting H0 if the true mean is `h1`.
    pub beta: f64,
    /// The step between possible values of a sample. The rounding error of the samples, `grain² / 12`, is
    /// the smallest variance that the test assumes. Equal samples therefore never
    /// make the test certain.
    pub grain: f64,
}

/// Sums over the samples, one sample for each deal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Samples {
    count: u64,
    sum: f64,
    squares: f64,
}

impl Samples {
    /// Adds a sample.
    pub fn add(&mut self, sample: f64) {
        self.count += 1;
        self.sum += sample;
        self.squares += sample * sample;
    }

    /// Returns the number of samples.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the mean, or 0 without samples.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// Returns the sample variance, or 0 with fewer than two samples.
    pub fn variance(&self) -> f64 {
        let count = self.count as f64;
        if self.count < 2 { 0.0 } else { ((self.squares - self.sum * self.mean()) / (count - 1.0)).max(0.0) }
    }
}

/// The decision of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The mean is above H0: status "better".
    H1,
    /// The mean is below H1: status "not better".
    H0,
}

/// The estimate of the mean after a test has stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean, corrected for early stopping.
    pub mean: f64,
    /// The confidence interval of the mean. The mean is below it with probability `alpha`, and above it with
    /// probability `beta`.
    pub interval: [f64; 2],
}

impl Sprt {
    fn variance(&self, samples: &Samples) -> f64 {
        samples.variance().max(self.grain * self.grain / 12.0)
    }

    /// Returns the variance for the test; see [`CAUTION`].
    fn cautious_variance(&self, samples: &Samples) -> f64 {
        let count = samples.count.max(CAUTION + 1);
        self.variance(samples) * (count - 1) as f64 / (count - CAUTION) as f64
    }

    /// Returns the standard deviation of one deal's contribution to the log-likelihood ratio.
    fn step(&self, samples: &Samples) -> f64 {
        (self.h1 - self.h0) / self.cautious_variance(samples).sqrt()
    }

    fn middle(&self) -> f64 {
        (self.h0 + self.h1) / 2.0
    }

    /// Returns the log-likelihood ratio of H1 against H0.
    pub fn llr(&self, samples: &Samples) -> f64 {
        let excess = samples.sum - samples.count as f64 * self.middle();
        (self.h1 - self.h0) * excess / self.cautious_variance(samples)
    }

    /// Returns the log-likelihood ratios for accepting H0 and H1. These are Wald's bounds, moved inwards by
    /// the mean overshoot.
    pub fn bounds(&self, samples: &Samples) -> [f64; 2] {
        let overshoot = OVERSHOOT * self.step(samples);
        let lower = (self.beta / (1.0 - self.alpha)).ln() + overshoot;
        let upper = ((1.0 - self.beta) / self.alpha).ln() - overshoot;
        [lower.min(0.0), upper.max(0.0)]
    }

    /// Returns the decision after these samples, or `None` if the test must continue.
    pub fn decision(&self, samples: &Samples) -> Option<Decision> {
        let (llr, [lower, upper]) = (self.llr(samples), self.bounds(samples));
        match () {
            () if samples.count < DEALS_MIN => None,
            () if llr <= lower => Some(Decision::H0),
            () if llr >= upper => Some(Decision::H1),
            () => None,
        }
    }

    /// Returns true if the interval of the estimate excludes the hypothesis that this decision rejects. A decision
    /// almost always implies this; with very different error rates, a late one may come a little too early.
    pub fn excludes_other(&self, decision: Decision, samples: &Samples) -> bool {
        self.estimate(samples).is_some_and(|Estimate { interval: [low, high], .. }| match decision {
            Decision::H1 => low > self.h0,
            Decision::H0 => high < self.h1,
        })
    }

    /// Returns the estimate of the mean, for a test that did not stop before the last sample. Returns
    /// `None` with fewer than two samples.
    pub fn estimate(&self, samples: &Samples) -> Option<Estimate> {
        if samples.count < 2 {
            return None;
        }
        let count = samples.count as f64;
        let student = StudentsT::new(0.0, 1.0, count - 1.0).expect("at least one degree of freedom");
        let quantiles = [self.alpha, 1.0 - self.beta].map(|level| student.inverse_cdf(level));
        let deviation = self.variance(samples).sqrt();
        if samples.count <= DEALS_MIN || samples.variance() == 0.0 {
            // The test could not have stopped earlier, or all samples are equal.
            let (mean, error) = (samples.mean(), deviation / count.sqrt());
            return Some(Estimate { mean, interval: quantiles.map(|quantile| mean + quantile * error) });
        }
        let walk = self.walk(samples, deviation);
        let unscaled = |drift: f64| self.middle() + deviation * drift;
        // The levels of the normal distribution at the quantiles of Student's t, because the variance is
        // estimated.
        let interval = quantiles.map(|quantile| unscaled(walk.drift_at(Normal::standard().cdf(quantile))));
        Some(Estimate { mean: unscaled(walk.unbiased_drift()), interval })
    }

    /// Returns the samples as a random walk around the mean of H0 and H1, in steps of standard deviation 1.
    fn walk(&self, samples: &Samples, deviation: f64) -> StoppedWalk {
        let bound_of = self.cautious_variance(samples) / (self.h1 - self.h0) / deviation;
        let strip = self.bounds(samples).map(|llr| llr * bound_of);
        let position = (samples.sum - samples.count as f64 * self.middle()) / deviation;
        StoppedWalk::new(strip, DEALS_MIN, samples.count, position)
    }

    /// Returns the expected number of further samples until a decision, for a true mean of `mean`. The
    /// formula is the mean time until Brownian motion with drift leaves the bounds.
    pub fn samples_to_go(&self, samples: &Samples, mean: f64) -> f64 {
        let (llr, [lower, upper]) = (self.llr(samples), self.bounds(samples));
        let (above, below) = ((upper - llr).max(0.0), (llr - lower).max(0.0));
        let step = self.step(samples);
        let drift = step * (mean - self.middle()) / self.cautious_variance(samples).sqrt();
        // The probability of leaving at the top depends on drift and width through this product only.
        let pull = 2.0 * drift * (above + below) / (step * step);
        let steps = if pull.abs() < 1e-6 {
            above * below / (step * step)
        } else {
            let pull = pull.clamp(-PULL_MAX, PULL_MAX);
            let up = (-pull * below / (above + below)).exp_m1() / (-pull).exp_m1();
            ((above + below) * up - below) / drift
        };
        steps.max(1.0).max(DEALS_MIN as f64 - samples.count as f64)
    }
}
