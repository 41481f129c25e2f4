//! A comparison of two bots: the question, the deals in the order of rounds, and the answer.
//!
//! Matches arrive in any order and may run ahead. The test counts whole deals only, in the order of rounds,
//! up to the deal at which it stops. The answer therefore depends on the seed and the bots, and not on the
//! number of matches played at once.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::journal::files::write_json;
use crate::journal::results;
use crate::plan::Plan;
use crate::report::words::count;
use crate::run::observer::Observer;
use crate::standings::Tally;
use referee::bots::names::check_name;
use referee::error::Error;
use referee::games::GameKind;
use referee::record::Summary;
use stats::rounded;
use stats::sequential::{DEALS_MIN, Decision, Samples, Sprt};

/// The name of the comparison's file in a tournament's directory.
pub(crate) const COMPARISON: &str = "compare.json";
/// The version of this file. Version 1 calls the interval `ci95`: it was always a 95 % interval.
const FORMAT: u32 = 2;
/// The oldest version that this arena reads.
const FORMAT_MIN: u32 = 1;
/// The least distance between H0 and H1.
const APART_MIN: f64 = 0.01;
/// The most decimals of an interval. It has one decimal, and more where rounding would hide the verdict.
const DIGITS_MAX: i32 = 4;
/// The most points of the path of a test that are kept, and the most deals that parted the bots.
const PATH_MAX: usize = 500;
const PARTED_MAX: usize = 10;
/// The probabilities of errors must lie between these values.
const ERROR_MIN: f64 = 1e-9;
const ERROR_MAX: f64 = 0.5;

/// The unit of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// The score minus the opponent's, averaged over the matches of a deal
    Points,
    /// Difference in Elo, from wins and draws
    Elo,
}

impl Metric {
    /// The default effect for H1, in a game where this difference in points counts.
    pub fn effect(self, unit: Option<f64>) -> Option<f64> {
        match self {
            Metric::Points => unit,
            Metric::Elo => Some(20.0),
        }
    }

    /// The largest effect that a question may have, up or down.
    fn effect_max(self) -> f64 {
        match self {
            Metric::Points => 10_000.0,
            Metric::Elo => 1000.0,
        }
    }

    /// The name of the unit.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::Points => "points",
            Metric::Elo => "Elo",
        }
    }

    /// Converts an effect to the mean of a deal's sample.
    fn mean_of(self, effect: f64) -> f64 {
        match self {
            Metric::Points => effect,
            Metric::Elo => 1.0 / (1.0 + 10_f64.powf(-effect / 400.0)),
        }
    }

    /// Converts the mean over `deals` deals to an effect. For Elo, the share of points keeps a distance of
    /// half the smallest step from 0 and 1, which keeps Elo finite.
    fn effect_at(self, mean: f64, grain: f64, deals: u64) -> f64 {
        match self {
            Metric::Points => mean,
            Metric::Elo => {
                let least = grain / (2.0 * deals as f64);
                let share = mean.clamp(least, 1.0 - least);
                400.0 * (share / (1.0 - share)).log10()
            }
        }
    }
}

/// The question of a comparison: is the first bot better than the second one?
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Question {
    /// The unit of the effects.
    pub metric: Metric,
    /// The effect under H0: "not better".
    pub h0: f64,
    /// The effect under H1: "better".
    pub h1: f64,
    /// The probability of "better" at an effect of `h0`.
    pub alpha: f64,
    /// The probability of "not better" at an effect of `h1`.
    pub beta: f64,
}

impl Question {
    /// The confidence of the interval around the estimate.
    pub fn confidence(&self) -> f64 {
        1.0 - self.alpha - self.beta
    }

    /// Checks that a test can answer this question.
    ///
    /// # Errors
    /// Names the option and the values that it accepts.
    pub fn check(self) -> Result<Question, Error> {
        let most = self.metric.effect_max();
        for (option, effect) in [("--h0", self.h0), ("--h1", self.h1)] {
            if effect.is_nan() || effect.abs() > most {
                let unit = self.metric.unit();
                return Err(Error::usage(format!(
                    "{option} is {effect}: it must lie between -{most} and {most} {unit}"
                )));
            }
        }
        for (option, error) in [("--alpha", self.alpha), ("--beta", self.beta)] {
            if !(ERROR_MIN..ERROR_MAX).contains(&error) {
                return Err(Error::usage(format!(
                    "{option} is {error}: it must be at least {ERROR_MIN} and below {ERROR_MAX}"
                ))
                .hint("0.025 is the default: one comparison in forty may err"));
            }
        }
        if self.h1 - self.h0 < APART_MIN {
            let (h0, h1, unit) = (self.h0, self.h1, self.metric.unit());
            return Err(Error::usage(format!(
                "--h0 is {h0} and --h1 is {h1} {unit}: H1 must be at least {APART_MIN} above H0"
            ))
            .hint("H0 is what is no improvement, H1 what is one"));
        }
        Ok(self)
    }

    /// The sequential test, for deals of `matches_a_deal` matches.
    fn sprt(&self, matches_a_deal: u64) -> Sprt {
        let step = if self.metric == Metric::Points { 1.0 } else { 0.5 };
        let Question { metric, alpha, beta, .. } = *self;
        let [h0, h1] = [self.h0, self.h1].map(|effect| metric.mean_of(effect));
        Sprt { h0, h1, alpha, beta, grain: step / matches_a_deal as f64 }
    }
}

/// The verdict of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The test accepted H1.
    Better,
    /// The test accepted H0.
    NotBetter,
    /// There were not enough deals.
    Undecided,
}

/// The answer of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// The number of deals used.
    pub deals: u64,
    /// The lead of the first bot in the unit of the question, corrected for the early stop. With fewer than
    /// two deals this value and the next two are `null`.
    pub estimate: Option<f64>,
    /// The confidence interval of the estimate, at `1 - alpha - beta`. It does not contain H0 if the verdict is
    /// `better`, nor H1 if it is `not-better`.
    #[serde(alias = "ci95")]
    pub interval: Option<[f64; 2]>,
    /// The estimate without the correction.
    pub uncorrected: Option<f64>,
    /// The log-likelihood ratio of H1 against H0.
    pub llr: f64,
    /// The log-likelihood ratios at which the test accepts H0 and H1.
    pub bounds: [f64; 2],
    /// The number of further deals that the test needs on average, if the estimate is right; `null` unless
    /// undecided.
    pub deals_to_go: Option<u64>,
    /// The largest difference between two scores of these deals, if no such difference can show the effects of
    /// the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores_apart: Option<i64>,
    /// The number of matches in which each bot had a fault, over these deals.
    pub faults: [u64; 2],
}

/// The file of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The version of this file.
    #[cfg_attr(feature = "schema", schemars(extend("const" = FORMAT)))]
    pub format: u32,
    /// The names of the bots: is the first better than the second?
    pub bots: [String; 2],
    /// The question.
    pub question: Question,
    /// The answer, once it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
}

impl Comparison {
    /// A comparison without an answer yet.
    pub fn new(bots: [String; 2], question: Question) -> Comparison {
        Comparison { format: FORMAT, bots, question, answer: None }
    }

    /// Reads the file in `dir`.
    ///
    /// # Errors
    /// Fails if the file does not exist or is not a comparison.
    pub fn read(dir: &Path) -> Result<Comparison, Error> {
        let path = dir.join(COMPARISON);
        let text = results::read(&path).map_err(|error| {
            Error::unreadable(&path, &error)
                .hint("name the directory of a comparison, such as results/compare-1")
        })?;
        let wrong =
            |what: String| Error::usage(format!("{} is not a comparison's file: {what}", path.display()));
        let read: Comparison = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        match read.format {
            FORMAT_MIN..=FORMAT => {
                read.bots.iter().try_for_each(|name| check_name(name).map(drop))?;
                Ok(Comparison { format: FORMAT, question: read.question.check()?, ..read })
            }
            other => Err(wrong(format!(
                "it is of version {other}, this arena knows versions {FORMAT_MIN} to {FORMAT}"
            ))),
        }
    }

    /// Writes the file in `dir`.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn write(&self, dir: &Path) -> Result<(), Error> {
        write_json(&dir.join(COMPARISON), self)
    }

    /// Returns its test without results, in a tournament with this plan.
    pub fn trial<G: GameKind>(&self, plan: &Plan<impl Sized>) -> Trial {
        let matches_a_deal = if plan.every_seat_each_deal::<G>() { plan.seats as u64 } else { 1 };
        Trial::new(self.bots.clone(), self.question, matches_a_deal, G::IS_PROGRAM)
    }

    /// Returns the verdict in a line.
    pub fn verdict(&self, answer: &Answer) -> String {
        let Comparison { bots: [first, second], question: Question { metric, h0, h1, .. }, .. } = self;
        let (unit, deals) = (metric.unit(), count(answer.deals, "deal"));
        match answer.verdict {
            Verdict::Better if *h0 == 0.0 => {
                format!("better: {first} is better than {second}, after {deals}")
            }
            Verdict::Better if *h0 > 0.0 => {
                format!("better: {first} is better than {second} by more than {h0} {unit}, after {deals}")
            }
            Verdict::Better => {
                format!(
                    "better: {first} is not worse than {second} by more than {} {unit}, after {deals}",
                    -h0
                )
            }
            Verdict::NotBetter if answer.interval.is_some_and(|[_, high]| high < 0.0) => {
                format!("worse: {first} is worse than {second}, after {deals}")
            }
            Verdict::NotBetter => {
                format!("not better by more than {h1} {unit}: {first} against {second}, after {deals}")
            }
            Verdict::Undecided if let Some(apart) = answer.scores_apart => {
                let bounds = if *h1 > apart as f64 { format!("H1 is {h1}") } else { format!("H0 is {h0}") };
                let apart = count(apart.unsigned_abs(), "point");
                format!(
                    "undecided after {deals}: scores are at most {apart} apart, and {bounds}; try --metric elo"
                )
            }
            Verdict::Undecided => {
                let more = count(answer.deals_to_go.unwrap_or(0), "more deal");
                format!("undecided after {deals}: about {more} would tell")
            }
        }
    }

    /// Returns the estimate with its interval in a line, if there are enough deals.
    pub fn estimate(&self, answer: &Answer) -> Option<String> {
        let Comparison { bots: [first, second], question, .. } = self;
        let (estimate, [low, high]) = answer.estimate.zip(answer.interval)?;
        let (unit, confidence) = (question.metric.unit(), percent(question.confidence()));
        let digits = digits(question, answer.verdict, [low, high]);
        Some(format!(
            "{first} against {second}: {estimate:+.1} {unit} ({confidence} %: {low:+.digits$} to {high:+.digits$})"
        ))
    }
}

/// Returns the number of decimals with which this interval shows the verdict.
fn digits(question: &Question, verdict: Verdict, [low, high]: [f64; 2]) -> usize {
    let is_enough = |digits: &i32| {
        let shown = |value: f64| (value * 10_f64.powi(*digits)).round() / 10_f64.powi(*digits);
        match verdict {
            Verdict::Better => shown(low) > question.h0,
            Verdict::NotBetter => shown(high) < question.h1,
            Verdict::Undecided => true,
        }
    };
    (1..DIGITS_MAX).find(is_enough).unwrap_or(DIGITS_MAX) as usize
}

/// Formats a confidence in percent, rounded down to two decimals.
fn percent(confidence: f64) -> String {
    ((confidence * 10_000.0 + 1e-6).floor() / 100.0).to_string()
}

/// One match from the first bot's seat.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    /// The number of the match.
    index: u64,
    /// The scores of the first and of the second bot.
    scores: [i64; 2],
    /// 1 for a win, 0.5 for a draw.
    share: f64,
    faults: [u64; 2],
}

impl Meeting {
    fn of(Summary { index, result, .. }: &Summary, seats: [usize; 2]) -> Meeting {
        Meeting {
            index: *index,
            scores: seats.map(|seat| i64::from(result.scores[seat])),
            share: match result.ranks[seats[0]].cmp(&result.ranks[seats[1]]) {
                std::cmp::Ordering::Less => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 0.0,
            },
            faults: seats.map(|seat| u64::from(result.faults[seat].is_some())),
        }
    }

    fn result(&self, metric: Metric) -> f64 {
        match metric {
            Metric::Points => (self.scores[0] - self.scores[1]) as f64,
            Metric::Elo => self.share,
        }
    }
}

/// The way of a test to its answer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Course {
    /// The test after some of the deals: their number, the log-likelihood ratio, and its bounds.
    path: Vec<(u64, f64, [f64; 2])>,
    /// The deals that parted the bots the most.
    parted: Vec<Parted>,
}

/// A deal of a comparison.
#[derive(Clone, Debug, Serialize)]
struct Parted {
    round: u64,
    /// What the first bot had more than the second one on average: points, or the part of wins above one half.
    lead: f64,
    matches: Vec<u64>,
}

/// A running comparison.
#[derive(Debug)]
pub struct Trial {
    question: Question,
    bots: [String; 2],
    matches_a_deal: u64,
    /// True if only the matches tell how far scores can be apart.
    is_unknown: bool,
    sprt: Sprt,
    /// Deals after the first incomplete one, by round: the matches by the first bot's seat.
    waiting: BTreeMap<u64, BTreeMap<usize, Meeting>>,
    samples: Samples,
    faults: [u64; 2],
    /// The lowest and the highest score so far.
    scores: Option<[i64; 2]>,
    decision: Option<Decision>,
    course: Course,
    /// The path has the test after each multiple of so many deals.
    every: u64,
}

impl Trial {
    /// A comparison without results, on deals of `matches_a_deal` matches. In an `is_unknown` game only they tell how far
    /// scores can be apart.
    fn new(bots: [String; 2], question: Question, matches_a_deal: u64, is_unknown: bool) -> Trial {
        Trial {
            question,
            bots,
            matches_a_deal,
            is_unknown,
            sprt: question.sprt(matches_a_deal),
            waiting: BTreeMap::new(),
            samples: Samples::default(),
            faults: [0; 2],
            scores: None,
            decision: None,
            course: Course::default(),
            every: 1,
        }
    }

    /// Returns the way of the test so far.
    pub fn course(&self) -> Course {
        let mut course = self.course.clone();
        let is_last = course.path.last().is_none_or(|(deals, ..)| *deals != self.samples.count());
        course.path.extend(is_last.then(|| self.point()));
        course
    }

    fn point(&self) -> (u64, f64, [f64; 2]) {
        let (sprt, samples) = (&self.sprt, &self.samples);
        (samples.count(), rounded(sprt.llr(samples)), sprt.bounds(samples).map(rounded))
    }

    /// Adds the deal that was just counted to the way of the test.
    fn note(&mut self, round: u64, result: f64, deal: &BTreeMap<usize, Meeting>) {
        if self.samples.count().is_multiple_of(self.every) && self.samples.count() >= DEALS_MIN {
            self.course.path.push(self.point());
        }
        if self.course.path.len() > PATH_MAX {
            self.every *= 2;
            self.course.path.retain(|(deals, ..)| deals.is_multiple_of(self.every));
        }
        let even = if self.question.metric == Metric::Elo { 0.5 } else { 0.0 };
        let matches = deal.values().map(|meeting| meeting.index).collect();
        let parted = &mut self.course.parted;
        parted.push(Parted { round, lead: rounded(result - even), matches });
        parted.sort_by(|one, other| other.lead.abs().total_cmp(&one.lead.abs()));
        parted.truncate(PARTED_MAX);
    }

    /// Returns true once the answer is known.
    pub fn is_decided(&self) -> bool {
        self.decision.is_some()
    }

    /// Takes whole deals in the order of rounds until the test stops.
    fn take_deals(&mut self) {
        while self.decision.is_none() {
            let next = self.samples.count();
            match self.waiting.get(&next) {
                Some(deal) if deal.len() as u64 == self.matches_a_deal => {}
                _ => return,
            }
            let deal = self.waiting.remove(&next).unwrap_or_default();
            let sum: f64 = deal.values().map(|meeting| meeting.result(self.question.metric)).sum();
            let result = sum / self.matches_a_deal as f64;
            self.samples.add(result);
            self.note(next, result, &deal);
            for meeting in deal.values() {
                self.faults = [0, 1].map(|bot| self.faults[bot] + meeting.faults[bot]);
                let [low, high] = self.scores.unwrap_or([meeting.scores[0]; 2]);
                let [one, other] = meeting.scores;
                self.scores = Some([low.min(one).min(other), high.max(one).max(other)]);
            }
            // The verdict follows the interval that is printed with it.
            let decision = self.sprt.decision(&self.samples);
            self.decision = decision.filter(|&end| self.sprt.excludes_other(end, &self.samples));
        }
    }

    /// Returns the largest difference between two scores so far if it is below the effect that was rejected. With such
    /// scores no bot could show that effect, so the test has found nothing.
    fn scores_apart(&self) -> Option<i64> {
        let [low, high] =
            self.scores.filter(|_| self.is_unknown && self.question.metric == Metric::Points)?;
        let rejected = match self.decision? {
            Decision::H0 => self.question.h1,
            Decision::H1 => -self.question.h0,
        };
        Some(high - low).filter(|&apart| (apart as f64) < rejected)
    }

    /// Returns the answer so far.
    pub fn answer(&self) -> Answer {
        let (sprt, samples, metric) = (&self.sprt, &self.samples, self.question.metric);
        let deals = samples.count();
        let effect = |mean: f64| rounded(metric.effect_at(mean, sprt.grain, deals));
        let estimate = sprt.estimate(samples);
        let to_go = match &estimate {
            Some(estimate) => sprt.samples_to_go(samples, estimate.mean).ceil() as u64,
            None => DEALS_MIN - deals,
        };
        let scores_apart = self.scores_apart();
        Answer {
            verdict: match self.decision.filter(|_| scores_apart.is_none()) {
                Some(Decision::H1) => Verdict::Better,
                Some(Decision::H0) => Verdict::NotBetter,
                None => Verdict::Undecided,
            },
            deals,
            estimate: estimate.map(|estimate| effect(estimate.mean)),
            interval: estimate.map(|estimate| estimate.interval.map(effect)),
            uncorrected: estimate.map(|_| effect(samples.mean())),
            llr: rounded(sprt.llr(samples)),
            bounds: sprt.bounds(samples).map(rounded),
            deals_to_go: self.decision.is_none().then_some(to_go),
            scores_apart,
            faults: self.faults,
        }
    }
}

impl Observer for Trial {
    fn counted(&mut self, summary: &Summary) {
        let seat_of = |name: &String| summary.bots.iter().position(|bot| bot == name);
        let [Some(first), Some(second)] = [&self.bots[0], &self.bots[1]].map(seat_of) else { return };
        let meeting = Meeting::of(summary, [first, second]);
        self.waiting.entry(summary.round).or_default().insert(first, meeting);
        self.take_deals();
    }

    fn is_enough(&mut self, _: &Tally, _: u64) -> bool {
        self.is_decided()
    }
}

/// The results of one bot against all others, by deal.
#[derive(Debug)]
pub struct Results {
    bot: String,
    metric: Metric,
    /// By round: the sum over its matches, and their number.
    deals: BTreeMap<u64, (f64, u64)>,
    /// The number of its matches with a fault of the bot.
    pub faults: u64,
}

impl Results {
    /// No results of this bot yet.
    pub fn new(bot: &str, metric: Metric) -> Results {
        Results { bot: bot.to_owned(), metric, deals: BTreeMap::new(), faults: 0 }
    }

    /// Returns the mean result of each deal, in the order of rounds: points more than the opponent, or the share of wins.
    pub fn by_deal(&self) -> Vec<f64> {
        self.deals.values().map(|(sum, matches)| sum / *matches as f64).collect()
    }
}

impl Observer for Results {
    fn counted(&mut self, summary: &Summary) {
        let Some(own) = summary.bots.iter().position(|bot| *bot == self.bot) else { return };
        for other in (0..summary.bots.len()).filter(|seat| *seat != own) {
            let meeting = Meeting::of(summary, [own, other]);
            let (sum, matches) = self.deals.entry(summary.round).or_default();
            (*sum, *matches) = (*sum + meeting.result(self.metric), *matches + 1);
            self.faults += meeting.faults[0];
        }
    }

    fn is_enough(&mut self, _: &Tally, _: u64) -> bool {
        false
    }
}
