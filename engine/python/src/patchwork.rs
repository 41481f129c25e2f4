//! Patchwork: its rules, and one match.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock};

use engine::bitboard::{Bitboard, Cell};
use engine::dealer::Dealer;
use engine::game::{Game, Setup};
use engine::numbers::{Mask, PATCHWORK};
use engine::patch::Patch;
use engine::patchwork::{Action, Equipment, Observation, PatchId, Patchwork, SEATS, State, Table, WireMove};
use engine::wire::WireFormat;
use picture::Scene;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::args::{Arg, Int, Json, Pickled, dumps, loads, written};
use crate::arrays::{Array, ByNumber, Out, by_number, floats, mask_array, rows};
use crate::errors::{BadState, Signals, illegal, not_legal, wrong};
use crate::features::{CELLS, Features, Part};
use crate::render::{Covers, drawn, html, scene};

/// Patches that an observation has room for.
const CIRCLE: usize = 33;
/// The place of the first number of an observation behind quilts and circle.
const NUMBERS_FROM: usize = 2 * CELLS + CIRCLE;
/// Length of an observation.
pub(crate) const FEATURES: usize = NUMBERS_FROM + 17;
/// Columns of the table of patches: buttons, time, income, cells, and the shape in 5x5.
const COLUMNS: usize = 4 + SHAPE * SHAPE;
/// Rows and columns of a shape in a table.
pub(crate) const SHAPE: usize = 5;
/// The stream of random numbers of playouts.
const PLAYOUTS: u64 = 101;
/// The most random matches for one move.
pub(crate) const PLAYOUTS_MAX: u32 = 1_000_000;

pub(crate) static STANDARD: LazyLock<Arc<Equipment>> = LazyLock::new(|| Arc::new(Equipment::standard()));

/// Appends the number of cells of a patch, and its shape as 25 numbers.
pub(crate) fn push_shape(row: &mut Vec<f32>, patch: &Patch) {
    let cells = cells_of(patch);
    row.push(patch.size() as f32);
    let cell = |place: usize| Cell::new((place / SHAPE) as u8, (place % SHAPE) as u8);
    let is_covered = |place| cell(place).is_some_and(|cell| cells.contains(cell));
    row.extend((0..SHAPE * SHAPE).map(|place| f32::from(u8::from(is_covered(place)))));
}

impl Features for Patchwork {
    const PARTS: &'static [Part] = &[
        ("own_quilt", CELLS, 1.0),
        ("other_quilt", CELLS, 1.0),
        ("circle", CIRCLE, 33.0),
        ("buttons", 2, 10.0),
        ("income", 2, 5.0),
        ("space", 2, 20.0),
        ("spaces_left", 2, 20.0),
        ("next_income", 2, 5.0),
        ("incomes_left", 2, 5.0),
        ("leather", 1, 5.0),
        ("leather_due", 1, 1.0),
        ("bonus", 1, 1.0),
        ("first_at_end", 1, 1.0),
        ("to_move", 1, 1.0),
    ];
    const LENGTH: usize = FEATURES;
    const OFFER_FROM: usize = 2 * CELLS;
    const NUMBERS_FROM: usize = NUMBERS_FROM;
    const OFFER: &'static [f32] = &[10.0, 6.0, 3.0];

    /// The numbers are buttons, time, and income.
    #[inline(always)]
    fn patch(equipment: &Equipment, number: usize) -> (Bitboard, [u16; 3]) {
        equipment.patches().nth(number - 1).map_or((Bitboard::EMPTY, [0; 3]), |id| {
            let patch = equipment.patch(id);
            (cells_of(&patch.shape), [patch.buttons, patch.time.into(), patch.income])
        })
    }
}

/// The cells of a patch as its card shows it, in the corner of a board.
pub(crate) fn cells_of(patch: &Patch) -> Bitboard {
    patch.turned(0).map_or(Bitboard::EMPTY, |shape| shape.cells())
}

/// Puts a board into an observation, as 0 and 1.
#[inline(always)]
pub(crate) fn put_board(board: Bitboard, out: &mut [i16]) {
    let mut bytes = [0; CELLS];
    board.write(&mut bytes);
    for (to, byte) in out.iter_mut().zip(&bytes) {
        *to = i16::from(*byte);
    }
}

/// What a seat sees: its quilt, the other quilt, the patches of the circle from 1, and 17 numbers.
#[inline(always)]
pub(crate) fn observation(table: &Table, state: &State, seat: usize) -> [i16; FEATURES] {
    let [own, other] = [seat, 1 - seat].map(|seat| &state.players()[seat]);
    let mut seen = [0; FEATURES];
    put_board(own.board, &mut seen[..CELLS]);
    put_board(other.board, &mut seen[CELLS..2 * CELLS]);
    for (place, id) in seen[2 * CELLS..NUMBERS_FROM].iter_mut().zip(state.circle(table)) {
        *place = id.index() as i16 + 1;
    }
    let track = table.track();
    let ahead = |space: u8| track.next_income(space).map_or(0, |mark| i16::from(mark - space));
    let left = |space: u8| track.income_marks(space, track.last()) as i16;
    seen[NUMBERS_FROM..].copy_from_slice(&[
        own.buttons as i16,
        other.buttons as i16,
        own.income as i16,
        other.income as i16,
        own.space.into(),
        other.space.into(),
        (track.last() - own.space).into(),
        (track.last() - other.space).into(),
        ahead(own.space),
        ahead(other.space),
        left(own.space),
        left(other.space),
        state.leather().count() as i16,
        state.leather_due().into(),
        i16::from(own.has_bonus) - i16::from(other.has_bonus),
        i16::from(own.was_first) - i16::from(other.was_first),
        i16::from(state.to_move(table) == Some(seat)),
    ]);
    seen
}

/// Calls `each` with all legal numbers, and what the seat to move sees after each.
pub(crate) fn afterstates(
    table: &Table,
    state: &State,
    seat: usize,
    mask: &Mask,
    mut each: impl FnMut(usize, [i16; FEATURES]),
) {
    for number in mask.iter() {
        let mut after = *state;
        if let Some(action) = after.action(table, number) {
            after.apply(table, action);
        }
        each(number, observation(table, &after, seat));
    }
}

/// Points of seat 0 less those of seat 1.
pub(crate) fn margin(state: &State) -> i32 {
    let [first, second] = state.players().each_ref().map(|player| player.score());
    first - second
}

/// The rules, patches, and track of a match of Patchwork.
///
/// `start` is the `start` message of a match, as `str`, `bytes`, or `dict`; without it, the standard components.
/// Raises `BadState` if it is no such message.
///
/// >>> PatchworkRules()
/// <PatchworkRules, 33 patches>
#[pyclass(module = "quilt_engine", frozen)]
pub(crate) struct PatchworkRules {
    pub(crate) equipment: Arc<Equipment>,
}

#[pymethods]
impl PatchworkRules {
    #[new]
    #[pyo3(signature = (start = None))]
    fn new(start: Option<Json>) -> PyResult<PatchworkRules> {
        let Some(start) = start else { return Ok(PatchworkRules { equipment: Arc::clone(&STANDARD) }) };
        let equipment = Equipment::new(&start.read_start(Patchwork::NAME)?);
        let wrong = |error| BadState::new_err(format!("start: {error}"));
        Ok(PatchworkRules { equipment: Arc::new(equipment.map_err(wrong)?) })
    }

    /// The match that `seat` sees when it must move: `state` is that of a `turn` message, as `str`, `bytes`, or
    /// `dict`. Decisions count from 0 again. Raises `BadState` if the state contradicts itself, and `IndexError` if
    /// the seat does not exist.
    fn state(&self, state: Json, seat: Int) -> PyResult<PatchworkState> {
        let seat = seat.seat(SEATS)?;
        let seen: Observation = state.read_state()?;
        let game = Patchwork::from_observation(&self.equipment, &seen, seat);
        let game = game.map_err(|error| BadState::new_err(format!("state: {error}")))?;
        Ok(PatchworkState { game, before: 0, past: Vec::new() })
    }

    /// All patches as float32, shape (patches + 1, 29): buttons, time in spaces, income in buttons, number of cells,
    /// and the shape in 5x5, row by row. Row 0 is for no patch; row `n` is the patch with number `n` in observations.
    /// Cells outside of 5x5 are cut off.
    fn patch_table<'py>(&self, py: Python<'py>) -> Array<'py> {
        let mut table = vec![0.0; COLUMNS];
        for id in self.equipment.patches() {
            let patch = self.equipment.patch(id);
            table.extend([f32::from(patch.buttons), f32::from(patch.time), f32::from(patch.income)]);
            push_shape(&mut table, &patch.shape);
        }
        rows(py, table, [self.equipment.patches().len() + 1, COLUMNS])
    }

    /// True for the standard patches, track, and leather patches. Observations of other components have the same shape:
    /// the circle shows its first 33 patches.
    #[getter]
    fn is_standard(&self) -> bool {
        self.equipment.setup() == STANDARD.setup()
    }

    fn __eq__(&self, other: &PatchworkRules) -> bool {
        self.equipment.setup() == other.equipment.setup()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, (String,)> {
        Ok((slf.get_type().into_any(), (dumps(&slf.get().equipment.setup().abridged())?,)))
    }

    fn __repr__(&self) -> String {
        format!("<PatchworkRules, {} patches>", self.equipment.patches().len())
    }
}

/// A match of Patchwork.
///
/// `seed` deals the same as in the arena, 0 to 2**64 - 1. Without `rules`, it is the standard match. Two states are
/// equal if the match goes on alike; the past does not count. Do not play on a state while it is a key of a `dict`.
///
/// >>> state = PatchworkState(7)
/// >>> state.play(state.legal_actions()[-1])
/// >>> state.to_move, state.decision
/// (1, 1)
/// >>> state.undo()
/// >>> state == PatchworkState(7)
/// True
#[pyclass(module = "quilt_engine")]
pub(crate) struct PatchworkState {
    pub(crate) game: Patchwork,
    /// Decisions before the state that the match was restored from.
    before: u32,
    /// The match before each move, as undo needs it.
    past: Vec<Patchwork>,
}

impl PatchworkState {
    /// The boards as they are drawn.
    fn scene(&self) -> Scene {
        let states = self.past.iter().chain([&self.game]);
        let mut covers = [const { Covers::new() }; SEATS];
        let mut before: Option<&Patchwork> = None;
        for game in states {
            let left = before.and_then(|before| {
                let mut gone = before.state().offer(before.table());
                gone.find(|id| !game.state().circle(game.table()).any(|other| other == *id))
            });
            for (seat, player) in game.state().players().iter().enumerate() {
                covers[seat].lay(player.board, left.map(PatchId::index));
            }
            before = Some(game);
        }
        let title = format!("Patchwork, decision {}", self.decision());
        scene(title, &covers, &self.game.outcome(), self.game.to_move().is_none())
    }

    /// The seat, by default the one to move, and seat 0 when the match is over.
    fn seat(&self, seat: Option<Int>) -> PyResult<usize> {
        seat.map_or(Ok(self.game.to_move().unwrap_or(0)), |seat| seat.seat(SEATS))
    }

    fn mask(&self) -> Mask {
        self.game.state().mask(self.game.table())
    }

    /// The legal move with this number.
    fn legal(&self, py: Python<'_>, action: Int) -> PyResult<Action> {
        let number = action.action(PATCHWORK)?;
        let (table, state) = (self.game.table(), self.game.state());
        if self.game.to_move().is_none() {
            return Err(not_legal(py, format!("action: {number} is no move, the match is over")));
        }
        let Some(action) = state.action(table, number) else {
            return Err(not_legal(py, format!("action: {number} is no move in this state")));
        };
        let checked = state.check(table, &action);
        checked.map(|()| action).map_err(|error| illegal(py, &format!("action: {number}"), &error))
    }

    fn read(&self, py: Python<'_>, wire_move: Json) -> PyResult<Action> {
        let word: WireMove = wire_move.read("move")?;
        let action = Patchwork::read(self.game.equipment(), &word);
        let action = action.map_err(|error| illegal(py, "move", &error))?;
        let checked = self.game.state().check(self.game.table(), &action);
        checked.map(|()| action).map_err(|error| illegal(py, "move", &error))
    }

    fn push(&mut self, py: Python<'_>, action: &Action) -> PyResult<()> {
        let before = self.game.clone();
        let seat = before.to_move().unwrap_or(SEATS);
        self.game.play(seat, action).map_err(|error| illegal(py, "move", &error))?;
        self.past.push(before);
        Ok(())
    }
}

#[pymethods]
impl PatchworkState {
    #[new]
    #[pyo3(signature = (seed = Int::ZERO, rules = Arg(Ok(None))), text_signature = "(seed=0, rules=None)")]
    fn new(seed: Int, rules: Arg<Option<Bound<'_, PatchworkRules>>>) -> PyResult<PatchworkState> {
        let rules = rules.named("rules")?;
        let equipment = rules.as_ref().map_or(&*STANDARD, |rules| &rules.get().equipment);
        let deal = Patchwork::deal(equipment, SEATS, seed.seed()?).map_err(wrong)?;
        let game = Patchwork::new(equipment, &deal).map_err(wrong)?;
        Ok(PatchworkState { game, before: 0, past: Vec::new() })
    }

    #[staticmethod]
    fn _restored(
        rules: &Bound<'_, PatchworkRules>,
        state: Json,
        seat: Int,
        decision: Int,
    ) -> PyResult<PatchworkState> {
        let before = decision.within("decision", 0..=u32::MAX / 2)?;
        Ok(PatchworkState { before, ..rules.get().state(state, seat)? })
    }

    /// The rules of the match.
    #[getter]
    fn rules(&self) -> PatchworkRules {
        PatchworkRules { equipment: Arc::clone(self.game.equipment()) }
    }

    /// The seat that must move, 0 or 1; `None` when the match is over.
    #[getter]
    fn to_move(&self) -> Option<usize> {
        self.game.to_move()
    }

    /// True if the match is over.
    #[getter]
    fn is_over(&self) -> bool {
        self.game.to_move().is_none()
    }

    /// Number of decisions so far. A leather patch is a decision.
    #[getter]
    fn decision(&self) -> u32 {
        self.before + self.game.decision()
    }

    /// Points of both seats if the match ended now.
    #[getter]
    fn scores(&self) -> (i32, i32) {
        let [first, second] = self.game.state().players().each_ref().map(|player| player.score());
        (first, second)
    }

    /// Ranks of both seats if the match ended now, from 1.
    #[getter]
    fn ranks(&self) -> (u32, u32) {
        let ranks = self.game.outcome().ranks;
        (ranks[0], ranks[1])
    }

    /// The numbers of the legal moves, ascending; empty when the match is over.
    fn legal_actions(&self) -> Vec<usize> {
        self.mask().iter().collect()
    }

    /// How many moves are legal.
    fn legal_count(&self) -> u32 {
        self.mask().len()
    }

    /// The legal moves as int8, shape (2026,): 1 for legal ones. `out` is filled if it is given.
    #[pyo3(signature = (out = None))]
    fn legal_mask<'py>(&self, py: Python<'py>, out: Out<'py>) -> Array<'py> {
        mask_array(py, out, &self.mask(), PATCHWORK)
    }

    /// Plays the move with this number. Raises `IllegalMove` if it is not legal, and `IndexError` if no move has it.
    fn play(&mut self, py: Python<'_>, action: Int) -> PyResult<()> {
        let action = self.legal(py, action)?;
        self.push(py, &action)
    }

    /// Plays a move as bots write it, as `str`, `bytes`, or `dict`. Raises `IllegalMove` with the broken rule.
    fn play_move(&mut self, py: Python<'_>, r#move: Json) -> PyResult<()> {
        let action = self.read(py, r#move)?;
        self.push(py, &action)
    }

    /// Takes back the last move. Raises `IndexError` at the beginning. A clone, and a state from JSON or pickle,
    /// begins anew.
    fn undo(&mut self) -> PyResult<()> {
        let before = self.past.pop();
        self.game = before.ok_or_else(|| PyIndexError::new_err("there is no move to take back"))?;
        Ok(())
    }

    /// The number of a move as bots write it. Raises `IllegalMove` if it is not legal.
    fn action(&self, py: Python<'_>, r#move: Json) -> PyResult<usize> {
        let action = self.read(py, r#move)?;
        let number = self.game.state().number(self.game.table(), &action);
        number.ok_or_else(|| not_legal(py, "move: it has no number".to_owned()))
    }

    /// The legal move with this number, as the JSON of an answer.
    fn move_json(&self, py: Python<'_>, action: Int) -> PyResult<String> {
        let action = self.legal(py, action)?;
        written(|line| Patchwork::write_move(&Patchwork::write(self.game.equipment(), &action), line))
    }

    /// The legal move with this number, as a `dict`.
    #[pyo3(name = "move")]
    fn move_of<'py>(&self, py: Python<'py>, action: Int) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.move_json(py, action)?)
    }

    /// The `state` of a `turn` message, the same for both seats. With the seat to move, it is a key of the match as
    /// it stands.
    fn state_json(&self) -> PyResult<String> {
        written(|line| self.game.write_state(0, line))
    }

    /// What a seat sees as float32, shape (212,): `PATCHWORK_SLICES` names the parts, and `PATCHWORK_SCALE` brings
    /// them near 1. With `planes` it is shape (431,), as in `PATCHWORK_PLANES`: five boards, and numbers from -1 to 10.
    /// By default the seat to move; seat 0 when the match is over. `out` is filled if it is given.
    #[pyo3(signature = (seat = None, out = None, *, planes = Arg(Ok(false))), text_signature = "($self, seat=None, out=None, *, planes=False)")]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        seat: Option<Int>,
        out: Out<'py>,
        planes: Arg<bool>,
    ) -> Array<'py> {
        let (seat, planes) = (self.seat(seat)?, planes.named("planes")?);
        let seen = observation(self.game.table(), self.game.state(), seat);
        floats::<Patchwork>(py, out, self.game.equipment(), &seen, planes)
    }

    /// All legal moves, and what the seat to move sees after each: uint16, shape (moves,), and float32, shape (moves,
    /// 212).
    fn afterstates<'py>(&self, py: Python<'py>) -> ByNumber<'py> {
        let (table, seat, mask) = (self.game.table(), self.seat(None)?, self.mask());
        let mut seen = Vec::with_capacity(mask.len() as usize * FEATURES);
        afterstates(table, self.game.state(), seat, &mask, |_, row| seen.extend(row.map(f32::from)));
        by_number(py, mask.iter().collect(), seen, Some(FEATURES))
    }

    /// All legal moves, and for each the mean margin in points of the seat to move after `count` random matches:
    /// uint16, shape (moves,), and float32, shape (moves,).
    #[pyo3(signature = (count, seed = Int::ZERO), text_signature = "($self, count, seed=0)")]
    fn playouts<'py>(&self, py: Python<'py>, count: Int, seed: Int) -> ByNumber<'py> {
        let count = count.within("count", 1..=PLAYOUTS_MAX)?;
        let mut chance = Dealer::new(seed.seed()?, PLAYOUTS);
        let (game, seat) = (self.game.clone(), self.seat(None)?);
        let sign = if seat == 0 { 1 } else { -1 };
        let numbers: Vec<usize> = self.mask().iter().collect();
        let mut signals = Signals::new();
        let mut mean = |number: &usize| {
            let mut after = *game.state();
            if let Some(action) = after.action(game.table(), *number) {
                after.apply(game.table(), action);
            }
            let margins = (0..count).map(|_| {
                signals.check()?;
                let mut state = after;
                state.play_out(game.table(), |bound| chance.below(bound));
                Ok(i64::from(sign * margin(&state)))
            });
            margins.sum::<PyResult<i64>>().map(|sum| sum as f32 / count as f32)
        };
        let means = py.detach(|| numbers.iter().map(&mut mean).collect::<PyResult<_>>())?;
        by_number(py, numbers, means, None)
    }

    /// A picture as uint8, shape (height, width, 3), 100 to 4,000 pixels on each side.
    #[pyo3(signature = (width = Int::WIDTH, height = Int::HEIGHT), text_signature = "($self, width=600, height=400)")]
    fn rgb_array<'py>(&self, py: Python<'py>, width: Int, height: Int) -> Array<'py> {
        drawn(py, &self.scene(), width, height)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        html(py, &self.scene())
    }

    /// A copy without the past: it cannot be undone. `copy.copy` keeps the past.
    fn clone(&self) -> PatchworkState {
        PatchworkState { game: self.game.clone(), before: self.before, past: Vec::new() }
    }

    fn __copy__(&self) -> PatchworkState {
        PatchworkState { past: self.past.clone(), ..self.clone() }
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PatchworkState {
        self.__copy__()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, (PatchworkRules, String, usize, u32)> {
        let state = slf.try_borrow()?;
        // When the match is over, the last mover is the one that was not the first on the last space.
        let last = || usize::from(state.game.state().players()[0].was_first);
        let seat = state.game.to_move().unwrap_or_else(last);
        let args = (state.rules(), state.state_json()?, seat, state.decision());
        Ok((slf.getattr("_restored")?, args))
    }

    fn __eq__(&self, other: &PatchworkState) -> bool {
        self.game.equipment().setup() == other.game.equipment().setup() && self.game.key() == other.game.key()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.game.key().hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> String {
        let state = self.game.state();
        let [first, second] = state.players();
        let quilts = [first, second].map(|player| player.board.to_string());
        let mut text = String::new();
        for (left, right) in quilts[0].lines().zip(quilts[1].lines()) {
            text += &format!("{left}   {right}\n");
        }
        for (name, [left, right]) in [
            ("buttons", [first.buttons, second.buttons]),
            ("income", [first.income, second.income]),
            ("space", [first.space.into(), second.space.into()]),
        ] {
            text += &format!("{left:<12}{right:<12}{name}\n");
        }
        let names: Vec<String> =
            state.offer(self.game.table()).map(|id| self.game.equipment().name(id).to_string()).collect();
        match self.game.to_move() {
            Some(seat) => text + &format!("seat {seat} to move; on offer: {}", names.join(" ")),
            None => text + &format!("over, {} : {}", first.score(), second.score()),
        }
    }

    fn __repr__(&self) -> String {
        let (first, second) = self.scores();
        format!("<PatchworkState, decision {}, scores {first} and {second}>", self.decision())
    }
}
