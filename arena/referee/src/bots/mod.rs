//! Bots on the command line and in files.

pub mod bundled;
pub mod diagnosis;
pub mod digests;
pub mod entrants;
pub mod files;
pub mod grants;
pub mod held;
pub mod identity;
pub mod names;
pub mod preflight;
mod shell;
pub mod size;
pub mod watched;
