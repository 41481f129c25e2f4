//! Many matches that step together and write into arrays that stay the same objects.

use std::sync::Arc;

use bots::{Bundled, Place};
use engine::cpu::with_vectors;
use engine::dealer::Dealer;
use engine::doodle::{self as rules_of_doodle, Doodle, Step, Steps};
use engine::game::Game;
use engine::numbers::{DOODLE, Mask, PATCHWORK, WORDS};
use engine::patchwork::{Equipment, Patchwork, SEATS, State, Table};
use numpy::{Ix1, Ix2, IxDyn};
use pyo3::PyClass;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde::{Deserialize, Serialize};

use crate::args::{Arg, Int, Pickled, TIME_MS, dumps, unpickled};
use crate::arrays::{Array, Kept, Out, actions, filled, put_bits, room, rows};
use crate::bot::{Bundle, Seated, bundled, searches};
use crate::doodle::{self, DoodleRules};
use crate::errors::{Signals, not_legal, other_version, wrong};
use crate::features::Features;
use crate::patchwork::{self, PatchworkRules, margin};

/// The most matches of a batch.
const COUNT_MAX: usize = 1 << 20;
/// The stream of random actions.
const SAMPLES: u64 = 103;
/// A batch without an opponent looks for signals once in so many matches, a power of two.
const WATCH: usize = 256;
/// The arrays that tell of the last step.
const LAST_STEP: [&str; 6] = ["dones", "rewards", "scores", "seat", "seeds", "last_observation"];

/// The memory of a match beside its arrays: cards, moves, and what the allocator adds.
const MATCH_BYTES: usize = 2_048;

/// A match in a batch.
trait Slot: Sized + Send + Sync {
    type Game: Bundle + Features;
    /// How many numbers its moves have.
    const NUMBERS: usize;
    /// The memory of an opponent that looks a move ahead.
    const OPPONENT_BYTES: usize;

    /// A new match, in which it is the caller's turn.
    fn new(game: Self::Game, opponent: Option<Seated<Self::Game>>) -> PyResult<Self>;

    /// Plays a legal number, and the opponent's moves until it is the caller's turn again.
    fn play(&mut self, number: usize) -> PyResult<()>;

    fn is_over(&self) -> bool;

    /// The legal numbers.
    fn mask(&self) -> Mask;

    /// What the caller sees; at the end, what the seat sees that has moved.
    fn see(&self) -> impl AsRef<[i16]>;

    /// Calls `each` with the legal numbers, and what the caller sees after each.
    fn afterstates(&self, each: impl FnMut(usize, &[i16]));
}

/// The row of a match in all arrays.
struct Row<S> {
    slot: S,
    mask: Mask,
    /// True if the last observation is not 0, or not known.
    was_over: bool,
    /// The seed of the deal, and the numbers that were played. They tell the match.
    seed: u64,
    numbers: Vec<u16>,
}

/// The match, the number, and what the caller sees of all afterstates.
type Afterstates<'py> = PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)>;

/// What the batches of both games share.
struct Many<S: Slot> {
    rows: Vec<Row<S>>,
    rules: Arc<<S::Game as Game>::Equipment>,
    seats: usize,
    options: Options,
    opponent: Option<&'static Bundled>,
    counts: Counts,
    bytes: Kept<i8, Ix2>,
    bits: Kept<u64, Ix2>,
    seen: Kept<f32, Ix2>,
    last: Kept<f32, Ix2>,
    dones: Kept<bool, Ix1>,
    seeds: Kept<u64, Ix1>,
    actions: Vec<i64>,
    /// Why the batch cannot go on.
    closed: Option<String>,
}

/// The options of both batches.
#[derive(Clone, Serialize, Deserialize)]
struct Options {
    seed: u64,
    mask: Option<String>,
    observation: bool,
    last_observation: bool,
    planes: bool,
    reward: String,
    opponent: Option<String>,
    nodes: Option<u64>,
}

/// What a batch has counted.
#[derive(Clone, Serialize, Deserialize)]
struct Counts {
    /// The seed of the next deal.
    next: u64,
    samples: u64,
    steps: u64,
    matches: u64,
}

/// All that tells a batch, but for the rules and the arrays.
#[derive(Serialize, Deserialize)]
struct Saved {
    options: Options,
    counts: Counts,
    /// The seed of each match, and the numbers that were played in it.
    rows: Vec<(u64, Vec<u16>)>,
}

impl Saved {
    /// A batch at its beginning.
    fn begun(options: Options, count: Int) -> PyResult<Saved> {
        let count = count.within("count", 1..=COUNT_MAX)?;
        let mut rows = room(count)?;
        rows.extend((0..count).map(|n| (options.seed.wrapping_add(n as u64), Vec::new())));
        let next = options.seed.wrapping_add(count as u64);
        Ok(Saved { options, counts: Counts { next, samples: 0, steps: 0, matches: 0 }, rows })
    }
}

/// Opens arrays for writing, and names their slices.
macro_rules! slices {
    ($py:ident, $from:expr => $($name:ident),* ; $body:expr) => {{
        $(let mut $name = $from.$name.write($py)?;)*
        $(let $name = $name.as_slice_mut().map_err(wrong)?;)*
        $body
    }};
}

/// The part of a match in an array with a row for each; nothing if the array is empty.
#[inline(always)]
fn part<T>(array: &mut [T], place: usize, length: usize) -> Option<&mut [T]> {
    array.get_mut(place * length..(place + 1) * length)
}

impl<S: Slot> Many<S> {
    fn new(
        py: Python<'_>,
        rules: &Arc<<S::Game as Game>::Equipment>,
        seats: usize,
        Saved { options, counts, rows: saved }: Saved,
    ) -> PyResult<Many<S>> {
        let count = saved.len();
        let sized = |wanted: bool| if wanted { count } else { 0 };
        let mask = options.mask.as_deref();
        if let Some(other) = mask.filter(|mask| !["bytes", "bits"].contains(mask)) {
            return Err(PyValueError::new_err(format!(
                "mask: {other:?} is not \"bytes\", \"bits\", or None"
            )));
        }
        let opponent = options.opponent.as_ref().map(|name| bundled("opponent", name)).transpose()?;
        let timed = opponent.filter(|bot| searches(bot) && options.nodes.or(S::Game::nodes(bot)).is_none());
        if let Some(bot) = timed {
            return Err(PyValueError::new_err(format!(
                "nodes: {:?} would search by the clock, give it a number such as 500",
                bot.name
            )));
        }
        let length = S::Game::length(options.planes);
        let looks = opponent.is_some_and(|bot| bot.name != "random");
        let mut many: Many<S> = Many {
            rows: room(count)?,
            rules: Arc::clone(rules),
            seats,
            opponent,
            counts,
            bytes: Kept::new(py, "mask", (sized(mask == Some("bytes")), S::NUMBERS))?.read_only(py)?,
            bits: Kept::new(py, "mask", (sized(mask == Some("bits")), WORDS))?,
            seen: Kept::new(py, "observation", (sized(options.observation), length))?,
            last: Kept::new(py, "last_observation", (sized(options.last_observation), length))?,
            dones: Kept::new(py, "dones", count)?,
            seeds: Kept::new(py, "seeds", count)?,
            actions: room(count)?,
            closed: None,
            options,
        };
        drop(room::<u8>(count * (MATCH_BYTES + if looks { S::OPPONENT_BYTES } else { 0 }))?);
        py.detach(|| {
            let mut signals = Signals::new();
            for (seed, numbers) in saved {
                signals.check()?;
                let mut slot = many.deal(seed)?;
                for &number in &numbers {
                    if !slot.mask().contains(number.into()) {
                        return Err(other_version("batch"));
                    }
                    slot.play(number.into())?;
                }
                many.rows.push(Row { slot, mask: Mask::EMPTY, was_over: true, seed, numbers });
            }
            Ok(many)
        })
    }

    /// The match with this deal.
    fn deal(&self, seed: u64) -> PyResult<S> {
        let deal = S::Game::deal(&self.rules, self.seats, seed).map_err(wrong)?;
        let game = S::Game::new(&self.rules, &deal).map_err(wrong)?;
        let opponent = self.opponent.map(|bot| {
            // In matches of two seats, the caller has seat 0 with even seeds.
            let seat = if self.seats == 2 { 1 - (seed % 2) as usize } else { 0 };
            let (equipment, nodes) = (Arc::clone(&self.rules), self.options.nodes);
            Seated::new(bot, Place { equipment, seat, seats: self.seats, seed, nodes })
        });
        S::new(game, opponent)
    }

    /// Checks that all matches are where they should be.
    ///
    /// # Errors
    /// `RuntimeError` that says what interrupted a step.
    fn open(&self) -> PyResult<()> {
        match &self.closed {
            None => Ok(()),
            Some(why) => {
                Err(PyRuntimeError::new_err(format!("batch: closed, since {why}; make another one")))
            }
        }
    }

    /// Reads the actions of a step. Every one must be in its mask.
    fn read(&mut self, given: &Bound<'_, PyAny>) -> PyResult<()> {
        self.open()?;
        actions(given, self.rows.len(), &mut self.actions)?;
        let is_legal = |(row, &action): (&Row<S>, &i64)| {
            usize::try_from(action).is_ok_and(|number| row.mask.contains(number))
        };
        match self.rows.iter().zip(&self.actions).position(|pair| !is_legal(pair)) {
            None => Ok(()),
            Some(place) => {
                let action = self.actions[place];
                let what = format!("actions: {action} is not legal in match {place}, no match has moved");
                Err(not_legal(given.py(), what))
            }
        }
    }

    /// A random legal action for each match.
    fn sample<'py>(&mut self, py: Python<'py>, out: Out<'py>) -> Array<'py> {
        self.open()?;
        // A stream for each call, so that a pickle needs no more than their number.
        let mut chance = Dealer::new(self.options.seed, SAMPLES + (self.counts.samples << 32));
        let fill = |actions: &mut [i64]| {
            with_vectors(
                #[inline(always)]
                || {
                    for (action, Row { mask, .. }) in actions.iter_mut().zip(&self.rows) {
                        *action = mask.nth(chance.below(mask.len())).unwrap_or(0) as i64;
                    }
                },
            );
        };
        let sampled = filled(py, out, self.rows.len(), fill)?;
        self.counts.samples += 1;
        Ok(sampled)
    }

    /// Plays the actions that were read, or none, and writes all arrays. `note` gets each match before it is dealt anew, and
    /// true if it is over.
    fn advance(
        &mut self,
        py: Python<'_>,
        plays: bool,
        mut note: impl FnMut(usize, &S, bool) + Send,
    ) -> PyResult<()> {
        let done = slices!(py, self => bytes, bits, seen, last, dones, seeds; py.detach(|| {
            self.closed = Some("a step failed".to_owned());
            let watch = if self.opponent.is_some() { 0 } else { WATCH - 1 };
            // Taken out, so that the loop can deal.
            let mut rows = std::mem::take(&mut self.rows);
            let (planes, length) = (self.options.planes, S::Game::length(self.options.planes));
            let done = with_vectors(#[inline(always)] || -> PyResult<()> {
                let mut signals = Signals::new();
                for (place, row) in rows.iter_mut().enumerate() {
                    if place & watch == watch {
                        signals.check()?;
                    }
                    if plays {
                        let number = self.actions[place] as u16;
                        row.slot.play(number.into())?;
                        row.numbers.push(number);
                    }
                    if row.was_over && let Some(out) = part(last, place, length) {
                        out.fill(0.0);
                    }
                    dones[place] = row.slot.is_over();
                    row.was_over = dones[place] || !plays;
                    seeds[place] = row.seed;
                    note(place, &row.slot, dones[place]);
                    if dones[place] {
                        if let Some(out) = part(last, place, length) {
                            S::Game::put(&self.rules, row.slot.see().as_ref(), planes, out);
                        }
                        row.seed = self.counts.next;
                        row.slot = self.deal(row.seed)?;
                        row.numbers.clear();
                        self.counts.next = row.seed.wrapping_add(1);
                        self.counts.matches += 1;
                    }
                    let before = std::mem::replace(&mut row.mask, row.slot.mask());
                    if let Some(out) = part(bytes, place, S::NUMBERS) {
                        put_bits(&before, &row.mask, out);
                    }
                    if let Some(out) = part(bits, place, WORDS) {
                        out.copy_from_slice(row.mask.words());
                    }
                    if let Some(out) = part(seen, place, length) {
                        S::Game::put(&self.rules, row.slot.see().as_ref(), planes, out);
                    }
                }
                Ok(())
            });
            self.rows = rows;
            done
        }));
        self.closed = done
            .as_ref()
            .err()
            .map(|error| format!("a step was interrupted by {}", error.to_string().trim_end_matches(": ")));
        self.counts.steps += if plays { self.rows.len() as u64 } else { 0 };
        done
    }

    /// What the caller sees after each legal number of the matches from `start` to `stop`.
    fn afterstates<'py>(
        &self,
        py: Python<'py>,
        start: Int,
        stop: Option<Int>,
        max_bytes: Int,
    ) -> Afterstates<'py> {
        self.open()?;
        let count = self.rows.len();
        let start = start.within("start", 0..=count)?;
        let stop = stop.map_or(Ok(count), |stop| stop.within("stop", start..=count))?;
        let max_bytes = max_bytes.within("max_bytes", 0..=usize::MAX)?;
        let length: usize = self.rows[start..stop].iter().map(|row| row.mask.len() as usize).sum();
        let features = S::Game::length(self.options.planes);
        let bytes = length * (size_of::<i64>() + size_of::<u16>() + features * size_of::<f32>());
        if bytes > max_bytes {
            let what = format!("max_bytes: matches {start} to {stop} need {bytes} bytes, not {max_bytes}");
            return Err(PyValueError::new_err(what));
        }
        let (mut places, mut numbers, mut seen) = (room(length)?, room(length)?, room(length * features)?);
        py.detach(|| {
            let mut signals = Signals::new();
            for (place, row) in self.rows.iter().enumerate().take(stop).skip(start) {
                signals.check()?;
                row.slot.afterstates(|number, after| {
                    places.push(place as i64);
                    numbers.push(number as u16);
                    seen.resize(seen.len() + features, 0.0);
                    let start = seen.len() - features;
                    S::Game::put(&self.rules, after, self.options.planes, &mut seen[start..]);
                });
            }
            PyResult::Ok(())
        })?;
        Ok((rows(py, places, [length])?, rows(py, numbers, [length])?, rows(py, seen, [length, features])?))
    }

    /// All that tells the batch, as JSON.
    ///
    /// # Errors
    /// `TypeError` if its opponent searches; `RuntimeError` if a step was interrupted.
    fn saved(&self) -> PyResult<String> {
        self.open()?;
        if let Some(bot) = self.opponent.filter(|bot| searches(bot)) {
            let what = format!("batch: no copies or pickles with {:?} as opponent, which searches", bot.name);
            return Err(PyTypeError::new_err(what));
        }
        let rows = self.rows.iter().map(|row| (row.seed, row.numbers.clone())).collect();
        dumps(&Saved { options: self.options.clone(), counts: self.counts.clone(), rows })
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

/// Adds the methods and arrays that both batches have.
macro_rules! batch_methods {
    ($batch:ident, $rules:ident, $game:ident, $reward:literal, $text_signature:literal) => {
        #[pymethods]
        impl $batch {
            #[new]
            #[pyo3(signature = (count, seed = Int::ZERO, *, mask = Arg(Ok(Some("bytes".to_owned()))), observation = Arg(Ok(true)), last_observation = Arg(Ok(false)), planes = Arg(Ok(false)), reward = Arg(Ok($reward.to_owned())), opponent = Arg(Ok(None)), nodes = None, rules = Arg(Ok(None))), text_signature = $text_signature)]
            #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
            fn new(
                py: Python<'_>,
                count: Int,
                seed: Int,
                mask: Arg<Option<String>>,
                observation: Arg<bool>,
                last_observation: Arg<bool>,
                planes: Arg<bool>,
                reward: Arg<String>,
                opponent: Arg<Option<String>>,
                nodes: Option<Int>,
                rules: Arg<Option<Bound<'_, $rules>>>,
            ) -> PyResult<$batch> {
                let options = Options {
                    seed: seed.seed()?,
                    mask: mask.named("mask")?,
                    observation: observation.named("observation")?,
                    last_observation: last_observation.named("last_observation")?,
                    planes: planes.named("planes")?,
                    reward: reward.named("reward")?,
                    opponent: opponent.named("opponent")?,
                    nodes: nodes.map(|nodes| nodes.within("nodes", 1..=u64::MAX)).transpose()?,
                };
                let rules = rules.named("rules")?;
                let rules = rules.as_ref().map_or(&*$game::STANDARD, |rules| &rules.get().equipment);
                $batch::made(py, rules, Saved::begun(options, count)?)
            }

            #[staticmethod]
            fn _restored<'py>(
                py: Python<'py>,
                rules: &Bound<'py, $rules>,
                saved: &str,
                arrays: &Bound<'py, PyDict>,
            ) -> PyResult<Bound<'py, Self>> {
                let saved = unpickled("batch", saved)?;
                let batch = Bound::new(py, $batch::made(py, &rules.get().equipment, saved)?)?;
                for (name, array) in arrays {
                    batch.getattr(name.cast::<PyString>()?)?.set_item(py.Ellipsis(), array)?;
                }
                Ok(batch)
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Pickled<'py, ($rules, String, Bound<'py, PyDict>)> {
                let (rules, saved) = {
                    let batch = alone(slf)?;
                    ($rules { equipment: Arc::clone(&batch.many.rules) }, batch.many.saved()?)
                };
                let arrays = PyDict::new(slf.py());
                for name in LAST_STEP {
                    if let Some(array) = slf.getattr_opt(name)?.filter(|array| !array.is_none()) {
                        arrays.set_item(name, array.call_method0("copy")?)?;
                    }
                }
                Ok((slf.getattr("_restored")?, (rules, saved, arrays)))
            }

            /// Plays a number in each match: `actions` is int64, int32, or uint16, shape (N,). Raises `IllegalMove` if one
            /// is not legal; then no match has moved. Ctrl-C closes the batch: it then raises `RuntimeError`. With `renew`,
            /// the batch writes into other arrays for `observation` and a `mask` as bits, and leaves your arrays unchanged.
            #[pyo3(signature = (actions, *, renew = Arg(Ok(false))), text_signature = "($self, actions, *, renew=False)")]
            fn step(slf: &Bound<'_, Self>, actions: &Bound<'_, PyAny>, renew: Arg<bool>) -> PyResult<()> {
                let mut batch = alone(slf)?;
                batch.many.read(actions)?;
                if renew.named("renew")? {
                    batch.many.seen.renew(slf.py())?;
                    batch.many.bits.renew(slf.py())?;
                }
                batch.advance(slf.py(), true)
            }

            /// All legal numbers of the matches from `start` to `stop`, and what you see after each. The three arrays
            /// are the match, int64, and the number, uint16, both of shape (M,), and the features, float32, of shape
            /// (M, features). The features are those of a state's `afterstates`, or planes. Raises `ValueError` if the arrays need more than `max_bytes`.
            #[pyo3(signature = (start = Int::ZERO, stop = None, *, max_bytes = Int::BYTES), text_signature = "($self, start=0, stop=None, *, max_bytes=1073741824)")]
            fn afterstates<'py>(
                slf: &Bound<'py, Self>,
                start: Int,
                stop: Option<Int>,
                max_bytes: Int,
            ) -> Afterstates<'py> {
                alone(slf)?.many.afterstates(slf.py(), start, stop, max_bytes)
            }

            /// A random legal number for each match, as int64, shape (N,). `out` is filled if it is given.
            #[pyo3(signature = (out = None))]
            fn sample<'py>(slf: &Bound<'py, Self>, out: Out<'py>) -> Array<'py> {
                alone(slf)?.many.sample(slf.py(), out)
            }

            fn __len__(&self) -> usize {
                self.many.rows.len()
            }

            /// The legal numbers: int8, a row of 0 and 1 for each match, read-only; or as bits uint64, shape (N, 32), the lowest bit
            /// first.
            #[getter]
            fn mask<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
                self.many.bytes.shared(py).or_else(|| self.many.bits.shared(py))
            }

            /// What the seat to move sees: float32, a row for each match with the same numbers as `observation` of a state.
            #[getter]
            fn observation<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
                self.many.seen.shared(py)
            }

            /// What you saw at the end of the matches that ended in the last step, otherwise 0: float32, a row for each match.
            /// In a match of two seats without an opponent, it is what the seat sees that moved last.
            #[getter]
            fn last_observation<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
                self.many.last.shared(py)
            }

            /// The seed of the match that the last step played in: uint64, shape (N,). A match that begins has the next
            /// seed, in the order of the rows.
            #[getter]
            fn seeds<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
                self.many.seeds.shared(py)
            }

            /// True if the match ended in the last step: bool, shape (N,).
            #[getter]
            fn dones<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
                self.many.dones.shared(py)
            }

            /// Number of steps so far, summed over all matches.
            #[getter]
            fn steps(&self) -> u64 {
                self.many.counts.steps
            }

            /// Number of matches that have ended.
            #[getter]
            fn matches(&self) -> u64 {
                self.many.counts.matches
            }
        }
    };
}

/// A match of Patchwork.
struct PatchworkSlot {
    table: Arc<Table>,
    state: State,
    /// The caller's seat; without an opponent the seat of the last move, at first the seat to move.
    seat: usize,
    /// The seat to move; at the end, the seat that has moved.
    mover: usize,
    opponent: Option<Seated<Patchwork>>,
}

impl Slot for PatchworkSlot {
    type Game = Patchwork;
    const NUMBERS: usize = PATCHWORK;
    /// What it keeps of placements that it has judged.
    const OPPONENT_BYTES: usize = 1_600_000;

    fn new(game: Patchwork, opponent: Option<Seated<Patchwork>>) -> PyResult<PatchworkSlot> {
        let (table, state) = (Arc::clone(game.table()), *game.state());
        let seat = opponent.as_ref().map_or(state.to_move(&table).unwrap_or(0), |bot| 1 - bot.seat);
        let mut slot = PatchworkSlot { table, state, seat, mover: seat, opponent };
        slot.answer()?;
        Ok(slot)
    }

    #[inline(always)]
    fn play(&mut self, number: usize) -> PyResult<()> {
        self.seat = self.mover;
        if let Some(action) = self.state.action(&self.table, number) {
            self.state.apply(&self.table, action);
        }
        self.answer()
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
    fn see(&self) -> impl AsRef<[i16]> {
        patchwork::observation(&self.table, &self.state, self.mover)
    }

    fn afterstates(&self, mut each: impl FnMut(usize, &[i16])) {
        let (seat, mask) = (self.mover, self.mask());
        patchwork::afterstates(&self.table, &self.state, seat, &mask, |number, seen| each(number, &seen));
    }
}

impl PatchworkSlot {
    /// Plays the opponent's moves until the caller must move or the match is over.
    #[inline(always)]
    fn answer(&mut self) -> PyResult<()> {
        while let Some(bot) = self.opponent.take_if(|bot| self.state.to_move(&self.table) == Some(bot.seat)) {
            let (bot, action) = bot.choose(self.state.observe(&self.table), TIME_MS)?;
            self.state.apply(&self.table, action);
            self.opponent = Some(bot);
        }
        self.mover = self.state.to_move(&self.table).unwrap_or(self.seat);
        Ok(())
    }
}

/// Many matches of Patchwork that step together.
///
/// The arrays stay the same objects, and each step writes them anew. Match `n` of the beginning has the deal of
/// `seed + n`. When a match ends, the same step deals another one with the next seed. `rewards`, `scores`, `dones`, `seat`,
/// `seeds`, and `last_observation` then describe the match that ended, and all other arrays describe the new one. Steps
/// release the interpreter lock.
///
/// - `mask` is `"bytes"`, `"bits"`, or `None`; without `observation` or `last_observation`, that array is `None`. With
///   `planes`, observations have five boards and scaled numbers, as those of a state.
/// - `reward` is `"win"`, 1 or -1 at the end, or `"margin"` in points.
/// - `opponent` is the name of a bundled bot that plays the other seat. You have seat 0 in matches with even seeds, and
///   rewards and scores are yours. `nodes` bounds its search; `master` needs it.
///
/// Batches without an opponent or with `random` to `greedy` can be copied and pickled.
///
/// >>> batch = PatchworkBatch(4, seed=1)
/// >>> batch.step(batch.sample())
/// >>> batch.mask.shape, batch.observation.shape, batch.to_move.tolist()
/// ((4, 2026), (4, 212), [1, 1, 1, 1])
#[pyclass(module = "quilt_engine")]
pub(crate) struct PatchworkBatch {
    many: Many<PatchworkSlot>,
    /// The seat to move: int8, shape (N,).
    #[pyo3(get)]
    to_move: Kept<i8, Ix1>,
    /// Your seat in the match that the last step played in; without an opponent the seat that moved: int8, shape (N,).
    #[pyo3(get)]
    seat: Kept<i8, Ix1>,
    /// What you earned in the last step: float32, shape (N,); without an opponent what both seats earned, shape (N, 2).
    #[pyo3(get)]
    rewards: Kept<f32, IxDyn>,
    /// Points if the match ended in the last step, otherwise 0: int16, with the shape of `rewards`.
    #[pyo3(get)]
    scores: Kept<i16, IxDyn>,
}

impl PatchworkBatch {
    fn made(py: Python<'_>, rules: &Arc<Equipment>, saved: Saved) -> PyResult<PatchworkBatch> {
        let reward = &saved.options.reward;
        if !["win", "margin"].contains(&reward.as_str()) {
            return Err(PyValueError::new_err(format!("reward: {reward:?} is not \"win\" or \"margin\"")));
        }
        let count = saved.rows.len();
        let many = Many::new(py, rules, SEATS, saved)?;
        let shape: Vec<usize> = [count].into_iter().chain(many.opponent.is_none().then_some(SEATS)).collect();
        let mut batch = PatchworkBatch {
            many,
            to_move: Kept::new(py, "to_move", count)?,
            seat: Kept::new(py, "seat", count)?,
            rewards: Kept::new(py, "rewards", shape.clone())?,
            scores: Kept::new(py, "scores", shape)?,
        };
        batch.advance(py, false)?;
        Ok(batch)
    }

    fn advance(&mut self, py: Python<'_>, plays: bool) -> PyResult<()> {
        let by_margin = self.many.options.reward == "margin";
        let columns = if self.many.opponent.is_some() { 1 } else { SEATS };
        slices!(py, self => to_move, seat, rewards, scores; {
            rewards.fill(0.0);
            scores.fill(0);
            self.many.advance(py, plays, |place, slot, is_over| {
                seat[place] = slot.seat as i8;
                if is_over {
                    let (lead, players) = (margin(&slot.state), slot.state.players());
                    let won = if (lead, players[0].was_first) > (0, false) { 1.0 } else { -1.0 };
                    let value = if by_margin { lead as f32 } else { won };
                    for column in 0..columns {
                        let seat = if columns == 1 { slot.seat } else { column };
                        rewards[columns * place + column] = if seat == 0 { value } else { -value };
                        scores[columns * place + column] = players[seat].score() as i16;
                    }
                }
            })?;
            for (to, row) in to_move.iter_mut().zip(&self.many.rows) {
                *to = row.slot.mover as i8;
            }
            Ok(())
        })
    }
}

batch_methods! { PatchworkBatch, PatchworkRules, patchwork, "win", "(count, seed=0, *, mask='bytes', observation=True, last_observation=False, planes=False, reward='win', opponent=None, nodes=None, rules=None)" }

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
    /// It has played before the caller begins.
    const OPPONENT_BYTES: usize = 0;

    fn new(game: Doodle, opponent: Option<Seated<Doodle>>) -> PyResult<DoodleSlot> {
        let mut score = 0;
        if let Some(mut bot) = opponent {
            let mut game = game.clone();
            while game.owes(0) {
                let (back, action) = bot.choose(game.observe(0), TIME_MS)?;
                bot = back;
                if game.play(0, &action).is_err() {
                    game.withdraw(0);
                }
            }
            score = game.outcome().scores[0];
        }
        let state = rules_of_doodle::State::NEW;
        Ok(DoodleSlot { game, state, steps: Steps::NEW, gained: 0, opponent: score })
    }

    #[inline(always)]
    fn play(&mut self, number: usize) -> PyResult<()> {
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
        Ok(())
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
    fn see(&self) -> impl AsRef<[i16]> {
        let (sheet, turn) = (&self.state.sheet, self.state.turn.into());
        let steps = (!self.is_over()).then_some(self.steps);
        doodle::observation(self.game.table(0), sheet, turn, steps)
    }

    fn afterstates(&self, mut each: impl FnMut(usize, &[i16])) {
        let table = self.game.table(0);
        if let Some(moves) = self.state.moves(table) {
            doodle::afterstates(table, &self.state, &moves, self.steps, |number, seen| each(number, &seen));
        }
    }
}

/// Many matches of Patchwork Doodle with one seat each, which step together. Seats do not affect each other, so a table of
/// more seats is the same matches with more start cards.
///
/// The arrays stay the same objects, and each step writes them anew. Matches are dealt as in `PatchworkBatch`. Steps
/// release the interpreter lock.
///
/// - `mask` is `"bytes"`, `"bits"`, or `None`; without `observation` or `last_observation`, that array is `None`. With
///   `planes`, observations have five boards and scaled numbers, as those of a state.
/// - `reward` is `"score"`, the change of the score; or against an `opponent` at the end `"margin"` in points or
///   `"win"`, 1, 0, or -1.
/// - `opponent` is the name of a bundled bot that plays the same deal. `nodes` bounds its search; `master` needs it.
///
/// Batches without an opponent or with `random` to `greedy` can be copied and pickled.
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
    fn made(py: Python<'_>, rules: &Arc<rules_of_doodle::Equipment>, saved: Saved) -> PyResult<DoodleBatch> {
        let reward = saved.options.reward.as_str();
        let reward = match (reward, &saved.options.opponent) {
            ("score", _) => Ok(Reward::Score),
            ("margin", Some(_)) => Ok(Reward::Margin),
            ("win", Some(_)) => Ok(Reward::Win),
            ("margin" | "win", None) => Err(format!("reward: {reward:?} needs an opponent")),
            _ => Err(format!("reward: {reward:?} is not \"score\", \"margin\", or \"win\"")),
        };
        let (reward, count) = (reward.map_err(PyValueError::new_err)?, saved.rows.len());
        let many = Many::new(py, rules, 1, saved)?;
        let (rewards, scores) = (Kept::new(py, "rewards", count)?, Kept::new(py, "scores", count)?);
        let mut batch = DoodleBatch { many, reward, rewards, scores };
        batch.advance(py, false)?;
        Ok(batch)
    }

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

batch_methods! { DoodleBatch, DoodleRules, doodle, "score", "(count, seed=0, *, mask='bytes', observation=True, last_observation=False, planes=False, reward='score', opponent=None, nodes=None, rules=None)" }
