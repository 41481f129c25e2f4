//! Means with intervals over deals.

use super::results::{DealSums, pairs_of};
use super::{Deals, Estimate};

/// The mean of a quantity over deals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DealMeans {
    sum: f64,
    count: u64,
    means: Moments,
}

impl DealMeans {
    /// Adds a deal with `count` values and their sum. A deal without values changes nothing.
    pub fn add(&mut self, sum: f64, count: u64) {
        if count > 0 {
            self.sum += sum;
            self.count += count;
            self.means.add(sum / count as f64);
        }
    }

    /// Returns the number of deals with at least one value.
    pub fn deals(&self) -> u64 {
        self.means.count
    }

    /// Returns the variance of the deals' means, or 0 with fewer than two deals.
    pub fn variance(&self) -> f64 {
        self.means.variance()
    }

    /// Returns the means of the negated values.
    #[must_use]
    pub(crate) fn negated(self) -> DealMeans {
        let means = Moments { mean: -self.means.mean, ..self.means };
        DealMeans { sum: -self.sum, means, ..self }
    }

    /// Returns the mean of all values, or 0 without values. Its standard error comes from the means of the
    /// deals.
    pub fn estimate(&self) -> Estimate {
        let deals = self.deals();
        Estimate {
            value: if self.count == 0 { 0.0 } else { self.sum / self.count as f64 },
            error: (self.variance() / deals.max(1) as f64).sqrt(),
            deals,
        }
    }
}

/// Mean and sum of squared deviations, updated value by value with Welford's method, which loses no digits.
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

    /// Returns the mean, or 0 without values.
    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    /// Returns the number of values.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Returns the sample variance, or 0 with fewer than two values.
    pub(super) fn variance(&self) -> f64 {
        if self.count < 2 { 0.0 } else { self.squares / (self.count - 1) as f64 }
    }
}

/// A bot's averages over deals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BotMeans {
    /// The scores of the bot.
    pub scores: DealMeans,
    /// The bot's score minus an opponent's, for each opponent at its tables.
    pub margins: DealMeans,
}

/// Returns the averages of each bot, by its number.
pub fn bot_means(results: &impl Deals) -> Vec<BotMeans> {
    /// Sum and count of scores, and of margins, on one deal.
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
