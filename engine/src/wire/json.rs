//! The JSON of states and moves, straight into a line: a referee writes one of each for every decision.
//!
//! Ids, boards and words of the rules have no character that needs an escape, so none is looked for. Serde
//! writes the same bytes; `tests/conformance.rs` compares them in every state and move it meets.

use crate::shapes::bitboard::Bitboard;
use crate::shapes::cells::Pair;

/// Adds this text as it is; inlined, so that a text that is known needs no call to be copied.
#[inline]
pub fn raw(line: &mut Vec<u8>, text: &str) {
    line.extend_from_slice(text.as_bytes());
}

/// Adds a whole number.
#[inline]
pub fn number(line: &mut Vec<u8>, number: impl Into<u64>) {
    match number.into() {
        digit @ 0..10 => line.push(b'0' + digit as u8),
        larger => digits(line, larger),
    }
}

fn digits(line: &mut Vec<u8>, mut number: u64) {
    let mut text = [0; 20]; // as long as the largest
    let mut begin = text.len();
    while number > 0 {
        begin -= 1;
        text[begin] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    line.extend_from_slice(&text[begin..]);
}

/// Adds a word without anything to escape.
#[inline]
pub(crate) fn word(line: &mut Vec<u8>, word: &str) {
    line.push(b'"');
    raw(line, word);
    line.push(b'"');
}

/// Adds a text of which nothing is known.
pub(crate) fn text(line: &mut Vec<u8>, text: &str) {
    match text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        true => word(line, text),
        false => serde_json::to_writer(line, text).expect("a text is plain data"),
    }
}

/// Adds a pair of numbers, which may be no cell.
pub(crate) fn pair(line: &mut Vec<u8>, pair: &Pair) {
    match pair.map(|number| u8::try_from(number).ok().filter(|&digit| digit < 10)) {
        [Some(row), Some(col)] => line.extend([b'[', b'0' + row, b',', b'0' + col, b']']),
        _ => serde_json::to_writer(line, pair).expect("numbers are plain data"),
    }
}

/// Adds a list of what `write` adds for each item.
pub fn list<T>(
    line: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    line.push(b'[');
    for item in items {
        write(line, item);
        line.push(b',');
    }
    if line.ends_with(b",") {
        line.pop();
    }
    line.push(b']');
}

/// Adds a board as nine strings.
pub(crate) fn board(line: &mut Vec<u8>, board: Bitboard) {
    let rows = board.rows().map(|row| {
        let mut text = *b"\".........\",";
        text[1..10].copy_from_slice(&row);
        text
    });
    line.push(b'[');
    line.extend_from_slice(rows.as_flattened());
    line.pop(); // the last comma
    line.push(b']');
}
