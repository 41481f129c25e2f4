//! The match: its timeline, the sheets, and the turn that all seats share.

use std::sync::Arc;

use crate::doodle::action::Action;
use crate::doodle::cards::{CardId, DoodleSetup, Equipment, StartCards};
use crate::doodle::deal::{CIRCLE, Deal, ROUND_TURNS, TURNS, Timeline, Turn};
use crate::doodle::illegal::Illegal;
use crate::doodle::moves::{self, Moves};
use crate::doodle::seat_turn::{BadObservation, SeatTurn};
use crate::doodle::sheet::{ROUNDS, Sheet};
use crate::doodle::state::{State, Table};
use crate::doodle::view::{Observation, PlayerView, WireMove};
use crate::game::{Alone, Game, Outcome, Seat, SetupError, first_pending, ranks, turn_name};
use crate::wire::scan::Scan;
use crate::wire::{WireFormat, json};

/// A match of Patchwork Doodle in progress.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use engine::doodle::{Doodle, Equipment};
/// use engine::game::Game;
///
/// let equipment = Arc::new(Equipment::standard());
/// let mut game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7)?)?;
/// for seat in 0..2 {
///     let action = game.legal_actions(seat).next().expect("the seat owes an action");
///     game.play(seat, &action).expect("a listed action is legal");
/// }
/// assert_eq!(game.decision(), 1); // both seats have decided
/// assert!(!game.sheet(0).board.is_empty());
/// # Ok::<(), engine::game::SetupError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Doodle {
    equipment: Arc<Equipment>,
    timeline: Arc<Timeline>,
    /// Number of decisions made; the match is over at [`TURNS`].
    turn: usize,
    seats: Vec<SeatState>,
}

/// One seat's public sheet, and its sheet after the turn once the seat has chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SeatState {
    sheet: Sheet,
    chosen: Option<Sheet>,
    withdrawn: bool,
}

impl Doodle {
    /// The table in this turn; `None` when the match is over.
    pub fn current_turn(&self) -> Option<&Turn> {
        self.timeline.turns.get(self.turn)
    }

    /// A seat's sheet at the beginning of the turn; an empty one if the seat does not exist.
    pub fn sheet(&self, seat: Seat) -> &Sheet {
        self.seats.get(seat).map_or(&Sheet::NEW, |state| &state.sheet)
    }

    /// The cards and rules of the match.
    pub fn equipment(&self) -> &Arc<Equipment> {
        &self.equipment
    }

    /// The seat's decision; `None` if it owes no action.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// assert!(game.moves(0).is_some());
    /// let mut game = game;
    /// let action = game.legal_actions(0).next().unwrap();
    /// game.play(0, &action).unwrap();
    /// assert!(game.moves(0).is_none()); // seat 1 has not decided yet
    /// ```
    pub fn moves(&self, seat: Seat) -> Option<Moves<'_>> {
        if !self.owes(seat) {
            return None;
        }
        State { sheet: *self.sheet(seat), turn: self.turn as u8 }.moves(self.table(seat))
    }

    /// Returns the match with another future: other cards that nobody has seen, and other rolls. All that seats can see now
    /// stays. The future depends on `seed` and on what is public; everything that is possible is equally likely.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// let other = game.redealt(1);
    /// assert_eq!(other.observe(0), game.observe(0));
    /// assert_ne!(other.table(0).timeline.turns[1].circle, game.redealt(2).table(0).timeline.turns[1].circle);
    /// ```
    #[must_use]
    pub fn redealt(&self, seed: u64) -> Doodle {
        let timeline = Arc::new(self.timeline.redealt(&self.equipment, self.turn, seed));
        Doodle { timeline, ..self.clone() }
    }

    /// Restores the match of `seat` alone from what it observes when it must decide, with a random future. The seat is seat 0
    /// of the new match. Decisions are numbered as in the original.
    ///
    /// # Errors
    /// [`BadObservation`] with the first contradiction.
    ///
    /// # Examples
    /// ```
    /// # use engine::{doodle::{Doodle, Equipment}, game::Game};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
    /// let alone = Doodle::from_observation(&equipment, &game.observe(1), 1, 5)?;
    /// assert_eq!((alone.seats(), alone.decision()), (1, game.decision()));
    /// assert!(alone.legal_actions(0).eq(game.legal_actions(1)));
    /// # Ok::<(), engine::doodle::BadObservation>(())
    /// ```
    pub fn from_observation(
        equipment: &Arc<Equipment>,
        seen: &Observation,
        seat: Seat,
        seed: u64,
    ) -> Result<Doodle, BadObservation> {
        let SeatTurn { phase, round, turn, circle, offer, unseen, sheet } =
            SeatTurn::from_observation(equipment, seen, seat)?;
        let number = ROUND_TURNS * (usize::from(round) - 1) + usize::from(turn);
        check_future(equipment, number, &circle, &unseen)?;
        // Earlier turns are never looked at again.
        let now = Turn { phase, round, turn, circle, unseen: equipment.sorted(&unseen) };
        let seen = Timeline { starts: offer, turns: vec![now; number + 1] };
        let timeline = Arc::new(seen.redealt(equipment, number, seed));
        let seats = vec![SeatState { sheet, chosen: None, withdrawn: false }];
        Ok(Doodle { equipment: Arc::clone(equipment), timeline, turn: number, seats })
    }

    /// The constant data for a search from this seat. It includes the whole deal.
    pub fn table(&self, seat: Seat) -> Table<'_> {
        Table { equipment: &self.equipment, timeline: &self.timeline, seat }
    }

    /// Ends the turn when no seat owes an action; if all seats are withdrawn, ends all remaining turns.
    fn settle(&mut self) {
        while self.turn < TURNS && first_pending(self).is_none() {
            let timeline = &self.timeline;
            for seat in &mut self.seats {
                let mut state =
                    State { sheet: seat.chosen.take().unwrap_or(seat.sheet), turn: self.turn as u8 };
                state.end_turn(timeline);
                seat.sheet = state.sheet;
            }
            self.turn += 1;
        }
    }

    /// Number of rounds scored so far.
    fn rounds_scored(&self) -> usize {
        (self.turn.saturating_sub(1) / 6).min(ROUNDS)
    }
}

/// Checks that the cards of turn `number` suffice for the rest of the match.
fn check_future(
    equipment: &Equipment,
    number: usize,
    circle: &[CardId],
    unseen: &[CardId],
) -> Result<(), BadObservation> {
    let (round, turn) = (number.saturating_sub(1) / ROUND_TURNS, number.saturating_sub(1) % ROUND_TURNS);
    let mut all = [circle, unseen].concat();
    all.sort_unstable();
    let is_known = all.windows(2).all(|pair| pair[0] != pair[1]);
    let is_sound = is_known && !all.iter().any(|&card| equipment.is_start(card));
    match is_sound && circle.len() == CIRCLE - turn && unseen.len() >= ROUND_TURNS * (ROUNDS - 1 - round) {
        true => Ok(()),
        false => Err(BadObservation::Future { circle: circle.len(), unseen: unseen.len() }),
    }
}

impl Game for Doodle {
    type Setup = DoodleSetup;
    type Equipment = Equipment;
    type Deal = Deal;
    type Observation = Observation;
    type Action = Action;
    type Illegal = Illegal;

    const NAME: &'static str = "doodle";
    const SIMULTANEOUS: bool = true;

    fn equip(setup: &DoodleSetup) -> Result<Equipment, SetupError> {
        Equipment::new(setup)
    }

    fn setup(equipment: &Equipment) -> &DoodleSetup {
        equipment.setup()
    }

    fn deal(equipment: &Equipment, seats: usize, seed: u64) -> Result<Deal, SetupError> {
        Deal::new(equipment, seats, seed)
    }

    /// The part of a seat is its start card. Sheets do not affect each other, and all seats share the
    /// rest.
    fn alone(equipment: &Equipment, deal: &Deal, seat: Seat) -> Option<Alone<Deal>> {
        let place = match equipment.rules().start_cards {
            StartCards::Dealt => seat,
            StartCards::Shared => 0,
        };
        Some(Alone { place, deal: Deal { starts: vec![*deal.starts.get(seat)?], ..deal.clone() } })
    }

    fn revealed(deal: &Deal, decision: u32) -> Deal {
        deal.revealed(decision)
    }

    fn redeal(equipment: &Equipment, revealed: &Deal, seed: u64) -> Deal {
        revealed.completed(equipment, seed)
    }

    fn new(equipment: &Arc<Equipment>, deal: &Deal) -> Result<Doodle, SetupError> {
        let timeline = Arc::new(Timeline::new(equipment, deal)?);
        let seat = SeatState { sheet: Sheet::NEW, chosen: None, withdrawn: false };
        let seats = vec![seat; deal.starts.len()];
        Ok(Doodle { equipment: Arc::clone(equipment), timeline, turn: 0, seats })
    }

    fn seats(&self) -> usize {
        self.seats.len()
    }

    /// Names the round too. The first decision is about the start cards.
    fn turn_name(id: u32) -> String {
        let place = match id.checked_sub(1) {
            None => "start patches".to_owned(),
            Some(id) => {
                format!("round {}, turn {}", id / ROUND_TURNS as u32 + 1, id % ROUND_TURNS as u32 + 1)
            }
        };
        format!("{} ({place})", turn_name(id))
    }

    fn decision(&self) -> u32 {
        self.turn as u32
    }

    fn owes(&self, seat: Seat) -> bool {
        let is_free = |state: &SeatState| !state.withdrawn && state.chosen.is_none();
        self.turn < TURNS && self.seats.get(seat).is_some_and(is_free)
    }

    fn observe(&self, seat: Seat) -> Observation {
        let number = self.turn.min(TURNS - 1);
        let turn = &self.timeline.turns[number];
        let name = |&card: &_| self.equipment.name(card);
        let rounds = self.rounds_scored();
        let player = |state: &SeatState| PlayerView::new(&state.sheet, rounds);
        Observation {
            phase: turn.phase,
            round: turn.round,
            turn: turn.turn,
            circle: turn.circle.iter().map(name).collect(),
            offer: self.timeline.offer(number, seat).iter().map(name).collect(),
            unseen: turn.unseen.iter().map(name).collect(),
            players: self.seats.iter().map(player).collect(),
        }
    }

    fn legal_actions(&self, seat: Seat) -> impl Iterator<Item = Action> {
        self.moves(seat).into_iter().flat_map(Moves::iter)
    }

    fn legal_count(&self, seat: Seat) -> u64 {
        self.moves(seat).map_or(0, |moves| moves.count())
    }

    fn play(&mut self, seat: Seat, action: &Action) -> Result<(), Illegal> {
        let moves = self.moves(seat).ok_or(Illegal::NotAsked)?;
        let uses = moves.check(action)?;
        self.seats[seat].chosen = Some(moves.applied(action, uses));
        self.settle();
        Ok(())
    }

    fn withdraw(&mut self, seat: Seat) {
        if let Some(state) = self.seats.get_mut(seat) {
            state.withdrawn = true;
        }
        self.settle();
    }

    fn outcome(&self) -> Outcome {
        let scores: Vec<i32> = self.seats.iter().map(|state| state.sheet.score()).collect();
        let withdrawn: Vec<bool> = self.seats.iter().map(|state| state.withdrawn).collect();
        let points = |state: &SeatState| {
            state.sheet.rounds[..self.rounds_scored()].iter().map(|&p| p.into()).collect()
        };
        Outcome {
            ranks: ranks(&scores, &withdrawn),
            scores,
            rounds: Some(self.seats.iter().map(points).collect()),
        }
    }
}

impl WireFormat for Doodle {
    type WireMove = WireMove;

    fn read(equipment: &Equipment, wire_move: &WireMove) -> Result<Action, Illegal> {
        moves::read(equipment, wire_move)
    }

    fn write(equipment: &Equipment, action: &Action) -> WireMove {
        moves::write(equipment, action)
    }

    fn sees_like(&self, seat: Seat, other: Seat) -> bool {
        let offer = |seat| self.timeline.offer(self.turn.min(TURNS - 1), seat);
        offer(seat) == offer(other)
    }

    fn write_state(&self, seat: Seat, line: &mut Vec<u8>) {
        let number = self.turn.min(TURNS - 1);
        let turn = &self.timeline.turns[number];
        let rounds = self.rounds_scored();
        let name = |line: &mut Vec<u8>, &card: &_| self.equipment.name(card).write_json(line);
        json::raw(line, r#"{"phase":"#);
        json::word(line, turn.phase.as_str());
        json::raw(line, r#","round":"#);
        json::number(line, turn.round);
        json::raw(line, r#","turn":"#);
        json::number(line, turn.turn);
        json::raw(line, r#","circle":"#);
        json::list(line, &turn.circle, name);
        json::raw(line, r#","offer":"#);
        json::list(line, self.timeline.offer(number, seat), name);
        json::raw(line, r#","unseen":"#);
        json::list(line, turn.unseen.iter(), name);
        json::raw(line, r#","players":"#);
        json::list(line, &self.seats, |line, state| PlayerView::write(line, &state.sheet, rounds));
        line.push(b'}');
    }

    fn read_usual(equipment: &Equipment, scan: &mut Scan<'_>) -> Option<Action> {
        moves::read_usual(equipment, scan)
    }

    fn write_move(wire_move: &WireMove, line: &mut Vec<u8>) {
        wire_move.write_json(line);
    }

    fn write_deal(deal: &Deal, line: &mut Vec<u8>) {
        deal.write_json(line);
    }
}
