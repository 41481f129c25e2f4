//! A random walk that stopped when it left a strip, and estimates of its drift.
//!
//! The end of the walk, its position and time, is sufficient for its drift. The mean step is biased,
//! because a lucky walk stops early. The mean of the steps before the first look is unbiased. Its
//! expectation given the end of the walk is also unbiased, and has less variance (Rao–Blackwell). For an
//! interval, ends are ordered by how strongly they indicate a large drift. Exits at the top come first,
//! early before late. Then come the positions of walks inside the strip, and then the exits at the bottom.
//!
//! Both estimates need the density of the walk inside the strip. This module computes the density step by
//! step on a grid, under one reference drift. `tilt` converts a probability to another drift.

use statrs::distribution::{ContinuousCDF, Normal};

/// Cells of the grid for each standard deviation of a step.
const CELLS_A_DEVIATION: f64 = 4.0;
/// The fewest cells of a grid.
const CELLS_MIN: f64 = 16.0;
/// Longer steps, in standard deviations, are neglected.
const REACH: f64 = 6.0;
/// The widest strip, in standard deviations of a step, that is computed step by step. In a wider strip, the
/// grid joins several steps into one. The error is small compared with the width, and the work is bounded.
const WIDTH_MAX: f64 = 200.0;
/// The number of bisections in the search for a drift.
const HALVINGS: usize = 60;

/// A walk at its end. Its steps are normal with standard deviation 1.
#[derive(Debug)]
pub(super) struct StoppedWalk {
    /// True if the walk is mirrored, so that it ends in the upper half of the strip.
    mirrored: bool,
    /// The number of steps before the first look.
    first: f64,
    /// The total number of steps.
    steps: f64,
    /// The final position.
    position: f64,
    /// The upper bound of the strip.
    upper: f64,
    /// The drift for which `exits`, `inside`, and `weighted` hold.
    reference: f64,
    /// Probabilities of exits at the top between the first look and the last.
    exits: Vec<Mass>,
    /// Probabilities of positions inside the strip before the last look. Empty if the first look is the
    /// last.
    inside: Vec<Mass>,
    /// The probabilities in `inside`, each multiplied by the mean of the steps before the first look.
    weighted: Vec<f64>,
}

/// The probability of a position at a time.
#[derive(Clone, Copy, Debug)]
struct Mass {
    time: f64,
    position: f64,
    probability: f64,
}

impl StoppedWalk {
    /// Describes a walk that ended at `position` after `steps` steps, at least `first`. The looks are after
    /// `first` steps and after every later step. The walk was inside the strip at each look before the
    /// last.
    pub(super) fn new([lower, upper]: [f64; 2], first: u64, steps: u64, position: f64) -> StoppedWalk {
        let mirrored = position < (lower + upper) / 2.0;
        let (lower, upper, position) =
            if mirrored { (-upper, -lower, -position) } else { (lower, upper, position) };
        let mut walk = StoppedWalk {
            mirrored,
            first: first as f64,
            steps: steps as f64,
            position,
            upper,
            reference: position / steps as f64,
            exits: Vec::new(),
            inside: Vec::new(),
            weighted: Vec::new(),
        };
        if steps > first && upper > lower {
            walk.follow(lower);
        }
        walk
    }

    /// Computes the probabilities between the first look and the last.
    fn follow(&mut self, lower: f64) {
        let width = self.upper - lower;
        let stride = (width / WIDTH_MAX).powi(2).ceil().max(1.0);
        let cells = (width * CELLS_A_DEVIATION / stride.sqrt()).ceil().max(CELLS_MIN);
        let cell = width / cells;
        let at = |index: usize| lower + (index as f64 + 0.5) * cell;
        let density =
            |x: f64, time: f64| normal((x - self.reference * time) / time.sqrt()) / time.sqrt() * cell;
        let mut inside: Vec<f64> = (0..cells as usize).map(|index| density(at(index), self.first)).collect();
        let mut weighted: Vec<f64> =
            inside.iter().enumerate().map(|(index, mass)| mass * at(index) / self.first).collect();
        let kernel = Kernel::new(cell, stride, self.reference);
        let (mut time, mut scale) = (self.first, 1.0);
        while time + stride < self.steps {
            time += stride;
            for (beyond, mass) in kernel.beyond(&inside).into_iter().enumerate() {
                let position = at(inside.len() + beyond);
                self.exits.push(Mass { time, position, probability: mass * scale });
            }
            (inside, weighted) = (kernel.within(&inside), kernel.within(&weighted));
            // Few walks last long. Scaling keeps the sum near 1, because small probabilities would
            // underflow.
            let left: f64 = inside.iter().sum();
            if left < f64::MIN_POSITIVE {
                break;
            }
            scale *= left;
            inside.iter_mut().chain(&mut weighted).for_each(|mass| *mass /= left);
        }
        let mass =
            |(index, mass): (usize, &f64)| Mass { time, position: at(index), probability: mass * scale };
        self.inside = inside.iter().enumerate().map(mass).collect();
        self.weighted = weighted.iter().map(|mass| mass * scale).collect();
    }

    /// Returns the unbiased estimate of the drift with the least variance, among estimates that do not
    /// depend on the time limit of the walk.
    pub(super) fn unbiased_drift(&self) -> f64 {
        let likelihood = |mass: &Mass| {
            let (gap, span) = (self.position - mass.position, self.steps - mass.time);
            self.reference * gap - gap * gap / (2.0 * span)
        };
        let likelihoods: Vec<f64> = self.inside.iter().map(likelihood).collect();
        let most = likelihoods.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut all, mut weighted) = (0.0, 0.0);
        for ((mass, sum), likelihood) in self.inside.iter().zip(&self.weighted).zip(likelihoods) {
            // Relative to the most likely cell, so that an end far outside keeps its digits.
            let likelihood = (likelihood - most).exp();
            all += mass.probability * likelihood;
            weighted += sum * likelihood;
        }
        let drift =
            if all > 0.0 && weighted.is_finite() { weighted / all } else { self.position / self.steps };
        self.turned(drift)
    }

    /// Returns the drift under which a walk ends like this one or higher with probability `level`.
    pub(super) fn drift_at(&self, level: f64) -> f64 {
        let level = if self.mirrored { 1.0 - level } else { level };
        let reach = 2.0 * REACH / self.first.sqrt();
        let (mut low, mut high) = (self.reference - reach, self.reference + reach);
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            if self.above(middle) < level { low = middle } else { high = middle }
        }
        self.turned((low + high) / 2.0)
    }

    /// Returns the probability that a walk with this drift ends like this one or higher. If
    /// `mirrored` is set, the drift and the order of ends refer to the mirrored walk.
    fn above(&self, drift: f64) -> f64 {
        let beyond = |bound: f64, from: f64, steps: f64| {
            Normal::standard().cdf((from + drift * steps - bound) / steps.sqrt())
        };
        if self.inside.is_empty() {
            return beyond(self.position, 0.0, self.steps);
        }
        let last = |mass: &Mass| beyond(self.position, mass.position, self.steps - mass.time);
        let at_first = beyond(self.upper, 0.0, self.first);
        let between: f64 = self.exits.iter().map(|mass| self.tilt(mass, drift)).sum();
        let at_last: f64 = self.inside.iter().map(|mass| self.tilt(mass, drift) * last(mass)).sum();
        (at_first + between + at_last).min(1.0)
    }

    /// Converts a probability to another drift.
    fn tilt(&self, mass: &Mass, drift: f64) -> f64 {
        let change = drift - self.reference;
        let mean = (drift + self.reference) / 2.0;
        // At large exponents, the probability is almost 0.
        mass.probability * (change * (mass.position - mean * mass.time)).min(f64::MAX.ln()).exp()
    }

    fn turned(&self, drift: f64) -> f64 {
        if self.mirrored { -drift } else { drift }
    }
}

/// A step on the grid, or several steps joined into one.
struct Kernel {
    /// The number of cells that a step with the first of the probabilities moves up.
    shift: isize,
    /// The probability of moving up by each number of cells, from `shift` on.
    probabilities: Vec<f64>,
}

impl Kernel {
    fn new(cell: f64, steps: f64, drift: f64) -> Kernel {
        let (mean, deviation) = (drift * steps, steps.sqrt());
        let shift = ((mean - REACH * deviation) / cell).ceil();
        let count = (2.0 * REACH * deviation / cell) as usize + 1;
        let density = |index: usize| normal(((shift + index as f64) * cell - mean) / deviation);
        let probabilities = (0..count).map(|index| density(index) * cell / deviation).collect();
        Kernel { shift: shift as isize, probabilities }
    }

    /// Returns the probabilities of the cells after a step.
    fn within(&self, cells: &[f64]) -> Vec<f64> {
        (0..cells.len()).map(|index| self.after(cells, index)).collect()
    }

    /// Returns the probabilities of the cells above the grid that a step can reach.
    fn beyond(&self, cells: &[f64]) -> Vec<f64> {
        let reached = (self.shift + self.probabilities.len() as isize - 1).max(0) as usize;
        (cells.len()..cells.len() + reached).map(|index| self.after(cells, index)).collect()
    }

    fn after(&self, cells: &[f64], index: usize) -> f64 {
        // The step with the last probability starts in the lowest cell.
        let top = index as isize - self.shift;
        let from = (top - self.probabilities.len() as isize + 1).clamp(0, cells.len() as isize);
        let to = (top + 1).clamp(from, cells.len() as isize);
        let steps = self.probabilities[(top + 1 - to).max(0) as usize..].iter();
        cells[from as usize..to as usize].iter().rev().zip(steps).map(|(mass, step)| mass * step).sum()
    }
}

fn normal(x: f64) -> f64 {
    (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 2e-3
    }

    #[test]
    fn where_no_bound_was_near_there_is_nothing_to_correct() {
        let walk = StoppedWalk::new([-150.0, 150.0], 16, 100, 20.0);
        assert!(near(walk.unbiased_drift(), 0.2), "{}", walk.unbiased_drift());
        assert!(near(walk.drift_at(0.5), 0.2) && near(walk.drift_at(0.025), 0.2 - 0.196));
    }

    #[test]
    fn a_walk_upside_down_has_the_opposite_drift() {
        let up = StoppedWalk::new([-10.0, 12.0], 16, 50, 12.4);
        let down = StoppedWalk::new([-12.0, 10.0], 16, 50, -12.4);
        assert!(near(up.unbiased_drift(), -down.unbiased_drift()));
        assert!(near(up.drift_at(0.025), -down.drift_at(0.975)));
        assert!(up.unbiased_drift() < 12.4 / 50.0, "a walk that left soon was lucky");
    }

    #[test]
    fn ends_that_hardly_happen_give_finite_answers() {
        for (strip, steps, position) in [
            ([-3.0, 3.0], 10_000, 0.5),
            ([-1000.0, 1000.0], 17, 1500.0),
            ([-0.1, 0.1], 20, 300.0),
            ([-1e6, 1e6], 1_000_000, 1e6),
            ([0.0, 0.0], 17, 0.0),
        ] {
            let walk = StoppedWalk::new(strip, 16, steps, position);
            let [low, high] = [walk.drift_at(0.025), walk.drift_at(0.975)];
            assert!(walk.unbiased_drift().is_finite() && low <= high, "{strip:?}: {low} {high}");
        }
    }
}
