//! Journals of tournaments as arrays, one row for each decision or step.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Error, Read};
use std::path::PathBuf;
use std::sync::Arc;

use engine::doodle::{Doodle, Step, Steps};
use engine::game::{Game, Seat};
use engine::numbers::{Mask, WORDS};
use engine::patchwork::Patchwork;
use engine::wire::WireFormat;
use numpy::PyArray1;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::args::Arg;
use crate::arrays::{grow, rows};
use crate::doodle;
use crate::errors::Signals;
use crate::features::Features;
use crate::patchwork;

/// The longest line of a journal in bytes, as in the arena.
const LINE_BYTES_MAX: u64 = 16 << 20;
/// A step of a move has at least so many bytes in a journal.
const STEP_BYTES_MIN: usize = 8;

/// The game of a match.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    game: Cow<'a, str>,
}

/// A match in a journal.
#[derive(Deserialize)]
#[serde(bound = "")]
struct Record<G: Rows> {
    #[serde(rename = "match")]
    index: i64,
    bots: Vec<String>,
    deal: G::Deal,
    turns: Vec<Turn<G::WireMove>>,
    start: Option<Start>,
    #[serde(flatten)]
    setup: G::Setup,
}

/// The position in which the bots took over.
#[derive(Deserialize)]
struct Start {
    /// Number of entries that were given.
    turns: usize,
}

/// An entry of a match: a move, or the end of a seat.
#[derive(Deserialize)]
struct Turn<M> {
    seat: Seat,
    #[serde(rename = "move")]
    wire_move: Option<M>,
}

/// The columns, with one entry or one row of entries for each row.
#[derive(Default)]
struct Columns {
    observation: Vec<f32>,
    /// True if observations are planes.
    planes: bool,
    mask: Vec<u64>,
    action: Vec<u16>,
    seat: Vec<i32>,
    index: Vec<i64>,
    score: Vec<i16>,
    /// The final score less the score at the decision.
    to_come: Vec<i16>,
    /// The bots that play.
    bots: BTreeSet<String>,
}

/// A game whose decisions become rows.
trait Rows: WireFormat<WireMove: DeserializeOwned> + Features {
    /// Appends the rows of a legal decision.
    fn push(game: &Self, seat: Seat, action: &Self::Action, columns: &mut Columns);
}

impl Columns {
    /// Makes room for so many more rows.
    fn grow(&mut self, features: usize, more: usize) -> PyResult<()> {
        grow(&mut self.observation, more * features)?;
        grow(&mut self.mask, more * WORDS)?;
        grow(&mut self.index, more)
    }

    fn push<G: Features>(&mut self, equipment: &G::Equipment, mask: &Mask, action: usize, seen: &[i16]) {
        self.mask.extend(mask.words());
        self.action.push(action as u16);
        let start = self.observation.len();
        self.observation.resize(start + G::length(self.planes), 0.0);
        G::put(equipment, seen, self.planes, &mut self.observation[start..]);
    }
}

impl Rows for Patchwork {
    fn push(game: &Patchwork, seat: Seat, action: &Self::Action, columns: &mut Columns) {
        let (table, state) = (game.table(), game.state());
        if let Some(number) = state.number(table, action) {
            let seen = patchwork::observation(table, state, seat);
            columns.push::<Patchwork>(game.equipment(), &state.mask(table), number, &seen);
        }
    }
}

impl Rows for Doodle {
    fn push(game: &Doodle, seat: Seat, action: &Self::Action, columns: &mut Columns) {
        let Some(moves) = game.moves(seat) else { return };
        let (table, turn, mut steps) = (game.table(seat), game.decision() as usize, Steps::NEW);
        for number in Steps::of(&moves, action).unwrap_or_default() {
            let seen = doodle::observation(table, game.sheet(seat), turn, Some(steps));
            columns.push::<Doodle>(game.equipment(), &steps.mask(&moves), number, &seen);
            if let Some(Step::Next(next)) = steps.after(&moves, number) {
                steps = next;
            }
        }
    }
}

/// Plays one line of a journal and appends its rows.
fn read_line<G: Rows>(
    line: &[u8],
    known: &mut Option<(G::Setup, Arc<G::Equipment>)>,
    bot: Option<&str>,
    columns: &mut Columns,
) -> Result<(), String> {
    let head: Head<'_> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if head.game != G::NAME {
        return Err(format!("a match of {:?}, not of {}", head.game, G::NAME));
    }
    let record: Record<G> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let equipment = match known {
        Some((setup, equipment)) if *setup == record.setup => equipment,
        _ => {
            let equipment = G::equip(&record.setup).map_err(|error| error.to_string())?;
            &mut known.insert((record.setup, Arc::new(equipment))).1
        }
    };
    let mut game = G::new(equipment, &record.deal).map_err(|error| error.to_string())?;
    columns.bots.extend(record.bots.iter().cloned());
    let (first, given) = (columns.seat.len(), record.start.map_or(0, |start| start.turns));
    for (number, turn) in record.turns.iter().enumerate() {
        let Some(wire_move) = &turn.wire_move else {
            game.withdraw(turn.seat);
            continue;
        };
        let action = G::read(equipment, wire_move).map_err(|error| format!("turn {number}: {error}"))?;
        let mut next = game.clone();
        next.play(turn.seat, &action).map_err(|error| format!("turn {number}: {error}"))?;
        let is_wanted = bot.is_none_or(|bot| record.bots.get(turn.seat).is_some_and(|name| name == bot));
        if is_wanted && number >= given {
            G::push(&game, turn.seat, &action, columns);
            let score = game.outcome().scores[turn.seat] as i16;
            columns.seat.resize(columns.action.len(), turn.seat as i32);
            columns.to_come.resize(columns.action.len(), score);
        }
        game = next;
    }
    let scores = game.outcome().scores;
    columns.index.resize(columns.seat.len(), record.index);
    for row in first..columns.seat.len() {
        let score = scores[columns.seat[row] as usize] as i16;
        columns.score.push(score);
        columns.to_come[row] = score - columns.to_come[row];
    }
    Ok(())
}

fn read<'py, G: Rows>(
    py: Python<'py>,
    path: Arg<PathBuf>,
    bot: Arg<Option<String>>,
    planes: Arg<bool>,
) -> PyResult<Bound<'py, PyDict>> {
    let (path, bot) = (path.named("path")?, bot.named("bot")?);
    // A directory may come from a stranger, so no link in it is followed, and no pipe is waited for.
    let path =
        if path.is_dir() { path.join("matches.jsonl") } else { fs::canonicalize(&path).unwrap_or(path) };
    let unread = |error: Error| PyOSError::new_err(format!("path: {}: {error}", path.display()));
    if !fs::symlink_metadata(&path).map_err(unread)?.is_file() {
        return Err(unread(Error::other("it is a link, which is not followed, or no regular file")));
    }
    let file = File::open(&path).map_err(unread)?;
    let (mut known, mut number) = (None, 0);
    let mut columns = Columns { planes: planes.named("planes")?, ..Columns::default() };
    let (mut input, mut line) = (BufReader::new(file), Vec::new());
    py.detach(|| {
        let mut signals = Signals::new();
        loop {
            signals.check()?;
            number += 1;
            line.clear();
            let length = input.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line).map_err(unread)?;
            if length as u64 == LINE_BYTES_MAX && !line.ends_with(b"\n") {
                let what = format!("line {number} is longer than {} MiB", LINE_BYTES_MAX >> 20);
                return Err(unread(Error::other(what)));
            }
            // A line without an end is being written.
            if !line.ends_with(b"\n") {
                return Ok(());
            }
            // The first and last line of a shard are no matches.
            if line.starts_with(b"{\"shard\":") || line.starts_with(b"{\"end\":") {
                continue;
            }
            columns.grow(G::length(columns.planes), length / STEP_BYTES_MIN)?;
            read_line::<G>(&line, &mut known, bot.as_deref(), &mut columns).map_err(|error| {
                PyValueError::new_err(format!("path: {}, line {number}: {error}", path.display()))
            })?;
        }
    })?;
    if let Some(bot) = bot.filter(|bot| !columns.bots.is_empty() && !columns.bots.contains(bot)) {
        let bots = Vec::from_iter(columns.bots).join(", ");
        return Err(PyValueError::new_err(format!("bot: {bot:?} plays in no match, but {bots}")));
    }
    let count = columns.action.len();
    let arrays = PyDict::new(py);
    arrays.set_item("observation", rows(py, columns.observation, [count, G::length(columns.planes)])?)?;
    arrays.set_item("mask", rows(py, columns.mask, [count, WORDS])?)?;
    arrays.set_item("action", PyArray1::from_vec(py, columns.action))?;
    arrays.set_item("seat", PyArray1::from_vec(py, columns.seat))?;
    arrays.set_item("match", PyArray1::from_vec(py, columns.index))?;
    arrays.set_item("score", PyArray1::from_vec(py, columns.score))?;
    arrays.set_item("to_come", PyArray1::from_vec(py, columns.to_come))?;
    Ok(arrays)
}

/// All decisions of a tournament of Patchwork, one row each, as a `dict` of arrays.
///
/// `path` is the directory of a tournament, its `matches.jsonl`, a shard, or a record of a match on one line; `bot`
/// selects the decisions of one bot. `observation`, float32, and `mask`, as bits, are like the arrays of
/// `PatchworkBatch`; with `planes`, observations are planes. `action` is uint16, `seat` int32, and `match` int64.
/// `score`, int16, is the seat's final points. `to_come`, int16, is the final points less the points at the decision.
/// Raises `OSError` if the file cannot be read, and `ValueError` with the line that is
/// wrong.
#[pyfunction]
#[pyo3(signature = (path, *, bot = Arg(Ok(None)), planes = Arg(Ok(false))), text_signature = "(path, *, bot=None, planes=False)")]
pub(crate) fn read_patchwork<'py>(
    py: Python<'py>,
    path: Arg<PathBuf>,
    bot: Arg<Option<String>>,
    planes: Arg<bool>,
) -> PyResult<Bound<'py, PyDict>> {
    read::<Patchwork>(py, path, bot, planes)
}

/// All steps of a tournament of Patchwork Doodle, one row each, as a `dict` of arrays. `path`, `bot`, `planes`, and the columns are as
/// in `read_patchwork`, with the observations and masks of `DoodleBatch`.
#[pyfunction]
#[pyo3(signature = (path, *, bot = Arg(Ok(None)), planes = Arg(Ok(false))), text_signature = "(path, *, bot=None, planes=False)")]
pub(crate) fn read_doodle<'py>(
    py: Python<'py>,
    path: Arg<PathBuf>,
    bot: Arg<Option<String>>,
    planes: Arg<bool>,
) -> PyResult<Bound<'py, PyDict>> {
    read::<Doodle>(py, path, bot, planes)
}
