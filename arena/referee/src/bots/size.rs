//! Sizes in bytes, as users write them.

use bytesize::ByteSize;
use serde::Deserialize;

/// The smallest memory or scratch size, in bytes.
const BYTES_MIN: u64 = 1 << 20;

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
