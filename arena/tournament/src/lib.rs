//! Tournaments: plans, schedules, workers, journals, resume, shards, merge, standings, replay, and
//! comparisons. The crate writes to no terminal and has no HTTP code.
//!
#![doc = include_str!("../README.md")]

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
