//! Checks the matches of a journal against the plan.

use crate::schedule::{Pairing, ScheduleProgress};
use referee::error::Error;
use referee::record::Summary;

/// Returns the round and the bots of a match in a journal.
///
/// # Errors
/// Fails if a bot does not take part in the tournament.
pub fn pairing_of(summary: &Summary, names: &[String]) -> Result<Pairing, Error> {
    let number = |name: &String| {
        names.iter().position(|known| known == name).ok_or_else(|| {
            Error::usage(format!("match {}: the bot {name:?} does not take part", summary.index))
        })
    };
    let bots = summary.bots.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    Ok(Pairing { round: summary.round, bots })
}

/// Checks the index of a match against the plan.
///
/// # Errors
/// Fails if the plan has another index for the match, or if no known stage has the match.
pub fn check_index(course: &ScheduleProgress, pairing: &Pairing, index: u64) -> Result<(), Error> {
    match course.index_of(pairing) == Some(index) {
        true => Ok(()),
        false => Err(Error::usage(format!("match {index} is not in the plan"))),
    }
}

/// Returns the plan's index of a match in a journal.
pub(crate) fn planned_index(
    pairing: &Pairing,
    names: &[String],
    course: &ScheduleProgress,
) -> Result<u64, Error> {
    course.index_of(pairing).ok_or_else(|| {
        let bots: Vec<&str> = pairing.bots.iter().map(|&bot| names[bot].as_str()).collect();
        let (round, bots) = (pairing.round, bots.join(" and "));
        Error::usage(format!("the journal has round {round} of {bots}, and the plan does not"))
    })
}
