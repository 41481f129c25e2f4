//! A number with its uncertainty.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;
/// More deals than this are not a prospect, and not told.
const MORE_DEALS_MAX: f64 = 1e6;

/// What was measured, with its standard error from the spread over deals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// What was measured.
    pub value: f64,
    /// Its standard error, in the same unit.
    pub error: f64,
    /// Deals behind it. Student's t has one degree of freedom less.
    pub deals: u64,
}

impl Estimate {
    /// Student's t for it; `None` with fewer than two deals.
    fn spread(&self) -> Option<StudentsT> {
        let freedom = self.deals.checked_sub(1).filter(|&freedom| freedom > 0)?;
        Some(StudentsT::new(0.0, 1.0, freedom as f64).expect("at least one degree of freedom"))
    }

    /// Half of the width of the 95 % interval; `None` with fewer than two deals.
    pub fn half_width(&self) -> Option<f64> {
        Some(self.spread()?.inverse_cdf(0.5 + CONFIDENCE / 2.0) * self.error)
    }

    /// Where the truth lies with 95 % confidence; `None` with fewer than two deals.
    pub fn interval(&self) -> Option<[f64; 2]> {
        let half = self.half_width()?;
        Some([self.value - half, self.value + half])
    }

    /// Where the truth lies with 95 % confidence at every number of deals at once, so that one may look
    /// after each and stop when it pleases; `None` with fewer than two deals. It is wider than
    /// [`interval`](Estimate::interval), and tightest where the deals are `planned`.
    ///
    /// Robbins' normal mixture with the measured variance (Waudby-Smith and others 2021, asymptotic
    /// confidence sequences); Student's t in place of the normal distribution for few deals.
    pub fn interval_at_any_time(&self, planned: u64) -> Option<[f64; 2]> {
        let alpha = 1.0 - CONFIDENCE;
        let once = self.half_width()?;
        let normal = Normal::standard().inverse_cdf(0.5 + CONFIDENCE / 2.0);
        let surprise = -2.0 * alpha.ln();
        let weight = (surprise + (surprise + 1.0).ln()) * self.deals as f64 / planned.max(1) as f64;
        let wider = (2.0 * (weight + 1.0) / weight * ((weight + 1.0).sqrt() / alpha).ln()).sqrt() / normal;
        Some([self.value - wider * once, self.value + wider * once])
    }

    /// The probability that the truth is above zero, from 0 to 1; `None` with fewer than two deals.
    pub fn above_zero(&self) -> Option<f64> {
        let spread = self.spread()?;
        Some(match self.value / self.error {
            ratio if ratio.is_nan() => 0.5, // nothing was different, and always so
            ratio if ratio.is_infinite() => f64::from(u8::from(ratio > 0.0)),
            ratio => spread.cdf(ratio),
        })
    }

    /// Whether it differs from zero at 95 %.
    pub fn is_told_from_zero(&self) -> bool {
        self.half_width().is_some_and(|half| self.value.abs() > half)
    }

    /// How many more deals would tell it from zero, if it is what it seems; `None` where that
    /// cannot be said: with fewer than two deals, or beyond a million.
    pub fn more_deals(&self) -> Option<u64> {
        let half = self.half_width()?;
        if self.is_told_from_zero() {
            return Some(0);
        }
        let deals = self.deals as f64 * (half / self.value).powi(2);
        (deals <= MORE_DEALS_MAX).then(|| (deals.ceil() as u64).max(self.deals + 1) - self.deals)
    }
}
