//! Matches of a journal against the plan.

use crate::schedule::{Course, Pairing};
use referee::error::Error;
use referee::record::Summary;

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
pub(crate) fn planned_index(pairing: &Pairing, names: &[String], course: &Course) -> Result<u64, Error> {
    course.index_of(pairing).ok_or_else(|| {
        let bots: Vec<&str> = pairing.bots.iter().map(|&bot| names[bot].as_str()).collect();
        let (round, bots) = (pairing.round, bots.join(" and "));
        Error::usage(format!("the journal has round {round} of {bots}, and the plan does not"))
    })
}
