//! Many matches that step together and write into arrays that stay the same objects.

use std::sync::Arc;

use bots::{Bundled, Place, Strategy};
use engine::cpu::with_vectors;
use engine::dealer::Dealer;
use engine::doodle::{Doodle, State as DoodleSlotState, Step, Steps};
use engine::game::Game;
use engine::numbers::{DOODLE, Mask, PATCHWORK, WORDS};
use engine::patchwork::{Patchwork, State, Table};
use numpy::{Ix1, Ix2, Ix4};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::args::{Int, TIME_MS};
use crate::arrays::{Kept, actions, filled};
use crate::bot::bundled;
use crate::doodle::{self, DoodleRules, Seen};
use crate::errors::not_legal;
use crate::patchwork::{self, CELLS, PatchworkRules, margin, write_seen};

/// The most matches of a batch.
const COUNT_MAX: usize = 1 << 20;
/// The stream of random actions.
const SAMPLES: u64 = 103;
/// Rows and columns of a board.
const SIDE: usize = 9;

/// The form of masks.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Bytes,
    Bits,
    None,
}

impl Form {
    fn read(mask: Option<&str>) -> PyResult<Form> {
        match mask {
            None => Ok(Form::None),
            Some("bytes") => Ok(Form::Bytes),
            Some("bits") => Ok(Form::Bits),
            Some(other) => {
                Err(PyValueError::new_err(format!("mask: {other:?} is not \"bytes\", \"bits\", or None")))
            }
        }
    }
}

/// What both games keep: the masks, in the form that the caller wants, and random numbers.
struct Masks {
    numbers: usize,
    bytes: Kept<u8, Ix2>,
    bits: Kept<u64, Ix2>,
    chance: Dealer,
    actions: Vec<i64>,
}

impl Masks {
    fn new(py: Python<'_>, count: usize, numbers: usize, form: Form, seed: u64) -> PyResult<Masks> {
        let rows = |wanted: Form| if form == wanted { count } else { 0 };
        Ok(Masks {
            numbers,
            bytes: Kept::new(py, "mask", (rows(Form::Bytes), numbers))?,
            bits: Kept::new(py, "mask", (rows(Form::Bits), WORDS))?,
            chance: Dealer::new(seed, SAMPLES),
            actions: Vec::with_capacity(count),
        })
    }

    fn shared<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.bytes.shared(py).or_else(|| self.bits.shared(py))
    }

    /// Reads the actions of a step. Every one must be in its mask.
    fn read<'m>(
        &mut self,
        given: &Bound<'_, PyAny>,
        count: usize,
        masks: impl Iterator<Item = &'m Mask>,
    ) -> PyResult<()> {
        actions(given, count, &mut self.actions)?;
        let is_legal =
            |(mask, &action): (&Mask, &i64)| usize::try_from(action).is_ok_and(|it| mask.contains(it));
        match masks.zip(&self.actions).position(|pair| !is_legal(pair)) {
            None => Ok(()),
            Some(place) => {
                let action = self.actions[place];
                let what = format!("actions: {action} is not legal in match {place}, no match has moved");
                Err(not_legal(given.py(), what))
            }
        }
    }

    /// A random legal action for each match.
    fn sample<'py, 'm>(
        &mut self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
        count: usize,
        masks: impl Iterator<Item = &'m Mask>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let chance = &mut self.chance;
        let fill = |actions: &mut [i64]| {
            for (action, mask) in actions.iter_mut().zip(masks) {
                *action = mask.nth(chance.below(mask.len())).unwrap_or(0) as i64;
            }
        };
        Ok(filled(py, out, count, fill)?.into_any())
    }
}

/// The rows of the masks while matches step.
struct MaskRows<'a> {
    numbers: usize,
    bytes: &'a mut [u8],
    bits: &'a mut [u64],
}

impl MaskRows<'_> {
    #[inline(always)]
    fn write(&mut self, place: usize, mask: &Mask) {
        if !self.bytes.is_empty() {
            mask.write_inline(&mut self.bytes[place * self.numbers..(place + 1) * self.numbers]);
        }
        if !self.bits.is_empty() {
            self.bits[place * WORDS..(place + 1) * WORDS].copy_from_slice(mask.words());
        }
    }
}

/// Opens arrays for writing: `slices!(py, self: a, b; then { ... })` names their slices.
macro_rules! slices {
    ($py:ident, $from:expr => $($name:ident),* ; $body:expr) => {{
        $(let mut $name = $from.$name.write($py)?;)*
        $(let $name = $name.as_slice_mut().map_err(|error| PyValueError::new_err(error.to_string()))?;)*
        $body
    }};
}

/// The part of a row in an array with rows for each match, or nothing if the array is empty.
#[inline(always)]
fn row<T>(array: &mut [T], place: usize, length: usize) -> &mut [T] {
    if array.is_empty() { array } else { &mut array[place * length..(place + 1) * length] }
}

/// A match of Patchwork in a batch.
struct PatchworkSlot {
    table: Arc<Table>,
    state: State,
    mask: Mask,
    /// The seat of the caller and the opponent, if there is one.
    opponent: Option<(usize, Box<dyn Strategy<Patchwork>>)>,
}

/// How matches of Patchwork are dealt.
struct PatchworkDeals {
    rules: Arc<engine::patchwork::Equipment>,
    next: u64,
    opponent: Option<&'static Bundled>,
    nodes: Option<u64>,
}

impl PatchworkDeals {
    fn deal(&mut self) -> PyResult<PatchworkSlot> {
        let seed = self.next;
        self.next = self.next.wrapping_add(1);
        let wrong = |error: engine::game::SetupError| PyValueError::new_err(error.to_string());
        let deal = Patchwork::deal(&self.rules, 2, seed).map_err(wrong)?;
        let game = Patchwork::new(&self.rules, &deal).map_err(wrong)?;
        let opponent = self.opponent.map(|bot| {
            let own = (seed % 2) as usize;
            let equipment = Arc::clone(&self.rules);
            (own, (bot.patchwork)(Place { equipment, seat: 1 - own, seats: 2, seed, nodes: self.nodes }))
        });
        let (table, state) = (Arc::clone(game.table()), *game.state());
        let mut slot = PatchworkSlot { table, state, mask: Mask::EMPTY, opponent };
        slot.answer();
        Ok(slot)
    }
}

impl PatchworkSlot {
    /// Plays the opponent's moves until the caller must move or the match is over.
    fn answer(&mut self) {
        let Some((own, bot)) = &mut self.opponent else { return };
        while self.state.to_move(&self.table).is_some_and(|seat| seat != *own) {
            let action = bot.choose(&self.state.observe(&self.table), TIME_MS);
            self.state.apply(&self.table, action);
        }
    }
}

/// Many matches of Patchwork that step together.
///
/// The arrays stay the same objects, and each step writes them anew. Match `n` of the beginning has the deal of
/// `seed + n`. A match that ends is dealt anew in the same step with the next seed: `rewards`, `scores`, and
/// `dones` are those of the match that ended, all other arrays those of the new one. Steps release the interpreter
/// lock.
///
/// - `mask` is `"bytes"`, `"bits"`, or `None`.
/// - `observation=False` leaves out `quilts`, `circle`, and `numbers`.
/// - `reward` is `"win"`, 1 or -1 at the end, or `"margin"` in points.
/// - `opponent` is the name of a bundled bot that plays the other seat. You have seat 0 in matches with even seeds.
///   `nodes` bounds its search.
///
/// >>> batch = PatchworkBatch(4, seed=1)
/// >>> batch.step(batch.sample())
/// >>> batch.mask.shape, batch.to_move.tolist()
/// ((4, 2026), [1, 1, 1, 1])
#[pyclass(module = "quilt_engine")]
pub(crate) struct PatchworkBatch {
    slots: Vec<PatchworkSlot>,
    deals: PatchworkDeals,
    masks: Masks,
    by_margin: bool,
    /// Number of steps so far, summed over all matches.
    #[pyo3(get)]
    steps: u64,
    /// Number of matches that have ended.
    #[pyo3(get)]
    matches: u64,
    /// The seat to move: int8, shape (N,).
    #[pyo3(get)]
    to_move: Kept<i8, Ix1>,
    /// What both seats earned in the last step: float32, shape (N, 2).
    #[pyo3(get)]
    rewards: Kept<f32, Ix2>,
    /// Points of both seats if the match ended in the last step, otherwise 0: int16, shape (N, 2).
    #[pyo3(get)]
    scores: Kept<i16, Ix2>,
    /// True if the match ended in the last step: bool, shape (N,).
    #[pyo3(get)]
    dones: Kept<bool, Ix1>,
    /// The quilts of the seat to move and of the other one: uint8, shape (N, 2, 9, 9).
    #[pyo3(get)]
    quilts: Kept<u8, Ix4>,
    /// The numbers of the patches, clockwise from the token, 0 behind the last: uint8, shape (N, 33).
    #[pyo3(get)]
    circle: Kept<u8, Ix2>,
    /// The other numbers of `PATCHWORK_SLICES`: int16, shape (N, 17).
    #[pyo3(get)]
    numbers: Kept<i16, Ix2>,
}

impl PatchworkBatch {
    /// Plays an action in each match, or none, and writes all arrays.
    fn advance(&mut self, py: Python<'_>, plays: bool) -> PyResult<()> {
        let PatchworkBatch { slots, deals, masks, by_margin, matches, .. } = self;
        let (numbers, by_margin) = (masks.numbers, *by_margin);
        let played: &[i64] = if plays { &masks.actions } else { &[] };
        slices!(py, masks => bytes, bits; {
            let mut rows = MaskRows { numbers, bytes, bits };
            slices!(py, self => to_move, rewards, scores, dones, quilts, circle, numbers; py.detach(|| {
                with_vectors(#[inline(always)] || -> PyResult<()> {
                    for (place, slot) in slots.iter_mut().enumerate() {
                        let action = played.get(place).and_then(|&it| slot.state.action(&slot.table, it as usize));
                        if let Some(action) = action {
                            slot.state.apply(&slot.table, action);
                            slot.answer();
                        }
                        let is_over = slot.state.is_over(&slot.table);
                        dones[place] = is_over;
                        let (reward, score) = (row(rewards, place, 2), row(scores, place, 2));
                        reward.fill(0.0);
                        score.fill(0);
                        if is_over {
                            let players = slot.state.players();
                            score.copy_from_slice(&players.each_ref().map(|player| player.score() as i16));
                            let is_first = match margin(&slot.state) {
                                0 => players[0].was_first,
                                margin => margin > 0,
                            };
                            let won = if is_first { 1.0 } else { -1.0 };
                            let value = if by_margin { margin(&slot.state) as f32 } else { won };
                            reward.copy_from_slice(&[value, -value]);
                            *slot = deals.deal()?;
                            *matches += 1;
                        }
                        slot.mask = slot.state.mask_inline(&slot.table);
                        rows.write(place, &slot.mask);
                        let seat = slot.state.to_move(&slot.table).unwrap_or(0);
                        to_move[place] = seat as i8;
                        if !circle.is_empty() {
                            write_seen(
                                &slot.table,
                                &slot.state,
                                seat,
                                row(quilts, place, 2 * CELLS),
                                row(circle, place, patchwork::CIRCLE),
                                row(numbers, place, patchwork::NUMBERS),
                            );
                        }
                    }
                    Ok(())
                })
            }))
        })
    }
}

#[pymethods]
impl PatchworkBatch {
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
        let (count, seed) = (count.within("count", 1..=COUNT_MAX)?, seed.seed()?);
        let by_margin = match reward {
            "win" => false,
            "margin" => true,
            other => {
                return Err(PyValueError::new_err(format!("reward: {other:?} is not \"win\" or \"margin\"")));
            }
        };
        let rules = rules.map_or(&*patchwork::STANDARD, |rules| &rules.get().equipment);
        if rules.patches().len() > patchwork::CIRCLE && observation {
            let what = format!("observation: it has room for {} patches in the circle", patchwork::CIRCLE);
            return Err(PyValueError::new_err(what));
        }
        let mut deals = PatchworkDeals {
            rules: Arc::clone(rules),
            next: seed,
            opponent: opponent.map(|name| bundled("opponent", name)).transpose()?,
            nodes: nodes.map(|nodes| nodes.within("nodes", 1..=u64::MAX)).transpose()?,
        };
        let rows = if observation { count } else { 0 };
        let mut batch = PatchworkBatch {
            slots: (0..count).map(|_| deals.deal()).collect::<PyResult<_>>()?,
            deals,
            masks: Masks::new(py, count, PATCHWORK, Form::read(mask)?, seed)?,
            by_margin,
            steps: 0,
            matches: 0,
            to_move: Kept::new(py, "to_move", count)?,
            rewards: Kept::new(py, "rewards", (count, 2))?,
            scores: Kept::new(py, "scores", (count, 2))?,
            dones: Kept::new(py, "dones", count)?,
            quilts: Kept::new(py, "quilts", (rows, 2, SIDE, SIDE))?,
            circle: Kept::new(py, "circle", (rows, patchwork::CIRCLE))?,
            numbers: Kept::new(py, "numbers", (rows, patchwork::NUMBERS))?,
        };
        batch.advance(py, false)?;
        Ok(batch)
    }

    /// Plays a number in each match: `actions` is int64, int32, or uint16, shape (N,). Raises `IllegalMove` if one is
    /// not legal; then no match has moved.
    fn step(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let slots = &self.slots;
        self.masks.read(actions, slots.len(), slots.iter().map(|slot| &slot.mask))?;
        self.advance(py, true)?;
        self.steps += self.slots.len() as u64;
        Ok(())
    }

    /// A random legal number for each match, as int64, shape (N,). `out` is filled if it is given.
    #[pyo3(signature = (out = None))]
    fn sample<'py>(
        &mut self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let slots = &self.slots;
        self.masks.sample(py, out, slots.len(), slots.iter().map(|slot| &slot.mask))
    }

    fn __len__(&self) -> usize {
        self.slots.len()
    }

    /// The legal numbers: uint8, shape (N, 2026), or as bits uint64, shape (N, 32), the lowest bit first.
    #[getter]
    fn mask<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.masks.shared(py)
    }
}

/// A match of doodle in a batch.
struct DoodleSlot {
    /// The match at its beginning, with all that stays.
    game: Doodle,
    state: DoodleSlotState,
    steps: Steps,
    mask: Mask,
    /// The opponent's score on this deal, if there is an opponent.
    opponent: Option<i32>,
}

/// How matches of doodle are dealt.
struct DoodleDeals {
    rules: Arc<engine::doodle::Equipment>,
    next: u64,
    opponent: Option<&'static Bundled>,
    nodes: Option<u64>,
}

impl DoodleDeals {
    fn deal(&mut self) -> PyResult<DoodleSlot> {
        let seed = self.next;
        self.next = self.next.wrapping_add(1);
        let wrong = |error: engine::game::SetupError| PyValueError::new_err(error.to_string());
        let deal = Doodle::deal(&self.rules, 1, seed).map_err(wrong)?;
        let game = Doodle::new(&self.rules, &deal).map_err(wrong)?;
        let opponent = self.opponent.map(|bot| {
            let (mut game, equipment) = (game.clone(), Arc::clone(&self.rules));
            let mut bot = (bot.doodle)(Place { equipment, seat: 0, seats: 1, seed, nodes: self.nodes });
            while game.owes(0) {
                if game.play(0, &bot.choose(&game.observe(0), TIME_MS)).is_err() {
                    game.withdraw(0);
                }
            }
            game.outcome().scores[0]
        });
        Ok(DoodleSlot { game, state: DoodleSlotState::NEW, steps: Steps::NEW, mask: Mask::EMPTY, opponent })
    }
}

/// What a match of doodle earns.
#[derive(Clone, Copy, PartialEq)]
enum Reward {
    Score,
    Margin,
    Win,
}

/// Many matches of Patchwork Doodle with one seat each, which step together. Seats do not affect each other, so a
/// table of more seats is the same matches with more start cards.
///
/// The arrays stay the same objects, and each step writes them anew. Matches are dealt as in `PatchworkBatch`.
/// Steps release the interpreter lock.
///
/// - `mask` is `"bytes"`, `"bits"`, or `None`.
/// - `observation=False` leaves out `boards`, `circle`, `offer`, `unseen`, and `numbers`.
/// - `reward` is `"score"`, the change of the score; or against an `opponent` at the end `"margin"` in points or
///   `"win"`, 1, 0, or -1.
/// - `opponent` is the name of a bundled bot that plays the same deal. `nodes` bounds its search.
///
/// >>> batch = DoodleBatch(4, seed=1)
/// >>> batch.step(batch.sample())
/// >>> batch.boards.shape, batch.rewards.dtype
/// ((4, 2, 9, 9), dtype('float32'))
#[pyclass(module = "quilt_engine")]
pub(crate) struct DoodleBatch {
    slots: Vec<DoodleSlot>,
    deals: DoodleDeals,
    masks: Masks,
    reward: Reward,
    /// Number of steps so far, summed over all matches.
    #[pyo3(get)]
    steps: u64,
    /// Number of matches that have ended.
    #[pyo3(get)]
    matches: u64,
    /// What the last step earned: float32, shape (N,).
    #[pyo3(get)]
    rewards: Kept<f32, Ix1>,
    /// Points if the match ended in the last step, otherwise 0: int16, shape (N,).
    #[pyo3(get)]
    scores: Kept<i16, Ix1>,
    /// True if the match ended in the last step: bool, shape (N,).
    #[pyo3(get)]
    dones: Kept<bool, Ix1>,
    /// The board, and the cells of this move: uint8, shape (N, 2, 9, 9).
    #[pyo3(get)]
    boards: Kept<u8, Ix4>,
    /// The numbers of the cards of the circle, 0 behind the last: uint8, shape (N, 8).
    #[pyo3(get)]
    circle: Kept<u8, Ix2>,
    /// The numbers of the cards in slots 0 to 2: uint8, shape (N, 3).
    #[pyo3(get)]
    offer: Kept<u8, Ix2>,
    /// 1 for each patch card that was never revealed: uint8, shape (N, 30).
    #[pyo3(get)]
    unseen: Kept<u8, Ix2>,
    /// The other numbers of `DOODLE_SLICES`: int16, shape (N, 14).
    #[pyo3(get)]
    numbers: Kept<i16, Ix2>,
}

impl DoodleSlot {
    /// Plays a legal number.
    #[inline(always)]
    fn play(&mut self, number: usize) {
        let table = self.game.table(0);
        let step = self.state.moves(table).and_then(|moves| self.steps.after(&moves, number));
        match step {
            Some(Step::Next(next)) => self.steps = next,
            Some(Step::Move(action, uses)) => {
                self.state.apply(table.timeline, &action, uses);
                self.steps = Steps::NEW;
            }
            None => {}
        }
    }
}

impl DoodleBatch {
    /// Plays an action in each match, or none, and writes all arrays.
    fn advance(&mut self, py: Python<'_>, plays: bool) -> PyResult<()> {
        let DoodleBatch { slots, deals, masks, reward, matches, .. } = self;
        let (count, reward) = (masks.numbers, *reward);
        let played: &[i64] = if plays { &masks.actions } else { &[] };
        slices!(py, masks => bytes, bits; {
            let mut rows = MaskRows { numbers: count, bytes, bits };
            slices!(py, self => rewards, scores, dones, boards, circle, offer, unseen, numbers; py.detach(|| {
                with_vectors(#[inline(always)] || -> PyResult<()> {
                    for (place, slot) in slots.iter_mut().enumerate() {
                        let before = slot.state.sheet.score();
                        if let Some(&number) = played.get(place) {
                            slot.play(number as usize);
                        }
                        let (is_over, score) = (slot.state.is_over(), slot.state.sheet.score());
                        dones[place] = is_over;
                        scores[place] = if is_over { score as i16 } else { 0 };
                        let lead = score - slot.opponent.unwrap_or(0);
                        rewards[place] = match reward {
                            Reward::Score => (score - before) as f32,
                            Reward::Margin if is_over => lead as f32,
                            Reward::Win if is_over => lead.signum() as f32,
                            _ => 0.0,
                        };
                        if is_over {
                            *slot = deals.deal()?;
                            *matches += 1;
                        }
                        let table = slot.game.table(0);
                        if let Some(moves) = slot.state.moves(table) {
                            slot.mask = slot.steps.mask_inline(&moves);
                        }
                        rows.write(place, &slot.mask);
                        if !circle.is_empty() {
                            let mut seen = Seen {
                                boards: row(boards, place, 2 * CELLS),
                                circle: row(circle, place, doodle::CIRCLE),
                                offer: row(offer, place, doodle::OFFER),
                                unseen: row(unseen, place, doodle::CARDS),
                                numbers: row(numbers, place, doodle::NUMBERS),
                            };
                            seen.write(table, &slot.state.sheet, slot.state.turn.into(), Some(slot.steps));
                        }
                    }
                    Ok(())
                })
            }))
        })
    }
}

#[pymethods]
impl DoodleBatch {
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
        let (count, seed) = (count.within("count", 1..=COUNT_MAX)?, seed.seed()?);
        let reward = match (reward, opponent) {
            ("score", _) => Reward::Score,
            ("margin", Some(_)) => Reward::Margin,
            ("win", Some(_)) => Reward::Win,
            ("margin" | "win", None) => {
                return Err(PyValueError::new_err(format!("reward: {reward:?} needs an opponent")));
            }
            _ => {
                let what = format!("reward: {reward:?} is not \"score\", \"margin\", or \"win\"");
                return Err(PyValueError::new_err(what));
            }
        };
        let rules = rules.map_or(&*doodle::STANDARD, |rules| &rules.get().equipment);
        if rules.patches().len() > doodle::CARDS && observation {
            let what = format!("observation: it has room for {} patch cards", doodle::CARDS);
            return Err(PyValueError::new_err(what));
        }
        let mut deals = DoodleDeals {
            rules: Arc::clone(rules),
            next: seed,
            opponent: opponent.map(|name| bundled("opponent", name)).transpose()?,
            nodes: nodes.map(|nodes| nodes.within("nodes", 1..=u64::MAX)).transpose()?,
        };
        let rows = if observation { count } else { 0 };
        let mut batch = DoodleBatch {
            slots: (0..count).map(|_| deals.deal()).collect::<PyResult<_>>()?,
            deals,
            masks: Masks::new(py, count, DOODLE, Form::read(mask)?, seed)?,
            reward,
            steps: 0,
            matches: 0,
            rewards: Kept::new(py, "rewards", count)?,
            scores: Kept::new(py, "scores", count)?,
            dones: Kept::new(py, "dones", count)?,
            boards: Kept::new(py, "boards", (rows, 2, SIDE, SIDE))?,
            circle: Kept::new(py, "circle", (rows, doodle::CIRCLE))?,
            offer: Kept::new(py, "offer", (rows, doodle::OFFER))?,
            unseen: Kept::new(py, "unseen", (rows, doodle::CARDS))?,
            numbers: Kept::new(py, "numbers", (rows, doodle::NUMBERS))?,
        };
        batch.advance(py, false)?;
        Ok(batch)
    }

    /// Plays a number in each match: `actions` is int64, int32, or uint16, shape (N,). Raises `IllegalMove` if one is
    /// not legal; then no match has moved.
    fn step(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let slots = &self.slots;
        self.masks.read(actions, slots.len(), slots.iter().map(|slot| &slot.mask))?;
        self.advance(py, true)?;
        self.steps += self.slots.len() as u64;
        Ok(())
    }

    /// A random legal number for each match, as int64, shape (N,). `out` is filled if it is given.
    #[pyo3(signature = (out = None))]
    fn sample<'py>(
        &mut self,
        py: Python<'py>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let slots = &self.slots;
        self.masks.sample(py, out, slots.len(), slots.iter().map(|slot| &slot.mask))
    }

    fn __len__(&self) -> usize {
        self.slots.len()
    }

    /// The legal numbers: uint8, shape (N, 2029), or as bits uint64, shape (N, 32), the lowest bit first.
    #[getter]
    fn mask<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.masks.shared(py)
    }
}
