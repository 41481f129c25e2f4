//! Interfaces to the system: calls, cores, processor time, memory, process trees.

pub(crate) mod available;
pub mod cores;
pub(crate) mod hidden;
pub(crate) mod stolen;
pub(crate) mod sys;
pub(crate) mod tree;
