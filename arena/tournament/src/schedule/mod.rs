//! Who meets whom on which deal.
//!
//! A [`Schedule`] gives a tournament stage by stage. The matches of a stage do not wait for each
//! other; those of the next stage follow from the results of all stages before it, and from nothing
//! else, so any number of jobs and any interruption come to the same matches. [`Course`] is how far a
//! tournament has come; the journal is all it needs to know that.

mod course;
mod field;
mod gauntlet;
mod indices;
mod knockout;
mod ladder;
mod outcome;
mod results;
mod round_robin;
mod settings;
mod stage;
mod swiss;
mod until_decided;

pub use course::Course;
pub use field::Field;
pub use indices::Indices;
pub use knockout::Seeding;
pub use outcome::{LadderRow, OpenPair, Outcome, SwissRow, Tie, TieBreak};
pub use results::Results;
pub use settings::{ScheduleName, Settings};
pub use stage::{Pairing, Stage};

/// A plan of matches in stages.
pub trait Schedule: std::fmt::Debug + Send + Sync {
    /// The stage with this number, from 0, by the `results` of all matches of the stages before it and
    /// no others; `None` where the tournament is over.
    fn stage(&self, number: u64, results: &Results) -> Option<Stage>;

    /// Whether stages follow from results. Otherwise there is one stage, no result is kept for it, and
    /// its matches can be played in parts.
    fn is_adaptive(&self) -> bool {
        true
    }

    /// What the results of the finished stages come to, beside the tables that every tournament has.
    fn outcome(&self, _results: &Results, _names: &[String]) -> Option<Outcome> {
        None
    }
}
