//! What each command does: arguments to a plan, a call, a report.

pub(crate) mod bench;
pub(crate) mod bots;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod feed;
mod league;
mod limits;
pub(crate) mod match_;
pub(crate) mod merge;
pub(crate) mod new;
pub(crate) mod oracle;
mod out_file;
pub(crate) mod play;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod rerun;
mod runtime;
pub(crate) mod serve;
pub(crate) mod sitting;
pub(crate) mod standings;
mod tables;
pub(crate) mod tournament;
mod trust;
pub(crate) mod view;
