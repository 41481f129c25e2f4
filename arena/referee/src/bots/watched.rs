//! Files of a bot that are not held while a tournament plays: whether they have changed since the bot entered. A match
//! counts only if they have not.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::bots::digests::{Digests, Stamp, sha256_of};
use crate::bots::files::BotFiles;

/// The files of a bot as they were when it entered.
#[derive(Debug, Default)]
pub struct Watched {
    files: Vec<WatchedFile>,
    /// Folders, each with its state. A new file changes the state.
    folders: Vec<(PathBuf, Mutex<Stamp>)>,
    /// The files that are known there.
    known: BotFiles,
    changed: OnceLock<PathBuf>,
    /// The first match that does not count.
    since: AtomicU64,
    replaced: AtomicU64,
}

#[derive(Debug)]
struct WatchedFile {
    path: PathBuf,
    stamp: Mutex<Stamp>,
    sha256: String,
}

impl Watched {
    /// Watches files of which the digests are known, and the folders of `known` among `folders` for new files.
    pub(super) fn new(
        paths: impl IntoIterator<Item = PathBuf>,
        folders: impl IntoIterator<Item = PathBuf>,
        known: BotFiles,
        digests: &Digests,
    ) -> Watched {
        let file = |path: PathBuf| {
            let (stamp, sha256) = digests.get(&path)?;
            Some(WatchedFile { path, stamp: Mutex::new(*stamp), sha256: sha256.clone() })
        };
        let files = paths.into_iter().collect::<BTreeSet<_>>().into_iter().filter_map(file).collect();
        let folder = |path: PathBuf| Some((Mutex::new(Stamp::of(&path)?), path));
        let folders = folders.into_iter().filter_map(folder).map(|(stamp, path)| (path, stamp)).collect();
        Watched { files, folders, known, since: AtomicU64::new(u64::MAX), ..Watched::default() }
    }

    /// Looks at the files. A file is read only if the system says that it may have changed. Call it when a process has
    /// started: it may have started from the new file. Returns how often a file was replaced by one with the same contents:
    /// a process may have failed to start because of that.
    pub fn look(&self) -> u64 {
        if self.changed.get().is_some() {
            return self.replaced();
        }
        let looks: Vec<(Look, &WatchedFile)> = self.files.iter().map(|file| (file.look(), file)).collect();
        let changed =
            looks.iter().find(|(look, _)| *look == Look::Changed).map(|(_, file)| file.path.clone());
        if let Some(path) = changed.or_else(|| self.folders.iter().find_map(|folder| self.new_file(folder))) {
            self.changed.get_or_init(|| path);
        }
        let replaced = looks.iter().filter(|(look, _)| *look == Look::Replaced).count();
        self.replaced.fetch_add(replaced as u64, Ordering::Relaxed) + replaced as u64
    }

    /// Returns a file that was not there before.
    fn new_file(&self, (folder, stamp): &(PathBuf, Mutex<Stamp>)) -> Option<PathBuf> {
        let mut known = stamp.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Stamp::of(folder).filter(|now| now != &*known)?;
        *known = now;
        let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
        entries.into_iter().find(|path| !self.known.is_known(path))
    }

    /// Returns how often a file was replaced by one with the same contents, as far as [`look`](Self::look) has seen.
    pub fn replaced(&self) -> u64 {
        self.replaced.load(Ordering::Relaxed)
    }

    /// Returns true if a file has changed. The match with this index then counts for nobody.
    pub fn is_over(&self, index: u64) -> bool {
        let is_over = self.changed.get().is_some();
        if is_over {
            self.since.fetch_min(index, Ordering::Relaxed);
        }
        is_over
    }

    /// Returns the file that has changed, and the first match that does not count.
    pub fn changed(&self) -> Option<(&Path, u64)> {
        Some((self.changed.get()?, self.since.load(Ordering::Relaxed)))
    }
}

/// What has become of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Same,
    /// Another file with the same contents.
    Replaced,
    Changed,
}

impl WatchedFile {
    fn look(&self) -> Look {
        let mut known = self.stamp.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(now) = Stamp::of(&self.path) else { return Look::Changed };
        if now == *known {
            return Look::Same;
        }
        match sha256_of(&self.path) {
            Ok(sha256) if sha256 == self.sha256 => {
                *known = now;
                Look::Replaced
            }
            _ => Look::Changed,
        }
    }
}
