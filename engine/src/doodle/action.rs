//! A move.

use crate::doodle::cards::CardId;
use crate::shapes::bitboard::Bitboard;

/// A seat's move: at most one drawn patch or piece, and up to two single cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// The patch that is drawn; `None` for a pass.
    pub draw: Option<Draw>,
    /// The single cells.
    pub singles: Bitboard,
}

/// A card and the cells that are shaded for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Draw {
    /// The card.
    pub card: CardId,
    /// The cells: its patch in some orientation, or a piece of it.
    pub cells: Bitboard,
}
