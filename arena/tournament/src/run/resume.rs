//! Where a tournament begins: with an empty journal, or with what an earlier run left.
//!
//! The journal decides. A match of the plan that it has is done; a match that it lacks is played.

use std::path::Path;

use engine::game::Game;

use crate::error::Error;
use crate::journal::results;
use crate::journal::{End, JOURNAL, Journal, read};
use crate::note::note;
use crate::plan::{Plan, TOURNAMENT, TournamentFile, TournamentHead};
use crate::record::{Summary, renumbered};
use crate::run::tournament::{Observer, write_whole};
use crate::schedule::{Course, Pairing};
use crate::standings::Tally;
use crate::text;

/// A tournament's state between two runs.
#[derive(Debug)]
pub struct Begun {
    /// The journal, open at its end.
    pub journal: Journal,
    /// What it counts.
    pub tally: Tally,
    /// How far the schedule has come.
    pub course: Course,
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
        mut course: Course,
        observer: &mut impl Observer,
    ) -> Result<Begun, Error> {
        let mut end = End::default();
        if out.join(JOURNAL).exists() {
            let mut moved = false;
            let mut early = Vec::new();
            end = read::<Summary>(out, |summary, _| {
                tally.add(&summary)?;
                observer.counted(&summary);
                let pairing = pairing_of(&summary, names)?;
                course.take(&pairing, &summary.result);
                match course.index_of(&pairing) {
                    Some(index) => moved |= index != summary.index,
                    None => early.push((pairing, summary.index)),
                }
                Ok(())
            })?;
            for (pairing, index) in early {
                moved |= planned_index(&pairing, names, &course)? != index;
            }
            if end.torn {
                note("note: the last line of the journal was torn and is played again");
            }
            if moved {
                end.whole_bytes = renumber(out, names, &course)?;
            }
        }
        Ok(Begun { journal: Journal::open(out.join(JOURNAL), end.whole_bytes)?, tally, course })
    }
}

/// Who met on which deal in a match of a journal.
///
/// # Errors
/// A bot that does not take part.
pub fn pairing_of(summary: &Summary, names: &[String]) -> Result<Pairing, Error> {
    let number = |name: &String| {
        names.iter().position(|known| known == name).ok_or_else(|| {
            Error::usage(format!("match {}: the bot {name:?} does not take part", summary.index))
        })
    };
    let bots = summary.bots.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    Ok(Pairing { round: summary.round, bots })
}

/// Holds the index of a match against the plan.
///
/// # Errors
/// Another index, or a match that no known stage of the plan has.
pub fn check_index(course: &Course, pairing: &Pairing, index: u64) -> Result<(), Error> {
    match course.index_of(pairing) == Some(index) {
        true => Ok(()),
        false => Err(Error::usage(format!("match {index} is not in the plan"))),
    }
}

/// The plan's index of a match in a journal.
fn planned_index(pairing: &Pairing, names: &[String], course: &Course) -> Result<u64, Error> {
    course.index_of(pairing).ok_or_else(|| {
        let bots: Vec<&str> = pairing.bots.iter().map(|&bot| names[bot].as_str()).collect();
        let (round, bots) = (pairing.round, bots.join(" and "));
        Error::usage(format!("the journal has round {round} of {bots}, and the plan does not"))
    })
}

/// Writes the journal anew, whole or not at all, with the plan's indices; its new length.
fn renumber(out: &Path, names: &[String], course: &Course) -> Result<u64, Error> {
    let mut lines = Vec::new();
    read::<Summary>(out, |summary, line| {
        let index = planned_index(&pairing_of(&summary, names)?, names, course)?;
        let changed = || Error::usage(format!("match {} was changed since it was written", summary.index));
        lines.extend(renumbered(line.bytes, index).ok_or_else(changed)?);
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
    let text = match results::read(&path) {
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
        Error::usage(format!("this is not the tournament that was begun: {}", text::few(what)))
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
