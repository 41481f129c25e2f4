//! Sees through shims: small scripts with which version managers such as pyenv, rbenv and asdf stand in for an
//! interpreter. A shim looks for the interpreter anew at each start, which takes many times as long as
//! starting it, and always finds the same one.
//!
//! A bot can exec what it likes under any name and with any arguments. So the kernel alone says which program
//! it has become, and that counts only where the shim's manager keeps its interpreters.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::contain::paths::is_of_the_system;

/// The folder in which all of these managers keep them.
const FOLDER: &str = "shims";
/// The folders beside it in which they keep interpreters.
const VERSIONS: [&str; 2] = ["versions", "installs"];
/// What a shell sets for itself and a keeper for this one process, which is none of the next one's business.
const OF_THE_PROCESS: [&str; 6] = ["_", "SHLVL", "PWD", "OLDPWD", "HOME", "TMPDIR"];

/// A shim sets no more than this, in bytes: all of it is told to each keeper.
const ENVIRON_BYTES_MAX: usize = 128 * 1024;

/// Whether a program lies where shims do.
pub fn is_shim(program: &Path) -> bool {
    program.parent().and_then(Path::file_name) == Some(OsStr::new(FOLDER))
}

/// The command that starts at once what the process `pid`, started by the program `shim` for `command`, has become: the
/// interpreter in the shim's place, with the variables that the shim has set. `None` where it is none of the shim's
/// manager, or was not started from where it lies, as that of a virtual environment.
pub fn seen_through(command: &Command, shim: &Path, pid: i32) -> Option<Command> {
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
    add_environment(&mut resolved, &fs::read(process.join("environ")).ok()?)?;
    Some(resolved)
}

/// Whether the canonical path is that of an interpreter of the shim's manager, or of the system's.
fn is_kept_beside(shim: &Path, program: &Path) -> bool {
    let Some(root) = shim.canonicalize().ok().and_then(|shim| Some(shim.parent()?.parent()?.to_owned()))
    else {
        return false;
    };
    let kept = VERSIONS.iter().filter_map(|folder| root.join(folder).canonicalize().ok());
    is_of_the_system(program) || kept.into_iter().any(|folder| program.starts_with(folder))
}

/// Adds the variables that are neither the arena's nor the command's. They are the bot's word, and nobody's but the bot's
/// when it is started again.
fn add_environment(command: &mut Command, environ: &[u8]) -> Option<()> {
    if environ.len() > ENVIRON_BYTES_MAX {
        return None;
    }
    let own: HashMap<_, _> = std::env::vars_os().collect();
    let given = command.env.clone();
    for variable in words(environ) {
        let (name, value) = std::str::from_utf8(variable).ok()?.split_once('=')?;
        let is_known = own.get(OsStr::new(name)).is_some_and(|known| known.as_bytes() == value.as_bytes())
            || given.iter().any(|(known, set)| known == name && set == value);
        if !is_known && !OF_THE_PROCESS.contains(&name) {
            command.env.retain(|(known, _)| known != name);
            command.env.push((name.to_owned(), value.to_owned()));
        }
    }
    Some(())
}

/// What stands between zeros.
fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.strip_suffix(b"\0").unwrap_or(bytes).split(|&byte| byte == 0)
}
