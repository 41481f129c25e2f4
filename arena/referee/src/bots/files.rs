//! The files of a bot: those that it may read, without the system's, and the digest of its version.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sandbox::confine::paths::{Claims, Readable, Reason, is_marked, is_of_the_system, readable, settled};
use sandbox::{Command, is_being_written, text};
use sha2::{Digest, Sha256};

use crate::bots::digests::open_unseen;
use crate::record::hex;

/// The most names below the folders of a bot.
const NAMES_MAX: usize = 100_000;
/// The longest league file, in bytes.
const LEAGUE_BYTES_MAX: u64 = 1 << 20;
/// The name of a folder with installed programs, which belong to no bot.
const INSTALLED: &str = "bin";
/// Folders of version control and of editors, separated by blanks.
const OF_TOOLS: &str = ".git .hg .svn .jj .idea .vscode .DS_Store";
/// The file that marks a folder with files that a tool makes again, as Cargo's builds: <https://bford.info/cachedir/>.
const BUILT_MARK: &str = "CACHEDIR.TAG";
/// The folder in which Python keeps compiled modules, their ending, and their header: a magic number and flags.
const CACHE: &str = "__pycache__";
const COMPILED: &str = "pyc";
const HEADER_BYTES: usize = 8;
/// The flags of a compiled module that belongs to the hash of its source, and of one that Python checks against it.
const HASHED: u8 = 1;
const CHECKED: u8 = 2;

/// The SHA-256 of each file of a bot, by its path: in the bot's folder, or else the whole one. A link has its target.
pub type Contents = BTreeMap<String, String>;

/// Returns the digest of a bot's version: the first half of a SHA-256, in hexadecimal.
pub(super) fn version_of(contents: &Contents) -> String {
    let json = serde_json::to_string(contents).expect("a map of texts");
    hex(&Sha256::digest(json)[..16])
}

/// The files of a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BotFiles {
    /// The bot's folder, as a canonical path. `None` if it has none: a bundled bot, or a program on the search path.
    pub(super) folder: Option<PathBuf>,
    /// Files, by their canonical paths. True for those that make the bot what it is.
    pub(super) files: BTreeMap<PathBuf, bool>,
    /// Links, each with its target.
    pub(super) links: BTreeMap<PathBuf, PathBuf>,
    pub(super) folders: BTreeSet<PathBuf>,
    /// Folders of a build beside the bot. They are not looked into.
    pub(super) built: BTreeSet<PathBuf>,
    /// The folders that the bot may write. They are left out.
    pub(super) write: Vec<PathBuf>,
    /// True if the bot's folder is of a build: then a file counts only if the command names it.
    is_build: bool,
    names_left: usize,
}

impl BotFiles {
    /// Finds the files in the bot's folder and in those that its command names.
    ///
    /// # Errors
    /// The sandbox refuses the command, or there are too many files.
    pub(super) fn of(command: &Command) -> io::Result<BotFiles> {
        let mut files = BotFiles::default();
        files.find(command, command.is_foreign, false)?;
        Ok(files)
    }

    /// Finds everything that the bot may read, without the files of the system, of its interpreter, of tools, and of the
    /// arena, and without folders that it may write. `is_strict` tells which sandbox the bot is in.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub(super) fn all_of(command: &Command, is_strict: bool) -> io::Result<BotFiles> {
        let mut files = BotFiles::default();
        files.find(command, is_strict, true)?;
        Ok(files)
    }

    fn find(&mut self, command: &Command, is_strict: bool, all: bool) -> io::Result<()> {
        if command.has_no_paths {
            return Ok(());
        }
        let shown = readable(command, is_strict)?;
        let folder = bot_folder(command);
        let named: Vec<PathBuf> = Claims::named(command).iter().map(|path| settled(path)).collect();
        let of_words = named.iter().filter(|path| path.is_dir());
        let own: Vec<&PathBuf> = of_words.chain(&folder).collect();
        // A commitment binds all, however many there are.
        self.names_left = if all { usize::MAX } else { NAMES_MAX };
        self.write = command.rights.write.iter().map(|path| settled(path)).collect();
        self.is_build =
            folder.as_ref().is_some_and(|own| own.ancestors().any(|it| it.join(BUILT_MARK).is_file()));
        self.folder.clone_from(&folder);
        for Readable { path, reason } in &shown {
            // An interpreter may lie around the bot's folder.
            let is_tool = matches!(reason, Reason::Program | Reason::Arena);
            let around = own.iter().filter(|own| own.starts_with(path) && own.as_path() != path);
            let around: Vec<PathBuf> = around.map(|own| (*own).clone()).collect();
            let is_inside = own.iter().any(|own| path.starts_with(own));
            match (is_inside, is_tool || !all) {
                (true, _) | (false, false) => self.add(path)?,
                (false, true) => around.iter().try_for_each(|own| self.add(own))?,
            }
        }
        let program = command.program().map(|path| settled(&path));
        let is_named = |path: &&PathBuf| named.contains(path) || program.as_ref() == Some(path);
        if self.is_build {
            self.files.iter_mut().for_each(|(path, counts)| *counts = is_named(&path));
        }
        Ok(())
    }

    fn add(&mut self, path: &Path) -> io::Result<()> {
        let Ok(facts) = fs::symlink_metadata(path) else { return Ok(()) };
        let name = path.file_name().unwrap_or_default();
        let too_many = || io::Error::other(format!("it may read more than {NAMES_MAX} files"));
        self.names_left = self.names_left.checked_sub(1).ok_or_else(too_many)?;
        if is_of_tools(name) || self.write.iter().any(|write| write == path) {
            return Ok(());
        }
        if facts.is_symlink() {
            self.links.insert(path.to_owned(), fs::read_link(path)?);
        } else if facts.is_dir() && !is_marked(path) {
            let is_beside =
                self.folder.as_deref().is_some_and(|folder| path != folder && path.starts_with(folder));
            if self.is_build && is_beside {
                self.built.insert(path.to_owned());
                return Ok(());
            }
            if self.folders.insert(path.to_owned()) {
                let entries = fs::read_dir(path).into_iter().flatten().flatten();
                return entries.map(|entry| entry.path()).try_for_each(|path| self.add(&path));
            }
        } else if facts.is_file() && !self.files.contains_key(path) && !is_league(path, facts.len()) {
            self.files.insert(path.to_owned(), counts(path));
        }
        Ok(())
    }

    /// Returns true if the file belongs to the bot. Otherwise it is of a tool, or a log that somebody writes.
    pub(super) fn is_known(&self, path: &Path) -> bool {
        let is_left_out =
            path.file_name().is_some_and(is_of_tools) || self.write.iter().any(|write| write == path);
        is_left_out
            || self.files.contains_key(path)
            || self.links.contains_key(path)
            || self.folders.contains(path)
            || self.built.contains(path)
            || !counts(path)
            || is_marked(path)
            || is_log(path)
            || fs::metadata(path).is_ok_and(|facts| is_league(path, facts.len()))
    }

    /// Leaves out files that somebody writes: logs. `is_named` is true for files that the command names.
    pub(super) fn without_logs(mut self, is_named: impl Fn(&Path) -> bool) -> BotFiles {
        self.files.retain(|path, _| is_named(path) || !is_log(path));
        self
    }

    /// Returns the files that make the bot what it is.
    pub(super) fn counted(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().filter(|(_, counts)| **counts).map(|(path, _)| path)
    }

    /// Returns the contents of the bot. `sha256` has the digests of the files.
    pub(super) fn contents(&self, sha256: impl Fn(&PathBuf) -> Option<String>) -> Contents {
        let files = self.counted().filter_map(|path| Some((self.name(path), sha256(path)?)));
        let links = self.links.iter().map(|(path, to)| (self.name(path), link_text(to)));
        files.chain(links).collect()
    }

    /// Returns the path in the bot's folder, or else the whole one.
    pub(super) fn name(&self, path: &Path) -> String {
        let inside = self.folder.as_deref().and_then(|folder| path.strip_prefix(folder).ok());
        text::path(inside.unwrap_or(path))
    }
}

/// Returns what stands for the contents of a link.
pub(super) fn link_text(target: &Path) -> String {
    format!("-> {}", text::path(target))
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

/// Returns true for names of version control and of editors.
fn is_of_tools(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    let is_of_editor = bytes.ends_with(b"~") || bytes.starts_with(b".#") || bytes.ends_with(b".swp");
    is_of_editor || OF_TOOLS.split(' ').any(|tool| name == tool)
}

/// Returns true for a league file. It may change while its bots stay as they are.
fn is_league(path: &Path, bytes: u64) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
        && bytes <= LEAGUE_BYTES_MAX
        && open_unseen(path).and_then(io::read_to_string).is_ok_and(|text| text.contains("[[bot]]"))
}

/// Returns true if somebody writes the file.
fn is_log(path: &Path) -> bool {
    path.is_file() && open_unseen(path).is_ok_and(|file| is_being_written(&file))
}

/// Returns false for a compiled module of Python that Python checks against its source before use, or ignores: what it
/// does follows from the source.
fn counts(path: &Path) -> bool {
    if path.parent().and_then(Path::file_name).is_none_or(|folder| folder != CACHE) {
        return path.file_name().is_none_or(|name| name != CACHE);
    }
    if path.extension().is_none_or(|ending| ending != COMPILED) {
        return false;
    }
    let mut header = [0; HEADER_BYTES];
    let read = open_unseen(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header[4] & (HASHED | CHECKED) == HASHED
}

/// Describes the first difference of a bot's files from the earlier ones, if there is one.
pub fn difference(earlier: &Contents, now: &Contents) -> Option<String> {
    let changed = earlier.iter().find_map(|(path, sha256)| match now.get(path) {
        Some(there) if there == sha256 => None,
        Some(_) => Some(format!("its file {path} has changed")),
        None => Some(format!("its file {path} is gone")),
    });
    let is_new = |path: &&String| !earlier.contains_key(*path);
    changed.or_else(|| Some(format!("its file {} is new", now.keys().find(is_new)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiled_module_counts_where_python_does_not_check_it() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let cache = folder.path().join(CACHE);
        fs::create_dir(&cache).expect("a folder");
        let compiled = |folder: &Path, flags: u8| {
            let path = folder.join(format!("m{flags}.pyc"));
            fs::write(&path, [0xa7, 0x0d, 0x0d, 0x0a, flags, 0, 0, 0]).expect("a file");
            counts(&path)
        };
        // By time, unchecked hash, no hash, checked hash.
        assert_eq!([0, 1, 2, 3].map(|flags| compiled(&cache, flags)), [false, true, false, false]);
        assert!(compiled(folder.path(), 0), "Python loads it without a source");
    }

    #[test]
    fn what_changed_came_or_went_is_named() {
        let files = |list: &[(&str, &str)]| -> Contents {
            list.iter().map(|(path, sha256)| ((*path).to_owned(), (*sha256).to_owned())).collect()
        };
        let earlier = files(&[("a", "1"), ("b", "2")]);
        assert_eq!(difference(&earlier, &earlier), None);
        for (now, what) in [
            (files(&[("a", "1"), ("b", "3")]), "its file b has changed"),
            (files(&[("b", "2")]), "its file a is gone"),
            (files(&[("a", "1"), ("b", "2"), ("c", "3")]), "its file c is new"),
        ] {
            assert_eq!(difference(&earlier, &now).as_deref(), Some(what));
        }
    }
}
