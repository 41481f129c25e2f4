//! Checks `arena tune` on simulated matches. Its intervals contain the optimum as often as they say. It rarely calls a
//! setting better where nothing matters. Its search for many numbers finds better ones.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use stats::planning::optimum::{FEW, Optimum, Peak, Range, Spsa};
use stats::sequential::{Decision, Samples, Sprt};

use super::simulation::{MODELS, Scores, standard_normal};

/// Simulated searches: 200 in `.ci/run --full`.
fn runs() -> u64 {
    needs::sized(25, 25, 200)
}

/// Returns what this many of 200 searches are, with three standard errors where there are fewer.
fn at_most(of_200: u64) -> u64 {
    let share = of_200 as f64 / 200.0;
    let slack = if runs() < 200 { 3.0 * (runs() as f64 * share * (1.0 - share)).sqrt() } else { 0.0 };
    (runs() as f64 * share + slack) as u64
}

/// Deals for each setting of a design.
const DEALS: usize = 100;
/// The points that a value at a bound loses against one in the middle.
const STEEP: f64 = 8.0;

/// A bot whose strength depends on some numbers, and is the same everywhere beyond a distance of the best ones.
struct Bot {
    best: Vec<f64>,
    steep: f64,
    flat: f64,
}

fn ranges(numbers: usize) -> Vec<Range> {
    vec![Range { low: -1.0, high: 1.0, is_whole: false }; numbers]
}

impl Bot {
    fn drawn(numbers: usize, steep: f64, chance: &mut ChaCha8Rng) -> Bot {
        let best = (0..numbers).map(|_| chance.random_range(-0.8..0.8)).collect();
        Bot { best, steep, flat: f64::INFINITY }
    }

    /// The mean of its results at these values. Each number matters, and the product of neighbours too.
    fn strength(&self, values: &[f64]) -> f64 {
        let off: Vec<f64> = values.iter().zip(&self.best).map(|(value, best)| value - best).collect();
        let own: f64 = off.iter().map(|off| off * off).sum();
        let both: f64 = off.windows(2).map(|pair| pair[0] * pair[1]).sum();
        -self.steep * (own + 0.5 * both).min(self.flat)
    }

    /// The results of settings on a deal, in whole points. Half of the variance is that of the deal.
    fn deal(&self, settings: &[Vec<f64>], chance: &mut ChaCha8Rng) -> Vec<f64> {
        let Scores::Margins(deviation) = MODELS[0].scores else { panic!("doodle has margins") };
        let part = deviation * 0.5_f64.sqrt();
        let luck = part * standard_normal(chance);
        let one =
            |setting: &Vec<f64>| (self.strength(setting) + luck + part * standard_normal(chance)).round();
        settings.iter().map(one).collect()
    }

    /// Returns true if `arena compare` calls the values better than those at the start.
    fn is_called_better(&self, values: &[f64], chance: &mut ChaCha8Rng) -> bool {
        let (sprt, start): (Sprt, _) = (MODELS[0].sprt, vec![0.0; values.len()]);
        let (mut samples, mut decision) = (Samples::default(), None);
        while decision.is_none() && samples.count() < 10_000 {
            let played = self.deal(&[values.to_vec(), start.clone()], chance);
            samples.add(played[0] - played[1]);
            decision = sprt.decision(&samples);
        }
        decision == Some(Decision::H1)
    }

    fn tuned(&self, chance: &mut ChaCha8Rng) -> Optimum {
        let mut peak = Peak::new(ranges(self.best.len())).expect("they are no whole numbers");
        loop {
            let settings = peak.settings();
            let deals: Vec<Vec<f64>> = (0..DEALS).map(|_| self.deal(&settings, chance)).collect();
            if let Some(found) = peak.learn(&deals) {
                return found;
            }
        }
    }

    fn searched(&self, chance: &mut ChaCha8Rng) -> Vec<f64> {
        let numbers = self.best.len();
        let mut search = Spsa::new(ranges(numbers), &vec![0.0; numbers], 200, chance.random());
        while let Some(pair) = search.pair() {
            let lead = (0..8).map(|_| {
                let played = self.deal(&pair, chance);
                played[0] - played[1]
            });
            let lead = lead.sum::<f64>() / 8.0;
            search.learn(lead);
        }
        search.best()
    }
}

#[test]
fn intervals_of_the_best_values_have_them_in_them() {
    for (numbers, flat) in [(1, f64::INFINITY), (2, f64::INFINITY), (FEW, f64::INFINITY), (1, 0.3), (2, 0.5)]
    {
        let (mut covered, mut unknown) = (vec![0; numbers], 0);
        for seed in 0..runs() {
            let mut chance = ChaCha8Rng::seed_from_u64(seed);
            let steep = if flat < f64::INFINITY { 4.0 * STEEP } else { STEEP };
            let bot = Bot { flat, ..Bot::drawn(numbers, steep, &mut chance) };
            let found = bot.tuned(&mut chance);
            unknown += u64::from(found.intervals.is_empty());
            for (number, covered) in covered.iter_mut().enumerate() {
                let has = |[low, high]: &[f64; 2]| (*low..=*high).contains(&bot.best[number]);
                *covered += u64::from(found.intervals.get(number).is_none_or(has));
            }
        }
        let told = format!("{numbers} numbers, flat from {flat} on: {covered:?}, {unknown} unknown");
        println!("{told}");
        assert!(covered.iter().all(|covered| runs() - covered <= at_most(15)), "{told}");
        assert!(unknown <= at_most(if flat < f64::INFINITY { 80 } else { 10 }), "{told}");
    }
}

#[test]
fn nothing_is_called_better_where_nothing_matters() {
    let mut called = [0; 2];
    for seed in 0..runs() {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        let bot = Bot::drawn(2, 0.0, &mut chance);
        let found = bot.tuned(&mut chance);
        assert!(found.intervals.iter().all(|[low, high]| high - low > 0.5), "{found:?}");
        called[0] += u64::from(bot.is_called_better(&found.at, &mut chance));
        let bot = Bot::drawn(5, 0.0, &mut chance);
        let found = bot.searched(&mut chance);
        called[1] += u64::from(bot.is_called_better(&found, &mut chance));
    }
    println!("{called:?}");
    assert!(called.iter().all(|called| *called <= at_most(10)), "{called:?} of {}", runs());
}

#[test]
fn a_search_for_many_numbers_finds_better_ones() {
    let mut gains = Vec::new();
    for seed in 0..runs() {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        let bot = Bot::drawn(5, STEEP, &mut chance);
        let found = bot.searched(&mut chance);
        gains.push((bot.strength(&found) - bot.strength(&[0.0; 5])) / -bot.strength(&[0.0; 5]));
    }
    gains.sort_by(f64::total_cmp);
    let [least, median] = [gains[0], gains[gains.len() / 2]];
    println!("of what can be gained: {least:.2} at least, {median:.2} in the middle");
    assert!(least > 0.5 && median > 0.9, "{least} {median}");
}
