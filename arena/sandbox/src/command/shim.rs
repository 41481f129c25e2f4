//! Resolves shims: small scripts that version managers such as pyenv, rbenv and asdf put in the place of an
//! interpreter. A shim searches for the interpreter again at each start, which takes many times as long as starting
//! it. It always finds the same one.
//!
//! A bot can exec any program under any name and with any arguments. Only the kernel's record of the executed program
//! counts, and only if the program is in a folder for interpreters of the shim's manager.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::confine::files::is_of_the_system;

/// The folder in which all of these managers keep shims.
const FOLDER: &str = "shims";
/// The folders next to `shims` in which they keep interpreters.
const VERSIONS: [&str; 2] = ["versions", "installs"];

/// Returns true if the program is in a folder of shims.
pub fn is_shim(program: &Path) -> bool {
    program.parent().and_then(Path::file_name) == Some(OsStr::new(FOLDER))
}

/// Returns the command that directly starts the program that the process `pid` has become. `shim` is the program with
/// which `command` was started. The command has the interpreter in the place of the shim. Variables that the shim
/// has set are gone: the bot could have set them, too.
///
/// Returns `None` if the interpreter does not belong to the shim's manager, or if it was called by a path in another
/// folder, as in a virtual environment.
pub(crate) fn seen_through(command: &Command, shim: &Path, pid: i32) -> Option<Command> {
    let process = PathBuf::from(format!("/proc/{pid}"));
    let line = fs::read(process.join("cmdline")).ok()?;
    let argv: Vec<&str> = words(&line).map(|word| std::str::from_utf8(word).ok()).collect::<Option<_>>()?;
    let (called, args) = argv.split_first()?;
    let program = fs::read_link(process.join("exe")).ok()?.canonicalize().ok()?;
    let is_called_there = Path::new(called).parent()?.canonicalize().ok()? == program.parent()?;
    if args != &command.argv[1..] || !is_called_there || !is_kept_beside(shim, &program) {
        return None;
    }
    let mut resolved = command.clone();
    resolved.argv[0] = program.into_os_string().into_string().ok()?;
    Some(resolved)
}

/// Returns true if the canonical path is an interpreter of the shim's manager, or of the system.
fn is_kept_beside(shim: &Path, program: &Path) -> bool {
    let Some(root) = shim.canonicalize().ok().and_then(|shim| Some(shim.parent()?.parent()?.to_owned()))
    else {
        return false;
    };
    let kept = VERSIONS.iter().filter_map(|folder| root.join(folder).canonicalize().ok());
    is_of_the_system(program) || kept.into_iter().any(|folder| program.starts_with(folder))
}

/// Returns the parts between NUL bytes.
fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.strip_suffix(b"\0").unwrap_or(bytes).split(|&byte| byte == 0)
}
