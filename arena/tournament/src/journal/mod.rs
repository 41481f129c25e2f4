//! `matches.jsonl`: the journal of a tournament. Everything else can be computed from it again.
//!
//! Each line is a match. The arena appends a line and flushes it to the disk before the match counts. A crash
//! can therefore only tear the last line; reading leaves a torn line out and reports it. One arena at a time
//! writes to a directory.

pub mod claim;
pub mod files;
pub(crate) mod keys;
pub mod line;
pub mod results;
pub mod shard;

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use files::sync_folder;
use line::verify;
use referee::error::Error;
use shard::{ShardEnd, ShardHead};

/// The bytes that are read from a journal at once.
pub(crate) const READ_BYTES: usize = 1 << 18;

/// The name of the journal in a tournament's directory.
pub const JOURNAL: &str = "matches.jsonl";

/// A journal open for appending.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens the journal at `path`, and creates it if it does not exist. `whole_bytes` is the length of its
    /// complete lines; the file is cut to that length.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn open(path: PathBuf, whole_bytes: u64) -> Result<Journal, Error> {
        let open = || {
            let file = results::append(&path)?;
            file.set_len(whole_bytes)?;
            file.sync_all()?;
            sync_folder(&path)?;
            Ok(file)
        };
        let file = open().map_err(|error| Error::unwritable(&path, &error))?;
        Ok(Journal { file, path })
    }

    /// The path of the journal.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends complete lines, newlines included, and returns once they are on the disk. Returns the byte
    /// offset of the first one.
    ///
    /// # Errors
    /// Fails if the disk is full or broken. The lines then do not count.
    pub fn append(&mut self, lines: &[u8]) -> Result<u64, Error> {
        let wrong = |error: &std::io::Error| {
            Error::unwritable(&self.path, error)
                .hint("matches that were finished before are safe in that file; go on with --resume")
        };
        let before = self.file.metadata().map_err(|error| wrong(&error))?.len();
        let written = self.file.write_all(lines).and_then(|()| self.file.sync_data());
        written.map(|()| before).map_err(|error| {
            // A line is complete or absent. If this fails too, reading leaves the torn line out.
            let _ = self.file.set_len(before);
            wrong(&error)
        })
    }
}

/// The facts about a journal that are not records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// True if the last line was torn and left out.
    pub torn: bool,
    /// The length of the complete lines, in bytes.
    pub whole_bytes: u64,
    /// The last head line, if the file is a shard.
    pub head: Option<ShardHead>,
    /// The number of matches by the end line, if the file is a complete shard.
    pub count: Option<u64>,
}

/// The bots of a record, which are read faster than all of it.
#[derive(Deserialize)]
pub(crate) struct BotsOf {
    pub(crate) bots: Vec<String>,
}

/// A record as its bytes in the file.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The number of the line, from 1.
    pub number: u64,
    /// The byte offset of the line.
    pub offset: u64,
    /// The line, newline included.
    pub bytes: &'a [u8],
    /// The head line above the record, if the file is a shard. It names the machine that played the match.
    pub head: Option<&'a ShardHead>,
}

/// Opens the file of matches at `path`, which is a directory or the file itself. Returns the file with its
/// own path.
///
/// # Errors
/// Fails if there is no such file.
pub(crate) fn open(path: &Path) -> Result<(PathBuf, File), Error> {
    let path = if path.is_dir() { path.join(JOURNAL) } else { path.to_owned() };
    let file = results::open(&path).map_err(|error| Error::unreadable(&path, &error))?;
    Ok((path, file))
}

/// Passes every complete record of the journal at `path` to `take`, parsed and as bytes. `path` is a
/// directory or the file itself. The head lines and the end line of a shard are not records.
///
/// # Errors
/// Fails if the file cannot be read, or if a complete line is not a record or was changed. Returns the first
/// error of `take`.
pub fn read<T: DeserializeOwned>(
    path: &Path,
    take: impl FnMut(T, Line<'_>) -> Result<(), Error>,
) -> Result<End, Error> {
    let (path, file) = open(path)
        .map_err(|error| error.hint("name the directory of a tournament, such as results/doodle-1"))?;
    read_from(&path, (0, 0), file, take)
}

/// As [`read`], from the file at this path, after this number of lines and of bytes.
pub(crate) fn read_from<T: DeserializeOwned>(
    path: &Path,
    (mut number, whole_bytes): (u64, u64),
    file: impl Read,
    mut take: impl FnMut(T, Line<'_>) -> Result<(), Error>,
) -> Result<End, Error> {
    let mut reader = BufReader::with_capacity(READ_BYTES, file);
    let (mut line, mut end) = (Vec::new(), End { whole_bytes, ..End::default() });
    loop {
        line.clear();
        number += 1;
        let length = results::read_line(&mut reader, &mut line);
        let length = length.map_err(|error| Error::unreadable(path, &error))?;
        if length == 0 {
            return Ok(end);
        }
        if line.last() != Some(&b'\n') {
            return Ok(End { torn: true, ..end });
        }
        let wrong = |error: serde_json::Error| {
            Error::usage(format!("{} line {number} is not a match record: {error}", path.display()))
        };
        if line.starts_with(shard::HEAD) {
            end.head = Some(ShardHead::of_line(&line).map_err(wrong)?);
        } else if line.starts_with(shard::END) {
            end.count = Some(serde_json::from_slice::<ShardEnd>(&line).map_err(wrong)?.end);
        } else {
            verify(&line).map_err(wrong)?;
            let record = serde_json::from_slice(&line).map_err(wrong)?;
            let offset = end.whole_bytes;
            take(record, Line { number, offset, bytes: &line, head: end.head.as_ref() })?;
        }
        end.whole_bytes += length as u64;
    }
}
