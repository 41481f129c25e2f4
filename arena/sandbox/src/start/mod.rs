//! Starts programs: the settings that all starts share, the client of the fork server, and the handle of a supervisor.

pub(crate) mod attend;
pub(crate) mod host;
pub(crate) mod keep;
pub(crate) mod nursery;
pub(crate) mod spawn;
