//! Standings: a fold over the results of a tournament, blind to the order in which they arrive.
//!
//! Sums are kept as whole numbers and times in a histogram, so that any order gives the same
//! bytes. The unit of statistics is the deal: matches of one round share it, so an interval is
//! computed from the means of the rounds, not from single matches.

use std::collections::{BTreeMap, HashMap};

use engine::wire::FaultKind;
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::clock::{TimeControl, whole_us};
use crate::error::Error;
use crate::record::{Summary, hex};

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;
/// Significant digits of the times in the table.
const TIME_DIGITS: u8 = 3;
/// A decision beyond this share of its limit is a near miss, in percent.
const NEAR_MISS_PERCENT: u64 = 80;

/// The tables of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standings {
    /// Name of the game.
    pub game: String,
    /// Seats at a table.
    pub seats: usize,
    /// Matches counted.
    pub matches: u64,
    /// Deals that were played.
    pub deals: u64,
    /// Matches that were played a second time because the arena itself was late.
    pub replayed: u64,
    /// The digest of all matches' digests in ascending order: equal digests, equal tournaments.
    pub digest: String,
    /// One row a bot, best first.
    pub rows: Vec<Row>,
    /// What the first seat is worth; `null` where nobody sat opposite it.
    pub first_seat: Option<FirstSeat>,
    /// One entry for each ordered pair of bots that met.
    pub crosstable: Vec<Encounter>,
}

/// One bot's row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Place in the table; equal results share it.
    pub rank: u32,
    /// The bot.
    pub bot: String,
    /// Matches played.
    pub matches: u64,
    /// Matches in which it alone was first.
    pub won: u64,
    /// Matches in which it shared the first place.
    pub drawn: u64,
    /// All others.
    pub lost: u64,
    /// Share of the opponents at its tables that it beat, equal ranks counting half, in percent.
    pub points: f64,
    /// Mean score.
    pub mean_score: f64,
    /// Where the mean score lies with 95 % confidence; `null` with fewer than two deals.
    pub ci95: Option<[f64; 2]>,
    /// Mean difference to the scores of its opponents.
    pub mean_margin: f64,
    /// Where the mean margin lies with 95 % confidence; `null` with fewer than two deals.
    pub margin_ci95: Option<[f64; 2]>,
    /// Mean rank at its tables.
    pub mean_rank: f64,
    /// Faults by kind.
    pub faults: BTreeMap<FaultKind, u64>,
    /// The first fault in the order of matches, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_fault: Option<FirstFault>,
    /// Decisions that took more than 80 % of the limit and were in time.
    pub near_misses: u64,
    /// Times of its decisions.
    pub time_us: Times,
}

impl Row {
    /// Faults of all kinds.
    pub fn faults_total(&self) -> u64 {
        self.faults.values().sum()
    }
}

/// A fault with its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FirstFault {
    /// Index of the match.
    #[serde(rename = "match")]
    pub index: u64,
    /// During which decision.
    pub id: u32,
    /// What kind.
    pub kind: FaultKind,
    /// What was asked, what came, what to do.
    pub detail: String,
}

/// Times of decisions, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// Half of the decisions took no longer.
    pub median: u64,
    /// 99 % of the decisions took no longer.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

/// What the first seat is worth, over all matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstSeat {
    /// Share of the opponents that it beat, equal ranks counting half, in percent.
    pub points: f64,
    /// Mean difference to the scores of the other seats.
    pub mean_margin: f64,
    /// Where that lies with 95 % confidence; `null` with fewer than two deals.
    pub margin_ci95: Option<[f64; 2]>,
}

/// What happened between two bots at the same tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Encounter {
    /// The bot.
    pub bot: String,
    /// The other one.
    pub against: String,
    /// Matches in which both sat at the table.
    pub matches: u64,
    /// Of these, ranked before the other.
    pub won: u64,
    /// Equal ranks.
    pub drawn: u64,
    /// Ranked behind the other.
    pub lost: u64,
    /// Mean difference of the scores.
    pub mean_margin: f64,
}

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

/// A quantity that is averaged, with its sum and count in each round: matches of a round share
/// their deal and are not independent, rounds are.
#[derive(Clone, Debug, Default)]
struct ByRound(BTreeMap<u64, (i64, u64)>);

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
        let rounds = self.bots.iter().flat_map(|bot| bot.scores.0.keys());
        Standings {
            game: self.game.clone(),
            seats: self.seats,
            matches: self.matches(),
            deals: rounds.collect::<std::collections::BTreeSet<_>>().len() as u64,
            replayed: self.replayed,
            digest: self.digest(),
            rows,
            first_seat: self.first_seat.advantage(),
            crosstable: self.crosstable(&order),
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

impl ByRound {
    fn add(&mut self, round: u64, value: i64) {
        let (sum, count) = self.0.entry(round).or_default();
        (*sum, *count) = (*sum + value, *count + 1);
    }

    /// The mean over all matches; 0 if there are none.
    fn mean(&self) -> f64 {
        let (sum, count) =
            self.0.values().fold((0, 0), |(sum, count), round| (sum + round.0, count + round.1));
        mean(sum, count)
    }

    /// Where the mean lies with 95 % confidence, by Student's t over the means of the rounds;
    /// `None` with fewer than two rounds.
    fn interval(&self) -> Option<[f64; 2]> {
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

fn mean(sum: i64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { sum as f64 / count as f64 }
}

/// To three decimals, so that files do not end in noise.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{FaultMark, ResultRecord, TurnTime};
    use std::time::Duration;

    const TIME: TimeControl = TimeControl {
        startup: Duration::from_secs(1),
        per_move: Duration::from_micros(3_500),
        per_match: None,
    };

    fn summary(
        index: u64,
        round: u64,
        bots: [&str; 2],
        scores: [i32; 2],
        fault: Option<FaultKind>,
    ) -> Summary {
        let merit = if fault.is_some() { [1, 0] } else { scores };
        let rank = |seat: usize| if merit[seat] < merit[1 - seat] { 2 } else { 1 };
        Summary {
            index,
            round,
            bots: bots.map(str::to_owned).into(),
            turns: vec![
                TurnTime { seat: 0, us: 100, fault: None },
                TurnTime { seat: 1, us: 3_000, fault: None },
            ],
            result: ResultRecord {
                scores: scores.into(),
                ranks: vec![rank(0), rank(1)],
                rounds: None,
                faults: vec![None, fault.map(|kind| FaultMark { kind, id: 3 })],
            },
            replayed: None,
            digest: format!("d{index}"),
        }
    }

    fn results() -> Vec<Summary> {
        vec![
            summary(0, 0, ["a", "b"], [10, 20], None),
            summary(1, 0, ["a", "c"], [12, 12], None),
            summary(2, 0, ["b", "c"], [30, 40], Some(FaultKind::Timeout)),
            summary(3, 1, ["b", "a"], [21, 10], None),
        ]
    }

    fn tally<'a>(summaries: impl IntoIterator<Item = &'a Summary>) -> Tally {
        let mut tally = Tally::new("doodle", &["a", "b", "c"].map(str::to_owned), &TIME);
        summaries.into_iter().for_each(|summary| tally.add(summary).unwrap());
        tally
    }

    #[test]
    fn a_small_table_worked_by_hand() {
        let standings = tally(&results()).standings();
        let [b, c, a] = &standings.rows[..] else { panic!("three rows") };
        assert_eq!((b.rank, b.bot.as_str(), b.matches, b.won, b.drawn, b.lost), (1, "b", 3, 3, 0, 0));
        assert_eq!((b.points, b.mean_score, b.mean_rank), (100.0, 23.667, 1.0));
        assert_eq!((c.bot.as_str(), c.won, c.drawn, c.lost, c.points), ("c", 0, 1, 1, 25.0));
        assert_eq!((c.faults_total(), c.faults[&FaultKind::Timeout]), (1, 1));
        assert_eq!((a.bot.as_str(), a.drawn, a.lost), ("a", 1, 2));
        // Round means of b are 25 and 21: mean deviation 2 * t(0.975; 1) = 2 * 12.706.
        let [low, high] = b.ci95.unwrap();
        assert!(((high - low) / 2.0 - 2.0 * 12.706).abs() < 0.01, "{low} {high}");
        assert_eq!(c.ci95, None, "one deal is no sample");
        let ab = standings.crosstable.iter().find(|entry| entry.bot == "a" && entry.against == "b").unwrap();
        assert_eq!((ab.matches, ab.lost, ab.mean_margin), (2, 2, -10.5));
        assert_eq!(standings.deals, 2);
        assert_eq!([b.near_misses, c.near_misses, a.near_misses], [1, 2, 1], "3 of 3.5 ms");
    }

    #[test]
    fn the_order_of_arrival_does_not_matter_and_a_match_counts_once() {
        let results = results();
        let forward = tally(&results).standings();
        let backward = tally(results.iter().rev().chain(&results)).standings();
        assert_eq!(serde_json::to_string(&forward).unwrap(), serde_json::to_string(&backward).unwrap());
    }

    #[test]
    fn long_times_are_not_cut() {
        let mut slow = results().swap_remove(0);
        slow.turns[0].us = 10_000_000;
        let times = tally([&slow]).standings().rows.into_iter().find(|row| row.bot == "a").unwrap().time_us;
        assert!((9_990_000..=10_010_000).contains(&times.max), "{times:?}");
        assert_eq!(times.median, times.max);
    }

    #[test]
    fn contradictions_and_strangers_are_refused() {
        let mut tally = tally(&results());
        let other = Summary { digest: "f".into(), ..summary(0, 0, ["a", "b"], [1, 2], None) };
        assert!(tally.add(&other).unwrap_err().to_string().contains("there twice"));
        let stranger = summary(9, 0, ["a", "z"], [1, 2], None);
        assert!(tally.add(&stranger).unwrap_err().to_string().contains("\"z\" does not take part"));
        let mut short = summary(9, 0, ["a", "b"], [1, 2], None);
        short.result.ranks.pop();
        assert!(tally.add(&short).unwrap_err().to_string().contains("one for each seat"));
    }

    #[test]
    fn a_table_without_matches_is_finite() {
        let standings = tally([]).standings();
        assert_eq!(standings.rows.len(), 3);
        assert!(
            standings.rows.iter().all(|row| row.rank == 1 && row.mean_score == 0.0 && row.ci95.is_none())
        );
    }
}
