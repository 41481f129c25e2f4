//! Reads the texts that users write: league files, cards, and patches.

use std::path::Path;

use crate::error::Error;
use crate::play::answer::BYTE_ORDER_MARK;

/// The first bytes of a UTF-16 text, in both orders.
const UTF_16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// Reads a text file, without the byte order mark that some editors write.
///
/// # Errors
/// The file cannot be read, or is not UTF-8.
pub fn read(path: &Path) -> Result<String, Error> {
    let bytes = std::fs::read(path).map_err(|error| Error::unreadable(path, &error))?;
    let wrong = |what: String| Error::usage(format!("{} is {what}", path.display())).hint("save it as UTF-8");
    if UTF_16.iter().any(|mark| bytes.starts_with(mark)) {
        return Err(wrong("UTF-16".to_owned()));
    }
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes).to_vec();
    String::from_utf8(text).map_err(|error| {
        let line = bytes[..error.utf8_error().valid_up_to()].split(|&byte| byte == b'\n').count();
        wrong(format!("not UTF-8, at line {line}"))
    })
}
