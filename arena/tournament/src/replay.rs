//! Replays records: proves them against the rules, feeds them to a program, and compares them.
//!
//! This module starts no bots. [`walk`] plays a record through the engine. [`Judge`] checks a whole line
//! against everything that can be computed again. [`Records`] are the matches of a file, checked in this way. [`prove`] checks a journal in this way. Random numbers
//! serve only to check that the deal belongs to the seed.

pub mod compare;
mod difference;
pub mod feed;
mod judge;
mod lines;
pub mod pair;
mod plan;
mod proof;
mod records;
pub mod selection;
mod source;
mod walk;

pub use difference::{Difference, Place};
pub use judge::{Judge, WatchRecord};
pub use lines::{Lines, Span};
pub use plan::PlanCheck;
pub use proof::{Proof, prove};
pub use records::{Records, Verified};
pub use source::Source;
pub use walk::{Watch, start_faults, walk};
