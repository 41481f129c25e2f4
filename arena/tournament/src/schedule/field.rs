//! The size of a tournament.

use std::ops::Range;

use super::Stage;

/// The size of a tournament, common to all schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The number of bots.
    pub bots: usize,
    /// Seats at a table.
    pub seats: usize,
    /// Planned deals: of the tournament, or of each meeting if bots meet in pairs.
    pub rounds: u64,
    /// True if a table plays every deal in every rotation of its seats.
    pub every_seat_each_deal: bool,
}

impl Field {
    /// Creates a stage of these tables on the deals of these rounds.
    pub(super) fn stage(&self, tables: Vec<Vec<usize>>, rounds: Range<u64>) -> Stage {
        Stage::new(tables, rounds, self.every_seat_each_deal)
    }

    /// The number of matches of two bots on `deals` deals.
    pub(super) fn matches_of_a_pair(&self, deals: u64) -> u64 {
        deals * if self.every_seat_each_deal { 2 } else { 1 }
    }
}
