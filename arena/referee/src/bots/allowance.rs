//! What one bot may use and do beyond what all of a tournament may.

use std::path::PathBuf;

use bytesize::ByteSize;
use serde::{Deserialize, Serialize};

/// The smallest size that makes sense, in bytes.
const BYTES_MIN: u64 = 1 << 20;

/// Words of a league file about one bot; nothing is said where a field is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Allowance {
    /// Memory with everything it starts, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Processes and threads at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// What its scratch folder may hold, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scratch_bytes: Option<u64>,
    /// Files and folders that it may read too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<PathBuf>,
    /// Folders that it may write too. What it leaves there outlives the match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<PathBuf>,
    /// Whether it may use the network.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
}

impl Allowance {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Allowance::default()
    }
}

/// A size in bytes, such as `512MiB`.
pub fn size(text: &str) -> Result<u64, String> {
    match text.parse::<ByteSize>() {
        Ok(size) if size.as_u64() >= BYTES_MIN => Ok(size.as_u64()),
        Ok(_) => Err("at least 1MiB: less does not start any program".to_owned()),
        Err(_) => Err("a size such as 512MiB".to_owned()),
    }
}

/// The same in a file.
pub fn size_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    size(&text).map(Some).map_err(serde::de::Error::custom)
}
