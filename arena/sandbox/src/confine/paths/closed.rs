//! Finds files that their modes close to a bot of root, which has a user of its own. Such a bot needs a capability to
//! read what it is shown.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::confine::files::is_of_the_system;
use crate::confine::paths::found::Shown;

/// The modes that let other users pass through a folder, read a file, and list a folder.
const PASS: u32 = 0o001;
const READ: u32 = 0o004;
const LIST: u32 = READ | PASS;
/// With more files and folders than this, all count as closed. To look at them would take longer than the capability
/// costs.
const ENTRIES_MAX: usize = 4_096;

/// Returns true if a file that the bot is shown, or the folder for temporary files, is closed to other users.
pub(super) fn is_closed(shown: &Shown) -> bool {
    let mut entries_left = ENTRIES_MAX;
    let on_the_way =
        |path: &Path| path.ancestors().skip(1).any(|folder| !has(fs::metadata(folder).ok(), PASS));
    let mut read = shown.read.iter().map(|readable| &readable.path);
    let lists = |folder: &PathBuf| has(fs::metadata(folder).ok(), LIST) && !on_the_way(folder);
    on_the_way(&std::env::temp_dir().join("any"))
        || !shown.list.iter().all(lists)
        || read.any(|path| on_the_way(path) || !is_open(path, &mut entries_left))
}

/// Returns true if other users may read the file, or everything in the folder.
fn is_open(path: &Path, entries_left: &mut usize) -> bool {
    let Some(left) = entries_left.checked_sub(1) else { return false };
    *entries_left = left;
    let found = fs::symlink_metadata(path).ok();
    if is_of_the_system(path) || found.as_ref().is_some_and(Metadata::is_symlink) {
        return true; // what a link leads to is shown by itself
    }
    if !found.as_ref().is_some_and(Metadata::is_dir) {
        return has(found, READ);
    }
    let Ok(entries) = fs::read_dir(path) else { return false };
    has(found, LIST) && entries.flatten().all(|entry| is_open(&entry.path(), entries_left))
}

fn has(found: Option<Metadata>, mode: u32) -> bool {
    found.is_some_and(|found| found.mode() & mode == mode)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn one_closed_file_closes_its_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let (below, file) = (folder.path().join("below"), folder.path().join("below/file"));
        fs::create_dir(&below).expect("a folder");
        fs::write(&file, "").expect("a file");
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its mode")
        };
        for (folder_mode, file_mode, open) in
            [(0o755, 0o644, true), (0o755, 0o640, false), (0o750, 0o644, false)]
        {
            set(&below, folder_mode);
            set(&file, file_mode);
            assert_eq!(is_open(&below, &mut 2), open, "{folder_mode:o} {file_mode:o}");
        }
        set(&below, 0o755);
        assert!(!is_open(&below, &mut 1), "a folder with too many entries");
    }
}
