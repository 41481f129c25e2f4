//! Bots that look at their own sheet only play each deal once, alone; tables take their game from there.
//!
//! Where seats do not touch each other, a bot that says so in its greeting would play the same deal in
//! the same way at every table. So it plays it once, as a match of one seat, and a [`GameAlone`]
//! answers for it wherever it sits. `GamesAlone` keeps those games: of late rounds in memory, of
//! earlier ones in the journal, whose records say which seats were filled in this way.

mod seat;

use std::sync::{Mutex, PoisonError};

use engine::game::{Alone, Game, Seat};

use crate::play::MatchPlan;
use crate::record::{MatchRecord, TurnRecord};
use sandbox::Ended;

pub(crate) use seat::SeatAlone;

/// What a bot did when it had a deal for itself.
#[derive(Debug)]
pub struct GameAlone<G: Game> {
    /// Its decisions, in order.
    pub turns: Vec<TurnRecord<G::Word>>,
    /// Why it was played a second time, if it was.
    pub replayed: Option<String>,
    /// The end of its process, until the first match that takes the game from here keeps what is worth
    /// keeping of it.
    ended: Mutex<Option<Ended>>,
}

impl<G: Game> GameAlone<G> {
    /// The game of this record of one seat, whose process ended so.
    pub fn new(record: MatchRecord<G>, ended: Option<Ended>) -> GameAlone<G> {
        GameAlone { turns: record.turns, replayed: record.replayed, ended: Mutex::new(ended) }
    }

    /// The game of a seat in the record of a table.
    pub fn of_seat(record: MatchRecord<G>, seat: Seat) -> GameAlone<G> {
        let turns = record.turns.into_iter().filter(|turn| turn.seat == seat).collect();
        GameAlone { turns, replayed: record.replayed, ended: Mutex::new(None) }
    }

    /// The end of its process, to whoever asks first.
    pub(crate) fn take_ended(&self) -> Option<Ended> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The match in which the bot of a seat has the deal of a table for itself, and the place of its part in
/// the deal; `None` where seats touch each other. It is the same for all tables of the round at which
/// the bot has the same part of the deal; its index is the round's.
pub fn plan_alone<G: Game>(plan: &MatchPlan<G>, seat: Seat) -> Option<(Seat, MatchPlan<G>)> {
    let Alone { place, deal } = G::alone(&plan.equipment, &plan.deal, seat)?;
    let plan = MatchPlan {
        index: plan.round,
        round: plan.round,
        seed: plan.seed,
        bots: vec![plan.bots[seat].clone()],
        equipment: plan.equipment.clone(),
        setup: plan.setup.clone(),
        deal,
        time: plan.time,
    };
    Some((place, plan))
}

/// The record of a seat's game alone, from that of a table which took it from there; for the dialogue
/// that the bot had. `None` where seats touch each other.
pub fn record_alone<G: Game>(
    equipment: &G::Equipment,
    record: &MatchRecord<G>,
    seat: Seat,
) -> Option<MatchRecord<G>> {
    let Alone { deal, .. } = G::alone(equipment, &record.deal, seat)?;
    let mut alone = MatchRecord {
        index: record.round,
        deal,
        alone: Vec::new(),
        off_turn_us: Vec::new(),
        ..record.clone()
    };
    alone.bots = vec![record.bots[seat].clone()];
    alone.turns.retain(|turn| turn.seat == seat);
    alone.turns.iter_mut().for_each(|turn| turn.seat = 0);
    alone.result.scores = vec![record.result.scores[seat]];
    alone.result.ranks = vec![1];
    alone.result.rounds = record.result.rounds.as_ref().map(|rounds| vec![rounds[seat].clone()]);
    alone.result.faults = vec![record.result.faults[seat]];
    Some(alone.sealed())
}
