//! A stage: matches that do not wait for each other. Each match follows from its place alone.

use std::ops::Range;

/// One match of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pairing {
    /// The round, from 0. All matches of a round play the same deal. If each match has a deal of its own,
    /// this is the number of the deal, which is the index of the match.
    pub round: u64,
    /// The bot in each seat, by its index among the entrants.
    pub bots: Vec<usize>,
}

/// Tables that all play the same rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The bots of each table, in the order of their seats in the first round. The tables are sorted by
    /// members.
    tables: Vec<Vec<usize>>,
    rounds: Range<u64>,
    every_seat_each_deal: bool,
    /// The index of the first match, if each match has a deal of its own.
    own_deals_from: Option<u64>,
    /// Planned matches after this stage, as far as known.
    pub later: u64,
}

impl Stage {
    /// Creates a stage of these tables on the deals of these rounds. With `every_seat_each_deal`, a table
    /// plays each deal once in every rotation of its seats. Otherwise it plays each deal once, and the
    /// rotation changes with the round. Each bot then has each seat equally often if the number of rounds is
    /// a multiple of the seats.
    pub fn new(mut tables: Vec<Vec<usize>>, rounds: Range<u64>, every_seat_each_deal: bool) -> Stage {
        tables.sort_by_cached_key(|table| members(table));
        Stage { tables, rounds, every_seat_each_deal, own_deals_from: None, later: 0 }
    }

    /// Sets the number of matches planned after this stage.
    #[must_use]
    pub(crate) fn followed_by(self, later: u64) -> Stage {
        Stage { later, ..self }
    }

    /// Gives each match a deal of its own. The number of the deal is `first` plus the match's place.
    #[must_use]
    pub(crate) fn with_own_deals(self, first: u64) -> Stage {
        Stage { own_deals_from: Some(first), ..self }
    }

    /// The number of matches.
    pub fn total(&self) -> u64 {
        (self.rounds.end - self.rounds.start) * self.matches_a_round()
    }

    /// The match at this place, below [`total`](Self::total). Places go round by round, so that a shortened
    /// or extended tournament has whole rounds first.
    pub fn pairing(&self, place: u64) -> Pairing {
        let pairing = self.in_its_round(place);
        Pairing { round: self.own_deals_from.map_or(pairing.round, |first| first + place), ..pairing }
    }

    /// The match at this place with its round, even if each match has a deal of its own.
    pub(crate) fn in_its_round(&self, place: u64) -> Pairing {
        let (round, place) = (place / self.matches_a_round(), place % self.matches_a_round());
        let (table, again) = (place / self.matches_a_table(), place % self.matches_a_table());
        let mut bots = self.tables[table as usize].clone();
        let turn = if self.every_seat_each_deal { again } else { round % bots.len() as u64 };
        bots.rotate_left(turn as usize);
        Pairing { round: self.rounds.start + round, bots }
    }

    /// Returns the place of match `number` in another order: table by table, and the rounds of a table in
    /// sequence. In this order a bot at a table meets a deal once and never again.
    pub(crate) fn place_by_table(&self, number: u64) -> u64 {
        let rounds = self.rounds.end - self.rounds.start;
        number % rounds * self.matches_a_round() + number / rounds
    }

    /// The place of a match, if the stage has it. The inverse of [`pairing`](Self::pairing).
    pub fn place_of(&self, pairing: &Pairing) -> Option<u64> {
        if let Some(first) = self.own_deals_from {
            let place = pairing.round.checked_sub(first).filter(|&place| place < self.total())?;
            return Some(place).filter(|&place| self.pairing(place) == *pairing);
        }
        let wanted = members(&pairing.bots);
        let round = pairing.round.checked_sub(self.rounds.start)?;
        let table = self.tables.binary_search_by(|table| members(table).cmp(&wanted)).ok()? as u64;
        if pairing.round >= self.rounds.end {
            return None;
        }
        let first = round * self.matches_a_round() + table * self.matches_a_table();
        (first..first + self.matches_a_table()).find(|&place| self.pairing(place) == *pairing)
    }

    fn matches_a_table(&self) -> u64 {
        let seats = self.tables.first().map_or(1, Vec::len);
        if self.every_seat_each_deal { seats as u64 } else { 1 }
    }

    fn matches_a_round(&self) -> u64 {
        self.tables.len() as u64 * self.matches_a_table()
    }
}

/// The bots of a table, ascending.
fn members(table: &[usize]) -> Vec<usize> {
    let mut members = table.to_vec();
    members.sort_unstable();
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_found_by_what_it_is() {
        for each in [false, true] {
            let stage = Stage::new(vec![vec![4, 1], vec![0, 3]], 5..8, each);
            for place in 0..stage.total() {
                assert_eq!(stage.place_of(&stage.pairing(place)), Some(place));
            }
            let by_table: Vec<u64> = (0..stage.total()).map(|number| stage.place_by_table(number)).collect();
            let distinct: std::collections::BTreeSet<u64> = by_table.iter().copied().collect();
            assert_eq!(distinct.len() as u64, stage.total());
            let first: Vec<Pairing> = by_table[..3].iter().map(|&place| stage.pairing(place)).collect();
            assert_eq!(first.iter().map(|pairing| pairing.round).collect::<Vec<_>>(), [5, 6, 7]);
            assert!(first.iter().all(|pairing| members(&pairing.bots) == [0, 3]));
            let own = stage.clone().with_own_deals(7);
            for place in 0..own.total() {
                let pairing = own.pairing(place);
                assert_eq!((pairing.round, own.place_of(&pairing)), (7 + place, Some(place)));
                assert_eq!(pairing.bots, stage.pairing(place).bots, "who meets whom stays");
                assert_eq!(own.in_its_round(place), stage.pairing(place));
                assert_eq!(own.place_of(&Pairing { round: pairing.round + 1, ..pairing }), None);
            }
            assert_eq!(own.place_of(&Pairing { round: 6, bots: vec![0, 3] }), None);
            for (round, bots) in [(4, vec![0, 3]), (8, vec![0, 3]), (5, vec![0, 1])] {
                assert_eq!(stage.place_of(&Pairing { round, bots }), None);
            }
            let first = Pairing { round: 5, bots: vec![0, 3] };
            assert_eq!(stage.pairing(0), first, "the seats of the first round are those given");
        }
    }
}
