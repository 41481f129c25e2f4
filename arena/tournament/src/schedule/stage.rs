//! A stage: matches that do not wait for each other. Each match follows from its place alone.

use std::ops::Range;
use std::sync::Arc;

use referee::play::seeds::{own_deal, round_of_own_deal, table_number};

/// One match of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pairing {
    /// The round, from 0. All matches of a round play the same deal. If each match has a deal of its own,
    /// this is the number of the deal.
    pub round: u64,
    /// The bot in each seat, by its index among the entrants.
    pub bots: Vec<usize>,
}

/// The order in which the matches of a stage begin. It changes no result.
pub(crate) enum Order {
    /// Round by round.
    Rounds,
    /// Table by table, and the rounds of a table in sequence. In this order a bot at a table meets a deal
    /// once and never again.
    Tables,
    /// Round by round, and the tables of each round in this order.
    Permuted(Vec<u32>),
}

/// The deals of the matches of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Deals {
    /// All tables of a round play one deal.
    OfRounds,
    /// Each match has a deal of its own, with the number of the match. The first match has this number.
    ByIndex(u64),
    /// Each match has a deal of its own. It follows from its round, and from the seed and the names of its bots; see
    /// [`own_deal`].
    ByTable { seed: u64, names: Arc<[String]> },
}

/// A table of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Table {
    /// Its round, counted from the beginning of the cycle.
    round: u64,
    /// The place of its first match in the cycle.
    first: u64,
    /// Its bots, in the order of their seats in the first cycle.
    bots: Vec<usize>,
    /// Its number for own deals, 0 without them.
    number: u64,
}

/// Tables with their rounds. The same tables play in each cycle, with their seats rotated by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The tables of a cycle, sorted by round and members.
    tables: Vec<Table>,
    /// The matches of a cycle.
    matches: u64,
    /// The rounds of a cycle.
    rounds: u64,
    cycles: u64,
    first_round: u64,
    every_seat_each_deal: bool,
    deals: Deals,
    /// Planned matches after this stage, as far as known.
    pub later: u64,
}

impl Stage {
    /// Creates a stage of these tables on the deals of these rounds. With `every_seat_each_deal`, a table
    /// plays each deal once in every rotation of its seats. Otherwise it plays each deal once, and the
    /// rotation changes with the round. Each bot then has each seat equally often if the number of rounds is
    /// a multiple of the seats.
    pub fn new(tables: Vec<Vec<usize>>, rounds: Range<u64>, every_seat_each_deal: bool) -> Stage {
        let (first_round, cycles) = (rounds.start, rounds.end - rounds.start);
        let tables = tables.into_iter().map(|bots| (0, bots)).collect();
        Stage { first_round, rounds: 1, cycles, ..Stage::drawn(tables, every_seat_each_deal) }
    }

    /// Creates a stage of tables that each have a round of their own, with the seats as given.
    pub(super) fn drawn(tables: Vec<(u64, Vec<usize>)>, every_seat_each_deal: bool) -> Stage {
        let mut matches = 0;
        let table = |(round, bots): (u64, Vec<usize>)| Table { round, first: 0, bots, number: 0 };
        let mut tables: Vec<Table> = tables.into_iter().map(table).collect();
        tables.sort_by_cached_key(|table| (table.round, members(&table.bots)));
        for table in &mut tables {
            table.first = matches;
            matches += if every_seat_each_deal { table.bots.len() as u64 } else { 1 };
        }
        let (rounds, deals) = (u64::MAX, Deals::OfRounds);
        Stage { tables, matches, rounds, cycles: 1, first_round: 0, every_seat_each_deal, deals, later: 0 }
    }

    /// The bots of each table of a cycle.
    pub(super) fn tables(&self) -> impl Iterator<Item = &[usize]> {
        self.tables.iter().map(|table| table.bots.as_slice())
    }

    /// Sets the number of matches planned after this stage.
    #[must_use]
    pub(crate) fn followed_by(self, later: u64) -> Stage {
        Stage { later, ..self }
    }

    /// Gives each match a deal of its own. The number of the deal is `first` plus the match's place.
    #[must_use]
    pub(crate) fn with_deals_by_index(self, first: u64) -> Stage {
        Stage { deals: Deals::ByIndex(first), ..self }
    }

    /// Gives each match a deal of its own, which follows from the names of its bots. Other bots and rounds change none.
    #[must_use]
    pub(crate) fn with_deals_by_table(mut self, seed: u64, names: &Arc<[String]>) -> Stage {
        for table in &mut self.tables {
            table.number = table_number(seed, table.bots.iter().map(|&bot| &names[bot]));
        }
        Stage { deals: Deals::ByTable { seed, names: Arc::clone(names) }, ..self }
    }

    /// The number of matches.
    pub fn total(&self) -> u64 {
        self.cycles * self.matches
    }

    /// The match at this place, below [`total`](Self::total). Places go round by round, so that a shortened
    /// or extended tournament has whole rounds first.
    pub fn pairing(&self, place: u64) -> Pairing {
        let pairing = self.in_its_round(place);
        let round = match &self.deals {
            Deals::OfRounds => pairing.round,
            Deals::ByIndex(first) => first + place,
            Deals::ByTable { .. } => {
                let table = self.table_at(place);
                let again = place % self.matches - table.first;
                own_deal(table.number, pairing.round * self.matches_of(table) + again)
            }
        };
        Pairing { round, ..pairing }
    }

    /// The match at this place with its round, even if each match has a deal of its own.
    pub(crate) fn in_its_round(&self, place: u64) -> Pairing {
        let (cycle, table) = (place / self.matches, self.table_at(place));
        let mut bots = table.bots.clone();
        let turn = match self.every_seat_each_deal {
            true => place % self.matches - table.first,
            false => cycle % bots.len() as u64,
        };
        bots.rotate_left(turn as usize);
        Pairing { round: self.first_round + cycle * self.rounds + table.round, bots }
    }

    /// The table of the match at this place.
    fn table_at(&self, place: u64) -> &Table {
        let place = place % self.matches;
        &self.tables[self.tables.partition_point(|table| table.first <= place) - 1]
    }

    /// Returns the place of the match that begins as number `number`, from 0.
    pub(crate) fn place_in(&self, order: &Order, number: u64) -> u64 {
        match order {
            Order::Rounds => number,
            Order::Tables => number % self.cycles * self.matches + number / self.cycles,
            Order::Permuted(tables) => {
                let in_table = self.matches / self.tables.len() as u64;
                let table = tables[(number % self.matches / in_table) as usize];
                number / self.matches * self.matches + u64::from(table) * in_table + number % in_table
            }
        }
    }

    /// Returns an order that rarely needs a bot other than the `kept` most recent ones: one block of bots
    /// plays one bot after another. Workers share its matches, so a quarter of the `kept` is spare. Tables that are drawn
    /// stay in the order of their rounds, because none of them comes again.
    pub(crate) fn order_in_blocks(&self, kept: usize) -> Order {
        if self.rounds > 1 {
            return Order::Rounds;
        }
        let others = self.tables.first().map_or(1, |table| table.bots.len().max(2) - 1);
        let block = (kept * 3 / 4 / others).max(1);
        let mut order: Vec<u32> = (0..).take(self.tables.len()).collect();
        order.sort_by_cached_key(|&table| {
            let members = members(&self.tables[table as usize].bots);
            let blocks: Vec<usize> = members.iter().take(others).map(|bot| bot / block).collect();
            (blocks, members.into_iter().rev().collect::<Vec<usize>>())
        });
        Order::Permuted(order)
    }

    /// The place of a match, if the stage has it. The inverse of [`pairing`](Self::pairing).
    pub fn place_of(&self, pairing: &Pairing) -> Option<u64> {
        let is_it = |place: &u64| *place < self.total() && self.pairing(*place) == *pairing;
        if let Deals::ByIndex(first) = self.deals {
            return pairing.round.checked_sub(first).filter(is_it);
        }
        let wanted = members(&pairing.bots);
        let round = match &self.deals {
            Deals::ByTable { seed, names } => {
                let number =
                    table_number(*seed, wanted.iter().map(|&bot| names.get(bot).map_or("", String::as_str)));
                round_of_own_deal(number, pairing.round) / self.matches_of_seats(wanted.len())
            }
            _ => pairing.round,
        };
        let round = round.checked_sub(self.first_round)?;
        let cycle = Some(round / self.rounds).filter(|&cycle| cycle < self.cycles)?;
        let key = (round % self.rounds, &wanted);
        let found = self.tables.binary_search_by(|table| (table.round, &members(&table.bots)).cmp(&key));
        let table = &self.tables[found.ok()?];
        let first = cycle * self.matches + table.first;
        (first..first + self.matches_of(table)).find(is_it)
    }

    /// The matches of a table in its round.
    fn matches_of(&self, table: &Table) -> u64 {
        self.matches_of_seats(table.bots.len())
    }

    fn matches_of_seats(&self, seats: usize) -> u64 {
        if self.every_seat_each_deal { seats.max(1) as u64 } else { 1 }
    }
}

/// The bots of a table, ascending.
pub(super) fn members(table: &[usize]) -> Vec<usize> {
    let mut members = table.to_vec();
    members.sort_unstable();
    members
}

#[cfg(test)]
mod tests {
    use super::super::round_robin::combinations;
    use super::*;
    use std::collections::{BTreeSet, VecDeque};

    #[test]
    fn a_match_is_found_by_what_it_is() {
        for each in [false, true] {
            let stage = Stage::new(vec![vec![4, 1], vec![0, 3]], 5..8, each);
            for place in 0..stage.total() {
                assert_eq!(stage.place_of(&stage.pairing(place)), Some(place));
            }
            let own = stage.clone().with_deals_by_index(7);
            for place in 0..own.total() {
                let pairing = own.pairing(place);
                assert_eq!((pairing.round, own.place_of(&pairing)), (7 + place, Some(place)));
                assert_eq!(pairing.bots, stage.pairing(place).bots, "who meets whom stays");
                assert_eq!(own.in_its_round(place), stage.pairing(place));
                assert_eq!(own.place_of(&Pairing { round: pairing.round + 1, ..pairing }), None);
            }
            assert_eq!(own.place_of(&Pairing { round: 6, bots: vec![0, 3] }), None);
            let names: Arc<[String]> = ["a", "b", "c", "d", "e"].map(str::to_owned).into();
            let by_table = stage.clone().with_deals_by_table(1, &names);
            for place in 0..by_table.total() {
                let pairing = by_table.pairing(place);
                assert_eq!(by_table.place_of(&pairing), Some(place));
                assert_eq!(pairing.bots, stage.pairing(place).bots, "who meets whom stays");
                assert_eq!(by_table.place_of(&Pairing { round: pairing.round + 1, ..pairing }), None);
            }
            let drawn = vec![(0, vec![3, 0]), (0, vec![1, 4]), (1, vec![0, 3]), (7, vec![2, 0, 4])];
            let drawn = Stage::drawn(drawn, each).with_deals_by_table(1, &names);
            let deals: BTreeSet<u64> = (0..drawn.total()).map(|place| drawn.pairing(place).round).collect();
            assert_eq!(deals.len() as u64, drawn.total(), "the same table has other deals in other rounds");
            for place in 0..drawn.total() {
                assert_eq!(drawn.place_of(&drawn.pairing(place)), Some(place));
            }
            let more = Stage::new(vec![vec![0, 2], vec![0, 3], vec![4, 1]], 5..9, each);
            let more = more.with_deals_by_table(1, &names);
            let kept = (0..by_table.total()).map(|place| more.place_of(&by_table.pairing(place)));
            assert_eq!(
                kept.flatten().count() as u64,
                by_table.total(),
                "other bots and rounds change no deal"
            );
            for (round, bots) in [(4, vec![0, 3]), (8, vec![0, 3]), (5, vec![0, 1])] {
                assert_eq!(stage.place_of(&Pairing { round, bots }), None);
            }
            let first = Pairing { round: 5, bots: vec![0, 3] };
            assert_eq!(stage.pairing(0), first, "the seats of the first round are those given");
        }
    }

    /// Returns the pairings of a stage in this order, and checks that it has each match once.
    fn ordered(stage: &Stage, order: &Order) -> Vec<Pairing> {
        let places: Vec<u64> = (0..stage.total()).map(|number| stage.place_in(order, number)).collect();
        let distinct: BTreeSet<u64> = places.iter().copied().collect();
        assert_eq!((distinct.len() as u64, distinct.last()), (stage.total(), Some(&(stage.total() - 1))));
        places.into_iter().map(|place| stage.pairing(place)).collect()
    }

    #[test]
    fn every_order_has_each_match_once() {
        for each in [false, true] {
            let stage = Stage::new(combinations(7, 3), 5..8, each);
            let by_table = ordered(&stage, &Order::Tables);
            assert_eq!([0, 1, 2].map(|number| by_table[number].round), [5, 6, 7]);
            assert!(by_table[..3].iter().all(|pairing| members(&pairing.bots) == [0, 1, 2]));
            assert_eq!(ordered(&stage, &Order::Rounds)[1], stage.pairing(1));
            let in_blocks = ordered(&stage, &stage.order_in_blocks(6));
            assert!(in_blocks.is_sorted_by_key(|pairing| pairing.round), "whole rounds come first");
        }
    }

    /// Plays 200 bots with a pool that forgets the bot that has waited longest.
    #[test]
    fn in_blocks_few_bots_are_missing_from_a_pool() {
        let stage = Stage::new(combinations(200, 2), 0..2, false);
        let missing = |order: &Order| {
            let (mut pool, mut missing) = (VecDeque::new(), 0);
            for bot in ordered(&stage, order).into_iter().flat_map(|pairing| pairing.bots) {
                let place = pool.iter().position(|&other| other == bot);
                missing += usize::from(place.and_then(|place| pool.remove(place)).is_none());
                pool.push_back(bot);
                pool.drain(..pool.len().saturating_sub(64));
            }
            missing
        };
        assert!(missing(&stage.order_in_blocks(64)) < 2 * 3 * 200, "a few a bot");
        assert!(missing(&Order::Rounds) > 30_000, "nearly one a match");
    }
}
