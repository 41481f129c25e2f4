//! One bot against all others.

use super::round_robin::combinations;
use super::{Field, Lots, Results, Schedule, Stage};

/// A schedule in which every combination of bots with the challenger meets on every deal.
#[derive(Clone, Debug)]
pub(super) struct Gauntlet {
    pub(super) field: Field,
    /// The index of the bot that meets all others.
    pub(super) challenger: usize,
    pub(super) lots: Lots,
}

impl Schedule for Gauntlet {
    fn stage(&self, number: u64, _results: &Results) -> Option<Stage> {
        let others = combinations(self.field.bots - 1, self.field.seats.max(1) - 1);
        let number_of = |other: usize| if other < self.challenger { other } else { other + 1 };
        let table = |chosen: Vec<usize>| {
            let mut table: Vec<usize> = chosen.into_iter().map(number_of).collect();
            table.insert(table.partition_point(|&bot| bot < self.challenger), self.challenger);
            self.lots.seat(&mut table);
            table
        };
        (number == 0).then(|| self.field.stage(others.into_iter().map(table).collect(), 0..self.field.rounds))
    }

    fn is_adaptive(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(bots: usize, seats: usize, challenger: usize) -> Vec<Vec<usize>> {
        let field = Field { bots, seats, rounds: 1, every_seat_each_deal: false };
        let stage = Gauntlet { field, challenger, lots: Lots::default() }
            .stage(0, &Results::default())
            .expect("one stage");
        (0..stage.total()).map(|place| stage.pairing(place).bots).collect()
    }

    /// Chess engines are tested like this: one engine plays each of its opponents, and the opponents do not
    /// play each other. With n bots there are n - 1 meetings.
    #[test]
    fn a_gauntlet_is_one_against_each_of_the_others() {
        assert_eq!(tables(5, 2, 0), [[0, 1], [0, 2], [0, 3], [0, 4]]);
        assert_eq!(tables(5, 2, 2), [[0, 2], [1, 2], [2, 3], [2, 4]]);
        assert_eq!(tables(4, 3, 1), [[0, 1, 2], [0, 1, 3], [1, 2, 3]]);
        assert_eq!(tables(2, 1, 1), [[1]]);
    }
}
