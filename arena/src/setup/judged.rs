//! Judged decisions of recorded matches, and the file that keeps them beside the matches.

use std::collections::HashMap;
use std::fs::File;
use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
use std::io::{BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use bots::EVALUATOR;
use engine::game::Seat;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::report::output::say;
use crate::report::turns::move_words;
use referee::error::Error;
use tournament::journal::results;
use web::view::EntryAnalysis;

/// The smallest loss that is named, in points.
const NAMED: f64 = 1.0;
/// The size of a loss in standard errors from which it is named.
const SIGNIFICANT: f64 = 2.0;

/// Judged decisions of a match: a line of `analysis.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MatchAnalysis {
    /// The index of the match in its tournament.
    #[serde(rename = "match")]
    pub(crate) index: u64,
    /// The digest of the match.
    pub(crate) digest: String,
    /// The search that judged them; see [`EVALUATOR`].
    #[serde(default)]
    pub(crate) evaluator: String,
    /// The budget for a decision, in nodes.
    pub(crate) nodes: u64,
    /// The decisions with a move of a bot, in the order of the record. A line of the file has some of them.
    pub(crate) decisions: Vec<Judged>,
}

impl MatchAnalysis {
    /// Returns decisions that this program judged.
    pub(crate) fn new(index: u64, digest: &str, nodes: u64, decisions: Vec<Judged>) -> MatchAnalysis {
        MatchAnalysis { index, digest: digest.to_owned(), evaluator: EVALUATOR.to_owned(), nodes, decisions }
    }
}

/// A judged decision. All numbers are points: of the match at doodle, of the margin at Patchwork.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Judged {
    /// The number of the decision.
    pub(crate) id: u32,
    /// The seat.
    pub(crate) seat: Seat,
    /// The value of the move that was played: what search bots get after it on average.
    pub(crate) value: f64,
    /// The uncertainty of the value, as a standard error.
    #[serde(default)]
    pub(crate) value_error: f64,
    /// How much more the best move is worth; 0 for the same move.
    pub(crate) loss: f64,
    /// The uncertainty of the loss, as a standard error.
    pub(crate) error: f64,
    /// The best move that was found.
    pub(crate) best: Value,
    /// What the best move does differently. Empty for the same move.
    pub(crate) slip: String,
    /// The part of the match.
    pub(crate) phase: String,
}

impl Judged {
    /// Returns true if the loss is worth a mention: large enough, and hardly by chance.
    pub(crate) fn is_named(&self) -> bool {
        self.loss >= NAMED && self.loss > SIGNIFICANT * self.error
    }

    /// Returns half of the 95 % interval of the loss.
    pub(crate) fn margin(&self) -> f64 {
        1.96 * self.error
    }

    /// Returns the decision in the words and cells of a page.
    pub(crate) fn in_words(&self) -> EntryAnalysis {
        let fields = ["cells", "singles", "leather"].map(|field| &self.best[field]);
        let pairs = |field: &serde_json::Value| -> Vec<[i64; 2]> {
            let one = serde_json::from_value(field.clone()).map(|cell| vec![cell]);
            one.or_else(|_| serde_json::from_value(field.clone())).unwrap_or_default()
        };
        EntryAnalysis {
            loss: self.loss,
            margin: self.margin(),
            is_named: self.is_named(),
            best: move_words(&self.best),
            cells: fields.into_iter().flat_map(pairs).collect(),
        }
    }
}

/// The name of the file in its folder.
const FILE: &str = "analysis.jsonl";

/// What a judged decision is known by: the digest of its match, the budget, its number, and its seat.
type Key = (String, u64, u32, Seat);

/// The judged decisions in the file of a folder, as far as it was read. A line may come from other people, so it counts only
/// for the match and the search that are asked for, and for the budget or a larger one.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The decisions of each match, by its digest.
    pub(crate) matches: HashMap<String, HashMap<(u64, u32, Seat), Judged>>,
    /// The length of the whole lines, in bytes.
    whole_bytes: u64,
    inode: u64,
}

impl Known {
    /// Reads the lines that the file of a folder has by now, or all of them if it is another file. A file that is not there
    /// says nothing.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn read(&mut self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(FILE);
        let unreadable = |error: std::io::Error| Error::unreadable(&path, &error);
        if !path.exists() {
            *self = Known::default();
            return Ok(());
        }
        let file = results::open(&path).map_err(unreadable)?;
        let found = file.metadata().map_err(unreadable)?;
        if found.ino() != self.inode || found.len() < self.whole_bytes {
            *self = Known { inode: found.ino(), ..Known::default() };
        }
        let (mut reader, mut line) = (BufReader::new(file), Vec::new());
        reader.seek(SeekFrom::Start(self.whole_bytes)).map_err(unreadable)?;
        loop {
            line.clear();
            let length = results::read_line(&mut reader, &mut line).map_err(unreadable)?;
            if !line.ends_with(b"\n") {
                return Ok(());
            }
            self.whole_bytes += length as u64;
            let parsed = serde_json::from_slice::<MatchAnalysis>(&line);
            if let Some(one) = parsed.ok().filter(|analysis| analysis.evaluator == EVALUATOR) {
                let of_match = self.matches.entry(one.digest).or_default();
                of_match.extend(
                    one.decisions.into_iter().map(|judged| ((one.nodes, judged.id, judged.seat), judged)),
                );
            }
        }
    }

    /// Returns the decisions of the match with this digest, each as the largest search of at least so many nodes judged it.
    pub(crate) fn deepest(&self, digest: &str, least: u64) -> Vec<&Judged> {
        let mut deepest: HashMap<(u32, Seat), (u64, &Judged)> = HashMap::new();
        for ((nodes, id, seat), judged) in self.matches.get(digest).into_iter().flatten() {
            let is_deeper = deepest.get(&(*id, *seat)).is_none_or(|(other, _)| other < nodes);
            if *nodes >= least && is_deeper {
                deepest.insert((*id, *seat), (*nodes, judged));
            }
        }
        deepest.into_values().map(|(_, judged)| judged).collect()
    }
}

/// The judged decisions that a folder has, and its file to add more.
#[derive(Default)]
pub(crate) struct Store {
    /// The file, and its path. `None` if nothing is to be kept.
    file: Option<(File, PathBuf)>,
    known: Mutex<Known>,
}

impl Store {
    /// Opens the file in a folder, or begins it. One process at a time adds lines. Others, and those that may not write
    /// there, only read. Cuts off a torn line.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn open(folder: &Path) -> Result<Store, Error> {
        Store::opened(folder, false)
    }

    /// Opens the file like [`open`](Self::open), after other processes if they add lines and `waits` is true.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn opened(folder: &Path, waits: bool) -> Result<Store, Error> {
        let path = folder.join(FILE);
        let file = match results::append(&path) {
            Ok(file) => Some(file),
            Err(error) if [PermissionDenied, ReadOnlyFilesystem].contains(&error.kind()) => None,
            Err(error) => return Err(Error::unreadable(&path, &error)),
        };
        let file = file.filter(|file| if waits { file.lock().is_ok() } else { file.try_lock().is_ok() });
        let mut known = Known::default();
        known.read(folder)?;
        match &file {
            None => say(&format!("note: {} is in use or read-only: new values are not kept", path.display())),
            Some(file) => {
                file.set_len(known.whole_bytes).map_err(|error| Error::unwritable(&path, &error))?
            }
        }
        Ok(Store { file: file.map(|file| (file, path)), known: Mutex::new(known) })
    }

    /// Returns the best move for a decision of a match by the largest search that is kept in a folder.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn best(folder: &Path, digest: &str, id: u32, seat: Seat) -> Result<Option<Value>, Error> {
        let mut known = Known::default();
        known.read(folder)?;
        let is_it = |one: &&Judged| (one.id, one.seat) == (id, seat);
        Ok(known.deepest(digest, 0).into_iter().find(is_it).map(|one| one.best.clone()))
    }

    /// Returns what is known of the match with this digest: each decision as the largest search judged it.
    pub(crate) fn deepest(&self, digest: &str) -> Vec<Judged> {
        self.known.lock().expect("no thread panics").deepest(digest, 0).into_iter().cloned().collect()
    }

    /// Checks that values can be kept in a folder.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn check(folder: &Path) -> Result<(), Error> {
        let path = folder.join(FILE);
        results::append(&path).map(drop).map_err(|error| Error::unwritable(&path, &error))
    }

    /// Returns a judged decision if it is known. Otherwise judges it and adds a line, with the index of its match.
    ///
    /// # Errors
    /// Those of `judge`, or the file cannot be written.
    pub(crate) fn kept(
        &self,
        index: u64,
        (digest, nodes, id, seat): Key,
        judge: impl FnOnce() -> Result<Judged, Error>,
    ) -> Result<Judged, Error> {
        let known = || self.known.lock().expect("no thread panics");
        if let Some(judged) =
            known().matches.get(&digest).and_then(|of_match| of_match.get(&(nodes, id, seat)))
        {
            return Ok(judged.clone());
        }
        let judged = judge()?;
        if let Some((file, path)) = &self.file {
            let line = MatchAnalysis::new(index, &digest, nodes, vec![judged.clone()]);
            let line = serde_json::to_string(&line).expect("plain data") + "\n";
            let written = (&mut &*file).write_all(line.as_bytes());
            written.map_err(|error| Error::unwritable(path, &error))?;
        }
        known().matches.entry(digest).or_default().insert((nodes, id, seat), judged.clone());
        Ok(judged)
    }
}
