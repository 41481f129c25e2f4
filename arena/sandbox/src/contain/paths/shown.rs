//! The paths that a bot may see.

use std::path::PathBuf;

/// The file that makes a folder a results directory, which bots must not read.
pub const RESULTS_MARK: &str = "tournament.json";

/// The canonical paths that a bot is shown in addition to the system's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Files and folders that it may read.
    pub(crate) read: Vec<PathBuf>,
    /// Folders whose names it may list, including the folders below them.
    pub(crate) list: Vec<PathBuf>,
}
