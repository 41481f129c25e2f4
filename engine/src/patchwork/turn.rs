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
    /// The name on the wire.
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
