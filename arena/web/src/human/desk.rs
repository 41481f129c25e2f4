//! The match as a player sees it: what lies there, what can be done, and what the engine says of it.

use std::sync::Arc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use engine::bitboard::Cell;
use engine::cells::{Pair, write_cell};
use engine::game::{Game, Seat};
use serde::Serialize;

use super::choices::{ByHand, Laid};

/// A match that is played by hand, shared by the referee's onlooker and whoever shows it.
#[derive(Debug)]
pub struct Desk<G: Game> {
    /// The components.
    pub equipment: Arc<G::Equipment>,
    /// The seat of the player.
    pub seat: Seat,
    game: Mutex<Option<G>>,
}

/// What the engine says of a move that is thought of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Whether it may be played.
    pub legal: bool,
    /// Why not; empty for a legal one.
    pub why: String,
    /// The cells that may be shaded by themselves beside it.
    pub singles: Vec<Pair>,
}

impl<G: ByHand> Desk<G> {
    /// The desk of this seat, before the match.
    pub fn new(equipment: &Arc<G::Equipment>, seat: Seat) -> Desk<G> {
        Desk { equipment: Arc::clone(equipment), seat, game: Mutex::new(None) }
    }

    /// Lays the match on the desk, as it is after a decision.
    pub fn see(&self, game: &G) {
        *self.lock() = Some(game.clone());
    }

    /// The match as it is; `None` before its beginning.
    pub fn game(&self) -> Option<G> {
        self.lock().clone()
    }

    /// The move on the wire, if the engine takes it.
    ///
    /// # Errors
    /// Why it does not, in words for the player.
    pub fn word(&self, laid: &Laid) -> Result<G::Word, String> {
        let word = G::word(laid)?;
        let action = G::read(&self.equipment, &word).map_err(|why| G::refused(&why))?;
        let mut game = self.game().ok_or("the match has not begun")?;
        game.play(self.seat, &action).map_err(|why| G::refused(&why))?;
        Ok(word)
    }

    /// What the engine says of a move, and what may still be added to it.
    pub fn judge(&self, laid: &Laid) -> Verdict {
        let why = self.word(laid).err();
        let with = |cell: &Pair| {
            let singles = laid.singles.iter().chain([cell]).copied().collect();
            self.word(&Laid { singles, ..laid.clone() }).is_ok()
        };
        let singles = Cell::all().map(write_cell).filter(with).collect();
        Verdict { legal: why.is_none(), why: why.unwrap_or_default(), singles }
    }

    fn lock(&self) -> MutexGuard<'_, Option<G>> {
        // A whole value is put in at once, so it is sound whatever became of who held it.
        self.game.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
