//! The directory for the results of a tournament.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use referee::error::Error;
use referee::games::GameName;
use tournament::plan::{TOURNAMENT, TournamentHead};

/// The parent of all result directories without `--out`.
const RESULTS: &str = "results";

/// Returns the directory for a new tournament: the requested one, which must be empty or missing, or the next
/// free one.
pub(in crate::commands) fn fresh(asked: Option<&Path>, game: &str) -> Result<PathBuf, Error> {
    let path = asked.map_or_else(|| next_free(game), Path::to_owned);
    free(&path, true)?;
    Ok(path)
}

/// Checks that a directory is empty or missing. The hint names `--resume` if the command has it.
pub(in crate::commands) fn free(path: &Path, resumes: bool) -> Result<(), Error> {
    // A run that was killed while it wrote its plan leaves only a temporary file.
    let is_something = |entry: &std::io::Result<std::fs::DirEntry>| {
        !entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().ends_with(".tmp"))
    };
    match std::fs::read_dir(path).map(|entries| entries.filter(is_something).count()) {
        Ok(1..) => {
            let hint = match resumes && path.join(TOURNAMENT).exists() {
                true => "continue it with --resume, or choose another directory with --out",
                false => "choose another directory with --out, or remove this one",
            };
            Err(Error::usage(format!("{} already exists and is not empty", path.display())).hint(hint))
        }
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::usage(format!("cannot use {} for results: {error}", path.display()))
                .hint("choose another directory with --out"))
        }
        _ => Ok(()),
    }
}

/// Makes the directory.
pub(in crate::commands) fn make(path: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(path).map_err(|error| {
        Error::usage(format!("cannot make {}: {error}", path.display()))
            .hint("choose another directory with --out")
    })
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

fn next_free(game: &str) -> PathBuf {
    let path = |number: u64| Path::new(RESULTS).join(format!("{game}-{number}"));
    (1..).map(path).find(|path| !path.exists()).expect("numbers do not run out")
}
