//! Small positions for tests, built from observations.

use std::sync::Arc;

use crate::game::{Game, Seat};
use crate::patchwork::*;
use crate::shapes::bitboard::{Bitboard, Cell};
use crate::wire::WireFormat;
use crate::wire::name::CardName;

/// A match between two players with empty quilts, for a test to change.
pub(super) struct Scene {
    pub(super) equipment: Arc<Equipment>,
    pub(super) seen: Observation,
}

impl Scene {
    /// Both players have 5 buttons and stand on these spaces. The track has the leather patches ahead
    /// of both.
    pub(super) fn at(spaces: [u8; 2]) -> Scene {
        let equipment = Arc::new(Equipment::standard());
        let deal = Patchwork::deal(&equipment, 2, 1).unwrap();
        let mut seen = Patchwork::new(&equipment, &deal).unwrap().observe(0);
        seen.players[0].space = spaces[0];
        seen.players[1].space = spaces[1];
        seen.leather.retain(|space| *space > spaces[0].max(spaces[1]));
        Scene { equipment, seen }
    }

    pub(super) fn with(mut self, change: impl FnOnce(&mut Observation)) -> Scene {
        change(&mut self.seen);
        self
    }

    /// The match with this seat to move.
    pub(super) fn asks(&self, seat: Seat) -> Patchwork {
        Patchwork::from_observation(&self.equipment, &self.seen, seat).unwrap()
    }

    pub(super) fn refused(&self, seat: Seat) -> BadObservation {
        Patchwork::from_observation(&self.equipment, &self.seen, seat).unwrap_err()
    }
}

pub(super) fn names(ids: &[&str]) -> Vec<CardName> {
    ids.iter().map(|id| id.parse().unwrap()).collect()
}

pub(super) fn all_but(cells: &[(u8, u8)]) -> Bitboard {
    !cells.iter().filter_map(|&(row, col)| Cell::new(row, col)).collect::<Bitboard>()
}

/// Plays a move as written on the wire.
pub(super) fn play(game: &mut Patchwork, wire_move: &str) -> Result<(), Illegal> {
    let wire_move: WireMove = serde_json::from_str(wire_move).unwrap();
    let action = Patchwork::read(game.equipment(), &wire_move)?;
    let seat = game.to_move().ok_or(Illegal::NotAsked)?;
    game.play(seat, &action)
}

/// Plays a move that must be legal.
pub(super) fn plays(game: &mut Patchwork, word: &str) {
    play(game, word).unwrap_or_else(|why| panic!("{word}: {why}"));
}

pub(super) const ADVANCE: &str = r#"{"advance":true}"#;

/// The space and the buttons of a seat.
pub(super) fn purse(game: &Patchwork, seat: Seat) -> (u8, u16) {
    let player = &game.state().players()[seat];
    (player.space, player.buttons)
}
