//! Plays a record through the engine: the moves in order, and the faults in their places.
//!
//! This code mirrors the referee and shares no code with it, so the rules alone judge the referee's output.
//! Seats that decide together do not influence each other, so their order does not matter.

use engine::game::{Seat, first_pending, pending};
use engine::wire::{FaultKind, WireFormat};

use super::{Difference, Place};
use referee::record::{FaultMark, MatchRecord, ResultRecord, TurnRecord};

/// A turn of a record.
type TurnOf<G> = TurnRecord<<G as WireFormat>::WireMove>;
/// A callback for the game at the beginning and after every decision, with the new entries of the record.
pub type Watch<'a, G> = dyn FnMut(&G, &[&TurnOf<G>]) + 'a;

/// Plays the record from the beginning of `game` to its end. Returns the result.
///
/// # Errors
/// Returns the first entry that is missing, misplaced, or against the rules.
pub fn walk<G: WireFormat>(
    record: &MatchRecord<G>,
    equipment: &G::Equipment,
    game: G,
    watch: &mut Watch<'_, G>,
) -> Result<ResultRecord, Difference> {
    check_places(record, game.seats())?;
    let out = vec![None; game.seats()];
    let mut walk = Walk { record, equipment, game, out };
    let given: Vec<&TurnOf<G>> = record.given().iter().collect();
    if let Some(turn) = given.iter().find(|turn| turn.fault.is_some()) {
        return Err(walk.wrong(turn.id, turn.seat, "a given move cannot be a fault"));
    }
    let mut given = given.as_slice();
    let mut last: &[_] = &[];
    while !given.is_empty() {
        watch(&walk.game, last);
        (last, given) = walk.decide(given)?;
    }
    let early = start_faults(record, &walk.game);
    let is_early = |turn: &&TurnOf<G>| early.iter().any(|fault| std::ptr::eq(*fault, *turn));
    let rest: Vec<&TurnOf<G>> = record.played().iter().filter(|turn| !is_early(turn)).collect();
    for turn in &early {
        walk.put_out(turn, turn.fault.as_ref().map(|fault| fault.kind));
    }
    watch(&walk.game, &[last, &early].concat());
    let mut rest = rest.as_slice();
    while first_pending(&walk.game).is_some() {
        let (now, later) = walk.decide(rest)?;
        watch(&walk.game, now);
        rest = later;
    }
    match rest.first() {
        None => {
            let outcome = walk.game.outcome();
            match walk.game.failure() {
                None => Ok(ResultRecord::new(outcome, walk.out)),
                Some(_) => Err(walk.wrong(walk.game.decision(), 0, "")),
            }
        }
        Some(turn) => Err(walk.wrong(turn.id, turn.seat, "nobody owes a decision here any more")),
    }
}

/// Returns the faults at the first decision of the bots that happened before it. Faults of a launch or of a start-up
/// are always among them. If a seat failed that the first decision does not ask, all faults at it are among them. The
/// game is that before the first decision.
pub fn start_faults<'a, G: WireFormat>(record: &'a MatchRecord<G>, game: &G) -> Vec<&'a TurnOf<G>> {
    let faults = || record.played().iter().filter_map(|turn| Some((turn, turn.fault.as_ref()?.kind)));
    let first = || faults().filter(|(turn, _)| turn.id == game.decision());
    let over_early = first().any(|(turn, _)| !game.owes(turn.seat));
    let only_early = |kind| matches!(kind, FaultKind::Launch | FaultKind::Startup);
    first().filter(|&(_, kind)| over_early || only_early(kind)).map(|(turn, _)| turn).collect()
}

/// Checks that entries are sorted by turn and seat, without repetition.
fn check_places<G: WireFormat>(record: &MatchRecord<G>, seats: usize) -> Result<(), Difference> {
    let mut before = None;
    for turn in &record.turns {
        let place = (turn.id, turn.seat);
        let wrong = match before {
            _ if turn.seat >= seats => Some(format!("there are only {seats} seats")),
            Some(before) if before == place => Some("this decision stands twice".to_owned()),
            Some(before) if before > place => Some("this decision stands too late in the list".to_owned()),
            _ => None,
        };
        if let Some(what) = wrong {
            return Err(Difference::new(record, Place::turn(record, turn.id, turn.seat), what));
        }
        before = Some(place);
    }
    Ok(())
}

/// The state of a replay.
struct Walk<'a, G: WireFormat> {
    record: &'a MatchRecord<G>,
    equipment: &'a G::Equipment,
    game: G,
    out: Vec<Option<FaultMark>>,
}

/// The entries of one decision, and the remaining entries.
type Parted<'t, 'a, G> = (&'t [&'a TurnOf<G>], &'t [&'a TurnOf<G>]);

impl<'a, G: WireFormat> Walk<'a, G> {
    /// Plays one decision. Exactly the seats that owe a decision must have an entry, but for those that owe none any more
    /// once a seat before them was put out.
    fn decide<'t>(&mut self, turns: &'t [&'a TurnOf<G>]) -> Result<Parted<'t, 'a, G>, Difference> {
        let id = self.game.decision();
        let asked: Vec<Seat> = pending(&self.game).collect();
        let mut number = 0;
        for seat in asked {
            match turns.get(number) {
                Some(turn) if (turn.id, turn.seat) == (id, seat) => {
                    self.take(turn)?;
                    number += 1;
                }
                _ if !self.game.owes(seat) => {}
                Some(turn) if (turn.id, turn.seat) < (id, seat) => {
                    return Err(self.wrong(turn.id, turn.seat, "this seat owes no decision here"));
                }
                _ => return Err(self.wrong(id, seat, "the decision of this seat is missing")),
            }
        }
        Ok(turns.split_at(number))
    }

    fn take(&mut self, turn: &TurnOf<G>) -> Result<(), Difference> {
        let what = match (&turn.wire_move, &turn.fault) {
            (Some(wire_move), None) => return self.play(turn, wire_move),
            (None, Some(fault)) => match fault.kind {
                FaultKind::Launch | FaultKind::Startup => {
                    format!("a fault of kind {} can only stand at the start", fault.kind)
                }
                kind => {
                    self.put_out(turn, Some(kind));
                    return Ok(());
                }
            },
            (Some(_), Some(_)) => "there is a move and a fault, and it can only be one".to_owned(),
            (None, None) => "there is neither a move nor a fault".to_owned(),
        };
        Err(self.wrong(turn.id, turn.seat, what))
    }

    fn play(&mut self, turn: &TurnOf<G>, wire_move: &G::WireMove) -> Result<(), Difference> {
        let action = G::read(self.equipment, wire_move);
        let played = action.and_then(|action| self.game.play(turn.seat, &action).map(|()| action));
        let what = match played {
            Ok(action) if G::write(self.equipment, &action) == *wire_move => return Ok(()),
            Ok(_) => "the move is not in the form in which the engine writes it".to_owned(),
            Err(why) => format!("the move is against the rules: {why}"),
        };
        Err(self.wrong(turn.id, turn.seat, what))
    }

    fn put_out(&mut self, turn: &TurnOf<G>, kind: Option<FaultKind>) {
        self.out[turn.seat] = kind.map(|kind| FaultMark { kind, id: turn.id });
        self.game.withdraw(turn.seat);
    }

    fn wrong(&self, id: u32, seat: Seat, what: impl Into<String>) -> Difference {
        let what = self.game.failure().map_or_else(|| what.into(), |why| format!("the game failed: {why}"));
        Difference::new(self.record, Place::turn(self.record, id, seat), what)
    }
}
