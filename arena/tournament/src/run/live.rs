//! Running matches as files for pages to follow: for `arena tournament --live`.
//!
//! Each match has a file. Its first line has the fields of a record before the turns. Each further line has
//! the entries of a decision; the first of these lines has the faults of the start. The file exists from the
//! beginning of the match to its end. The match never waits for it: the file is not flushed to the disk, and
//! after a write error the match is no longer shown. Only the journal has records. The next arena in the
//! directory removes the files of a killed one.

use engine::wire::WireFormat;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::journal::results;
use referee::error::Error;
use referee::play::MatchPlan;
use referee::record::TurnRecord;

/// The folder of these files in a tournament's directory.
pub const LIVE: &str = "live";
/// The extension of these files.
const EXTENSION: &str = "jsonl";

/// The first line of a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct LiveHead<G: WireFormat> {
    /// Index of the match in its tournament.
    #[serde(rename = "match")]
    pub index: u64,
    /// The round.
    pub round: u64,
    /// The seed of the deal.
    pub seed: u64,
    /// Names of the bots by seat.
    pub bots: Vec<String>,
    /// All random outcomes of the match.
    pub deal: G::Deal,
}

/// A further line: the moves and faults of a decision.
pub type LiveTurns<G> = Vec<TurnRecord<<G as WireFormat>::WireMove>>;

/// The folder of live files while the tournament runs. Dropping it removes the folder.
#[derive(Debug)]
pub struct LiveDir {
    folder: PathBuf,
}

impl LiveDir {
    /// Removes old live files from `dir`. Then creates the folder, if `is_wanted`.
    ///
    /// # Errors
    /// Fails if the folder cannot be created.
    pub fn open(dir: &Path, is_wanted: bool) -> Result<Option<LiveDir>, Error> {
        let live = LiveDir { folder: dir.join(LIVE) };
        live.clear();
        if !is_wanted {
            return Ok(None);
        }
        results::folder(&live.folder).map_err(|error| Error::unwritable(&live.folder, &error))?;
        Ok(Some(live))
    }

    /// Creates the file of a match. A replayed match gets another file, so that readers of the first file see
    /// its end.
    pub fn begin<G: WireFormat>(&self, plan: &MatchPlan<G>, is_again: bool) -> LiveMatch {
        let &MatchPlan { index, round, seed, ref start, .. } = plan;
        let (bots, deal) = (plan.names(), start.deal.clone());
        let name = if is_again { format!("{index}-again") } else { index.to_string() };
        let path = self.folder.join(name).with_extension(EXTENSION);
        let mut shown = LiveMatch { file: results::create(&path).ok(), path, line: Vec::new() };
        shown.write(&LiveHead::<G> { index, round, seed, bots, deal });
        shown
    }

    /// Removes the files of matches, and the folder if nothing else is in it.
    fn clear(&self) {
        files(&self.folder).unwrap_or_default().iter().for_each(|file| drop(fs::remove_file(file)));
        let _ = fs::remove_dir(&self.folder);
    }
}

impl Drop for LiveDir {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Returns the files of matches in this folder, in no order. A missing folder has none.
///
/// # Errors
/// Fails if the folder cannot be read.
pub fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if fs::symlink_metadata(folder).is_ok_and(|facts| facts.is_symlink()) {
        return Ok(Vec::new()); // a link leads to foreign files
    }
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    Ok(paths.into_iter().filter(|path| is_match(path)).collect())
}

/// Returns true if the file name belongs to a match.
fn is_match(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.strip_suffix(EXTENSION).and_then(|stem| stem.strip_suffix('.')).unwrap_or_default();
    let index = stem.strip_suffix("-again").unwrap_or(stem);
    !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit())
}

/// The file of a running match. Dropping it at the end of the match removes the file.
#[derive(Debug)]
pub struct LiveMatch {
    path: PathBuf,
    /// `None` after a write error, when the match is no longer shown.
    file: Option<File>,
    line: Vec<u8>,
}

impl LiveMatch {
    /// Adds a decision.
    pub fn add<W: Serialize>(&mut self, turns: &[TurnRecord<W>]) {
        self.write(&turns);
    }

    /// Writes a line at once, so that readers mostly see it whole. After an error it writes nothing more,
    /// because the match is more important than its display.
    fn write(&mut self, value: &impl Serialize) {
        let Some(file) = &mut self.file else { return };
        self.line.clear();
        serde_json::to_writer(&mut self.line, value).expect("it is plain data");
        self.line.push(b'\n');
        if file.write_all(&self.line).is_err() {
            self.file = None;
        }
    }
}

impl Drop for LiveMatch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_matches_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join(LIVE);
        fs::create_dir(&folder).unwrap();
        for name in ["17.jsonl", "17-again.jsonl", "notes.jsonl", "17.txt", ".jsonl", "-again.jsonl"] {
            fs::write(folder.join(name), "text").unwrap();
        }
        assert!(LiveDir::open(dir.path(), false).unwrap().is_none());
        let mut left: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["-again.jsonl", ".jsonl", "17.txt", "notes.jsonl"]);
    }

    #[test]
    fn the_folder_is_gone_with_its_room() {
        let dir = tempfile::tempdir().unwrap();
        let live = LiveDir::open(dir.path(), true).unwrap();
        assert!(dir.path().join(LIVE).is_dir());
        drop(live);
        assert!(!dir.path().join(LIVE).exists());
    }
}
