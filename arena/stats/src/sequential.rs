//! Is the mean above H1 or not above H0? A test that looks after every deal and stops when it knows.
//!
//! The generalised sequential probability ratio test: the log-likelihood ratio of H1 against H0 for a
//! normal mean, with the variance estimated from the samples so far. The method and what was measured
//! of it are in `docs/compare.md`.

mod walk;

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use walk::StoppedWalk;

/// Before so many deals nothing is decided: the variance is not known well enough.
pub const DEALS_MIN: u64 = 16;
/// Taken from the number of samples where the sum of squares is made a variance for the test. A test that
/// may stop after any deal stops too readily where the deals so far happen to vary little; with this
/// divisor the error rates came out as asked for, whatever the deals vary by (`docs/compare.md`).
const CAUTION: u64 = 6;
/// A walk that is pulled more than this goes one way for sure, and `exp` stays finite.
const PULL_MAX: f64 = 500.0;
/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;
/// What a random walk of normal steps overshoots a bound by on average, in standard deviations of a
/// step (Siegmund 1985): the bounds are moved inwards by it, so that the error rates are those asked for.
const OVERSHOOT: f64 = 0.583;

/// The question that a test decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The mean under H0, in the unit of the samples.
    pub h0: f64,
    /// The mean under H1, above `h0`.
    pub h1: f64,
    /// The probability of accepting H1 although the mean is that of H0; `alpha + beta < 1`.
    pub alpha: f64,
    /// The probability of accepting H0 although the mean is that of H1.
    pub beta: f64,
    /// The step between values that a sample can have. Less than its rounding error, `grain² / 12`, is
    /// never taken for the variance, so samples that are all equal are no certainty.
    pub grain: f64,
}

/// Samples, one a deal, as far as the test needs them.
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

    /// Number of samples.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; 0 if there are none.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// Their variance; 0 with fewer than two.
    pub fn variance(&self) -> f64 {
        let count = self.count as f64;
        if self.count < 2 { 0.0 } else { ((self.squares - self.sum * self.mean()) / (count - 1.0)).max(0.0) }
    }
}

/// What a test has decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The mean is above H0: status "better".
    H1,
    /// The mean is below H1: status "not better".
    H0,
}

/// What is known of the mean when a test has stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean, corrected for the early stop.
    pub mean: f64,
    /// Where it lies with 95 % confidence.
    pub ci95: [f64; 2],
}

impl Sprt {
    fn variance(&self, samples: &Samples) -> f64 {
        samples.variance().max(self.grain * self.grain / 12.0)
    }

    /// The variance for the test, see [`CAUTION`].
    fn cautious_variance(&self, samples: &Samples) -> f64 {
        let count = samples.count.max(CAUTION + 1);
        self.variance(samples) * (count - 1) as f64 / (count - CAUTION) as f64
    }

    /// By how much the log-likelihood ratio differs from deal to deal, as a standard deviation.
    fn step(&self, samples: &Samples) -> f64 {
        (self.h1 - self.h0) / self.cautious_variance(samples).sqrt()
    }

    fn middle(&self) -> f64 {
        (self.h0 + self.h1) / 2.0
    }

    /// The log-likelihood ratio of H1 against H0.
    pub fn llr(&self, samples: &Samples) -> f64 {
        let excess = samples.sum - samples.count as f64 * self.middle();
        (self.h1 - self.h0) * excess / self.cautious_variance(samples)
    }

    /// The log-likelihood ratios at which H0 and H1 are accepted: those of Wald, moved inwards by the
    /// mean overshoot.
    pub fn bounds(&self, samples: &Samples) -> [f64; 2] {
        let overshoot = OVERSHOOT * self.step(samples);
        let lower = (self.beta / (1.0 - self.alpha)).ln() + overshoot;
        let upper = ((1.0 - self.beta) / self.alpha).ln() - overshoot;
        [lower.min(0.0), upper.max(0.0)]
    }

    /// The decision after these samples; `None` where there must be more.
    pub fn decision(&self, samples: &Samples) -> Option<Decision> {
        let (llr, [lower, upper]) = (self.llr(samples), self.bounds(samples));
        match () {
            () if samples.count < DEALS_MIN => None,
            () if llr <= lower => Some(Decision::H0),
            () if llr >= upper => Some(Decision::H1),
            () => None,
        }
    }

    /// The mean after the last sample before which the test did not stop; `None` with fewer than
    /// two samples.
    pub fn estimate(&self, samples: &Samples) -> Option<Estimate> {
        if samples.count < 2 {
            return None;
        }
        let count = samples.count as f64;
        let student = StudentsT::new(0.0, 1.0, count - 1.0).expect("at least one degree of freedom");
        let quantile = student.inverse_cdf(0.5 + CONFIDENCE / 2.0);
        let deviation = self.variance(samples).sqrt();
        if samples.count <= DEALS_MIN || samples.variance() == 0.0 {
            // The test could not have stopped before, or no sample was luckier than another.
            let (mean, half) = (samples.mean(), quantile * deviation / count.sqrt());
            return Some(Estimate { mean, ci95: [mean - half, mean + half] });
        }
        let walk = self.walk(samples, deviation);
        // The tail of the normal distribution at the quantile of Student's t: the variance is estimated.
        let tail = Normal::standard().cdf(-quantile);
        let unscaled = |drift: f64| self.middle() + deviation * drift;
        let ci95 = [tail, 1.0 - tail].map(|level| unscaled(walk.drift_at(level)));
        Some(Estimate { mean: unscaled(walk.unbiased_drift()), ci95 })
    }

    /// The samples as a walk from the middle of H0 and H1, in steps with the standard deviation 1.
    fn walk(&self, samples: &Samples, deviation: f64) -> StoppedWalk {
        let bound_of = self.cautious_variance(samples) / (self.h1 - self.h0) / deviation;
        let strip = self.bounds(samples).map(|llr| llr * bound_of);
        let position = (samples.sum - samples.count as f64 * self.middle()) / deviation;
        StoppedWalk::new(strip, DEALS_MIN, samples.count, position)
    }

    /// How many more samples it takes until a decision, on average, if the mean is `mean`: the mean time in
    /// which Brownian motion with drift leaves the bounds.
    pub fn samples_to_go(&self, samples: &Samples, mean: f64) -> f64 {
        let (llr, [lower, upper]) = (self.llr(samples), self.bounds(samples));
        let (above, below) = ((upper - llr).max(0.0), (llr - lower).max(0.0));
        let step = self.step(samples);
        let drift = step * (mean - self.middle()) / self.cautious_variance(samples).sqrt();
        // The probability of leaving at the top depends on drift and width in this combination only.
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
