//! All that a bot may read beside the system's files: what a commitment binds.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use sandbox::Command;
use sandbox::confine::paths::{RESULTS_MARK, Reason, readable, settled};
use sandbox::text;

use crate::bots::digests::{Digests, open_unseen};
use crate::bots::entrants::Entrant;
use crate::bots::watched::{bot_folder, is_league};
use crate::error::Error;

/// Folders of version control and of editors, separated by blanks.
const OF_TOOLS: &str = ".git .hg .svn .jj .idea .vscode .DS_Store";
/// The folder in which Python keeps compiled modules, and its header: a magic number and flags.
const CACHE: &str = "__pycache__";
const HEADER_BYTES: usize = 8;
/// The flags of a compiled module that belongs to the hash of its source, and of one that Python checks against it.
const HASHED: u8 = 1;
const CHECKED: u8 = 2;

/// The SHA-256 of each file of a bot, by its path: in the bot's folder, or else the whole one.
pub type Contents = BTreeMap<String, String>;

/// Returns the files that a bot may read, without those of the system, of its interpreter, of tools, and of the arena, and
/// without folders that the bot may write. A link counts with its target. `is_strict` tells which sandbox the bot is in.
///
/// # Errors
/// The sandbox refuses the command, or the machine cannot start a thread.
pub async fn contents(entrant: &Entrant, is_strict: bool) -> Result<Contents, Error> {
    let command = &entrant.command;
    if command.has_no_paths {
        return Ok(Contents::new());
    }
    let shown = readable(command, is_strict).map_err(|error| Error::usage(error.to_string()))?;
    let folder = bot_folder(command).unwrap_or_default();
    let is_own = |path: &Path| path.starts_with(&folder) || folder.starts_with(path);
    let of_interpreter = |reason| matches!(reason, Reason::Program | Reason::Arena);
    let mut found = Search { command, files: BTreeSet::new(), links: BTreeMap::new() };
    for readable in shown.iter().filter(|it| !of_interpreter(it.reason) || is_own(&it.path)) {
        // An interpreter may lie around the bot's folder.
        found.add(if of_interpreter(readable.reason) && folder.starts_with(&readable.path) {
            &folder
        } else {
            &readable.path
        });
    }
    let Search { files, links, .. } = found;
    let digests = Digests::of(files.clone()).await?;
    let read = files.into_iter().filter_map(|path| Some((path.clone(), digests.file(path)?.sha256)));
    let name = |path: &Path| text::path(path.strip_prefix(&folder).unwrap_or(path));
    Ok(read.chain(links).map(|(path, sha256)| (name(&path), sha256)).collect())
}

struct Search<'a> {
    command: &'a Command,
    files: BTreeSet<PathBuf>,
    /// Links, each with the text that stands for its contents.
    links: BTreeMap<PathBuf, String>,
}

impl Search<'_> {
    fn add(&mut self, path: &Path) {
        let Ok(facts) = fs::symlink_metadata(path) else { return };
        let name = path.file_name().unwrap_or_default();
        if is_of_tools(name) || self.command.rights.write.iter().any(|write| settled(write) == path) {
            return;
        }
        if facts.is_symlink() {
            let target = fs::read_link(path).unwrap_or_default();
            self.links.insert(path.to_owned(), format!("-> {}", text::path(&target)));
        } else if facts.is_dir() && !path.join(RESULTS_MARK).exists() {
            fs::read_dir(path).into_iter().flatten().flatten().for_each(|entry| self.add(&entry.path()));
        } else if facts.is_file() && !is_league(path, facts.len()) && counts(path) {
            self.files.insert(path.to_owned());
        }
    }
}

fn is_of_tools(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    let is_of_editor = bytes.ends_with(b"~") || bytes.starts_with(b".#") || bytes.ends_with(b".swp");
    is_of_editor || OF_TOOLS.split(' ').any(|tool| name == tool)
}

/// Returns false for a compiled module of Python that Python checks against its source before use, or ignores: what it
/// does follows from the source.
pub fn counts(path: &Path) -> bool {
    if path.parent().and_then(Path::file_name).is_none_or(|folder| folder != CACHE) {
        return true;
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
