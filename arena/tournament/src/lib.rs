//! Many matches: plan, schedules, workers, journal, resume, shards, merge, standings, replay, comparison. Writes to no
//! terminal and speaks no HTTP.

pub mod comparison;
pub mod evidence;
pub mod figure;
pub mod games_alone;
pub mod hosts;
pub mod journal;
pub mod live;
pub mod merge;
pub mod pace;
pub mod plan;
pub mod replay;
pub mod report;
pub mod results;
pub mod resume;
pub mod schedule;
pub mod shard;
pub mod speed;
pub mod standings;
pub mod stop;
pub mod tournament;
pub mod worker;

pub(crate) use ::referee::play as referee;
pub(crate) use ::referee::{
    answer, bot, clock, contained, entrants, error, games, names, note, pool, record, seeds, solitary, table,
};
pub(crate) use sandbox::{cores, text};
pub(crate) use stats;
