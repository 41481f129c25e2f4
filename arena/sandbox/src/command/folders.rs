//! Folders and files that a bot must not see.

use std::path::PathBuf;

/// What must not be shown to a bot. All paths are canonical.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Programs, arguments and starting folders of other bots.
    pub others: Vec<PathBuf>,
    /// What other bots are allowed to read.
    pub reads: Vec<PathBuf>,
    /// Where the arena is writing.
    pub results: Vec<PathBuf>,
}

impl Hidden {
    /// Everything that is hidden.
    pub fn all(&self) -> impl Iterator<Item = &PathBuf> {
        self.others.iter().chain(&self.reads).chain(&self.results)
    }

    /// The same without what the arena writes.
    pub(crate) fn of_bots(&self) -> impl Iterator<Item = &PathBuf> {
        self.others.iter().chain(&self.reads)
    }
}
