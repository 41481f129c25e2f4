//! Matches while they are played, as files that pages can follow: for `arena tournament --live`.
//!
//! A file is a match: its first line has what a record has before its turns, each further line the entries of a
//! decision, the first of them the faults of the start. It is there from the beginning of the match to its end, and
//! nobody waits for it: it is not flushed to the disk, and what cannot be written is not shown. It is no record; the
//! journal alone is. A file that a killed arena left behind is removed by the next one that plays there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use engine::game::Game;
use serde::{Deserialize, Serialize};

use crate::journal::results;
use referee::error::Error;
use referee::play::MatchPlan;
use referee::record::TurnRecord;

/// Folder of these files in a tournament's directory.
pub const LIVE: &str = "live";
/// How their names end.
const EXTENSION: &str = "jsonl";

/// The first line of a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct LiveHead<G: Game> {
    /// Index of the match in its tournament.
    #[serde(rename = "match")]
    pub index: u64,
    /// The round.
    pub round: u64,
    /// The seed of the deal.
    pub seed: u64,
    /// Names of the bots by seat.
    pub bots: Vec<String>,
    /// Everything chance decided.
    pub deal: G::Deal,
}

/// A further line: who did what in a decision.
pub type LiveTurns<G> = Vec<TurnRecord<<G as Game>::Word>>;

/// The folder, for whoever plays. It is gone when this is dropped.
#[derive(Debug)]
pub struct LiveRoom {
    folder: PathBuf,
}

impl LiveRoom {
    /// Makes the folder in `dir`, empty, if matches are to be shown; what was left there is removed in any case.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn open(dir: &Path, is_wanted: bool) -> Result<Option<LiveRoom>, Error> {
        let room = LiveRoom { folder: dir.join(LIVE) };
        room.clear();
        if !is_wanted {
            return Ok(None);
        }
        results::folder(&room.folder).map_err(|error| Error::unwritable(&room.folder, &error))?;
        Ok(Some(room))
    }

    /// Shows a match from its beginning. One that is played a second time follows the first in another file, so that
    /// whoever reads that one sees its end.
    pub fn begin<G: Game>(&self, plan: &MatchPlan<G>, is_again: bool) -> LiveMatch {
        let MatchPlan { index, round, seed, bots, deal, .. } = plan;
        let (index, round, seed, bots, deal) = (*index, *round, *seed, bots.clone(), deal.clone());
        let name = if is_again { format!("{index}-again") } else { index.to_string() };
        let path = self.folder.join(name).with_extension(EXTENSION);
        let mut shown = LiveMatch { file: results::create(&path).ok(), path, line: Vec::new() };
        shown.write(&LiveHead::<G> { index, round, seed, bots, deal });
        shown
    }

    /// Removes the files of matches and the folder, if nothing else is in it.
    fn clear(&self) {
        files(&self.folder).unwrap_or_default().iter().for_each(|file| drop(fs::remove_file(file)));
        let _ = fs::remove_dir(&self.folder);
    }
}

impl Drop for LiveRoom {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The files of matches in this folder, in no order.
///
/// # Errors
/// Where it cannot be read; that it is not there is no error.
pub fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if fs::symlink_metadata(folder).is_ok_and(|facts| facts.is_symlink()) {
        return Ok(Vec::new()); // files of somebody else
    }
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    Ok(paths.into_iter().filter(|path| is_match(path)).collect())
}

/// Whether a file is named as those of matches are.
fn is_match(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.strip_suffix(EXTENSION).and_then(|stem| stem.strip_suffix('.')).unwrap_or_default();
    let index = stem.strip_suffix("-again").unwrap_or(stem);
    !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit())
}

/// The file of a match that is being played; it is gone when this is dropped, at the end of the match.
#[derive(Debug)]
pub struct LiveMatch {
    path: PathBuf,
    /// `None` where the match is not shown any more.
    file: Option<File>,
    line: Vec<u8>,
}

impl LiveMatch {
    /// Adds a decision.
    pub fn add<W: Serialize>(&mut self, turns: &[TurnRecord<W>]) {
        self.write(&turns);
    }

    /// Writes a line at once, so that readers mostly see it whole. After an error nothing more is written: the match
    /// is worth more than being seen.
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
        assert!(LiveRoom::open(dir.path(), false).unwrap().is_none());
        let mut left: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["-again.jsonl", ".jsonl", "17.txt", "notes.jsonl"]);
    }

    #[test]
    fn the_folder_is_gone_with_its_room() {
        let dir = tempfile::tempdir().unwrap();
        let room = LiveRoom::open(dir.path(), true).unwrap();
        assert!(dir.path().join(LIVE).is_dir());
        drop(room);
        assert!(!dir.path().join(LIVE).exists());
    }
}
