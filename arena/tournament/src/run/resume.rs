//! Starts or resumes a tournament: from an empty journal, or from the journal of an earlier run.
//!
//! The journal decides. A match of the plan in the journal is finished; a match that it lacks is played.

use std::path::Path;

use crate::journal::files::write_whole;
use crate::journal::{End, JOURNAL, Journal, read};
use crate::run::observer::Observer;
use crate::schedule::ScheduleProgress;
use crate::standings::Tally;
use crate::state::{pairing_of, planned_index};
use referee::error::Error;
use referee::note::note;
use referee::record::{Summary, renumbered};

/// The state of a started or resumed tournament.
#[derive(Debug)]
pub struct Resumed {
    /// The journal, open at its end.
    pub journal: Journal,
    /// The counted matches of the journal.
    pub tally: Tally,
    /// The progress of the schedule.
    pub course: ScheduleProgress,
}

impl Resumed {
    /// Reads the journal of `out`, if there is one; its matches are finished. Cuts off a torn last line, with
    /// a note. If bots were added, matches get the new indices of the plan.
    ///
    /// # Errors
    /// Fails if the journal cannot be read, or has a match that the plan does not have.
    pub fn new(
        out: &Path,
        mut tally: Tally,
        names: &[String],
        mut course: ScheduleProgress,
        observer: &mut impl Observer,
    ) -> Result<Resumed, Error> {
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
        Ok(Resumed { journal: Journal::open(out.join(JOURNAL), end.whole_bytes)?, tally, course })
    }
}

/// Rewrites the journal with the plan's indices, as a whole or not at all. Returns its new length in bytes.
fn renumber(out: &Path, names: &[String], course: &ScheduleProgress) -> Result<u64, Error> {
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
