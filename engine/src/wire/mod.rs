//! The words on the wire: every message between the arena and a bot, as plain data.
//!
//! One JSON object a line, UTF-8. `protocol.md` explains the dialogue to a bot author; this module
//! is the same contract in types. It knows nothing about processes, time or the rules of a game:
//! what a game adds (`state`, `move`, the fields of `start`) comes in as type parameters.

pub mod json;
pub mod name;
pub mod scan;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The version of the protocol, exchanged in both `hello` messages.
pub const PROTOCOL: u32 = 1;
/// The longest line a bot may send, in bytes, without its newline.
pub const LINE_BYTES_MAX: usize = 65_536;
/// The longest `note` kept with a move, in bytes; the rest is cut off.
pub const NOTE_BYTES_MAX: usize = 1_024;
/// Every number on the wire is an integer below this bound, so that JavaScript reads it exactly.
pub const NUMBER_MAX: u64 = 1 << 53;

/// A message from the arena to a bot. `S` is the game's part of `start`, `O` its observation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ToBot<S, O> {
    /// Opens the dialogue, once per process; answered by `hello`.
    Hello {
        /// The version of the protocol that the arena speaks.
        #[cfg_attr(feature = "schema", schemars(extend("const" = PROTOCOL)))]
        protocol: u32,
    },
    /// Begins a match; answered by `ready`.
    Start(Start<S>),
    /// Asks for one decision; answered by `move`.
    Turn {
        /// Number of the decision in this match, from 0; to be echoed.
        id: u32,
        /// What the bot has for this decision, all limits taken together, in milliseconds.
        time_ms: u64,
        /// Everything a seat may know now.
        state: O,
    },
    /// Tells a bot that it is out of the match, and why. Not answered.
    Fault {
        /// The decision during which it happened.
        id: u32,
        /// What kind of fault it was.
        kind: FaultKind,
        /// What was asked, what came, and what to do about it.
        detail: String,
    },
    /// Tells the result. Not answered; another `start` may follow.
    End {
        /// Final score of each seat.
        #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
        scores: Vec<i32>,
        /// Final rank of each seat, from 1; equal results share a rank.
        #[cfg_attr(feature = "schema", schemars(length(min = 1), inner(range(min = 1))))]
        ranks: Vec<u32>,
    },
    /// Asks the program to exit within one second; stdin is closed after it.
    Quit,
}

/// The `start` message: the match, the seat, and the game's own fields beside them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Start<S> {
    /// Index of the match in its tournament.
    #[serde(rename = "match")]
    pub match_index: u64,
    /// Name of the game: `doodle` or `patchwork`.
    pub game: String,
    /// Number of seats at the table.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub seats: usize,
    /// The seat this bot has, from 0.
    pub seat: usize,
    /// Names of the bots in seat order.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub players: Vec<String>,
    /// The bot's own seed, below 2^53: draw all chance from it and the match can be repeated.
    pub seed: u64,
    /// The time limits.
    pub limits: Limits,
    /// Rules and components of the game.
    #[serde(flatten)]
    pub setup: S,
}

/// The time limits of a match, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limits {
    /// For the answers to `hello` and `start` together with the program's own start.
    pub startup_ms: u64,
    /// For one decision.
    pub move_ms: u64,
    /// For all decisions of a match together, if there is such a bank.
    pub match_ms: Option<u64>,
}

/// A bot's answer to `hello`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hello {
    /// The protocol version the bot speaks.
    #[cfg_attr(feature = "schema", schemars(extend("const" = PROTOCOL)))]
    pub protocol: u32,
    /// The name it would like to be listed under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its version, kept with the tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// That at doodle it looks at its own sheet only. In tournaments such a bot plays each deal once, alone,
    /// and every table has its game from there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub solitary: bool,
}

impl Hello {
    /// The greeting of a bot with this name.
    pub fn new(name: &str) -> Hello {
        Hello { protocol: PROTOCOL, name: Some(name.to_owned()), version: None, solitary: false }
    }
}

/// A bot's answer to `start`: it carries nothing but its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ready {}

/// A bot's answer to `turn`. `M` is the game's move as written on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(bound(deserialize = "M: Deserialize<'de>"))]
pub struct MoveLine<'a, M> {
    /// The `id` of the question.
    pub id: u64,
    /// The decision.
    #[serde(rename = "move", deserialize_with = "object")]
    pub word: M,
    /// Free text for the viewer, at most [`NOTE_BYTES_MAX`] bytes of it are kept.
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    pub note: Option<Cow<'a, str>>,
}

/// A message from a bot to the arena, told apart by its `type`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase", bound(deserialize = "M: Deserialize<'de>"))]
pub enum FromBot<'a, M> {
    /// Answers `hello`.
    Hello(Hello),
    /// Answers `start`.
    Ready(Ready),
    /// Answers `turn`.
    #[serde(borrow)]
    Move(MoveLine<'a, M>),
}

/// The closed list of ways in which a bot fails. A fault puts its seat out of the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The program could not be started.
    Launch,
    /// No `hello` or `ready` came in time.
    Startup,
    /// No line for this decision came in time.
    Timeout,
    /// The program exited or closed its stdout while owing an answer.
    Exit,
    /// A line was longer than [`LINE_BYTES_MAX`] bytes.
    Oversize,
    /// The line was not UTF-8, not a JSON object, not of the asked type, or had wrong fields.
    Malformed,
    /// A well-formed answer to another decision.
    Id,
    /// Understood, but against the rules.
    Illegal,
    /// It computed out of its turns for longer than is allowed.
    OffTurn,
}

impl FaultKind {
    /// All kinds, in the order of the contract's table.
    pub const ALL: [FaultKind; 9] = [
        FaultKind::Launch,
        FaultKind::Startup,
        FaultKind::Timeout,
        FaultKind::Exit,
        FaultKind::Oversize,
        FaultKind::Malformed,
        FaultKind::Id,
        FaultKind::Illegal,
        FaultKind::OffTurn,
    ];

    /// Whether it happens before anything was decided.
    pub fn is_before_the_first_decision(self) -> bool {
        matches!(self, FaultKind::Launch | FaultKind::Startup)
    }

    /// The word on the wire, in records and in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            FaultKind::Launch => "launch",
            FaultKind::Startup => "startup",
            FaultKind::Timeout => "timeout",
            FaultKind::Exit => "exit",
            FaultKind::Oversize => "oversize",
            FaultKind::Malformed => "malformed",
            FaultKind::Id => "id",
            FaultKind::Illegal => "illegal",
            FaultKind::OffTurn => "off-turn",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Reads an object and nothing else; what is derived for a struct would take an array as well.
///
/// # Errors
/// What is no object, or not one of a `T`.
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct ObjectVisitor<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }
    deserializer.deserialize_map(ObjectVisitor(PhantomData))
}
