//! Resources and permissions of one bot beyond the limits of its tournament.

use std::path::PathBuf;

use bytesize::ByteSize;
use serde::{Deserialize, Serialize};

/// The smallest memory or scratch size, in bytes.
const BYTES_MIN: u64 = 1 << 20;

/// The resources and permissions that a league file gives to one bot. An empty field leaves the tournament's
/// value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Allowance {
    /// The memory limit of the bot and its child processes, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The largest number of processes and threads at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// The size limit of the scratch folder, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scratch_bytes: Option<u64>,
    /// Additional files and folders that the bot may read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<PathBuf>,
    /// Additional folders that the bot may write to. Their files outlive the match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<PathBuf>,
    /// True if the bot may use the network.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
}

impl Allowance {
    /// Returns true if all fields are empty.
    pub fn is_empty(&self) -> bool {
        *self == Allowance::default()
    }
}

/// Parses a size such as `512MiB` and returns it in bytes.
///
/// # Errors
/// The text is not a size, or the size is below 1 MiB.
pub fn size(text: &str) -> Result<u64, String> {
    match text.parse::<ByteSize>() {
        Ok(size) if size.as_u64() >= BYTES_MIN => Ok(size.as_u64()),
        Ok(_) => Err("at least 1MiB: less does not start any program".to_owned()),
        Err(_) => Err("a size such as 512MiB".to_owned()),
    }
}

/// Deserializes a size such as `512MiB` from a file, in bytes.
///
/// # Errors
/// As [`size`].
pub fn size_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    size(&text).map(Some).map_err(serde::de::Error::custom)
}
