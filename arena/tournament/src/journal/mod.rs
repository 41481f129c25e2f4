//! `matches.jsonl`: the journal of a tournament, from which everything else can be made again.
//!
//! A line is a match. Lines are appended and flushed to the disk before the match counts, so a
//! crash can only tear the last line; reading leaves a torn line out and says so. One arena at a
//! time writes to a directory.

pub mod files;
pub mod results;
pub mod shard;

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde::de::DeserializeOwned;

use files::sync_folder;
use referee::error::Error;
use shard::{ShardEnd, ShardHead};

/// Name of the journal in a tournament's directory.
pub const JOURNAL: &str = "matches.jsonl";

/// The right to write to a tournament's directory; given back when dropped, and by the kernel when
/// the process ends.
#[derive(Debug)]
pub(crate) struct DirLock(#[expect(dead_code, reason = "held for the lock on it")] File);

impl DirLock {
    /// Takes it.
    ///
    /// # Errors
    /// Where another arena has it.
    pub(crate) fn take(dir: &Path) -> Result<DirLock, Error> {
        let file = File::open(dir).map_err(|error| Error::unreadable(dir, &error))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            // A file system without locks is no reason not to play.
            Ok(()) | Err(rustix::io::Errno::NOTSUP | rustix::io::Errno::NOLCK) => Ok(DirLock(file)),
            Err(_) => Err(Error::usage(format!("another arena is writing to {}", dir.display()))
                .hint("wait for it, or choose another directory with --out")),
        }
    }
}

/// A journal open for appending.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens the journal at `path`, made if it is not there. `whole_bytes` is the length of its whole
    /// lines; what is torn behind them is cut off.
    ///
    /// # Errors
    /// Where it cannot be written.
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

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends whole lines, newlines included, and returns when they are on the disk: where the first of
    /// them begins, in bytes.
    ///
    /// # Errors
    /// Where the disk is full or fails; the lines do not count then.
    pub fn append(&mut self, lines: &[u8]) -> Result<u64, Error> {
        let wrong = |error: &std::io::Error| {
            Error::unwritable(&self.path, error)
                .hint("matches that were finished before are safe in that file; go on with --resume")
        };
        let before = self.file.metadata().map_err(|error| wrong(&error))?.len();
        let written = self.file.write_all(lines).and_then(|()| self.file.sync_data());
        written.map(|()| before).map_err(|error| {
            // A line is whole or absent; should this fail too, reading leaves the torn line out.
            let _ = self.file.set_len(before);
            wrong(&error)
        })
    }
}

/// What a journal has beside its records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// Whether the last line was torn and left out.
    pub torn: bool,
    /// Length of the whole lines, in bytes.
    pub whole_bytes: u64,
    /// Of a part: what was said last of where it was played.
    pub head: Option<ShardHead>,
    /// How many matches the last line of a part says there are.
    pub count: Option<u64>,
}

/// A record as it stands in its file.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Where it begins, in bytes.
    pub offset: u64,
    /// The line, newline included.
    pub bytes: &'a [u8],
    /// Of a part: where the match was played.
    pub head: Option<&'a ShardHead>,
}

/// Opens the file of matches at `path`: that of a directory, or the file itself; with its own path.
///
/// # Errors
/// Where there is none.
pub(crate) fn open(path: &Path) -> Result<(PathBuf, File), Error> {
    let path = if path.is_dir() { path.join(JOURNAL) } else { path.to_owned() };
    let file = results::open(&path).map_err(|error| Error::unreadable(&path, &error))?;
    Ok((path, file))
}

/// Hands every whole record of the journal at `path`, a directory or the file itself, to `take`,
/// parsed and as it stands. In a part of a tournament the last line and those that say where it was played are no
/// records.
///
/// # Errors
/// Where it cannot be read, or a whole line is no record; and the first error of `take`.
pub fn read<T: DeserializeOwned>(
    path: &Path,
    mut take: impl FnMut(T, Line<'_>) -> Result<(), Error>,
) -> Result<End, Error> {
    let (path, file) = open(path)
        .map_err(|error| error.hint("name the directory of a tournament, such as results/doodle-1"))?;
    let mut reader = BufReader::new(file);
    let (mut line, mut number, mut end) = (Vec::new(), 0_u64, End::default());
    loop {
        line.clear();
        number += 1;
        let length = results::read_line(&mut reader, &mut line);
        let length = length.map_err(|error| Error::unreadable(&path, &error))?;
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
            let record = serde_json::from_slice(&line).map_err(wrong)?;
            take(record, Line { offset: end.whole_bytes, bytes: &line, head: end.head.as_ref() })?;
        }
        end.whole_bytes += length as u64;
    }
}
