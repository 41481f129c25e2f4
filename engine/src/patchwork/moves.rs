//! The legal moves of a position as sets: listed, counted and numbered without being built.

use super::action::Action;
use super::equipment::PatchId;
use super::position::{OFFER, Position};
use super::table::Table;
use super::view::Phase;
use crate::bitboard::{Bitboard, Cell};
use crate::patch::Orientation;

/// Rotations and reflections a patch has at most.
const ORIENTATIONS_MAX: usize = 8;

/// All ways to lay a patch that can be bought in one orientation.
#[derive(Clone, Copy, Debug)]
pub struct Fits<'t> {
    /// The patch.
    pub patch: PatchId,
    /// The orientation.
    pub orientation: &'t Orientation,
    /// Where the corner of its bounding box can stand.
    pub anchors: Bitboard,
}

impl Fits<'_> {
    /// The purchase with the bounding box's corner at `anchor`, one of the set.
    pub fn buy(&self, anchor: Cell) -> Action {
        Action::Buy { patch: self.patch, cells: self.orientation.at(anchor) }
    }
}

/// The legal moves of a position, in a fixed order: the advance, then the purchases by place in
/// the circle, orientation and anchor; or the cells for a leather patch.
#[derive(Clone, Copy, Debug)]
pub struct Moves<'t> {
    advance: bool,
    leather: Bitboard,
    offer: [Option<(PatchId, &'t [Orientation])>; OFFER],
    anchors: [[Bitboard; ORIENTATIONS_MAX]; OFFER],
}

impl<'t> Moves<'t> {
    /// The legal moves of the seat to move; none when the match is over.
    pub fn new(table: &'t Table, position: &Position) -> Moves<'t> {
        let mut moves = Moves {
            advance: false,
            leather: Bitboard::EMPTY,
            offer: [None; OFFER],
            anchors: [[Bitboard::EMPTY; ORIENTATIONS_MAX]; OFFER],
        };
        match position.phase() {
            Phase::Leather => moves.leather = !position.mover().board,
            Phase::Turn if position.is_over(table) => {}
            Phase::Turn => {
                moves.advance = true;
                moves.find_purchases(table, position);
            }
        }
        moves
    }

    fn find_purchases(&mut self, table: &'t Table, position: &Position) {
        let mover = position.mover();
        let free = !mover.board;
        for (place, id) in position.offer(table).enumerate() {
            let priced = table.patch(id);
            if priced.buttons <= mover.buttons {
                let whole = priced.shape.whole();
                self.offer[place] = Some((id, whole));
                for (anchors, orientation) in self.anchors[place].iter_mut().zip(whole) {
                    *anchors = orientation.fits(free);
                }
            }
        }
    }

    /// Whether the seat may advance.
    pub fn may_advance(&self) -> bool {
        self.advance
    }

    /// The cells a leather patch can be placed on; none where none is to be placed.
    pub fn leather(&self) -> Bitboard {
        self.leather
    }

    /// The purchases: an entry for each orientation of each patch the seat can pay. In some of
    /// them the patch may fit nowhere.
    pub fn fits(self) -> impl Iterator<Item = Fits<'t>> {
        (0..OFFER).flat_map(move |place| {
            let (patch, whole) = self.offer[place].unzip();
            let anchors = self.anchors[place].into_iter();
            let orientations = whole.unwrap_or_default().iter().zip(anchors);
            orientations
                .filter_map(move |(orientation, anchors)| Some(Fits { patch: patch?, orientation, anchors }))
        })
    }

    /// How many moves there are.
    pub fn count(&self) -> u32 {
        let buys: u32 = self.anchors.iter().flatten().map(|fits| fits.len()).sum();
        u32::from(self.advance) + self.leather.len() + buys
    }

    /// The move with this number, from 0, in the order of [`iter`](Self::iter).
    pub fn nth(&self, number: u32) -> Option<Action> {
        if self.advance && number == 0 {
            return Some(Action::Advance);
        }
        let mut number = number - u32::from(self.advance);
        if !self.leather.is_empty() {
            return self.leather.iter().nth(number as usize).map(Action::Leather);
        }
        for fits in self.fits() {
            let len = fits.anchors.len();
            if number < len {
                return fits.anchors.iter().nth(number as usize).map(|anchor| fits.buy(anchor));
            }
            number -= len;
        }
        None
    }

    /// Every move.
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
        listed.sort();
        listed.dedup();
        assert_eq!(moves.count() as usize, listed.len());
    }
}
