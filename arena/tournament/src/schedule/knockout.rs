//! Single elimination.

use std::ops::Range;

use engine::dealer::Dealer;

use super::results::Meeting;
use serde::{Deserialize, Serialize};

use super::{Field, Outcome, Results, Schedule, Stage, Tie, TieBreak};
use referee::play::seeds::draw_seed;

/// The order of bots in a knockout bracket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Seeding {
    /// In the order of the bots; the first bot is the top seed
    #[default]
    Order,
    /// At random, from the seed of the tournament
    Draw,
}

/// Deals of one sudden death. Two deals give each bot each seat once.
const SUDDEN_DEATH: u64 = 2;
/// The most sudden deaths of a tie, so that bots that always draw come to an end too.
const SUDDEN_DEATHS_MAX: u64 = 16;
/// The sudden-death deals of a round of the bracket. They follow the planned ones.
pub(super) const SUDDEN_DEATH_DEALS: u64 = SUDDEN_DEATH * SUDDEN_DEATHS_MAX;
/// The random stream for the places in the bracket.
const DRAW_STREAM: u64 = 0;

/// A bracket of all bots. The best seeds get the byes, and meet as late as possible. The bot with more points
/// on the planned deals wins a tie. After a draw, sudden deaths of two deals each follow, until one bot has
/// more points. After 16 sudden deaths, the margin over all deals of the tie decides, then the better seed.
/// The ties of one round play the same deals.
#[derive(Clone, Debug)]
pub(super) struct Knockout {
    field: Field,
    /// The bots in the order of their seeds.
    seeds: Vec<usize>,
}

/// The state of a tie of two bots.
struct State {
    meeting: Meeting,
    /// The winner, 0 or 1, and the tie-break; no tie-break if the points on the planned deals decided.
    won: Option<(usize, Option<TieBreak>)>,
}

impl Knockout {
    pub(super) fn new(field: Field, seeding: Seeding, seed: u64) -> Knockout {
        let mut seeds: Vec<usize> = (0..field.bots).collect();
        if seeding == Seeding::Draw {
            Dealer::new(draw_seed(seed), DRAW_STREAM).shuffle(&mut seeds);
        }
        Knockout { field, seeds }
    }

    /// The bots from the top of the bracket to its end; `None` for a bye.
    fn bracket(&self) -> Vec<Option<usize>> {
        bracket(self.seeds.len()).into_iter().map(|seed| self.seeds.get(seed).copied()).collect()
    }

    /// The first deal of a round of the bracket.
    fn first_deal(&self, round: u64) -> u64 {
        round * (self.field.rounds + SUDDEN_DEATH_DEALS)
    }

    fn planned(&self, round: u64) -> Range<u64> {
        self.first_deal(round)..self.first_deal(round) + self.field.rounds
    }

    fn sudden_death(&self, round: u64, number: u64) -> Range<u64> {
        let first = self.planned(round).end + number * SUDDEN_DEATH;
        first..first + SUDDEN_DEATH
    }

    /// Returns the state of a tie, from the results of its round of the bracket.
    fn state(&self, round: u64, (one, other): (usize, usize), results: &Results) -> State {
        let all = self.first_deal(round)..self.first_deal(round + 1);
        let meeting = results.meeting(one, other, all);
        let points = |deals: Range<u64>| results.meeting(one, other, deals).winner();
        let won = if let Some(winner) = points(self.planned(round)) {
            Some((winner, None))
        } else if let Some(winner) =
            (0..SUDDEN_DEATHS_MAX).find_map(|number| points(self.sudden_death(round, number)))
        {
            Some((winner, Some(TieBreak::SuddenDeath)))
        } else if !results.has(self.sudden_death(round, SUDDEN_DEATHS_MAX - 1)) {
            None
        } else if meeting.margin != 0 {
            Some((usize::from(meeting.margin < 0), Some(TieBreak::Margin)))
        } else {
            let seed = |bot: usize| self.seeds.iter().position(|&one| one == bot);
            Some((usize::from(seed(one) > seed(other)), Some(TieBreak::Seed)))
        };
        State { meeting, won }
    }

    /// The winner of two neighbours in the bracket; `None` while they play.
    fn winner(&self, round: u64, pair: [Option<usize>; 2], results: &Results) -> Option<usize> {
        match pair {
            [Some(one), Some(other)] => {
                let (winner, _) = self.state(round, (one, other), results).won?;
                pair[winner]
            }
            [one, other] => one.or(other),
        }
    }

    /// The known rounds of the bracket: all decided rounds and the current one.
    fn rounds(&self, results: &Results) -> Vec<Vec<[Option<usize>; 2]>> {
        let (mut rounds, mut left) = (Vec::new(), self.bracket());
        while left.len() > 1 {
            let pairs: Vec<[Option<usize>; 2]> = left.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
            let round = rounds.len() as u64;
            let winners: Vec<Option<usize>> =
                pairs.iter().map(|&pair| self.winner(round, pair, results)).collect();
            rounds.push(pairs);
            if winners.contains(&None) {
                break;
            }
            left = winners;
        }
        rounds
    }

    fn tie(&self, round: u64, pair: [Option<usize>; 2], results: &Results, names: &[String]) -> Tie {
        let [Some(one), Some(other)] = pair else {
            return Tie::bye(pair[0].or(pair[1]).expect("a bye is beside a bot"), names);
        };
        let State { meeting, won } = self.state(round, (one, other), results);
        Tie {
            winner: won.map(|(winner, _)| names[[one, other][winner]].clone()),
            decided_by: won.and_then(|(_, by)| by),
            ..Tie::of((one, other), meeting, names)
        }
    }
}

/// Returns the seeds, from 0, in the order of a bracket of this size or the next power of two. The best seeds
/// of each section are as far apart as possible. Seeds 1 and 2 can only meet in the final.
fn bracket(bots: usize) -> Vec<usize> {
    let mut seeds = vec![0];
    while seeds.len() < bots {
        let last = 2 * seeds.len() - 1;
        seeds = seeds.iter().flat_map(|&seed| [seed, last - seed]).collect();
    }
    seeds
}

impl Schedule for Knockout {
    fn stage(&self, _number: u64, results: &Results) -> Option<Stage> {
        let rounds = self.rounds(results);
        let (round, pairs) = (rounds.len() as u64 - 1, rounds.last()?);
        let open = |&&pair: &&[Option<usize>; 2]| self.winner(round, pair, results).is_none();
        let tables: Vec<Vec<usize>> =
            pairs.iter().filter(open).map(|pair| pair.iter().flatten().copied().collect()).collect();
        if tables.is_empty() {
            return None;
        }
        let sudden_deaths = (0..SUDDEN_DEATHS_MAX).map(|number| self.sudden_death(round, number));
        let deals = std::iter::once(self.planned(round))
            .chain(sudden_deaths)
            .find(|deals| !results.has(deals.clone()))?;
        // This round leaves one bot for each pair. Each later tie eliminates one of them, until one is left.
        let ties_later = pairs.len() as u64 - 1;
        let later = ties_later * self.field.matches_of_a_pair(self.field.rounds);
        Some(self.field.stage(tables, deals).followed_by(later))
    }

    fn outcome(&self, results: &Results, names: &[String]) -> Option<Outcome> {
        let rounds = self.rounds(results);
        let ties = |(round, pairs): (usize, &Vec<[Option<usize>; 2]>)| {
            pairs.iter().map(|&pair| self.tie(round as u64, pair, results, names)).collect()
        };
        let ties: Vec<Vec<Tie>> = rounds.iter().enumerate().map(ties).collect();
        let last = ties.last().filter(|round| round.len() == 1).and_then(|round| round[0].winner.clone());
        Some(Outcome::Knockout { winner: last, rounds: ties, now: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::played;
    use super::*;

    fn field(bots: usize) -> Field {
        Field { bots, seats: 2, rounds: 2, every_seat_each_deal: false }
    }

    /// The first round of a bracket with seeds from 1, without byes.
    fn ties(bots: usize) -> Vec<(usize, usize)> {
        let pairs = bracket(bots);
        pairs.chunks(2).filter(|pair| pair[1] < bots).map(|pair| (pair[0] + 1, pair[1] + 1)).collect()
    }

    /// The printed brackets of tennis draws and play-offs. With 8 bots, 1-8 and 4-5 are above, 2-7 and 3-6
    /// below. With 16 bots, the winner of 1-16 meets the winner of 8-9, and so on. With 6 bots on 8 places,
    /// seeds 1 and 2 have the byes.
    #[test]
    fn brackets_are_those_of_the_books() {
        assert_eq!(ties(2), [(1, 2)]);
        assert_eq!(ties(4), [(1, 4), (2, 3)]);
        assert_eq!(ties(8), [(1, 8), (4, 5), (2, 7), (3, 6)]);
        let sixteen = [(1, 16), (8, 9), (4, 13), (5, 12), (2, 15), (7, 10), (3, 14), (6, 11)];
        assert_eq!(ties(16), sixteen);
        assert_eq!(ties(6), [(4, 5), (3, 6)]);
        assert_eq!(ties(5), [(4, 5)]);
        assert_eq!(ties(3), [(2, 3)]);
    }

    /// Plays the whole bracket. Returns the number of matches of each stage, and the outcome.
    fn through(knockout: &Knockout, better: impl Fn(usize, usize) -> Option<usize>) -> (Vec<u64>, Outcome) {
        let (mut results, mut stages) = (Results::default(), Vec::new());
        while let Some(stage) = knockout.stage(stages.len() as u64, &results) {
            stages.push(stage.total());
            played(&mut results, &stage, &better);
        }
        let names: Vec<String> = (1..=knockout.field.bots).map(|number| number.to_string()).collect();
        (stages, knockout.outcome(&results, &names).expect("a bracket"))
    }

    #[test]
    fn the_better_one_of_each_tie_goes_on() {
        let knockout = Knockout::new(field(6), Seeding::Order, 1);
        let (stages, outcome) = through(&knockout, |one, other| Some(one.min(other)));
        assert_eq!(stages, [4, 4, 2], "two ties, two ties, the final, on two deals each");
        let Outcome::Knockout { winner, rounds, .. } = outcome else { panic!("a bracket") };
        assert_eq!(winner.as_deref(), Some("1"));
        let meetings: Vec<Vec<(&str, Option<&str>)>> = rounds
            .iter()
            .map(|round| round.iter().map(|tie| (tie.bot.as_str(), tie.against.as_deref())).collect())
            .collect();
        let first = vec![("1", None), ("4", Some("5")), ("2", None), ("3", Some("6"))];
        assert_eq!(meetings, [first, vec![("1", Some("4")), ("2", Some("3"))], vec![("1", Some("2"))]]);
        assert_eq!(rounds[2][0].points, [2.0, 0.0]);
    }

    #[test]
    fn equal_bots_come_to_an_end_by_their_seeds() {
        let knockout = Knockout::new(field(3), Seeding::Order, 1);
        let (stages, outcome) = through(&knockout, |_, _| None);
        assert_eq!(stages.len() as u64, 2 * (1 + SUDDEN_DEATHS_MAX));
        assert!(stages.iter().all(|&total| total == 2));
        let Outcome::Knockout { winner, rounds, .. } = outcome else { panic!("a bracket") };
        assert_eq!((winner.as_deref(), rounds[1][0].decided_by), (Some("1"), Some(TieBreak::Seed)));
    }

    #[test]
    fn only_what_is_open_goes_to_sudden_death() {
        let knockout = Knockout::new(field(4), Seeding::Order, 1);
        let (mut results, names) = (Results::default(), ["a", "b", "c", "d"].map(str::to_owned));
        let first = knockout.stage(0, &results).expect("two ties");
        assert_eq!((first.total(), first.later), (4, 2));
        played(&mut results, &first, |one, other| (one.min(other) == 0).then_some(0));
        let second = knockout.stage(1, &results).expect("a sudden death");
        assert_eq!((second.total(), second.pairing(0).round, second.pairing(0).bots), (2, 2, vec![1, 2]));
        played(&mut results, &second, |_, _| Some(2));
        let last = knockout.stage(2, &results).expect("the final");
        assert_eq!((last.total(), last.pairing(0).bots), (2, vec![0, 2]));
        let Some(Outcome::Knockout { rounds, .. }) = knockout.outcome(&results, &names) else { panic!() };
        assert_eq!(rounds[0][1].decided_by, Some(TieBreak::SuddenDeath));
        assert_eq!(rounds[0][1].points, [1.0, 3.0]);
    }

    #[test]
    fn lots_are_drawn_from_the_seed() {
        let drawn = |seed| Knockout::new(field(8), Seeding::Draw, seed).seeds;
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        let mut sorted = drawn(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..8).collect::<Vec<_>>());
    }
}
