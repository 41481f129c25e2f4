//! Pages: a match as one file, a tournament as it runs, and a person's seat. Knows no command line.

pub mod human;
pub mod pages;
pub mod serve;
pub mod view;
pub mod web;

pub(crate) use ::referee::{chair, clock, entrants, error, games, note, record};
pub(crate) use ::tournament::{
    journal,
    journal::results,
    plan,
    plan::hosts,
    replay, report,
    run::{live, resume, shard},
    schedule, standings,
};
pub(crate) use sandbox::text;
