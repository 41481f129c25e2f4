//! Judged decisions of recorded matches, and the file that keeps them beside the matches.

use std::collections::HashMap;
use std::fs::File;
use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
use std::io::{BufReader, Write};
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

/// The judged decisions that a folder has. A line may come from other people, so it counts only for the match and the search
/// that are asked for, and for the budget or a larger one.
#[derive(Default)]
pub(crate) struct Store {
    /// The file, and its path. `None` if nothing is to be kept.
    file: Option<(File, PathBuf)>,
    known: Mutex<HashMap<Key, Judged>>,
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
        let (known, whole_bytes) = read(&path)?;
        match &file {
            None => say(&format!("note: {} is in use or read-only: new values are not kept", path.display())),
            Some(file) => file.set_len(whole_bytes).map_err(|error| Error::unwritable(&path, &error))?,
        }
        Ok(Store { file: file.map(|file| (file, path)), known: Mutex::new(known) })
    }

    /// Returns the best move for a decision of a match by the largest search that is kept in a folder.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn best(folder: &Path, digest: &str, id: u32, seat: Seat) -> Result<Option<Value>, Error> {
        let known = deepest(&read(&folder.join(FILE))?.0, digest, 0).into_iter();
        Ok(known.filter(|one| (one.id, one.seat) == (id, seat)).map(|one| one.best).next())
    }

    /// Returns what is known of the match with this digest: each decision as the largest search judged it.
    pub(crate) fn deepest(&self, digest: &str) -> Vec<Judged> {
        deepest(&self.known.lock().expect("no thread panics"), digest, 0)
    }

    /// Returns what a folder has of the match with this digest, by searches of at least so many nodes. Nothing if its file
    /// cannot be read.
    pub(crate) fn of_match(folder: &Path, digest: &str, least: u64) -> Vec<Judged> {
        read(&folder.join(FILE)).map_or_else(|_| Vec::new(), |(known, _)| deepest(&known, digest, least))
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
        key: Key,
        judge: impl FnOnce() -> Result<Judged, Error>,
    ) -> Result<Judged, Error> {
        if let Some(known) = self.known.lock().expect("no thread panics").get(&key) {
            return Ok(known.clone());
        }
        let judged = judge()?;
        if let Some((file, path)) = &self.file {
            let line = MatchAnalysis::new(index, &key.0, key.1, vec![judged.clone()]);
            let line = serde_json::to_string(&line).expect("plain data") + "\n";
            let written = (&mut &*file).write_all(line.as_bytes());
            written.map_err(|error| Error::unwritable(path, &error))?;
        }
        self.known.lock().expect("no thread panics").insert(key, judged.clone());
        Ok(judged)
    }
}

/// Returns the decisions of the match with this digest, each as the largest search of at least so many nodes judged it.
fn deepest(known: &HashMap<Key, Judged>, digest: &str, least: u64) -> Vec<Judged> {
    let mut deepest: HashMap<(u32, Seat), (u64, &Judged)> = HashMap::new();
    for ((of, nodes, id, seat), judged) in known {
        let is_deeper = deepest.get(&(*id, *seat)).is_none_or(|(other, _)| other < nodes);
        if of == digest && *nodes >= least && is_deeper {
            deepest.insert((*id, *seat), (*nodes, judged));
        }
    }
    deepest.into_values().map(|(_, judged)| judged.clone()).collect()
}

/// Returns what the lines of a file say by this search, and the length of its whole lines in bytes. A file that is not there
/// says nothing.
fn read(path: &Path) -> Result<(HashMap<Key, Judged>, u64), Error> {
    let unreadable = |error: std::io::Error| Error::unreadable(path, &error);
    let (mut known, mut whole_bytes, mut line) = (HashMap::new(), 0, Vec::new());
    if !path.exists() {
        return Ok((known, 0));
    }
    let mut reader = BufReader::new(results::open(path).map_err(unreadable)?);
    loop {
        line.clear();
        let length = results::read_line(&mut reader, &mut line).map_err(unreadable)?;
        if !line.ends_with(b"\n") {
            return Ok((known, whole_bytes));
        }
        whole_bytes += length as u64;
        let parsed = serde_json::from_slice::<MatchAnalysis>(&line);
        let Some(MatchAnalysis { digest, nodes, decisions, .. }) =
            parsed.ok().filter(|analysis| analysis.evaluator == EVALUATOR)
        else {
            continue;
        };
        known.extend(decisions.into_iter().map(|one| ((digest.clone(), nodes, one.id, one.seat), one)));
    }
}
