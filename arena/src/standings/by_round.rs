//! Means with intervals over deals.

use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// A quantity that is averaged, with its sum and count in each round: matches of a round share
/// their deal and are not independent, rounds are.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByRound(BTreeMap<u64, (i64, u64)>);

impl ByRound {
    pub(crate) fn add(&mut self, round: u64, value: i64) {
        let (sum, count) = self.0.entry(round).or_default();
        (*sum, *count) = (*sum + value, *count + 1);
    }

    /// The rounds in which there was something to add.
    pub(crate) fn rounds(&self) -> impl Iterator<Item = u64> {
        self.0.keys().copied()
    }

    /// The mean over all matches; 0 if there are none.
    pub(crate) fn mean(&self) -> f64 {
        let (sum, count) =
            self.0.values().fold((0, 0), |(sum, count), round| (sum + round.0, count + round.1));
        mean(sum, count)
    }

    /// Where the mean lies with 95 % confidence, by Student's t over the means of the rounds;
    /// `None` with fewer than two rounds.
    pub(crate) fn interval(&self) -> Option<[f64; 2]> {
        let means: Vec<f64> = self.0.values().map(|&(sum, count)| mean(sum, count)).collect();
        let count = means.len() as f64;
        if means.len() < 2 {
            return None;
        }
        let middle = means.iter().sum::<f64>() / count;
        let variance = means.iter().map(|mean| (mean - middle).powi(2)).sum::<f64>() / (count - 1.0);
        let t = StudentsT::new(0.0, 1.0, count - 1.0).expect("at least one degree of freedom");
        let half = t.inverse_cdf(0.5 + CONFIDENCE / 2.0) * (variance / count).sqrt();
        Some([rounded(self.mean() - half), rounded(self.mean() + half)])
    }
}

/// The mean of a sum over so many; 0 if there are none.
pub(crate) fn mean(sum: i64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}

/// To three decimals, so that files do not end in noise.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
