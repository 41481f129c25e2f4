//! The turns of a match in words.

use std::borrow::Cow;

use engine::game::turn_name;
use engine::wire::WireFormat;
use serde_json::Value;

use super::output::{show, width};
use referee::error::Error;
use referee::record::{MatchRecord, TurnRecord};
use sandbox::{StderrLog, text};
use tournament::report::layout;
use tournament::report::words::count;

/// Prints a line for each decision, if `has_moves` is set, and below it what the bot wrote to stderr.
pub(crate) fn show_turns<G: WireFormat>(
    record: &MatchRecord<G>,
    logs: &[StderrLog],
    has_moves: bool,
) -> Result<(), Error> {
    let moved = |turn: &TurnRecord<G::WireMove>| {
        let what = match &turn.fault {
            Some(fault) => format!("fault {}", fault.kind),
            None => move_words(&serde_json::to_value(&turn.wire_move).expect("a move is plain data")),
        };
        let bot = &record.bots[turn.seat];
        let time = turn_time(record, turn);
        (Some(turn.id), turn.seat, format!("{}, {bot}: {what}, {time}\n", G::turn_name(turn.id)))
    };
    let written = |(seat, log): (usize, &StderrLog)| {
        let line = |(label, line): (Option<u32>, Cow<'_, [u8]>)| {
            let place = label.map_or("start".to_owned(), turn_name);
            let prefix = match label.filter(|_| has_moves) {
                Some(_) => "    stderr: ".to_owned(),
                None => format!("{}, {place}: ", record.bots[seat]),
            };
            let line = String::from_utf8_lossy(&line);
            (label, seat, layout::hanging(&prefix, &text::line(&line), width()) + "\n")
        };
        log.lines().into_iter().map(line).collect::<Vec<_>>()
    };
    let moves = record.turns.iter().filter(|_| has_moves).map(moved);
    let mut lines: Vec<_> = moves.chain(logs.iter().enumerate().flat_map(written)).collect();
    // A stable sort keeps the stderr below the move of its decision.
    lines.sort_by_key(|(label, seat, _)| (*label, *seat));
    let lines: String = lines.into_iter().map(|(_, _, line)| line).collect();
    if lines.is_empty() { Ok(()) } else { show(&(lines + "\n")) }
}

/// Returns the time of a turn in words.
pub(crate) fn turn_time<G: WireFormat>(record: &MatchRecord<G>, turn: &TurnRecord<G::WireMove>) -> String {
    match record.has_given(turn.id) {
        true => "given".to_owned(),
        false => format!("{:.2} ms", turn.us as f64 / 1000.0),
    }
}

/// Returns a cell, or a list of cells, in words that count from 1. Returns anything else as JSON.
pub(crate) fn places(value: &Value) -> String {
    let place = |value: &Value| {
        let [row, column] = [0, 1].map(|axis| value.get(axis).and_then(Value::as_u64));
        Some(format!("row {}, column {}", row?.saturating_add(1), column?.saturating_add(1)))
    };
    let all = || value.as_array()?.iter().map(place).collect::<Option<Vec<_>>>();
    place(value).or_else(|| Some(all()?.join(" and "))).unwrap_or_else(|| value.to_string())
}

/// Returns a move in a few words: its fields, with the number of cells and the first one.
pub(crate) fn move_words(wire_move: &Value) -> String {
    let fields = wire_move.as_object().into_iter().flatten().map(|(name, value)| match value {
        Value::Bool(true) => name.clone(),
        Value::String(text) => format!("{name} {text}"),
        Value::Array(cells) if name == "cells" => {
            let first = cells.first().map_or(String::new(), |cell| format!(" from {}", places(cell)));
            count(cells.len() as u64, "cell") + &first
        }
        value => format!("{name} {}", places(value)),
    });
    fields.collect::<Vec<_>>().join(", ")
}
