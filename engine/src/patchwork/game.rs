//! The match: a table, a state, and the seats that are out.

use std::sync::Arc;

use crate::game::{Game, Outcome, Seat, SetupError, ranks};
use crate::patchwork::action::{self, Illegal};
use crate::patchwork::deal::Deal;
use crate::patchwork::equipment::{Equipment, PatchId};
use crate::patchwork::moves::Moves;
use crate::patchwork::patches::PatchworkSetup;
use crate::patchwork::state::{SEATS, State};
use crate::patchwork::table::Table;
use crate::patchwork::turn::Action;
use crate::patchwork::view::{Observation, PlayerView, WireMove};
use crate::wire::scan::Scan;
use crate::wire::{WireFormat, json};

/// A match of Patchwork in progress.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use engine::game::Game;
/// use engine::patchwork::{Equipment, Patchwork};
///
/// let equipment = Arc::new(Equipment::standard());
/// let mut game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1)?)?;
/// while let Some(moves) = game.moves() {
///     let seat = game.to_move().expect("the match is not over");
///     let action = moves.nth(moves.count() - 1).expect("below the count");
///     game.play(seat, &action).expect("a listed move is legal");
/// }
/// assert!(game.state().players().iter().all(|player| player.space == 53));
/// # Ok::<(), engine::game::SetupError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Patchwork {
    pub(super) table: Arc<Table>,
    pub(super) state: State,
    pub(super) decision: u32,
    pub(super) withdrawn: [bool; SEATS],
}

impl Patchwork {
    /// The constant data of the match: the equipment and the circle of patches.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// The current state, as a value for a search.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The patches, the track, and the rules of the match.
    pub fn equipment(&self) -> &Arc<Equipment> {
        self.table.equipment()
    }

    /// A key of the match as it stands, without its past. Two matches with the same equipment have equal keys if and only if
    /// they go on alike. A match that is [restored](Self::from_observation) has the key of its original.
    ///
    /// # Examples
    /// ```
    /// # use engine::{game::Game, patchwork::{Action, Equipment, Patchwork}};
    /// # let equipment = std::sync::Arc::new(Equipment::standard());
    /// # let mut game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
    /// game.play(0, &Action::Advance).unwrap();
    /// let restored = Patchwork::from_observation(&equipment, &game.observe(1), 1)?;
    /// assert_eq!(restored.key(), game.key());
    /// # Ok::<(), engine::patchwork::BadObservation>(())
    /// ```
    pub fn key(&self) -> Key {
        // The table of a restored match numbers the places of the circle anew.
        let state = State { patches: 0, token: 0, ..self.state };
        Key { state, circle: self.state.circle(&self.table).collect(), withdrawn: self.withdrawn }
    }

    /// The seat that owes an action; `None` when the match is over, also after a seat has withdrawn.
    pub fn to_move(&self) -> Option<Seat> {
        match self.withdrawn {
            [false, false] => self.state.to_move(&self.table),
            _ => None,
        }
    }

    /// The legal moves of the seat that owes an action, as sets; `None` when the match is over.
    pub fn moves(&self) -> Option<Moves<'_>> {
        self.to_move().map(|_| Moves::new(&self.table, &self.state))
    }
}

/// The key of a match, from [`Patchwork::key`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    state: State,
    circle: Vec<PatchId>,
    withdrawn: [bool; SEATS],
}

impl Game for Patchwork {
    type Setup = PatchworkSetup;
    type Equipment = Equipment;
    type Deal = Deal;
    type Observation = Observation;
    type Action = Action;
    type Illegal = Illegal;

    const NAME: &'static str = "patchwork";
    const SIMULTANEOUS: bool = false;

    fn equip(setup: &PatchworkSetup) -> Result<Equipment, SetupError> {
        Equipment::new(setup)
    }

    fn setup(equipment: &Equipment) -> &PatchworkSetup {
        equipment.setup()
    }

    fn deal(equipment: &Equipment, seats: usize, seed: u64) -> Result<Deal, SetupError> {
        Deal::new(equipment, seats, seed)
    }

    fn new(equipment: &Arc<Equipment>, deal: &Deal) -> Result<Patchwork, SetupError> {
        let table = Table::new(equipment, deal.patches(equipment)?);
        Ok(Patchwork {
            state: State::new(&table),
            table: Arc::new(table),
            decision: 0,
            withdrawn: [false; SEATS],
        })
    }

    fn seats(&self) -> usize {
        SEATS
    }

    fn decision(&self) -> u32 {
        self.decision
    }

    fn owes(&self, seat: Seat) -> bool {
        self.to_move() == Some(seat)
    }

    /// Returns the same observation for both seats: the game has no hidden information.
    fn observe(&self, _seat: Seat) -> Observation {
        self.state.observe(&self.table)
    }

    fn legal_actions(&self, seat: Seat) -> impl Iterator<Item = Action> {
        let moves = self.moves().filter(|_| self.owes(seat));
        moves.into_iter().flat_map(Moves::iter)
    }

    fn legal_count(&self, seat: Seat) -> u64 {
        let moves = self.moves().filter(|_| self.owes(seat));
        moves.map_or(0, |moves| moves.count().into())
    }

    fn play(&mut self, seat: Seat, action: &Action) -> Result<(), Illegal> {
        if !self.owes(seat) {
            return Err(Illegal::NotAsked);
        }
        self.state.check(&self.table, action)?;
        self.state.apply(&self.table, *action);
        self.decision += 1;
        Ok(())
    }

    /// Ends the match: the other seat wins.
    fn withdraw(&mut self, seat: Seat) {
        if let Some(withdrawn) = self.withdrawn.get_mut(seat) {
            *withdrawn = true;
        }
    }

    /// Ranks equal scores by the first arrival on the last space. Before any arrival, equal scores
    /// share a rank.
    fn outcome(&self) -> Outcome {
        let players = self.state.players();
        let merits = players.map(|player| (player.score(), player.was_first));
        Outcome {
            scores: merits.iter().map(|(score, _)| *score).collect(),
            ranks: ranks(&merits, &self.withdrawn),
            rounds: None,
        }
    }
}

impl WireFormat for Patchwork {
    type WireMove = WireMove;

    fn read(equipment: &Equipment, wire_move: &WireMove) -> Result<Action, Illegal> {
        action::read(equipment, wire_move)
    }

    fn write(equipment: &Equipment, action: &Action) -> WireMove {
        action::write(equipment, action)
    }

    fn sees_like(&self, _seat: Seat, _other: Seat) -> bool {
        true
    }

    fn write_state(&self, _seat: Seat, line: &mut Vec<u8>) {
        let state = &self.state;
        json::raw(line, r#"{"phase":"#);
        json::word(line, state.phase().as_str());
        json::raw(line, r#","circle":"#);
        json::list(line, state.circle(&self.table), |line, id| self.equipment().name(id).write_json(line));
        json::raw(line, r#","leather":"#);
        json::list(line, state.leather(), json::number);
        json::raw(line, r#","leather_due":"#);
        json::number(line, state.leather_due());
        json::raw(line, r#","bonus":"#);
        match state.bonus() {
            Some(seat) => json::number(line, seat as u64),
            None => json::raw(line, "null"),
        }
        json::raw(line, r#","players":"#);
        json::list(line, state.players(), |line, player| PlayerView::new(player).write(line));
        line.push(b'}');
    }

    fn read_usual(equipment: &Equipment, scan: &mut Scan<'_>) -> Option<Action> {
        action::read_usual(equipment, scan)
    }

    fn write_move(wire_move: &WireMove, line: &mut Vec<u8>) {
        wire_move.write_json(line);
    }

    fn write_deal(deal: &Deal, line: &mut Vec<u8>) {
        deal.write_json(line);
    }
}
