//! `matches.jsonl`: the journal of a tournament, from which everything else can be made again.
//!
//! A line is a match. Lines are appended and flushed to the disk before the match counts, so a
//! crash can only tear the last line; reading leaves a torn line out and says so.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::error::Error;

/// Name of the journal in a tournament's directory.
pub const JOURNAL: &str = "matches.jsonl";

/// A journal open for appending.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Begins the journal of a tournament in `dir`.
    ///
    /// # Errors
    /// Where the file is there already or cannot be made.
    pub fn create(dir: &Path) -> Result<Journal, Error> {
        let path = dir.join(JOURNAL);
        let file = OpenOptions::new().append(true).create_new(true).open(&path);
        Ok(Journal { file: file.map_err(|error| Error::unwritable(&path, &error))?, path })
    }

    /// Opens the journal of a tournament that was played in part; `whole_bytes` is the length of
    /// its whole lines, and what is torn behind them is cut off.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn resume(dir: &Path, whole_bytes: u64) -> Result<Journal, Error> {
        let path = dir.join(JOURNAL);
        let open = || {
            let file = OpenOptions::new().append(true).open(&path)?;
            file.set_len(whole_bytes)?;
            file.sync_all()?;
            Ok(file)
        };
        Ok(Journal { file: open().map_err(|error| Error::unwritable(&path, &error))?, path })
    }

    /// Appends whole lines, newlines included, and returns when they are on the disk.
    ///
    /// # Errors
    /// Where the disk is full or fails; the lines do not count then.
    pub fn append(&mut self, lines: &[u8]) -> Result<(), Error> {
        let before = self.file.metadata().map(|metadata| metadata.len());
        let written = self.file.write_all(lines).and_then(|()| self.file.sync_data());
        written.map_err(|error| {
            // A line is whole or absent; should this fail too, reading leaves the torn line out.
            let _ = before.and_then(|length| self.file.set_len(length));
            Error::unwritable(&self.path, &error)
                .hint("matches that were finished before are safe in that file")
        })
    }
}

/// What reading a journal found.
#[derive(Debug)]
pub struct Read<T> {
    /// Its lines.
    pub lines: Vec<T>,
    /// Whether the last line was torn and left out.
    pub torn: bool,
    /// Length of the whole lines, in bytes.
    pub whole_bytes: u64,
}

/// Reads every line of the journal at `path`, a directory or the file itself.
///
/// # Errors
/// Where it cannot be read, or a line that is not the last is no record.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Read<T>, Error> {
    let path = if path.is_dir() { path.join(JOURNAL) } else { path.to_owned() };
    let file = File::open(&path).map_err(|error| {
        Error::unreadable(&path, &error).hint("name the directory of a tournament, such as results/doodle-1")
    })?;
    let mut reader = BufReader::new(file);
    let (mut lines, mut line, mut number, mut whole_bytes) = (Vec::new(), Vec::new(), 0_u64, 0);
    loop {
        line.clear();
        number += 1;
        let length = reader.read_until(b'\n', &mut line).map_err(|error| Error::unreadable(&path, &error))?;
        if length == 0 {
            return Ok(Read { lines, torn: false, whole_bytes });
        }
        if line.last() != Some(&b'\n') {
            return Ok(Read { lines, torn: true, whole_bytes });
        }
        whole_bytes += length as u64;
        let parsed = serde_json::from_slice(&line);
        lines.push(parsed.map_err(|error| {
            Error::usage(format!("{} line {number} is not a match record: {error}", path.display()))
        })?);
    }
}
