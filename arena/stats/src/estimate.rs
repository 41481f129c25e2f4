//! A measured number with its uncertainty.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The share of intervals, and of whole tables, that may be wrong. The confidence is the rest, 95 %.
pub(crate) const ERROR: f64 = 0.05;
/// With more deals, Student's t is the normal distribution to the last digit that is shown. Its own quantile does not
/// end for some tens of millions of deals.
const NORMAL_FROM: u64 = 1_000_000;
/// The largest total number of deals for which a forecast is useful.
const MORE_DEALS_MAX: f64 = 1e6;

/// A measured value with its standard error, which comes from the variation between deals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The measured value.
    pub value: f64,
    /// The standard error, in the same unit.
    pub error: f64,
    /// The number of deals. Student's t has one degree of freedom less.
    pub deals: u64,
}

impl Estimate {
    /// Returns an estimate whose variance was summed over `deals` deals. The correction accounts for parameters
    /// that were fitted to the same deals.
    pub(crate) fn of_sum(value: f64, variance: f64, deals: u64) -> Estimate {
        let correction = deals as f64 / deals.saturating_sub(1).max(1) as f64;
        Estimate { value, error: (variance.max(0.0) * correction).sqrt(), deals }
    }

    /// Returns Student's t distribution for this estimate, or `None` with fewer than two deals.
    fn spread(&self) -> Option<StudentsT> {
        let freedom = self.deals.checked_sub(1).filter(|&freedom| freedom > 0)?;
        Some(StudentsT::new(0.0, 1.0, freedom as f64).expect("at least one degree of freedom"))
    }

    /// Returns half of the width of the 95 % interval, or `None` with fewer than two deals.
    pub fn half_width(&self) -> Option<f64> {
        self.half_width_at(ERROR)
    }

    /// Returns half of the width of an interval that is wrong with the probability `error`, or `None` with
    /// fewer than two deals.
    pub(crate) fn half_width_at(&self, error: f64) -> Option<f64> {
        let share = 1.0 - error / 2.0;
        let quantile = match self.deals > NORMAL_FROM {
            true => Normal::standard().inverse_cdf(share),
            false => self.spread()?.inverse_cdf(share),
        };
        Some(quantile * self.error)
    }

    /// Returns the 95 % confidence interval, or `None` with fewer than two deals.
    pub fn interval(&self) -> Option<[f64; 2]> {
        let half = self.half_width()?;
        Some([self.value - half, self.value + half])
    }

    /// Returns a 95 % confidence interval that holds at all numbers of deals simultaneously. A caller may
    /// therefore look after every deal and stop at any time. Returns `None` with fewer than two deals. The
    /// interval is wider than [`interval`](Estimate::interval), and tightest at `planned` deals.
    ///
    /// The method is Robbins' normal mixture with the measured variance (Waudby-Smith and others 2021,
    /// asymptotic confidence sequences). For few deals, Student's t replaces the normal distribution.
    pub fn interval_at_any_time(&self, planned: u64) -> Option<[f64; 2]> {
        let alpha = ERROR;
        let once = self.half_width()?;
        let normal = Normal::standard().inverse_cdf(1.0 - ERROR / 2.0);
        let surprise = -2.0 * alpha.ln();
        let weight = (surprise + (surprise + 1.0).ln()) * self.deals as f64 / planned.max(1) as f64;
        let wider = (2.0 * (weight + 1.0) / weight * ((weight + 1.0).sqrt() / alpha).ln()).sqrt() / normal;
        Some([self.value - wider * once, self.value + wider * once])
    }

    /// Returns the probability that the true value is above zero, from 0 to 1, or `None` with fewer than
    /// two deals.
    pub fn above_zero(&self) -> Option<f64> {
        let spread = self.spread()?;
        Some(match self.value / self.error {
            ratio if ratio.is_nan() => 0.5, // all differences are 0
            ratio if ratio.is_infinite() => f64::from(u8::from(ratio > 0.0)),
            ratio => spread.cdf(ratio),
        })
    }

    /// Returns true if the value differs significantly from zero (95 %).
    pub fn is_told_from_zero(&self) -> bool {
        self.half_width().is_some_and(|half| self.value.abs() > half)
    }

    /// Returns how many more deals make the difference from zero significant, if the measured value is the
    /// true one. `half` is half of the width of the interval that decides. Returns `None` if the total exceeds
    /// a million deals.
    pub fn more_deals(&self, half: f64) -> Option<u64> {
        if self.value.abs() > half {
            return Some(0);
        }
        let deals = self.deals as f64 * (half / self.value).powi(2);
        (deals <= MORE_DEALS_MAX).then(|| (deals.ceil() as u64).max(self.deals + 1) - self.deals)
    }
}
