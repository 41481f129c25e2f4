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
pub mod state;
