//! How many deals a tournament needs to find a difference of a given size. [`optimum`] plans the settings of a bot.
//!
//! The model: one bot is better than all others by the same difference, and the others are equal. The power is the
//! share of the others that the table tells from the best bot. The tables of such tournaments are simulated with the
//! procedure that [`Claims`](super::Claims) use, without any matches.

pub mod optimum;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, Normal};

use super::deals::Moments;
use super::estimate::{ERROR, Estimate};
use super::pairs::Pairs;
use super::rating::ELO_OF_ONE;
use super::results::{Deals, pairs_of, score};
use super::simultaneous::normal;

/// The seed of the simulation. The same question always has the same answer.
const SEED: u64 = 1;
/// The number of simulated tables.
const DRAWS: usize = 4_000;
/// The largest number of deals that is planned.
const DEALS_MAX: u64 = 1 << 40;

/// The pairs that play each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Design {
    /// All pairs play.
    RoundRobin,
    /// The best bot plays each of the others.
    Gauntlet,
    /// Each bot plays the same deals alone.
    Solo,
}

/// The variance, from deal to deal, of the difference between two bots of similar strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// The part that both bots have at all of their tables: how well they play the deal.
    pub bots: f64,
    /// The part that each meeting has for itself.
    pub meeting: f64,
}

impl Variation {
    /// Measures the variation of ratings in Elo. Only pairs count in which both bots won at least a quarter of
    /// the matches. Returns `None` without such a pair. With two bots the parts cannot be told apart, and all of it
    /// counts as `bots`, so that plans for more bots are no smaller than needed.
    pub fn of_ratings(results: &impl Deals) -> Option<Variation> {
        let bots = results.bots();
        let pairs = PairResults::of(results);
        // Per bot, the sum of its results against similar bots; and per similar pair, its own variance.
        let similar = |bot: usize, other: usize| pairs.get(bot, other).filter(is_similar);
        let against: Vec<Vec<usize>> =
            (0..bots).map(|bot| (0..bots).filter(|&other| similar(bot, other).is_some()).collect()).collect();
        let mut sums = vec![Moments::default(); bots];
        each_deal(results, |of_pair| {
            for (bot, others) in against.iter().enumerate() {
                let own: Option<f64> = others.iter().map(|&other| of_pair(bot, other)).sum();
                if let Some(sum) = own.filter(|_| !others.is_empty()) {
                    sums[bot].add(sum);
                }
            }
        });
        // A result of 1 for a win and -1 for a loss is worth this many Elo.
        let scale = |moments: &Moments| (2.0 * ELO_OF_ONE / (1.0 - moments.mean() * moments.mean())).powi(2);
        let (mut whole, mut shared) = (Mean::default(), Mean::default());
        for (bot, others) in against.iter().enumerate() {
            let moments: Vec<Moments> = others.iter().filter_map(|&other| similar(bot, other)).collect();
            let variances: f64 = moments.iter().map(Moments::variance).sum();
            let scales: f64 = moments.iter().map(scale).sum::<f64>() / moments.len().max(1) as f64;
            moments.iter().for_each(|moments| whole.add(scale(moments) * moments.variance()));
            let count = others.len() as f64;
            if count > 1.0 && sums[bot].count() > 1 {
                shared.add(scales * (sums[bot].variance() - variances) / (count * (count - 1.0)));
            }
        }
        let whole = whole.value()?;
        // Both bots of a pair have a part.
        let bots = shared.value().map_or(whole, |shared| (2.0 * shared).clamp(0.0, whole));
        Some(Variation { bots, meeting: whole - bots })
    }

    /// Measures the variation of the scores of bots that played the same deals, each alone, in points. Returns `None`
    /// if no two bots played the same deals.
    pub fn of_scores(results: &impl Deals) -> Option<Variation> {
        let mut variance = Mean::default();
        Pairs::of(results).met().for_each(|pair| variance.add(pair.margin.variance()));
        Some(Variation { bots: variance.value()?, meeting: 0.0 })
    }
}

/// The smallest share of matches that each bot of a similar pair wins.
const SIMILAR_MIN: f64 = 0.25;

fn is_similar(moments: &Moments) -> bool {
    moments.mean().abs() <= 1.0 - 2.0 * SIMILAR_MIN
}

/// A mean of values.
#[derive(Default)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        (self.sum, self.count) = (self.sum + value, self.count + 1);
    }

    fn value(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

/// The results of each pair over deals, as moments of a number from -1 (lost) to 1 (won).
struct PairResults {
    bots: usize,
    moments: Vec<Moments>,
}

impl PairResults {
    fn of(results: &impl Deals) -> PairResults {
        let bots = results.bots();
        let mut moments = vec![Moments::default(); bots * bots];
        each_deal(results, |of_pair| {
            for bot in 0..bots {
                for other in 0..bots {
                    if let Some(result) = of_pair(bot, other) {
                        moments[bot * bots + other].add(result);
                    }
                }
            }
        });
        PairResults { bots, moments }
    }

    /// Returns the results of a pair that met on two deals or more.
    fn get(&self, bot: usize, other: usize) -> Option<Moments> {
        Some(self.moments[bot * self.bots + other]).filter(|moments| moments.count() > 1)
    }
}

/// Calls `show` for each deal with a function that returns the mean result of a pair on it, if the pair met.
fn each_deal(results: &impl Deals, mut show: impl FnMut(&dyn Fn(usize, usize) -> Option<f64>)) {
    let bots = results.bots();
    let mut sums = vec![(0.0, 0_u32); bots * bots];
    results.each(|deal| {
        sums.fill((0.0, 0));
        for (one, other) in deal.tables().flat_map(pairs_of) {
            let (bot, against) = (one.bot as usize, other.bot as usize);
            let result = 2.0 * score(one, other) - 1.0;
            for (place, result) in [(bot * bots + against, result), (against * bots + bot, -result)] {
                sums[place] = (sums[place].0 + result, sums[place].1 + 1);
            }
        }
        show(&|bot, other| {
            let (sum, count) = sums[bot * bots + other];
            (count > 0).then(|| sum / f64::from(count))
        });
    });
}

/// A question about the size of a tournament.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The pairs that play.
    pub design: Design,
    /// The number of bots, at least 2.
    pub bots: usize,
    /// The difference between the best bot and each other, above 0.
    pub difference: f64,
    /// How much differences vary from deal to deal, in the same unit.
    pub variation: Variation,
}

impl Question {
    /// Returns the smallest number of deals, at least `deals_min`, with which the table finds this share of the
    /// differences on average. Returns `None` if no number is large enough.
    pub fn deals(&self, power: f64, deals_min: u64) -> Option<u64> {
        let tables = Tables::of(self);
        let found = |deals: u64| tables.power(self, deals) >= power;
        let (mut low, mut high) = (deals_min.max(2), deals_min.max(2));
        if found(high) {
            return Some(high);
        }
        while !found(high) {
            (low, high) = (high, high * 2);
            if high > DEALS_MAX {
                return None;
            }
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if found(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }

    /// Returns the smallest difference of which the table finds this share on average after this number of deals, at
    /// least 2. The difference in the question has no meaning.
    pub fn gap(self, deals: u64, power: f64) -> f64 {
        let tables = Tables::of(&self);
        let is_found = |difference| tables.power(&Question { difference, ..self }, deals) >= power;
        let mut high = 1.0;
        while !is_found(high) {
            high *= 2.0;
        }
        let mut low = 0.0;
        while high - low > high / 1000.0 {
            let middle = f64::midpoint(low, high);
            if is_found(middle) { high = middle } else { low = middle }
        }
        high
    }

    /// Returns the variance per deal of the difference between the best bot and another, and between two others.
    fn variances(&self) -> [f64; 2] {
        let Variation { bots, meeting } = self.variation;
        match self.design {
            // Both bots meet all third bots too.
            Design::RoundRobin => [bots + 2.0 * meeting / self.bots as f64; 2],
            Design::Gauntlet => [bots + meeting, bots + 2.0 * meeting],
            Design::Solo => [bots + meeting; 2],
        }
    }
}

/// Simulated tables without differences, as deviations in standard errors.
struct Tables {
    /// For each table, the differences of the best bot from the others, in order.
    leads: Vec<Vec<f64>>,
    /// For each table, the factor by which its standard error is wrong, as a normal number.
    errors: Vec<f64>,
    /// By the number of others that are not told from the best bot yet, less one: the level at which each pair is
    /// tested.
    levels: Vec<f64>,
}

impl Tables {
    fn of(question: &Question) -> Tables {
        let others = question.bots - 1;
        let [lead, between] = question.variances();
        // The variance of an other bot alone, and of the best bot.
        let other = between / 2.0;
        let (best, other) = ((lead - other).max(0.0).sqrt(), other.sqrt());
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let draw = |random: &mut ChaCha8Rng| {
            let first = best * normal(random);
            (0..others).map(|_| (first - other * normal(random)) / lead.sqrt()).collect::<Vec<f64>>()
        };
        // The largest ratio of all pairs, by the number of undecided leads.
        let largest = |leads: &[f64]| {
            let best = leads.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let worst = leads.iter().copied().fold(f64::INFINITY, f64::min);
            let spread = (best - worst) * (lead / between).sqrt();
            let largest = leads.iter().scan(spread, |largest, lead| {
                *largest = lead.abs().max(*largest);
                Some(*largest)
            });
            largest.collect::<Vec<f64>>()
        };
        let tables: Vec<Vec<f64>> = (0..DRAWS).map(|_| largest(&draw(&mut random))).collect();
        let level = |undecided: usize| {
            let mut ratios: Vec<f64> = tables.iter().map(|table| table[undecided]).collect();
            ratios.sort_unstable_by(f64::total_cmp);
            2.0 * Normal::standard().sf(ratios[((1.0 - ERROR) * DRAWS as f64) as usize])
        };
        let levels = match others {
            1 => vec![ERROR],
            _ => (0..others).map(level).collect(),
        };
        let leads = (0..DRAWS).map(|_| draw(&mut random)).collect();
        let errors = (0..DRAWS).map(|_| normal(&mut random)).collect();
        Tables { leads, errors, levels }
    }

    /// Returns the share of the others that the table tells from the best bot after this number of deals.
    fn power(&self, question: &Question, deals: u64) -> f64 {
        let [lead, _] = question.variances();
        let shift = question.difference / (lead / deals as f64).sqrt();
        let one = Estimate { value: 0.0, error: 1.0, deals };
        let bounds: Vec<f64> =
            self.levels.iter().map(|&level| one.half_width_at(level).expect("two deals or more")).collect();
        let freedom = (deals - 1) as f64;
        let mut found = 0;
        for (leads, &error) in self.leads.iter().zip(&self.errors) {
            // The measured standard error has a chi distribution (Wilson and Hilferty, 1931).
            let part = 2.0 / (9.0 * freedom);
            let error = (1.0 - part + error * part.sqrt()).max(0.0).powf(1.5);
            let count_decided = |undecided: usize| {
                leads.iter().filter(|lead| **lead + shift > bounds[undecided - 1] * error).count()
            };
            let mut decided = 0;
            while decided < leads.len() {
                match count_decided(leads.len() - decided) {
                    more if more > decided => decided = more,
                    _ => break,
                }
            }
            found += decided;
        }
        found as f64 / (DRAWS * self.leads[0].len()) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(design: Design, bots: usize) -> Question {
        Question { design, bots, difference: 10.0, variation: Variation { bots: 0.0, meeting: 10_000.0 } }
    }

    /// For two bots and many deals, the normal distribution has the answer.
    #[test]
    fn two_bots_need_what_the_textbook_says() {
        let normal = Normal::standard();
        let exact = (normal.inverse_cdf(0.975) + normal.inverse_cdf(0.8)).powi(2) * 100.0;
        for design in [Design::RoundRobin, Design::Gauntlet] {
            let deals = question(design, 2).deals(0.8, 8).expect("a number") as f64;
            assert!((deals / exact - 1.0).abs() < 0.05, "{deals} instead of {exact}");
        }
    }

    #[test]
    fn more_bots_share_the_error_and_a_round_robin_shares_its_matches() {
        let deals = |design, bots| question(design, bots).deals(0.8, 8).expect("a number");
        assert!(deals(Design::Gauntlet, 12) > deals(Design::Gauntlet, 2));
        assert!(deals(Design::RoundRobin, 12) < deals(Design::Gauntlet, 12));
        assert!(
            question(Design::RoundRobin, 12).deals(0.9, 8) > question(Design::RoundRobin, 12).deals(0.8, 8)
        );
        let clear = Question { difference: 1e4, ..question(Design::RoundRobin, 3) };
        assert_eq!(clear.deals(0.8, 8), Some(8));
        let hidden = Question { difference: 1e-9, ..clear };
        assert_eq!(hidden.deals(0.8, 8), None, "and it ends");
    }

    #[test]
    fn a_gap_needs_the_deals_that_it_comes_from() {
        for design in [Design::RoundRobin, Design::Gauntlet, Design::Solo] {
            let question = question(design, 12);
            let deals = question.deals(0.8, 8).expect("a number");
            assert!((question.gap(deals, 0.8) / question.difference - 1.0).abs() < 0.01);
        }
    }
}
