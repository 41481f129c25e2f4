//! The files and folders that a bot is shown, one after the other, each without what is hidden from the bot.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Hidden;
use crate::contain::files::is_of_the_system;
use crate::contain::paths::private::{Marks, holds_home, holds_private, is_same, settled};
use crate::contain::paths::shown::RESULTS_MARK;
use crate::contain::paths::shown::Shown;

/// Of a folder that a bot cannot have as a whole, it gets the entries, if there are no more than this.
const ENTRIES_MAX: usize = 256;

/// What has been found so far of what a bot is shown.
pub(super) struct Found<'a> {
    hidden: &'a Hidden,
    marks: Marks,
    pub(super) shown: Shown,
}

impl<'a> Found<'a> {
    pub(super) fn new(hidden: &'a Hidden) -> Found<'a> {
        Found { hidden, marks: Marks::of(hidden.all()), shown: Shown::default() }
    }

    /// A file or folder that is there.
    pub(super) fn add(&mut self, path: &Path) {
        let Ok(path) = path.canonicalize() else { return };
        let is_there = self.shown.read.iter().any(|known| path.starts_with(known));
        if !is_of_the_system(&path) && !is_there {
            self.shown.read.push(path);
        }
    }

    /// Whether the canonical path holds, or is, what is hidden from the bot.
    fn is_hidden_in(&self, path: &Path) -> bool {
        self.marks.lie_in(path) || self.hidden.all().any(|hidden| hidden.starts_with(path))
    }

    /// The same of what is not this bot's.
    pub(super) fn is_shared(&self, path: &Path) -> bool {
        self.is_hidden_in(path) || holds_home(path)
    }

    /// Whether the folder is results, or one in which files of different bots lie side by side.
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

    /// All of a folder, if nothing in it is hidden and no results lie in it so deep.
    pub(super) fn add_whole(&mut self, folder: &Path, depth_max: usize) -> bool {
        let Ok(folder) = folder.canonicalize() else { return false };
        let is_own = is_of_the_system(&folder)
            || self.shown.read.iter().any(|known| folder.starts_with(known))
            || !(self.is_shared(&folder) || self.is_private_below(&folder, depth_max));
        if is_own {
            self.add(&folder);
        }
        is_own
    }

    /// A folder of the bot's: all of it, or what of it is not hidden.
    pub(super) fn add_folder(&mut self, folder: &Path) {
        if !self.add_whole(folder, usize::MAX) {
            self.add_entries(folder);
        }
    }

    /// Files and folders in this one that hold nothing hidden: Landlock knows no exceptions below what it allows. None
    /// where nobody can say whose they are: beside a program of another bot, in a home, among results.
    pub(super) fn add_entries(&mut self, folder: &Path) {
        self.add_entries_but(folder, |_| false);
    }

    /// The same without the entries that a name leaves out.
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
                // What a link names is not there.
                _ => {}
            }
        }
    }

    /// What the entry of the bot allows it to read is asked about for nothing but other bots' files.
    pub(super) fn add_read(&mut self, path: &Path) {
        let real = settled(path);
        if real.is_dir() && self.is_hidden_in(&real) { self.add_entries(&real) } else { self.add(&real) }
    }

    /// A file with its folder, or a folder.
    pub(super) fn add_argument(&mut self, path: &Path) {
        if path.is_dir() {
            return self.add_folder(path);
        }
        if let Some(folder) = path.parent() {
            self.add_folder(folder);
        }
        self.add(path);
    }
}
