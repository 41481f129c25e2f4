//! Tables drawn anew in each round.

use std::collections::{BTreeMap, BTreeSet};

use engine::dealer::Dealer;
use serde::{Deserialize, Serialize};

use super::{Field, Results, Schedule, Stage, seating};
use referee::error::Error;
use referee::play::seeds::{draw_seed, lot};

/// The deal of the first extra table. All rounds come before it.
pub(crate) const EXTRA: u64 = 1_000_000_000;
/// The random stream of the first round. A knockout has the stream before it.
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
    field: Field,
    fewest_seats: Option<usize>,
    seed: u64,
    /// All bots that ever took part, in the order of their lots, each with its index among the bots of the plan.
    bots: Vec<Option<usize>>,
    /// The first round of each change, and the bots that take part from then on, as places in `bots`.
    changes: Vec<(u64, Vec<usize>)>,
}

/// The tables so far.
struct Tables {
    seats: usize,
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
    /// Creates the schedule among the bots of these names.
    ///
    /// # Errors
    /// The bots that take part do not fit these bots and this number of rounds and seats.
    pub(super) fn new(
        field: Field,
        fewest_seats: Option<usize>,
        names: &[String],
        seed: u64,
        participants: &[Participants],
    ) -> Result<Draw, Error> {
        let whole = [Participants { from_round: 0, bots: names.iter().cloned().collect() }];
        let participants = if participants.is_empty() { &whole } else { participants };
        let is_in_order = participants.is_sorted_by(|one, other| one.from_round < other.from_round);
        let rounds = [participants[0].from_round, participants[participants.len() - 1].from_round];
        let is_now = participants[participants.len() - 1].bots.iter().eq(whole[0].bots.iter());
        let fills = participants.iter().all(|change| change.bots.len() >= field.seats);
        if !is_in_order || rounds[0] != 0 || rounds[1] > field.rounds || !is_now || !fills {
            return Err(Error::usage(
                "the participants of the rounds do not fit the bots and rounds of the plan",
            ));
        }
        let all: BTreeSet<&String> = participants.iter().flat_map(|change| &change.bots).collect();
        let mut all: Vec<&String> = all.into_iter().collect();
        all.sort_by_cached_key(|name| lot(seed, name));
        let place: BTreeMap<&String, usize> = all.iter().copied().zip(0..).collect();
        let places =
            |change: &Participants| change.bots.iter().map(|name| place[name]).collect::<BTreeSet<_>>();
        let changes =
            participants.iter().map(|change| (change.from_round, places(change).into_iter().collect()));
        let index: BTreeMap<&String, usize> = names.iter().zip(0..).collect();
        let bots = all.iter().map(|name| index.get(name).copied()).collect();
        Ok(Draw { field, fewest_seats, seed, bots, changes: changes.collect() })
    }

    /// Returns all tables, each with its round.
    fn tables(&self) -> Vec<(u64, Vec<usize>)> {
        let Field { seats, rounds, .. } = self.field;
        let mut so_far = Tables::new(self.bots.len(), seats);
        let mut extra = EXTRA..;
        for (number, (from, bots)) in self.changes.iter().enumerate() {
            so_far.keep(bots);
            while let Some(table) = so_far.extra(bots) {
                so_far.add(extra.next().expect("rounds do not run out"), table);
                so_far.seat_from(so_far.tables.len() - 1);
            }
            let end = self.changes.get(number + 1).map_or(rounds, |(next, _)| *next);
            // Seats are even after as many rounds as there are seats, even if these rounds are not all played.
            for first in (*from..end).step_by(seats) {
                let begin = so_far.tables.len();
                (first..first + seats as u64).for_each(|round| self.draw(bots, round, &mut so_far));
                so_far.seat_from(begin);
            }
            so_far.tables.retain(|(round, _)| *round < end || *round >= EXTRA);
        }
        let indices = |table: Vec<usize>| table.into_iter().filter_map(|bot| self.bots[bot]).collect();
        so_far.tables.into_iter().map(|(round, table)| (round, indices(table))).collect()
    }

    /// Draws the tables of a round.
    fn draw(&self, bots: &[usize], round: u64, so_far: &mut Tables) {
        let mut chance = Dealer::new(draw_seed(self.seed), FIRST_STREAM + round);
        let (seats, left) = (self.field.seats, bots.len() % self.field.seats);
        let mut bots = bots.to_vec();
        if self.fewest_seats.is_none_or(|fewest| left < fewest) {
            // Bots that have played most pause.
            chance.shuffle(&mut bots);
            bots.sort_by_key(|&bot| so_far.played[bot]);
            bots.truncate(bots.len() - left);
        }
        let cost = |one: usize, other: usize| so_far.met[one][other].pow(2);
        let tables = seating::tables(&bots, seats, &cost, &mut chance);
        tables.into_iter().for_each(|table| so_far.add(round, table));
    }
}

impl Schedule for Draw {
    fn stage(&self, number: u64, _results: &Results) -> Option<Stage> {
        (number == 0).then(|| Stage::drawn(self.tables(), self.field.every_seat_each_deal))
    }

    fn is_adaptive(&self) -> bool {
        false
    }
}

impl Tables {
    fn new(bots: usize, seats: usize) -> Tables {
        let (met, had) = (vec![vec![0; bots]; bots], vec![vec![0; seats]; bots]);
        Tables { seats, tables: Vec::new(), met, played: vec![0; bots], had }
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
        *self = Tables::new(self.played.len(), self.seats);
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

    /// Returns a table of those that have played least, as long as the tables of two bots differ by more than one. A bot
    /// that is at every table is never behind.
    fn extra(&self, bots: &[usize]) -> Option<Vec<usize>> {
        let played = || bots.iter().map(|&bot| self.played[bot]);
        if bots.len() == self.seats || played().max()? - played().min()? < 2 {
            return None;
        }
        let mut table: Vec<usize> = Vec::new();
        while table.len() < self.seats {
            let met = |bot: usize| table.iter().map(|&other| self.met[bot][other].pow(2)).sum::<u64>();
            let others = bots.iter().filter(|bot| !table.contains(bot));
            let next = others.min_by_key(|&&bot| (self.played[bot], met(bot)))?;
            table.push(*next);
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
        draw.tables().into_iter().map(|(round, bots)| (round, named(bots))).collect()
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
        // It comes back, and its old tables stay away.
        let changes = [&changes[..], &[change(30, &all)]].concat();
        let back = drawn(&all, (4, 40), None, &changes);
        assert!(back.iter().all(|(round, bots)| *round >= 30 || !bots.contains(&all[0])));
        even(&back);
    }

    #[test]
    fn the_order_of_the_bots_changes_no_table() {
        let mut all = names(9);
        let tables = drawn(&all, (4, 12), Some(2), &[]);
        all.reverse();
        assert_eq!(drawn(&all, (4, 12), Some(2), &[]), tables);
    }
}
