//! The kinds of decisions, and a move.

use serde::{Deserialize, Serialize};

use crate::patchwork::equipment::PatchId;
use crate::shapes::bitboard::{Bitboard, Cell};

/// The kind of decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The seat buys a patch or advances.
    Turn,
    /// The seat places a leather patch from the track.
    Leather,
}

impl Phase {
    /// The name on the wire: `turn` or `leather`.
    pub fn as_str(self) -> &'static str {
        match self {
            Phase::Turn => "turn",
            Phase::Leather => "leather",
        }
    }
}

/// A seat's move.
///
/// # Examples
/// ```
/// # use engine::{game::Game, patchwork::{Action, Equipment, Patchwork}};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let mut game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
/// let buy = game.legal_actions(0).nth(1).expect("an affordable patch");
/// assert!(matches!(buy, Action::Buy { .. }));
/// game.play(0, &buy)?;
/// assert_eq!(game.play(1, &Action::Advance), Ok(()));
/// # Ok::<(), engine::patchwork::Illegal>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Moves the time token to the space in front of the opponent's token, for one button a space.
    Advance,
    /// Buys a patch.
    Buy {
        /// The patch, one of the next three.
        patch: PatchId,
        /// The cells under the patch.
        cells: Bitboard,
    },
    /// Lays a leather patch from the track on this cell.
    Leather(Cell),
}
