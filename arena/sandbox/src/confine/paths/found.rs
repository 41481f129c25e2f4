//! Collects the files and folders that a bot is shown, and leaves out the paths that are hidden from the bot.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Hidden;
use crate::command::Command;
use crate::confine::files::is_of_the_system;
use crate::confine::paths::private::{
    Marks, all_secrets, holds_home, holds_private, holds_secrets, is_around_secrets, is_closed_by_contest,
    is_home, is_marked, is_same, is_secret, settled,
};
use crate::confine::paths::roots::{Extent, Reason, Root, installed, is_own_home};

/// A bot that cannot have a whole folder gets its entries, if there are no more than this.
const ENTRIES_MAX: usize = 256;
/// Names of folders that hold programs. The folders next to them hold other files of the programs.
const PROGRAM_FOLDERS: [&str; 4] = ["bin", "sbin", "shims", "libexec"];
/// The entries that a program gets from a folder right below a home. Such a folder may hold anything.
const PARTS: &str = "bin sbin shims lib lib64 libexec versions version plugins pyenv.d pyvenv.cfg";
/// The depth to which the folders of an installation are searched for results. Installations may be large.
const INSTALLED_DEPTH_MAX: usize = 3;

/// A file or folder that a bot may read, in addition to the system's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readable {
    /// The canonical path. For a folder, the bot may read everything in it.
    pub path: PathBuf,
    /// The first reason that opened it.
    pub reason: Reason,
}

/// The canonical paths that a bot is shown in addition to the system's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Files and folders that it may read.
    pub(crate) read: Vec<Readable>,
    /// Folders whose names it may list, including the folders below them.
    pub(crate) list: Vec<PathBuf>,
    /// True for a bot of root that needs a capability to read them.
    pub(crate) is_closed: bool,
}

impl Shown {
    /// Returns true if the bot may read the canonical path.
    pub(super) fn has(&self, path: &Path) -> bool {
        self.read.iter().any(|known| path.starts_with(&known.path))
    }

    /// Returns the files and folders that the bot may read, without the reasons.
    pub(crate) fn read_paths(&self) -> Vec<PathBuf> {
        self.read.iter().map(|readable| readable.path.clone()).collect()
    }
}

/// The files and folders found so far for one bot.
pub(super) struct Found<'a> {
    hidden: &'a Hidden,
    /// The folder in which the bot starts, if its command names one.
    start: Option<&'a Path>,
    marks: Marks,
    /// The reason for the paths that are added next.
    reason: Reason,
    pub(super) shown: Shown,
}

impl<'a> Found<'a> {
    pub(super) fn new(command: &'a Command) -> Found<'a> {
        let hidden = &command.hidden;
        Found {
            hidden,
            start: command.dir.as_deref(),
            marks: Marks::of(hidden.all().chain(all_secrets())),
            reason: Reason::Program,
            shown: Shown::default(),
        }
    }

    /// Adds the files that a root opens.
    pub(super) fn add_root(&mut self, Root { path, reason, extent }: &Root) {
        self.reason = *reason;
        match extent {
            Extent::Itself => self.add(path),
            Extent::Unclaimed => self.add_unclaimed(path),
            Extent::Folder => self.add_folder(path),
            Extent::Packages => drop(self.add_whole(path, 0)),
            Extent::Project => self.add_entries(path, is_left_out),
            Extent::Granted => self.add_granted(&settled(path)),
            Extent::Installation => self.add_installation(path),
            Extent::Installed => self.add_installed(path),
            Extent::Link => self.add_target(path),
        }
    }

    /// Adds a file or folder, if it exists.
    fn add(&mut self, path: &Path) {
        let Ok(path) = path.canonicalize() else { return };
        if is_around_secrets(&path) || is_closed_by_contest(&path, self.start) {
            return;
        }
        if !is_of_the_system(&path) && !self.is_shown(&path) {
            self.shown.read.push(Readable { path, reason: self.reason });
        }
    }

    /// Returns true if the bot may already read the canonical path.
    pub(super) fn is_shown(&self, path: &Path) -> bool {
        self.shown.has(path)
    }

    /// Returns true if the canonical path holds, or is, a path that is hidden from the bot.
    fn is_hidden_in(&self, path: &Path) -> bool {
        self.marks.lie_in(path)
            || is_around_secrets(path)
            || self.hidden.all().any(|hidden| hidden.starts_with(path))
    }

    /// Returns true if the canonical path holds, or is, a hidden path or a home.
    fn is_shared(&self, path: &Path) -> bool {
        self.is_hidden_in(path) || holds_home(path)
    }

    /// Returns true for a results directory and for a folder with files of different bots.
    fn is_of_nobody(&self, folder: &Path) -> bool {
        let is_it = |other: &Path| is_same(other, folder);
        let is_beside = |other: &PathBuf| !other.is_dir() && other.parent().is_some_and(is_it);
        is_marked(folder)
            || is_closed_by_contest(folder, self.start)
            || self.hidden.results.iter().any(|results| is_it(results))
            || self.hidden.others.iter().any(|other| is_it(other) || is_beside(other))
    }

    /// Returns the reason why a bot of this canonical folder gets its own file alone.
    pub(super) fn refusal(&self, folder: &Path) -> Option<&'static str> {
        match () {
            () if is_own_home(folder) => Some("it is your home"),
            () if is_home(folder) => Some("it is a home, or for temporary files"),
            () if holds_home(folder) => Some("a home, or a folder for temporary files, lies in it"),
            () if self.is_of_nobody(folder) => Some("files of other bots, or results, lie in it"),
            () => None,
        }
    }

    /// Adds a whole folder, unless it holds a hidden path, a home, or results within `depth_max` levels. Returns true
    /// if the bot may read the whole folder.
    fn add_whole(&mut self, folder: &Path, depth_max: usize) -> bool {
        let Ok(folder) = folder.canonicalize() else { return false };
        let is_hidden = |below: &Path| self.marks.lie_in(below) || holds_home(below);
        let is_own = is_of_the_system(&folder)
            || self.is_shown(&folder)
            || !(self.is_shared(&folder) || holds_private(&folder, depth_max, is_hidden));
        if is_own {
            self.add(&folder);
        }
        is_own
    }

    /// Adds a folder of the bot: the whole folder, or the entries that are not hidden.
    fn add_folder(&mut self, folder: &Path) {
        if !self.add_whole(folder, usize::MAX) {
            self.add_entries(folder, |_| false);
        }
    }

    /// Adds the files and folders in `folder` that hold nothing hidden, because Landlock knows no exceptions below an
    /// allowed folder. Adds none if their owner is unclear: next to a program of another bot, in a home, or among
    /// results. Entries with names for which `is_closed` returns true stay closed.
    fn add_entries(&mut self, folder: &Path, is_closed: fn(&OsStr) -> bool) {
        let Ok(folder) = folder.canonicalize() else { return };
        if self.refusal(&folder).is_some() {
            return;
        }
        let Ok(entries) = fs::read_dir(&folder) else { return };
        let entries = entries.flatten().filter(|entry| !is_closed(&entry.file_name()));
        let entries: Vec<_> = entries.take(ENTRIES_MAX + 1).collect();
        if entries.len() > ENTRIES_MAX {
            return;
        }
        if !Marks::of(self.hidden.of_bots()).lie_in(&folder) && !is_around_secrets(&folder) {
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

    /// Adds a file or folder, unless it holds a hidden path or a home.
    fn add_unclaimed(&mut self, path: &Path) {
        if !self.is_shared(&settled(path)) {
            self.add(path);
        }
    }

    /// Adds a canonical path that the user allows. The only check is for files that are hidden from the bot.
    fn add_granted(&mut self, path: &Path) {
        if path.is_dir() && !is_secret(path) && holds_secrets(path) {
            // Everything in it but the secrets. The target of a link is not in this folder.
            self.shown.list.push(path.to_owned());
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                if !is_secret(&entry.path()) && entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
                    self.add_granted(&entry.path());
                }
            }
        } else if path.is_dir() && self.is_hidden_in(path) {
            self.add_entries(path, |_| false)
        } else {
            self.add(path)
        }
    }

    /// Adds the target of a link alone. An interpreter gets its installation.
    fn add_target(&mut self, link: &Path) {
        let real = settled(link);
        let programs = installed(link, is_home);
        if real.is_dir() {
            self.add_folder(&real);
        } else if programs.is_empty() || self.is_shared(&real) {
            self.add(&real);
        } else {
            programs.iter().for_each(|program| self.add_installed(program));
        }
    }

    /// Adds a program with its installation, unless it is hidden from the bot.
    fn add_installed(&mut self, program: &Path) {
        if !self.is_shared(&settled(program)) {
            self.add_installation(program);
            self.add(program);
        }
    }

    /// Adds the files around a program: an installation with folders such as `bin` and `lib`, or the program's folder.
    /// Right below a home, an installation is only the parts that programs need.
    fn add_installation(&mut self, program: &Path) {
        let Some(folder) = program.parent() else { return };
        let name = folder.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let Some(prefix) = folder.parent().filter(|_| PROGRAM_FOLDERS.contains(&name)) else {
            return self.add_folder(folder);
        };
        let prefix = settled(prefix);
        let is_private = prefix.parent().is_some_and(is_home);
        if !is_private && self.add_whole(&prefix, INSTALLED_DEPTH_MAX) {
            return;
        }
        // A link may come from the bot and lead to any folder that the bot wants to read.
        let parts = PARTS.split(' ').map(|part| settled(&prefix.join(part)));
        parts.filter(|part| part.starts_with(&prefix)).for_each(|part| self.add_unclaimed(&part));
        if !is_private {
            self.add_entries(&prefix, |_| false);
        }
    }
}

/// Returns true for entries of a project's root that stay closed: hidden ones, such as `.env` and `.git`, and Cargo's
/// large build folder.
fn is_left_out(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || name == "target"
}
