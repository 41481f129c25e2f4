//! Parses a bot's line into a message of the protocol, or into a fault that explains the error.
//!
//! All input of bots is untrusted until this module has parsed it. A move in its usual form takes one pass.
//! Any other line is parsed once as JSON, borrowed from the line. A second parse of an invalid line finds a
//! better explanation.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;

use engine::wire::scan::Scan;
use engine::wire::{
    DATA_BYTES_MAX, DATA_NAME_BYTES_MAX, DATA_NAMES_MAX, FaultKind, Hello, NOTE_BYTES_MAX, PROTOCOL, Ready,
    WireFormat,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Number;
use serde_json::value::RawValue;

use crate::bots::names::fitted_version;
use crate::play::mend::{Mended, mend};
use crate::record::Remarks;
use crate::seats::bot::Message;
use crate::seats::fault::Fault;
use sandbox::text::quote;

/// A UTF-8 byte order mark. Some languages write it before their first line.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A move with the bot's remarks, parsed from a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<W> {
    /// The move in its wire form.
    pub wire_move: W,
    /// The remarks. The note is truncated to [`NOTE_BYTES_MAX`], and `data` has only what may be kept.
    pub remarks: Remarks,
}

/// Parses the answer to `hello`. The version becomes a short word.
///
/// # Errors
/// A `malformed` fault.
pub fn read_hello(line: &[u8]) -> Result<Hello, Fault> {
    let hello: Hello = read(line, "hello")?;
    match hello.protocol {
        PROTOCOL => Ok(Hello { version: hello.version.as_deref().and_then(fitted_version), ..hello }),
        other => Err(malformed(format!("the bot speaks protocol {other}, the arena speaks {PROTOCOL}"))),
    }
}

/// Parses the answer to `start`.
///
/// # Errors
/// A `malformed` fault.
pub fn read_ready(line: &[u8]) -> Result<(), Fault> {
    read::<Ready>(line, "ready").map(|Ready {}| ())
}

/// Checks the answer of a seat to `start`.
///
/// # Errors
/// A `malformed` fault.
pub(crate) fn ready<W>(message: &Message<'_, W>) -> Result<(), Fault> {
    match message {
        Message::Line { line, .. } => read_ready(line),
        Message::Ready => Ok(()),
        Message::Move { .. } => Err(malformed("expected a ready message, got a move".to_owned())),
    }
}

/// Returns the action and the remarks of a seat's answer to the `turn` with this id.
///
/// # Errors
/// As [`read_move`]. Also an `illegal` fault if the move names a component that does not exist.
pub(crate) fn action<G: WireFormat>(
    equipment: &G::Equipment,
    message: Message<'_, G::WireMove>,
    id: u32,
) -> Result<(G::Action, Remarks), Fault> {
    match message {
        Message::Line { line, early } => read_action::<G>(equipment, line, id, early),
        Message::Move { wire_move, remarks } => {
            let remarks = remarks.cloned().unwrap_or_default();
            let remarks = Remarks { note: remarks.note.map(|note| cut_note(note.into())), ..remarks };
            Ok((G::read(equipment, wire_move).map_err(illegal)?, remarks))
        }
        Message::Ready => Err(malformed("expected a move message, got ready".to_owned())),
    }
}

/// Parses a line as the answer to the `turn` with this id.
fn read_action<G: WireFormat>(
    equipment: &G::Equipment,
    line: &[u8],
    id: u32,
    early: bool,
) -> Result<(G::Action, Remarks), Fault> {
    if !early && let Some(action) = read_usual::<G>(equipment, line, id) {
        return Ok((action, Remarks::default()));
    }
    let Answer { wire_move, remarks } = read_move(line, id, early)?;
    let action = G::read(equipment, &wire_move).map_err(illegal)?;
    Ok((action, remarks))
}

/// Returns the `illegal` fault of a rejected move.
pub fn illegal(why: impl Display) -> Fault {
    Fault::new(FaultKind::Illegal, why.to_string())
}

/// Parses the usual form of an answer, without a note. Returns `None` for any other line.
pub fn read_usual<G: WireFormat>(equipment: &G::Equipment, line: &[u8], id: u32) -> Option<G::Action> {
    let mut scan = Scan::new(line);
    scan.token("{")?;
    scan.field(r#""type""#)?;
    scan.token(r#""move""#)?;
    scan.token(",")?;
    scan.field(r#""id""#)?;
    if scan.number()? != id {
        return None;
    }
    scan.token(",")?;
    scan.field(r#""move""#)?;
    let action = G::read_usual(equipment, &mut scan)?;
    scan.token("}")?;
    scan.end()?;
    Some(action)
}

/// Parses the answer to the `turn` with this id. With `early`, the bot wrote the line before the question, so
/// the line cannot be the answer.
///
/// # Errors
/// A `malformed` fault. An `id` fault for an early line or for a well-formed answer to another decision.
pub fn read_move<W: DeserializeOwned>(line: &[u8], id: u32, early: bool) -> Result<Answer<W>, Fault> {
    if let Some(good) = read_good_move(line) {
        return answer(line, good, id, early);
    }
    match std::str::from_utf8(line).ok().and_then(mend) {
        None => answer(line, read::<TypedMove<'_, W>>(line, "move")?, id, early),
        Some(Mended { outside: Some(odd), .. }) => {
            Err(malformed(format!("{odd} is not JSON: {}", quote(line))))
        }
        Some(Mended { text, .. }) => {
            answer(line, read::<TypedMove<'_, W>>(text.as_bytes(), "move")?, id, early)
        }
    }
}

/// Checks that the move of a line answers the `turn` with this id.
fn answer<W>(line: &[u8], typed: TypedMove<'_, W>, id: u32, early: bool) -> Result<Answer<W>, Fault> {
    let TypedMove { id: answered, wire_move, note, data, .. } = typed;
    if answered != u64::from(id) {
        let detail = format!("the turn has id {id}, the answer has id {answered}: {}", quote(line));
        return Err(Fault::new(FaultKind::Id, detail + "; answer each turn once and echo its id"));
    }
    if early {
        let detail = format!("the answer with id {id} was there before the question: {}", quote(line));
        return Err(Fault::new(FaultKind::Id, detail + "; answer a turn only after reading it"));
    }
    let (data, data_dropped) = data.map(|data| numbers(data.get())).unwrap_or_default();
    let remarks = Remarks { note: note.map(cut_note), data, data_dropped, refused: Vec::new() };
    Ok(Answer { wire_move, remarks })
}

/// Parses a valid move in one pass. Returns `None` for any other line, which then needs a closer look.
fn read_good_move<W: DeserializeOwned>(line: &[u8]) -> Option<TypedMove<'_, W>> {
    let text = std::str::from_utf8(line).ok().filter(|text| text.starts_with('{'))?;
    serde_json::from_str(text).ok().filter(|good: &TypedMove<'_, W>| good.kind == "move")
}

/// A [`MoveLine`](engine::wire::MoveLine) with its type, and with its `data` as the bot wrote it.
#[derive(Deserialize)]
#[serde(bound(deserialize = "W: Deserialize<'de>"))]
struct TypedMove<'a, W> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    id: u64,
    #[serde(rename = "move", deserialize_with = "engine::wire::object")]
    wire_move: W,
    #[serde(default, borrow)]
    note: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    data: Option<&'a RawValue>,
}

/// Returns the numbers in the text of a `data` field, and how many things were dropped.
fn numbers(text: &str) -> (BTreeMap<String, Number>, u32) {
    let all = Some(text).filter(|text| text.len() <= DATA_BYTES_MAX);
    let all = all.and_then(|text| serde_json::from_str::<BTreeMap<String, &RawValue>>(text).ok());
    let Some(all) = all else { return (BTreeMap::new(), 1) };
    let (mut kept, mut dropped) = (BTreeMap::new(), 0);
    for (name, value) in all {
        let number = serde_json::from_str::<Number>(value.get()).ok();
        match number.filter(|_| is_data_name(&name) && kept.len() < DATA_NAMES_MAX) {
            None => dropped += 1,
            Some(number) => _ = kept.insert(name, number),
        }
    }
    (kept, dropped)
}

/// Returns true if a number may have this name.
fn is_data_name(name: &str) -> bool {
    let is_right = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (1..=DATA_NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_right)
}

/// Parses a message of type `kind`. The type field is required. Unknown fields of the message are ignored.
fn read<'a, T: Deserialize<'a>>(line: &'a [u8], kind: &'static str) -> Result<T, Fault> {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    let text = std::str::from_utf8(line).map_err(|error| {
        malformed(format!("byte {} of the line is not UTF-8: {}", error.valid_up_to(), quote(line)))
    })?;
    if !text.trim_start().starts_with('{') {
        return Err(malformed(not_an_object(text, kind)));
    }
    let head: Head<'_> =
        serde_json::from_str(text).map_err(|error| malformed(unreadable(text, kind, &error)))?;
    match head.kind.as_deref() {
        Some(found) if found == kind => {}
        Some(found) => {
            let detail =
                format!("expected a message of type {kind:?}, got {:?}: {}", short(found), quote(line));
            return Err(malformed(detail));
        }
        None => {
            let detail =
                format!("expected {{\"type\":{kind:?},...}}, the message has no type: {}", quote(line));
            return Err(malformed(detail));
        }
    }
    serde_json::from_str(text).map_err(|error| malformed(unreadable(text, kind, &error)))
}

/// The field that all messages share.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
}

fn malformed(detail: String) -> Fault {
    Fault::new(FaultKind::Malformed, detail)
}

fn unreadable(text: &str, kind: &str, error: &serde_json::Error) -> String {
    let what = if error.is_data() { "is not understood" } else { "is not JSON" };
    let (why, text_quoted) = (quote(error.to_string().as_bytes()), quote(text.as_bytes()));
    let hint = match () {
        () if error.is_eof() => "; write the whole message on one line",
        () if error.is_data() && error.to_string().contains("expected an array of length 2") => {
            "; a cell is [row, column]"
        }
        () if error.is_data() => "",
        () => python_hint(text),
    };
    format!("the {kind} message {what}: {why}: {text_quoted}{hint}")
}

/// Returns advice for a line that is a printed Python dictionary.
fn python_hint(text: &str) -> &'static str {
    let is_word =
        |word: &str| text.split(|letter: char| !letter.is_ascii_alphabetic()).any(|found| found == word);
    if text.contains("{'") {
        "; JSON has double quotes: in Python print(json.dumps(message), flush=True)"
    } else if ["True", "False", "None"].into_iter().any(is_word) {
        "; JSON has true, false and null: in Python print(json.dumps(message), flush=True)"
    } else {
        ""
    }
}

fn not_an_object(text: &str, kind: &str) -> String {
    let hint = match text.trim() {
        "" => "an empty line; print nothing but one answer a question",
        text if text.starts_with("Traceback") => {
            "a Python traceback; it belongs on stderr, and the error in it is the cause"
        }
        _ => "not a JSON object; stdout is for answers only, print debugging to stderr",
    };
    format!("expected a {kind} message, got {}: {hint}", quote(text.as_bytes()))
}

fn short(text: &str) -> String {
    text.chars().take(20).collect()
}

/// Truncates a note between two characters, so that it takes at most [`NOTE_BYTES_MAX`] bytes in JSON.
fn cut_note(note: Cow<'_, str>) -> String {
    let mut bytes = 0;
    let is_too_much = |&(_, letter): &(usize, char)| {
        bytes += json_bytes(letter);
        bytes > NOTE_BYTES_MAX
    };
    let end = note.char_indices().find(is_too_much).map_or(note.len(), |(end, _)| end);
    let mut note = note.into_owned();
    note.truncate(end);
    note
}

/// Returns the length of a character in a JSON string, in bytes.
fn json_bytes(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..' ' => r"\u0000".len(),
        _ => letter.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::doodle::WireMove;

    fn fault(line: &[u8]) -> (FaultKind, String) {
        let fault = read_move::<WireMove>(line, 5, false).unwrap_err();
        (fault.kind, fault.detail)
    }

    #[test]
    fn a_move_is_read_with_its_note() {
        for prefix in ["", "\u{feff}", "  "] {
            let line = format!(
                r#"{prefix}{{"type":"move","id":5,"move":{{"pass":true}},"note":"h\u0069","mood":[1]}}"#
            );
            let answer = read_move::<WireMove>(line.as_bytes(), 5, false).unwrap();
            assert_eq!(answer.remarks.note.as_deref(), Some("hi"));
            assert_eq!(answer.wire_move, WireMove { draw: None, singles: vec![] });
        }
    }

    #[test]
    fn numbers_are_kept_and_all_else_is_dropped_and_counted() {
        let many = |count: usize| (0..count).map(|n| format!("\"n{n}\":{n}")).collect::<Vec<_>>().join(",");
        let (long, sixteen, eighteen) = ("x".repeat(25), many(16), many(18));
        let full = format!("{{\"a\":1{}}}", " ".repeat(DATA_BYTES_MAX - 7));
        for (data, kept, dropped) in [
            (r#"{"a":NaN,"b":-Infinity,"c":1}"#, 1, 2),
            (r#"{"eval":-1.50,"nodes":12345678901234567890,"a.b_c-D":1e3}"#, 3, 0),
            (r#"{"eval":1,"eval":2}"#, 1, 0),
            (r#"{"eval":"1","b":null,"c":[1],"d":true,"e":{"f":1},"g":7}"#, 1, 5),
            (r#"{"":1,"a b":1,"\u00e9":1,"\u0041":1}"#, 1, 3),
            (r#"{"big":1e999,"small":1e-999}"#, 1, 1),
            (&format!("{{\"{long}\":1,\"{}\":2}}", &long[1..]), 1, 1),
            (&format!("{{{sixteen},\"n3\":99}}"), 16, 0),
            (&format!("{{{eighteen}}}"), 16, 2),
            (&full, 1, 0),
            (&full.replacen('1', "1 ", 1), 0, 1),
            ("[1,2]", 0, 1),
            ("7", 0, 1),
            ("{}", 0, 0),
            ("null", 0, 0),
        ] {
            for prefix in ["", " "] {
                let line = format!(
                    "{prefix}{{\"data\":{data},\"type\":\"move\",\"id\":5,\"move\":{{\"pass\":true}}}}"
                );
                let remarks = read_move::<WireMove>(line.as_bytes(), 5, false).unwrap().remarks;
                assert_eq!((remarks.data.len(), remarks.data_dropped), (kept, dropped), "{data}");
            }
        }
        assert_eq!(numbers(r#"{"eval":1,"eval":2}"#).0["eval"].as_u64(), Some(2), "the last one counts");
        assert_eq!(numbers(r#"{"eval":1,"eval":"x"}"#), (BTreeMap::new(), 1));
        let deep = format!("{{\"a\":{}1}}", "[".repeat(1_000));
        assert_eq!(numbers(&deep), (BTreeMap::new(), 1));
    }

    #[test]
    fn long_notes_are_cut_between_characters() {
        let line =
            format!(r#"{{"type":"move","id":5,"move":{{"pass":true}},"note":"{}"}}"#, "ä".repeat(2000));
        let note = read_move::<WireMove>(line.as_bytes(), 5, false).unwrap().remarks.note.unwrap();
        assert_eq!(note.len(), NOTE_BYTES_MAX);
    }

    /// Otherwise a record could be six times as large as its notes.
    #[test]
    fn notes_are_as_long_as_their_json() {
        for text in ["\u{1}\u{1f}", "\"\\", "a\n\r\t\u{8}\u{c}", "\u{7f}\u{9b}\u{2028}ü/"] {
            let note = cut_note(text.repeat(NOTE_BYTES_MAX).into());
            let bytes = serde_json::to_string(&note).unwrap().len() - 2;
            assert!((NOTE_BYTES_MAX - 6..=NOTE_BYTES_MAX).contains(&bytes), "{text:?}: {bytes}");
        }
    }

    #[test]
    fn an_answer_to_another_question_is_an_id_fault() {
        let line = br#"{"type":"move","id":4,"move":{"pass":true}}"#;
        assert_eq!(fault(line).0, FaultKind::Id);
        let early = br#"{"type":"move","id":5,"move":{"pass":true}}"#;
        assert_eq!(read_move::<WireMove>(early, 5, true).unwrap_err().kind, FaultKind::Id);
    }

    #[test]
    fn malformed_lines_are_explained() {
        for (line, reason) in [
            (&b""[..], "an empty line"),
            (b"hello", "print debugging to stderr"),
            (b"Traceback (most recent call last):", "Python traceback"),
            (b"[\"move\",5,{\"pass\":true}]", "not a JSON object"),
            (b"{\"type\":\"move\",\"id\":5,\"move\":[null,null,true,[]]}", "is not understood"),
            (b"{\"type\":\"ready\"}", "expected a message of type \"move\", got \"ready\""),
            (b"{\"id\":5,\"move\":{\"pass\":true}}", "has no type"),
            (b"{\"type\":\"move\",\"move\":{\"pass\":true}}", "missing field `id`"),
            (b"{\"type\":\"move\",\"id\":\"5\",\"move\":{\"pass\":true}}", "invalid type: string"),
            (b"{\"type\":\"move\",\"id\":5,\"id\":5,\"move\":{\"pass\":true}}", "duplicate field `id`"),
            (b"{\"type\":\"move\",\"id\":5,\"move\":{\"pas\":true}}", "unknown field `pas`"),
            (b"{\"type\":\"move\",\"id\":1e999,\"move\":{\"pass\":true}}", "number out of range"),
            (b"{\"type\":\"move\",\"id\":5,\"move\":{\"pass\":true}}}", "trailing characters"),
            (b"{\"type\":\"move\",\"id\":5", "EOF"),
            (b"{\"type\":\"move\0\"}", "control character"),
            (b"{\"type\":\"mo\xff\"}", "byte 11 of the line is not UTF-8"),
        ] {
            let (kind, detail) = fault(line);
            assert_eq!(kind, FaultKind::Malformed);
            assert!(detail.contains(reason), "{}: {detail}", quote(line));
        }
        let deep = [b"{\"mood\":".as_slice(), &b"[".repeat(60_000)].concat();
        assert!(fault(&deep).1.contains("EOF"), "skipped without recursion");
    }

    #[test]
    fn the_greeting_names_the_protocol() {
        let hello = read_hello(br#"{"type":"hello","protocol":1,"name":"mine"}"#).unwrap();
        assert_eq!(hello.name.as_deref(), Some("mine"));
        let other = read_hello(br#"{"type":"hello","protocol":2}"#).unwrap_err();
        assert_eq!(other.detail, "the bot speaks protocol 2, the arena speaks 1");
        assert!(read_ready(br#"{"type":"ready"}"#).is_ok());
    }

    #[test]
    fn a_version_is_a_short_word_or_none() {
        let version = |text: &str| {
            let line = serde_json::json!({ "type": "hello", "protocol": 1, "version": text }).to_string();
            read_hello(line.as_bytes()).unwrap().version
        };
        assert_eq!(version("1. greedy 100-0-0 winner").as_deref(), Some("1.-greedy-100-0-0-winner"));
        assert_eq!(version("\u{0}\u{2028} "), None);
    }
}
