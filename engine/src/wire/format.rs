//! How a game is written on the wire.

use std::borrow::Cow;

use super::scan::Scan;
use crate::game::{Game, Plain, Seat};

/// The wire format of a game: its moves as bots write them, and its values as JSON.
///
/// Only moves need code, in [`read`](WireFormat::read) and [`write`](WireFormat::write). Everything else is
/// written with serde by default. A game may replace a default to save time; the bytes must be the same, which
/// `tests/conformance.rs` checks.
pub trait WireFormat: Game {
    /// A move as written on the wire: parsed but not checked.
    type WireMove: Plain;

    /// The name of the game with these rules, in messages, plans, and records.
    fn name(_setup: &Self::Setup) -> Cow<'_, str> {
        Cow::Borrowed(Self::NAME)
    }

    /// Returns true if all seats decide at the same time with these rules.
    fn is_simultaneous(_setup: &Self::Setup) -> bool {
        Self::SIMULTANEOUS
    }

    /// Appends the JSON object with the fields of the setup in `start` messages.
    fn write_setup(setup: &Self::Setup, line: &mut Vec<u8>) {
        serde_json::to_writer(line, setup).expect("plain data is JSON");
    }

    /// Converts a move from its wire form.
    ///
    /// # Errors
    /// `Illegal` if it names things that do not exist, such as a cell outside the board.
    fn read(equipment: &Self::Equipment, wire_move: &Self::WireMove) -> Result<Self::Action, Self::Illegal>;

    /// Converts a move to its wire form. Each action has exactly one such form.
    fn write(equipment: &Self::Equipment, action: &Self::Action) -> Self::WireMove;

    /// Returns what has failed in the game itself, such as a program that knows its rules. A match that fails does not count,
    /// and no seat is to blame. Asked after every call that may fail.
    fn failure(&self) -> Option<String> {
        None
    }

    /// The board as text for people who look at the match later. `None` if the game writes none, or draws pictures of it.
    ///
    /// # Errors
    /// The game itself failed.
    fn text(&self) -> Result<Option<String>, String> {
        Ok(None)
    }

    /// Returns true if two seats that decide together get the same observation.
    fn sees_like(&self, seat: Seat, other: Seat) -> bool {
        seat == other
    }

    /// Appends the [`observe`](Game::observe) value to a line, as JSON. The bytes are the same as
    /// serde's.
    fn write_state(&self, seat: Seat, line: &mut Vec<u8>) {
        serde_json::to_writer(line, &self.observe(seat)).expect("plain data is JSON");
    }

    /// Parses a move in its usual spelling, in one pass up to the closing brace of the move. Returns
    /// `None` for any other spelling, valid or not; [`read`](Self::read) then parses the move.
    fn read_usual(_equipment: &Self::Equipment, _scan: &mut Scan<'_>) -> Option<Self::Action> {
        None
    }

    /// Appends a move to a line, as JSON. The bytes are the same as serde's.
    fn write_move(wire_move: &Self::WireMove, line: &mut Vec<u8>) {
        serde_json::to_writer(line, wire_move).expect("plain data is JSON");
    }

    /// Appends a deal to a line, as JSON. The bytes are the same as serde's.
    fn write_deal(deal: &Self::Deal, line: &mut Vec<u8>) {
        serde_json::to_writer(line, deal).expect("plain data is JSON");
    }
}
