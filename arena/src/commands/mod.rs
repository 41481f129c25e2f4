//! The commands. Each turns its arguments into calls, and the results into text.

pub(crate) mod analyze;
pub(crate) mod bots;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod feed;
pub(crate) mod match_;
pub(crate) mod matches;
pub(crate) mod merge;
pub(crate) mod moves;
pub(crate) mod new;
pub(crate) mod plan;
pub(crate) mod play;
pub(crate) mod protocol;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod rerun;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod standings;
pub(crate) mod submissions;
pub(crate) mod suite;
pub(crate) mod tournament;
pub(crate) mod view;
