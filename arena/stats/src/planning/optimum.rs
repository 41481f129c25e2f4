//! The numbers at which a bot plays best, from matches with some of their values.
//!
//! [`Peak`] finds up to [`FEW`] numbers, with intervals from a bootstrap over deals. [`Spsa`] improves any number of them
//! and claims nothing. `docs/statistics.md` has the measured error rates. Inside, values are shares of their ranges: -1 is
//! the lower bound, 1 the upper one.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::simultaneous::linear::Matrix;

/// The most numbers of a [`Peak`].
pub const FEW: usize = 3;
/// The most designs of a search.
const STAGES_MAX: u32 = 6;
/// The digits of a value behind the first one of its range.
const DIGITS: i32 = 3;
/// The number of bootstrap samples, and their seed.
const SAMPLES: usize = 1_000;
const SEED: u64 = 1;
/// The share of samples beyond each bound of an interval. With 2.5 %, intervals were right a little less than 95 % of the
/// time.
const BEYOND: f64 = 0.02;
/// What rounding may add to a sum of results.
const ROUNDING: f64 = 1e-9;
/// The smallest step to a higher place.
const PRECISE: f64 = 1e-3;
/// The probability with which results that fit are said not to fit.
const MISFIT: f64 = 0.05;
/// The perturbation of the first pair of [`Spsa`], and by which power it falls.
const SPREAD: f64 = 0.4;
const SPREAD_FALLS: f64 = 0.101;
/// The step after the first pair if it differs as much as pairs do, and by which power of the pairs it falls.
const STEP: f64 = 0.25;
const STEP_FALLS: f64 = 0.602;
/// The share of all pairs after which the step begins to fall.
const STABLE: f64 = 0.1;

/// The values that a number may have.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The lower bound.
    pub low: f64,
    /// The upper bound, above the lower one.
    pub high: f64,
    /// True if the values are whole numbers.
    pub is_whole: bool,
}

impl Range {
    fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Returns the value at a share of the range, from -1 to 1: a whole number, or one with few digits.
    fn value(&self, share: f64) -> f64 {
        let digits = if self.is_whole { 0 } else { DIGITS - self.width().log10().floor() as i32 };
        let unit = 10_f64.powi(digits.clamp(0, 15));
        let value = self.low + (share + 1.0) / 2.0 * self.width();
        ((value * unit).round() / unit).clamp(self.low, self.high)
    }

    fn share(&self, value: f64) -> f64 {
        (value - self.low) / self.width() * 2.0 - 1.0
    }

    /// Returns the part of this range with this width around a value, or next to a bound.
    fn around(&self, value: f64, width: f64) -> Range {
        let half = if self.is_whole { (width / 2.0).ceil() } else { width / 2.0 };
        let middle = value.clamp((self.low + half).min(self.high), (self.high - half).max(self.low));
        Range { low: (middle - half).max(self.low), high: (middle + half).min(self.high), ..*self }
    }
}

/// Returns the values of settings at these shares.
fn values(ranges: &[Range], shares: &[f64]) -> Vec<f64> {
    ranges.iter().zip(shares).map(|(range, share)| range.value(*share)).collect()
}

/// Returns the shares of a setting.
fn shares(ranges: &[Range], values: &[f64]) -> Vec<f64> {
    ranges.iter().zip(values).map(|(range, value)| range.share(*value)).collect()
}

/// The best values, each with its 95 % interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// By number, the value.
    pub at: Vec<f64>,
    /// By number, the bounds of its interval. Empty if the results have no peak that is known: then the values are those of
    /// the best setting.
    pub intervals: Vec<[f64; 2]>,
}

/// A search for the best values of up to [`FEW`] numbers. It fits a polynomial of the second degree to the results of some
/// settings on the same deals. While the results do not fit, the settings come closer to the best of them.
#[derive(Debug)]
pub struct Peak {
    outer: Vec<Range>,
    inner: Vec<Range>,
    stage: u32,
}

impl Peak {
    /// A search in these ranges. Returns `None` if a whole number has two values only.
    pub fn new(ranges: Vec<Range>) -> Option<Peak> {
        let has_more = |range: &Range| !range.is_whole || range.width() >= 2.0;
        let peak = Peak { outer: ranges.clone(), inner: ranges, stage: 0 };
        peak.outer.iter().all(has_more).then_some(peak)
    }

    /// Returns the settings to play: five of one number, a grid of three values for two, and a central composite design for
    /// three.
    pub fn settings(&self) -> Vec<Vec<f64>> {
        let numbers = self.inner.len();
        let outer = |point: &Vec<f64>| point.iter().filter(|value| **value != 0.0).count();
        let points: Vec<Vec<f64>> = match numbers {
            1 => [-1.0, -0.5, 0.0, 0.5, 1.0].map(|value| vec![value]).into(),
            _ => faces(numbers).filter(|point| numbers < FEW || outer(point) != 2).collect(),
        };
        let mut settings: Vec<Vec<f64>> = Vec::new();
        for setting in points.iter().map(|point| values(&self.inner, point)) {
            if !settings.contains(&setting) {
                settings.push(setting);
            }
        }
        settings
    }

    /// Takes for each deal the results of [`settings`](Self::settings), in their order. Returns the best values, or `None` if
    /// other settings must be played.
    pub fn learn(&mut self, deals: &[Vec<f64>]) -> Option<Optimum> {
        let settings = self.settings();
        let points: Vec<Vec<f64>> = settings.iter().map(|setting| shares(&self.inner, setting)).collect();
        let Highest { at, intervals, fits } = Highest::of(&points, deals);
        self.stage += 1;
        // A number that never leaves the middle changes no result.
        let is_idle = |number: usize| intervals[number] == [0.0, 0.0];
        let bounds = |number: usize| match is_idle(number) {
            true => [self.outer[number].low, self.outer[number].high],
            false => intervals[number].map(|share| self.inner[number].value(share)),
        };
        // At an edge of a smaller range the peak may be beyond it.
        let is_open = |number: usize| {
            let ([low, high], inner, outer) = (bounds(number), &self.inner[number], &self.outer[number]);
            !is_idle(number)
                && (low <= inner.low && low > outer.low || high >= inner.high && high < outer.high)
        };
        let numbers = 0..self.inner.len();
        if fits && !numbers.clone().any(is_open) {
            return Some(Optimum { at: values(&self.inner, &at), intervals: numbers.map(bounds).collect() });
        }
        let mean = |setting: usize| deals.iter().map(|deal| deal[setting]).sum::<f64>();
        let best = (0..settings.len()).max_by(|&one, &other| mean(one).total_cmp(&mean(other)))?;
        let centre = if fits { values(&self.inner, &at) } else { settings[best].clone() };
        let is_sharp = |number: usize| !is_idle(number) && intervals[number][1] - intervals[number][0] < 1.0;
        let has_sharp = numbers.clone().any(is_sharp);
        let nearer = |number: usize| {
            let part = match fits {
                true if is_open(number) => 2.0,
                false if is_sharp(number) || !has_sharp => 0.5,
                _ => 1.0,
            };
            self.outer[number].around(centre[number], part * self.inner[number].width())
        };
        let nearer: Vec<Range> = numbers.map(nearer).collect();
        if nearer == self.inner || self.stage == STAGES_MAX {
            return Some(Optimum { at: settings[best].clone(), intervals: Vec::new() });
        }
        self.inner = nearer;
        None
    }
}

/// Where a polynomial of the second degree is highest that is fitted to results, as shares of the ranges.
struct Highest {
    at: Vec<f64>,
    /// By number, its 95 % interval.
    intervals: Vec<[f64; 2]>,
    /// False if the results are further from the polynomial than chance takes them.
    fits: bool,
}

impl Highest {
    fn of(points: &[Vec<f64>], deals: &[Vec<f64>]) -> Highest {
        let rows: Vec<Vec<f64>> = points.iter().map(|point| terms(point)).collect();
        let by_term = (0..rows[0].len()).flat_map(|term| rows.iter().map(move |row| row[term])).collect();
        let by_term = Matrix { columns: rows.len(), values: by_term };
        let normal = by_term.times_transposed(&by_term).cholesky().expect("each number has three values");
        // A fit is linear in the results, so that of some deals is the sum of the fits of each. Behind the terms are the
        // parts of the results that do not fit.
        let fit = |results: &Vec<f64>| {
            let moments = (0..rows[0].len()).map(|term| product(by_term.row(term), results));
            let mut fit = normal.solve(&moments.collect::<Vec<f64>>());
            let off: Vec<f64> =
                rows.iter().zip(results).map(|(row, result)| result - product(&fit, row)).collect();
            fit.extend(off);
            fit
        };
        let fits: Vec<Vec<f64>> = deals.iter().map(fit).collect();
        let sum = |all: &mut dyn Iterator<Item = usize>| {
            let mut sum = vec![0.0; rows[0].len() + rows.len()];
            all.for_each(|deal| sum.iter_mut().zip(&fits[deal]).for_each(|(sum, term)| *sum += term));
            let off = sum.split_off(rows[0].len());
            (sum, off)
        };
        let (all, off) = sum(&mut (0..fits.len()));
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let (mut found, mut further) = (vec![Vec::new(); points[0].len()], 0);
        for _ in 0..SAMPLES {
            let (sample, sampled) = sum(&mut (0..fits.len()).map(|_| random.random_range(0..fits.len())));
            let by_chance: Vec<f64> = sampled.iter().zip(&off).map(|(one, other)| one - other).collect();
            further += usize::from(product(&by_chance, &by_chance) + ROUNDING >= product(&off, &off));
            let highest = highest(&sample, points[0].len());
            found.iter_mut().zip(highest).for_each(|(found, value)| found.push(value));
        }
        let interval = |mut values: Vec<f64>| {
            values.sort_unstable_by(f64::total_cmp);
            let beyond = (SAMPLES as f64 * BEYOND) as usize;
            [values[beyond], values[SAMPLES - 1 - beyond]]
        };
        Highest {
            at: highest(&all, points[0].len()),
            intervals: found.into_iter().map(interval).collect(),
            fits: further as f64 >= MISFIT * SAMPLES as f64,
        }
    }
}

/// Returns the place between the bounds where a polynomial is highest: from the middle on, a step to the highest place
/// around, or a smaller one. A number moves only if that leads higher.
fn highest(fit: &[f64], numbers: usize) -> Vec<f64> {
    let height = |place: &[f64]| product(&terms(place), fit);
    let (mut at, mut step) = (vec![0.0; numbers], 1.0);
    while step > PRECISE {
        let moved = |face: Vec<f64>| {
            let moves = face.iter().filter(|side| **side != 0.0).count() as f64;
            let one = |(at, side): (&f64, f64)| f64::clamp(at + side * step, -1.0, 1.0);
            let place: Vec<f64> = at.iter().zip(face).map(one).collect();
            (height(&place) - moves * ROUNDING, place)
        };
        let around = faces(numbers).map(moved).max_by(|one, other| one.0.total_cmp(&other.0));
        match around.filter(|around| around.0 > height(&at)) {
            Some((_, higher)) => at = higher,
            None => step /= 2.0,
        }
    }
    at
}

/// Returns the corners, edges, and faces of a cube, and its centre: each value is -1, 0, or 1.
fn faces(numbers: usize) -> impl Iterator<Item = Vec<f64>> {
    let value = |face: usize, number: usize| (face / 3_usize.pow(number as u32) % 3) as f64 - 1.0;
    (0..3_usize.pow(numbers as u32)).map(move |face| (0..numbers).map(|number| value(face, number)).collect())
}

/// Returns 1, the values, and their products.
fn terms(setting: &[f64]) -> Vec<f64> {
    let mut terms = [&[1.0], setting].concat();
    for (place, one) in setting.iter().enumerate() {
        terms.extend(setting[place..].iter().map(|other| one * other));
    }
    terms
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Simultaneous perturbation stochastic approximation (Spall, 1992): each pair of settings moves all values at once.
/// Steps are in units of the usual difference of a pair, so that the unit of the results does not matter.
#[derive(Debug)]
pub struct Spsa {
    ranges: Vec<Range>,
    /// The present values, as shares of their ranges.
    at: Vec<f64>,
    pairs: u64,
    done: u64,
    squares: f64,
    signs: Vec<f64>,
    /// The sum of the values after the second half of the pairs.
    sum: Vec<f64>,
    random: ChaCha8Rng,
}

impl Spsa {
    /// A search that begins with these values.
    pub fn new(ranges: Vec<Range>, start: &[f64], pairs: u64, seed: u64) -> Spsa {
        let (random, at) = (ChaCha8Rng::seed_from_u64(seed), shares(&ranges, start));
        let sum = vec![0.0; at.len()];
        Spsa { ranges, at, pairs, done: 0, squares: 0.0, signs: Vec::new(), sum, random }
    }

    /// Returns the next pair of settings to play, or `None` after all of them.
    pub fn pair(&mut self) -> Option<[Vec<f64>; 2]> {
        if self.done == self.pairs {
            return None;
        }
        self.signs = self.at.iter().map(|_| if self.random.random() { 1.0 } else { -1.0 }).collect();
        let spread = SPREAD / (1.0 + self.done as f64).powf(SPREAD_FALLS);
        let moved = |side: f64| {
            let one = |((at, sign), range): ((&f64, &f64), &Range)| {
                // Whole numbers move by more than half of one, which is another value.
                let least = if range.is_whole { 1.01 / range.width() } else { 0.0 };
                range.value((at + side * sign * spread.max(least)).clamp(-1.0, 1.0))
            };
            self.at.iter().zip(&self.signs).zip(&self.ranges).map(one).collect()
        };
        Some([moved(1.0), moved(-1.0)])
    }

    /// Takes how much better the first setting of the pair was.
    pub fn learn(&mut self, lead: f64) {
        self.squares += lead * lead;
        self.done += 1;
        let usual = (self.squares / self.done as f64).sqrt();
        let stable = STABLE * self.pairs as f64;
        let falls = ((stable + 1.0) / (stable + self.done as f64)).powf(STEP_FALLS);
        let step = if usual > 0.0 { STEP * falls * (lead / usual).clamp(-2.0, 2.0) } else { 0.0 };
        for (at, sign) in self.at.iter_mut().zip(&self.signs) {
            *at = (*at + step * sign).clamp(-1.0, 1.0);
        }
        if self.done > self.pairs / 2 {
            self.sum.iter_mut().zip(&self.at).for_each(|(sum, at)| *sum += at);
        }
    }

    /// Returns the best values so far: the mean over the second half of all pairs, once it has begun.
    pub fn best(&self) -> Vec<f64> {
        match self.done.saturating_sub(self.pairs / 2) {
            0 => values(&self.ranges, &self.at),
            some => {
                let mean: Vec<f64> = self.sum.iter().map(|sum| sum / some as f64).collect();
                values(&self.ranges, &mean)
            }
        }
    }
}
