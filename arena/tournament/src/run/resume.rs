//! Starts or resumes a tournament: from an empty journal, or from the journal of an earlier run.
//!
//! The journal decides. A match of the plan in the journal is finished; a match that it lacks is played.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::journal::files::{write_filled, write_whole};
use crate::journal::{BotsOf, End, JOURNAL, Journal, read};
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
    /// a note. If bots were added, matches get the new indices of the plan. The journal gets the
    /// matches of the directories `joining` that it lacks, if their bots have the versions of the plan.
    ///
    /// # Errors
    /// Fails if a journal cannot be read or written, or has a match that the plan does not have.
    pub fn new(
        out: &Path,
        mut state: State,
        (joining, bots): (&[PathBuf], &[Identity]),
        observer: &mut dyn Observer,
    ) -> Result<Resumed, Error> {
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
        let mut journal = Journal::open(out.join(JOURNAL), end.whole_bytes)?;
        let (mut lines, mut joined) = (Vec::new(), Vec::new());
        for dir in joining.iter().filter(|dir| dir.join(JOURNAL).exists()) {
            let then = TournamentHead::read(dir)?.plan.bots;
            let is_same = |one: &&Identity| {
                bots.iter().any(|bot| bot.name == one.name && bot.difference(one).is_none())
            };
            let same: BTreeSet<&String> = then.iter().filter(is_same).map(|bot| &bot.name).collect();
            read::<Summary>(dir, |mut summary, line| {
                if !summary.bots.iter().all(|bot| same.contains(bot)) {
                    return Ok(());
                }
                summary.index = state.planned_index(&summary)?;
                if !state.schedule().done().contains(summary.index) {
                    lines.extend(renumbered(line.bytes, summary.index).ok_or_else(|| changed(&summary))?);
                    joined.push(summary);
                }
                Ok(())
            })?;
        }
        // They count once they are on the disk.
        journal.append(&lines)?;
        for summary in joined {
            state.apply(&summary)?;
            observer.counted(&summary);
        }
        Ok(Resumed { journal, state })
    }
}

/// Moves the matches of these bots from the journal to `replaced-K.jsonl`, with the first free K. `replaced-K.json` gets the
/// bots that played them.
///
/// # Errors
/// Fails if the journal cannot be read, or if a file cannot be written.
pub(super) fn supersede(out: &Path, bots: &[String]) -> Result<(), Error> {
    let journal = out.join(JOURNAL);
    if bots.is_empty() || !journal.exists() {
        return Ok(());
    }
    let file = |number: u64| out.join(format!("replaced-{number}.jsonl"));
    let free = (1..).map(file).find(|file| !file.exists()).expect("numbers do not run out");
    // The moved lines get their file before the journal loses them.
    write_filled(&journal, |kept| {
        write_filled(&free, |moved| {
            let mut has_some = false;
            read::<BotsOf>(out, |record, line| {
                let is_moved = record.bots.iter().any(|bot| bots.contains(bot));
                has_some |= is_moved;
                let written = if is_moved { moved.write_all(line.bytes) } else { kept.write_all(line.bytes) };
                written.map_err(|error| Error::unwritable(if is_moved { &free } else { &journal }, &error))
            })?;
            if has_some {
                set_aside(out, Some(bots))?;
                // First the bots that played, so that no line is there without them.
                let bots = TournamentHead::read(out)?.plan.bots;
                let bots = serde_json::to_vec_pretty(&bots).expect("a plan is plain data");
                write_whole(&free.with_extension("json"), &bots)?;
            }
            Ok(has_some)
        })
    })
    .map(drop)
}

fn changed(summary: &Summary) -> Error {
    Error::usage(format!("match {} was changed since it was written", summary.index))
}

/// Rewrites the journal with the plan's indices, as a whole or not at all. Returns its new length in bytes.
fn renumber(out: &Path, state: &State) -> Result<u64, Error> {
    let (journal, mut bytes) = (out.join(JOURNAL), 0);
    write_filled(&journal, |file| {
        read::<Summary>(out, |summary, line| {
            let index = state.planned_index(&summary)?;
            let line = renumbered(line.bytes, index).ok_or_else(|| changed(&summary))?;
            bytes += line.len() as u64;
            file.write_all(&line).map_err(|error| Error::unwritable(&journal, &error))
        })
        .map(|_| true)
    })?;
    Ok(bytes)
}
