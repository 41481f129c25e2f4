//! Tables drawn anew in each round.

use std::collections::{BTreeMap, BTreeSet};

use engine::dealer::Dealer;
use serde::{Deserialize, Serialize};

use super::{Field, Results, Schedule, Stage, seating};
use referee::error::Error;
use referee::play::seeds::{draw_seed, lot};

/// The deal of the first extra table. All rounds come before it.
pub(crate) const EXTRA: u64 = 1_000_000_000;
/// The most exchanges that draws try at once: the squares of the bots, summed over the rounds. Large fields take seconds.
pub(super) const EXCHANGES_MAX: u64 = 1 << 27;
/// The most tables of a draw. More do not fit into memory.
pub(super) const DRAWN_MAX: u64 = 2_000_000;
/// The random stream of the first round. Stream 0 is that of a knockout.
pub(super) const FIRST_STREAM: u64 = 1;

/// The bots that take part from a round on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Participants {
    /// The first round, from 0.
    pub from_round: u64,
    /// Their names.
    pub bots: BTreeSet<String>,
}

/// A schedule in which each round seats all bots once. Tables are drawn so that the pairs of bots meet about equally
/// often, and each bot has each seat about equally often. A round follows from the seed, the rounds before it, and who
/// takes part.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    /// The round of each table, and its bots by seat.
    tables: Vec<(u64, Vec<usize>)>,
    every_seat_each_deal: bool,
}

/// The tables so far. Bots are numbered in the order of their lots.
struct Tables {
    seats: usize,
    fewest_seats: Option<usize>,
    /// The seed of the draws.
    seed: u64,
    /// The round of each, and its bots by seat.
    tables: Vec<(u64, Vec<usize>)>,
    /// How often two bots have met.
    met: Vec<Vec<u64>>,
    /// The number of tables of each bot.
    played: Vec<u64>,
    /// How often each bot had each seat.
    had: Vec<Vec<u64>>,
}

impl Draw {
    /// Draws the tables among the bots of these names.
    ///
    /// # Errors
    /// The bots that take part do not fit these bots and this number of rounds and seats, or need too many extra tables.
    pub(super) fn new(
        field: Field,
        fewest_seats: Option<usize>,
        names: &[String],
        seed: u64,
        participants: &[Participants],
    ) -> Result<Draw, Error> {
        let Field { seats, rounds, every_seat_each_deal, .. } = field;
        let whole = [Participants { from_round: 0, bots: names.iter().cloned().collect() }];
        let participants = if participants.is_empty() { &whole } else { participants };
        let [first, last] = [0, participants.len() - 1].map(|change| &participants[change]);
        let is_in_order = participants.is_sorted_by_key(|change| change.from_round);
        let is_whole = first.from_round == 0 && last.from_round <= rounds && last.bots == whole[0].bots;
        if !is_in_order || !is_whole || participants.iter().any(|change| change.bots.len() < seats) {
            return Err(Error::usage(
                "the participants of the rounds do not fit the bots and rounds of the plan",
            ));
        }
        let all: BTreeSet<&String> = participants.iter().flat_map(|change| &change.bots).collect();
        let mut all: Vec<&String> = all.into_iter().collect();
        all.sort_by_cached_key(|name| lot(seed, name));
        let number: BTreeMap<&String, usize> = all.iter().copied().zip(0..).collect();
        let mut so_far = Tables::new(all.len(), (seats, fewest_seats), draw_seed(seed));
        let mut extra = EXTRA..;
        for (change, Participants { from_round, bots }) in participants.iter().enumerate() {
            let mut bots: Vec<usize> = bots.iter().map(|name| number[name]).collect();
            bots.sort_unstable();
            so_far.keep(&bots);
            while let Some(table) = so_far.extra(&bots) {
                let round = extra.next().expect("rounds do not run out");
                let work = (round - EXTRA) * (bots.len() * seats) as u64;
                if work > EXCHANGES_MAX || so_far.tables.len() as u64 > DRAWN_MAX {
                    return Err(Error::usage("a bot that joins so late needs too many extra tables")
                        .hint("begin a new tournament with another --out"));
                }
                so_far.add(round, table);
                so_far.seat_from(so_far.tables.len() - 1);
            }
            let end = participants.get(change + 1).map_or(rounds, |next| next.from_round);
            // Seats are even after as many rounds as there are seats, even if these rounds are not all played.
            for first in (*from_round..end).step_by(seats) {
                let begin = so_far.tables.len();
                (first..first + seats as u64).for_each(|round| so_far.draw(&bots, round));
                so_far.seat_from(begin);
            }
            so_far.tables.retain(|(round, _)| *round < end || *round >= EXTRA);
        }
        let index: BTreeMap<&String, usize> = names.iter().zip(0..).collect();
        let indices = |bots: Vec<usize>| bots.into_iter().map(|bot| index[all[bot]]).collect();
        let tables = so_far.tables.into_iter().map(|(round, bots)| (round, indices(bots))).collect();
        Ok(Draw { tables, every_seat_each_deal })
    }
}

impl Schedule for Draw {
    fn stage(&self, number: u64, _results: &Results) -> Option<Stage> {
        (number == 0).then(|| Stage::drawn(self.tables.clone(), self.every_seat_each_deal))
    }

    fn is_adaptive(&self) -> bool {
        false
    }
}

impl Tables {
    fn new(bots: usize, (seats, fewest_seats): (usize, Option<usize>), seed: u64) -> Tables {
        let (met, had) = (vec![vec![0; bots]; bots], vec![vec![0; seats]; bots]);
        Tables { seats, fewest_seats, seed, tables: Vec::new(), met, played: vec![0; bots], had }
    }

    /// Draws the tables of a round.
    fn draw(&mut self, bots: &[usize], round: u64) {
        let mut chance = Dealer::new(self.seed, FIRST_STREAM + round);
        let left = bots.len() % self.seats;
        let mut bots = bots.to_vec();
        if self.fewest_seats.is_none_or(|fewest| left < fewest) {
            // Bots that have played most pause.
            chance.shuffle(&mut bots);
            bots.sort_by_key(|&bot| self.played[bot]);
            bots.truncate(bots.len() - left);
        }
        let cost = |one: usize, other: usize| self.met[one][other].pow(2);
        let tables = seating::tables(&bots, self.seats, &cost, &mut chance);
        tables.into_iter().for_each(|table| self.add(round, table));
    }

    fn add(&mut self, round: u64, table: Vec<usize>) {
        for &bot in &table {
            self.played[bot] += 1;
            table.iter().filter(|&&other| other != bot).for_each(|&other| self.met[bot][other] += 1);
        }
        self.tables.push((round, table));
    }

    /// Removes the tables of bots that take part no longer. They count for nobody.
    fn keep(&mut self, bots: &[usize]) {
        let tables = std::mem::take(&mut self.tables);
        *self = Tables::new(self.played.len(), (self.seats, self.fewest_seats), self.seed);
        let is_kept = |table: &[usize]| table.iter().all(|bot| bots.binary_search(bot).is_ok());
        for (round, table) in tables.into_iter().filter(|(_, table)| is_kept(table)) {
            self.add(round, table);
            self.count_seats();
        }
    }

    /// Decides the seats of the tables from this place on: of those of full size together, and of smaller ones alone.
    fn seat_from(&mut self, begin: usize) {
        let new = self.tables.split_off(begin);
        let (whole, small): (Vec<_>, Vec<_>) =
            new.into_iter().partition(|(_, table)| table.len() == self.seats);
        for mut together in [whole].into_iter().chain(small.into_iter().map(|table| vec![table])) {
            let seats = together.first().map_or(0, |(_, table)| table.len());
            seating::seat(together.iter_mut().map(|(_, table)| table), seats, &self.had);
            for table in together {
                self.tables.push(table);
                self.count_seats();
            }
        }
    }

    /// Counts the seats of the last table.
    fn count_seats(&mut self) {
        for (seat, &bot) in self.tables.last().iter().flat_map(|(_, table)| table).enumerate() {
            self.had[bot][seat] += 1;
        }
    }

    /// Returns a table of those that have played least, as long as the tables of two bots differ by more than one. If there
    /// are only as many bots as seats, each table seats all of them, and evens out nothing.
    fn extra(&self, bots: &[usize]) -> Option<Vec<usize>> {
        let played = || bots.iter().map(|&bot| self.played[bot]);
        if bots.len() == self.seats || played().max()? - played().min()? < 2 {
            return None;
        }
        // Among bots that have played equally often, those that have met the table least.
        let (mut left, mut table) = (bots.to_vec(), Vec::new());
        let mut met = vec![0; self.met.len()];
        while table.len() < self.seats {
            let next = (0..left.len())
                .min_by_key(|&place| (self.played[left[place]], met[left[place]], left[place]))?;
            let bot = left.swap_remove(next);
            left.iter().for_each(|&other| met[other] += self.met[bot][other].pow(2));
            table.push(bot);
        }
        Some(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(bots: usize) -> Vec<String> {
        (0..bots).map(|bot| format!("bot-{bot}")).collect()
    }

    /// The tables of a draw among these bots, by their names.
    fn drawn(
        names: &[String],
        (seats, rounds): (usize, u64),
        fewest_seats: Option<usize>,
        participants: &[Participants],
    ) -> Vec<(u64, Vec<String>)> {
        let field = Field { bots: names.len(), seats, rounds, every_seat_each_deal: false };
        let draw = Draw::new(field, fewest_seats, names, 7, participants).expect("it can be played");
        let named = |bots: Vec<usize>| bots.into_iter().map(|bot| names[bot].clone()).collect();
        draw.tables.into_iter().map(|(round, bots)| (round, named(bots))).collect()
    }

    /// For each bot: its tables, how often it had each seat, and how often it met each other bot.
    #[derive(Default)]
    struct Counts {
        tables: u64,
        seats: BTreeMap<usize, u64>,
        met: BTreeMap<String, u64>,
    }

    fn counts(tables: &[(u64, Vec<String>)]) -> BTreeMap<String, Counts> {
        let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
        for (_, table) in tables {
            for (seat, bot) in table.iter().enumerate() {
                let own = counts.entry(bot.clone()).or_default();
                own.tables += 1;
                *own.seats.entry(seat).or_default() += 1;
                table
                    .iter()
                    .filter(|&other| other != bot)
                    .for_each(|other| *own.met.entry(other.clone()).or_default() += 1);
            }
        }
        counts
    }

    /// The lowest and the highest of these numbers.
    fn ends(numbers: impl Iterator<Item = u64>) -> (u64, u64) {
        numbers.fold((u64::MAX, 0), |(low, high), number| (low.min(number), high.max(number)))
    }

    #[test]
    fn pairs_meet_and_seats_come_equally_often() {
        for (bots, seats, rounds, meetings) in
            [(28, 4, 40, (3, 6)), (12, 2, 22, (1, 3)), (30, 6, 30, (3, 7)), (4, 4, 8, (8, 8))]
        {
            let all = names(bots);
            let tables = drawn(&all, (seats, rounds), None, &[]);
            assert_eq!(tables.len() as u64, bots as u64 / seats as u64 * rounds);
            let counts = counts(&tables);
            let met = ends(
                counts.values().flat_map(|one| all.iter().filter_map(|other| one.met.get(other)).copied()),
            );
            let whole = counts.values().all(|one| one.met.len() == bots - 1);
            for one in counts.values() {
                let (least, most) = ends((0..seats).map(|seat| one.seats.get(&seat).copied().unwrap_or(0)));
                assert!(most - least <= 1, "{bots} {seats}");
            }
            assert!(whole && met.0 >= meetings.0 && met.1 <= meetings.1, "{bots} {seats}: {met:?}");
        }
    }

    #[test]
    fn a_table_plays_once_or_in_every_seat() {
        for (every_seat_each_deal, matches) in [(false, 280), (true, 1_120)] {
            let field = Field { bots: 28, seats: 4, rounds: 40, every_seat_each_deal };
            let draw = Draw::new(field, None, &names(28), 7, &[]).expect("it can be played");
            let stage = draw.stage(0, &Results::default()).expect("a stage");
            assert_eq!(stage.total(), matches);
            for place in 0..matches {
                assert_eq!(stage.place_of(&stage.pairing(place)), Some(place));
            }
        }
    }

    #[test]
    fn who_is_left_over_plays_at_a_smaller_table_or_pauses() {
        for (bots, fewest, sizes) in [
            (11, Some(2), [4, 4, 3]),
            (11, None, [4, 4, 0]),
            (9, Some(2), [4, 4, 0]),
            (10, Some(3), [4, 4, 0]),
        ] {
            let tables = drawn(&names(bots), (4, 40), fewest, &[]);
            let of_round =
                |round: u64| tables.iter().filter(move |table| table.0 == round).map(|(_, bots)| bots.len());
            for round in 0..40 {
                assert!(of_round(round).eq(sizes.into_iter().filter(|&size| size > 0)), "{bots} {fewest:?}");
            }
            let counts = counts(&tables);
            let (least, most) = ends(counts.values().map(|one| one.tables));
            assert!(most - least <= 1, "{bots}: {least} to {most} tables");
            for seat in 0..3 {
                let (least, most) = ends(counts.values().map(|one| one.seats[&seat]));
                assert!(most - least <= 4, "{bots} {fewest:?}: seat {seat} {least} to {most} times");
            }
            let (least, most) = ends(counts.values().flat_map(|one| one.met.values().copied()));
            assert!(most - least <= 4, "{bots} {fewest:?}: met {least} to {most} times");
        }
    }

    #[test]
    fn rounds_and_bots_that_are_added_leave_the_earlier_tables_where_they_are() {
        let all = names(13);
        let old = &all[..12];
        let short = drawn(old, (4, 10), None, &[]);
        let long = drawn(old, (4, 25), None, &[]);
        assert!(short.iter().all(|table| long.contains(table)));
        let change = |from_round: u64, bots: &[String]| Participants {
            from_round,
            bots: bots.iter().cloned().collect(),
        };
        let joined = drawn(&all, (4, 25), None, &[change(0, old), change(10, &all)]);
        assert!(short.iter().all(|table| joined.contains(table)));
        assert!(
            joined.iter().all(|(round, bots)| *round >= 10 || !bots.contains(&all[12])),
            "from the next round on"
        );
        let even = |tables: &[(u64, Vec<String>)]| {
            let (least, most) = ends(counts(tables).values().map(|one| one.tables));
            assert!(most - least <= 1, "{least} to {most} tables");
        };
        even(&joined);
        // Later rounds leave the extra tables where they are.
        let longer = drawn(&all, (4, 40), None, &[change(0, old), change(10, &all)]);
        assert!(joined.iter().all(|table| longer.contains(table)));
        // A bot leaves, and its tables count for nobody.
        let changes = [change(0, old), change(10, &all), change(25, &all[1..])];
        let left = drawn(&all[1..], (4, 25), None, &changes);
        assert!(left.iter().all(|(_, bots)| !bots.contains(&all[0])));
        assert!(joined.iter().all(|table| table.1.contains(&all[0]) || left.contains(table)));
        even(&left);
        // Changes without a round between them keep each other's extra tables, played or not.
        let mut changes = changes.to_vec();
        let (mut before, mut bots) = (left, all[1..].to_vec());
        for (is_coming, name) in
            [(true, "late"), (true, "later"), (false, "late"), (false, "bot-5"), (true, "bot-5")]
        {
            bots.retain(|bot| bot != name);
            bots.extend(is_coming.then(|| name.to_owned()));
            changes.push(change(25, &bots));
            let now = drawn(&bots, (4, 25), None, &changes);
            let is_kept = |table: &&(u64, Vec<String>)| is_coming || !table.1.contains(&name.to_owned());
            assert!(before.iter().filter(is_kept).all(|table| now.contains(table)), "{name} {is_coming}");
            even(&now);
            before = now;
        }
        let mut changes = vec![change(0, old), change(10, &all), change(25, &all[1..])];
        // It comes back, and its old tables stay away.
        changes.push(change(30, &all));
        let back = drawn(&all, (4, 40), None, &changes);
        assert!(back.iter().all(|(round, bots)| *round >= 30 || !bots.contains(&all[0])));
        even(&back);
    }

    /// A file may ask for more than any computer can draw.
    #[test]
    fn who_needs_too_many_extra_tables_is_refused() {
        let all = names(64);
        let change = |from_round: u64, bots: &[String]| Participants {
            from_round,
            bots: bots.iter().cloned().collect(),
        };
        let field = Field { bots: 64, seats: 63, rounds: 1_000, every_seat_each_deal: false };
        let drawn = Draw::new(field, None, &all, 7, &[change(0, &all[1..]), change(1_000, &all)]);
        assert!(drawn.is_err_and(|error| error.to_string().contains("too many extra tables")));
    }

    #[test]
    fn the_order_of_the_bots_changes_no_table() {
        let mut all = names(9);
        let tables = drawn(&all, (4, 12), Some(2), &[]);
        all.reverse();
        assert_eq!(drawn(&all, (4, 12), Some(2), &[]), tables);
    }
}
