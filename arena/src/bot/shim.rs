//! Sees through shims: small scripts with which version managers such as pyenv, rbenv and asdf stand in for an
//! interpreter. A shim looks for the interpreter anew at each start, which takes many times as long as
//! starting it, and always finds the same one.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::command::Command;

/// The folder in which all of these managers keep them.
const FOLDER: &str = "shims";
/// What a shell sets for itself and a keeper for this one process, which is none of the next one's business.
const OF_THE_PROCESS: [&str; 6] = ["_", "SHLVL", "PWD", "OLDPWD", "HOME", "TMPDIR"];

/// Whether a program lies where shims do.
pub(crate) fn is_shim(program: &Path) -> bool {
    program.parent().and_then(Path::file_name) == Some(OsStr::new(FOLDER))
}

/// The command that starts at once what the process `pid`, started with `command`, has become: the program
/// in the shim's place, with the variables that the shim has set. `None` where it is not the same
/// command with another program.
pub(super) fn seen_through(command: &Command, pid: i32) -> Option<Command> {
    let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).ok();
    let line = read("cmdline")?;
    let argv: Vec<&str> = words(&line).map(|word| std::str::from_utf8(word).ok()).collect::<Option<_>>()?;
    let (program, args) = argv.split_first()?;
    let is_it = || -> Option<bool> {
        let [one, other] = [PathBuf::from(program), PathBuf::from(format!("/proc/{pid}/exe"))]
            .map(|path| fs::metadata(path).ok().map(|file| (file.dev(), file.ino())));
        Some(program.starts_with('/') && one? == other?)
    };
    if args != &command.argv[1..] || !is_it()? {
        return None;
    }
    let mut resolved = command.clone();
    resolved.argv[0] = (*program).to_owned();
    let own: HashMap<_, _> = std::env::vars_os().collect();
    for variable in words(&read("environ")?) {
        let (name, value) = std::str::from_utf8(variable).ok()?.split_once('=')?;
        let is_known = own.get(OsStr::new(name)).is_some_and(|known| known.as_bytes() == value.as_bytes())
            || command.env.iter().any(|(known, set)| known == name && set == value);
        if !is_known && !OF_THE_PROCESS.contains(&name) {
            resolved.env.retain(|(known, _)| known != name);
            resolved.env.push((name.to_owned(), value.to_owned()));
        }
    }
    Some(resolved)
}

/// What stands between zeros.
fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.strip_suffix(b"\0").unwrap_or(bytes).split(|&byte| byte == 0)
}
