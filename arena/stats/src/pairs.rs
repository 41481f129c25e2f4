//! Pairs of bots: results and paired differences over deals.

use super::deals::{DealMeans, Moments};
use super::results::{DealSums, Deals, Place, pairs_of};

/// The results of two bots that met, from the view of the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pair {
    /// The matches in which both bots sat at one table.
    pub matches: u64,
    /// The matches in which the first bot ranked higher.
    pub won: u64,
    /// The matches with equal ranks.
    pub drawn: u64,
    /// The paired differences: the first bot's score minus the other's, by deal.
    pub margin: DealMeans,
    scores: [Moments; 2],
}

impl Pair {
    fn add(&mut self, on_deal: OnDeal) {
        let OnDeal { matches, won, drawn, scores: [one, other] } = on_deal;
        self.matches += matches;
        self.won += won;
        self.drawn += drawn;
        self.margin.add(one - other, matches);
        self.scores[0].add(one / matches as f64);
        self.scores[1].add(other / matches as f64);
    }

    /// Returns the number of matches in which the first bot ranked lower.
    pub fn lost(&self) -> u64 {
        self.matches - self.won - self.drawn
    }

    /// Returns the variance over deals that the difference would have if each bot had played deals of its
    /// own.
    fn unpaired(&self) -> f64 {
        self.scores.iter().map(Moments::variance).sum()
    }

    /// Returns the factor by which unpaired play would need more deals. Returns `None` with fewer than two
    /// deals, or if all differences are equal.
    pub fn worth(&self) -> Option<f64> {
        worth([self].into_iter())
    }

    /// Returns the covariance of both scores over deals.
    pub(super) fn covariance(&self) -> f64 {
        (self.unpaired() - self.margin.variance()) / 2.0
    }

    fn reversed(mut self) -> Pair {
        self.won = self.lost();
        self.margin = self.margin.negated();
        self.scores.swap(0, 1);
        self
    }
}

fn worth<'a>(pairs: impl Iterator<Item = &'a Pair>) -> Option<f64> {
    let sums = pairs.fold((0.0, 0.0), |(unpaired, paired), pair| {
        (unpaired + pair.unpaired(), paired + pair.margin.variance())
    });
    (sums.1 > 0.0).then(|| sums.0 / sums.1)
}

/// The results of all pairs of bots.
#[derive(Clone, Debug)]
pub struct Pairs {
    bots: usize,
    /// The pairs that met, in the order of their first meetings, each from the view of the bot with the
    /// smaller number.
    pairs: Vec<Pair>,
    /// Indices into `pairs`, by the [`number`] of the pair, or [`NEVER`] for a pair that did not meet.
    places: Vec<u32>,
}

/// The entry of a pair that never met.
const NEVER: u32 = u32::MAX;

/// The results of two bots on one deal, from the view of the bot with the smaller number.
#[derive(Clone, Copy, Default)]
struct OnDeal {
    matches: u64,
    won: u64,
    drawn: u64,
    scores: [f64; 2],
}

impl OnDeal {
    fn add(&mut self, one: &Place, other: &Place) {
        self.matches += 1;
        self.won += u64::from(one.rank < other.rank);
        self.drawn += u64::from(one.rank == other.rank);
        self.scores[0] += f64::from(one.score);
        self.scores[1] += f64::from(other.score);
    }
}

impl Pairs {
    /// Collects the pairs of these results.
    pub fn of(results: &impl Deals) -> Pairs {
        let bots = results.bots();
        let mut places = vec![NEVER; bots * bots.saturating_sub(1) / 2];
        let mut pairs: Vec<Pair> = Vec::new();
        let mut sums: DealSums<OnDeal> = DealSums::new(0);
        results.each(|deal| {
            for (one, other) in deal.tables().flat_map(pairs_of) {
                let (one, other) = if one.bot < other.bot { (one, other) } else { (other, one) };
                let place = &mut places[number(one.bot as usize, other.bot as usize)];
                if *place == NEVER {
                    *place = pairs.len() as u32;
                    pairs.push(Pair::default());
                }
                sums.of(*place as usize).add(one, other);
            }
            sums.take().into_iter().for_each(|(place, on_deal)| pairs[place].add(on_deal));
        });
        Pairs { bots, pairs, places }
    }

    /// Returns the pair from the view of `bot`, or `None` if the two never met.
    pub fn get(&self, bot: usize, against: usize) -> Option<Pair> {
        if bot == against || bot.max(against) >= self.bots {
            return None;
        }
        let place = self.places[number(bot.min(against), bot.max(against))];
        let pair = self.pairs.get(place as usize)?.clone();
        Some(if bot < against { pair } else { pair.reversed() })
    }

    /// Returns the pairs that met, each once, in the order of the bots' numbers.
    pub(super) fn met(&self) -> impl Iterator<Item = &Pair> {
        self.places.iter().filter_map(|&place| self.pairs.get(place as usize))
    }

    /// Returns the number of pairs that met.
    pub fn count(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the factor by which unpaired play would need more deals, over all pairs. Returns `None` if
    /// all differences of each pair are equal.
    pub fn worth(&self) -> Option<f64> {
        worth(self.met())
    }
}

/// The number of a pair with `small < large`.
fn number(small: usize, large: usize) -> usize {
    large * (large - 1) / 2 + small
}
