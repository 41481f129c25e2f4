//! Random play to the end of a match: the rollouts of a search, and the yardstick of its speed.

use crate::patchwork::moves::Moves;
use crate::patchwork::position::Position;
use crate::patchwork::table::Table;
use crate::shapes::cpu::with_vectors;

/// What a random game was like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Playout {
    /// Decisions that were made; a leather patch placed is one.
    pub decisions: u32,
    /// Legal moves of all these decisions together.
    pub moves: u32,
}

impl Position {
    /// Plays to the end of the match, each legal move of every decision equally likely: `below` is to
    /// give a random number below its argument, which is not 0.
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
