//! The line of a record: its JSON, and in the last field a check of everything before it.
//!
//! The digest covers what must be the same in every repetition of a match. Times, notes, the
//! wording of faults, the round and the index are not in it; the check covers the whole line, so
//! that nothing in it changes unnoticed. It guards against accidents, not against a forger.

use engine::game::Game;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::record::{MatchRecord, hex};

/// What stands before the digits of the check.
const HEAD: &[u8] = b",\"check\":\"";
/// What stands behind them.
const TAIL: &[u8] = b"\"}";
/// Bytes of the check; twice as many digits.
const CHECK_BYTES: usize = 8;
/// How every line begins.
const INDEX: &[u8] = b"{\"match\":";

/// Adds the check, which is no field of the type, to its schema.
#[cfg(feature = "schema")]
pub(super) fn describe_check(record: &mut schemars::Schema) {
    let check = schemars::json_schema!({
        "description": "A check of the line: the first 16 hexadecimal digits of the SHA-256 of all bytes before the comma in front of this field.",
        "type": "string",
        "pattern": format!("^[0-9a-f]{{{}}}$", 2 * CHECK_BYTES),
    });
    let fields = record.ensure_object().entry("properties").or_insert_with(|| serde_json::json!({}));
    fields.as_object_mut().expect("a record has fields").insert("check".to_owned(), check.into());
}

/// What the check of a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineCheck {
    /// The line is as it was written.
    Right,
    /// The line has no check: an earlier version or another program wrote it.
    Missing,
    /// The line was changed after it was written.
    Wrong,
}

impl<G: Game> MatchRecord<G> {
    /// The record as a line, newline included. Its last field, `check`, has the first 16
    /// hexadecimal digits of the SHA-256 of all bytes before the comma in front of that field.
    pub fn to_line(&self) -> Vec<u8> {
        let mut body = self.to_json();
        body.pop(); // the closing brace
        closed(body)
    }

    /// Reads a line, with or without its newline. A line that was only laid out anew, with other
    /// spaces or another order of fields, is as it was written.
    ///
    /// # Errors
    /// Where it is no record of this game. A check that is missing or wrong is for the caller.
    pub fn from_line(line: &[u8]) -> Result<(MatchRecord<G>, LineCheck), serde_json::Error> {
        let record: MatchRecord<G> = serde_json::from_slice(line)?;
        if split(line).is_some_and(|(body, digits)| check(body).as_bytes() == digits) {
            return Ok((record, LineCheck::Right));
        }
        let laid_out = match serde_json::from_slice::<CheckField>(line)?.check {
            None => LineCheck::Missing,
            Some(digits) if split(&record.to_line()).is_some_and(|own| own.1 == digits.as_bytes()) => {
                LineCheck::Right
            }
            Some(_) => LineCheck::Wrong,
        };
        Ok((record, laid_out))
    }
}

/// The field in any layout.
#[derive(Deserialize)]
struct CheckField {
    check: Option<String>,
}

/// The line of any game under another index, newline included; its check covers the new index.
/// `None` where it is not a line as [`MatchRecord::to_line`] writes it, or was changed since.
pub fn renumbered(line: &[u8], index: u64) -> Option<Vec<u8>> {
    let line = line.trim_ascii_end();
    let body = match split(line) {
        Some((body, digits)) if check(body).as_bytes() == digits => body,
        Some(_) => return None,
        None => line.strip_suffix(b"}")?,
    };
    let rest = body.strip_prefix(INDEX)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    Some(closed([INDEX, index.to_string().as_bytes(), &rest[digits..]].concat()))
}

/// The line of a body: the check, the brace and the newline added.
fn closed(mut body: Vec<u8>) -> Vec<u8> {
    let digits = check(&body);
    for part in [HEAD, digits.as_bytes(), TAIL, b"\n"] {
        body.extend_from_slice(part);
    }
    body
}

/// What the check covers, and its digits.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.trim_ascii_end().strip_suffix(TAIL)?;
    let (rest, digits) = rest.split_at_checked(rest.len().checked_sub(2 * CHECK_BYTES)?)?;
    Some((rest.strip_suffix(HEAD)?, digits))
}

fn check(body: &[u8]) -> String {
    hex(&Sha256::digest(body)[..CHECK_BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_closes_with_the_check_of_what_is_before_it() {
        let line = closed(b"{\"match\":17,\"round\":8".to_vec());
        let text = std::str::from_utf8(&line).unwrap();
        assert_eq!(text, "{\"match\":17,\"round\":8,\"check\":\"f70372de921b0746\"}\n");
        let (body, digits) = split(&line).unwrap();
        assert_eq!((body, digits), (&b"{\"match\":17,\"round\":8"[..], check(body).as_bytes()));
        assert_eq!(split(b"{}"), None);
    }

    #[test]
    fn a_line_gets_another_index_and_a_changed_one_does_not() {
        let line = closed(b"{\"match\":17,\"round\":8".to_vec());
        let other = closed(b"{\"match\":4,\"round\":8".to_vec());
        assert_eq!(renumbered(&line, 4), Some(other.clone()));
        assert_eq!(renumbered(b"{\"match\":17,\"round\":8}\n", 4), Some(other));
        let changed = String::from_utf8(line).unwrap().replace("round\":8", "round\":9");
        assert_eq!(renumbered(changed.as_bytes(), 4), None);
        assert_eq!(renumbered(b"{\"round\":8}", 4), None);
    }
}
