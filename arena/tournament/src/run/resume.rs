//! Where a tournament begins: with an empty journal, or with what an earlier run left.
//!
//! The journal decides. A match of the plan that it has is done; a match that it lacks is played.

use std::path::Path;

use crate::journal::files::write_whole;
use crate::journal::{End, JOURNAL, Journal, read};
use crate::run::observer::Observer;
use crate::schedule::Course;
use crate::standings::Tally;
use crate::state::{pairing_of, planned_index};
use referee::error::Error;
use referee::note::note;
use referee::record::{Summary, renumbered};

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
