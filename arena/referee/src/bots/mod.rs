//! Bots on the command line and in files.

pub mod bundled;
pub mod contents;
pub mod digests;
pub mod entrants;
pub mod grants;
pub mod names;
pub mod size;
pub mod watched;
