//! Sizes in bytes and other limits, as users write them.

use std::ops::RangeInclusive;

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

/// The numbers of open files that a process may be allowed. Interpreters need some, and the kernel has memory for each.
const OPEN_FILES: RangeInclusive<u64> = 16..=4_096;

/// Parses a number of open files.
///
/// # Errors
/// The text is not a number from 16 to 4096.
pub fn open_files(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| OPEN_FILES.contains(number));
    number.ok_or_else(|| format!("a number from {} to {}", OPEN_FILES.start(), OPEN_FILES.end()))
}

/// Deserializes a number of open files from a file.
///
/// # Errors
/// As [`open_files`].
pub fn open_files_number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    open_files(&u64::deserialize(deserializer)?.to_string()).map(Some).map_err(serde::de::Error::custom)
}

/// Parses the size of a scratch folder, such as `64MiB`, and returns it in bytes.
///
/// # Errors
/// The text is not a size, or the size is below 1 MiB.
pub fn scratch(text: &str) -> Result<u64, String> {
    at_least(SCRATCH_MIN, text)
}

/// Deserializes the size of a scratch folder from a file, in bytes.
///
/// # Errors
/// As [`scratch`].
pub fn scratch_text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    scratch(&String::deserialize(deserializer)?).map(Some).map_err(serde::de::Error::custom)
}
