//! Simulates comparisons of bots with known strength. Samples come from models of the scores and go to the
//! test that `arena compare` uses.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use stats::sequential::{Decision, Samples, Sprt};

/// The distribution of a deal's sample.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scores {
    /// Margins: normal with this standard deviation, rounded to the grain.
    Margins(f64),
    /// Results in equal steps from 0 to 1, with the probability of each between equal bots.
    Results(&'static [f64]),
}

/// A kind of comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model {
    /// The name of the model, for the table.
    pub(crate) name: &'static str,
    /// The distribution of the samples.
    pub(crate) scores: Scores,
    /// The sequential test, in the unit of the samples.
    pub(crate) sprt: Sprt,
}

const fn question(h0: f64, h1: f64, grain: f64) -> Sprt {
    Sprt { h0, h1, alpha: 0.025, beta: 0.025, grain }
}

/// The expected share of points for a difference of 20 Elo.
const SHARE_OF_20_ELO: f64 = 0.528_750_6;

/// Score models of both games, with parameters measured on the bundled bots.
pub(crate) const MODELS: [Model; 5] = [
    Model { name: "doodle, points", scores: Scores::Margins(14.0), sprt: question(0.0, 2.0, 1.0) },
    Model { name: "patchwork, points", scores: Scores::Margins(11.0), sprt: question(0.0, 2.0, 0.5) },
    Model { name: "patchwork, H1 at 4 points", scores: Scores::Margins(11.0), sprt: question(0.0, 4.0, 0.5) },
    Model {
        name: "doodle, wins",
        scores: Scores::Results(&[0.475, 0.05, 0.475]),
        sprt: question(0.5, SHARE_OF_20_ELO, 0.5),
    },
    Model {
        name: "patchwork, wins",
        scores: Scores::Results(&[0.15, 0.02, 0.66, 0.02, 0.15]),
        sprt: question(0.5, SHARE_OF_20_ELO, 0.25),
    },
];

/// Statistics of many comparisons with the same true mean.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// The share of comparisons that accepted H1.
    pub(crate) accepted_h1: f64,
    /// The share of comparisons that accepted H0.
    pub(crate) accepted_h0: f64,
    /// The mean number of deals.
    pub(crate) deals: f64,
    /// The bias of the sample mean, in its own standard deviations.
    pub(crate) naive_bias: f64,
    /// The bias of the corrected estimate, in its own standard deviations.
    pub(crate) bias: f64,
    /// The share of intervals that contain the true mean.
    pub(crate) coverage: f64,
}

impl Model {
    /// Returns the true mean for an effect, as a multiple of the distance from H0 to H1.
    pub(crate) fn mean_at(&self, effect: f64) -> f64 {
        self.sprt.h0 + effect * (self.sprt.h1 - self.sprt.h0)
    }

    /// Simulates `runs` comparisons with this effect, each of at most `deals_max` deals. Computes the
    /// estimate for the first `estimated` of them.
    pub(crate) fn simulate(
        &self,
        effect: f64,
        runs: u32,
        estimated: u32,
        deals_max: u64,
        seed: u64,
    ) -> Outcome {
        let mean = self.mean_at(effect);
        let draw = self.scores.at(mean, self.sprt.grain);
        let mut outcome = Outcome::default();
        let (mut naive, mut corrected) = (Vec::new(), Vec::new());
        for run in 0..runs {
            let mut chance = ChaCha8Rng::seed_from_u64(seed);
            chance.set_stream(run.into());
            let (mut samples, mut decision) = (Samples::default(), None);
            while decision.is_none() && samples.count() < deals_max {
                samples.add(draw(&mut chance));
                decision = self.sprt.decision(&samples);
            }
            outcome.accepted_h1 += share(decision == Some(Decision::H1), runs);
            outcome.accepted_h0 += share(decision == Some(Decision::H0), runs);
            outcome.deals += samples.count() as f64 / f64::from(runs);
            if run < estimated {
                let estimate = self.sprt.estimate(&samples).expect("there are samples");
                let [low, high] = estimate.interval;
                naive.push(samples.mean() - mean);
                corrected.push(estimate.mean - mean);
                outcome.coverage += share(low <= mean && mean <= high, estimated);
            }
        }
        (outcome.naive_bias, outcome.bias) = (standardised(&naive), standardised(&corrected));
        outcome
    }
}

fn share(counts: bool, of: u32) -> f64 {
    if counts { 1.0 / f64::from(of) } else { 0.0 }
}

/// Returns the mean in standard deviations.
fn standardised(errors: &[f64]) -> f64 {
    let count = errors.len() as f64;
    let mean = errors.iter().sum::<f64>() / count;
    let variance = errors.iter().map(|error| (error - mean).powi(2)).sum::<f64>() / (count - 1.0);
    mean / variance.sqrt()
}

impl Scores {
    /// Returns a sampler with this mean.
    fn at(self, mean: f64, grain: f64) -> impl Fn(&mut ChaCha8Rng) -> f64 {
        let chances = match self {
            Scores::Margins(_) => Vec::new(),
            Scores::Results(chances) => tilted(chances, mean),
        };
        move |chance| match self {
            Scores::Margins(deviation) => {
                ((mean + deviation * standard_normal(chance)) / grain).round() * grain
            }
            Scores::Results(_) => {
                let mut left: f64 = chance.random();
                let passed = chances.iter().take_while(|&&likely| {
                    left -= likely;
                    left >= 0.0
                });
                passed.count().min(chances.len() - 1) as f64 * grain
            }
        }
    }
}

/// Returns a standard normal number (Box-Muller).
pub(super) fn standard_normal(chance: &mut ChaCha8Rng) -> f64 {
    let (radius, angle): (f64, f64) = (chance.random(), chance.random());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// Returns an exponentially tilted distribution with the given mean.
fn tilted(chances: &[f64], mean: f64) -> Vec<f64> {
    let steps = chances.len() as f64 - 1.0;
    let at = |tilt: f64| {
        let weights: Vec<f64> = chances
            .iter()
            .enumerate()
            .map(|(result, chance)| chance * (tilt * result as f64).exp())
            .collect();
        let all: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / all).collect::<Vec<f64>>()
    };
    let mean_of = |chances: &[f64]| {
        chances.iter().enumerate().map(|(result, chance)| chance * result as f64 / steps).sum::<f64>()
    };
    let (mut low, mut high) = (-20.0, 20.0);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if mean_of(&at(middle)) < mean { low = middle } else { high = middle }
    }
    at(low)
}
