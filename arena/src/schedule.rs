//! Who meets whom on which deal.

/// One match of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The round, from 0: all matches of a round play the same deal.
    pub round: u64,
    /// The bot in each seat, by its number among the entrants.
    pub bots: Vec<usize>,
}

/// A plan of matches, each found from its index alone.
pub trait Schedule {
    /// Number of matches.
    fn total(&self) -> u64;

    /// The match with this index, below [`total`](Self::total).
    fn pairing(&self, index: u64) -> Pairing;

    /// The index of a match, if the plan has it: the inverse of [`pairing`](Self::pairing).
    fn index_of(&self, pairing: &Pairing) -> Option<u64>;
}

/// Every combination of so many bots meets on every deal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundRobin {
    /// Ascending, as is each of them.
    tables: Vec<Vec<usize>>,
    rounds: u64,
    every_seat_each_deal: bool,
}

/// The most tables of one round: beyond that a schedule does not fit the memory.
const TABLES_MAX: u128 = 2_000_000;
/// The most matches of a schedule: indices are numbers that every language reads exactly.
const MATCHES_MAX: u128 = 1 << 53;

/// Why a round robin would be too large, if it would be.
pub fn too_large(bots: usize, seats: usize, rounds: u64) -> Option<String> {
    let seats = seats as u128;
    let tables = (0..seats).try_fold(1_u128, |tables, chosen| {
        let more = tables.checked_mul((bots as u128).checked_sub(chosen)?)? / (chosen + 1);
        (more <= TABLES_MAX * MATCHES_MAX).then_some(more)
    });
    match tables {
        Some(tables) if tables <= TABLES_MAX && tables * u128::from(rounds) * seats < MATCHES_MAX => None,
        Some(tables) if tables <= TABLES_MAX => {
            Some(format!("{rounds} rounds of {tables} tables are too many matches"))
        }
        _ => Some(format!("{bots} bots at tables of {seats} make more than {TABLES_MAX} tables a round")),
    }
}

impl RoundRobin {
    /// All combinations of `seats` out of `bots` entrants on `rounds` deals. With
    /// `every_seat_each_deal` a combination plays each deal once in every rotation of its seats;
    /// otherwise once, and the rotation changes with the round, so that each bot has each seat
    /// equally often when `rounds` is a multiple of `seats`.
    pub fn new(bots: usize, seats: usize, rounds: u64, every_seat_each_deal: bool) -> RoundRobin {
        RoundRobin { tables: combinations(bots, seats), rounds, every_seat_each_deal }
    }

    fn matches_a_table(&self) -> u64 {
        let seats = self.tables.first().map_or(1, Vec::len);
        if self.every_seat_each_deal { seats as u64 } else { 1 }
    }

    fn matches_a_round(&self) -> u64 {
        self.tables.len() as u64 * self.matches_a_table()
    }
}

impl Schedule for RoundRobin {
    fn total(&self) -> u64 {
        self.rounds * self.matches_a_round()
    }

    fn index_of(&self, pairing: &Pairing) -> Option<u64> {
        let mut table = pairing.bots.clone();
        table.sort_unstable();
        let table = self.tables.binary_search(&table).ok()? as u64;
        let first = pairing.round * self.matches_a_round() + table * self.matches_a_table();
        (first..first + self.matches_a_table())
            .find(|&index| index < self.total() && self.pairing(index) == *pairing)
    }

    /// Round by round, so that a tournament that is cut short or extended has whole rounds first.
    fn pairing(&self, index: u64) -> Pairing {
        let (round, place) = (index / self.matches_a_round(), index % self.matches_a_round());
        let (table, again) = (place / self.matches_a_table(), place % self.matches_a_table());
        let mut bots = self.tables[table as usize].clone();
        let turn = if self.every_seat_each_deal { again } else { round % bots.len() as u64 };
        bots.rotate_left(turn as usize);
        Pairing { round, bots }
    }
}

/// The ways to choose `size` of `0..count`, each ascending, in lexicographic order.
fn combinations(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let mut chosen: Vec<usize> = (0..size).collect();
    if size > count {
        return found;
    }
    loop {
        found.push(chosen.clone());
        let Some(place) = (0..size).rev().find(|&place| chosen[place] < count - size + place) else {
            return found;
        };
        chosen[place] += 1;
        for later in place + 1..size {
            chosen[later] = chosen[later - 1] + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn combinations_are_complete_and_distinct() {
        assert_eq!(combinations(4, 2), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(combinations(3, 3), [[0, 1, 2]]);
        assert_eq!(combinations(2, 1), [[0], [1]]);
        assert_eq!(combinations(10, 4).len(), 210);
        assert!(combinations(1, 2).is_empty());
    }

    #[test]
    fn schedules_beyond_all_bounds_are_refused() {
        assert_eq!(too_large(200, 2, 1_000_000), None);
        assert_eq!(too_large(10, 10, 1), None);
        assert!(too_large(26, 13, 1).is_some());
        assert!(too_large(100, 50, 1).is_some());
        assert!(too_large(2, 2, u64::MAX).is_some());
    }

    #[test]
    fn each_bot_has_each_seat_equally_often_and_all_meet_on_each_deal() {
        for (bots, seats, each) in [(4, 2, false), (5, 3, false), (3, 2, true), (4, 4, false), (3, 1, false)]
        {
            let schedule = RoundRobin::new(bots, seats, 2 * seats as u64, each);
            let mut seatings: BTreeMap<(usize, usize), u64> = BTreeMap::new();
            let mut deals: BTreeMap<(u64, Vec<usize>), u64> = BTreeMap::new();
            for index in 0..schedule.total() {
                let Pairing { round, bots } = schedule.pairing(index);
                bots.iter()
                    .enumerate()
                    .for_each(|place| *seatings.entry((*place.1, place.0)).or_default() += 1);
                let mut table = bots;
                table.sort_unstable();
                *deals.entry((round, table)).or_default() += 1;
            }
            assert_eq!(seatings.len(), bots * seats);
            assert!(seatings.values().all(|&count| count == seatings[&(0, 0)]), "{bots} {seats} {each}");
            let expected = if each { seats as u64 } else { 1 };
            assert!(deals.values().all(|&count| count == expected));
        }
    }

    #[test]
    fn more_rounds_leave_the_earlier_matches_where_they_are() {
        let (short, long) = (RoundRobin::new(4, 2, 3, false), RoundRobin::new(4, 2, 9, false));
        assert!((0..short.total()).all(|index| short.pairing(index) == long.pairing(index)));
    }

    #[test]
    fn a_match_is_found_by_what_it_is() {
        for each in [false, true] {
            let schedule = RoundRobin::new(5, 3, 4, each);
            for index in 0..schedule.total() {
                assert_eq!(schedule.index_of(&schedule.pairing(index)), Some(index));
            }
            let foreign = Pairing { round: 4, bots: vec![0, 1, 2] };
            assert_eq!(schedule.index_of(&foreign), None);
            assert_eq!(schedule.index_of(&Pairing { round: 0, bots: vec![0, 2, 1] }), None);
        }
    }
}
