//! Journals of tournaments as arrays, one row for each decision or step.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader};
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

use crate::arrays::{Number, rows};
use crate::doodle::{self, Seen};
use crate::patchwork::{self, CELLS, write_seen};

/// The game of a match.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    game: Cow<'a, str>,
}

/// A match in a journal.
#[derive(Deserialize)]
#[serde(bound(deserialize = "G::WireMove: Deserialize<'de>"))]
struct Record<G: WireFormat> {
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

/// Columns that both games have, one entry for each row.
#[derive(Default)]
struct Columns {
    mask: Vec<u64>,
    action: Vec<u16>,
    seat: Vec<i8>,
    index: Vec<i64>,
    score: Vec<i16>,
    /// The final score less the score at the decision.
    to_come: Vec<i16>,
}

/// The rows of a game.
trait Rows: WireFormat {
    type Seen: Default + Send;

    /// Appends the rows of a legal decision. The columns get the mask and the action of each.
    fn push(game: &Self, seat: Seat, action: &Self::Action, seen: &mut Self::Seen, columns: &mut Columns);

    /// Puts the arrays into the result.
    fn put(py: Python<'_>, seen: Self::Seen, rows: usize, into: &Bound<'_, PyDict>) -> PyResult<()>;

    /// Returns what keeps the setup from an observation, if anything does.
    fn is_too_large(equipment: &Self::Equipment) -> bool;
}

/// Appends zeros, and returns them.
fn grown<T: Number>(column: &mut Vec<T>, length: usize) -> &mut [T] {
    let first = column.len();
    column.resize(first + length, T::default());
    &mut column[first..]
}

impl Columns {
    fn push(&mut self, mask: &Mask, action: usize) {
        self.mask.extend(mask.words());
        self.action.push(action as u16);
    }
}

#[derive(Default)]
struct PatchworkSeen {
    quilts: Vec<u8>,
    circle: Vec<u8>,
    numbers: Vec<i16>,
}

impl Rows for Patchwork {
    type Seen = PatchworkSeen;

    fn push(
        game: &Patchwork,
        seat: Seat,
        action: &Self::Action,
        seen: &mut PatchworkSeen,
        columns: &mut Columns,
    ) {
        let (table, state) = (game.table(), game.state());
        let Some(number) = state.number(table, action) else { return };
        columns.push(&state.mask(table), number);
        write_seen(
            table,
            state,
            seat,
            grown(&mut seen.quilts, 2 * CELLS),
            grown(&mut seen.circle, patchwork::CIRCLE),
            grown(&mut seen.numbers, patchwork::NUMBERS),
        );
    }

    fn put(py: Python<'_>, seen: PatchworkSeen, count: usize, into: &Bound<'_, PyDict>) -> PyResult<()> {
        into.set_item("quilts", rows(py, seen.quilts, [count, 2, 9, 9])?)?;
        into.set_item("circle", rows(py, seen.circle, [count, patchwork::CIRCLE])?)?;
        into.set_item("numbers", rows(py, seen.numbers, [count, patchwork::NUMBERS])?)
    }

    fn is_too_large(equipment: &Self::Equipment) -> bool {
        equipment.patches().len() > patchwork::CIRCLE
    }
}

#[derive(Default)]
struct DoodleSeen {
    boards: Vec<u8>,
    circle: Vec<u8>,
    offer: Vec<u8>,
    unseen: Vec<u8>,
    numbers: Vec<i16>,
}

impl Rows for Doodle {
    type Seen = DoodleSeen;

    fn push(game: &Doodle, seat: Seat, action: &Self::Action, seen: &mut DoodleSeen, columns: &mut Columns) {
        let Some(moves) = game.moves(seat) else { return };
        let (table, turn, mut steps) = (game.table(seat), game.decision() as usize, Steps::NEW);
        for number in Steps::of(&moves, action).unwrap_or_default() {
            columns.push(&steps.mask(&moves), number);
            let mut arrays = Seen {
                boards: grown(&mut seen.boards, 2 * CELLS),
                circle: grown(&mut seen.circle, doodle::CIRCLE),
                offer: grown(&mut seen.offer, doodle::OFFER),
                unseen: grown(&mut seen.unseen, doodle::CARDS),
                numbers: grown(&mut seen.numbers, doodle::NUMBERS),
            };
            arrays.write(table, game.sheet(seat), turn, Some(steps));
            if let Some(Step::Next(next)) = steps.after(&moves, number) {
                steps = next;
            }
        }
    }

    fn put(py: Python<'_>, seen: DoodleSeen, count: usize, into: &Bound<'_, PyDict>) -> PyResult<()> {
        into.set_item("boards", rows(py, seen.boards, [count, 2, 9, 9])?)?;
        into.set_item("circle", rows(py, seen.circle, [count, doodle::CIRCLE])?)?;
        into.set_item("offer", rows(py, seen.offer, [count, doodle::OFFER])?)?;
        into.set_item("unseen", rows(py, seen.unseen, [count, doodle::CARDS])?)?;
        into.set_item("numbers", rows(py, seen.numbers, [count, doodle::NUMBERS])?)
    }

    fn is_too_large(equipment: &Self::Equipment) -> bool {
        equipment.patches().len() > doodle::CARDS
    }
}

/// Plays one line of a journal and appends its rows.
fn read_line<G: Rows>(
    line: &str,
    known: &mut Option<(G::Setup, Arc<G::Equipment>)>,
    bot: Option<&str>,
    seen: &mut G::Seen,
    columns: &mut Columns,
) -> Result<(), String> {
    let head: Head<'_> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if head.game != G::NAME {
        return Err(format!("a match of {:?}, not of {}", head.game, G::NAME));
    }
    let record: Record<G> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let equipment = match known {
        Some((setup, equipment)) if *setup == record.setup => equipment,
        _ => {
            let equipment = G::equip(&record.setup).map_err(|error| error.to_string())?;
            if G::is_too_large(&equipment) {
                return Err("an observation has no room for so many patches".to_owned());
            }
            &mut known.insert((record.setup, Arc::new(equipment))).1
        }
    };
    let mut game = G::new(equipment, &record.deal).map_err(|error| error.to_string())?;
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
            G::push(&game, turn.seat, &action, seen, columns);
            let score = game.outcome().scores[turn.seat] as i16;
            columns.seat.resize(columns.action.len(), turn.seat as i8);
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

fn read<'py, G: Rows>(py: Python<'py>, path: PathBuf, bot: Option<&str>) -> PyResult<Bound<'py, PyDict>>
where
    G::WireMove: for<'de> Deserialize<'de>,
{
    let path = if path.is_dir() { path.join("matches.jsonl") } else { path };
    let unread = |error: std::io::Error| PyOSError::new_err(format!("path: {}: {error}", path.display()));
    let (mut seen, mut columns, mut known) = (G::Seen::default(), Columns::default(), None);
    let (mut input, mut line, mut number) =
        (BufReader::new(File::open(&path).map_err(unread)?), String::new(), 0);
    loop {
        if number % 256 == 0 {
            py.check_signals()?;
        }
        number += 1;
        line.clear();
        // A line without an end is being written.
        if input.read_line(&mut line).map_err(unread)? == 0 || !line.ends_with('\n') {
            break;
        }
        let done = py.detach(|| read_line::<G>(&line, &mut known, bot, &mut seen, &mut columns));
        done.map_err(|error| {
            PyValueError::new_err(format!("path: {}, line {number}: {error}", path.display()))
        })?;
    }
    let count = columns.action.len();
    let arrays = PyDict::new(py);
    G::put(py, seen, count, &arrays)?;
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
/// `path` is the directory of a tournament, its `matches.jsonl`, or a record of a match on one line; `bot` selects
/// the decisions of one bot. The arrays are `quilts`, `circle`, `numbers`, and `mask` (as bits) like those of
/// `PatchworkBatch`; `action`, uint16; `seat`, int8; `match`, int64; `score`, the seat's final points, int16;
/// `to_come`, these less the points at the decision, int16. Raises `OSError` if the file cannot be read, and
/// `ValueError` with the line that is wrong.
#[pyfunction]
#[pyo3(signature = (path, *, bot = None))]
pub(crate) fn read_patchwork<'py>(
    py: Python<'py>,
    path: PathBuf,
    bot: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    read::<Patchwork>(py, path, bot)
}

/// All steps of a tournament of Patchwork Doodle, one row each, as a `dict` of arrays.
///
/// `path` and `bot` are as in `read_patchwork`. The arrays are `boards`, `circle`, `offer`, `unseen`, `numbers`, and
/// `mask` (as bits) like those of `DoodleBatch`, and the other columns of `read_patchwork`.
#[pyfunction]
#[pyo3(signature = (path, *, bot = None))]
pub(crate) fn read_doodle<'py>(
    py: Python<'py>,
    path: PathBuf,
    bot: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    read::<Doodle>(py, path, bot)
}
