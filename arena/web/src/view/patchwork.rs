//! Patchwork as frames: the circle of patches, the time track, and the quilts.

use std::collections::BTreeMap;

use engine::bitboard::Bitboard;
use engine::game::{Game, Seat};
use engine::patch::ShapeText;
use engine::patchwork::{Action, BONUS_POINTS, Deal, OFFER, Patchwork, Phase, TrackText, WireMove};
use engine::wire::WireFormat;
use engine::wire::name::CardName;
use serde::Serialize;

use super::frames::{Act, Frames, Piece};

/// The constants of a match of patchwork.
#[derive(Debug, Serialize)]
pub struct Parts {
    /// All patches, by id.
    patches: BTreeMap<String, Patch>,
    /// The track with the leather patches of the start.
    track: TrackText,
    /// The number of patches in the circle that a player can buy.
    offer: usize,
    /// The points of the tile for a covered 7x7 square.
    bonus: i32,
}

/// A patch with its price.
#[derive(Debug, Serialize)]
struct Patch {
    /// The shape, as rows of `X` and `.`.
    cells: ShapeText,
    /// The price, in buttons.
    buttons: u32,
    /// The price, in spaces of the track.
    time: u32,
    /// The income at each income mark, in buttons.
    income: u32,
}

/// The table around one decision.
#[derive(Debug, Serialize)]
pub struct Table {
    /// The kind of decision.
    phase: Phase,
    /// The seat of the decision; `None` when the match is over.
    mover: Option<Seat>,
    /// The patches before the decision, clockwise from the neutral token.
    circle: Vec<CardName>,
    /// The spaces that have a leather patch after the decision.
    leather: Vec<u8>,
}

/// The state of a seat apart from its board.
#[derive(Debug, Serialize)]
pub struct Holding {
    /// The buttons of the seat.
    buttons: u16,
    /// The income of the quilt at each income mark, in buttons.
    income: u16,
    /// The space of the time token.
    space: u8,
    /// True if the seat has the 7x7 tile.
    bonus: bool,
}

impl Frames for Patchwork {
    type Parts = Parts;
    type Table = Table;
    type Holding = Holding;

    fn parts(&self) -> Parts {
        let setup = Patchwork::setup(self.equipment());
        let patches = setup.patches.iter().flatten().map(|text| {
            let (cells, buttons, time, income) = (text.cells.clone(), text.buttons, text.time, text.income);
            (text.id.clone(), Patch { cells, buttons, time, income })
        });
        let track = setup.track.clone().expect("the setup of an equipment is in full");
        Parts { patches: patches.collect(), track, offer: OFFER, bonus: BONUS_POINTS }
    }

    fn card_number(parts: &Parts, card: &str) -> Option<usize> {
        parts.patches.keys().position(|known| known == card)
    }

    fn table(&self, _deal: &Deal, after: &Patchwork) -> Table {
        Table {
            phase: self.state().phase(),
            mover: self.to_move(),
            circle: self.state().circle(self.table()).map(|id| self.equipment().name(id)).collect(),
            leather: after.state().leather().collect(),
        }
    }

    fn board(&self, seat: Seat) -> Bitboard {
        self.state().players()[seat].board
    }

    fn scores(&self) -> Vec<i32> {
        self.outcome().scores
    }

    fn holding(&self, seat: Seat, _before: &Patchwork) -> Holding {
        let player = &self.state().players()[seat];
        Holding {
            buttons: player.buttons,
            income: player.income,
            space: player.space,
            bonus: player.has_bonus,
        }
    }

    fn act(&self, wire_move: &WireMove, added: Bitboard) -> Option<Act> {
        let act = match Patchwork::read(self.equipment(), wire_move).ok()? {
            Action::Advance => Act { act: "advance", card: None, pieces: Vec::new() },
            Action::Leather(_) => Act { act: "leather", card: None, pieces: Piece::each(added).collect() },
            Action::Buy { patch, cells } => {
                let card = self.equipment().name(patch);
                Act { act: "buy", card: Some(card), pieces: vec![Piece::of(card, cells)] }
            }
        };
        Some(act)
    }
}
