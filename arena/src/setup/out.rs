//! The directory for the results of a tournament.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::report::output::say;
use referee::error::Error;
use referee::games::GameName;
use tournament::journal::claim::{Claim, next_free};
use tournament::plan::stages::stages_in;
use tournament::plan::{TOURNAMENT, TournamentHead};

/// The parent of all result directories without `--out`.
const RESULTS: &str = "results";

/// Returns the named directory or file, or the directory of the tournament in `results` that began last, and says so.
///
/// # Errors
/// Nothing is named, and there is no tournament in `results`.
pub(crate) fn named_or_newest(named: Option<&Path>) -> Result<PathBuf, Error> {
    if let Some(path) = named {
        return Ok(path.to_owned());
    }
    newest(|dir| fs::metadata(dir.join(TOURNAMENT)).ok()?.modified().ok())
}

/// As [`named_or_newest`], for commands that take the folder of a league with its stages too.
pub(crate) fn league_or_newest(named: Option<&Path>) -> Result<PathBuf, Error> {
    let begun = |dir: &Path| {
        let plans = [dir.to_owned()].into_iter().chain(stages_in(dir).into_iter().map(|(_, stage)| stage));
        plans.filter_map(|dir| fs::metadata(dir.join(TOURNAMENT)).ok()?.modified().ok()).max()
    };
    named.map_or_else(|| newest(begun), |path| Ok(path.to_owned()))
}

/// Returns the directory in `results` with the greatest time.
fn newest(begun: impl Fn(&Path) -> Option<SystemTime>) -> Result<PathBuf, Error> {
    let all = fs::read_dir(RESULTS).into_iter().flatten().flatten().map(|entry| entry.path());
    let newest = all.filter_map(|dir| Some((begun(&dir)?, dir))).max().map(|(_, dir)| dir);
    let dir = newest.ok_or_else(|| {
        Error::usage(format!("there is no tournament in {RESULTS}")).hint("name its directory")
    })?;
    say(&format!("note: {}, the newest in {RESULTS}", dir.display()));
    Ok(dir)
}

/// Claims the directory for a new tournament: the requested one, which must be empty or missing, or the next
/// free one with this name.
pub(crate) fn fresh(asked: Option<&Path>, name: &str) -> Result<Claim, Error> {
    asked.map_or_else(|| Claim::numbered(Path::new(RESULTS), name), |path| Claim::fresh(path, true))
}

/// Returns the directory that a new tournament with this name would get.
pub(crate) fn free(name: &str) -> PathBuf {
    next_free(Path::new(RESULTS), name)
}

/// Returns the directory of the tournament to resume.
pub(crate) fn resumed(asked: Option<&Path>) -> Result<PathBuf, Error> {
    asked
        .map(Path::to_owned)
        .ok_or_else(|| Error::usage("--resume needs --out").hint("name its directory with --out"))
}

/// Returns the game of the tournament in a directory.
pub(crate) fn game_in(dir: &Path) -> Result<GameName, Error> {
    let head = TournamentHead::read(dir)?;
    GameName::named(&head.plan.game)
        .map_err(|error| Error::usage(format!("{}: {}", dir.display(), error.message())))
}
