//! The current state of a tournament, shared by all requests.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use axum::body::Bytes;
use serde::Serialize;
use tokio::sync::watch;

use super::read::Read;
use super::{List, Parts, Running, RunningRow};
use crate::web::Packed;
use referee::games::GameName;
use tournament::journal::shard::ShardFile;
use tournament::plan::TournamentHead;
use tournament::standings::Row;

/// The most answers for the list of matches that are kept.
const LISTS_MAX: usize = 64;

/// The current state of a tournament.
#[derive(Debug)]
pub struct Live {
    dir: PathBuf,
    book: RwLock<Book>,
    status: watch::Sender<Status>,
    lists: Mutex<HashMap<String, (usize, Packed)>>,
}

/// The data for answers to requests.
#[derive(Debug)]
pub struct Book {
    /// The contents of the plan file.
    pub head: TournamentHead,
    /// The game.
    pub game: GameName,
    /// The names of the bots.
    pub names: Vec<String>,
    /// The matches.
    pub list: List,
    /// The files with the matches' lines, by number.
    pub files: Vec<ShardFile>,
    /// The running matches that can be watched, by index.
    pub running: Vec<Arc<Running>>,
    /// The tables as JSON, in the format of `arena standings`.
    pub tables: Packed,
    /// The notes on the tables, as a JSON list of lines.
    pub notes: Packed,
    /// The answer of a comparison so far as JSON, or `null`.
    pub comparison: Packed,
    /// The table of all bots as comma-separated values.
    pub csv: Bytes,
    /// The rows of that table.
    pub rows: Vec<Row>,
    /// The table of the machines as JSON. It has no rows for a tournament without shards.
    pub hosts: Packed,
}

/// The progress of a tournament. Every change is sent to the pages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Status {
    /// The number of matches read.
    pub matches: u64,
    /// The number of matches in the plan that are known so far.
    pub total: u64,
    /// True if all matches are done.
    pub is_over: bool,
    /// The index of the match that was read last.
    pub latest: Option<u64>,
    /// The number of shards; `None` for a tournament without shards.
    pub parts: Option<Parts>,
    /// The version of the tables.
    pub tables: u64,
    /// The version of the table of machines.
    pub hosts: u64,
    /// The version of the plan. It changes if the tournament is extended or replaced, or if all files are
    /// read again.
    pub plan: u64,
    /// The share of the files' bytes that have been read, in percent.
    pub read: u8,
    /// The running matches that can be watched.
    pub running: Vec<RunningRow>,
    /// If the tournament is not over and no arena plays it: the last sign of one, in milliseconds since 1970.
    pub silent_since: Option<u64>,
    /// The problems with the files, if there are any. Matches read earlier stay valid.
    pub trouble: Option<String>,
}

impl Live {
    /// Creates the state of the tournament in `dir`, with a plan and no matches.
    pub(super) fn new(dir: &Path, plan: &Read) -> Live {
        Live {
            dir: dir.to_owned(),
            book: RwLock::new(Book::of(plan)),
            status: watch::Sender::default(),
            lists: Mutex::default(),
        }
    }

    /// Returns the directory of the tournament.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns true if judging a match takes no time from matches that are played, and its record is in the journal.
    pub(super) fn may_be_judged(&self) -> bool {
        let status = self.status.borrow();
        (status.is_over || status.silent_since.is_some()) && status.parts.is_none()
    }

    /// Returns the data for answers to requests.
    pub fn book(&self) -> RwLockReadGuard<'_, Book> {
        self.book.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the answer to a query for the list of matches. Viewers of a running tournament ask the same query after
    /// each match, and only the first one after a match calls `make`.
    pub(super) fn listed<E>(
        &self,
        query: &str,
        make: impl FnOnce(&Book) -> Result<Packed, E>,
    ) -> Result<Packed, E> {
        let book = self.book();
        let lists = || self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let length = book.list.len();
        if let Some((_, packed)) = lists().get(query).filter(|(known, _)| *known == length) {
            return Ok(packed.clone());
        }
        let packed = make(&book)?;
        let mut lists = lists();
        if lists.len() >= LISTS_MAX {
            lists.clear();
        }
        lists.insert(query.to_owned(), (length, packed.clone()));
        Ok(packed)
    }

    /// Forgets the answers for the list, because another plan gives them another meaning.
    pub(super) fn forget_lists(&self) {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Changes the data. `change` must be short, because requests wait for it.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Book) -> T) -> T {
        change(&mut self.book.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the progress, and notifies all listeners if it is different.
    pub(super) fn tell(&self, change: impl FnOnce(&mut Status)) {
        self.status.send_if_modified(|status| {
            let before = status.clone();
            change(status);
            *status != before
        });
    }

    /// Returns a receiver with the current progress and all later changes.
    pub fn status(&self) -> watch::Receiver<Status> {
        self.status.subscribe()
    }
}

impl Book {
    pub(super) fn of(plan: &Read) -> Book {
        let names = plan.head.plan.names();
        let (head, game, list) = (plan.head.clone(), plan.game, List::default());
        let (files, running) = (Vec::new(), Vec::new());
        Book {
            head,
            game,
            names,
            list,
            files,
            running,
            tables: Packed::default(),
            notes: Packed::default(),
            comparison: Packed::default(),
            csv: Bytes::new(),
            rows: Vec::new(),
            hosts: Packed::default(),
        }
    }

    /// Returns the match with this index, if it is running.
    pub fn running(&self, index: u64) -> Option<Arc<Running>> {
        self.running.iter().find(|one| one.index == index).cloned()
    }
}
