//! Where a tournament begins: with an empty journal, or with what an earlier run left.
//!
//! The journal decides. A match of the plan that it has is done; a match that it lacks is played.

use std::collections::HashSet;
use std::path::Path;

use engine::game::Game;

use crate::error::Error;
use crate::journal::{End, JOURNAL, Journal, read};
use crate::plan::{Plan, TOURNAMENT, TournamentFile, TournamentHead};
use crate::record::{Summary, renumbered};
use crate::report::output::say;
use crate::schedule::{Pairing, Schedule};
use crate::standings::Tally;
use crate::tournament::{Observer, write_whole};

/// A tournament's state between two runs.
#[derive(Debug)]
pub struct Begun {
    /// The journal, open at its end.
    pub journal: Journal,
    /// What it counts.
    pub tally: Tally,
    /// The indices of the matches that are done.
    pub done: HashSet<u64>,
}

impl Begun {
    /// What is in the journal of `out`, if there is one, is done. A torn last line is cut off and
    /// said. Matches get the index that the plan has for them, which is another one when bots were
    /// added.
    ///
    /// # Errors
    /// Where the journal cannot be read, or has a match that the plan does not have.
    pub fn new(
        out: &Path,
        mut tally: Tally,
        names: &[String],
        schedule: &impl Schedule,
        observer: &mut impl Observer,
    ) -> Result<Begun, Error> {
        let mut done = HashSet::new();
        let mut moved = false;
        let mut end = End::default();
        if out.join(JOURNAL).exists() {
            end = read::<Summary>(out, |summary, _| {
                tally.add(&summary)?;
                let index = planned_index(&summary, names, schedule)?;
                moved |= index != summary.index;
                done.insert(index);
                observer.counted(&summary);
                Ok(())
            })?;
        }
        if end.torn {
            say("note: the last line of the journal was torn and is played again");
        }
        if moved {
            end.whole_bytes = renumber(out, names, schedule)?;
        }
        Ok(Begun { journal: Journal::open(out, end.whole_bytes)?, tally, done })
    }
}

/// The plan's index of a match in a journal.
fn planned_index(summary: &Summary, names: &[String], schedule: &impl Schedule) -> Result<u64, Error> {
    let number = |name: &String| names.iter().position(|known| known == name);
    let bots = summary.bots.iter().map(number).collect::<Option<Vec<_>>>();
    let index = bots.and_then(|bots| schedule.index_of(&Pairing { round: summary.round, bots }));
    index.ok_or_else(|| {
        let (round, bots) = (summary.round, summary.bots.join(" and "));
        Error::usage(format!("the journal has round {round} of {bots}, and the plan does not"))
    })
}

/// Writes the journal anew, whole or not at all, with the plan's indices; its new length.
fn renumber(out: &Path, names: &[String], schedule: &impl Schedule) -> Result<u64, Error> {
    let mut lines = Vec::new();
    read::<Summary>(out, |summary, line| {
        let index = planned_index(&summary, names, schedule)?;
        let changed = || Error::usage(format!("match {} was changed since it was written", summary.index));
        lines.extend(renumbered(line, index).ok_or_else(changed)?);
        Ok(())
    })?;
    write_whole(&out.join(JOURNAL), &lines)?;
    Ok(lines.len() as u64)
}

/// The file of the tournament in `dir`, or `None` where there is none.
///
/// # Errors
/// Where it cannot be read, or is of another game or version.
pub fn earlier_file<G: Game>(dir: &Path) -> Result<Option<TournamentFile<G>>, Error> {
    let path = dir.join(TOURNAMENT);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::unreadable(&path, &error)),
    };
    let wrong = |what: String| Error::usage(format!("{}: {what}", path.display()));
    let head = TournamentHead::read(dir)?;
    if head.game != G::NAME {
        return Err(wrong(format!("this is a tournament of {}, not of {}", head.game, G::NAME)));
    }
    serde_json::from_str(&text).map(Some).map_err(|error| wrong(error.to_string()))
}

/// The file for going on with `later`: that of the earlier run where nothing differs, and with the
/// changes noted where they are forced.
///
/// # Errors
/// What differs, where it may not or is not forced.
pub fn continued<G: Game>(
    earlier: &TournamentFile<G>,
    later: Plan<G>,
    force: bool,
) -> Result<TournamentFile<G>, Error> {
    let differences = earlier.plan.differences(&later);
    let refuse = |what: &[String]| {
        Error::usage(format!("this is not the tournament that was begun: {}", what.join("; ")))
    };
    if !differences.losses.is_empty() {
        return Err(refuse(&differences.losses).hint("begin a new one with another --out"));
    }
    if !differences.changes.is_empty() && !force {
        return Err(refuse(&differences.changes)
            .hint("go on all the same with --force, which is noted, or begin a new one"));
    }
    let mut file = TournamentFile::new(later);
    file.changes = earlier.changes.iter().cloned().chain(differences.changes).collect();
    Ok(file)
}
