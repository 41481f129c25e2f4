//! A seat that reuses a game which its bot played alone.

use std::sync::Arc;

use engine::wire::{FaultKind, WireFormat};

use crate::seats::bot::{Answered, Message, SeatAnswer};
use crate::seats::fault::Fault;
use crate::seats::solo::SoloGame;

/// A player that repeats the decisions of a recorded game, in order. It ignores its input.
#[derive(Debug)]
pub(crate) struct SoloSeat<G: WireFormat> {
    game: Arc<SoloGame<G>>,
    /// The number of decisions given so far.
    given: usize,
    is_started: bool,
}

impl<G: WireFormat> SoloSeat<G> {
    /// Creates a seat at the beginning of the game.
    pub(crate) fn new(game: Arc<SoloGame<G>>) -> SoloSeat<G> {
        SoloSeat { game, given: 0, is_started: false }
    }

    /// Returns the recorded game.
    pub(crate) fn game(&self) -> &SoloGame<G> {
        &self.game
    }

    /// Returns the next decision, or `ready` at first.
    ///
    /// # Errors
    /// The fault that ended the recorded game.
    pub(crate) fn answer(&mut self) -> Answered<'_, G::WireMove> {
        if !self.is_started {
            self.is_started = true;
            return Ok(SeatAnswer::at_once(Message::Ready));
        }
        let over = || Fault::new(FaultKind::Exit, "the game that it played alone has no more decisions");
        let turn = self.game.turns.get(self.given).ok_or_else(over)?;
        self.given += 1;
        match (&turn.wire_move, turn.to_fault()) {
            (Some(wire_move), None) => {
                let message = Message::Move { wire_move, remarks: Some(&turn.remarks) };
                Ok(SeatAnswer { message, timing: turn.timing() })
            }
            (_, fault) => Err(fault.unwrap_or_else(over)),
        }
    }
}
