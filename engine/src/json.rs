//! The JSON of states, straight into a line: a referee writes one for every decision.
//!
//! Ids, boards and words of the rules have no character that needs an escape, so none is looked for. Serde
//! writes the same bytes of an observation; `tests/conformance.rs` compares them in every state it meets.

use crate::bitboard::Bitboard;

/// Adds this text as it is.
pub fn raw(line: &mut Vec<u8>, text: &str) {
    line.extend_from_slice(text.as_bytes());
}

/// Adds a whole number.
pub fn number(line: &mut Vec<u8>, number: impl Into<u64>) {
    let number = number.into();
    if number >= 10 {
        self::number(line, number / 10);
    }
    line.push(b'0' + (number % 10) as u8);
}

/// Adds a word without anything to escape.
pub(crate) fn word(line: &mut Vec<u8>, word: &str) {
    line.push(b'"');
    raw(line, word);
    line.push(b'"');
}

/// Adds a list of what `write` adds for each item.
pub(crate) fn list<T>(
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
