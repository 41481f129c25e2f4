//! The stages of a league, each of which is a tournament in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};

use super::TOURNAMENT;

/// Returns the stages that were begun in the folder of a league, with their names, in their order. A directory of a
/// tournament has none. The folder may come from a stranger: links and other names are no stages.
pub fn stages_in(league: &Path) -> Vec<(String, PathBuf)> {
    if league.join(TOURNAMENT).exists() {
        return Vec::new();
    }
    let is_fit = |letter: char| letter.is_ascii_alphanumeric() || "-._@+".contains(letter);
    let stage = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok().filter(|name| name.chars().all(is_fit))?;
        let number = name.split_once('-')?.0.parse::<u32>().ok()?;
        let is_stage = entry.file_type().ok()?.is_dir() && entry.path().join(TOURNAMENT).exists();
        is_stage.then(|| (number, name, entry.path()))
    };
    let mut stages: Vec<_> = fs::read_dir(league).into_iter().flatten().flatten().filter_map(stage).collect();
    stages.sort_unstable();
    stages.into_iter().map(|(_, name, path)| (name, path)).collect()
}

/// Returns the hint for a path that has no tournament: its stages, or this one.
pub(crate) fn hint(path: &Path, otherwise: &str) -> String {
    match stages_in(path).first() {
        Some((_, stage)) => format!("it has several stages: name one, such as {}", stage.display()),
        None => otherwise.to_owned(),
    }
}
