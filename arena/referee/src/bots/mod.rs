//! Bots on the command line and in files.

pub mod allowance;
pub mod bundled;
pub mod entrants;
pub mod names;
