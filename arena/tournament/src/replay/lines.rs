//! The lines of a file of records.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use serde::de::IgnoredAny;

use crate::journal::{Line, results};
use referee::error::Error;

/// The place of a line in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The number of the line, from 1.
    pub number: u64,
    /// The offset of the line, in bytes.
    pub offset: u64,
    /// The length of the line, in bytes.
    pub length: u32,
}

impl Span {
    /// Returns the place of a line of a journal.
    pub fn of(line: &Line<'_>) -> Span {
        let Line { number, offset, bytes, .. } = *line;
        Span { number, offset, length: bytes.len() as u32 }
    }
}

/// A place in an open file, from which it is read, whatever else reads it.
#[derive(Debug)]
pub(super) struct ReadAt {
    pub(super) file: Arc<File>,
    pub(super) offset: u64,
}

impl Read for ReadAt {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

/// The lines of a file, one after the other.
#[derive(Debug)]
pub struct Lines {
    reader: BufReader<ReadAt>,
    path: PathBuf,
    /// The place of the last line read.
    span: Span,
    torn: bool,
}

impl Lines {
    /// Starts at the first line of the file at `path`.
    pub(super) fn new(reader: BufReader<ReadAt>, path: PathBuf) -> Lines {
        Lines { reader, path, span: Span::default(), torn: false }
    }

    /// Reads the next complete line. Returns false at the end. A last line without a newline is torn and left
    /// out, unless it is the only line and valid JSON.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn read(&mut self, line: &mut Vec<u8>) -> Result<bool, Error> {
        line.clear();
        let length = results::read_line(&mut self.reader, line);
        let length = length.map_err(|error| Error::unreadable(&self.path, &error))?;
        let is_whole = line.ends_with(b"\n")
            || (self.number() == 0 && serde_json::from_slice::<IgnoredAny>(line).is_ok());
        self.torn |= length > 0 && !is_whole;
        let Span { number, offset, length: before } = self.span;
        let (number, offset) = (number + u64::from(is_whole), offset + u64::from(before));
        self.span = Span { number, offset, length: length as u32 };
        Ok(is_whole)
    }

    /// The place of the last line read.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Number of the last line read, from 1.
    pub fn number(&self) -> u64 {
        self.span.number
    }

    /// True if a torn last line was left out.
    pub fn is_torn(&self) -> bool {
        self.torn
    }
}
