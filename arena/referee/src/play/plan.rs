//! A match before it is played, as one value: its rules, its start, and its seats.

use std::sync::Arc;

use engine::game::{Alone, Seat, Setup};
use engine::wire::WireFormat;

use crate::error::Error;
use crate::play::Watch;
use crate::play::time_control::TimeControl;
use crate::record::{Future, MatchRecord, StartRecord, TurnRecord};
use sandbox::Timing;

/// The mark between the name and the version of a game of a user's own. No game of the arena has it.
pub const VERSION_MARK: char = '@';

/// A match before it is played.
#[derive(Clone, Debug)]
pub struct MatchPlan<G: WireFormat> {
    /// The index of the match in its tournament.
    pub index: u64,
    /// The round. All matches of a round play the same deal.
    pub round: u64,
    /// The seed of the deal. The seeds of the bots are derived from it and their seats.
    pub seed: u64,
    /// The rules and components. Matches share them.
    pub rules: Arc<Rules<G>>,
    /// The position in which the bots take over.
    pub start: Start<G>,
    /// The players, by seat.
    pub seats: Vec<SeatPlan>,
    /// The number of decisions after which the arena ends the match. `None` plays it to its end.
    pub decisions: Option<u32>,
}

/// The rules and components of matches, also in the two forms that messages and records need.
#[derive(Debug)]
pub struct Rules<G: WireFormat> {
    /// The compiled rules and components.
    pub equipment: Arc<G::Equipment>,
    /// The name of the game.
    pub name: String,
    /// True if all seats decide at the same time.
    pub is_simultaneous: bool,
    /// The JSON object with the setup fields of `start` messages.
    pub(super) full: Vec<u8>,
    /// The form for records, which omits standard components and paths.
    pub(super) portable: G::Setup,
}

/// A position as everything that led to it.
#[derive(Clone, Debug)]
pub struct Start<G: WireFormat> {
    /// All chance events of the match, decided in advance.
    pub deal: G::Deal,
    /// The moves that are already made, in the order of a record: by decision, then by seat.
    pub moves: Vec<(Seat, G::WireMove)>,
    /// Where the hidden part of the deal comes from. `None` for a match from its beginning.
    pub future: Option<Future>,
}

/// A game in the position of a start, and the given moves.
pub(super) type Begun<G> = (G, Vec<TurnRecord<<G as WireFormat>::WireMove>>);

/// A player of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatPlan {
    /// The name of the bot.
    pub name: String,
    /// The number of the bot among the copies of the same bot, from 0. See
    /// [`bot_seed`](crate::play::seeds::bot_seed).
    pub copy: u32,
    /// The limits.
    pub time: TimeControl,
    /// How often the bot may answer a turn again after a malformed or illegal answer.
    pub retries: u32,
}

impl SeatPlan {
    /// Returns the seat of the first bot with this name, without retries.
    pub fn new(name: &str, time: TimeControl) -> SeatPlan {
        SeatPlan { name: name.to_owned(), copy: 0, time, retries: 0 }
    }
}

impl<G: WireFormat> Rules<G> {
    /// Returns the rules with this equipment.
    pub fn new(equipment: Arc<G::Equipment>) -> Arc<Rules<G>> {
        let setup = G::setup(&equipment);
        let (name, is_simultaneous) = (G::name(setup).into_owned(), G::is_simultaneous(setup));
        let mut full = Vec::new();
        G::write_setup(setup, &mut full);
        let portable = setup.portable();
        Arc::new(Rules { equipment, name, is_simultaneous, full, portable })
    }

    /// Returns the name of the game without its version, as bots get it.
    pub(super) fn name_alone(&self) -> &str {
        self.name.split(VERSION_MARK).next().unwrap_or(&self.name)
    }
}

impl<G: WireFormat> Start<G> {
    /// Returns the start of a deal, before the first move.
    pub fn of(deal: G::Deal) -> Start<G> {
        Start { deal, moves: Vec::new(), future: None }
    }

    /// Returns the start of a record.
    pub fn of_record(record: &MatchRecord<G>) -> Start<G> {
        let moves = record.given().iter().filter_map(|turn| Some((turn.seat, turn.wire_move.clone()?)));
        let future = record.start.map(|start| start.future);
        Start { deal: record.deal.clone(), moves: moves.collect(), future }
    }

    /// Returns what a record says about the start. Returns `None` for a match from its beginning.
    pub(super) fn record(&self) -> Option<StartRecord> {
        let future = self.future.or((!self.moves.is_empty()).then_some(Future::Recorded))?;
        Some(StartRecord { turns: self.moves.len(), future })
    }

    /// Returns the game in this position.
    ///
    /// # Errors
    /// The deal does not fit the equipment, or the rules forbid one of the moves.
    pub fn begin(&self, equipment: &Arc<G::Equipment>) -> Result<G, Error> {
        self.begin_watched(equipment, &mut |_, _| ()).map(|(game, _)| game)
    }

    /// Returns the place of a seat in the deal, and the start of its game alone, in which its seat is 0. After moves were
    /// made, each seat has a place of its own. Returns `None` if seats affect each other.
    pub fn alone(&self, equipment: &G::Equipment, seat: Seat) -> Option<(Seat, Start<G>)> {
        let Alone { place, deal } = G::alone(equipment, &self.deal, seat)?;
        let own = self.moves.iter().filter(|(of, _)| *of == seat);
        let moves = own.map(|(_, wire_move)| (0, wire_move.clone())).collect();
        let place = if self.moves.is_empty() { place } else { seat };
        Some((place, Start { deal, moves, future: self.future }))
    }

    /// Returns the game in this position, and the moves as a record has them. `watch` sees the beginning and each given
    /// decision; it sees nothing without such moves.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub(super) fn begin_watched(
        &self,
        equipment: &Arc<G::Equipment>,
        watch: &mut Watch<'_, G>,
    ) -> Result<Begun<G>, Error> {
        let mut game = G::new(equipment, &self.deal)?;
        let (mut given, mut shown): (Vec<TurnRecord<G::WireMove>>, usize) = (Vec::new(), 0);
        for (number, &(seat, ref wire_move)) in self.moves.iter().enumerate() {
            let id = game.decision();
            if given.last().is_none_or(|last| last.id != id) {
                watch(&game, &given[shown..]);
                shown = given.len();
            }
            let wrong = |error: &dyn std::fmt::Display| {
                Error::usage(format!("move {number}, of seat {seat} in turn {id}: {error}"))
            };
            if seat >= game.seats() {
                return Err(wrong(&format!("there are {} seats, from 0", game.seats())));
            }
            let action = G::read(equipment, wire_move).map_err(|error| wrong(&error))?;
            game.play(seat, &action).map_err(|error| wrong(&error))?;
            let wire_move = Some(G::write(equipment, &action));
            given.push(TurnRecord { wire_move, ..TurnRecord::new(id, seat, Timing::default()) });
        }
        if !given.is_empty() {
            watch(&game, &given[shown..]);
        }
        Ok((game, given))
    }
}

impl<G: WireFormat> MatchPlan<G> {
    /// Returns the match from this start between these players, with index and round 0.
    pub fn new(rules: &Arc<Rules<G>>, seed: u64, start: Start<G>, seats: Vec<SeatPlan>) -> MatchPlan<G> {
        MatchPlan { index: 0, round: 0, seed, rules: Arc::clone(rules), start, seats, decisions: None }
    }

    /// Returns the match of a seed between these players, with index and round 0.
    ///
    /// # Errors
    /// The game does not allow this number of seats.
    pub fn dealt(rules: &Arc<Rules<G>>, seed: u64, seats: Vec<SeatPlan>) -> Result<MatchPlan<G>, Error> {
        let start = Start::of(G::deal(&rules.equipment, seats.len(), seed)?);
        Ok(MatchPlan::new(rules, seed, start, seats))
    }

    /// Returns the match that plays a record again, with these limits by seat.
    pub fn of_record(record: &MatchRecord<G>, rules: Arc<Rules<G>>, limits: &[TimeControl]) -> MatchPlan<G> {
        let seat = |((seat, name), &time): ((Seat, &String), &TimeControl)| SeatPlan {
            name: name.clone(),
            copy: record.copies.get(seat).copied().unwrap_or_default(),
            time,
            retries: 0,
        };
        let &MatchRecord { index, round, seed, .. } = record;
        let seats = record.bots.iter().enumerate().zip(limits).map(seat).collect();
        MatchPlan { index, round, ..MatchPlan::new(&rules, seed, Start::of_record(record), seats) }
    }

    /// Returns the match in which the bot of a seat plays its part of the deal alone, and the number of the part.
    /// Returns `None` if seats affect each other. All tables of the round at which the bot has the same part get the
    /// same match. The index of the match is the round.
    pub fn alone(&self, seat: Seat) -> Option<(Seat, MatchPlan<G>)> {
        let &MatchPlan { round, seed, ref rules, ref seats, ref start, .. } = self;
        let (place, start) = start.alone(&rules.equipment, seat)?;
        let seats = vec![seats[seat].clone()];
        Some((place, MatchPlan { index: round, round, ..MatchPlan::new(rules, seed, start, seats) }))
    }

    /// Returns the names of the players, by seat.
    pub fn names(&self) -> Vec<String> {
        self.seats.iter().map(|seat| seat.name.clone()).collect()
    }

    /// Returns the limits by seat. Empty if all are the same.
    pub(super) fn limits(&self) -> Vec<TimeControl> {
        match self.seats.windows(2).any(|pair| pair[0].time != pair[1].time) {
            true => self.seats.iter().map(|seat| seat.time).collect(),
            false => Vec::new(),
        }
    }

    /// Returns the number of each bot among its copies, by seat. Empty if all are 0.
    pub(super) fn copies(&self) -> Vec<u32> {
        match self.seats.iter().any(|seat| seat.copy > 0) {
            true => self.seats.iter().map(|seat| seat.copy).collect(),
            false => Vec::new(),
        }
    }
}
