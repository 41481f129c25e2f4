//! Finds the files that a program needs around it, and the interpreter that its first line names.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::command::first_line::FirstLine;
use crate::command::search;
use crate::confine::files::is_of_the_system;
use crate::confine::paths::found::Found;
use crate::confine::paths::private::{is_home, place, settled};

/// The most interpreters in a chain of them. The kernel follows as many.
const INTERPRETERS_MAX: usize = 4;
/// Names of folders that hold programs. The folders next to them hold other files of the programs.
const PROGRAM_FOLDERS: [&str; 4] = ["bin", "sbin", "shims", "libexec"];
/// The entries that an interpreter gets from a folder right below a home. Such a folder may hold anything.
const PARTS: &str = "bin sbin shims lib lib64 libexec versions version plugins pyenv.d pyvenv.cfg";
/// The depth to which the folders of an installation are searched for results. Installations may be large.
const INSTALLED_DEPTH_MAX: usize = 3;
/// Folders in which administrators install interpreters.
const INSTALLED: [&str; 2] = ["/home/linuxbrew/.linuxbrew", "/opt"];
/// Folders of a home in which version managers install interpreters, separated by blanks.
const INSTALLED_AT_HOME: &str = ".asdf .bun .cargo/bin .deno .dotnet .elan .fnm .ghcup .goenv .jenv .juliaup \
    .local/share/fnm .local/share/mise .local/share/swiftly .local/share/uv/python .nodenv .nvm .opam .phpenv \
    .pyenv .rbenv .rustup/toolchains .rvm .sdkman/candidates .volta anaconda3 mambaforge miniconda3 miniforge3";

/// Returns true if the canonical path lies in a folder of installed interpreters, of the machine or of such a home.
fn is_installed(path: &Path, is_home: impl Fn(&Path) -> bool) -> bool {
    let at_home = |folder| path.ancestors().any(|home| path.starts_with(home.join(folder)) && is_home(home));
    INSTALLED.iter().any(|folder| path.starts_with(folder)) || INSTALLED_AT_HOME.split(' ').any(at_home)
}

fn is_own_home(folder: &Path) -> bool {
    std::env::var_os("HOME").is_some_and(|home| settled(Path::new(&home)) == folder)
}

impl Found<'_> {
    /// Adds the program that the host has chosen, with the files around it. Also adds the target of a link that was
    /// found on the search path. A link that the command names by its path may come from the bot; see
    /// [`add_link`](Self::add_link).
    pub(super) fn add_program(&mut self, path: &Path, command: &Command) {
        let real = settled(path);
        self.add_surroundings(path);
        if place(path) == real || !search::is_path(OsStr::new(&command.argv[0])) {
            self.add_surroundings(&real);
            self.add(&real);
        }
    }

    /// Adds the interpreters that the first lines of the program and of its interpreters name, if they are installed.
    /// The bot has written the first of these lines, and could name any file that it wants to read.
    pub(super) fn add_interpreters(&mut self, program: &Path, command: &Command) {
        for interpreter in interpreters(program, command) {
            self.add_installed(&interpreter, is_own_home);
        }
    }

    /// Adds the target if the path is a link that leads out of the bot's files. The bot may have made the link. A
    /// sandbox that `is_strict` refuses it.
    pub(super) fn add_link(&mut self, link: &Path, is_strict: bool) {
        let real = settled(link);
        if place(link) == real || is_of_the_system(&real) || self.is_shown(&real) {
            return;
        }
        if is_strict {
            self.shown.refused.get_or_insert_with(|| link.to_owned());
        } else if real.is_dir() {
            self.add_folder(&real);
        } else if !self.add_installed(link, is_home) {
            self.add(&real);
        }
    }

    /// Adds an executable with the files around it, if it is installed and not hidden from the bot. Returns true if so.
    fn add_installed(&mut self, path: &Path, is_home: fn(&Path) -> bool) -> bool {
        let real = settled(path);
        let is_open = search::is_executable(&real) && !self.is_shared(&real);
        let installed = [place(path), real].into_iter().filter(|path| is_open && is_installed(path, is_home));
        let installed: Vec<PathBuf> = installed.collect();
        for path in &installed {
            self.add_surroundings(path);
            self.add(path);
        }
        !installed.is_empty()
    }

    fn add_surroundings(&mut self, program: &Path) {
        let Some(folder) = program.parent() else { return };
        let name = folder.file_name().and_then(OsStr::to_str).unwrap_or_default();
        match folder.parent().filter(|_| PROGRAM_FOLDERS.contains(&name)) {
            Some(prefix) => self.add_installation(&settled(prefix)),
            None => self.add_folder(folder),
        }
    }

    fn add_installation(&mut self, prefix: &Path) {
        let is_private = prefix.parent().is_some_and(is_home);
        if !is_private && self.add_whole(prefix, INSTALLED_DEPTH_MAX) {
            return;
        }
        for part in PARTS.split(' ').map(|part| settled(&prefix.join(part))) {
            // A link may come from the bot and lead to any folder that the bot wants to read.
            if part.starts_with(prefix) && !self.is_shared(&part) {
                self.add(&part);
            }
        }
        if !is_private {
            self.add_entries(prefix);
        }
    }
}

/// Returns the interpreters of a program: the one that its first line names, the one that the interpreter's first line
/// names, and so on. For the system's `env` this is the program that the line names next, found on the bot's search
/// path.
pub(super) fn interpreters(program: &Path, command: &Command) -> Vec<PathBuf> {
    let next = |file: &PathBuf| {
        let (line, start) = (FirstLine::of(file)?, command.start_folder()?);
        let named = start.join(line.interpreter());
        if named.file_name()? != "env" || !is_of_the_system(&settled(&named)) {
            return Some(named);
        }
        let mut words = line.argument().split(u8::is_ascii_whitespace).map(OsStr::from_bytes);
        let is_name = |word: &&OsStr| !word.is_empty() && !is_option(word);
        Some(start.join(command.find(words.find(is_name)?)?))
    };
    std::iter::successors(next(&program.to_owned()), next).take(INTERPRETERS_MAX).collect()
}

/// Returns true for words that `env` reads as options and variables.
fn is_option(word: &OsStr) -> bool {
    word.as_bytes().starts_with(b"-") || word.as_bytes().contains(&b'=')
}
