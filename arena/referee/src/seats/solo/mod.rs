//! Solitary bots play each deal once, alone. All tables of the deal reuse that game.
//!
//! In some games, seats do not affect each other. A bot can declare in its `hello` that it ignores the other
//! seats. It would then play a deal in the same way at every table. The arena plays the deal once, as a match
//! of one seat, and a [`SoloGame`] supplies the answers at all tables. `SoloCache` keeps these games: of
//! recent rounds in memory, of earlier rounds in the journal. The records there list the seats that reused a
//! game.

mod seat;

use engine::wire::WireFormat;
use std::sync::{Mutex, PoisonError};

use engine::game::{Alone, Seat};

use crate::record::{MatchRecord, StartRecord, TurnRecord};
use sandbox::Ended;

pub(crate) use seat::SoloSeat;

/// The decisions of a bot that played a deal alone.
#[derive(Debug)]
pub struct SoloGame<G: WireFormat> {
    /// The decisions, in order.
    pub turns: Vec<TurnRecord<G::WireMove>>,
    /// The reason why the game was replayed, if it was.
    pub replayed: Option<String>,
    /// The end of the process, until the first match that reuses the game takes it.
    ended: Mutex<Option<Ended>>,
}

impl<G: WireFormat> SoloGame<G> {
    /// Creates a game from the record of a match with one seat, and the end of its process.
    pub fn new(record: MatchRecord<G>, ended: Option<Ended>) -> SoloGame<G> {
        SoloGame { turns: record.played().to_vec(), replayed: record.replayed, ended: Mutex::new(ended) }
    }

    /// Creates the game of a seat that is not asked.
    pub fn absent() -> SoloGame<G> {
        SoloGame { turns: Vec::new(), replayed: None, ended: Mutex::new(None) }
    }

    /// Creates a game from one seat's decisions in the record of a table.
    pub fn of_seat(record: MatchRecord<G>, seat: Seat) -> SoloGame<G> {
        let turns = record.played().iter().filter(|turn| turn.seat == seat).cloned().collect();
        SoloGame { turns, replayed: record.replayed, ended: Mutex::new(None) }
    }

    /// Takes the end of the process. Returns `None` on later calls.
    pub(crate) fn take_ended(&self) -> Option<Ended> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Restores the record of a seat's game alone from the record of a table that reused it. The record serves to
/// show the dialogue of the bot. Returns `None` if seats affect each other.
pub fn record_alone<G: WireFormat>(
    equipment: &G::Equipment,
    record: &MatchRecord<G>,
    seat: Seat,
) -> Option<MatchRecord<G>> {
    let Alone { deal, .. } = G::alone(equipment, &record.deal, seat)?;
    let mut alone = MatchRecord {
        index: record.round,
        deal,
        alone: Vec::new(),
        limits: Vec::new(),
        off_turn_us: Vec::new(),
        ..record.clone()
    };
    alone.bots = vec![record.bots[seat].clone()];
    alone.copies = record.copies.get(seat).copied().into_iter().collect();
    let own_given = record.given().iter().filter(|turn| turn.seat == seat).count();
    alone.start = record.start.map(|start| StartRecord { turns: own_given, ..start });
    alone.turns.retain(|turn| turn.seat == seat);
    alone.turns.iter_mut().for_each(|turn| turn.seat = 0);
    alone.result.scores = vec![record.result.scores[seat]];
    alone.result.ranks = vec![1];
    alone.result.rounds = record.result.rounds.as_ref().map(|rounds| vec![rounds[seat].clone()]);
    alone.result.faults = vec![record.result.faults[seat]];
    Some(alone.sealed())
}
