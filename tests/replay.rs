//! Records can be proven, replayed, fed to a program, and compared. Every change in a record is found and
//! named.

mod commands;
mod debug;
mod flips;
mod golden;
mod tamper;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::program::{arena, scratch, words};

/// Runs the arena and checks its exit status. Returns stdout and stderr.
pub(crate) fn run(folder: &Path, args: &[&str], status: i32) -> (String, String) {
    let output = arena(folder, args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{args:?}: {stdout}{stderr}");
    (stdout, stderr)
}

/// Runs a command line without quotes and checks its exit status. Returns stdout and stderr.
fn line(folder: &Path, line: &str, status: i32) -> (String, String) {
    run(folder, &words(line), status)
}

/// Returns the folder of a game's golden tournament.
fn golden_dir(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/journals").join(game)
}

/// Returns a copy of a game's golden tournament, for modification.
fn copied(game: &str) -> TempDir {
    let folder = scratch();
    for name in ["tournament.json", "matches.jsonl"] {
        fs::copy(golden_dir(game).join(name), folder.path().join(name)).expect("a golden file");
    }
    folder
}

/// Returns the lines of a tournament's journal.
fn lines(dir: &Path) -> Vec<String> {
    let text = fs::read_to_string(dir.join("matches.jsonl")).expect("a journal");
    text.lines().map(str::to_owned).collect()
}

fn write_lines(dir: &Path, lines: &[String]) {
    fs::write(dir.join("matches.jsonl"), lines.join("\n") + "\n").expect("a journal");
}
