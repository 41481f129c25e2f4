//! Means with intervals over deals.

use super::results::{DealSums, pairs_of};
use super::{Deals, Estimate};

/// A quantity that is averaged, deal by deal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DealMeans {
    sum: f64,
    count: u64,
    means: Moments,
}

impl DealMeans {
    /// What came of one deal: the sum of so many values. Nothing happens for none.
    pub fn add(&mut self, sum: f64, count: u64) {
        if count > 0 {
            self.sum += sum;
            self.count += count;
            self.means.add(sum / count as f64);
        }
    }

    /// Deals with at least one value.
    pub fn deals(&self) -> u64 {
        self.means.count
    }

    /// The variance of the deals' means; 0 with fewer than two.
    pub fn variance(&self) -> f64 {
        self.means.variance()
    }

    /// The same of the values with their sign turned.
    #[must_use]
    pub(crate) fn negated(self) -> DealMeans {
        let means = Moments { mean: -self.means.mean, ..self.means };
        DealMeans { sum: -self.sum, means, ..self }
    }

    /// The mean over all values, with the error that the means of the deals show; 0 if there are
    /// none.
    pub fn estimate(&self) -> Estimate {
        let deals = self.deals();
        Estimate {
            value: if self.count == 0 { 0.0 } else { self.sum / self.count as f64 },
            error: (self.variance() / deals.max(1) as f64).sqrt(),
            deals,
        }
    }
}

/// Mean and sum of squares around it, updated value by value (Welford), which loses no digits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    pub(super) fn add(&mut self, value: f64) {
        self.count += 1;
        let off = value - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (value - self.mean);
    }

    /// The variance of the values' population; 0 with fewer than two.
    pub(super) fn variance(&self) -> f64 {
        if self.count < 2 { 0.0 } else { self.squares / (self.count - 1) as f64 }
    }
}

/// A bot's averages over deals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BotMeans {
    /// Of its scores.
    pub scores: DealMeans,
    /// Of its scores less those of each opponent at its tables.
    pub margins: DealMeans,
}

/// The averages of each bot.
pub fn bot_means(results: &impl Deals) -> Vec<BotMeans> {
    /// Sums and numbers of scores and of margins on one deal.
    type OnDeal = [(f64, u64); 2];
    let mut bots = vec![BotMeans::default(); results.bots()];
    let mut sums: DealSums<OnDeal> = DealSums::new(bots.len());
    results.each(|deal| {
        for table in deal.tables() {
            let mut add = |bot: u32, what: usize, value: f64| {
                let (sum, count) = &mut sums.of(bot as usize)[what];
                (*sum, *count) = (*sum + value, *count + 1);
            };
            table.iter().for_each(|place| add(place.bot, 0, f64::from(place.score)));
            for (one, other) in pairs_of(table) {
                let margin = f64::from(one.score) - f64::from(other.score);
                add(one.bot, 1, margin);
                add(other.bot, 1, -margin);
            }
        }
        for (bot, [scores, margins]) in sums.take() {
            bots[bot].scores.add(scores.0, scores.1);
            bots[bot].margins.add(margins.0, margins.1);
        }
    });
    bots
}
