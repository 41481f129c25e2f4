//! Collects the files and folders that a bot is shown, and leaves out the paths that are hidden from the bot.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Hidden;
use crate::confine::files::is_of_the_system;
use crate::confine::paths::private::{Marks, holds_home, holds_private, is_same, place, settled};
use crate::confine::paths::shown::{RESULTS_MARK, Readable, Reason, Shown};

/// A bot that cannot have a whole folder gets its entries, if there are no more than this.
const ENTRIES_MAX: usize = 256;

/// The files and folders found so far for one bot.
pub(super) struct Found<'a> {
    hidden: &'a Hidden,
    marks: Marks,
    /// The reason for the paths that are added next.
    pub(super) reason: Reason,
    pub(super) shown: Shown,
}

impl<'a> Found<'a> {
    pub(super) fn new(hidden: &'a Hidden) -> Found<'a> {
        Found { hidden, marks: Marks::of(hidden.all()), reason: Reason::Program, shown: Shown::default() }
    }

    /// Adds a file or folder, if it exists.
    pub(super) fn add(&mut self, path: &Path) {
        let Ok(path) = path.canonicalize() else { return };
        if !is_of_the_system(&path) && !self.is_shown(&path) {
            self.shown.read.push(Readable { path, reason: self.reason });
        }
    }

    /// Returns true if the bot may already read the canonical path.
    pub(super) fn is_shown(&self, path: &Path) -> bool {
        self.shown.read.iter().any(|known| path.starts_with(&known.path))
    }

    /// Returns true if the canonical path holds, or is, a path that is hidden from the bot.
    fn is_hidden_in(&self, path: &Path) -> bool {
        self.marks.lie_in(path) || self.hidden.all().any(|hidden| hidden.starts_with(path))
    }

    /// Returns true if the canonical path holds, or is, a hidden path or a home.
    pub(super) fn is_shared(&self, path: &Path) -> bool {
        self.is_hidden_in(path) || holds_home(path)
    }

    /// Returns true for a results directory and for a folder with files of different bots.
    fn is_of_nobody(&self, folder: &Path) -> bool {
        let is_it = |other: &Path| is_same(other, folder);
        let is_beside = |other: &PathBuf| !other.is_dir() && other.parent().is_some_and(is_it);
        folder.join(RESULTS_MARK).exists()
            || self.hidden.results.iter().any(|results| is_it(results))
            || self.hidden.others.iter().any(|other| is_it(other) || is_beside(other))
    }

    fn is_private_below(&self, folder: &Path, depth_max: usize) -> bool {
        holds_private(folder, depth_max, |below| self.marks.lie_in(below) || holds_home(below))
    }

    /// Adds a whole folder, unless it holds a hidden path, a home, or results within `depth_max` levels. Returns true
    /// if the bot may read the whole folder.
    pub(super) fn add_whole(&mut self, folder: &Path, depth_max: usize) -> bool {
        let Ok(folder) = folder.canonicalize() else { return false };
        let is_own = is_of_the_system(&folder)
            || self.is_shown(&folder)
            || !(self.is_shared(&folder) || self.is_private_below(&folder, depth_max));
        if is_own {
            self.add(&folder);
        }
        is_own
    }

    /// Adds a folder of the bot: the whole folder, or the entries that are not hidden.
    pub(super) fn add_folder(&mut self, folder: &Path) {
        if !self.add_whole(folder, usize::MAX) {
            self.add_entries(folder);
        }
    }

    /// Adds the files and folders in `folder` that hold nothing hidden, because Landlock knows no exceptions below an
    /// allowed folder. Adds none if their owner is unclear: next to a program of another bot, in a home, or among
    /// results.
    pub(super) fn add_entries(&mut self, folder: &Path) {
        self.add_entries_but(folder, |_| false);
    }

    /// Does the same as [`add_entries`](Self::add_entries), without the entries whose names `leaves_out` rejects.
    pub(super) fn add_entries_but(&mut self, folder: &Path, leaves_out: impl Fn(&OsStr) -> bool) {
        let Ok(folder) = folder.canonicalize() else { return };
        if holds_home(&folder) || self.is_of_nobody(&folder) {
            return;
        }
        let Ok(entries) = fs::read_dir(&folder) else { return };
        let entries = entries.flatten().filter(|entry| !leaves_out(&entry.file_name()));
        let entries: Vec<_> = entries.take(ENTRIES_MAX + 1).collect();
        if entries.len() > ENTRIES_MAX {
            return;
        }
        if !Marks::of(self.hidden.of_bots()).lie_in(&folder) {
            self.shown.list.push(folder);
        }
        for entry in entries {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => drop(self.add_whole(&entry.path(), usize::MAX)),
                Ok(kind) if kind.is_file() && !self.is_shared(&entry.path()) => self.add(&entry.path()),
                // The target of a link is not in this folder.
                _ => {}
            }
        }
    }

    /// Adds a path that the bot's entry allows it to read. The only check is for files that are hidden from the bot.
    pub(super) fn add_read(&mut self, path: &Path) {
        let real = settled(path);
        if real.is_dir() && self.is_hidden_in(&real) { self.add_entries(&real) } else { self.add(&real) }
    }

    /// Adds the folder of a file with the file, or a folder. Leaves a link to elsewhere to
    /// [`add_link`](Self::add_link).
    pub(super) fn add_argument(&mut self, path: &Path) {
        let (place, real) = (place(path), settled(path));
        match place.parent() {
            Some(folder) if !real.is_dir() => self.add_folder(folder),
            _ if place == real => self.add_folder(&real),
            _ => {}
        }
        if place == real && !real.is_dir() {
            self.add(&real);
        }
    }
}
