//! Schedules: the pairings of bots and deals.
//!
//! A [`Schedule`] gives a tournament stage by stage. The matches of a stage do not wait for each other. The
//! next stage depends only on the results of all stages before it. Any number of workers and any interruption
//! therefore lead to the same matches. [`ScheduleProgress`] is the progress of a tournament; it can be rebuilt from the
//! journal alone.

mod draw;
mod field;
mod gauntlet;
mod indices;
mod knockout;
mod ladder;
mod lots;
mod outcome;
mod progress;
mod results;
mod round_robin;
mod seating;
mod settings;
mod stage;
mod swiss;
mod until_decided;

pub(crate) use draw::EXTRA;
pub use draw::Participants;
pub use field::Field;
pub use indices::Indices;
pub use knockout::Seeding;
use lots::Lots;
pub use outcome::{LadderRow, OpenPair, Outcome, SwissRow, SwissTable, TablePlace, Tie, TieBreak};
pub use progress::{OwnDeals, ScheduleProgress};
pub use results::Results;
pub use settings::{ROUNDS_DEFAULT, ScheduleName, Settings, positive};
pub(crate) use stage::Order;
pub use stage::{Pairing, Stage};

/// A plan of matches in stages.
pub trait Schedule: std::fmt::Debug + Send + Sync {
    /// Returns the stage with this number, from 0; `None` if the tournament is over. `results` has exactly
    /// the matches of the stages before it.
    fn stage(&self, number: u64, results: &Results) -> Option<Stage>;

    /// Returns true if stages depend on results. Otherwise there is one stage, its results are not kept, and
    /// its matches can be played in shards.
    fn is_adaptive(&self) -> bool {
        true
    }

    /// Returns the outcome after the finished stages, if the schedule has a table of its own.
    fn outcome(&self, _results: &Results, _names: &[String]) -> Option<Outcome> {
        None
    }
}
