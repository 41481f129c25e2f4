//! The Swiss system.

mod pairing;

use super::{Field, Lots, Outcome, Results, Schedule, Stage, SwissRow, Tie};
use pairing::{Entry, Paired, pair};
use stats::rounded;

/// Rounds between bots of equal points, without rematches as long as that is possible; see [`pair`]. More
/// points on its deals win a meeting. A win counts 1, a draw 0.5. With an odd number of bots, one bot has a
/// bye in each round, which counts as a win. Meetings of one round play the same deals.
#[derive(Clone, Debug)]
pub(super) struct Swiss {
    pub(super) field: Field,
    pub(super) swiss_rounds: u64,
    pub(super) lots: Lots,
}

/// The results of a bot so far.
#[derive(Clone, Debug, Default)]
struct Card {
    /// Half points, byes included.
    halves: u64,
    won: u64,
    drawn: u64,
    lost: u64,
    byes: u64,
    opponents: Vec<usize>,
    margin: i64,
    matches: u64,
}

/// A finished round: its meetings and the bot with the bye.
struct Round {
    meetings: Vec<((usize, usize), super::results::Meeting)>,
    bye: Option<usize>,
}

impl Swiss {
    /// The finished rounds.
    fn rounds(&self, results: &Results) -> Vec<Round> {
        let deals = |round: u64| round * self.field.rounds..(round + 1) * self.field.rounds;
        let played = (0..self.swiss_rounds).take_while(|&round| results.has(deals(round)));
        let round = |round: u64| {
            let meetings: Vec<_> = results.meetings(deals(round)).into_iter().collect();
            let meets = |bot: usize| meetings.iter().any(|(pair, _)| pair.0 == bot || pair.1 == bot);
            let bye = (0..self.field.bots).find(|&bot| !meets(bot));
            Round { meetings, bye }
        };
        played.map(round).collect()
    }

    fn cards(&self, rounds: &[Round]) -> Vec<Card> {
        let mut cards = vec![Card::default(); self.field.bots];
        for Round { meetings, bye } in rounds {
            for &((one, other), meeting) in meetings {
                cards[one].add(other, meeting);
                cards[other].add(one, meeting.turned());
            }
            if let Some(bot) = *bye {
                cards[bot].byes += 1;
                cards[bot].halves += 2;
            }
        }
        cards
    }
}

impl Card {
    fn add(&mut self, opponent: usize, meeting: super::results::Meeting) {
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
        let entry = |&bot: &usize| Entry { bot, points: cards[bot].halves, byes: cards[bot].byes };
        let entries: Vec<Entry> = order.iter().map(entry).collect();
        let met = |one: usize, other: usize| cards[one].opponents.iter().filter(|&&bot| bot == other).count();
        let Paired { pairs, .. } = pair(&entries, &met);
        // The bot with fewer matches in the first seat gets it; after equal counts, the better bot.
        let first_seats = results.first_seats(self.field.bots);
        let seated = |(better, other): (usize, usize)| match first_seats[other] < first_seats[better] {
            true => vec![other, better],
            false => vec![better, other],
        };
        let deals = number * self.field.rounds..(number + 1) * self.field.rounds;
        let stage = self.field.stage(pairs.into_iter().map(seated).collect(), deals);
        let later = (self.swiss_rounds - number - 1) * stage.total();
        Some(stage.followed_by(later))
    }

    fn outcome(&self, results: &Results, names: &[String]) -> Option<Outcome> {
        let rounds = self.rounds(results);
        let cards = self.cards(&rounds);
        let buchholz = |card: &Card| card.opponents.iter().map(|&bot| cards[bot].halves).sum::<u64>();
        let merit = |bot: usize| {
            let card = &cards[bot];
            std::cmp::Reverse((card.halves, buchholz(card), card.margin))
        };
        let mut order: Vec<usize> = (0..self.field.bots).collect();
        order.sort_by_key(|&bot| (merit(bot), bot));
        let row = |&bot: &usize| {
            let card = &cards[bot];
            let better = order.iter().filter(|&&other| merit(other) < merit(bot)).count();
            let mean = if card.matches == 0 { 0.0 } else { card.margin as f64 / card.matches as f64 };
            SwissRow {
                rank: better as u32 + 1,
                bot: names[bot].clone(),
                points: card.halves as f64 / 2.0,
                buchholz: buchholz(card) as f64 / 2.0,
                won: card.won,
                drawn: card.drawn,
                lost: card.lost,
                byes: card.byes,
                mean_margin: rounded(mean),
            }
        };
        let table = order.iter().map(row).collect();
        let rounds = rounds.iter().map(|round| ties(round, names)).collect();
        Some(Outcome::Swiss { table, rounds, now: Vec::new() })
    }
}

/// The meetings of a round, and its bye.
fn ties(round: &Round, names: &[String]) -> Vec<Tie> {
    let met = round.meetings.iter().map(|&(pair, meeting)| Tie::of(pair, meeting, names));
    met.chain(round.bye.map(|bot| Tie::bye(bot, names))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::results::played;
    use super::*;
    use std::collections::BTreeSet;

    /// Plays the whole tournament; the bot of the lower number wins. Returns the pairs of each round and the
    /// outcome.
    fn through(bots: usize, swiss_rounds: u64) -> (Vec<Vec<(usize, usize)>>, Outcome) {
        let field = Field { bots, seats: 2, rounds: 2, every_seat_each_deal: false };
        let (swiss, mut results) = (Swiss { field, swiss_rounds, lots: Lots::default() }, Results::default());
        let mut number = 0;
        while let Some(stage) = swiss.stage(number, &results) {
            assert_eq!(stage.later, (swiss_rounds - number - 1) * stage.total());
            played(&mut results, &stage, |one, other| Some(one.min(other)));
            number += 1;
        }
        let names: Vec<String> = (1..=bots).map(|number| number.to_string()).collect();
        let pairs = |round: &Round| round.meetings.iter().map(|&((a, b), _)| (a + 1, b + 1)).collect();
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
}
