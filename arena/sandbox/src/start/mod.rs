//! Starts programs: the settings that all starts share, the client of the fork server, and the handle of a supervisor.

pub(crate) mod attend;
pub(crate) mod error;
pub(crate) mod explain;
pub(crate) mod fork_server;
pub(crate) mod handle;
pub(crate) mod host;
pub(crate) mod spawn;
