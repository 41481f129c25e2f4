//! Sizes in bytes, as users write them.

use bytesize::ByteSize;
use serde::Deserialize;

/// The smallest size of a scratch folder.
const SCRATCH_MIN: ByteSize = ByteSize::mib(1);
/// The smallest memory limit. With less, interpreters crash without an explanation.
const MEMORY_MIN: ByteSize = ByteSize::mib(4);

fn at_least(least: ByteSize, text: &str) -> Result<u64, String> {
    match text.parse::<ByteSize>() {
        Ok(size) if size >= least => Ok(size.as_u64()),
        Ok(_) => Err(format!("at least {least}: less does not start most programs; try 64MiB")),
        Err(_) => Err("a size such as 512MiB".to_owned()),
    }
}

/// Parses a memory limit such as `512MiB` and returns it in bytes.
///
/// # Errors
/// The text is not a size, or the size is below 4 MiB.
pub fn memory(text: &str) -> Result<u64, String> {
    at_least(MEMORY_MIN, text)
}

/// Deserializes a memory limit from a file, in bytes.
///
/// # Errors
/// As [`memory`].
pub fn memory_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    memory(&String::deserialize(deserializer)?).map(Some).map_err(serde::de::Error::custom)
}

/// Deserializes the size of a scratch folder from a file, in bytes.
///
/// # Errors
/// The text is not a size, or the size is below 1 MiB.
pub fn scratch_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    at_least(SCRATCH_MIN, &text).map(Some).map_err(serde::de::Error::custom)
}
