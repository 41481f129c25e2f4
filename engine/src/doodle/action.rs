//! A seat's move: a drawing, single cells, or both.

use crate::doodle::cards::CardId;
use crate::shapes::bitboard::Bitboard;

/// A seat's move: at most one drawn patch or piece, and up to two single cells.
///
/// # Examples
/// ```
/// use engine::bitboard::{Bitboard, Cell};
/// use engine::doodle::Action;
///
/// let pass = Action { draw: None, singles: Bitboard::from_iter(Cell::new(4, 4)) };
/// assert_eq!(pass.singles.len(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action {
    /// The drawn patch; `None` for a pass.
    pub draw: Option<Draw>,
    /// The single cells.
    pub singles: Bitboard,
}

/// A card and the cells shaded for it.
///
/// # Examples
/// ```
/// use engine::bitboard::Bitboard;
/// use engine::doodle::{Draw, Equipment};
///
/// let equipment = Equipment::standard();
/// let card = equipment.find("P09").expect("a standard card"); // a square of 2x2
/// let draw = Draw { card, cells: Bitboard::rectangle(2, 2) };
/// assert_eq!(equipment.patch(draw.card).cuts_needed(draw.cells), Some(0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Draw {
    /// The card.
    pub card: CardId,
    /// The cells of the patch in some orientation, or of a piece of it.
    pub cells: Bitboard,
}
