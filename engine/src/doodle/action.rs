//! A seat's move: a drawing, single cells, or both.

use crate::doodle::cards::CardId;
use crate::shapes::bitboard::Bitboard;

/// A seat's move: at most one drawn patch or piece, and up to two single cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// The drawn patch; `None` for a pass.
    pub draw: Option<Draw>,
    /// The single cells.
    pub singles: Bitboard,
}

/// A card and the cells shaded for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Draw {
    /// The card.
    pub card: CardId,
    /// The cells of the patch in some orientation, or of a piece of it.
    pub cells: Bitboard,
}
