//! What a bot must be able to read: its own program and folder, and its interpreter with what belongs to
//! it. Worked out by the arena from the command, so that nobody has to list it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::files::is_of_the_system;
use crate::bot::command::Command;
use crate::bot::search;

/// How often an interpreter may have one itself: what the kernel follows.
const INTERPRETERS_MAX: usize = 4;
/// How much of a file is read to find its interpreter, in bytes: what the kernel reads.
const HEAD_BYTES_MAX: u64 = 256;
/// Folders in which programs stand beside folders with what they need.
const PROGRAM_FOLDERS: [&str; 4] = ["bin", "sbin", "shims", "libexec"];
/// Of a folder right below one's home, which may hold anything, an interpreter gets these.
const PARTS: [&str; 10] =
    ["bin", "sbin", "shims", "lib", "lib64", "libexec", "versions", "version", "plugins", "pyenv.d"];

/// The files that the command names: the program, unless it is the system's, and arguments.
pub(crate) fn own_files(command: &Command) -> Vec<PathBuf> {
    let base = command.dir.clone().unwrap_or_default();
    let arguments = command.argv[1..].iter().map(|argument| base.join(argument));
    let all = program(command).into_iter().chain(arguments.filter(|path| path.is_file()));
    all.filter_map(|path| path.canonicalize().ok()).filter(|path| !is_of_the_system(path)).collect()
}

/// Everything that the bot may read beside the system's files. A folder that holds something of `command.hidden`, or
/// a home, is not handed out: then only the file itself is.
pub(crate) fn readable(command: &Command) -> Vec<PathBuf> {
    let mut found = Found { hidden: &command.hidden, homes: homes(), paths: Vec::new() };
    let own = std::env::current_exe().ok();
    let base = command.dir.clone().unwrap_or_default();
    if let Some(program) = program(command).filter(|program| own.as_ref() != Some(program)) {
        found.add_program(&program, command, 0);
    }
    // Scripts around bundled bots execute it, and it is no secret; what lies beside it may be.
    own.into_iter().for_each(|own| found.add(own));
    for path in command.argv[1..].iter().map(|argument| base.join(argument)) {
        found.add_argument(&path);
        if let Ok(path) = path.canonicalize() {
            found.add_argument(&path);
        }
    }
    if let Some(dir) = &command.dir {
        found.add_folder(dir);
    }
    found.paths.extend(command.rights.read.iter().cloned());
    found.paths
}

/// The folder in which the bot starts, whose names it may list where that is no home: some runtimes end without.
pub(crate) fn listable(command: &Command) -> Option<PathBuf> {
    let folder = command.dir.clone().or_else(|| std::env::current_dir().ok())?;
    (!homes().iter().any(|home| home.starts_with(&folder))).then_some(folder)
}

/// Where people and programs keep what is theirs.
fn homes() -> Vec<PathBuf> {
    let fixed = ["/root", "/home", "/tmp"].map(PathBuf::from);
    let own = [std::env::var_os("HOME").map(PathBuf::from), Some(std::env::temp_dir())];
    fixed.into_iter().chain(own.into_iter().flatten()).collect()
}

/// The file that is executed.
fn program(command: &Command) -> Option<PathBuf> {
    find(OsStr::new(&command.argv[0]), command)
}

fn find(name: &OsStr, command: &Command) -> Option<PathBuf> {
    let own = command.env.iter().rev().find(|(key, _)| key == "PATH").map(|(_, value)| value.into());
    let search_path: Option<OsString> = own.or_else(|| std::env::var_os("PATH"));
    let all = search::candidates(name, search_path.as_deref());
    all.into_iter().find(|path| search::is_executable(path))
}

struct Found<'a> {
    hidden: &'a [PathBuf],
    homes: Vec<PathBuf>,
    paths: Vec<PathBuf>,
}

impl Found<'_> {
    fn add(&mut self, path: PathBuf) {
        if !is_of_the_system(&path) && !self.paths.contains(&path) {
            self.paths.push(path);
        }
    }

    /// Whether the folder holds what is not this bot's.
    fn is_shared(&self, folder: &Path) -> bool {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        self.hidden.iter().chain(&self.homes).any(|path| path.starts_with(&folder))
    }

    fn add_folder(&mut self, folder: &Path) -> bool {
        let is_own = !self.is_shared(folder);
        if is_own {
            self.add(folder.to_owned());
        }
        is_own
    }

    /// A file with its folder, or a folder.
    fn add_argument(&mut self, path: &Path) {
        let folder = path.parent().filter(|_| path.is_file());
        let folder = folder.map(|folder| if folder == Path::new("") { Path::new(".") } else { folder });
        match folder {
            Some(folder) if self.add_folder(folder) => {}
            Some(_) => self.add(path.to_owned()),
            None if path.is_dir() => drop(self.add_folder(path)),
            None => {}
        }
    }

    /// A program with what stands around it, under the name by which it is started and where it really
    /// lies; then its interpreter.
    fn add_program(&mut self, path: &Path, command: &Command, depth: usize) {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.add_surroundings(path);
        self.add_surroundings(&real);
        if depth < INTERPRETERS_MAX
            && let Some(interpreter) = interpreter(&real, command)
        {
            self.add_program(&interpreter, command, depth + 1);
        }
    }

    fn add_surroundings(&mut self, program: &Path) {
        self.add(program.to_owned());
        let Some(folder) = program.parent() else { return };
        let name = folder.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let Some(prefix) = folder.parent().filter(|_| PROGRAM_FOLDERS.contains(&name)) else {
            self.add_folder(folder);
            return;
        };
        let is_in_a_home = prefix.parent().is_some_and(|above| self.homes.iter().any(|home| home == above));
        if is_in_a_home || !self.add_folder(prefix) {
            for part in PARTS {
                self.add_folder(&prefix.join(part));
            }
        }
    }
}

/// The program in a file's first line, if that begins with `#!`; the one behind it for `env`.
fn interpreter(file: &Path, command: &Command) -> Option<PathBuf> {
    let mut head = Vec::new();
    File::open(file).ok()?.take(HEAD_BYTES_MAX).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    let program = Path::new(words.next()?);
    match program.file_name()?.to_str()? {
        "env" => {
            let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
            find(OsStr::new(name), command)
        }
        _ => Some(program.to_owned()),
    }
}
