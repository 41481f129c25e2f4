//! Folders that live as long as the process that made them. The process holds a lock on its folder. Other arenas see from
//! the lock that the folder is in use, even if they cannot see the process, and remove the folders that killed arenas left.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::{getpid, getuid};

/// Prefix of the name of each folder. The number of its process and of the try follow it.
const PREFIX: &str = "arena-bots-";
/// The most names that are tried if some are taken.
const TRIES_MAX: u32 = 100;

/// Makes a folder of this process below `below` with `create`, and removes the folders that killed arenas of this user
/// left there with `remove`. Returns its path and the descriptor that locks it, or `None` if it cannot be made.
pub(super) fn make(
    below: &Path,
    create: impl Fn(&Path) -> io::Result<()>,
    remove: fn(&Path),
) -> Option<(PathBuf, File)> {
    sweep(below, remove);
    (0..TRIES_MAX).find_map(|number| {
        let path = below.join(format!("{PREFIX}{}-{number}", getpid().as_raw_nonzero()));
        create(&path).ok()?;
        let folder = File::open(&path).ok()?;
        // Another process may have found it unlocked and be removing it. No process can do that on systems without
        // locks.
        let is_doomed = matches!(folder.try_lock(), Err(TryLockError::WouldBlock)) || !path.exists();
        (!is_doomed).then_some((path, folder))
    })
}

/// Removes this user's folders that no process holds any more.
fn sweep(below: &Path, remove: fn(&Path)) {
    let own = getuid().as_raw();
    for entry in fs::read_dir(below).into_iter().flatten().flatten() {
        let is_one = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes());
        if is_one
            && entry.metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == own)
            && let Some(_lock) = lock(&entry.path())
        {
            remove(&entry.path());
        }
    }
}

/// Returns the folder, locked until it is closed. Returns `None` if another process holds it.
fn lock(folder: &Path) -> Option<File> {
    let folder = File::open(folder).ok()?;
    folder.try_lock().ok().map(|()| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remove(folder: &Path) {
        let _ = fs::remove_dir_all(folder);
    }

    #[test]
    fn a_folder_that_nobody_holds_is_swept_and_no_other() {
        let below = tempfile::tempdir().expect("a folder for temporary files");
        let folder = |name: &str| {
            let path = below.path().join(name);
            fs::create_dir_all(path.join("in it")).expect("it can be written to");
            path
        };
        let (left, held) = (folder("arena-bots-1-0"), folder("arena-bots-2-0"));
        let (file, other) = (below.path().join("arena-bots-3-0"), folder("arena-botany"));
        fs::write(&file, "").expect("it can be written to");
        let lock = lock(&held).expect("nobody else knows it");
        sweep(below.path(), remove);
        assert_eq!([&left, &held, &file, &other].map(|path| path.exists()), [false, true, true, true]);
        drop(lock);
        sweep(below.path(), remove);
        assert!(!held.exists());
    }

    #[test]
    fn a_folder_that_another_arena_sweeps_before_its_lock_is_made_again() {
        let below = tempfile::tempdir().expect("a folder for temporary files");
        let own = |number| below.path().join(format!("{PREFIX}{}-{number}", getpid().as_raw_nonzero()));
        let sweeper = std::cell::OnceCell::new();
        let create = |path: &Path| {
            fs::create_dir(path)?;
            let _ = sweeper.set(lock(path).expect("it is not locked yet"));
            Ok(())
        };
        let made = make(below.path(), create, remove);
        assert_eq!(made.map(|(path, _)| path), Some(own(1)));
    }
}
