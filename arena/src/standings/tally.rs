//! Results as they come in.
//!
//! Sums are kept as whole numbers and times in a histogram, so that any order gives the same
//! bytes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use engine::wire::FaultKind;
use hdrhistogram::Histogram;
use sha2::{Digest, Sha256};

use super::by_round::{ByRound, mean, rounded};
use super::{Encounter, FirstFault, FirstSeat, Row, Standings, Times};
use crate::clock::{TimeControl, whole_us};
use crate::error::Error;
use crate::record::{Summary, hex};

/// Significant digits of the times in the table.
const TIME_DIGITS: u8 = 3;
/// A decision beyond this share of its limit is a near miss, in percent.
const NEAR_MISS_PERCENT: u64 = 80;

/// Results as they come in.
#[derive(Debug)]
pub struct Tally {
    game: String,
    names: Vec<String>,
    by_name: HashMap<String, usize>,
    bots: Vec<BotTally>,
    pairs: BTreeMap<(usize, usize), PairTally>,
    first_seat: SeatTally,
    /// The digest of each match that was counted.
    digests: HashMap<MatchKey, u128>,
    seats: usize,
    replayed: u64,
    near_miss_us: u64,
}

/// What makes a match that match: its round and the bots by seat, by number.
type MatchKey = (u64, Box<[u32]>);

#[derive(Clone, Debug)]
struct BotTally {
    matches: u64,
    won: u64,
    drawn: u64,
    rank_sum: u64,
    scores: ByRound,
    margins: ByRound,
    faults: BTreeMap<FaultKind, u64>,
    first_fault: Option<FirstFault>,
    near_misses: u64,
    times: Histogram<u64>,
}

#[derive(Debug, Default)]
struct SeatTally {
    met: u64,
    won: u64,
    drawn: u64,
    margins: ByRound,
}

#[derive(Clone, Copy, Debug, Default)]
struct PairTally {
    matches: u64,
    won: u64,
    drawn: u64,
    margin_sum: i64,
}

impl Tally {
    /// Nothing counted yet for these bots at this game under these limits.
    pub fn new(game: &str, names: &[String], time: &TimeControl) -> Tally {
        let times = Histogram::new(TIME_DIGITS).expect("so many digits are supported");
        let bot = BotTally {
            matches: 0,
            won: 0,
            drawn: 0,
            rank_sum: 0,
            scores: ByRound::default(),
            margins: ByRound::default(),
            faults: FaultKind::ALL.map(|kind| (kind, 0)).into(),
            first_fault: None,
            near_misses: 0,
            times,
        };
        Tally {
            game: game.to_owned(),
            names: names.to_vec(),
            by_name: names.iter().cloned().zip(0..).collect(),
            bots: vec![bot; names.len()],
            pairs: BTreeMap::new(),
            first_seat: SeatTally::default(),
            digests: HashMap::new(),
            seats: 0,
            replayed: 0,
            near_miss_us: whole_us(time.per_move) / 100 * NEAR_MISS_PERCENT,
        }
    }

    /// Counts a match once, however often it comes.
    ///
    /// # Errors
    /// A bot that does not take part, seats and results that do not fit each other, or another
    /// result of a match that was counted before.
    pub fn add(&mut self, summary: &Summary) -> Result<(), Error> {
        let Summary { index, bots, result, .. } = summary;
        let wrong = |what: String| Err(Error::usage(format!("match {index}: {what}")));
        let seats = bots.len();
        if [result.scores.len(), result.ranks.len(), result.faults.len()] != [seats; 3] {
            return wrong("its results are not one for each seat".to_owned());
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
        let key: MatchKey = (summary.round, numbers.iter().map(|&number| number as u32).collect());
        match self.digests.get(&key) {
            Some(&counted) if counted == digest => return Ok(()),
            Some(_) => return wrong("it is there twice, with different results".to_owned()),
            None => self.digests.insert(key, digest),
        };
        self.seats = self.seats.max(seats);
        self.replayed += u64::from(summary.replayed.is_some());
        for (seat, &number) in numbers.iter().enumerate() {
            self.bots[number].add(seat, summary, self.near_miss_us);
        }
        self.add_pairs(&numbers, summary);
        Ok(())
    }

    fn add_pairs(&mut self, numbers: &[usize], summary: &Summary) {
        let (ranks, scores) = (&summary.result.ranks, &summary.result.scores);
        for (seat, &number) in numbers.iter().enumerate() {
            for (other, &against) in numbers.iter().enumerate().filter(|&(other, _)| other != seat) {
                let pair = self.pairs.entry((number, against)).or_default();
                pair.matches += 1;
                pair.won += u64::from(ranks[seat] < ranks[other]);
                pair.drawn += u64::from(ranks[seat] == ranks[other]);
                let margin = i64::from(scores[seat]) - i64::from(scores[other]);
                pair.margin_sum += margin;
                self.bots[number].margins.add(summary.round, margin);
                if seat == 0 {
                    self.first_seat.met += 1;
                    self.first_seat.won += u64::from(ranks[seat] < ranks[other]);
                    self.first_seat.drawn += u64::from(ranks[seat] == ranks[other]);
                    self.first_seat.margins.add(summary.round, margin);
                }
            }
        }
    }

    /// Matches counted so far.
    pub fn matches(&self) -> u64 {
        self.digests.len() as u64
    }

    /// The leader so far, for the progress line.
    pub fn leader(&self) -> Option<&str> {
        let best = (0..self.bots.len())
            .filter(|&bot| self.bots[bot].matches > 0)
            .max_by(|&a, &b| self.compare(b, a));
        best.map(|bot| self.names[bot].as_str())
    }

    /// Better first: by points, then by mean score.
    fn compare(&self, one: usize, other: usize) -> std::cmp::Ordering {
        let merit = |bot: usize| (self.points(bot), self.bots[bot].scores.mean());
        let ((points_one, mean_one), (points_other, mean_other)) = (merit(one), merit(other));
        points_other.total_cmp(&points_one).then(mean_other.total_cmp(&mean_one))
    }

    /// Share of opponents beaten, in percent; 0 for a bot that met none.
    fn points(&self, bot: usize) -> f64 {
        let met = self.pairs.range((bot, 0)..(bot + 1, 0)).map(|(_, pair)| pair);
        let (halves, matches) = met.fold((0, 0), |(halves, matches), pair| {
            (halves + 2 * pair.won + pair.drawn, matches + pair.matches)
        });
        if matches == 0 { 0.0 } else { 50.0 * halves as f64 / matches as f64 }
    }

    /// The tables.
    pub fn standings(&self) -> Standings {
        let mut order: Vec<usize> = (0..self.bots.len()).collect();
        order.sort_by(|&a, &b| self.compare(a, b).then_with(|| self.names[a].cmp(&self.names[b])));
        let mut rows: Vec<Row> = Vec::new();
        for (place, &bot) in order.iter().enumerate() {
            let shared = place > 0 && self.compare(order[place - 1], bot).is_eq();
            let rank = if shared { rows[place - 1].rank } else { place as u32 + 1 };
            rows.push(self.row(bot, rank));
        }
        let rounds = self.bots.iter().flat_map(|bot| bot.scores.rounds());
        Standings {
            game: self.game.clone(),
            seats: self.seats,
            matches: self.matches(),
            deals: rounds.collect::<BTreeSet<_>>().len() as u64,
            replayed: self.replayed,
            digest: self.digest(),
            rows,
            first_seat: self.first_seat.advantage(),
            crosstable: self.crosstable(&order),
            outcome: None,
        }
    }

    fn row(&self, number: usize, rank: u32) -> Row {
        let bot = &self.bots[number];
        Row {
            rank,
            bot: self.names[number].clone(),
            matches: bot.matches,
            won: bot.won,
            drawn: bot.drawn,
            lost: bot.matches - bot.won - bot.drawn,
            points: rounded(self.points(number)),
            mean_score: rounded(bot.scores.mean()),
            ci95: bot.scores.interval(),
            mean_margin: rounded(bot.margins.mean()),
            margin_ci95: bot.margins.interval(),
            mean_rank: rounded(mean(bot.rank_sum as i64, bot.matches)),
            faults: bot.faults.clone(),
            first_fault: bot.first_fault.clone(),
            near_misses: bot.near_misses,
            time_us: bot.times(),
        }
    }

    fn crosstable(&self, order: &[usize]) -> Vec<Encounter> {
        let pairs = order.iter().flat_map(|&bot| order.iter().map(move |&against| (bot, against)));
        let met = pairs.filter_map(|pair| self.pairs.get(&pair).map(|tally| (pair, tally)));
        met.map(|((bot, against), pair)| Encounter {
            bot: self.names[bot].clone(),
            against: self.names[against].clone(),
            matches: pair.matches,
            won: pair.won,
            drawn: pair.drawn,
            lost: pair.matches - pair.won - pair.drawn,
            mean_margin: rounded(mean(pair.margin_sum, pair.matches)),
        })
        .collect()
    }

    fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        let mut digests: Vec<u128> = self.digests.values().copied().collect();
        digests.sort_unstable();
        digests.iter().for_each(|digest| hasher.update(digest.to_be_bytes()));
        hex(&hasher.finalize()[..16])
    }
}

impl BotTally {
    fn add(&mut self, seat: usize, summary: &Summary, near_miss_us: u64) {
        let result = &summary.result;
        let (score, rank) = (i64::from(result.scores[seat]), result.ranks[seat]);
        let first = result.ranks.iter().filter(|&&rank| rank == 1).count();
        self.matches += 1;
        self.won += u64::from(rank == 1 && first == 1);
        self.drawn += u64::from(rank == 1 && first > 1);
        self.rank_sum += u64::from(rank);
        self.scores.add(summary.round, score);
        if let Some(mark) = result.faults[seat] {
            *self.faults.entry(mark.kind).or_default() += 1;
            let text =
                summary.turns.iter().filter(|turn| turn.seat == seat).find_map(|turn| turn.fault.as_ref());
            let detail = text.map_or(String::new(), |fault| fault.detail.clone());
            let fault = FirstFault { index: summary.index, id: mark.id, kind: mark.kind, detail };
            self.first_fault = Some(self.first_fault.take().map_or(fault.clone(), |first| first.min(fault)));
        }
        for turn in summary.turns.iter().filter(|turn| turn.seat == seat) {
            if turn.fault.as_ref().is_some_and(|fault| fault.kind.is_before_the_first_decision()) {
                continue;
            }
            self.times.record(turn.us).expect("the histogram grows with what is recorded");
            self.near_misses += u64::from(turn.fault.is_none() && turn.us > near_miss_us);
        }
    }

    fn times(&self) -> Times {
        if self.times.is_empty() {
            return Times::default();
        }
        let at = |share: f64| self.times.value_at_quantile(share).min(self.times.max());
        Times { median: at(0.5), p99: at(0.99), max: self.times.max() }
    }
}

impl SeatTally {
    fn advantage(&self) -> Option<FirstSeat> {
        (self.met > 0).then(|| FirstSeat {
            points: rounded(50.0 * (2 * self.won + self.drawn) as f64 / self.met as f64),
            mean_margin: rounded(self.margins.mean()),
            margin_ci95: self.margins.interval(),
        })
    }
}
