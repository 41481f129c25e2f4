//! Random play to the end of a match: rollouts for a search, and a measure of the engine's speed.

use crate::patchwork::moves::Moves;
use crate::patchwork::position::Position;
use crate::patchwork::table::Table;
use crate::shapes::cpu::with_vectors;

/// The statistics of a random game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Playout {
    /// Number of decisions; placing a leather patch is a decision.
    pub decisions: u32,
    /// Number of legal moves, summed over all decisions.
    pub moves: u32,
}

impl Position {
    /// Plays to the end of the match with random moves; all legal moves of a decision are equally
    /// likely. `below` returns a random number below its argument, which is never 0.
    pub fn play_out(&mut self, table: &Table, mut below: impl FnMut(u32) -> u32) -> Playout {
        with_vectors(
            #[inline(always)]
            || self.play_on(table, &mut below),
        )
    }

    #[inline(always)]
    fn play_on(&mut self, table: &Table, below: &mut impl FnMut(u32) -> u32) -> Playout {
        let mut playout = Playout::default();
        let mut moves = Moves::none();
        loop {
            moves.find_inline(table, self);
            if moves.count() == 0 {
                return playout;
            }
            let action = moves.nth(below(moves.count())).expect("below the count");
            self.apply(table, action);
            playout.decisions += 1;
            playout.moves += moves.count();
        }
    }
}
