//! Decides which files belong to which bot. A bot owns the paths that its command and its rights name. They are hidden
//! from all bots that do not name them too.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::Hidden;
use crate::command::first_line::FirstLine;
use crate::command::{Command, search};
use crate::confine::files::is_of_the_system;
use crate::confine::paths::private::{holds_home, holds_private, is_marked, place, settled};

/// The characters that separate paths from each other and from the word before them, as in `-cp a:b` and `--flag=path`.
const SEPARATORS: [char; 4] = [':', ',', '=', ';'];
/// The ending that stands for all files of a folder, as in `java -cp 'lib/*'`.
const ALL_FILES: &str = "/*";
/// The folder in which owners of a machine put their own programs.
const LOCAL: &str = "/usr/local";
/// Shells, and the characters between words in their language.
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "ksh", "zsh"];
const BETWEEN_WORDS: [char; 12] = [' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')', '\'', '"'];
/// The option of Python before a module's name.
const MODULE: &str = "-m";
/// The most interpreters in a chain of them. The kernel follows as many.
const INTERPRETERS_MAX: usize = 4;

/// The canonical paths that one bot's entry names.
#[derive(Debug)]
pub struct Claims {
    /// The program and the arguments, without files of the system.
    words: Vec<PathBuf>,
    dir: Option<PathBuf>,
    read: Vec<PathBuf>,
}

impl Claims {
    /// Returns the claims of the command: the folders and files that are its own.
    pub fn of(command: &Command) -> Claims {
        let words = command.program().into_iter().chain(arguments(command)).chain(programs_of_text(command));
        let words = words.flat_map(|path| [place(&path), settled(&path)]);
        let mut words: Vec<PathBuf> = words.filter(|path| !is_of_the_system(path)).collect();
        words.sort_unstable();
        words.dedup();
        let dir = command.dir.as_deref().map(settled);
        let read = command.rights.read.iter().chain(&command.rights.write);
        let read = read.map(|path| settled(path)).collect();
        Claims { words, dir, read }
    }

    /// Returns the paths of the other bots and the results that are hidden from this bot. Two bots share the paths that
    /// both of them name, and the folder in which both of them start.
    pub fn hidden<'a>(&self, others: impl Iterator<Item = &'a Claims>, results: &[PathBuf]) -> Hidden {
        let mut hidden = Hidden { results: results.to_owned(), ..Hidden::default() };
        for other in others {
            let words = other.words.iter().filter(|path| !self.names(path));
            let dir = other.dir.iter().filter(|dir| !self.names(dir) && self.dir.as_ref() != Some(*dir));
            hidden.others.extend(words.chain(dir).cloned());
            hidden.reads.extend(other.read.iter().filter(|path| !self.may_read(path)).cloned());
        }
        hidden
    }

    /// Returns a path of the bot for which this is true.
    pub(crate) fn find(&self, is_it: fn(&Path) -> bool) -> Option<&Path> {
        let all = self.words.iter().chain(&self.dir).chain(&self.read);
        all.map(PathBuf::as_path).find(|path| is_it(path))
    }

    /// Returns the files and folders that the command's arguments name, under the names given there.
    pub fn named(command: &Command) -> Vec<PathBuf> {
        arguments(command)
    }

    /// Returns the files below `/usr/local` among the command's arguments: every contained program can read them. The
    /// program itself may be an interpreter that belongs there.
    pub fn exposed(command: &Command) -> Vec<PathBuf> {
        let words = arguments(command).into_iter().map(|path| settled(&path));
        words.filter(|path| path.starts_with(LOCAL) && path.is_file()).collect()
    }

    /// Describes the files in this canonical folder that no bot may claim: a home, or results.
    pub fn unclaimed(folder: &Path) -> Option<&'static str> {
        let is_of_results = folder.ancestors().any(is_marked);
        let has_results = || is_of_results || holds_private(folder, usize::MAX, |_| false);
        if holds_home(folder) {
            Some("a home")
        } else {
            has_results().then_some("results, or too many files")
        }
    }

    /// Returns the paths outside of this folder, or hidden in it (`.ssh`), that the command and the first line of its
    /// program name.
    pub fn outside(command: &Command, folder: &Path) -> impl Iterator<Item = PathBuf> {
        let is_inside = move |path: &PathBuf| {
            let rest = path.strip_prefix(folder);
            rest.is_ok_and(|rest| rest.iter().all(|name| !name.as_encoded_bytes().starts_with(b".")))
        };
        let Claims { words, dir, .. } = Claims::of(command);
        let interpreters = command.program().map_or(Vec::new(), |program| interpreters(&program, command));
        let interpreters = interpreters.into_iter().map(|path| settled(&path));
        let interpreters = interpreters.filter(|path| !is_of_the_system(path));
        words.into_iter().chain(dir).chain(interpreters).filter(move |path| !is_inside(path))
    }

    fn names(&self, path: &PathBuf) -> bool {
        self.words.contains(path) || self.read.contains(path)
    }

    fn may_read(&self, path: &PathBuf) -> bool {
        self.words.contains(path) || self.read.iter().any(|own| path.starts_with(own))
    }
}

/// Returns the files and folders that the arguments name, under the names given there.
pub(super) fn arguments(command: &Command) -> Vec<PathBuf> {
    if command.has_no_paths {
        return Vec::new();
    }
    let base = command.dir.clone().unwrap_or_default();
    let named = |word: &str| Some(base.join(word)).filter(|path| !word.is_empty() && path.exists());
    let words = &command.argv[1..];
    let all = words.iter().flat_map(|word| match named(word) {
        Some(path) => vec![path],
        None => word.split(SEPARATORS).filter_map(|part| named(part.trim_end_matches(ALL_FILES))).collect(),
    });
    let modules = words.windows(2).filter(|pair| pair[0] == MODULE);
    let texts = words_of_text(command).into_iter().filter(|path| !search::is_executable(path));
    all.chain(texts).chain(modules.filter_map(|pair| module(&base, &pair[1]))).collect()
}

/// Returns the programs that a text for a shell names.
pub(super) fn programs_of_text(command: &Command) -> Vec<PathBuf> {
    words_of_text(command).into_iter().filter(|path| search::is_executable(path)).collect()
}

/// Returns the files and folders that a text for a shell names. A pattern names the folder in which the shell looks.
fn words_of_text(command: &Command) -> Vec<PathBuf> {
    let (base, shell) = (command.dir.clone().unwrap_or_default(), Path::new(&command.argv[0]).file_name());
    let is_shell =
        !command.has_no_paths && shell.is_some_and(|name| SHELLS.iter().any(|shell| name == *shell));
    let texts = command.argv.windows(2).filter(|pair| is_shell && pair[0] == "-c");
    let words = texts.flat_map(|pair| pair[1].split(BETWEEN_WORDS)).filter(|word| !["", "."].contains(word));
    let named = words.map(|word| match word.find(['*', '?']).map(|pattern| word[..pattern].rfind('/')) {
        None => base.join(word),
        Some(folder) => base.join(folder.map_or(".", |end| &word[..=end])),
    });
    named.filter(|path| path.is_file() || path.is_dir()).collect()
}

/// Returns the folder or file of a Python module. The name of the module contains dots.
fn module(base: &Path, name: &str) -> Option<PathBuf> {
    let path = base.join(name.replace('.', "/"));
    let file = path.with_extension("py");
    if path.is_dir() { Some(path) } else { Some(file).filter(|file| file.is_file()) }
}

/// Returns the interpreters of a program: its first line names one, the first line of that one names the next, and so
/// on. For the system's `env` this is the program that the line names next, found on the bot's search
/// path.
pub(super) fn interpreters(program: &Path, command: &Command) -> Vec<PathBuf> {
    let next = |file: &PathBuf| {
        let (line, start) = (FirstLine::of(file)?, command.start_folder()?);
        let named = start.join(line.interpreter());
        if named.file_name()? != "env" || !is_of_the_system(&settled(&named)) {
            return Some(named);
        }
        let mut words = line.argument().split(u8::is_ascii_whitespace).map(OsStr::from_bytes);
        // `env` reads the others as options and variables.
        let is_name = |word: &&OsStr| {
            let word = word.as_bytes();
            !word.is_empty() && !word.starts_with(b"-") && !word.contains(&b'=')
        };
        Some(start.join(command.find(words.find(is_name)?)?))
    };
    std::iter::successors(next(&program.to_owned()), next).take(INTERPRETERS_MAX).collect()
}
