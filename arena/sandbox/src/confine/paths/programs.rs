//! Finds the files that a program needs around it, and the interpreter that its first line names.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::command::Command;
use crate::command::search;
use crate::confine::paths::claims::place;
use crate::confine::paths::found::Found;
use crate::confine::paths::lookup::find;
use crate::confine::paths::private::{is_home, is_in_a_home, settled};

/// The most interpreters in a chain of them. The kernel follows as many.
const INTERPRETERS_MAX: usize = 4;
/// The bytes of a file that are read to find its interpreter. The kernel reads as many.
const HEAD_BYTES_MAX: u64 = 256;
/// Names of folders that hold programs. The folders next to them hold other files of the programs.
const PROGRAM_FOLDERS: [&str; 4] = ["bin", "sbin", "shims", "libexec"];
/// The entries that an interpreter gets from a folder right below a home. Such a folder may hold anything.
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
/// The depth to which the folders of an installation are searched for results. Installations may be large.
const INSTALLED_DEPTH_MAX: usize = 3;

/// The party that has chosen a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Chosen {
    /// The host, by a name that is looked up on the search path.
    Searched,
    /// The host, by a path. The path may be a link of the bot to another program.
    Named,
    /// The bot, by the first line of its file or by a link. It could name a program in any folder that it wants to
    /// read.
    ByBot,
}

impl Chosen {
    /// Returns the choice for a program to which the host gives this name.
    pub(super) fn by_host(name: &OsStr) -> Chosen {
        if search::is_path(name) { Chosen::Named } else { Chosen::Searched }
    }

    /// Returns true if the bot may have a folder because the program is in it.
    fn is_trusted(self, folder: &Path) -> bool {
        self != Chosen::ByBot || !is_in_a_home(folder)
    }
}

impl Found<'_> {
    /// Adds a program with the files around it, under the name by which it is started and at its real place. Then adds
    /// its interpreter.
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

/// Returns the first bytes of a regular file. A bot may name anything as its interpreter, and opening a device could do
/// something. If the bot replaces the file by a pipe meanwhile, the flags keep the open and the read from waiting.
fn head(file: &Path) -> Option<Vec<u8>> {
    if !file.is_file() {
        return None;
    }
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(file).ok()?;
    let mut head = Vec::new();
    file.take(HEAD_BYTES_MAX).read_to_end(&mut head).ok()?;
    Some(head)
}

/// Returns the program that a file's first line names, if the line begins with `#!`. For `env` it returns the program
/// that the line names next, found on the search path of the host.
fn interpreter(file: &Path, command: &Command) -> Option<(PathBuf, Chosen)> {
    let head = head(file)?;
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

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn only_regular_files_are_opened_for_their_first_line() {
        let dir = tempfile::tempdir().expect("a scratch folder");
        let [script, pipe] = ["script", "pipe"].map(|name| dir.path().join(name));
        fs::write(&script, "#!/bin/sh\n").expect("it can be written");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).expect("a pipe");
        assert_eq!(head(&script).as_deref(), Some(&b"#!/bin/sh\n"[..]));
        assert_eq!(head(&pipe), None, "an open would wait for a writer");
        assert_eq!(head(Path::new("/dev/zero")), None);
    }
}
