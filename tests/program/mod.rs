//! The program as a process, for tests that meet it as its users do.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Runs the arena in this folder to its end.
pub(crate) fn arena(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).output().expect("the arena starts")
}

/// Limits that sound bots keep however crowded the machine is.
const AMPLE: [&str; 4] = ["--startup-time", "60s", "--move-time", "60s"];

/// Runs the arena and expects it to succeed; its stdout. Bots have ample time where nothing is said of it.
pub(crate) fn succeed(folder: &Path, args: &[&str]) -> String {
    let begins = args.first().is_some_and(|&command| ["tournament", "match"].contains(&command));
    let has_limits = ["--resume", "--move-time", "--startup-time"].iter().any(|option| args.contains(option));
    let ample: &[&str] = if begins && !has_limits { &AMPLE } else { &[] };
    let output = arena(folder, &[args, ample].concat());
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("what it prints is UTF-8")
}

/// A folder that is gone after the test.
pub(crate) fn scratch() -> TempDir {
    tempfile::tempdir().expect("a scratch folder")
}
