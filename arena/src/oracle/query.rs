//! Parses the part of a line that does not depend on the game: a message to skip, a start, or a query.

use std::borrow::Cow;

use engine::game::Seat;
use engine::wire;
use sandbox::text::quote;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The maximum length of an error text from the JSON parser, in bytes.
const WHY_BYTES_MAX: usize = 300;

/// The caller's id of a query. The answer repeats it unchanged.
pub(super) type Id<'a> = Option<&'a RawValue>;

/// The kind of a line.
pub(super) enum Heard<'a> {
    /// A message without a question, or a blank line.
    Nothing,
    /// The start of a match.
    Start {
        /// The name of the game.
        game: Cow<'a, str>,
    },
    /// A query about a state.
    Query {
        /// The caller's id of the query.
        id: Id<'a>,
    },
}

/// The fields that determine the kind of a line. The state is skipped.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    game: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Id<'a>,
}

/// A query in the types of a game. All fields are optional, so that an error can name the missing one.
#[derive(Deserialize)]
#[serde(bound(deserialize = "O: Deserialize<'de>, W: Deserialize<'de>"))]
pub(super) struct Query<O, W> {
    /// The seat.
    pub(super) seat: Option<Seat>,
    /// The view of the seat.
    pub(super) state: Option<Object<O>>,
    /// The move of the seat.
    #[serde(rename = "move")]
    pub(super) wire_move: Option<Object<W>>,
    /// The moves of all seats, in seat order, to step the whole table.
    pub(super) moves: Option<Vec<Object<W>>>,
    /// The roll of the next turn, for a step of the whole table.
    pub(super) roll: Option<u8>,
    /// The cards that join the circle before the next round, for such a step.
    #[serde(default)]
    pub(super) cards: Vec<String>,
}

/// What chance decides in a step of the whole table.
#[derive(Debug)]
pub(super) struct Chance {
    /// The roll of the next turn.
    pub(super) roll: Option<u8>,
    /// The cards that join the circle before the next round.
    pub(super) cards: Vec<String>,
}

/// A value that must be a JSON object.
pub(super) struct Object<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object<T>, D::Error> {
        wire::object(deserializer).map(Object)
    }
}

/// Removes a byte order mark and the white space around a line.
pub(super) fn stripped(line: &[u8]) -> &[u8] {
    line.strip_prefix(referee::play::answer::BYTE_ORDER_MARK).unwrap_or(line).trim_ascii()
}

/// Determines the kind of a line.
///
/// # Errors
/// The line is invalid; the string says why.
pub(super) fn heard(line: &[u8]) -> Result<Heard<'_>, String> {
    if line.is_empty() {
        return Ok(Heard::Nothing);
    }
    let head: Object<Head<'_>> = read(line)?;
    let Head { kind, game, id } = head.0;
    // Few JSON parsers accept numbers such as 1e999, so the oracle never repeats them.
    if id.is_some_and(|id| serde_json::from_str::<serde_json::Value>(id.get()).is_err()) {
        return Err("the \"id\" has a number that is out of range".to_owned());
    }
    match (kind.as_deref(), game) {
        (None | Some("turn"), _) => Ok(Heard::Query { id }),
        (Some("start"), Some(game)) => Ok(Heard::Start { game }),
        (Some("start"), None) => Err("the start names no \"game\"".to_owned()),
        (Some("hello" | "fault" | "end" | "quit"), _) => Ok(Heard::Nothing),
        (Some(other), _) => Err(format!("a line of type {} asks nothing", quote(other.as_bytes()))),
    }
}

/// Parses a line as JSON.
pub(super) fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(line).map_err(|error| {
        let what = if error.is_data() { "not understood" } else { "not JSON" };
        // The parser counts lines, but its input is always one line.
        format!("{what}: {}", short(&error.to_string().replace(" at line 1 column ", " at column ")))
    })
}

fn short(text: &str) -> &str {
    &text[..text.floor_char_boundary(WHY_BYTES_MAX)]
}
