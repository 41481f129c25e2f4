//! What a bot may see.

use std::path::PathBuf;

/// The file that makes a folder a results directory, which bots must not read.
pub const RESULTS_MARK: &str = "tournament.json";

/// What a bot is shown beside the system's files; canonical paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Files and folders that it may read.
    pub(crate) read: Vec<PathBuf>,
    /// Folders whose names it may list, and those below.
    pub(crate) list: Vec<PathBuf>,
}
