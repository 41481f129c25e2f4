//! The directory for the results of a tournament.

use std::path::{Path, PathBuf};

use referee::error::Error;
use referee::games::GameName;
use tournament::journal::claim::{Claim, next_free};
use tournament::plan::TournamentHead;

/// The parent of all result directories without `--out`.
const RESULTS: &str = "results";

/// Claims the directory for a new tournament: the requested one, which must be empty or missing, or the next
/// free one with this name.
pub(in crate::commands) fn fresh(asked: Option<&Path>, name: &str) -> Result<Claim, Error> {
    asked.map_or_else(|| Claim::numbered(Path::new(RESULTS), name), |path| Claim::fresh(path, true))
}

/// Returns the directory that a new tournament with this name would get.
pub(super) fn free(name: &str) -> PathBuf {
    next_free(Path::new(RESULTS), name)
}

/// Returns the directory of the tournament to resume.
pub(in crate::commands) fn resumed(asked: Option<&Path>) -> Result<PathBuf, Error> {
    asked
        .map(Path::to_owned)
        .ok_or_else(|| Error::usage("--resume needs --out").hint("name its directory with --out"))
}

/// Returns the game of the tournament in a directory.
pub(super) fn game_in(dir: &Path) -> Result<GameName, Error> {
    let head = TournamentHead::read(dir)?;
    GameName::named(&head.plan.game)
        .map_err(|error| Error::usage(format!("{}: {}", dir.display(), error.message())))
}
