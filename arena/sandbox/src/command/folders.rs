//! Folders and files that a bot must not see.

use std::path::PathBuf;

/// The paths that a bot must not see. All paths are canonical.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Programs, arguments and working directories of other bots.
    pub others: Vec<PathBuf>,
    /// Paths that other bots may read.
    pub reads: Vec<PathBuf>,
    /// Paths to which the arena writes.
    pub results: Vec<PathBuf>,
}

impl Hidden {
    /// Returns all hidden paths.
    pub fn all(&self) -> impl Iterator<Item = &PathBuf> {
        self.others.iter().chain(&self.reads).chain(&self.results)
    }

    /// Returns the hidden paths except those to which the arena writes.
    pub(crate) fn of_bots(&self) -> impl Iterator<Item = &PathBuf> {
        self.others.iter().chain(&self.reads)
    }
}
