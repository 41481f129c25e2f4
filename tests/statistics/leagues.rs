//! Simulated leagues of bots with known strength, without processes.
//!
//! Scores come from models of both games, the schedule and the statistics from the arena. The tests compare
//! the resulting estimates with the true values.

use std::f64::consts::TAU;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, Normal};
use stats::planning::{Design, Question, Variation};
use stats::{Deal, ELO_OF_ONE, Estimate, Pairs, Place, Ratings, Results, expected, score_claims};
use tournament::schedule::{Field, Results as Played, ScheduleName, Settings};
use tournament::standings::DEALS_MIN;

/// The model of scores. All parameters are in points of the game.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Model {
    /// Doodle with normal scores. The deal adds a common term to all scores. A bot's own term is mostly the
    /// same at all of its tables.
    Doodle,
    /// Doodle as a race. The winner follows the model of the ratings (scores with Gumbel distribution), and a
    /// bot often has the same luck at all of its tables.
    Race,
    /// Patchwork. The first seat has an advantage that varies with the deal, and each deal is played in both
    /// seatings.
    Patchwork,
}

/// A kind of league, for repeated simulation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct League {
    pub(crate) model: Model,
    pub(crate) seats: usize,
    /// The mean score of each bot.
    pub(crate) means: &'static [f64],
    pub(crate) deals: u64,
    /// Round robin or draw.
    pub(crate) schedule: ScheduleName,
}

/// The number of deals from which a plan knows the variation.
const DEALS_BEFORE: u64 = 20_000;
/// Standard deviation of the deal's common term.
const DEAL: f64 = 9.0;
/// Standard deviation of a bot's score on a deal.
const OWN: f64 = 10.0;
/// The share of this variance common to all tables of a bot. In a race, the share of matches.
const SAME: f64 = 0.7;
/// Points per unit of strength in a race.
const RACE_POINTS: f64 = 10.0;
/// The advantage of the first seat in Patchwork: its mean, and its standard deviation over deals.
const SEAT: (f64, f64) = (3.0, 6.0);

/// Coverage statistics of the intervals of many leagues.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Coverage {
    pub(crate) intervals: u64,
    covered: u64,
    bias: f64,
    width: f64,
}

impl Coverage {
    fn add(&mut self, estimate: Estimate, truth: f64) {
        let Some(half) = estimate.half_width() else { return };
        self.intervals += 1;
        self.covered += u64::from((estimate.value - truth).abs() <= half);
        self.bias += (estimate.value - truth) / estimate.error;
        self.width += half;
    }

    /// Returns the share of intervals that contain the true value, in percent.
    pub(crate) fn percent(&self) -> f64 {
        100.0 * self.covered as f64 / self.intervals as f64
    }

    /// Returns the mean error of the estimates, in standard errors.
    pub(crate) fn bias(&self) -> f64 {
        self.bias / self.intervals as f64
    }

    /// Returns the mean half-width of the intervals.
    pub(crate) fn half_width(&self) -> f64 {
        self.width / self.intervals as f64
    }
}

/// Coverage of the values in a table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// Coverage of ratings, in Elo.
    pub(crate) ratings: Coverage,
    /// Coverage of rating differences, better bot minus worse bot, in Elo.
    pub(crate) differences: Coverage,
    /// Coverage of mean margins, better bot minus worse bot, in points.
    pub(crate) margins: Coverage,
}

/// The claims of many tables about all pairs of their bots.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Claimed {
    pub(crate) leagues: u64,
    /// The leagues with at least one wrong claim.
    pub(crate) wrong: u64,
    /// The pairs of different bots, the claims about them, and the claims by Holm's procedure.
    pub(crate) pairs: u64,
    pub(crate) found: u64,
    pub(crate) found_by_holm: u64,
    /// The leagues in which at least one pair of neighbours in the table has a significant difference of its
    /// own, although the two bots are equally strong.
    pub(crate) wrong_pairwise: u64,
    /// The sums of the measured and of the shrunken rating of the best bot, each without its true rating, in Elo.
    pub(crate) best: f64,
    pub(crate) best_shrunken: f64,
}

impl League {
    /// Plays `leagues` leagues, and counts right and wrong claims.
    pub(crate) fn claim(&self, leagues: u64, seed: u64) -> Claimed {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut claimed = Claimed::default();
        let elo = self.truth();
        for _ in 0..leagues {
            let results = self.results(&mut random);
            let ratings = Ratings::fit(&results, |_, _| true);
            let pairs = Pairs::of(&results);
            let alone = self.seats == 1;
            let claims = if alone { score_claims(&results, 2) } else { ratings.claims(2) };
            let difference = |bot: usize, other: usize| match alone {
                true => pairs.get(bot, other).expect("both played").margin.estimate(),
                false => ratings.difference(bot, other).expect("both played"),
            };
            claimed.leagues += 1;
            if let Some((best, shrunken)) = ratings.leader(&claims, 2).filter(|_| !alone) {
                claimed.best += ratings.of(best).expect("it played").value - elo[best];
                claimed.best_shrunken += shrunken - elo[best];
            }
            let (mut is_wrong, mut is_wrong_pairwise, mut probabilities) = (false, false, Vec::new());
            for bot in 0..self.means.len() {
                for other in 0..bot {
                    let truth = self.points(bot, other);
                    let estimate = difference(bot, other);
                    is_wrong |= claims.is_ahead(bot, other) && truth <= 0.0;
                    is_wrong |= claims.is_ahead(other, bot) && truth >= 0.0;
                    is_wrong_pairwise |= truth == 0.0 && estimate.is_told_from_zero();
                    claimed.pairs += u64::from(truth != 0.0);
                    claimed.found += u64::from(truth != 0.0 && claims.differ(bot, other));
                    let above = estimate.above_zero().expect("several deals");
                    probabilities.push((2.0 * above.min(1.0 - above), truth));
                }
            }
            probabilities.sort_by(|one, other| one.0.total_cmp(&other.0));
            let count = probabilities.len();
            let holm = probabilities.iter().enumerate();
            let holm =
                holm.take_while(|(place, (probability, _))| *probability <= 0.05 / (count - place) as f64);
            claimed.found_by_holm += holm.filter(|(_, (_, truth))| *truth != 0.0).count() as u64;
            claimed.wrong += u64::from(is_wrong);
            claimed.wrong_pairwise += u64::from(is_wrong_pairwise);
        }
        claimed
    }

    /// Returns the number of deals that a plan for this league has, in which the first bot is better than all others.
    /// The plan knows the variation from a league of `bots_before` equal bots.
    pub(crate) fn planned(&self, bots_before: usize, power: f64, seed: u64) -> u64 {
        let equal = League { means: Vec::leak(vec![0.0; bots_before]), deals: DEALS_BEFORE, ..*self };
        let results = equal.results(&mut ChaCha8Rng::seed_from_u64(seed));
        let (variation, difference, design) = match self.seats {
            1 => (Variation::of_scores(&results), self.points(0, 1), Design::Solo),
            _ => {
                let truth = self.truth();
                (Variation::of_ratings(&results), truth[0] - truth[1], Design::RoundRobin)
            }
        };
        let variation = variation.expect("the bots are similar");
        let question = Question { design, bots: self.means.len(), difference, variation };
        question.deals(power, 2).expect("a number")
    }

    /// Plays `leagues` leagues and compares the tables with the true values.
    pub(crate) fn play(&self, leagues: u64, seed: u64) -> Outcome {
        self.play_with(leagues, seed, |results| results)
    }

    /// Like [`League::play`], with a change of the results before the statistics.
    pub(crate) fn play_with(&self, leagues: u64, seed: u64, change: impl Fn(Results) -> Results) -> Outcome {
        let truth = self.truth();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut outcome = Outcome::default();
        for _ in 0..leagues {
            let results = change(self.results(&mut random));
            self.compare(&results, &truth, &mut outcome);
        }
        outcome
    }

    fn compare(&self, results: &Results, truth: &[f64], outcome: &mut Outcome) {
        let (ratings, pairs) = (Ratings::fit(results, |_, _| true), Pairs::of(results));
        for bot in 0..self.means.len() {
            outcome.ratings.add(ratings.of(bot).expect("it played"), truth[bot]);
            for worse in 0..bot {
                let difference = ratings.difference(bot, worse).expect("both played");
                outcome.differences.add(difference, truth[bot] - truth[worse]);
                let margin = pairs.get(bot, worse).map(|pair| pair.margin.estimate());
                if let Some(margin) = margin.filter(|margin| margin.deals >= DEALS_MIN) {
                    outcome.margins.add(margin, self.points(bot, worse));
                }
            }
        }
    }

    /// Returns the true mean margin.
    fn points(&self, bot: usize, other: usize) -> f64 {
        self.means[bot] - self.means[other]
    }

    /// Returns the true ratings, under which the expected wins of each bot equal its mean wins. The solver
    /// uses minorization-maximization, which is independent of the method under test. For a race, the result
    /// equals the given strengths.
    fn truth(&self) -> Vec<f64> {
        let bots = self.means.len();
        let others = |bot: usize| (0..bots).filter(move |&other| other != bot);
        let won = (0..bots).map(|bot| others(bot).map(|other| self.share(bot, other)).sum());
        let (won, mut merits): (Vec<f64>, _) = (won.collect(), vec![1.0_f64; bots]);
        for _ in 0..20_000 {
            let better = |bot: usize| {
                won[bot] / others(bot).map(|other| 1.0 / (merits[bot] + merits[other])).sum::<f64>()
            };
            merits = (0..bots).map(better).collect();
        }
        let elo: Vec<f64> = merits.iter().map(|merit| merit.ln() * ELO_OF_ONE).collect();
        let middle = elo.iter().sum::<f64>() / bots as f64;
        elo.iter().map(|elo| elo - middle).collect()
    }

    /// Returns the expected share of matches that `bot` wins against `other`.
    fn share(&self, bot: usize, other: usize) -> f64 {
        let margin = self.points(bot, other);
        let normal =
            |margin: f64, deviation: f64| Normal::new(0.0, deviation).expect("a deviation").cdf(margin);
        match self.model {
            Model::Doodle => normal(margin, OWN * 2.0_f64.sqrt()),
            Model::Race => expected(margin / RACE_POINTS, 0.0),
            Model::Patchwork => {
                let deviation = (2.0 * OWN * OWN + SEAT.1 * SEAT.1).sqrt();
                (normal(margin + SEAT.0, deviation) + normal(margin - SEAT.0, deviation)) / 2.0
            }
        }
    }

    /// Returns the results of one league.
    pub(crate) fn results(&self, random: &mut impl Rng) -> Results {
        let bots = self.means.len();
        let swapped = matches!(self.model, Model::Patchwork);
        let field = Field { bots, seats: self.seats, rounds: self.deals, every_seat_each_deal: swapped };
        let names: Vec<String> = (0..bots).map(|bot| bot.to_string()).collect();
        let settings = Settings { schedule: self.schedule, ..Settings::default() };
        let schedule = settings.schedule(field, &names, 0, false).expect("a small schedule");
        let schedule = schedule.stage(0, &Played::default()).expect("it has a stage");
        let a_deal = schedule.total() / self.deals;
        let mut results = Results::new(bots);
        for deal in 0..self.deals {
            let luck = Luck::new(self.model, bots, random);
            let mut table = |index: u64| {
                let seats = schedule.pairing(deal * a_deal + index).bots;
                let scores = seats.iter().enumerate();
                let scores =
                    scores.map(|(seat, &bot)| luck.score(self.means[bot], bot, seat, random).round() as i32);
                ranked(&seats, &scores.collect::<Vec<_>>())
            };
            let mut deal = Deal::default();
            (0..a_deal).for_each(|index| deal.add_table(table(index)));
            if self.seats == 1 {
                deal.join_tables();
            }
            results.add_deal(deal);
        }
        results
    }
}

/// Returns the places of a match, ranked by score.
fn ranked(bots: &[usize], scores: &[i32]) -> Vec<Place> {
    let place = |(&bot, &score): (&usize, &i32)| {
        let rank = 1 + scores.iter().filter(|&&other| other > score).count() as u32;
        Place { bot: bot as u32, rank, score, fault: false }
    };
    bots.iter().zip(scores).map(place).collect()
}

/// The random terms of one deal.
struct Luck {
    model: Model,
    /// The common term of all scores.
    deal: f64,
    /// The own term of each bot, the same at all of its tables.
    own: Vec<f64>,
    seat: f64,
}

impl Luck {
    fn new(model: Model, bots: usize, random: &mut impl Rng) -> Luck {
        let draw = if matches!(model, Model::Race) { gumbel } else { normal };
        Luck {
            model,
            deal: DEAL * normal(random),
            seat: SEAT.0 + SEAT.1 * normal(random),
            own: (0..bots).map(|_| draw(random)).collect(),
        }
    }

    fn score(&self, mean: f64, bot: usize, seat: usize, random: &mut impl Rng) -> f64 {
        let own = self.own[bot];
        let mixed = SAME.sqrt() * own + (1.0 - SAME).sqrt() * normal(random);
        match self.model {
            Model::Doodle => mean + self.deal + OWN * mixed,
            Model::Race if random.random_bool(SAME) => mean + self.deal + RACE_POINTS * own,
            Model::Race => mean + self.deal + RACE_POINTS * gumbel(random),
            Model::Patchwork => mean + self.deal + OWN * mixed + if seat == 0 { self.seat } else { 0.0 },
        }
    }
}

/// Returns a random number above 0 and at most 1.
fn share(random: &mut impl Rng) -> f64 {
    1.0 - random.random::<f64>() * (1.0 - f64::EPSILON)
}

/// Returns a standard normal number (Box-Muller).
fn normal(random: &mut impl Rng) -> f64 {
    (-2.0 * share(random).ln()).sqrt() * (TAU * share(random)).cos()
}

/// Returns a Gumbel number. The largest sum of strength and such a number wins with the probability of the
/// rating model.
fn gumbel(random: &mut impl Rng) -> f64 {
    -(-share(random).ln()).ln()
}
