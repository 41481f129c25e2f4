//! The program as a process, for tests that meet it as its users do.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Runs the arena in this folder to its end.
pub(crate) fn arena(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).output().expect("the arena starts")
}

/// Runs the arena and expects it to succeed; its stdout.
pub(crate) fn succeed(folder: &Path, args: &[&str]) -> String {
    let output = arena(folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("what it prints is UTF-8")
}

/// A folder that is gone after the test.
pub(crate) fn scratch() -> TempDir {
    tempfile::tempdir().expect("a scratch folder")
}
