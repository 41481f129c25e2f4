//! The paths that a bot may see.

use std::fmt;
use std::path::PathBuf;

/// The file that makes a folder a results directory, which bots must not read.
pub const RESULTS_MARK: &str = "tournament.json";

/// A file or folder that a bot may read, in addition to the system's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readable {
    /// The canonical path. For a folder, the bot may read everything in it.
    pub path: PathBuf,
    /// The first reason that opened it.
    pub reason: Reason,
}

/// The reason why a bot may read a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The bot's program, its interpreter, and the files of their installations.
    Program,
    /// The executable of the arena itself, which scripts around bundled bots start.
    Arena,
    /// An argument of the command names it, or a file next to it.
    Named,
    /// The bot starts there.
    WorkingDirectory,
    /// The user allowed it.
    Granted,
    /// It belongs to the project around the bot's files.
    Project,
    /// It is a folder of packages above the bot's files.
    PackagesAbove,
    /// The user has installed packages there.
    UserPackages,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Program => "its program, and the installation of the program",
            Reason::Arena => "the arena's own program",
            Reason::Named => "named in its command, or next to a file named there",
            Reason::WorkingDirectory => "its working directory",
            Reason::Granted => "allowed by --read, or by \"read\" in a league file",
            Reason::Project => "the project around its files",
            Reason::PackagesAbove => "packages in a folder above its files",
            Reason::UserPackages => "packages that you have installed for yourself",
        })
    }
}

/// The canonical paths that a bot is shown in addition to the system's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Files and folders that it may read.
    pub(crate) read: Vec<Readable>,
    /// Folders whose names it may list, including the folders below them.
    pub(crate) list: Vec<PathBuf>,
    /// A link in the command that leads out of the bot's files, if the sandbox does not open such links.
    pub(crate) refused: Option<PathBuf>,
}

impl Shown {
    /// Returns the files and folders that the bot may read, without the reasons.
    pub(crate) fn read_paths(&self) -> Vec<PathBuf> {
        self.read.iter().map(|readable| readable.path.clone()).collect()
    }
}
