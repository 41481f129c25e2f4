//! Copies that stand for a bot's files while it plays. Whoever changes the files changes nothing for the bot.

use std::path::{Path, PathBuf};

use rustix::fs::CWD;
use rustix::mount::{MoveMountFlags, OpenTreeFlags, mount_bind, move_mount, open_tree};
use serde::{Deserialize, Serialize};

use crate::confine::namespaces::keep_mounts_apart;

/// A copy of a bot's folder, or of one file. The bot finds the copy in the place of the original.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The canonical path of the original.
    pub place: PathBuf,
    /// The path of the copy.
    pub copy: PathBuf,
    /// Files and folders in the original that the bot finds as they are. The copy has something of the same kind there.
    pub through: Vec<PathBuf>,
}

impl Held {
    /// Returns true if the path lies in the copy.
    pub fn covers(&self, path: &Path) -> bool {
        path.starts_with(&self.place) && !self.through.iter().any(|through| path.starts_with(through))
    }

    /// Returns the place of this path in the copy. A path outside of the original, and one that is shown as it is, is its
    /// own place.
    pub fn copy_of(&self, path: &Path) -> PathBuf {
        let inside = path.strip_prefix(&self.place).ok().filter(|_| self.covers(path));
        // Joining an empty path would end in a slash.
        inside.map_or(path.to_owned(), |rest| self.copy.components().chain(rest.components()).collect())
    }

    /// Covers the original with the copy, in this mount namespace.
    ///
    /// # Errors
    /// The original or the copy is gone, or the system does not allow mounts.
    pub(crate) fn cover(&self) -> rustix::io::Result<()> {
        keep_mounts_apart()?;
        let flags =
            OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
        let open = |path: &PathBuf| open_tree(CWD, path, flags);
        let opened: Vec<_> = self.through.iter().map(open).collect::<Result<_, _>>()?;
        mount_bind(&self.copy, &self.place)?;
        let empty = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        opened
            .iter()
            .zip(&self.through)
            .try_for_each(|(mount, path)| move_mount(mount, Path::new(""), CWD, path, empty))
    }
}
