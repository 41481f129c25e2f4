//! What a bot must be able to read: its own program and folder, and its interpreter with what belongs to
//! it. Worked out by the arena from the command, so that nobody has to list it.

mod claims;
mod private;

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

pub(crate) use super::files::is_of_the_system;
use crate::bot::command::Command;
use crate::bot::search;
use crate::plan::TOURNAMENT;
pub(crate) use claims::Claims;
pub use claims::Hidden;
use claims::{arguments, place};
pub(crate) use private::settled;
use private::{holds_home, holds_results, is_home, is_in_a_home};

/// How often an interpreter may have one itself: what the kernel follows.
const INTERPRETERS_MAX: usize = 4;
/// How much of a file is read to find its interpreter, in bytes: what the kernel reads.
const HEAD_BYTES_MAX: u64 = 256;
/// Folders in which programs stand beside folders with what they need.
const PROGRAM_FOLDERS: [&str; 4] = ["bin", "sbin", "shims", "libexec"];
/// Of a folder right below one's home, which may hold anything, an interpreter gets these.
const PARTS: [&str; 11] = [
    "bin",
    "sbin",
    "shims",
    "lib",
    "lib64",
    "libexec",
    "versions",
    "version",
    "plugins",
    "pyenv.d",
    "pyvenv.cfg",
];
/// How many folders down results are looked for beside the folder of a program, where large installations stand.
const INSTALLED_DEPTH_MAX: usize = 3;
/// Of a folder that a bot cannot have as a whole, it gets the entries, if there are no more than this.
const ENTRIES_MAX: usize = 256;

/// How many commands are remembered with what is shown to their bots.
const KNOWN_MAX: usize = 4_096;

/// What a bot is shown beside the system's files; canonical paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Files and folders that it may read.
    pub(crate) read: Vec<PathBuf>,
    /// Folders whose names it may list, and those below.
    pub(crate) list: Vec<PathBuf>,
}

/// What it takes to know what a bot is shown.
#[derive(Eq)]
struct Asked {
    argv: Vec<String>,
    dir: Option<PathBuf>,
    search_path: Option<OsString>,
    read: Vec<PathBuf>,
    hidden: Arc<Hidden>,
}

/// Bots that are told apart anew are looked at anew: there may be results by then that were not there before.
impl PartialEq for Asked {
    fn eq(&self, other: &Asked) -> bool {
        Arc::ptr_eq(&self.hidden, &other.hidden)
            && self.argv == other.argv
            && self.dir == other.dir
            && self.search_path == other.search_path
            && self.read == other.read
    }
}

impl Hash for Asked {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.argv.hash(state);
    }
}

/// Everything that the bot is shown. Worked out once for each command: folders are looked through for it.
pub(crate) fn shown(command: &Command) -> Arc<Shown> {
    static KNOWN: LazyLock<Mutex<HashMap<Asked, Arc<Shown>>>> = LazyLock::new(Mutex::default);
    let asked = Asked {
        argv: command.argv.clone(),
        dir: command.dir.clone(),
        search_path: search_path(command),
        read: command.rights.read.clone(),
        hidden: Arc::clone(&command.hidden),
    };
    let known = || KNOWN.lock().expect("nobody panics while holding the lock");
    if let Some(shown) = known().get(&asked) {
        return Arc::clone(shown);
    }
    let shown = Arc::new(find_all(command));
    let mut known = known();
    if known.len() >= KNOWN_MAX {
        known.clear();
    }
    known.insert(asked, Arc::clone(&shown));
    shown
}

/// A folder that holds something hidden, or a home, is not handed out as a whole; see [`Found::add_folder`].
fn find_all(command: &Command) -> Shown {
    let mut found = Found { hidden: &command.hidden, shown: Shown::default() };
    let own = std::env::current_exe().ok();
    if let Some(program) = program(command).filter(|program| own.as_ref() != Some(program)) {
        found.add_program(&program, Chosen::ByHost, command, 0);
    }
    // Scripts around bundled bots execute it, and it is no secret; what lies beside it may be.
    own.into_iter().for_each(|own| found.add(&own));
    for path in arguments(command) {
        let (place, real) = (place(&path), settled(&path));
        found.add_argument(&place);
        if real != place {
            found.add_argument(&real);
        }
    }
    if let Some(dir) = &command.dir {
        found.add_folder(dir);
    }
    command.rights.read.iter().for_each(|path| found.add_read(path));
    found.shown.list.extend(listable(command));
    found.shown
}

/// The folder in which the bot starts, whose names it may list where that is no home: some runtimes end without.
fn listable(command: &Command) -> Option<PathBuf> {
    let folder = command.dir.clone().or_else(|| std::env::current_dir().ok())?;
    Some(settled(&folder)).filter(|folder| !holds_home(folder))
}

/// The file that is executed.
fn program(command: &Command) -> Option<PathBuf> {
    find(OsStr::new(&command.argv[0]), command)
}

fn search_path(command: &Command) -> Option<OsString> {
    let own = command.env.iter().rev().find(|(key, _)| key == "PATH").map(|(_, value)| value.into());
    own.or_else(|| std::env::var_os("PATH"))
}

fn find(name: &OsStr, command: &Command) -> Option<PathBuf> {
    let all = search::candidates(name, search_path(command).as_deref());
    all.into_iter().find(|path| search::is_executable(path))
}

/// Who has chosen a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chosen {
    /// Who wrote the command and set the search path.
    ByHost,
    /// The bot, by the first line of its file: it could name a program in any folder that it wants to read.
    ByBot,
}

impl Chosen {
    /// Whether a folder is handed out because the program stands in it.
    fn is_trusted(self, folder: &Path) -> bool {
        self == Chosen::ByHost || !is_in_a_home(folder)
    }
}

struct Found<'a> {
    hidden: &'a Hidden,
    shown: Shown,
}

impl Found<'_> {
    /// A file or folder that is there.
    fn add(&mut self, path: &Path) {
        let Ok(path) = path.canonicalize() else { return };
        let is_there = self.shown.read.iter().any(|known| path.starts_with(known));
        if !is_of_the_system(&path) && !is_there {
            self.shown.read.push(path);
        }
    }

    /// Whether the canonical path holds, or is, what is not this bot's.
    fn is_shared(&self, path: &Path) -> bool {
        holds_home(path) || self.hidden.all().any(|hidden| hidden.starts_with(path))
    }

    /// All of a folder, if nothing in it is hidden and no results lie in it so deep.
    fn add_whole(&mut self, folder: &Path, depth_max: usize) -> bool {
        let Ok(folder) = folder.canonicalize() else { return false };
        let is_own = is_of_the_system(&folder)
            || self.shown.read.iter().any(|known| folder.starts_with(known))
            || !(self.is_shared(&folder) || holds_results(&folder, depth_max));
        if is_own {
            self.add(&folder);
        }
        is_own
    }

    /// A folder of the bot's: all of it, or what of it is not hidden.
    fn add_folder(&mut self, folder: &Path) {
        if !self.add_whole(folder, usize::MAX) {
            self.add_entries(folder);
        }
    }

    /// Files and folders in this one that hold nothing hidden: Landlock knows no exceptions below what it allows. None
    /// where nobody can say whose they are: beside a program of another bot, in a home, among results.
    fn add_entries(&mut self, folder: &Path) {
        let Ok(folder) = folder.canonicalize() else { return };
        let is_beside = |other: &PathBuf| {
            *other == folder || (other.parent() == Some(folder.as_path()) && !other.is_dir())
        };
        let is_results = folder.join(TOURNAMENT).exists() || self.hidden.results.contains(&folder);
        if holds_home(&folder) || is_results || self.hidden.others.iter().any(is_beside) {
            return;
        }
        let Ok(entries) = fs::read_dir(&folder) else { return };
        let entries: Vec<_> = entries.flatten().take(ENTRIES_MAX + 1).collect();
        if entries.len() > ENTRIES_MAX {
            return;
        }
        if !self.hidden.of_bots().any(|hidden| hidden.starts_with(&folder)) {
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
    fn add_read(&mut self, path: &Path) {
        let real = settled(path);
        let is_shared = self.hidden.all().any(|hidden| hidden.starts_with(&real));
        if real.is_dir() && is_shared { self.add_entries(&real) } else { self.add(&real) }
    }

    /// A file with its folder, or a folder.
    fn add_argument(&mut self, path: &Path) {
        if path.is_dir() {
            return self.add_folder(path);
        }
        if let Some(folder) = path.parent() {
            self.add_folder(folder);
        }
        self.add(path);
    }

    /// A program with what stands around it, under the name by which it is started and where it really
    /// lies; then its interpreter.
    fn add_program(&mut self, path: &Path, chosen: Chosen, command: &Command, depth: usize) {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.add_surroundings(path, chosen);
        self.add_surroundings(&real, chosen);
        if depth < INTERPRETERS_MAX
            && let Some((interpreter, chosen)) = interpreter(&real, command)
        {
            self.add_program(&interpreter, chosen, command, depth + 1);
        }
    }

    fn add_surroundings(&mut self, program: &Path, chosen: Chosen) {
        let Some(folder) = program.parent() else { return };
        let name = folder.file_name().and_then(OsStr::to_str).unwrap_or_default();
        match folder.parent().filter(|_| PROGRAM_FOLDERS.contains(&name)) {
            Some(prefix) => self.add_installation(&settled(prefix), chosen),
            None if chosen.is_trusted(&settled(folder)) => self.add_folder(folder),
            None => {}
        }
        self.add(program);
    }

    fn add_installation(&mut self, prefix: &Path, chosen: Chosen) {
        let is_private = prefix.parent().is_some_and(is_home) || !chosen.is_trusted(prefix);
        if !is_private && self.add_whole(prefix, INSTALLED_DEPTH_MAX) {
            return;
        }
        for part in PARTS.map(|part| settled(&prefix.join(part))) {
            if !self.is_shared(&part) {
                self.add(&part);
            }
        }
        if !is_private {
            self.add_entries(prefix);
        }
    }
}

/// The program in a file's first line, if that begins with `#!`; the one behind it for `env`, which is looked for
/// where the host says.
fn interpreter(file: &Path, command: &Command) -> Option<(PathBuf, Chosen)> {
    let mut head = Vec::new();
    File::open(file).ok()?.take(HEAD_BYTES_MAX).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    let program = Path::new(words.next()?);
    if program.file_name()? != "env" {
        return Some((program.to_owned(), Chosen::ByBot));
    }
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    let chosen = if search::is_path(OsStr::new(name)) { Chosen::ByBot } else { Chosen::ByHost };
    Some((find(OsStr::new(name), command)?, chosen))
}
