//! The program as a process, for tests that meet it as its users do.

pub(crate) mod executable;
pub(crate) mod tables;
pub(crate) mod unfinished;

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

/// The full name of a test of this module, which is called with `module_path!()`.
pub(crate) fn test_name(module: &str, test: &str) -> String {
    let (_, module) = module.split_once("::").expect("every test lies in a module");
    format!("{module}::{test}")
}

/// Runs this test program again with the command and expects tests to pass in it: with names that no test has it runs
/// nothing and succeeds.
pub(crate) fn passes_again(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().expect("the tests start again");
    let text = String::from_utf8_lossy(&output.stdout);
    let ran = text.contains("test result: ok.") && !text.contains("test result: ok. 0 passed");
    assert!(ran && output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

/// A folder that is gone after the test.
pub(crate) fn scratch() -> TempDir {
    tempfile::tempdir().expect("a scratch folder")
}
