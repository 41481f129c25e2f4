//! The files of a bot, and whether they have changed.
//!
//! These are the files that the command names, and the regular files in the bot's folder that the bot may read. A match
//! counts only if they are as they were when the bot entered.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use sandbox::confine::paths::{Claims, RESULTS_MARK, is_of_the_system, readable, settled};
use sandbox::{Command, is_being_written};

use crate::bots::digests::{Digests, Stamp, open_unseen, sha256_of};

/// The most files of a folder that are watched, and the most bytes in them.
const FILES_MAX: usize = 256;
const BYTES_MAX: u64 = 64 << 20;
/// The most names that are looked at for them.
const NAMES_MAX: usize = 4_096;
/// The longest league file, in bytes.
const LEAGUE_BYTES_MAX: u64 = 1 << 20;
/// Folders of tools, which make their contents again, separated by blanks. Hidden names are left out too.
const OF_TOOLS: &str = "__pycache__ node_modules target";
/// The name of a folder with installed programs, which belong to no bot.
const INSTALLED: &str = "bin";
/// The file that marks a virtual environment.
const ENVIRONMENT_MARK: &str = "pyvenv.cfg";

/// The files around a bot that are watched, besides those that its command names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Around {
    /// The bot's folder, as a canonical path. `None` if it has none: a bundled bot, or a program on the search path.
    pub(super) folder: Option<PathBuf>,
    /// The paths of the files in the folder, sorted. Files of folders that the command names elsewhere have their whole
    /// paths.
    pub(super) files: BTreeSet<PathBuf>,
    /// The reason why there are none, if the folder has too many.
    pub(super) unwatched: Option<String>,
}

impl Around {
    /// Finds the files around a bot.
    pub(super) fn of(command: &Command) -> Around {
        if command.has_no_paths {
            return Around::default();
        }
        let named = Claims::named(command);
        let Some(folder) = bot_folder(command) else { return Around::default() };
        // A bot sees no file that does not exist for it, and it needs no file of the system.
        let shown =
            readable(command, command.is_foreign).unwrap_or_default().into_iter().map(|shown| shown.path);
        let of_words = named.iter().map(|path| settled(path)).filter(|path| path.is_dir());
        let folders: Vec<PathBuf> = of_words.chain([folder.clone()]).collect();
        let starts = shown.flat_map(|path| {
            let inner = |folder: &PathBuf| match path.strip_prefix(folder) {
                Ok(below) => (!below.iter().any(is_of_tools)).then(|| path.clone()),
                Err(_) => folder.starts_with(&path).then(|| folder.clone()),
            };
            folders.iter().filter_map(inner).collect::<Vec<_>>()
        });
        let mut found = Search { write: &command.rights.write, files: BTreeSet::new(), bytes: 0, names: 0 };
        let starts: BTreeSet<PathBuf> = starts.collect();
        let is_small = starts.iter().all(|path| found.add(path));
        let unwatched = (!is_small)
            .then(|| format!("its folder has more than {FILES_MAX} files, or {} MiB", BYTES_MAX >> 20));
        let of_command =
            named.iter().chain(&command.program()).map(|path| settled(path)).collect::<BTreeSet<_>>();
        let others = found.files.into_iter().filter(|path| is_small && !of_command.contains(path));
        let below = |path: PathBuf| path.strip_prefix(&folder).map_or(path.clone(), Path::to_owned);
        Around { files: others.map(below).collect(), folder: Some(folder), unwatched }
    }

    /// Returns the whole paths of the files.
    pub(super) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        let folder = self.folder.clone().unwrap_or_default();
        self.files.iter().map(move |file| folder.join(file))
    }
}

/// Returns the folder of a bot. It is the working directory if the user names one, and else the folder of the program.
/// If the program is installed, it is the folder of the first file that the command names.
pub(super) fn bot_folder(command: &Command) -> Option<PathBuf> {
    let named = Claims::named(command);
    let is_path = command.argv[0].contains('/');
    let of_program =
        command.program().filter(|_| is_path).and_then(|file| settled(&file).parent().map(Path::to_owned));
    let is_own = |folder: &PathBuf| !is_of_the_system(folder) && !folder.ends_with(INSTALLED);
    let of_named = || {
        let first = settled(named.first()?);
        if first.is_dir() { Some(first) } else { first.parent().map(Path::to_owned) }
    };
    let dir = command.dir.as_ref().map(|dir| settled(dir));
    dir.or_else(|| of_program.filter(is_own)).or_else(of_named).filter(|folder| !is_of_the_system(folder))
}

/// A search for the files of a bot.
struct Search<'a> {
    /// The folders that the bot may write.
    write: &'a [PathBuf],
    files: BTreeSet<PathBuf>,
    bytes: u64,
    names: usize,
}

impl Search<'_> {
    /// Adds the files of a canonical path. Returns false if there are too many.
    fn add(&mut self, path: &Path) -> bool {
        self.names += 1;
        let Ok(facts) = fs::symlink_metadata(path) else { return self.is_small() };
        if facts.is_file() {
            // A file that somebody writes is a log.
            let is_log = open_unseen(path).is_ok_and(|file| is_being_written(&file));
            if !is_log && !is_league(path, facts.len()) && self.files.insert(path.to_owned()) {
                self.bytes += facts.len();
            }
        } else if facts.is_dir() && !self.is_left_out(path) {
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                if !is_of_tools(&entry.file_name()) && !self.add(&entry.path()) {
                    return false;
                }
            }
        }
        self.is_small()
    }

    fn is_left_out(&self, folder: &Path) -> bool {
        [RESULTS_MARK, ENVIRONMENT_MARK].iter().any(|mark| folder.join(mark).exists())
            || self.write.iter().any(|write| settled(write) == folder)
    }

    fn is_small(&self) -> bool {
        self.files.len() <= FILES_MAX && self.bytes <= BYTES_MAX && self.names <= NAMES_MAX
    }
}

/// Returns true for names of hidden files, and of folders that tools make.
fn is_of_tools(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || OF_TOOLS.split(' ').any(|tool| name == tool)
}

/// Returns true for a league file. It may change while its bots stay as they are.
pub(super) fn is_league(path: &Path, bytes: u64) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
        && bytes <= LEAGUE_BYTES_MAX
        && open_unseen(path).and_then(io::read_to_string).is_ok_and(|text| text.contains("[[bot]]"))
}

/// The files of a bot as they were when it entered.
#[derive(Debug, Default)]
pub struct Watched {
    files: Vec<WatchedFile>,
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
    /// Watches files of which the digests are known.
    pub(super) fn new(paths: impl IntoIterator<Item = PathBuf>, known: &Digests) -> Watched {
        let file = |path: PathBuf| {
            let (stamp, sha256) = known.get(&path)?;
            Some(WatchedFile { path, stamp: Mutex::new(*stamp), sha256: sha256.clone() })
        };
        let files = paths.into_iter().filter_map(file).collect();
        Watched { files, since: AtomicU64::new(u64::MAX), ..Watched::default() }
    }

    /// Looks at the files. A file is read only if the system says that it may have changed. Call it when a process has
    /// started: it may have started from the new file. Returns how often a file was replaced by one with the same contents:
    /// a process may have failed to start because of that.
    pub fn look(&self) -> u64 {
        if self.changed.get().is_some() {
            return self.replaced();
        }
        let looks: Vec<(Look, &WatchedFile)> = self.files.iter().map(|file| (file.look(), file)).collect();
        if let Some((_, file)) = looks.iter().find(|(look, _)| *look == Look::Changed) {
            self.changed.get_or_init(|| file.path.clone());
        }
        let replaced = looks.iter().filter(|(look, _)| *look == Look::Replaced).count();
        self.replaced.fetch_add(replaced as u64, Ordering::Relaxed) + replaced as u64
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
