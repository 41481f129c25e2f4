//! Pages: a match as one file, a tournament as it runs, and a person's seat. Knows no command line.

pub mod human;
pub mod pages;
pub mod serve;
pub mod view;
pub mod web;

pub(crate) use ::referee::{chair, clock, entrants, error, games, note, record};
pub(crate) use ::tournament::{
    hosts, journal, live, plan, replay, report, results, resume, schedule, shard, standings,
};
pub(crate) use sandbox::text;
