//! All against all.

use super::{Field, Lots, Results, Schedule, Stage};

/// A schedule in which every combination of bots that fills a table meets on every deal.
#[derive(Clone, Debug)]
pub(super) struct RoundRobin {
    pub(super) field: Field,
    pub(super) lots: Lots,
}

impl Schedule for RoundRobin {
    fn stage(&self, number: u64, _results: &Results) -> Option<Stage> {
        let Field { bots, seats, rounds, .. } = self.field;
        let mut tables = if number == 0 { combinations(bots, seats) } else { return None };
        tables.iter_mut().for_each(|table| self.lots.seat(table));
        Some(self.field.stage(tables, 0..rounds))
    }

    fn is_adaptive(&self) -> bool {
        false
    }
}

/// The most tables of one round. More tables do not fit into memory.
const TABLES_MAX: u128 = 2_000_000;
/// The upper limit for the matches of a schedule. Every language reads indices below it exactly.
const MATCHES_MAX: u128 = 1 << 53;

/// Returns the reason if a schedule of all tables of `seats` seats is too large.
pub(super) fn too_large(bots: usize, seats: usize, rounds: u64) -> Option<String> {
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

/// The ways to choose `size` of `0..count`, each ascending, in lexicographic order.
pub(super) fn combinations(count: usize, size: usize) -> Vec<Vec<usize>> {
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
    use super::super::Pairing;
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

    fn stage(bots: usize, seats: usize, rounds: u64, every_seat_each_deal: bool) -> Stage {
        let field = Field { bots, seats, rounds, every_seat_each_deal };
        RoundRobin { field, lots: Lots::default() }.stage(0, &Results::default()).expect("one stage")
    }

    #[test]
    fn each_bot_has_each_seat_equally_often_and_all_meet_on_each_deal() {
        for (bots, seats, each) in [(4, 2, false), (5, 3, false), (3, 2, true), (4, 4, false), (3, 1, false)]
        {
            let schedule = stage(bots, seats, 2 * seats as u64, each);
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
        let (short, long) = (stage(4, 2, 3, false), stage(4, 2, 9, false));
        assert!((0..short.total()).all(|index| short.pairing(index) == long.pairing(index)));
    }

    #[test]
    fn a_match_is_found_by_what_it_is() {
        for each in [false, true] {
            let schedule = stage(5, 3, 4, each);
            for index in 0..schedule.total() {
                assert_eq!(schedule.place_of(&schedule.pairing(index)), Some(index));
            }
            let foreign = Pairing { round: 4, bots: vec![0, 1, 2] };
            assert_eq!(schedule.place_of(&foreign), None);
            assert_eq!(schedule.place_of(&Pairing { round: 0, bots: vec![0, 2, 1] }), None);
        }
    }
}
