//! What a program needs around it, and the interpreter that its first line names.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::command::search;
use crate::contain::paths::claims::place;
use crate::contain::paths::found::Found;
use crate::contain::paths::lookup::find;
use crate::contain::paths::private::{is_home, is_in_a_home, settled};

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

/// Who has chosen a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Chosen {
    /// The host, by a name that is looked for on the search path.
    Searched,
    /// The host, by a path that may be a link of the bot's to another program.
    Named,
    /// The bot, by the first line of its file or by a link: it could name a program in any folder that it wants to read.
    ByBot,
}

impl Chosen {
    /// How it is chosen if it is named like this by the host.
    pub(super) fn by_host(name: &OsStr) -> Chosen {
        if search::is_path(name) { Chosen::Named } else { Chosen::Searched }
    }

    /// Whether a folder is handed out because the program stands in it.
    fn is_trusted(self, folder: &Path) -> bool {
        self != Chosen::ByBot || !is_in_a_home(folder)
    }
}

impl Found<'_> {
    /// A program with what stands around it, under the name by which it is started and where it really
    /// lies; then its interpreter.
    pub(super) fn add_program(&mut self, path: &Path, chosen: Chosen, command: &Command, depth: usize) {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.add_surroundings(path, chosen);
        let is_link = chosen == Chosen::Named && place(path) != real;
        self.add_surroundings(&real, if is_link { Chosen::ByBot } else { chosen });
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
            // One that is a link may be the bot's, to any folder that it wants to read.
            if part.starts_with(prefix) && !self.is_shared(&part) {
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
    let name = OsStr::new(name);
    let chosen = if search::is_path(name) { Chosen::ByBot } else { Chosen::Searched };
    Some((find(name, command)?, chosen))
}
