//! Many matches: plan, schedules, workers, journal, resume, shards, merge, standings, replay, comparison. Writes to no
//! terminal and speaks no HTTP.

pub mod comparison;
pub mod journal;
pub mod merge;
pub mod plan;
pub mod replay;
pub mod report;
pub mod run;
pub mod schedule;
pub mod standings;

pub(crate) use ::referee::play as referee;
pub(crate) use ::referee::{
    answer, bot, clock, contained, entrants, error, games, names, note, pool, record, seeds, solitary, table,
};
pub(crate) use sandbox::{cores, text};
pub(crate) use stats;
