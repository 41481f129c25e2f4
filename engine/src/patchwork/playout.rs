//! Random play to the end of a match: rollouts for a search, and a measure of the engine's speed.

use crate::patchwork::moves::Moves;
use crate::patchwork::state::State;
use crate::patchwork::table::Table;
use crate::shapes::cpu::with_vectors;

/// The statistics of a random game.
///
/// # Examples
/// ```
/// # use engine::{game::Game, patchwork::{Equipment, Patchwork}};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
/// // Always the first move: seats advance by turns, and place five leather patches.
/// let mut state = *game.state();
/// let playout = state.play_out(game.table(), |_| 0);
/// assert_eq!(playout.decisions, 54 + 5);
/// assert!(playout.moves > playout.decisions);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Playout {
    /// Number of decisions; placing a leather patch is a decision.
    pub decisions: u32,
    /// Number of legal moves, summed over all decisions.
    pub moves: u32,
}

impl State {
    /// Plays to the end of the match with random moves; all legal moves of a decision are equally
    /// likely. `below` returns a random number below its argument, which is never 0; a larger number stands for the last
    /// move.
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, patchwork::{Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
    /// use engine::dealer::Dealer;
    ///
    /// let mut chance = Dealer::new(7, 0);
    /// let mut state = *game.state();
    /// let playout = state.play_out(game.table(), |bound| chance.below(bound));
    /// assert!(state.is_over(game.table()));
    /// assert_eq!((playout.decisions, playout.moves), (48, 2493));
    /// ```
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
            let number = below(moves.count()).min(moves.count() - 1);
            let action = moves.nth(number).expect("below the count");
            self.apply(table, action);
            playout.decisions += 1;
            playout.moves += moves.count();
        }
    }
}
