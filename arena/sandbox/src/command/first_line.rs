//! The first line of a script, as the kernel reads it.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// The bytes of a file that are read to find its interpreter. The kernel reads as many.
const HEAD_BYTES_MAX: u64 = 256;

/// A line that begins with `#!`, without these two bytes and without blanks at both ends. Only spaces and tabs are
/// blanks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FirstLine(Vec<u8>);

impl FirstLine {
    /// Returns the first line of a regular file, if it names an interpreter. A bot may name anything as its program,
    /// and opening a device could do something. If the bot replaces the file by a pipe meanwhile, the flags keep the
    /// open and the read from waiting.
    pub(crate) fn of(file: &Path) -> Option<FirstLine> {
        if !file.is_file() {
            return None;
        }
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(file).ok()?;
        let mut head = Vec::new();
        file.take(HEAD_BYTES_MAX).read_to_end(&mut head).ok()?;
        let line = head.strip_prefix(b"#!")?.split(|&byte| byte == b'\n' || byte == 0).next()?;
        let begin = line.iter().position(|byte| !is_blank(byte))?;
        let end = line.iter().rposition(|byte| !is_blank(byte))?;
        Some(FirstLine(line[begin..=end].to_owned()))
    }

    /// Returns the whole line.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the file that the kernel executes. A relative one is relative to the folder where the program starts.
    pub(crate) fn interpreter(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.0.split(is_blank).next().unwrap_or_default()))
    }

    /// Returns the rest of the line, which the interpreter gets as one argument.
    pub(crate) fn argument(&self) -> &[u8] {
        self.0.splitn(2, is_blank).nth(1).unwrap_or_default()
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn a_line_is_read_as_the_kernel_reads_it() {
        let dir = tempfile::tempdir().expect("a scratch folder");
        let script = dir.path().join("script");
        for (text, interpreter, argument) in [
            ("#!/bin/sh\n", "/bin/sh", ""),
            ("#! \t/bin/sh -e -u \t\nx", "/bin/sh", "-e -u"),
            ("#!/bin/sh\t-e", "/bin/sh", "-e"),
            ("#!/bin/sh\r\n", "/bin/sh\r", ""),
            ("#!a\u{b}b\u{c}c\n", "a\u{b}b\u{c}c", ""),
            ("#!tool\0 x\n", "tool", ""),
        ] {
            fs::write(&script, text).expect("it can be written");
            let line = FirstLine::of(&script).expect("it names an interpreter");
            assert_eq!(line.interpreter(), Path::new(interpreter), "{text:?}");
            assert_eq!(line.argument(), argument.as_bytes(), "{text:?}");
        }
        for text in ["", "#!", "#! \t\n/bin/sh", "/bin/sh\n"] {
            fs::write(&script, text).expect("it can be written");
            assert_eq!(FirstLine::of(&script), None, "{text:?}");
        }
    }

    #[test]
    fn only_regular_files_are_opened_for_their_first_line() {
        let dir = tempfile::tempdir().expect("a scratch folder");
        let pipe = dir.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).expect("a pipe");
        assert_eq!(FirstLine::of(&pipe), None, "an open would wait for a writer");
        assert_eq!(FirstLine::of(Path::new("/dev/zero")), None);
    }
}
