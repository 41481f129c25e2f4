//! States and moves as JSON, written directly into a line: a referee writes both for every decision.
//!
//! Ids, boards, and names of rules have no character that needs an escape, so these functions do not
//! look for any. Serde writes the same bytes; `tests/conformance.rs` compares them in random
//! matches.

use crate::shapes::bitboard::Bitboard;
use crate::shapes::cells::Pair;

/// Appends this text unchanged. It is inlined, so that a constant text is copied without a call.
#[inline]
pub fn raw(line: &mut Vec<u8>, text: &str) {
    line.extend_from_slice(text.as_bytes());
}

/// Appends an integer in decimal digits.
#[inline]
pub fn number(line: &mut Vec<u8>, number: impl Into<u64>) {
    match number.into() {
        digit @ 0..10 => line.push(b'0' + digit as u8),
        larger => digits(line, larger),
    }
}

fn digits(line: &mut Vec<u8>, mut number: u64) {
    let mut text = [0; 20]; // digits of the largest u64
    let mut begin = text.len();
    while number > 0 {
        begin -= 1;
        text[begin] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    line.extend_from_slice(&text[begin..]);
}

/// Appends a quoted string without characters to escape.
#[inline]
pub(crate) fn word(line: &mut Vec<u8>, word: &str) {
    line.push(b'"');
    raw(line, word);
    line.push(b'"');
}

/// Appends any text as a quoted string, with escapes if it needs them.
pub(crate) fn text(line: &mut Vec<u8>, text: &str) {
    match text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        true => word(line, text),
        false => serde_json::to_writer(line, text).expect("a text is plain data"),
    }
}

/// Appends a pair of numbers, on the board or not.
pub(crate) fn pair(line: &mut Vec<u8>, pair: &Pair) {
    match pair.map(|number| u8::try_from(number).ok().filter(|&digit| digit < 10)) {
        [Some(row), Some(col)] => line.extend([b'[', b'0' + row, b',', b'0' + col, b']']),
        _ => serde_json::to_writer(line, pair).expect("numbers are plain data"),
    }
}

/// Appends a list; `write` appends each item.
///
/// # Examples
/// ```
/// use engine::wire::json;
///
/// let mut line = Vec::new();
/// json::list(&mut line, [3u8, 1, 2], json::number);
/// assert_eq!(line, b"[3,1,2]");
/// ```
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

/// Appends a board as nine strings.
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
