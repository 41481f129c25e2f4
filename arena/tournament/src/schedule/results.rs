//! The results that schedules use.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Pairing;
use super::stage::members;
use referee::record::ResultRecord;
use stats::DealMeans;

/// The results of finished stages.
#[derive(Clone, Debug, Default)]
pub struct Results(BTreeMap<u64, Vec<Played>>);

#[derive(Clone, Debug)]
struct Played {
    bots: Vec<usize>,
    ranks: Vec<u32>,
    scores: Vec<i32>,
}

/// The results of two bots against each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Meeting {
    /// The number of matches.
    pub(super) matches: u64,
    /// Half points of each: 2 for a match in which it ranked before the other, 1 for equal ranks.
    pub(super) halves: [u64; 2],
    /// The score of the first bot less the score of the second, summed over the matches.
    pub(super) margin: i64,
}

/// Meetings by their two bots, the lower index first.
pub(super) type Meetings = BTreeMap<(usize, usize), Meeting>;

/// The meeting of `bot` and `other` among these, from the side of `bot`.
pub(super) fn meeting(meetings: &Meetings, bot: usize, other: usize) -> Meeting {
    let found = meetings.get(&(bot.min(other), bot.max(other))).copied().unwrap_or_default();
    if bot < other { found } else { found.turned() }
}

impl Meeting {
    /// Returns the same meeting with the bots exchanged.
    pub(super) fn turned(self) -> Meeting {
        Meeting { halves: [self.halves[1], self.halves[0]], margin: -self.margin, ..self }
    }

    /// The winner, 0 or 1: the bot with more half points; `None` if both have the same.
    pub(super) fn winner(self) -> Option<usize> {
        match self.halves {
            [one, other] if one == other => None,
            [one, other] => Some(usize::from(one < other)),
        }
    }

    /// The half points of the first bot for the meeting; none before its first match.
    pub(super) fn won_halves(self) -> u64 {
        match self.winner() {
            None => self.matches.min(1),
            Some(winner) => [2, 0][winner],
        }
    }

    /// The mean margin of the first bot.
    pub(super) fn mean_margin(self) -> f64 {
        if self.matches == 0 { 0.0 } else { self.margin as f64 / self.matches as f64 }
    }
}

impl Results {
    /// Adds the result of a match.
    pub fn add(&mut self, pairing: &Pairing, result: &ResultRecord) {
        let (bots, ranks, scores) = (pairing.bots.clone(), result.ranks.clone(), result.scores.clone());
        self.0.entry(pairing.round).or_default().push(Played { bots, ranks, scores });
    }

    /// Returns true if there are results of these rounds.
    pub(super) fn has(&self, rounds: Range<u64>) -> bool {
        self.0.range(rounds).next().is_some()
    }

    /// The meetings of these rounds, by the two bots, the lower index first.
    pub(super) fn meetings(&self, rounds: Range<u64>) -> Meetings {
        let mut meetings = Meetings::new();
        for (_, played, one, other) in self.encounters(rounds) {
            let meeting = meetings.entry((played.bots[one], played.bots[other])).or_default();
            let halves = match played.ranks[one].cmp(&played.ranks[other]) {
                std::cmp::Ordering::Less => [2, 0],
                std::cmp::Ordering::Equal => [1, 1],
                std::cmp::Ordering::Greater => [0, 2],
            };
            meeting.matches += 1;
            meeting.halves[0] += halves[0];
            meeting.halves[1] += halves[1];
            meeting.margin += played.margin(one, other);
        }
        meetings
    }

    /// The meeting of `bot` and `other` in these rounds.
    pub(super) fn meeting(&self, bot: usize, other: usize, rounds: Range<u64>) -> Meeting {
        meeting(&self.meetings(rounds), bot, other)
    }

    /// The margins of each of these pairs, first over second, by deal.
    pub(super) fn margins(&self, pairs: &[(usize, usize)]) -> Vec<DealMeans> {
        let number: BTreeMap<(usize, usize), usize> = pairs.iter().copied().zip(0..).collect();
        let mut on_deals: BTreeMap<(usize, u64), (i64, u64)> = BTreeMap::new();
        for (round, played, one, other) in self.encounters(0..u64::MAX) {
            let (a, b) = (played.bots[one], played.bots[other]);
            for (pair, margin) in [((a, b), played.margin(one, other)), ((b, a), played.margin(other, one))] {
                if let Some(&number) = number.get(&pair) {
                    let (sum, count) = on_deals.entry((number, round)).or_default();
                    (*sum, *count) = (*sum + margin, *count + 1);
                }
            }
        }
        let mut margins = vec![DealMeans::default(); pairs.len()];
        for ((number, _), (sum, count)) in on_deals {
            margins[number].add(sum as f64, count);
        }
        margins
    }

    /// The number of matches that each bot played in each seat.
    pub(super) fn seats(&self, bots: usize, seats: usize) -> Vec<Vec<u64>> {
        let mut counts = vec![vec![0; seats]; bots];
        for played in self.0.values().flatten() {
            played.bots.iter().enumerate().for_each(|(seat, &bot)| counts[bot][seat] += 1);
        }
        counts
    }

    /// The tables of these rounds, each with its bots in ascending order.
    pub(super) fn tables(&self, rounds: Range<u64>) -> Vec<Vec<usize>> {
        let all = self.0.range(rounds).flat_map(|(_, played)| played);
        all.map(|played| members(&played.bots)).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The bots in the order of the table of these rounds: by the share of opponents beaten, then by mean
    /// score, then by index.
    pub(super) fn order(&self, bots: usize, rounds: Range<u64>) -> Vec<usize> {
        let mut tallies = vec![(0_u64, 0_u64, 0_i64, 0_u64); bots];
        for (&(one, other), meeting) in &self.meetings(rounds.clone()) {
            for (bot, halves) in [(one, meeting.halves[0]), (other, meeting.halves[1])] {
                tallies[bot].0 += halves;
                tallies[bot].1 += meeting.matches;
            }
        }
        for played in self.0.range(rounds).flat_map(|(_, played)| played) {
            for (seat, &bot) in played.bots.iter().enumerate() {
                tallies[bot].2 += i64::from(played.scores[seat]);
                tallies[bot].3 += 1;
            }
        }
        let share = |part: f64, whole: u64| if whole == 0 { 0.0 } else { part / whole as f64 };
        let merit = |bot: usize| {
            let (halves, met, score, matches) = tallies[bot];
            (share(halves as f64, met), share(score as f64, matches))
        };
        let mut order: Vec<usize> = (0..bots).collect();
        order.sort_by(|&a, &b| {
            let (one, other) = (merit(a), merit(b));
            other.0.total_cmp(&one.0).then(other.1.total_cmp(&one.1))
        });
        order
    }

    /// Every two seats at the same table, the bot of the lower index first.
    fn encounters(&self, rounds: Range<u64>) -> impl Iterator<Item = (u64, &Played, usize, usize)> {
        let all =
            self.0.range(rounds).flat_map(|(&round, played)| played.iter().map(move |one| (round, one)));
        all.flat_map(|(round, played)| {
            let seats = 0..played.bots.len();
            let pairs = seats.clone().flat_map(move |one| seats.clone().map(move |other| (one, other)));
            pairs
                .filter(|&(one, other)| played.bots[one] < played.bots[other])
                .map(move |(one, other)| (round, played, one, other))
        })
    }
}

impl Played {
    fn margin(&self, one: usize, other: usize) -> i64 {
        i64::from(self.scores[one]) - i64::from(self.scores[other])
    }
}

/// Adds results for the tests of schedules. The bot that `better` names wins the match.
#[cfg(test)]
pub(super) fn played(
    results: &mut Results,
    stage: &super::Stage,
    better: impl Fn(usize, usize) -> Option<usize>,
) {
    for place in 0..stage.total() {
        let pairing = stage.pairing(place);
        let winner = better(pairing.bots[0], pairing.bots[1]);
        let score = |seat: usize| if winner == Some(pairing.bots[seat]) { 10 } else { 0 };
        let rank = |seat: usize| if winner.is_none_or(|winner| winner == pairing.bots[seat]) { 1 } else { 2 };
        let result = ResultRecord {
            scores: vec![score(0), score(1)],
            ranks: vec![rank(0), rank(1)],
            rounds: None,
            faults: vec![None; 2],
        };
        results.add(&pairing, &result);
    }
}
