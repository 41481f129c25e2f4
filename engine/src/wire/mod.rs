//! The wire protocol: every message between the arena and a bot, as plain data.
//!
//! Each message is one line with one JSON object, in UTF-8. `protocol.md` explains the dialogue to
//! authors of bots; this module is the same contract in types. It does not depend on processes, time,
//! or the rules of a game. The game's parts (`state`, `move`, the fields of `start`) are type
//! parameters.
//!
//! ```
//! use engine::patchwork::{Observation, PatchworkSetup, WireMove};
//! use engine::wire::{FromBot, PROTOCOL, ToBot};
//!
//! let greeting = ToBot::<PatchworkSetup, Observation>::Hello { protocol: PROTOCOL };
//! assert_eq!(serde_json::to_string(&greeting)?, r#"{"type":"hello","protocol":1}"#);
//!
//! let line = r#"{"type":"move","id":4,"move":{"advance":true},"note":"no room"}"#;
//! let FromBot::Move(answer) = serde_json::from_str::<FromBot<'_, WireMove>>(line)? else {
//!     panic!("the bot answers a turn")
//! };
//! assert_eq!((answer.id, answer.wire_move), (4, WireMove::Advance));
//! assert_eq!(answer.note.as_deref(), Some("no room"));
//! # Ok::<(), serde_json::Error>(())
//! ```

mod format;
pub mod json;
pub mod name;
pub mod scan;

pub use format::WireFormat;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Number;

/// The version of the protocol, exchanged in both `hello` messages.
pub const PROTOCOL: u32 = 1;
/// The longest line that a bot may send, in bytes, without its newline.
pub const LINE_BYTES_MAX: usize = 65_536;
/// The longest `note` kept with a move, in bytes of its JSON string; the arena cuts off the rest.
pub const NOTE_BYTES_MAX: usize = 1_024;
/// The longest `data` of a move that the arena reads, in bytes as the bot wrote it.
pub const DATA_BYTES_MAX: usize = 2_048;
/// The most numbers kept with a move.
pub const DATA_NAMES_MAX: usize = 16;
/// The longest name of a number kept with a move.
pub const DATA_NAME_BYTES_MAX: usize = 24;
/// Every number on the wire is an integer below this bound, so JavaScript reads it exactly.
pub const NUMBER_MAX: u64 = 1 << 53;

/// A message from the arena to a bot. `S` is the game's part of `start`, and `O` its observation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ToBot<S, O> {
    /// Opens the dialogue, once per process. The bot answers with `hello`.
    Hello {
        /// The version of the protocol that the arena speaks.
        #[cfg_attr(feature = "schema", schemars(extend("const" = PROTOCOL)))]
        protocol: u32,
    },
    /// Begins a match. The bot answers with `ready`.
    Start(Start<S>),
    /// Asks for one decision. The bot answers with `move`.
    Turn {
        /// Number of the decision in this match, from 0. The bot repeats it in its answer.
        id: u32,
        /// The time for this decision in milliseconds, with all limits taken into account.
        time_ms: u64,
        /// All information that the seat may have now.
        state: O,
    },
    /// Refuses the answer to a `turn`. The bot answers that turn again, in the time that it has left. Only a bot with
    /// `retries` in its entry gets this message.
    Retry {
        /// The number of the decision.
        id: u32,
        /// The kind of the fault that the answer would have been.
        kind: FaultKind,
        /// The question, the answer that came, and what to do about it.
        detail: String,
    },
    /// Tells a bot that it is out of the match, and why. The bot does not answer.
    Fault {
        /// The decision during which the fault happened.
        id: u32,
        /// The kind of the fault.
        kind: FaultKind,
        /// The question, the answer that came, and what to do about it.
        detail: String,
    },
    /// Tells the result. The bot does not answer; another `start` may follow.
    End {
        /// Final score of each seat.
        #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
        scores: Vec<i32>,
        /// Final rank of each seat, from 1; equal results share a rank.
        #[cfg_attr(feature = "schema", schemars(length(min = 1), inner(range(min = 1))))]
        ranks: Vec<u32>,
    },
    /// Asks the program to exit within one second. The arena then closes stdin.
    Quit,
}

/// The `start` message: the match, the seat, and the fields of the game.
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
    /// The bot's seat, from 0.
    pub seat: usize,
    /// Names of the bots in seat order.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub players: Vec<String>,
    /// The bot's own seed, below 2^53. If the bot draws all chance from it, the match is repeatable.
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
    /// Time for the start of the program and its answers to `hello` and `start`.
    pub startup_ms: u64,
    /// Time for one decision.
    pub move_ms: u64,
    /// Time for all decisions of a match together, if there is such a limit.
    pub match_ms: Option<u64>,
    /// Time that each decision adds to `match_ms`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub increment_ms: u64,
    /// The amount of work for one decision, in a unit of the bot's own choosing, such as nodes. The arena only passes
    /// it on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A bot's answer to `hello`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hello {
    /// The version of the protocol that the bot speaks.
    #[cfg_attr(feature = "schema", schemars(extend("const" = PROTOCOL)))]
    pub protocol: u32,
    /// The name under which the bot would like to appear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The version of the bot, kept with the tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// True if the bot looks only at its own sheet in doodle. In tournaments such a bot plays each deal
    /// once, alone, and every match on that deal takes its game from there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub solitary: bool,
}

impl Hello {
    /// Builds the greeting of a bot with this name.
    pub fn new(name: &str) -> Hello {
        Hello { protocol: PROTOCOL, name: Some(name.to_owned()), version: None, solitary: false }
    }
}

/// A bot's answer to `start`. It has no fields except its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ready {}

/// A bot's answer to `turn`. `M` is the game's move as written on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(bound(deserialize = "M: Deserialize<'de>"))]
pub struct MoveLine<'a, M> {
    /// The `id` of the `turn` message.
    pub id: u64,
    /// The move.
    #[serde(rename = "move", deserialize_with = "object")]
    pub wire_move: M,
    /// Free text for the viewer. The arena keeps at most [`NOTE_BYTES_MAX`] bytes of it.
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    pub note: Option<Cow<'a, str>>,
    /// Numbers for the viewer and for tables, such as an evaluation. The arena keeps at most [`DATA_NAMES_MAX`] of them,
    /// with names of ASCII letters, digits, `_`, `.` and `-`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, Number>,
}

impl<M> MoveLine<'_, M> {
    /// Builds the answer to the `turn` with this id, without a note and without numbers.
    pub fn new(id: u64, wire_move: M) -> Self {
        MoveLine { id, wire_move, note: None, data: BTreeMap::new() }
    }
}

/// A message from a bot to the arena; its `type` names the variant.
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

/// The closed list of faults of a bot. A fault puts the bot's seat out of the match.
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
    /// The line was not UTF-8, not a JSON object, not of the expected type, or had wrong fields.
    Malformed,
    /// The answer was well-formed, but for another decision.
    Id,
    /// The move was readable, but against the rules.
    Illegal,
    /// The bot computed outside its turns for longer than allowed.
    OffTurn,
}

impl FaultKind {
    /// All kinds of faults, in the order of the table in `protocol.md`.
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

    /// Returns true for faults that happen only before the first decision: `launch` and `startup`.
    pub fn is_before_the_first_decision(self) -> bool {
        matches!(self, FaultKind::Launch | FaultKind::Startup)
    }

    /// A few words on the kind.
    pub fn about(self) -> &'static str {
        match self {
            FaultKind::Launch => "The program could not be started",
            FaultKind::Startup => "No \"hello\" or \"ready\" in time",
            FaultKind::Timeout => "No answer in time",
            FaultKind::Exit => "The program ended",
            FaultKind::Oversize => "A line was too long",
            FaultKind::Malformed => "A line was no message",
            FaultKind::Id => "The answer had another id",
            FaultKind::Illegal => "The move broke a rule",
            FaultKind::OffTurn => "Too much processor time outside its turns",
        }
    }

    /// The name on the wire, in records, and in tables.
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

/// Reads an object and nothing else. The derived code for a struct would accept an array, too.
///
/// # Errors
/// The deserializer's error if the value is not an object, or not a valid `T`.
///
/// # Examples
/// ```
/// use engine::wire::object;
/// use serde_json::json;
///
/// #[derive(serde::Deserialize, Debug, PartialEq)]
/// struct Size {
///     rows: u8,
/// }
/// assert_eq!(object::<_, Size>(json!({ "rows": 9 }))?, Size { rows: 9 });
/// assert!(object::<_, Size>(json!([9])).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
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
