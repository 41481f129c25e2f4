//! Patchwork Doodle: its rules, and one match.

use std::sync::{Arc, LazyLock};

use engine::bitboard::Bitboard;
use engine::cells::Pair;
use engine::dealer::Dealer;
use engine::doodle::{
    Action, CardId, Deal, Doodle, DoodleSetup, Equipment, Moves, Observation, Phase, Rules, Sheet, Special,
    StartCards, State, Step, Steps, Table, WireMove,
};
use engine::game::{Game, Setup, first_pending, pending};
use engine::numbers::{DOODLE, Mask, SLOTS};
use engine::wire::WireFormat;
use picture::Scene;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::args::{Arg, Int, Json, Pickled, dumps, loads, unpickled, written};
use crate::arrays::{Array, ByNumber, Out, by_number, floats, mask_array, rows};
use crate::errors::{BadState, Signals, illegal, not_legal, other_version, wrong};
use crate::features::{CELLS, Features, Part};
use crate::patchwork::{PLAYOUTS_MAX, SHAPE, cells_of, push_shape, put_board};
use crate::render::{Covers, drawn, html, scene};

/// Patch cards that an observation has room for.
const CARDS: usize = 30;
/// The places of the parts of an observation.
const CIRCLE_FROM: usize = 2 * CELLS;
const OFFER_FROM: usize = CIRCLE_FROM + 8;
const UNSEEN_FROM: usize = OFFER_FROM + SLOTS;
const NUMBERS_FROM: usize = UNSEEN_FROM + CARDS;
/// Length of an observation.
pub(crate) const FEATURES: usize = NUMBERS_FROM + 14;
/// Columns of the table of cards: cells, and the shape in 5x5.
const COLUMNS: usize = 1 + SHAPE * SHAPE;
/// The most seats of one match.
const SEATS_MAX: usize = 1_000;
/// The stream of random numbers of playouts.
const PLAYOUTS: u64 = 102;

pub(crate) static STANDARD: LazyLock<Arc<Equipment>> = LazyLock::new(|| Arc::new(Equipment::standard()));

/// The number of a card in observations: patch cards from 1 in the order of the file, then the start cards.
#[inline(always)]
fn number_of(equipment: &Equipment, card: CardId) -> usize {
    let (starts, patches) = (equipment.starts().len(), equipment.patches().len());
    let number = if card.index() < starts { patches + card.index() } else { card.index() - starts };
    number + 1
}

impl Features for Doodle {
    const PARTS: &'static [Part] = &[
        ("board", CELLS, 1.0),
        ("move", CELLS, 1.0),
        ("circle", 8, 40.0),
        ("offer", SLOTS, 40.0),
        ("unseen", CARDS, 1.0),
        ("actions", 4, 1.0),
        ("rounds", 3, 81.0),
        ("round", 1, 3.0),
        ("turn", 1, 6.0),
        ("is_start", 1, 1.0),
        ("is_final", 1, 1.0),
        ("stage", 1, 3.0),
        ("slot", 1, 3.0),
        ("points", 1, 81.0),
    ];
    const LENGTH: usize = FEATURES;
    const OFFER_FROM: usize = OFFER_FROM;
    const NUMBERS_FROM: usize = UNSEEN_FROM;
    const OFFER: &'static [f32] = &[];

    #[inline(always)]
    fn patch(equipment: &Equipment, number: usize) -> (Bitboard, [u16; 3]) {
        let card = equipment.patches().chain(equipment.starts()).nth(number - 1);
        (card.map_or(Bitboard::EMPTY, |card| cells_of(equipment.patch(card))), [0; 3])
    }
}

/// What a seat sees in turn `turn`: its board and the cells of this move, the cards, and 14 numbers. `steps` is the move in
/// progress; `None` for a seat that waits.
#[inline(always)]
pub(crate) fn observation(
    table: Table<'_>,
    sheet: &Sheet,
    turn: usize,
    steps: Option<Steps>,
) -> [i16; FEATURES] {
    let now = &table.timeline.turns[turn.min(table.timeline.turns.len() - 1)];
    let mut seen = [0; FEATURES];
    put_board(sheet.board, &mut seen[..CELLS]);
    put_board(steps.map_or(Bitboard::EMPTY, |steps| steps.cells()), &mut seen[CELLS..CIRCLE_FROM]);
    for (place, &card) in seen[CIRCLE_FROM..OFFER_FROM].iter_mut().zip(&now.circle) {
        *place = number_of(table.equipment, card) as i16;
    }
    let state = State { sheet: *sheet, turn: turn as u8 };
    if let Some(moves) = state.moves(table) {
        for (place, offer) in seen[OFFER_FROM..UNSEEN_FROM].iter_mut().zip(moves.offers()) {
            *place = number_of(table.equipment, offer.card) as i16;
        }
    }
    for &card in now.unseen.iter() {
        if let Some(place) = seen[UNSEEN_FROM..NUMBERS_FROM].get_mut(number_of(table.equipment, card) - 1) {
            *place = 1;
        }
    }
    let has = |special| i16::from(sheet.specials.has(special));
    let [neighbor, single, cut, repeat] = Special::ALL.map(has);
    let [first, second, third] = sheet.rounds.map(i16::from);
    let (stage, slot) = match steps {
        Some(Steps::Draw) => (0, 0),
        Some(Steps::Piece { slot, .. }) => (1, slot as i16 + 1),
        Some(Steps::Singles { .. }) => (2, 0),
        None => (3, 0),
    };
    seen[NUMBERS_FROM..].copy_from_slice(&[
        neighbor,
        single,
        cut,
        repeat,
        first,
        second,
        third,
        now.round.into(),
        now.turn.into(),
        (now.phase == Phase::Start).into(),
        (now.phase == Phase::Final).into(),
        stage,
        slot,
        sheet.round_points().into(),
    ]);
    seen
}

/// Calls `each` with all legal numbers of the next step, and what the seat sees after each, with the cards of this turn.
pub(crate) fn afterstates(
    table: Table<'_>,
    state: &State,
    moves: &Moves<'_>,
    steps: Steps,
    mut each: impl FnMut(usize, [i16; FEATURES]),
) {
    for number in steps.mask(moves).iter() {
        let Some(step) = steps.after(moves, number) else { continue };
        let mut after = *state;
        let next = match step {
            Step::Next(next) => Some(next),
            Step::Move(action, uses) => {
                after.apply(table.timeline, &action, uses);
                None
            }
        };
        each(number, observation(table, &after.sheet, state.turn.into(), next));
    }
}

/// The rules and cards of a match of Patchwork Doodle.
///
/// `start` is the `start` message of a match, as `str`, `bytes`, or `dict`; without it, the standard cards. With
/// `shared`, all seats have the same start card. Raises `BadState` if `start` is no such message.
///
/// >>> DoodleRules()
/// <DoodleRules, 30 patch cards>
#[pyclass(module = "quilt_engine", frozen)]
pub(crate) struct DoodleRules {
    pub(crate) equipment: Arc<Equipment>,
}

#[pymethods]
impl DoodleRules {
    #[new]
    #[pyo3(signature = (start = None, *, shared = Arg(Ok(false))), text_signature = "(start=None, *, shared=False)")]
    fn new(start: Option<Json>, shared: Arg<bool>) -> PyResult<DoodleRules> {
        let shared = shared.named("shared")?;
        let setup = match (start, shared) {
            (None, false) => return Ok(DoodleRules { equipment: Arc::clone(&STANDARD) }),
            (None, true) => DoodleSetup { rules: Rules { start_cards: StartCards::Shared }, cards: None },
            (Some(start), false) => start.read_start(Doodle::NAME)?,
            (Some(_), true) => {
                return Err(PyValueError::new_err(
                    "shared: the start message says how start cards are dealt",
                ));
            }
        };
        let equipment =
            Equipment::new(&setup).map_err(|error| BadState::new_err(format!("start: {error}")))?;
        Ok(DoodleRules { equipment: Arc::new(equipment) })
    }

    /// The match of `seat` alone, from what it sees when it must move: `state` is that of a `turn` message.
    /// `future` is the seed of the cards and rolls that it cannot know. The seat is seat 0 of the new match. Raises
    /// `BadState` if the state contradicts itself.
    #[pyo3(signature = (state, seat, future = Int::ZERO), text_signature = "($self, state, seat, future=0)")]
    fn state(&self, state: Json, seat: Int, future: Int) -> PyResult<DoodleState> {
        let seen: Observation = state.read_state()?;
        let seat = seat.seat(seen.players.len().max(1))?;
        DoodleState::begun(
            &self.equipment,
            Origin::Seen { seen, seat, future: future.within("future", 0..=u64::MAX)? },
        )
    }

    /// All cards as float32, shape (cards + 1, 26): number of cells, and the shape in 5x5, row by row. Row 0 is for
    /// no card; row `n` is the card with number `n` in observations: patch cards from 1, then start cards. Cells
    /// outside of 5x5 are cut off.
    fn card_table<'py>(&self, py: Python<'py>) -> Array<'py> {
        let mut table = vec![0.0; COLUMNS];
        for card in self.equipment.patches().chain(self.equipment.starts()) {
            let patch = self.equipment.patch(card);
            push_shape(&mut table, patch);
        }
        let cards = table.len() / COLUMNS;
        rows(py, table, [cards, COLUMNS])
    }

    /// True for the standard cards, one start card for each seat. Observations of other cards have the same shape: those
    /// past 30 are left out of `unseen`.
    #[getter]
    fn is_standard(&self) -> bool {
        self.equipment.setup() == STANDARD.setup()
    }

    fn __eq__(&self, other: &DoodleRules) -> bool {
        self.equipment.setup() == other.equipment.setup()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, (String,)> {
        Ok((slf.get_type().into_any(), (dumps(&slf.get().equipment.setup().abridged())?,)))
    }

    fn __repr__(&self) -> String {
        format!("<DoodleRules, {} patch cards>", self.equipment.patches().len())
    }
}

/// What a match began with.
#[derive(Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Origin {
    Deal(Deal),
    /// What a seat saw, and the seed of the future.
    Seen {
        seen: Observation,
        seat: usize,
        future: u64,
    },
}

/// What happened in a match.
#[derive(Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
enum Event {
    Step(usize, usize),
    Withdraw(usize),
    Redeal(u64),
}

/// A match of Patchwork Doodle. All seats choose at once, each step by step.
///
/// `seats` is 1 to 1,000, with the standard rules at most 10. `seed` deals the same as in the arena. A move takes one
/// to seven numbers: a whole patch, a pass, or a cut; then the cells of a piece, and single cells.
///
/// >>> state = DoodleState(seats=2, seed=7)
/// >>> state.pending, state.stage(0)
/// ([0, 1], 'move')
/// >>> state.step(0, state.legal_actions(0)[0])
/// True
/// >>> state.stage(0), state.legal_actions(0)
/// ('wait', [2025])
#[pyclass(module = "quilt_engine")]
#[derive(Clone)]
pub(crate) struct DoodleState {
    pub(crate) game: Doodle,
    steps: Vec<Steps>,
    origin: Arc<Origin>,
    events: Vec<Event>,
    last_moves: Vec<Option<Action>>,
}

impl DoodleState {
    /// The boards as they are drawn.
    fn scene(&self) -> PyResult<Scene> {
        let mut covers = vec![Covers::new(); self.game.seats()];
        let mut look = |state: &DoodleState| {
            for (seat, covers) in covers.iter_mut().enumerate() {
                let drawn = state.last_moves[seat].and_then(|action| action.draw);
                let board = state.game.sheet(seat).board;
                if let Some(draw) = drawn.filter(|draw| board.contains_all(draw.cells)) {
                    covers.lay(draw.cells, Some(draw.card.index()));
                }
                covers.lay(board, None);
            }
        };
        DoodleState::replayed(self.game.equipment(), (*self.origin).clone(), &self.events, &mut look)?;
        let title = format!("Patchwork Doodle, turn {}", self.decision());
        let is_over = first_pending(&self.game).is_none();
        Ok(scene(title, &covers, &self.game.outcome(), is_over))
    }

    fn begun(equipment: &Arc<Equipment>, origin: Origin) -> PyResult<DoodleState> {
        let game = match &origin {
            Origin::Deal(deal) => Doodle::new(equipment, deal).map_err(wrong)?,
            Origin::Seen { seen, seat, future } => Doodle::from_observation(equipment, seen, *seat, *future)
                .map_err(|error| BadState::new_err(format!("state: {error}")))?,
        };
        let seats = game.seats();
        Ok(DoodleState {
            game,
            steps: vec![Steps::NEW; seats],
            origin: Arc::new(origin),
            events: Vec::new(),
            last_moves: vec![None; seats],
        })
    }

    fn seat(&self, seat: Int) -> PyResult<usize> {
        seat.seat(self.game.seats())
    }

    /// The legal numbers of a seat. A seat that has chosen waits for the others.
    fn mask(&self, seat: usize) -> Mask {
        match self.game.moves(seat) {
            Some(moves) => self.steps[seat].mask(&moves),
            None if first_pending(&self.game).is_some() => Mask::LAST,
            None => Mask::EMPTY,
        }
    }

    /// What follows a legal number of a seat that owes a move; nothing if the seat waits.
    fn after(&self, py: Python<'_>, seat: usize, number: usize) -> PyResult<Option<Step>> {
        if !self.mask(seat).contains(number) {
            let what = match self.stage_of(seat) {
                "wait" if first_pending(&self.game).is_none() => "the match is over",
                "wait" => "the seat has chosen, and waits with 2025",
                "piece" => "no piece of the cut patch goes on like this",
                "singles" => "a single cell is an empty one behind the last",
                _ => "no card on offer can be drawn like this",
            };
            return Err(not_legal(py, format!("action: {number} is not legal for seat {seat}, {what}")));
        }
        Ok(self.game.moves(seat).and_then(|moves| self.steps[seat].after(&moves, number)))
    }

    /// Plays a legal number. Returns true if it completes the move.
    fn advance(&mut self, seat: usize, number: usize, step: Option<Step>) -> bool {
        let Some(step) = step else { return false };
        self.events.push(Event::Step(seat, number));
        match step {
            Step::Next(next) => self.steps[seat] = next,
            Step::Move(action, _) => {
                let played = self.game.play(seat, &action);
                debug_assert!(played.is_ok(), "a list of legal numbers is a legal move");
                self.last_moves[seat] = Some(action);
                self.steps[seat] = Steps::NEW;
            }
        }
        matches!(step, Step::Move(..))
    }

    /// Takes a seat out of the match, or deals its future anew.
    fn change(&mut self, event: Event) {
        match event {
            Event::Step(..) => return,
            Event::Withdraw(seat) => {
                self.game.withdraw(seat);
                self.steps.iter_mut().skip(seat).take(1).for_each(|steps| *steps = Steps::NEW);
            }
            Event::Redeal(seed) => self.game = self.game.redealt(seed),
        }
        self.events.push(event);
    }

    fn stage_of(&self, seat: usize) -> &'static str {
        match (self.game.owes(seat), self.steps[seat]) {
            (false, _) => "wait",
            (_, Steps::Draw) => "move",
            (_, Steps::Piece { .. }) => "piece",
            (_, Steps::Singles { .. }) => "singles",
        }
    }

    /// The match after these events. Calls `look` at the beginning and after each.
    fn replayed(
        equipment: &Arc<Equipment>,
        origin: Origin,
        events: &[Event],
        look: &mut dyn FnMut(&DoodleState),
    ) -> PyResult<DoodleState> {
        let mut state = DoodleState::begun(equipment, origin)?;
        look(&state);
        for &event in events {
            match event {
                Event::Step(seat, number) => {
                    let owed = state.steps.get(seat).copied().zip(state.game.moves(seat));
                    let legal = owed.filter(|(steps, moves)| steps.mask(moves).contains(number));
                    let step = legal.and_then(|(steps, moves)| steps.after(&moves, number));
                    let step = step.ok_or_else(|| other_version("match"))?;
                    state.advance(seat, number, Some(step));
                }
                _ => state.change(event),
            }
            look(&state);
        }
        Ok(state)
    }
}

/// Completes a move with random steps.
fn completed(state: &State, table: Table<'_>, mut step: Step, chance: &mut Dealer) -> State {
    let mut after = *state;
    let Some(moves) = state.moves(table) else { return after };
    loop {
        match step {
            Step::Move(action, uses) => {
                after.apply(table.timeline, &action, uses);
                return after;
            }
            Step::Next(next) => {
                let mask = next.mask(&moves);
                let number = mask.nth(chance.below(mask.len()));
                match number.and_then(|number| next.after(&moves, number)) {
                    Some(following) => step = following,
                    None => return after,
                }
            }
        }
    }
}

#[pymethods]
impl DoodleState {
    #[new]
    #[pyo3(signature = (seats = Int::ONE, seed = Int::ZERO, rules = Arg(Ok(None))), text_signature = "(seats=1, seed=0, rules=None)")]
    fn new(seats: Int, seed: Int, rules: Arg<Option<Bound<'_, DoodleRules>>>) -> PyResult<DoodleState> {
        let rules = rules.named("rules")?;
        let equipment = rules.as_ref().map_or(&*STANDARD, |rules| &rules.get().equipment);
        let seats = seats.within("seats", 1..=SEATS_MAX)?;
        let deal = Doodle::deal(equipment, seats, seed.seed()?);
        let deal = deal.map_err(|error| PyValueError::new_err(format!("seats: {error}")))?;
        DoodleState::begun(equipment, Origin::Deal(deal))
    }

    #[staticmethod]
    fn _restored(rules: &Bound<'_, DoodleRules>, origin: &str, events: &str) -> PyResult<DoodleState> {
        let (origin, events): (_, Vec<Event>) = (unpickled("match", origin)?, unpickled("match", events)?);
        DoodleState::replayed(&rules.get().equipment, origin, &events, &mut |_| {})
    }

    /// The rules of the match.
    #[getter]
    fn rules(&self) -> DoodleRules {
        DoodleRules { equipment: Arc::clone(self.game.equipment()) }
    }

    /// Number of seats.
    #[getter]
    fn seats(&self) -> usize {
        self.game.seats()
    }

    /// Number of turns so far, 0 to 19.
    #[getter]
    fn decision(&self) -> u32 {
        self.game.decision()
    }

    /// The seats that must choose a move.
    #[getter]
    fn pending(&self) -> Vec<usize> {
        pending(&self.game).collect()
    }

    /// True if the match is over.
    #[getter]
    fn is_over(&self) -> bool {
        first_pending(&self.game).is_none()
    }

    /// Points of each seat if the match ended now.
    #[getter]
    fn scores(&self) -> Vec<i32> {
        self.game.outcome().scores
    }

    /// Ranks of each seat if the match ended now, from 1.
    #[getter]
    fn ranks(&self) -> Vec<u32> {
        self.game.outcome().ranks
    }

    /// What the seat chooses next: `"move"`, the cells of a `"piece"`, or `"singles"`. `"wait"` if it owes no move.
    #[pyo3(signature = (seat = Int::ZERO), text_signature = "($self, seat=0)")]
    fn stage(&self, seat: Int) -> PyResult<&'static str> {
        Ok(self.stage_of(self.seat(seat)?))
    }

    /// The cells that the move of the seat shades so far, as [row, col].
    #[pyo3(signature = (seat = Int::ZERO), text_signature = "($self, seat=0)")]
    fn cells(&self, seat: Int) -> PyResult<Vec<Pair>> {
        Ok(engine::cells::write_cells(self.steps[self.seat(seat)?].cells()))
    }

    /// The legal numbers of the next step, ascending. A seat that has chosen waits with 2025; empty when the match
    /// is over.
    #[pyo3(signature = (seat = Int::ZERO), text_signature = "($self, seat=0)")]
    fn legal_actions(&self, seat: Int) -> PyResult<Vec<usize>> {
        Ok(self.mask(self.seat(seat)?).iter().collect())
    }

    /// How many whole moves are legal. There can be hundreds of thousands.
    #[pyo3(signature = (seat = Int::ZERO), text_signature = "($self, seat=0)")]
    fn legal_count(&self, seat: Int) -> PyResult<u64> {
        Ok(self.game.legal_count(self.seat(seat)?))
    }

    /// The legal numbers of the next step as int8, shape (2029,): 1 for legal ones. `out` is filled if it is given.
    #[pyo3(signature = (seat = Int::ZERO, out = None), text_signature = "($self, seat=0, out=None)")]
    fn legal_mask<'py>(&self, py: Python<'py>, seat: Int, out: Out<'py>) -> Array<'py> {
        mask_array(py, out, &self.mask(self.seat(seat)?), DOODLE)
    }

    /// Plays a number of the next step. Returns true if it completes the move of the seat. The turn ends when all
    /// seats have chosen. Raises `IllegalMove` if it is not legal, and `IndexError` if no step has it.
    fn step(&mut self, py: Python<'_>, seat: Int, action: Int) -> PyResult<bool> {
        let seat = self.seat(seat)?;
        let number = action.action(DOODLE)?;
        let step = self.after(py, seat, number)?;
        Ok(self.advance(seat, number, step))
    }

    /// Plays a whole move as bots write it, as `str`, `bytes`, or `dict`. Raises `IllegalMove` with the broken rule.
    fn play_move(&mut self, py: Python<'_>, seat: Int, r#move: Json) -> PyResult<()> {
        let seat = self.seat(seat)?;
        if self.steps[seat] != Steps::NEW {
            return Err(not_legal(py, format!("move: seat {seat} has begun its move with step")));
        }
        for number in self.actions(py, Int::from(seat), r#move)? {
            let step = self.game.moves(seat).and_then(|moves| self.steps[seat].after(&moves, number));
            self.advance(seat, number, step);
        }
        Ok(())
    }

    /// The numbers of a whole move as bots write it. Raises `IllegalMove` if it is not legal.
    fn actions(&self, py: Python<'_>, seat: Int, r#move: Json) -> PyResult<Vec<usize>> {
        let seat = self.seat(seat)?;
        let word: WireMove = r#move.read("move")?;
        let action = Doodle::read(self.game.equipment(), &word);
        let action = action.map_err(|error| illegal(py, "move", &error))?;
        let Some(moves) = self.game.moves(seat) else {
            return Err(illegal(py, "move", &engine::doodle::Illegal::NotAsked));
        };
        moves.check(&action).map_err(|error| illegal(py, "move", &error))?;
        Steps::of(&moves, &action).ok_or_else(|| not_legal(py, "move: it has no numbers".to_owned()))
    }

    /// The last complete move of the seat, as the JSON of an answer; `None` before the first.
    #[pyo3(signature = (seat = Int::ZERO), text_signature = "($self, seat=0)")]
    fn last_move_json(&self, seat: Int) -> PyResult<Option<String>> {
        let action = self.last_moves[self.seat(seat)?];
        let line = action.map(|action| {
            written(|line| Doodle::write_move(&Doodle::write(self.game.equipment(), &action), line))
        });
        line.transpose()
    }

    /// The last complete move of the seat, as a `dict`; `None` before the first.
    #[pyo3(signature = (seat = Int::ZERO), text_signature = "($self, seat=0)")]
    fn last_move<'py>(&self, py: Python<'py>, seat: Int) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.last_move_json(seat)?.map(|text| loads(py, &text)).transpose()
    }

    /// The `state` of a `turn` message for the seat.
    #[pyo3(signature = (seat = Int::ZERO), text_signature = "($self, seat=0)")]
    fn state_json(&self, seat: Int) -> PyResult<String> {
        let seat = self.seat(seat)?;
        written(|line| self.game.write_state(seat, line))
    }

    /// What a seat sees as float32, shape (217,): `DOODLE_SLICES` names the parts, and `DOODLE_SCALE` brings them
    /// near 1. With `planes` it is shape (449,), as in `DOODLE_PLANES`: five boards, and numbers from -1 to 10. Other
    /// seats do not matter for a sheet, and are left out. `out` is filled if it is given.
    #[pyo3(signature = (seat = Int::ZERO, out = None, *, planes = Arg(Ok(false))), text_signature = "($self, seat=0, out=None, *, planes=False)")]
    fn observation<'py>(&self, py: Python<'py>, seat: Int, out: Out<'py>, planes: Arg<bool>) -> Array<'py> {
        let (seat, planes) = (self.seat(seat)?, planes.named("planes")?);
        let steps = self.game.owes(seat).then_some(self.steps[seat]);
        let (table, turn) = (self.game.table(seat), self.game.decision() as usize);
        let seen = observation(table, self.game.sheet(seat), turn, steps);
        floats::<Doodle>(py, out, self.game.equipment(), &seen, planes)
    }

    /// The legal numbers of the next step, and what the seat sees after each: uint16, shape (numbers,), and
    /// float32, shape (numbers, 217). The sheet and the steps are those after the number; the cards are those of
    /// this turn, since the next ones are chance.
    #[pyo3(signature = (seat = Int::ZERO), text_signature = "($self, seat=0)")]
    fn afterstates<'py>(&self, py: Python<'py>, seat: Int) -> ByNumber<'py> {
        let seat = self.seat(seat)?;
        let (table, turn) = (self.game.table(seat), self.game.decision() as u8);
        let (mut numbers, mut seen) = (Vec::new(), Vec::new());
        if let Some(moves) = self.game.moves(seat) {
            let state = State { sheet: *self.game.sheet(seat), turn };
            afterstates(table, &state, &moves, self.steps[seat], |number, row| {
                numbers.push(number);
                seen.extend(row.map(f32::from));
            });
        }
        by_number(py, numbers, seen, Some(FEATURES))
    }

    /// The legal numbers of the next step as uint16, shape (numbers,), and the mean score of each as float32, shape
    /// (numbers,). The mean is over `count` playouts: each completes the move at random and draws all later turns
    /// snugly.
    #[pyo3(signature = (count, seed = Int::ZERO, seat = Int::ZERO), text_signature = "($self, count, seed=0, seat=0)")]
    fn playouts<'py>(&self, py: Python<'py>, count: Int, seed: Int, seat: Int) -> ByNumber<'py> {
        let (count, seat) = (count.within("count", 1..=PLAYOUTS_MAX)?, self.seat(seat)?);
        let (seed, turn) = (seed.seed()?, self.game.decision() as u8);
        let mut chance = Dealer::new(seed, PLAYOUTS);
        let mask = if self.game.owes(seat) { self.mask(seat) } else { Mask::EMPTY };
        let numbers: Vec<usize> = mask.iter().collect();
        let mut sums = vec![0_i64; numbers.len()];
        let (game, steps) = (self.game.clone(), self.steps[seat]);
        py.detach(|| -> PyResult<()> {
            let mut signals = Signals::new();
            for round in 0..count {
                let game = game.redealt(seed.wrapping_add(round.into()));
                let (table, state) = (game.table(seat), State { sheet: *game.sheet(seat), turn });
                let Some(moves) = state.moves(table) else { break };
                for (sum, &number) in sums.iter_mut().zip(&numbers) {
                    signals.check()?;
                    let Some(step) = steps.after(&moves, number) else { continue };
                    let mut after = completed(&state, table, step, &mut chance);
                    after.play_greedily(table);
                    *sum += i64::from(after.sheet.score());
                }
            }
            Ok(())
        })?;
        let means = sums.into_iter().map(|sum| sum as f32 / count as f32).collect();
        by_number(py, numbers, means, None)
    }

    /// Takes a seat out of the match, as a fault does in the arena.
    fn withdraw(&mut self, seat: Int) -> PyResult<()> {
        let seat = self.seat(seat)?;
        self.change(Event::Withdraw(seat));
        Ok(())
    }

    /// Takes back the last step, withdrawal, or `redeal`. Raises `IndexError` at the beginning.
    fn undo(&mut self) -> PyResult<()> {
        let Some((_, before)) = self.events.split_last() else {
            return Err(PyIndexError::new_err("there is no step to take back"));
        };
        *self = DoodleState::replayed(self.game.equipment(), (*self.origin).clone(), before, &mut |_| {})?;
        Ok(())
    }

    /// The same match with another hidden future. All that seats see now stays.
    fn redeal(&self, seed: Int) -> PyResult<DoodleState> {
        let seed = seed.seed()?;
        let mut state = Clone::clone(self);
        state.change(Event::Redeal(seed));
        Ok(state)
    }

    /// A picture as uint8, shape (height, width, 3), 100 to 4,000 pixels on each side.
    #[pyo3(signature = (width = Int::WIDTH, height = Int::HEIGHT), text_signature = "($self, width=600, height=400)")]
    fn rgb_array<'py>(&self, py: Python<'py>, width: Int, height: Int) -> Array<'py> {
        drawn(py, &self.scene()?, width, height)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html(py, &self.scene()?)
    }

    /// A copy, with its past.
    fn clone(&self) -> DoodleState {
        Clone::clone(self)
    }

    fn __copy__(&self) -> DoodleState {
        Clone::clone(self)
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> DoodleState {
        Clone::clone(self)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, (DoodleRules, String, String)> {
        let state = slf.try_borrow()?;
        let args = (state.rules(), dumps(&*state.origin)?, dumps(&state.events)?);
        Ok((slf.getattr("_restored")?, args))
    }

    fn __eq__(&self, other: &DoodleState) -> bool {
        let seats = self.game.seats();
        seats == other.game.seats()
            && self.game.equipment().setup() == other.game.equipment().setup()
            && self.game.decision() == other.game.decision()
            && self.steps == other.steps
            && self.game.outcome() == other.game.outcome()
            && (0..seats).all(|seat| {
                self.game.observe(seat) == other.game.observe(seat)
                    && self.game.owes(seat) == other.game.owes(seat)
            })
    }

    fn __str__(&self) -> String {
        let turn = self.game.current_turn();
        let mut text = match turn {
            Some(turn) => {
                let names: Vec<String> =
                    turn.circle.iter().map(|&card| self.game.equipment().name(card).to_string()).collect();
                format!("round {}, turn {}; circle: {}\n", turn.round, turn.turn, names.join(" "))
            }
            None => "over\n".to_owned(),
        };
        for (seat, score) in self.scores().into_iter().enumerate() {
            let sheet = self.game.sheet(seat);
            let specials: Vec<&str> = sheet.specials.iter().map(Special::as_str).collect();
            text += &format!("seat {seat}: {score}, left: {}\n{}\n", specials.join(" "), sheet.board);
        }
        text.trim_end().to_owned()
    }

    fn __repr__(&self) -> String {
        format!("<DoodleState, decision {}, scores {:?}>", self.decision(), self.scores())
    }
}
