//! The match from the view of a player: the position, the player's choices, and the engine's verdict on a
//! move.

use engine::wire::WireFormat;
use std::sync::Arc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::bitboard::Cell;
use engine::cells::{Pair, write_cell};
use engine::game::Seat;
use serde::Serialize;

use super::choices::{Hand, Laid};

/// A match that a person plays. The listener of the referee and the display share it.
#[derive(Debug)]
pub struct PersonView<G: WireFormat> {
    /// The components of the game.
    pub equipment: Arc<G::Equipment>,
    /// The seat of the player.
    pub seat: Seat,
    game: Mutex<Option<G>>,
}

/// The engine's verdict on a move before it is played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// True if the move is legal.
    pub legal: bool,
    /// The reason for refusing the move; empty for a legal move.
    pub why: String,
    /// What the move leads to; empty for an illegal move.
    pub effect: String,
    /// The single cells that the player may still add to the move.
    pub singles: Vec<Pair>,
}

impl<G: Hand> PersonView<G> {
    /// Creates the view of this seat before the match.
    pub fn new(equipment: &Arc<G::Equipment>, seat: Seat) -> PersonView<G> {
        PersonView { equipment: Arc::clone(equipment), seat, game: Mutex::new(None) }
    }

    /// Replaces the position with the one after a decision.
    pub fn see(&self, game: &G) {
        *self.lock() = Some(game.clone());
    }

    /// Returns the current position; `None` before the match begins.
    pub fn game(&self) -> Option<G> {
        self.lock().clone()
    }

    /// Returns the wire format of the move, if the engine accepts it.
    ///
    /// # Errors
    /// Fails with the engine's reason for refusing the move, in words for the player.
    pub fn wire_move(&self, laid: &Laid) -> Result<G::WireMove, String> {
        let wire_move = G::wire_move(laid)?;
        let action = G::read(&self.equipment, &wire_move).map_err(|why| G::refused(&why))?;
        let mut game = self.game().ok_or("the match has not begun")?;
        game.play(self.seat, &action).map_err(|why| G::refused(&why))?;
        Ok(wire_move)
    }

    /// Returns the engine's verdict on a move, and the single cells that may be added to it.
    pub fn judge(&self, laid: &Laid) -> Verdict {
        let why = self.wire_move(laid).err();
        let with = |cell: &Pair| {
            let singles = laid.singles.iter().chain([cell]).copied().collect();
            self.wire_move(&Laid { singles, ..laid.clone() }).is_ok()
        };
        let singles = Cell::all().map(write_cell).filter(with).collect();
        let effect = self.game().filter(|_| why.is_none()).map(|game| game.effect(self.seat, laid));
        let effect = effect.unwrap_or_default();
        Verdict { legal: why.is_none(), why: why.unwrap_or_default(), effect, singles }
    }

    fn lock(&self) -> MutexGuard<'_, Option<G>> {
        // A poisoned lock is harmless, because the value is always replaced as a whole.
        self.game.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
