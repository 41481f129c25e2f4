//! Records played again: proven against the rules, fed to a program, compared with each other.
//!
//! Nothing here starts a bot. A record is played through the engine by [`walk`]; [`Judge`] holds a
//! whole line against everything that can be computed again; [`prove`] does so for a journal.
//! Chance is used only to see whether the deal is the one of the seed.

pub mod compare;
mod difference;
pub mod feed;
mod judge;
mod lines;
pub mod pair;
mod plan;
mod proof;
mod source;
mod walk;

pub use difference::{Difference, Place};
pub use judge::{Judge, WatchRecord};
pub use lines::Lines;
pub use plan::PlanCheck;
pub use proof::{Proof, prove};
pub use source::Source;
pub use walk::{Watch, start_faults, walk};
