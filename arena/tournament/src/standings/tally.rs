//! The count of results as they arrive.
//!
//! The tally stores the essential facts of each match and computes the tables from them in a fixed order. Any
//! order of arrival therefore gives the same bytes. Counts and times are kept as sums.

use std::collections::{BTreeMap, HashMap};

use engine::wire::FaultKind;
use hdrhistogram::Histogram;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::counted::{BOTS_MAX, Counted, Known, SEATS_MAX};
use super::{FirstFault, Times};
use referee::error::Error;
use referee::play::time_control::TimeControl;
use referee::record::{ResultRecord, Summary};
use stats::{Deal, Deals, Place};

/// Significant digits of the times in the table.
const TIME_DIGITS: u8 = 3;

/// The results of a tournament, counted as they arrive. Its sums can be stored apart from its plan and its matches.
#[derive(Debug, Serialize, Deserialize)]
pub struct Tally {
    #[serde(skip)]
    pub(super) game: String,
    #[serde(skip)]
    pub(super) names: Vec<String>,
    #[serde(skip)]
    by_name: HashMap<String, usize>,
    pub(super) bots: Vec<BotTally>,
    #[serde(skip)]
    pub(super) matches: Counted,
    pub(super) seats: usize,
    pub(super) replayed: u64,
    pub(super) credited: u64,
    pub(super) untold_timeouts: u64,
    /// The limits of each bot.
    #[serde(skip)]
    limits: Vec<TimeControl>,
}

/// The sums of one bot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct BotTally {
    pub(super) matches: u64,
    pub(super) won: u64,
    pub(super) drawn: u64,
    pub(super) rank_sum: u64,
    score_sum: i64,
    /// Opponents at its tables, and half points against them: 2 for a win, 1 for a draw.
    met: u64,
    beaten_halves: u64,
    pub(super) faults: BTreeMap<FaultKind, u64>,
    pub(super) first_fault: Option<FirstFault>,
    pub(super) slow_moves: u64,
    pub(super) retries: u64,
    #[serde(serialize_with = "store_times", deserialize_with = "restore_times")]
    times: Histogram<u64>,
    off_turn_us: u64,
}

impl Tally {
    /// An empty count for this game, and for these bots with their limits.
    pub fn new(game: &str, names: &[String], limits: Vec<TimeControl>) -> Tally {
        let times = no_times();
        let bot = BotTally {
            matches: 0,
            won: 0,
            drawn: 0,
            rank_sum: 0,
            score_sum: 0,
            met: 0,
            beaten_halves: 0,
            faults: FaultKind::ALL.map(|kind| (kind, 0)).into(),
            first_fault: None,
            slow_moves: 0,
            retries: 0,
            times,
            off_turn_us: 0,
        };
        Tally {
            game: game.to_owned(),
            names: names.to_vec(),
            by_name: names.iter().cloned().zip(0..).collect(),
            bots: vec![bot; names.len()],
            matches: Counted::default(),
            seats: 0,
            replayed: 0,
            credited: 0,
            untold_timeouts: 0,
            limits,
        }
    }

    /// Counts a match. A known match does not count again.
    ///
    /// # Errors
    /// Fails if a bot does not take part, if seats and results do not fit each other, or if the match was
    /// counted before with another result.
    pub fn add(&mut self, summary: &Summary) -> Result<(), Error> {
        let Summary { index, bots, result, .. } = summary;
        let wrong = |what: String| Err(Error::usage(format!("match {index}: {what}")));
        let seats = bots.len();
        if [result.scores.len(), result.ranks.len(), result.faults.len()] != [seats; 3] {
            return wrong("its results are not one for each seat".to_owned());
        }
        if seats > SEATS_MAX || self.names.len() > BOTS_MAX {
            return wrong(format!("{seats} seats and {} bots are too many", self.names.len()));
        }
        if let Some(rank) = result.ranks.iter().find(|&&rank| rank == 0 || rank as usize > seats) {
            return wrong(format!("a rank of {rank} with {seats} seats"));
        }
        let mut numbers = Vec::with_capacity(seats);
        for name in bots {
            match self.by_name.get(name) {
                Some(&number) => numbers.push(number),
                None => return wrong(format!("the bot {name:?} does not take part in this tournament")),
            }
        }
        let Ok(digest) = u128::from_str_radix(&summary.digest, 16) else {
            return wrong(format!("{:?} is not a digest", summary.digest));
        };
        let places: Vec<Place> =
            numbers.iter().enumerate().map(|(seat, &number)| place(number, seat, &summary.result)).collect();
        match self.matches.add(summary.round, digest, &places) {
            Known::No => {}
            Known::Same => return Ok(()),
            Known::Different => return wrong("it is there twice, with different results".to_owned()),
        }
        self.seats = self.seats.max(seats);
        self.replayed += u64::from(summary.replayed.is_some());
        for turn in summary.played() {
            let is_timeout = turn.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Timeout);
            self.untold_timeouts += u64::from(turn.untold && is_timeout);
            let limits =
                numbers.get(turn.seat).map(|&number| summary.limits(turn.seat, &self.limits[number]));
            self.credited += u64::from(limits.is_some_and(|limits| turn.was_credited(limits)));
        }
        for (seat, &number) in numbers.iter().enumerate() {
            self.bots[number].add(seat, summary, summary.slow_from_us(seat, &self.limits[number]));
        }
        Ok(())
    }

    /// Returns the names of the bots that have played.
    pub(super) fn played(&self) -> Vec<String> {
        let names = self.names.iter().zip(&self.bots).filter(|(_, bot)| bot.matches > 0);
        names.map(|(name, _)| name.clone()).collect()
    }

    /// Appends the counted matches as bytes.
    pub(crate) fn store_matches(&self, bytes: &mut Vec<u8>) {
        self.matches.store(bytes);
    }

    /// Returns this empty count with stored sums and matches. Returns `None` if they do not fit each other.
    pub(crate) fn restored(&self, sums: Tally, matches: &[u8]) -> Option<Tally> {
        let matches = Counted::restored(matches)?;
        let Tally { game, names, by_name, limits, .. } = self;
        let (game, names, by_name, limits) = (game.clone(), names.clone(), by_name.clone(), limits.clone());
        (sums.bots.len() == names.len()).then_some(Tally { game, names, by_name, limits, matches, ..sums })
    }

    /// Calls `show` with the round and the places of each match.
    pub(crate) fn each_match(&self, show: impl FnMut(u64, &[Place])) {
        self.matches.each(show);
    }

    /// The number of matches counted so far.
    pub fn matches(&self) -> u64 {
        self.matches.len()
    }

    /// Returns true if each bot has played a match.
    pub fn has_each(&self) -> bool {
        self.bots.iter().all(|bot| bot.matches > 0)
    }

    /// Returns the two best bots so far, by points and then by mean score. Each name comes with the share of
    /// the points in percent, or with the mean score in solo games.
    pub fn leaders(&self) -> Vec<(&str, f64)> {
        let points = |bot: &BotTally| 50.0 * mean(bot.beaten_halves as i64, bot.met);
        let mut played: Vec<usize> = (0..self.bots.len()).filter(|&bot| self.bots[bot].matches > 0).collect();
        played.sort_by(|&one, &other| {
            let [one, other] = [one, other].map(|bot| &self.bots[bot]);
            let order = points(other).total_cmp(&points(one));
            order.then(other.mean_score().total_cmp(&one.mean_score()))
        });
        let named = |&bot: &usize| {
            let tally = &self.bots[bot];
            (self.names[bot].as_str(), if self.seats > 1 { points(tally) } else { tally.mean_score() })
        };
        played.iter().take(2).map(named).collect()
    }

    /// The number of faults so far.
    pub fn faults(&self) -> u64 {
        self.bots.iter().flat_map(|bot| bot.faults.values()).sum()
    }

    fn show(&self, deal: &mut Deal, show: &mut impl FnMut(&Deal)) {
        if deal.places().is_empty() {
            return;
        }
        if self.seats == 1 {
            deal.join_tables();
        }
        show(deal);
        deal.clear();
    }
}

/// Visits the deals in the order of rounds, and the tables of a deal in the order of bots.
impl Deals for Tally {
    fn bots(&self) -> usize {
        self.names.len()
    }

    fn each(&self, mut show: impl FnMut(&Deal)) {
        let (mut deal, mut current) = (Deal::default(), None);
        self.matches.each(|round, places| {
            if current.replace(round) != Some(round) {
                self.show(&mut deal, &mut show);
            }
            deal.add_table(places.iter().copied());
        });
        self.show(&mut deal, &mut show);
    }
}

fn place(bot: usize, seat: usize, result: &ResultRecord) -> Place {
    let (rank, score) = (result.ranks[seat], result.scores[seat]);
    Place { bot: bot as u32, rank, score, fault: result.faults[seat].is_some() }
}

impl BotTally {
    fn add(&mut self, seat: usize, summary: &Summary, slow_from_us: u64) {
        let result = &summary.result;
        let (score, rank) = (i64::from(result.scores[seat]), result.ranks[seat]);
        let first = result.ranks.iter().filter(|&&rank| rank == 1).count();
        self.matches += 1;
        self.won += u64::from(rank == 1 && first == 1);
        self.drawn += u64::from(rank == 1 && first > 1);
        self.rank_sum += u64::from(rank);
        self.score_sum += score;
        for (_, &other) in result.ranks.iter().enumerate().filter(|&(other, _)| other != seat) {
            self.met += 1;
            self.beaten_halves += 2 * u64::from(rank < other) + u64::from(rank == other);
        }
        if let Some(mark) = result.faults[seat] {
            *self.faults.entry(mark.kind).or_default() += 1;
            let detail = summary.fault_text(seat).map_or(String::new(), |fault| fault.detail.clone());
            let fault = FirstFault { index: summary.index, id: mark.id, kind: mark.kind, detail };
            self.first_fault = Some(self.first_fault.take().map_or(fault.clone(), |first| first.min(fault)));
        }
        self.off_turn_us += summary.off_turn_us.get(seat).copied().unwrap_or(0);
        for turn in summary.decisions(seat) {
            self.times.record(turn.us).expect("the histogram grows with what is recorded");
            self.slow_moves += u64::from(turn.is_slow(slow_from_us));
            self.retries += turn.refused.len() as u64;
        }
    }

    pub(super) fn mean_score(&self) -> f64 {
        mean(self.score_sum, self.matches)
    }

    pub(super) fn times(&self) -> Times {
        let off_turn = self.off_turn_us;
        if self.times.is_empty() {
            return Times { off_turn, ..Times::default() };
        }
        let at = |share: f64| self.times.value_at_quantile(share).min(self.times.max());
        Times { median: at(0.5), p99: at(0.99), max: self.times.max(), off_turn }
    }
}

fn no_times() -> Histogram<u64> {
    Histogram::new(TIME_DIGITS).expect("so many digits are supported")
}

fn store_times<S: Serializer>(times: &Histogram<u64>, output: S) -> Result<S::Ok, S::Error> {
    output.collect_seq(times.iter_recorded().map(|it| (it.value_iterated_to(), it.count_at_value())))
}

fn restore_times<'de, D: Deserializer<'de>>(input: D) -> Result<Histogram<u64>, D::Error> {
    let mut times = no_times();
    for (value, count) in Vec::<(u64, u64)>::deserialize(input)? {
        times.record_n(value, count).map_err(serde::de::Error::custom)?;
    }
    Ok(times)
}

/// Returns the mean of a sum over `count` values; 0 without values.
pub(super) fn mean(sum: i64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}
