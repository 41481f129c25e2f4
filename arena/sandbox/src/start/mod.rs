//! Starting a program: what all of them share, and the arena's end of a supervisor.

pub(crate) mod attend;
pub(crate) mod host;
pub(crate) mod keep;
pub(crate) mod nursery;
pub(crate) mod spawn;
