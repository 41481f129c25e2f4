//! Starts or resumes a tournament: from an empty journal, or from the journal of an earlier run.
//!
//! The journal decides. A match of the plan in the journal is finished; a match that it lacks is played.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::journal::files::write_whole;
use crate::journal::{End, JOURNAL, Journal, read};
use crate::plan::TournamentHead;
use crate::run::fault_reports::set_aside;
use crate::run::observer::Observer;
use crate::state::State;
use referee::bots::identity::Identity;
use referee::error::Error;
use referee::note::note;
use referee::record::{Summary, renumbered};

/// The state of a started or resumed tournament.
#[derive(Debug)]
pub struct Resumed {
    /// The journal, open at its end.
    pub journal: Journal,
    /// The state after the matches of the journal.
    pub state: State,
}

impl Resumed {
    /// Reads the journal of `out`, if there is one; its matches are finished. Cuts off a torn last line, with
    /// a note. If bots were added, matches get the new indices of the plan.
    ///
    /// # Errors
    /// Fails if the journal cannot be read, or has a match that the plan does not have.
    pub fn new(out: &Path, mut state: State, observer: &mut impl Observer) -> Result<Resumed, Error> {
        let mut end = End::default();
        if out.join(JOURNAL).exists() {
            end = read::<Summary>(out, |summary, _| {
                state.apply_of_earlier_plan(&summary)?;
                observer.counted(&summary);
                Ok(())
            })?;
            let moved = state.end_of_earlier_plan()?.is_some();
            if end.torn {
                note("note: the last line of the journal was torn and is played again");
            }
            if moved {
                set_aside(out, None)?;
                end.whole_bytes = renumber(out, &state)?;
            }
        }
        Ok(Resumed { journal: Journal::open(out.join(JOURNAL), end.whole_bytes)?, state })
    }
}

/// Moves the matches of these bots from the journal to `replaced-K.jsonl`, with the first free K. `replaced-K.json` gets the
/// bots as they were.
///
/// # Errors
/// Fails if the journal cannot be read, or if a file cannot be written.
pub(super) fn supersede(out: &Path, bots: &[String]) -> Result<(), Error> {
    let journal = out.join(JOURNAL);
    if bots.is_empty() || !journal.exists() {
        return Ok(());
    }
    let (mut kept, mut moved) = (Vec::new(), Vec::new());
    read::<Summary>(out, |summary, line| {
        let is_moved = summary.bots.iter().any(|bot| bots.contains(bot));
        if is_moved { &mut moved } else { &mut kept }.extend(line.bytes);
        Ok(())
    })?;
    if moved.is_empty() {
        return Ok(());
    }
    set_aside(out, Some(bots))?;
    let file = |number: u64| out.join(format!("replaced-{number}.jsonl"));
    let free = (1..).map(file).find(|file| !file.exists()).expect("numbers do not run out");
    // First the bots that played, so that no line is there without them.
    let bots = TournamentHead::read(out)?.plan.bots;
    write_whole(
        &free.with_extension("json"),
        &serde_json::to_vec_pretty(&bots).expect("a plan is plain data"),
    )?;
    write_whole(&free, &moved)?;
    write_whole(&journal, &kept)
}

/// Adds the matches in these directories that the journal lacks, if the versions of their bots are those of the plan. To add
/// them twice is the same.
///
/// # Errors
/// Fails if a journal cannot be read, or if the journal cannot be written.
pub(super) fn join(out: &Path, dirs: &[PathBuf], bots: &[Identity]) -> Result<(), Error> {
    let dirs: Vec<_> = dirs.iter().filter(|dir| dir.join(JOURNAL).exists()).collect();
    if dirs.is_empty() {
        return Ok(());
    }
    let (mut lines, mut known) = (Vec::new(), BTreeSet::new());
    let journal = out.join(JOURNAL);
    if journal.exists() {
        read::<Summary>(out, |Summary { round, bots, .. }, line| {
            known.insert((round, bots));
            lines.extend(line.bytes);
            Ok(())
        })?;
    }
    let before = lines.len();
    for dir in dirs {
        let then = TournamentHead::read(dir)?.plan.bots;
        let is_same =
            |one: &&Identity| bots.iter().any(|bot| bot.name == one.name && bot.difference(one).is_none());
        let same: BTreeSet<&String> = then.iter().filter(is_same).map(|bot| &bot.name).collect();
        read::<Summary>(dir, |Summary { round, bots, .. }, line| {
            if bots.iter().all(|bot| same.contains(bot)) && known.insert((round, bots)) {
                lines.extend(line.bytes);
            }
            Ok(())
        })?;
    }
    if lines.len() == before { Ok(()) } else { write_whole(&journal, &lines) }
}

/// Rewrites the journal with the plan's indices, as a whole or not at all. Returns its new length in bytes.
fn renumber(out: &Path, state: &State) -> Result<u64, Error> {
    let mut lines = Vec::new();
    read::<Summary>(out, |summary, line| {
        let index = state.planned_index(&summary)?;
        let changed = || Error::usage(format!("match {} was changed since it was written", summary.index));
        lines.extend(renumbered(line.bytes, index).ok_or_else(changed)?);
        Ok(())
    })?;
    write_whole(&out.join(JOURNAL), &lines)?;
    Ok(lines.len() as u64)
}
