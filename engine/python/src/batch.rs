//! Many matches that step together and write into arrays that stay the same objects.

use std::sync::Arc;

use bots::{Bundled, Place, Strategy};
use engine::cpu::with_vectors;
use engine::dealer::Dealer;
use engine::doodle::{self as rules_of_doodle, Doodle, Step, Steps};
use engine::game::{Game, SetupError};
use engine::numbers::{DOODLE, Mask, PATCHWORK, WORDS};
use engine::patchwork::{Patchwork, State, Table};
use numpy::{Ix1, Ix2};
use pyo3::PyClass;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::args::{Int, TIME_MS};
use crate::arrays::{Kept, actions, filled};
use crate::bot::bundled;
use crate::doodle::{self, DoodleRules};
use crate::errors::not_legal;
use crate::patchwork::{self, PatchworkRules, margin};

/// The most matches of a batch.
const COUNT_MAX: usize = 1 << 20;
/// The stream of random actions.
const SAMPLES: u64 = 103;

/// A match in a batch.
trait Slot: Sized + Send + Sync {
    type Game: Game;
    /// How many numbers its moves have, and what it sees.
    const NUMBERS: usize;
    const FEATURES: usize;

    /// A new match, in which it is the caller's turn.
    fn new(game: Self::Game, opponent: Option<&'static Bundled>, place: Place<Self::Game>) -> Self;

    /// Plays a legal number, and the opponent's moves until it is the caller's turn again.
    fn play(&mut self, number: usize);

    fn is_over(&self) -> bool;

    /// The legal numbers.
    fn mask(&self) -> Mask;

    /// Writes what the caller sees.
    fn see(&self, out: &mut [i16]);
}

/// What the batches of both games share.
struct Many<S: Slot> {
    slots: Vec<(S, Mask)>,
    rules: Arc<<S::Game as Game>::Equipment>,
    seats: usize,
    /// The seed of the next deal.
    next: u64,
    opponent: Option<&'static Bundled>,
    nodes: Option<u64>,
    bytes: Kept<u8, Ix2>,
    bits: Kept<u64, Ix2>,
    seen: Kept<i16, Ix2>,
    dones: Kept<bool, Ix1>,
    chance: Dealer,
    actions: Vec<i64>,
    steps: u64,
    matches: u64,
}

/// The options of both batches.
struct Options<'a> {
    count: Int,
    seed: Int,
    mask: Option<&'a str>,
    observation: bool,
    opponent: Option<&'a str>,
    nodes: Option<Int>,
}

/// Opens arrays for writing, and names their slices.
macro_rules! slices {
    ($py:ident, $from:expr => $($name:ident),* ; $body:expr) => {{
        $(let mut $name = $from.$name.write($py)?;)*
        $(let $name = $name.as_slice_mut().map_err(|error| PyValueError::new_err(error.to_string()))?;)*
        $body
    }};
}

/// The part of a match in an array with a row for each; nothing if the array is empty.
#[inline(always)]
fn row<T>(array: &mut [T], place: usize, length: usize) -> Option<&mut [T]> {
    array.get_mut(place * length..(place + 1) * length)
}

impl<S: Slot> Many<S> {
    fn new(
        py: Python<'_>,
        rules: &Arc<<S::Game as Game>::Equipment>,
        seats: usize,
        options: Options<'_>,
    ) -> PyResult<Many<S>> {
        let count = options.count.within("count", 1..=COUNT_MAX)?;
        let rows = |wanted: bool| if wanted { count } else { 0 };
        if let Some(other) = options.mask.filter(|mask| !["bytes", "bits"].contains(mask)) {
            return Err(PyValueError::new_err(format!(
                "mask: {other:?} is not \"bytes\", \"bits\", or None"
            )));
        }
        let seed = options.seed.seed()?;
        let mut many = Many {
            slots: Vec::with_capacity(count),
            rules: Arc::clone(rules),
            seats,
            next: seed,
            opponent: options.opponent.map(|name| bundled("opponent", name)).transpose()?,
            nodes: options.nodes.map(|nodes| nodes.within("nodes", 1..=u64::MAX)).transpose()?,
            bytes: Kept::new(py, "mask", (rows(options.mask == Some("bytes")), S::NUMBERS))?,
            bits: Kept::new(py, "mask", (rows(options.mask == Some("bits")), WORDS))?,
            seen: Kept::new(py, "observation", (rows(options.observation), S::FEATURES))?,
            dones: Kept::new(py, "dones", count)?,
            chance: Dealer::new(seed, SAMPLES),
            actions: Vec::with_capacity(count),
            steps: 0,
            matches: 0,
        };
        for _ in 0..count {
            let slot = many.deal().map_err(|error| PyValueError::new_err(error.to_string()))?;
            many.slots.push((slot, Mask::EMPTY));
        }
        Ok(many)
    }

    fn deal(&mut self) -> Result<S, SetupError> {
        let (seed, seats) = (self.next, self.seats);
        self.next = self.next.wrapping_add(1);
        let game = S::Game::new(&self.rules, &S::Game::deal(&self.rules, seats, seed)?)?;
        // In matches of two seats, the caller has seat 0 with even seeds.
        let seat = if seats == 2 { 1 - (seed % 2) as usize } else { 0 };
        let place = Place { equipment: Arc::clone(&self.rules), seat, seats, seed, nodes: self.nodes };
        Ok(S::new(game, self.opponent, place))
    }

    /// Reads the actions of a step. Every one must be in its mask.
    fn read(&mut self, given: &Bound<'_, PyAny>) -> PyResult<()> {
        actions(given, self.slots.len(), &mut self.actions)?;
        let is_legal = |((_, mask), &action): (&(S, Mask), &i64)| {
            usize::try_from(action).is_ok_and(|number| mask.contains(number))
        };
        match self.slots.iter().zip(&self.actions).position(|pair| !is_legal(pair)) {
            None => Ok(()),
            Some(place) => {
                let action = self.actions[place];
                let what = format!("actions: {action} is not legal in match {place}, no match has moved");
                Err(not_legal(given.py(), what))
            }
        }
    }

    /// A random legal action for each match.
    fn sample<'py>(
        &mut self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (chance, slots) = (&mut self.chance, &self.slots);
        let fill = |actions: &mut [i64]| {
            for (action, (_, mask)) in actions.iter_mut().zip(slots) {
                *action = mask.nth(chance.below(mask.len())).unwrap_or(0) as i64;
            }
        };
        Ok(filled(py, out, slots.len(), fill)?.into_any())
    }

    /// Plays the actions that were read, or none, and writes all arrays. `note` gets each match before it is dealt anew, and
    /// true if it is over.
    fn advance(
        &mut self,
        py: Python<'_>,
        plays: bool,
        mut note: impl FnMut(usize, &S, bool) + Send,
    ) -> PyResult<()> {
        let done = slices!(py, self => bytes, bits, seen, dones; py.detach(|| {
            // Taken out, so that the loop can deal.
            let mut slots = std::mem::take(&mut self.slots);
            let done = with_vectors(#[inline(always)] || -> Result<(), SetupError> {
                for (place, (slot, mask)) in slots.iter_mut().enumerate() {
                    if plays {
                        slot.play(self.actions[place] as usize);
                    }
                    dones[place] = slot.is_over();
                    note(place, slot, dones[place]);
                    if dones[place] {
                        *slot = self.deal()?;
                        self.matches += 1;
                    }
                    *mask = slot.mask();
                    if let Some(row) = row(bytes, place, S::NUMBERS) {
                        mask.write(row);
                    }
                    if let Some(row) = row(bits, place, WORDS) {
                        row.copy_from_slice(mask.words());
                    }
                    if let Some(row) = row(seen, place, S::FEATURES) {
                        slot.see(row);
                    }
                }
                Ok(())
            });
            self.slots = slots;
            done
        }));
        self.steps += if plays { self.slots.len() as u64 } else { 0 };
        done.map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// The batch for this thread alone.
///
/// # Errors
/// `RuntimeError` if another thread steps it.
fn alone<'py, B: PyClass<Frozen = pyo3::pyclass::boolean_struct::False>>(
    batch: &Bound<'py, B>,
) -> PyResult<PyRefMut<'py, B>> {
    let busy = "batch: another thread steps it, and only one can at a time";
    batch.try_borrow_mut().map_err(|_| PyRuntimeError::new_err(busy))
}

/// Adds the methods and arrays that both batches have to those of one.
macro_rules! batch_methods {
    ($batch:ident { $($own:tt)* }) => {
        #[pymethods]
        impl $batch {
            $($own)*

            /// A random legal number for each match, as int64, shape (N,). `out` is filled if it is given.
            #[pyo3(signature = (out = None))]
            fn sample<'py>(slf: &Bound<'py, Self>, out: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
                alone(slf)?.many.sample(slf.py(), out)
            }

            fn __len__(&self) -> usize {
                self.many.slots.len()
            }

            /// The legal numbers: uint8, a row of 0 and 1 for each match; or as bits uint64, shape (N, 32), the lowest bit
            /// first.
            #[getter]
            fn mask<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
                self.many.bytes.shared(py).or_else(|| self.many.bits.shared(py))
            }

            /// What the seat to move sees: int16, a row for each match with the same numbers as `observation` of a state.
            #[getter]
            fn observation<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
                self.many.seen.shared(py)
            }

            /// True if the match ended in the last step: bool, shape (N,).
            #[getter]
            fn dones<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
                self.many.dones.shared(py)
            }

            /// Number of steps so far, summed over all matches.
            #[getter]
            fn steps(&self) -> u64 {
                self.many.steps
            }

            /// Number of matches that have ended.
            #[getter]
            fn matches(&self) -> u64 {
                self.many.matches
            }
        }
    };
}

/// A match of Patchwork.
struct PatchworkSlot {
    table: Arc<Table>,
    state: State,
    /// The opponent with its seat, if there is one.
    opponent: Option<(usize, Box<dyn Strategy<Patchwork>>)>,
}

impl Slot for PatchworkSlot {
    type Game = Patchwork;
    const NUMBERS: usize = PATCHWORK;
    const FEATURES: usize = patchwork::FEATURES;

    fn new(
        game: Patchwork,
        opponent: Option<&'static Bundled>,
        mut place: Place<Patchwork>,
    ) -> PatchworkSlot {
        place.nodes = place.nodes.or(opponent.and_then(|bot| bot.nodes).map(|[_, patchwork]| patchwork));
        let opponent = opponent.map(|bot| (place.seat, (bot.patchwork)(place)));
        let mut slot = PatchworkSlot { table: Arc::clone(game.table()), state: *game.state(), opponent };
        slot.answer();
        slot
    }

    #[inline(always)]
    fn play(&mut self, number: usize) {
        if let Some(action) = self.state.action(&self.table, number) {
            self.state.apply(&self.table, action);
            self.answer();
        }
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.state.is_over(&self.table)
    }

    #[inline(always)]
    fn mask(&self) -> Mask {
        self.state.mask(&self.table)
    }

    #[inline(always)]
    fn see(&self, out: &mut [i16]) {
        out.copy_from_slice(&patchwork::observation(&self.table, &self.state, self.to_move()));
    }
}

impl PatchworkSlot {
    /// Plays the opponent's moves until the caller must move or the match is over.
    #[inline(always)]
    fn answer(&mut self) {
        let Some((own, bot)) = &mut self.opponent else { return };
        while self.state.to_move(&self.table) == Some(*own) {
            let action = bot.choose(&self.state.observe(&self.table), TIME_MS);
            self.state.apply(&self.table, action);
        }
    }

    fn to_move(&self) -> usize {
        self.state.to_move(&self.table).unwrap_or(0)
    }
}

/// Many matches of Patchwork that step together.
///
/// The arrays stay the same objects, and each step writes them anew. Match `n` of the beginning has the deal of
/// `seed + n`. A match that ends is dealt anew in the same step with the next seed: `rewards`, `scores`, and `dones` are
/// those of the match that ended, all other arrays those of the new one. Steps release the interpreter lock.
///
/// - `mask` is `"bytes"`, `"bits"`, or `None`; without `observation`, that array is `None`.
/// - `reward` is `"win"`, 1 or -1 at the end, or `"margin"` in points.
/// - `opponent` is the name of a bundled bot that plays the other seat. You have seat 0 in matches with even seeds.
///   `nodes` bounds its search.
///
/// >>> batch = PatchworkBatch(4, seed=1)
/// >>> batch.step(batch.sample())
/// >>> batch.mask.shape, batch.observation.shape, batch.to_move.tolist()
/// ((4, 2026), (4, 212), [1, 1, 1, 1])
#[pyclass(module = "quilt_engine")]
pub(crate) struct PatchworkBatch {
    many: Many<PatchworkSlot>,
    by_margin: bool,
    /// The seat to move: int8, shape (N,).
    #[pyo3(get)]
    to_move: Kept<i8, Ix1>,
    /// What both seats earned in the last step: float32, shape (N, 2).
    #[pyo3(get)]
    rewards: Kept<f32, Ix2>,
    /// Points of both seats if the match ended in the last step, otherwise 0: int16, shape (N, 2).
    #[pyo3(get)]
    scores: Kept<i16, Ix2>,
}

impl PatchworkBatch {
    fn advance(&mut self, py: Python<'_>, plays: bool) -> PyResult<()> {
        let by_margin = self.by_margin;
        slices!(py, self => to_move, rewards, scores; {
            self.many.advance(py, plays, |place, slot, is_over| {
                let lead = margin(&slot.state);
                let is_first = (lead, slot.state.players()[0].was_first) > (0, false);
                let won = if is_first { 1.0 } else { -1.0 };
                let value = if by_margin { lead as f32 } else { won };
                let (reward, score) = (&mut rewards[2 * place..2 * place + 2], &mut scores[2 * place..2 * place + 2]);
                reward.fill(0.0);
                score.fill(0);
                if is_over {
                    reward.copy_from_slice(&[value, -value]);
                    score.copy_from_slice(&slot.state.players().each_ref().map(|player| player.score() as i16));
                }
            })?;
            for (to, (slot, _)) in to_move.iter_mut().zip(&self.many.slots) {
                *to = slot.to_move() as i8;
            }
            Ok(())
        })
    }
}

batch_methods! { PatchworkBatch {
    #[new]
    #[pyo3(signature = (count, seed = Int::ZERO, *, mask = Some("bytes"), observation = true, reward = "win", opponent = None, nodes = None, rules = None), text_signature = "(count, seed=0, *, mask='bytes', observation=True, reward='win', opponent=None, nodes=None, rules=None)")]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn new(
        py: Python<'_>,
        count: Int,
        seed: Int,
        mask: Option<&str>,
        observation: bool,
        reward: &str,
        opponent: Option<&str>,
        nodes: Option<Int>,
        rules: Option<&Bound<'_, PatchworkRules>>,
    ) -> PyResult<PatchworkBatch> {
        if !["win", "margin"].contains(&reward) {
            return Err(PyValueError::new_err(format!("reward: {reward:?} is not \"win\" or \"margin\"")));
        }
        let rules = rules.map_or(&*patchwork::STANDARD, |rules| &rules.get().equipment);
        if observation {
            patchwork::has_room(rules).map_err(PyValueError::new_err)?;
        }
        let options = Options { count, seed, mask, observation, opponent, nodes };
        let many = Many::new(py, rules, 2, options)?;
        let count = many.slots.len();
        let mut batch = PatchworkBatch {
            many,
            by_margin: reward == "margin",
            to_move: Kept::new(py, "to_move", count)?,
            rewards: Kept::new(py, "rewards", (count, 2))?,
            scores: Kept::new(py, "scores", (count, 2))?,
        };
        batch.advance(py, false)?;
        Ok(batch)
    }

    /// Plays a number in each match: `actions` is int64, int32, or uint16, shape (N,). Raises `IllegalMove` if one is not
    /// legal; then no match has moved.
    fn step(slf: &Bound<'_, Self>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut batch = alone(slf)?;
        batch.many.read(actions)?;
        batch.advance(slf.py(), true)
    }
} }

/// A match of doodle with one seat.
struct DoodleSlot {
    /// The match at its beginning, with all that stays.
    game: Doodle,
    state: rules_of_doodle::State,
    steps: Steps,
    /// What the last step changed in the score.
    gained: i32,
    /// The opponent's score on this deal, 0 without an opponent.
    opponent: i32,
}

impl Slot for DoodleSlot {
    type Game = Doodle;
    const NUMBERS: usize = DOODLE;
    const FEATURES: usize = doodle::FEATURES;

    fn new(game: Doodle, opponent: Option<&'static Bundled>, mut place: Place<Doodle>) -> DoodleSlot {
        place.nodes = place.nodes.or(opponent.and_then(|bot| bot.nodes).map(|[doodle, _]| doodle));
        let score = opponent.map(|bot| {
            let (mut game, mut bot) = (game.clone(), (bot.doodle)(place));
            while game.owes(0) {
                if game.play(0, &bot.choose(&game.observe(0), TIME_MS)).is_err() {
                    game.withdraw(0);
                }
            }
            game.outcome().scores[0]
        });
        let (state, opponent) = (rules_of_doodle::State::NEW, score.unwrap_or(0));
        DoodleSlot { game, state, steps: Steps::NEW, gained: 0, opponent }
    }

    #[inline(always)]
    fn play(&mut self, number: usize) {
        let (table, before) = (self.game.table(0), self.state.sheet.score());
        match self.state.moves(table).and_then(|moves| self.steps.after(&moves, number)) {
            Some(Step::Next(next)) => self.steps = next,
            Some(Step::Move(action, uses)) => {
                self.state.apply(table.timeline, &action, uses);
                self.steps = Steps::NEW;
            }
            None => {}
        }
        self.gained = self.state.sheet.score() - before;
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.state.is_over()
    }

    #[inline(always)]
    fn mask(&self) -> Mask {
        self.state.moves(self.game.table(0)).map_or(Mask::EMPTY, |moves| self.steps.mask(&moves))
    }

    #[inline(always)]
    fn see(&self, out: &mut [i16]) {
        let (sheet, turn) = (&self.state.sheet, self.state.turn.into());
        out.copy_from_slice(&doodle::observation(self.game.table(0), sheet, turn, Some(self.steps)));
    }
}

/// Many matches of Patchwork Doodle with one seat each, which step together. Seats do not affect each other, so a table of
/// more seats is the same matches with more start cards.
///
/// The arrays stay the same objects, and each step writes them anew. Matches are dealt as in `PatchworkBatch`. Steps
/// release the interpreter lock.
///
/// - `mask` is `"bytes"`, `"bits"`, or `None`; without `observation`, that array is `None`.
/// - `reward` is `"score"`, the change of the score; or against an `opponent` at the end `"margin"` in points or
///   `"win"`, 1, 0, or -1.
/// - `opponent` is the name of a bundled bot that plays the same deal. `nodes` bounds its search.
///
/// >>> batch = DoodleBatch(4, seed=1)
/// >>> batch.step(batch.sample())
/// >>> batch.observation.shape, batch.rewards.dtype
/// ((4, 217), dtype('float32'))
#[pyclass(module = "quilt_engine")]
pub(crate) struct DoodleBatch {
    many: Many<DoodleSlot>,
    reward: Reward,
    /// What the last step earned: float32, shape (N,).
    #[pyo3(get)]
    rewards: Kept<f32, Ix1>,
    /// Points if the match ended in the last step, otherwise 0: int16, shape (N,).
    #[pyo3(get)]
    scores: Kept<i16, Ix1>,
}

/// What a match of doodle earns.
#[derive(Clone, Copy, PartialEq)]
enum Reward {
    Score,
    Margin,
    Win,
}

impl DoodleBatch {
    fn advance(&mut self, py: Python<'_>, plays: bool) -> PyResult<()> {
        let reward = self.reward;
        slices!(py, self => rewards, scores; self.many.advance(py, plays, |place, slot, is_over| {
            let score = slot.state.sheet.score();
            scores[place] = if is_over { score as i16 } else { 0 };
            rewards[place] = match reward {
                Reward::Score => slot.gained as f32,
                Reward::Margin if is_over => (score - slot.opponent) as f32,
                Reward::Win if is_over => (score - slot.opponent).signum() as f32,
                _ => 0.0,
            };
        }))
    }
}

batch_methods! { DoodleBatch {
    #[new]
    #[pyo3(signature = (count, seed = Int::ZERO, *, mask = Some("bytes"), observation = true, reward = "score", opponent = None, nodes = None, rules = None), text_signature = "(count, seed=0, *, mask='bytes', observation=True, reward='score', opponent=None, nodes=None, rules=None)")]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn new(
        py: Python<'_>,
        count: Int,
        seed: Int,
        mask: Option<&str>,
        observation: bool,
        reward: &str,
        opponent: Option<&str>,
        nodes: Option<Int>,
        rules: Option<&Bound<'_, DoodleRules>>,
    ) -> PyResult<DoodleBatch> {
        let reward = match (reward, opponent) {
            ("score", _) => Ok(Reward::Score),
            ("margin", Some(_)) => Ok(Reward::Margin),
            ("win", Some(_)) => Ok(Reward::Win),
            ("margin" | "win", None) => Err(format!("reward: {reward:?} needs an opponent")),
            _ => Err(format!("reward: {reward:?} is not \"score\", \"margin\", or \"win\"")),
        };
        let reward = reward.map_err(PyValueError::new_err)?;
        let rules = rules.map_or(&*doodle::STANDARD, |rules| &rules.get().equipment);
        if observation {
            doodle::has_room(rules).map_err(PyValueError::new_err)?;
        }
        let options = Options { count, seed, mask, observation, opponent, nodes };
        let many = Many::new(py, rules, 1, options)?;
        let count = many.slots.len();
        let (rewards, scores) = (Kept::new(py, "rewards", count)?, Kept::new(py, "scores", count)?);
        let mut batch = DoodleBatch { many, reward, rewards, scores };
        batch.advance(py, false)?;
        Ok(batch)
    }

    /// Plays a number in each match: `actions` is int64, int32, or uint16, shape (N,). Raises `IllegalMove` if one is not
    /// legal; then no match has moved.
    fn step(slf: &Bound<'_, Self>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut batch = alone(slf)?;
        batch.many.read(actions)?;
        batch.advance(slf.py(), true)
    }
} }
