//! The Swiss system.

mod pairing;

use engine::dealer::Dealer;

use super::draw::FIRST_STREAM;
use super::results::{Meeting, Meetings};
use super::{Field, Lots, Outcome, Results, Schedule, Stage, SwissRow, SwissTable, Tie, seating};
use pairing::{Entry, Paired, pair};
use referee::play::seeds::draw_seed;
use stats::rounded;

/// The weight of the square of the earlier meetings of two bots, from two on. One earlier meeting costs as much as a distance
/// of one point.
const REPEAT: u64 = 1 << 24;

/// Rounds between bots of equal points, without rematches as long as that is possible; see [`pair`]. More
/// points on its deals win a meeting. A win counts 1, a draw 0.5. With an odd number of bots, one bot has a
/// bye in each round, which counts as a win. Meetings of one round play the same deals.
///
/// At tables of more than two seats a bot meets all others at once, and gets the mean of these meetings. The search of a
/// draw seats bots of near points that have not met. Bots that are left over have byes, which count 0.5.
#[derive(Clone, Debug)]
pub(super) struct Swiss {
    pub(super) field: Field,
    pub(super) swiss_rounds: u64,
    pub(super) lots: Lots,
    /// The seed of the tournament.
    pub(super) seed: u64,
}

/// The results of a bot so far.
#[derive(Clone, Debug, Default)]
struct Card {
    /// Half points, byes included. A round has as many as there are half points against all others at a table.
    halves: u64,
    won: u64,
    drawn: u64,
    lost: u64,
    byes: u64,
    opponents: Vec<usize>,
    margin: i64,
    matches: u64,
}

/// A finished round: its meetings and the bots with a bye.
struct Round {
    tables: Vec<Vec<usize>>,
    meetings: Meetings,
    byes: Vec<usize>,
}

impl Swiss {
    /// The finished rounds.
    fn rounds(&self, results: &Results) -> Vec<Round> {
        let deals = |round: u64| round * self.field.rounds..(round + 1) * self.field.rounds;
        let played = (0..self.swiss_rounds).take_while(|&round| results.has(deals(round)));
        let round = |round: u64| {
            let (tables, meetings) = (results.tables(deals(round)), results.meetings(deals(round)));
            let meets = |bot: &usize| tables.iter().any(|table| table.contains(bot));
            let byes = (0..self.field.bots).filter(|bot| !meets(bot)).collect();
            Round { tables, meetings, byes }
        };
        played.map(round).collect()
    }

    fn cards(&self, rounds: &[Round]) -> Vec<Card> {
        let mut cards = vec![Card::default(); self.field.bots];
        for Round { meetings, byes, .. } in rounds {
            for (&(one, other), &meeting) in meetings {
                cards[one].add(other, meeting);
                cards[other].add(one, meeting.turned());
            }
            for &bot in byes {
                cards[bot].byes += 1;
                cards[bot].halves += if self.field.seats == 2 { 2 } else { self.whole() / 2 };
            }
        }
        cards
    }

    /// The half points of a bot that beats all others at its table.
    fn whole(&self) -> u64 {
        2 * (self.field.seats as u64 - 1)
    }

    /// Returns the tables of the round `number`, of more than two seats each. `order` has the best bot first.
    fn tables(
        &self,
        number: u64,
        mut order: Vec<usize>,
        cards: &[Card],
        results: &Results,
    ) -> Vec<Vec<usize>> {
        let Field { bots, seats, .. } = self.field;
        // The last ones of those with the fewest byes have a bye.
        let mut last: Vec<usize> = order.iter().rev().copied().collect();
        last.sort_by_key(|&bot| cards[bot].byes);
        order.retain(|bot| !last[..bots % seats].contains(bot));
        let mut met = vec![vec![0_u64; bots]; bots];
        let met_by = cards
            .iter()
            .enumerate()
            .flat_map(|(bot, card)| card.opponents.iter().map(move |&other| (bot, other)));
        met_by.for_each(|(bot, other)| met[bot][other] += 1);
        let cost = |one: usize, other: usize| {
            let met = met[one][other];
            let repeats = if met < 2 { met * self.whole() } else { met.pow(2).saturating_mul(REPEAT) };
            repeats + cards[one].halves.abs_diff(cards[other].halves)
        };
        let mut chance = Dealer::new(draw_seed(self.seed), FIRST_STREAM + number);
        let mut tables = seating::tables(&order, seats, &cost, &mut chance);
        seating::seat(tables.iter_mut(), seats, &results.seats(bots, seats));
        tables
    }
}

impl Card {
    fn add(&mut self, opponent: usize, meeting: Meeting) {
        let (points, count) = match meeting.winner() {
            Some(0) => (2, &mut self.won),
            Some(_) => (0, &mut self.lost),
            None => (1, &mut self.drawn),
        };
        *count += 1;
        self.halves += points;
        self.opponents.push(opponent);
        self.margin += meeting.margin;
        self.matches += meeting.matches;
    }
}

impl Schedule for Swiss {
    fn stage(&self, number: u64, results: &Results) -> Option<Stage> {
        if number == self.swiss_rounds {
            return None;
        }
        let cards = self.cards(&self.rounds(results));
        let mut order: Vec<usize> = (0..self.field.bots).collect();
        order.sort_by_key(|&bot| (std::cmp::Reverse(cards[bot].halves), self.lots.of(bot)));
        let deals = number * self.field.rounds..(number + 1) * self.field.rounds;
        let later = |stage: Stage| {
            let later = (self.swiss_rounds - number - 1) * stage.total();
            stage.followed_by(later)
        };
        if self.field.seats > 2 {
            let tables = self.tables(number, order, &cards, results);
            return Some(later(self.field.stage(tables, deals)));
        }
        let entry = |&bot: &usize| Entry { bot, points: cards[bot].halves, byes: cards[bot].byes };
        let entries: Vec<Entry> = order.iter().map(entry).collect();
        let met = |one: usize, other: usize| cards[one].opponents.iter().filter(|&&bot| bot == other).count();
        let Paired { pairs, .. } = pair(&entries, &met);
        // The bot with fewer matches in the first seat gets it; after equal counts, the better bot.
        let seats = results.seats(self.field.bots, self.field.seats);
        let seated = |(better, other): (usize, usize)| match seats[other][0] < seats[better][0] {
            true => vec![other, better],
            false => vec![better, other],
        };
        Some(later(self.field.stage(pairs.into_iter().map(seated).collect(), deals)))
    }

    fn outcome(&self, results: &Results, names: &[String]) -> Option<Outcome> {
        let rounds = self.rounds(results);
        let cards = self.cards(&rounds);
        let buchholz = |card: &Card| card.opponents.iter().map(|&bot| cards[bot].halves).sum::<u64>();
        let merit = |bot: usize| {
            let card = &cards[bot];
            std::cmp::Reverse((card.halves, buchholz(card), card.margin))
        };
        let points = |halves: u64| rounded(halves as f64 / self.whole() as f64);
        let mut order: Vec<usize> = (0..self.field.bots).collect();
        order.sort_unstable_by_key(|&bot| (merit(bot), bot));
        let row = |&bot: &usize| {
            let card = &cards[bot];
            let better = order.iter().filter(|&&other| merit(other) < merit(bot)).count();
            let mean = if card.matches == 0 { 0.0 } else { card.margin as f64 / card.matches as f64 };
            SwissRow {
                rank: better as u32 + 1,
                bot: names[bot].clone(),
                points: points(card.halves),
                buchholz: points(buchholz(card)),
                won: card.won,
                drawn: card.drawn,
                lost: card.lost,
                byes: card.byes,
                mean_margin: rounded(mean),
            }
        };
        let table = order.iter().map(row).collect();
        let rounds = rounds.iter();
        Some(match self.field.seats {
            2 => Outcome::Swiss {
                table,
                rounds: rounds.map(|round| ties(round, names)).collect(),
                now: Vec::new(),
            },
            _ => Outcome::SwissTables {
                table,
                rounds: rounds.map(|round| played(round, names)).collect(),
                now: Vec::new(),
            },
        })
    }
}

/// The meetings of a round, and its bye.
fn ties(round: &Round, names: &[String]) -> Vec<Tie> {
    let met = round.meetings.iter().map(|(&pair, &meeting)| Tie::of(pair, meeting, names));
    met.chain(round.byes.iter().map(|&bot| Tie::bye(bot, names))).collect()
}

/// The tables of a round, and its byes.
fn played(round: &Round, names: &[String]) -> Vec<SwissTable> {
    let byes = round.byes.iter().map(std::slice::from_ref);
    let tables = round.tables.iter().map(Vec::as_slice).chain(byes);
    tables.map(|table| SwissTable::of(table, &round.meetings, names)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::results::played as play;
    use super::super::{Pairing, ScheduleName, Settings};
    use super::*;
    use referee::record::ResultRecord;
    use std::collections::BTreeSet;

    /// Plays the whole tournament; the bot of the lower number wins. Returns the pairs of each round and the
    /// outcome.
    fn through(bots: usize, swiss_rounds: u64) -> (Vec<Vec<(usize, usize)>>, Outcome) {
        let field = Field { bots, seats: 2, rounds: 2, every_seat_each_deal: false };
        let swiss = Swiss { field, swiss_rounds, lots: Lots::default(), seed: 7 };
        let mut results = Results::default();
        let mut number = 0;
        while let Some(stage) = swiss.stage(number, &results) {
            assert_eq!(stage.later, (swiss_rounds - number - 1) * stage.total());
            play(&mut results, &stage, |one, other| Some(one.min(other)));
            number += 1;
        }
        let names: Vec<String> = (1..=bots).map(|number| number.to_string()).collect();
        let pairs = |round: &Round| round.meetings.keys().map(|&(a, b)| (a + 1, b + 1)).collect();
        let rounds = swiss.rounds(&results).iter().map(pairs).collect();
        (rounds, swiss.outcome(&results, &names).expect("a table"))
    }

    /// Eight bots, and the better one always wins: upper halves of groups meet lower halves, as in the
    /// textbooks.
    #[test]
    fn eight_bots_in_three_rounds() {
        let (rounds, outcome) = through(8, 3);
        assert_eq!(rounds[0], [(1, 5), (2, 6), (3, 7), (4, 8)]);
        assert_eq!(rounds[1], [(1, 3), (2, 4), (5, 7), (6, 8)]);
        assert_eq!(rounds[2], [(1, 2), (3, 5), (4, 6), (7, 8)]);
        let Outcome::Swiss { table, .. } = outcome else { panic!("a table") };
        let points: Vec<(&str, f64)> = table.iter().map(|row| (row.bot.as_str(), row.points)).collect();
        assert_eq!((points[0], points[7]), (("1", 3.0), ("8", 0.0)));
        // 1 met 5, 3 and 2, who have 1, 2 and 2 points.
        assert_eq!(table[0].buchholz, 5.0);
    }

    #[test]
    fn nobody_meets_twice_and_byes_go_round() {
        for bots in 2..=11 {
            let most = if bots % 2 == 0 { bots - 1 } else { bots };
            let (rounds, outcome) = through(bots, most as u64);
            let pairs: Vec<(usize, usize)> = rounds.into_iter().flatten().collect();
            assert_eq!(pairs.len(), bots / 2 * most, "{bots} bots");
            assert_eq!(pairs.iter().collect::<BTreeSet<_>>().len(), pairs.len(), "{bots} bots: a rematch");
            let Outcome::Swiss { table, .. } = outcome else { panic!("a table") };
            assert!(table.iter().all(|row| row.byes == (bots % 2) as u64), "{bots} bots: {table:?}");
        }
    }

    #[test]
    fn when_all_have_met_they_meet_again() {
        assert_eq!(through(2, 3).0, [[(1, 2)], [(1, 2)], [(1, 2)]]);
        assert_eq!(through(4, 4).0.concat().len(), 8);
    }

    /// Adds the results of these pairings. A bot of a higher number is better, and chance decides as much.
    fn by_strength<'a>(
        results: &mut Results,
        pairings: impl Iterator<Item = &'a Pairing>,
        chance: &mut Dealer,
    ) {
        for pairing in pairings {
            let scores: Vec<i32> =
                pairing.bots.iter().map(|&bot| bot as i32 + chance.below(28) as i32).collect();
            let rank = |score: &i32| 1 + scores.iter().filter(|other| *other > score).count() as u32;
            let (ranks, faults) = (scores.iter().map(rank).collect(), vec![None; scores.len()]);
            results.add(pairing, &ResultRecord { ranks, scores: scores.clone(), rounds: None, faults });
        }
    }

    /// The mean distance of points of two bots at these tables.
    fn distance<'a>(cards: &[Card], tables: impl Iterator<Item = &'a [usize]>) -> f64 {
        let pairs = tables
            .flat_map(|table| table.iter().flat_map(|&one| table.iter().map(move |&other| (one, other))));
        let distances = pairs
            .filter(|(one, other)| one < other)
            .map(|(one, other)| cards[one].halves.abs_diff(cards[other].halves));
        let all: Vec<u64> = distances.collect();
        all.iter().sum::<u64>() as f64 / all.len() as f64
    }

    #[test]
    fn tables_of_four_have_near_points_and_hardly_a_repeated_pair() {
        const ROUNDS: u64 = 6;
        let field = Field { bots: 28, seats: 4, rounds: 1, every_seat_each_deal: false };
        let names: Vec<String> = (0..28).map(|bot| format!("bot-{bot}")).collect();
        let drawn = Field { rounds: ROUNDS, ..field };
        for seed in 0..10 {
            let lots = Lots::drawn(seed, &names);
            let swiss = Swiss { field, swiss_rounds: ROUNDS, lots, seed };
            let draw = Settings { schedule: ScheduleName::Draw, ..Settings::default() };
            let draw =
                draw.schedule(drawn, &names, seed, true).expect("a draw").stage(0, &Results::default());
            let draw = draw.expect("a stage");
            let [mut of_swiss, mut of_draw] = [Results::default(), Results::default()];
            let mut chance = Dealer::new(seed, 0);
            let mut distances = [0.0; 2];
            for number in 0..ROUNDS {
                let stage = swiss.stage(number, &of_swiss).expect("a round");
                let pairings: Vec<Pairing> = (0..stage.total()).map(|place| stage.pairing(place)).collect();
                let others: Vec<Pairing> = (0..7).map(|table| draw.pairing(7 * number + table)).collect();
                for (sum, results, pairings) in [(0, &mut of_swiss, pairings), (1, &mut of_draw, others)] {
                    if number > 0 {
                        let cards = swiss.cards(&swiss.rounds(results));
                        distances[sum] +=
                            distance(&cards, pairings.iter().map(|pairing| pairing.bots.as_slice()));
                    }
                    by_strength(results, pairings.iter(), &mut chance);
                }
            }
            assert!(2.0 * distances[0] <= distances[1], "{seed}: {distances:?}");
            let cards = swiss.cards(&swiss.rounds(&of_swiss));
            for card in &cards {
                let met = |other: &&usize| card.opponents.iter().filter(|one| one == other).count();
                assert!(
                    card.opponents.len() == 18 && card.opponents.iter().all(|other| met(&other) <= 2),
                    "{seed}"
                );
            }
            let Some(Outcome::SwissTables { table, rounds, .. }) = swiss.outcome(&of_swiss, &names) else {
                panic!("tables")
            };
            let sum: f64 = table.iter().map(|row| row.points).sum();
            assert!((sum - 28.0 * 6.0 / 2.0).abs() < 0.03 && rounds.len() == 6, "{sum}");
        }
    }

    #[test]
    fn whoever_is_left_over_at_large_tables_has_a_bye_in_turn() {
        let field = Field { bots: 10, seats: 4, rounds: 4, every_seat_each_deal: false };
        let names: Vec<String> = (0..10).map(|bot| format!("bot-{bot}")).collect();
        let swiss = Swiss { field, swiss_rounds: 5, lots: Lots::drawn(3, &names), seed: 3 };
        let (mut results, mut chance) = (Results::default(), Dealer::new(3, 0));
        for number in 0..5 {
            let stage = swiss.stage(number, &results).expect("a round");
            let pairings: Vec<Pairing> = (0..stage.total()).map(|place| stage.pairing(place)).collect();
            assert_eq!((pairings.len(), stage.later), (8, (4 - number) * 8), "two tables on four deals");
            by_strength(&mut results, pairings.iter(), &mut chance);
        }
        assert_eq!(swiss.stage(5, &results), None);
        let Some(Outcome::SwissTables { table, rounds, .. }) = swiss.outcome(&results, &names) else {
            panic!("tables")
        };
        assert!(table.iter().all(|row| row.byes == 1), "{table:?}");
        assert!(rounds.iter().all(|round| round.iter().filter(|table| table.0.len() == 1).count() == 2));
        assert!(results.seats(10, 4).iter().all(|seats| *seats == [4; 4]), "four deals are each seat once");
    }
}
