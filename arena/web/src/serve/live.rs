//! What is known of a tournament at this moment, for all who ask.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use axum::body::Bytes;
use serde::Serialize;
use tokio::sync::watch;

use super::read::Read;
use super::{List, Parts, Running, RunningRow};
use referee::games::GameName;
use tournament::journal::shard::PartFile;
use tournament::plan::TournamentHead;

/// What is known.
#[derive(Debug)]
pub struct Live {
    dir: PathBuf,
    book: RwLock<Book>,
    status: watch::Sender<Status>,
}

/// What requests are answered from.
#[derive(Debug)]
pub struct Book {
    /// The plan's file.
    pub head: TournamentHead,
    /// Its game.
    pub game: GameName,
    /// Names of the bots.
    pub names: Vec<String>,
    /// The matches.
    pub list: List,
    /// The files that have their lines, by number.
    pub files: Vec<PartFile>,
    /// The matches that are being played and can be watched, by index.
    pub running: Vec<Arc<Running>>,
    /// The tables as JSON, as `arena standings` has them.
    pub tables: Bytes,
    /// The table of the machines as JSON; without rows where it is not played in parts.
    pub hosts: Bytes,
}

/// How far it is; what is sent to pages whenever it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Status {
    /// Matches read.
    pub matches: u64,
    /// Matches of the plan that are known.
    pub total: u64,
    /// Whether all are done.
    pub is_over: bool,
    /// Index of the match that was read last.
    pub latest: Option<u64>,
    /// How many parts there are, where it is played in parts.
    pub parts: Option<Parts>,
    /// Number of the tables: another one, other tables.
    pub tables: u64,
    /// Number of the table of machines.
    pub hosts: u64,
    /// Number of the plan: another one, the tournament was extended or replaced.
    pub plan: u64,
    /// How much of what is written was read, in percent.
    pub read: u8,
    /// The matches that are being played and can be watched.
    pub running: Vec<RunningRow>,
    /// What is wrong with the files, if anything is; what was read before stands.
    pub trouble: Option<String>,
}

impl Live {
    /// Of the tournament in this directory, of which the plan was read.
    pub(super) fn new(dir: &Path, plan: &Read) -> Live {
        Live { dir: dir.to_owned(), book: RwLock::new(Book::of(plan)), status: watch::Sender::default() }
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What there is to answer from.
    pub fn book(&self) -> RwLockReadGuard<'_, Book> {
        self.book.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes it; short, since requests wait.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Book) -> T) -> T {
        change(&mut self.book.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Says how far it is, to everybody who listens, if that is news.
    pub(super) fn tell(&self, change: impl FnOnce(&mut Status)) {
        self.status.send_if_modified(|status| {
            let before = status.clone();
            change(status);
            *status != before
        });
    }

    /// How far it is now, and whenever that changes.
    pub fn status(&self) -> watch::Receiver<Status> {
        self.status.subscribe()
    }
}

impl Book {
    pub(super) fn of(plan: &Read) -> Book {
        let names = plan.head.names();
        let (head, game, list) = (plan.head.clone(), plan.game, List::default());
        let (files, running) = (Vec::new(), Vec::new());
        Book { head, game, names, list, files, running, tables: Bytes::new(), hosts: Bytes::new() }
    }

    /// The match with this index, if it is being played.
    pub fn running(&self, index: u64) -> Option<Arc<Running>> {
        self.running.iter().find(|one| one.index == index).cloned()
    }
}
