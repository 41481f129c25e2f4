//! Ids of cards and patches: short ASCII texts, stored inline, so that states need no heap for them.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The id of a card or patch, stored inline: 1 to 15 letters, digits, `-`, or `_`.
///
/// # Examples
/// ```
/// use engine::wire::name::CardName;
///
/// let name: CardName = "P01".parse()?;
/// assert_eq!(name.to_string(), "P01");
/// assert!(name < "P02".parse()?);
/// assert!("a patch".parse::<CardName>().is_err()); // blanks are not allowed
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CardName {
    /// The text, padded with zeros.
    bytes: [u8; CardName::BYTES_MAX],
    length: u8,
}

impl CardName {
    /// The length of the longest id, in bytes.
    pub const BYTES_MAX: usize = 15;

    /// The id as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length.into()]).expect("an id is ASCII")
    }

    /// Returns a number that sorts like the text, so that ids compare in one step.
    fn rank(&self) -> u128 {
        let mut bytes = [0; CardName::BYTES_MAX + 1];
        bytes[..CardName::BYTES_MAX].copy_from_slice(&self.bytes);
        u128::from_be_bytes(bytes)
    }

    /// Appends the id to a line as a JSON string.
    #[inline]
    pub(crate) fn write_json(&self, line: &mut Vec<u8>) {
        let mut text = [b'"'; CardName::BYTES_MAX + 2];
        let end = 1 + usize::from(self.length);
        text[1..=CardName::BYTES_MAX].copy_from_slice(&self.bytes);
        text[end] = b'"';
        let end = line.len() + end + 1;
        line.extend_from_slice(&text); // a copy of fixed length needs no loop
        line.truncate(end);
    }
}

impl FromStr for CardName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<CardName, &'static str> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if text.is_empty() || text.len() > CardName::BYTES_MAX || !text.bytes().all(allowed) {
            return Err("an id has 1 to 15 letters, digits, '-' or '_'");
        }
        let mut bytes = [0; CardName::BYTES_MAX];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Ok(CardName { bytes, length: text.len() as u8 })
    }
}

/// Orders ids by their text.
impl Ord for CardName {
    fn cmp(&self, other: &CardName) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for CardName {
    fn partial_cmp(&self, other: &CardName) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for CardName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for CardName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for CardName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for CardName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<CardName, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = CardName;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the id of a card")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<CardName, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for CardName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Id".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "The id of a card or patch.",
            "type": "string",
            "pattern": format!("^[A-Za-z0-9_-]{{1,{}}}$", CardName::BYTES_MAX),
        })
    }
}
