//! A bot's scratch folder: the one place where it may write, bounded, and gone with it.
//!
//! All of them are in one folder of the process that starts the keepers. Where a keeper may mount, the bot's is
//! a file system in memory of that size in this very place, which nobody else sees and which ends with the
//! keeper. Elsewhere it is a plain folder in there that the keeper watches and removes.

use std::ffi::CString;
use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::mount::{MountFlags, mount};
use rustix::process::{Pid, getpid, getuid};

use crate::contain::namespaces::keep_mounts_apart;

/// The most files and folders, however small.
const ENTRIES_MAX: u64 = 8_192;
/// What each takes at least, in bytes.
const ENTRY_BYTES: u64 = 4_096;
/// The owner's rights alone.
const PRIVATE: u32 = 0o700;
/// Names that were taken are passed over so often.
const TRIES_MAX: u32 = 100;
/// Others may go through to what is theirs.
const PASSABLE: u32 = 0o711;
/// What the folders of all keepers are called, before the number of the process they belong to.
const ROOT_PREFIX: &str = "arena-bots-";

/// The folder for the scratch folders of all keepers. It is locked as long as any of them lives, for whoever
/// wants to know that without seeing their processes.
#[derive(Debug)]
pub(crate) struct ScratchRoot {
    path: PathBuf,
    _lock: File,
}

impl ScratchRoot {
    /// Makes it below the folder for temporary files, and removes those that other processes of this user
    /// left when they were killed. None if it cannot be made.
    pub(crate) fn make() -> Option<ScratchRoot> {
        let below = std::env::temp_dir();
        sweep(&below);
        (0..TRIES_MAX).find_map(|number| {
            let path = below.join(format!("{ROOT_PREFIX}{}-{number}", getpid().as_raw_nonzero()));
            DirBuilder::new().mode(PASSABLE).create(&path).ok()?;
            // Whatever mask of rights the arena was started with.
            fs::set_permissions(&path, Permissions::from_mode(PASSABLE)).ok()?;
            let folder = File::open(&path).ok()?;
            // Another process may have found it unlocked and be removing it. Where there are no locks nobody can.
            let is_doomed = matches!(folder.try_lock(), Err(TryLockError::WouldBlock)) || !path.exists();
            (!is_doomed).then_some(ScratchRoot { path, _lock: folder })
        })
    }

    /// Removes it with all that is in it.
    pub(crate) fn remove(self) {
        remove(&self.path);
    }
}

/// A scratch folder; a plain one is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    bytes_max: u64,
    /// Tells of the first change to a plain folder; none where the folder bounds itself.
    watch: Option<OwnedFd>,
    /// Whether the bot has made anything in a plain folder.
    pub(crate) is_used: bool,
}

impl Scratch {
    /// Makes one of the keeper with this number for this user. None if that cannot be.
    pub(crate) fn make(
        root: &ScratchRoot,
        keeper: Pid,
        bytes_max: u64,
        user: Option<u32>,
        may_mount: bool,
    ) -> Option<Scratch> {
        let is_bounded = may_mount && mount_memory(&root.path, bytes_max).is_ok();
        let path = if is_bounded { root.path.clone() } else { make_folder(&root.path, keeper)? };
        let mut scratch = Scratch { path, bytes_max, watch: None, is_used: false };
        if !is_bounded {
            scratch.watch = Some(watch(&scratch.path).ok()?);
        }
        if user.is_some() {
            chown(&scratch.path, user, user).ok()?;
        }
        Some(scratch)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Becomes readable when the bot first makes something in a plain folder.
    pub(crate) fn watch(&self) -> Option<&OwnedFd> {
        self.watch.as_ref()
    }

    /// Whether a plain folder holds more than it may.
    pub(crate) fn is_overfull(&self) -> bool {
        let mut left = self.bytes_max;
        self.watch.is_some() && !fits(&self.path, &mut left)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.watch.is_some() {
            remove(&self.path);
        }
    }
}

/// An empty folder named by the number of the keeper, also where an earlier one that was killed left its own.
fn make_folder(below: &Path, keeper: Pid) -> Option<PathBuf> {
    let path = below.join(keeper.as_raw_nonzero().to_string());
    remove(&path);
    DirBuilder::new().mode(PRIVATE).create(&path).ok().map(|()| path)
}

/// Removes a folder, also with folders in it that even their owner may not enter.
fn remove(folder: &Path) {
    if fs::remove_dir_all(folder).is_err() {
        open_up(folder);
        let _ = fs::remove_dir_all(folder);
    }
}

/// Removes this user's folders that nobody holds any more.
fn sweep(below: &Path) {
    let own = getuid().as_raw();
    for entry in fs::read_dir(below).into_iter().flatten().flatten() {
        let is_one = entry.file_name().as_encoded_bytes().starts_with(ROOT_PREFIX.as_bytes());
        if is_one
            && entry.metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == own)
            && let Some(_lock) = lock(&entry.path())
        {
            remove(&entry.path());
        }
    }
}

/// The folder, locked until it is closed; none if another process holds it.
fn lock(folder: &Path) -> Option<File> {
    let folder = File::open(folder).ok()?;
    folder.try_lock().ok().map(|()| folder)
}

/// Needs a mount namespace of the keeper's own.
fn mount_memory(path: &Path, bytes_max: u64) -> rustix::io::Result<()> {
    keep_mounts_apart()?;
    let options = format!("size={bytes_max},nr_inodes={ENTRIES_MAX},mode=700");
    let options = CString::new(options).expect("there is no NUL in numbers");
    let flags = MountFlags::NODEV | MountFlags::NOSUID;
    mount("arena", path, "tmpfs", flags, Some(options.as_c_str()))
}

fn watch(path: &Path) -> rustix::io::Result<OwnedFd> {
    let watch = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
    inotify::add_watch(&watch, path, WatchFlags::CREATE | WatchFlags::MOVED_TO)?;
    Ok(watch)
}

/// Whether everything below `folder` takes no more than `left` bytes.
fn fits(folder: &Path, left: &mut u64) -> bool {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        // Gone meanwhile, or closed to this process; of what else cannot be looked at, too deep for a path, nothing good comes.
        Err(error) => return matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied),
    };
    entries.flatten().all(|entry| {
        let Ok(meta) = entry.metadata() else { return true };
        let Some(rest) = left.checked_sub(ENTRY_BYTES.max(meta.blocks() * 512)) else { return false };
        *left = rest;
        !meta.is_dir() || fits(&entry.path(), left)
    })
}

fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(PRIVATE));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        sweep(below.path());
        assert_eq!([&left, &held, &file, &other].map(|path| path.exists()), [false, true, true, true]);
        drop(lock);
        sweep(below.path());
        assert!(!held.exists());
    }
}
