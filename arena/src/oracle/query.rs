//! What a line says before the rules of a game are asked: a message to skip, a start, or a query.

use std::borrow::Cow;

use engine::game::Seat;
use engine::wire;
use sandbox::text::quote;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The longest explanation that is passed on from the JSON reader, in bytes.
const WHY_BYTES_MAX: usize = 300;

/// What the caller named a query; echoed as it came.
pub(super) type Id<'a> = Option<&'a RawValue>;

/// What a line is.
pub(super) enum Heard<'a> {
    /// A message that asks nothing, or a blank line.
    Nothing,
    /// The start of a match of this game.
    Start {
        /// The name of the game.
        game: Cow<'a, str>,
    },
    /// A state to be judged.
    Query {
        /// The caller's name for it.
        id: Id<'a>,
    },
}

/// The fields by which lines are told apart; the state is skipped.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    game: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Id<'a>,
}

/// A query with the words of a game. Everything is optional, so that what is missing can be named.
#[derive(Deserialize)]
#[serde(bound(deserialize = "O: Deserialize<'de>, W: Deserialize<'de>"))]
pub(super) struct Query<O, W> {
    /// The seat that is asked.
    pub(super) seat: Option<Seat>,
    /// What it sees.
    pub(super) state: Option<Object<O>>,
    /// What it does.
    #[serde(rename = "move")]
    pub(super) word: Option<Object<W>>,
}

/// Something that must be written as an object.
pub(super) struct Object<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object<T>, D::Error> {
        wire::object(deserializer).map(Object)
    }
}

/// The line without what may stand around an object.
pub(super) fn stripped(line: &[u8]) -> &[u8] {
    line.strip_prefix(referee::play::answer::BYTE_ORDER_MARK).unwrap_or(line).trim_ascii()
}

/// Tells what a line is.
pub(super) fn heard(line: &[u8]) -> Result<Heard<'_>, String> {
    if line.is_empty() {
        return Ok(Heard::Nothing);
    }
    let head: Object<Head<'_>> = read(line)?;
    let Head { kind, game, id } = head.0;
    // JSON has numbers such as 1e999 that hardly any reader takes, so none is echoed.
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

/// Reads a line as JSON of some shape.
pub(super) fn read<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(line).map_err(|error| {
        let what = if error.is_data() { "not understood" } else { "not JSON" };
        // The reader counts lines within what it is given, which is one line.
        format!("{what}: {}", short(&error.to_string().replace(" at line 1 column ", " at column ")))
    })
}

fn short(text: &str) -> &str {
    &text[..text.floor_char_boundary(WHY_BYTES_MAX)]
}
