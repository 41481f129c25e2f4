//! The line of a record: its JSON, with a checksum of the line in the last field.
//!
//! The digest covers only data that every repetition of a match reproduces. It omits times, notes, the texts
//! of faults, the round, and the index. The checksum covers the whole line. It detects accidental changes,
//! but gives no protection against forgery.

use engine::wire::WireFormat;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::record::{MatchRecord, hex};

/// The text before the digits of the checksum.
const HEAD: &[u8] = b",\"check\":\"";
/// The text after the digits of the checksum.
const TAIL: &[u8] = b"\"}";
/// The size of the checksum in bytes, each written as two digits.
const CHECK_BYTES: usize = 8;
/// The beginning of every line.
const INDEX: &[u8] = b"{\"match\":";

/// Adds the checksum to the schema, because the record type has no field for it.
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

impl<G: WireFormat> MatchRecord<G> {
    /// Returns the record as a line, newline included. The last field, `check`, has the first 16 hexadecimal
    /// digits of the SHA-256 of all bytes before the comma in front of that field.
    pub fn to_line(&self) -> Vec<u8> {
        let mut body = self.to_json();
        body.pop(); // the closing brace
        closed(body)
    }

    /// Parses a line, with or without its newline. Also returns true if the line has the checksum of what it says. The
    /// spaces and the order of fields do not matter.
    ///
    /// # Errors
    /// The line is not a record of this game.
    pub fn from_line(line: &[u8]) -> Result<(MatchRecord<G>, bool), serde_json::Error> {
        let record: MatchRecord<G> = serde_json::from_slice(line)?;
        let is_sound = has_right_check(line) || {
            let digits = serde_json::from_slice::<CheckField>(line)?.check;
            digits
                .is_some_and(|digits| split(&record.to_line()).is_some_and(|own| own.1 == digits.as_bytes()))
        };
        Ok((record, is_sound))
    }
}

/// The checksum of a line in any layout.
#[derive(Deserialize)]
struct CheckField {
    check: Option<String>,
}

/// Replaces the index in the line of any game, and updates the checksum. Returns the line, newline included. Returns
/// `None` if the line has changed since [`MatchRecord::to_line`] wrote it, or has another layout.
pub fn renumbered(line: &[u8], index: u64) -> Option<Vec<u8>> {
    let (body, _) = split(line).filter(|_| has_right_check(line))?;
    let rest = body.strip_prefix(INDEX)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    Some(closed([INDEX, index.to_string().as_bytes(), &rest[digits..]].concat()))
}

/// Completes a line: adds the checksum, the closing brace, and the newline.
fn closed(mut body: Vec<u8>) -> Vec<u8> {
    let digits = check(&body);
    for part in [HEAD, digits.as_bytes(), TAIL, b"\n"] {
        body.extend_from_slice(part);
    }
    body
}

/// Splits a line into the bytes that the checksum covers, and its digits.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.trim_ascii_end().strip_suffix(TAIL)?;
    let (rest, digits) = rest.split_at_checked(rest.len().checked_sub(2 * CHECK_BYTES)?)?;
    Some((rest.strip_suffix(HEAD)?, digits))
}

/// Returns true if the line ends with the checksum of its bytes, as the arena writes it.
pub fn has_right_check(line: &[u8]) -> bool {
    split(line).is_some_and(|(body, digits)| check(body).as_bytes() == digits)
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
        assert_eq!(renumbered(&line, 4), Some(other));
        assert_eq!(renumbered(b"{\"match\":17,\"round\":8}\n", 4), None, "a line without a check");
        let changed = String::from_utf8(line).unwrap().replace("round\":8", "round\":9");
        assert_eq!(renumbered(changed.as_bytes(), 4), None);
        assert_eq!(renumbered(b"{\"round\":8}", 4), None);
    }
}
