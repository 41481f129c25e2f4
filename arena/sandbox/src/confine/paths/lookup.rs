//! Looks up programs in the same way as a bot.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::command::Command;
use crate::command::search;

/// Returns the file that the command executes.
pub(super) fn program(command: &Command) -> Option<PathBuf> {
    find(OsStr::new(&command.argv[0]), command)
}

pub(super) fn search_path(command: &Command) -> Option<OsString> {
    let own = command.env.iter().rev().find(|(key, _)| key == "PATH").map(|(_, value)| value.into());
    own.or_else(|| std::env::var_os("PATH"))
}

pub(super) fn find(name: &OsStr, command: &Command) -> Option<PathBuf> {
    let all = search::candidates(name, search_path(command).as_deref());
    all.into_iter().find(|path| search::is_executable(path))
}
