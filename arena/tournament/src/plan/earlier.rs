//! The plan of a resumed tournament.

use std::path::Path;

use engine::game::Setup;
use engine::wire::WireFormat;

use super::{Plan, TOURNAMENT, TournamentFile, TournamentHead, keep_copies};
use crate::journal::results;
use referee::error::Error;
use sandbox::selftest::Contained;
use sandbox::text;

/// Reads the tournament's file in `dir`. Returns `None` if there is no such file.
///
/// # Errors
/// Fails if the file cannot be read, or has another game or version.
pub fn earlier_file<G: WireFormat>(dir: &Path) -> Result<Option<TournamentFile<G::Setup>>, Error> {
    let path = dir.join(TOURNAMENT);
    let text = match results::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::unreadable(&path, &error)),
    };
    let wrong = |what: String| Error::usage(format!("{}: {what}", path.display()));
    let head = TournamentHead::read(dir)?;
    if head.plan.game != G::NAME {
        return Err(wrong(format!("this is a tournament of {}, not of {}", head.plan.game, G::NAME)));
    }
    serde_json::from_str(&text).map(Some).map_err(|error| wrong(error.to_string()))
}

/// Returns the file for continuing with the plan `later` and bots that are contained as in `contained`. With
/// `force`, it accepts changes and lists them in the file.
///
/// # Errors
/// Names the differences, if they are not allowed or not forced.
pub fn continued<S: Setup>(
    earlier: &TournamentFile<S>,
    mut later: Plan<S>,
    contained: &Contained,
    force: bool,
) -> Result<TournamentFile<S>, Error> {
    let mut differences = earlier.plan.differences(&later);
    let weakened = earlier.containment.as_ref().and_then(|before| before.weakened_by(contained));
    differences.changes.extend(weakened);
    let refuse = |what: &[String]| {
        Error::usage(format!("this is not the tournament that was begun: {}", text::few(what)))
    };
    if !differences.losses.is_empty() {
        return Err(refuse(&differences.losses).hint("begin a new one with another --out"));
    }
    if !differences.changes.is_empty() && !force {
        return Err(refuse(&differences.changes)
            .hint("go on all the same with --force, which is noted, or begin a new one"));
    }
    keep_copies(&mut later.bots, &earlier.plan.bots);
    let mut file = TournamentFile { no_solitary: earlier.no_solitary, ..TournamentFile::new(later) };
    file.containment = earlier.containment.as_ref().map(|before| before.weakest(contained));
    file.changes = earlier.changes.iter().cloned().chain(differences.changes).collect();
    Ok(file)
}
