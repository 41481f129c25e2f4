//! The numbers of moves: one of [`PATCHWORK`](crate::numbers::PATCHWORK) for each.

use crate::numbers::{self, CELL, LAST, Mask};
use crate::patchwork::state::State;
use crate::patchwork::table::Table;
use crate::patchwork::turn::{Action, Phase};
use crate::shapes::cpu::with_vectors;
use crate::shapes::patch::Placements;

impl State {
    /// The [numbers](crate::numbers) of the legal moves; empty when the match is over.
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, patchwork::{Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
    /// let (table, state) = (game.table(), game.state());
    /// for number in state.mask(table).iter() {
    ///     let action = state.action(table, number).expect("a legal move");
    ///     assert_eq!(state.check(table, &action), Ok(()));
    ///     assert_eq!(state.number(table, &action), Some(number));
    /// }
    /// ```
    pub fn mask(&self, table: &Table) -> Mask {
        with_vectors(
            #[inline(always)]
            || self.find_mask(table),
        )
    }

    #[inline(always)]
    fn find_mask(&self, table: &Table) -> Mask {
        let (mut mask, mover) = (Mask::EMPTY, self.mover());
        if self.phase() == Phase::Leather {
            mask.insert_cells(CELL, !mover.board);
        } else if !self.is_over(table) {
            mask.insert(LAST);
            let mut places = Placements::NONE;
            for (slot, id) in self.offer(table).enumerate() {
                let patch = table.patch(id);
                if patch.buttons <= mover.buttons {
                    places.find(patch.shape.whole(), !mover.board);
                    for (shape, corners) in places.sets() {
                        mask.insert_cells(numbers::first_of(slot, shape.turn()), corners);
                    }
                }
            }
        }
        mask
    }

    /// The move with this number; `None` if no move has it here. The move may be illegal: a number is legal if it is in the
    /// [`mask`](Self::mask).
    #[inline(always)]
    pub fn action(&self, table: &Table, number: usize) -> Option<Action> {
        if let Some((slot, turn, corner)) = numbers::shape(number) {
            let patch = self.offer(table).nth(slot)?;
            let cells = table.patch(patch).shape.turned(turn)?.at(corner);
            return Some(Action::Buy { patch, cells });
        }
        if number == LAST { Some(Action::Advance) } else { numbers::cell(number).map(Action::Leather) }
    }

    /// The number of a legal move. `None` if the move has none; an illegal move may have one, too.
    pub fn number(&self, table: &Table, action: &Action) -> Option<usize> {
        match *action {
            Action::Advance => Some(LAST),
            Action::Leather(cell) => Some(numbers::of_cell(cell)),
            Action::Buy { patch, cells } => {
                let slot = self.offer(table).position(|id| id == patch)?;
                numbers::of_patch(slot, &table.patch(patch).shape, cells)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Equipment, Moves, Patchwork};
    use super::*;
    use crate::dealer::Dealer;
    use crate::game::Game;

    #[test]
    fn each_legal_move_has_one_number_and_each_number_of_the_mask_one_move() {
        let equipment = Arc::new(Equipment::standard());
        let mut most = 0;
        for seed in 0..60 {
            let mut chance = Dealer::new(seed, 83);
            let mut game =
                Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, seed).unwrap()).unwrap();
            while let Some(seat) = game.to_move() {
                let (table, state) = (game.table(), game.state());
                let mask = state.mask(table);
                let mut moves: Vec<Action> = Moves::new(table, state).iter().collect();
                let mut numbered: Vec<Action> =
                    mask.iter().map(|number| state.action(table, number).unwrap()).collect();
                assert!(
                    mask.iter().zip(&numbered).all(|(it, action)| state.number(table, action) == Some(it))
                );
                moves.sort_unstable();
                numbered.sort_unstable();
                assert_eq!(moves, numbered);
                most = most.max(mask.len());
                let other = (0..numbers::DOODLE).filter(|&number| !mask.contains(number));
                let is_legal = |action: &Action| state.check(table, action).is_ok();
                assert_eq!(other.filter_map(|it| state.action(table, it)).filter(is_legal).count(), 0);
                let number = mask.nth(chance.below(mask.len())).unwrap();
                let action = state.action(table, number).unwrap();
                game.play(seat, &action).unwrap();
            }
            assert!(game.state().mask(game.table()).is_empty());
        }
        assert!(most > 500, "{most}");
    }
}
