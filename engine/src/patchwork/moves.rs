//! The legal moves of a state as sets: counted, numbered, and listed without a vector of moves.

use crate::patchwork::equipment::PatchId;
use crate::patchwork::state::{OFFER, State};
use crate::patchwork::table::Table;
use crate::patchwork::turn::Action;
use crate::patchwork::turn::Phase;
use crate::shapes::bitboard::{Bitboard, Cell};
use crate::shapes::cpu::with_vectors;
use crate::shapes::patch::{Orientation, Placements};

/// All placements of one patch on offer in one orientation.
///
/// # Examples
/// ```
/// # use engine::{game::Game, patchwork::{Equipment, Patchwork}};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
/// let moves = game.moves().unwrap();
/// let purchases: u32 = moves.fits().map(|fits| fits.anchors.len()).sum();
/// assert_eq!(1 + purchases, moves.count()); // the other move is the advance
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Fits<'t> {
    /// The patch.
    pub patch: PatchId,
    /// The orientation.
    pub orientation: &'t Orientation,
    /// The places for the corner of its bounding box.
    pub anchors: Bitboard,
}

impl Fits<'_> {
    /// The purchase with the corner of the bounding box at `anchor`, one of `anchors`.
    pub fn buy(&self, anchor: Cell) -> Action {
        Action::Buy { patch: self.patch, cells: self.orientation.at(anchor) }
    }
}

/// The legal moves of a state, in a fixed order: first the advance, then the purchases by place in
/// the circle, orientation, and anchor. In phase `leather` they are the cells for a leather patch.
///
/// A search over many states keeps one value and calls [`find`](Self::find) for each state.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use engine::game::Game;
/// use engine::patchwork::{Action, Equipment, Moves, Patchwork};
///
/// let equipment = Arc::new(Equipment::standard());
/// let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1)?)?;
/// let moves = Moves::new(game.table(), game.state());
/// assert_eq!(moves.nth(0), Some(Action::Advance));
/// assert!(moves.iter().skip(1).all(|action| matches!(action, Action::Buy { .. })));
/// # Ok::<(), engine::game::SetupError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Moves<'t> {
    advance: bool,
    leather: Bitboard,
    /// The patches that the seat can pay for, with their placements; only the first `affordable` are
    /// valid.
    purchases: [(PatchId, Placements<'t>); OFFER],
    affordable: u8,
    /// Number of purchases up to and including each patch. Unused entries are `u32::MAX`.
    ends: [u32; OFFER],
    count: u32,
}

impl<'t> Moves<'t> {
    /// The legal moves of the seat to move; empty when the match is over.
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, patchwork::{Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
    /// use engine::patchwork::Moves;
    ///
    /// let moves = Moves::new(game.table(), game.state());
    /// assert_eq!(moves.count() as usize, moves.iter().count());
    /// ```
    pub fn new(table: &'t Table, state: &State) -> Moves<'t> {
        let mut moves = Moves::none();
        moves.find(table, state);
        moves
    }

    /// An empty set of moves, to be filled by [`find`](Self::find).
    pub fn none() -> Moves<'t> {
        Moves {
            advance: false,
            leather: Bitboard::EMPTY,
            purchases: [(PatchId::FIRST, Placements::NONE); OFFER],
            affordable: 0,
            ends: [u32::MAX; OFFER],
            count: 0,
        }
    }

    /// Replaces the moves by the legal moves of another state.
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, patchwork::{Action, Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
    /// use engine::patchwork::Moves;
    ///
    /// let mut moves = Moves::none();
    /// let mut state = *game.state();
    /// state.apply(game.table(), Action::Advance);
    /// moves.find(game.table(), &state); // the moves of seat 1
    /// assert!(moves.may_advance());
    /// ```
    pub fn find(&mut self, table: &'t Table, state: &State) {
        with_vectors(
            #[inline(always)]
            || self.find_inline(table, state),
        );
    }

    #[inline(always)]
    pub(super) fn find_inline(&mut self, table: &'t Table, state: &State) {
        self.advance = false;
        self.leather = Bitboard::EMPTY;
        self.affordable = 0;
        self.count = 0;
        match state.phase() {
            Phase::Leather => {
                self.leather = !state.mover().board;
                self.count = self.leather.len();
            }
            Phase::Turn if state.is_over(table) => {}
            Phase::Turn => {
                self.advance = true;
                self.count = 1;
                self.lay_affordable(table, state);
            }
        }
    }

    /// Finds the placements of the patches that the seat can pay for.
    #[inline(always)]
    fn lay_affordable(&mut self, table: &'t Table, state: &State) {
        let mover = state.mover();
        let (mut affordable, mut count) = ([PatchId::FIRST; OFFER + 1], 0);
        for id in state.offer(table) {
            // Always written, but counted only if affordable: a branch on random data would be
            // mispredicted.
            affordable[count] = id;
            count += usize::from(table.patch(id).buttons <= mover.buttons);
        }
        self.affordable = count as u8;
        self.ends = [u32::MAX; OFFER];
        let mut end = 0;
        for (place, &id) in affordable[..count].iter().enumerate() {
            let (patch, placements) = &mut self.purchases[place];
            *patch = id;
            placements.find(table.patch(id).shape.whole(), !mover.board);
            end += placements.count();
            self.ends[place] = end;
        }
        self.count += end;
    }

    /// Returns true if the seat may advance; false while it must place a leather patch.
    pub fn may_advance(&self) -> bool {
        self.advance
    }

    /// The cells for a leather patch; empty if the seat has none to place.
    pub fn leather(&self) -> Bitboard {
        self.leather
    }

    /// The purchases: one entry for each orientation of each patch that the seat can pay for. An entry
    /// may have no anchors.
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, patchwork::{Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
    /// let moves = game.moves().unwrap();
    /// let affordable = |fits: engine::patchwork::Fits| equipment.patch(fits.patch).buttons <= 5;
    /// assert!(moves.fits().all(affordable));
    /// ```
    pub fn fits(self) -> impl Iterator<Item = Fits<'t>> {
        let affordable = self.purchases.into_iter().take(self.affordable.into());
        affordable.flat_map(|(patch, placements)| {
            placements.sets().map(move |(orientation, anchors)| Fits { patch, orientation, anchors })
        })
    }

    /// Number of legal moves: the advance, the purchases, and the cells for a leather patch.
    #[inline]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The move at state `number`, from 0, in the order of [`iter`](Self::iter).
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, patchwork::{Action, Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
    /// let moves = game.moves().unwrap();
    /// assert_eq!(moves.nth(0), Some(Action::Advance));
    /// assert_eq!(moves.nth(9), moves.iter().nth(9));
    /// assert_eq!(moves.nth(moves.count()), None);
    /// ```
    #[inline(always)]
    pub fn nth(&self, number: u32) -> Option<Action> {
        if !self.advance {
            return self.leather.nth(number).map(Action::Leather);
        }
        let Some(number) = number.checked_sub(1) else {
            return Some(Action::Advance);
        };
        // The patch is random, so a sum over all patches replaces a branch that would be mispredicted.
        let (mut place, mut before) = (0, 0);
        for end in self.ends {
            let is_behind = number >= end;
            place += usize::from(is_behind);
            before = if is_behind { end } else { before };
        }
        let (patch, placements) = self.purchases.get(place)?;
        placements.nth(number - before).map(|cells| Action::Buy { patch: *patch, cells })
    }

    /// All legal moves as actions, in the order of [`Moves`].
    pub fn iter(self) -> impl Iterator<Item = Action> + use<'t> {
        let advance = self.advance.then_some(Action::Advance);
        let buys = self.fits().flat_map(|fits| fits.anchors.iter().map(move |anchor| fits.buy(anchor)));
        let leather = self.leather.iter().map(Action::Leather);
        advance.into_iter().chain(buys).chain(leather)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Equipment, Patchwork};
    use super::*;
    use crate::game::Game;

    #[test]
    fn moves_are_counted_numbered_and_listed_alike_without_repetition() {
        let equipment = Arc::new(Equipment::standard());
        let deal = Patchwork::deal(&equipment, 2, 5).unwrap();
        let game = Patchwork::new(&equipment, &deal).unwrap();
        let moves = game.moves().unwrap();
        let mut listed: Vec<Action> = moves.iter().collect();
        assert_eq!(listed[0], Action::Advance);
        assert_eq!(moves.count() as usize, listed.len());
        assert!((0..).map_while(|number| moves.nth(number)).eq(listed.iter().copied()));
        listed.sort_unstable();
        listed.dedup();
        assert_eq!(moves.count() as usize, listed.len());
    }
}
