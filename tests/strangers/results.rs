//! A small tournament that was really played, for tests that tamper with it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::typed;
use crate::program::arena;

/// The file with the plan of a tournament.
pub(crate) const PLAN: &str = "tournament.json";
/// The file with its matches.
pub(crate) const JOURNAL: &str = "matches.jsonl";

/// A bot that greets, and cannot play.
pub(crate) const GREETS: &str = "read -r l; echo '{\"type\":\"hello\",\"protocol\":1}'; read -r l";

/// Plays a tournament of two bundled bots at patchwork into the folder `name`.
pub(crate) fn played(folder: &Path, name: &str) -> PathBuf {
    let plan = "tournament --bot one=random --bot two=random --rounds 2 --game patchwork --seed 1";
    typed(folder, &format!("{plan} --contain off --quiet --out {name}"));
    folder.join(name)
}

/// Changes the JSON file in `dir`.
pub(crate) fn tamper(dir: &Path, file: &str, change: impl FnOnce(&mut Value)) {
    let path = dir.join(file);
    let mut value = serde_json::from_slice(&fs::read(&path).expect("it is there")).expect("it is JSON");
    change(&mut value);
    fs::write(&path, value.to_string()).expect("it can be written");
}

/// Changes every line of the journal in `dir`.
pub(crate) fn tamper_lines(dir: &Path, change: impl Fn(&mut Value)) {
    let path = dir.join(JOURNAL);
    let lines = fs::read_to_string(&path).expect("it is there");
    let changed = lines.lines().map(|line| {
        let mut value = serde_json::from_str(line).expect("it is JSON");
        change(&mut value);
        format!("{value}\n")
    });
    fs::write(&path, changed.collect::<String>()).expect("it can be written");
}

/// Runs the arena in this folder and returns both output streams.
pub(crate) fn shown(folder: &Path, args: &[&str]) -> String {
    let output = arena(folder, args);
    assert!(output.status.code().is_some_and(|code| code != 101), "{args:?}: {}", output.status);
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).expect("what it prints is UTF-8")
}
