//! What is to be decided, and a move.

use serde::{Deserialize, Serialize};

use crate::patchwork::equipment::PatchId;
use crate::shapes::bitboard::{Bitboard, Cell};

/// What kind of decision is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Buy a patch, or advance.
    Turn,
    /// Place a leather patch taken from the track.
    Leather,
}

impl Phase {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Phase::Turn => "turn",
            Phase::Leather => "leather",
        }
    }
}

/// A seat's move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Moves the time token to the space in front of the opponent's, for a button a space.
    Advance,
    /// Buys a patch.
    Buy {
        /// The patch, one of the next three.
        patch: PatchId,
        /// The cells it is laid on.
        cells: Bitboard,
    },
    /// Lays a leather patch taken from the track on this cell.
    Leather(Cell),
}
