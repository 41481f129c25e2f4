//! A bot's scratch folder: the one place where it may write, bounded, and gone with it.
//!
//! Where the keeper may mount, the folder is a file system in memory of that size, which nobody else sees
//! and which ends with the keeper. Elsewhere it is a plain folder that the keeper watches and removes.

use std::ffi::CString;
use std::fs::{self, DirBuilder, Permissions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::getpid;

/// The most files and folders, however small.
const ENTRIES_MAX: u64 = 8_192;
/// What each takes at least, in bytes.
const ENTRY_BYTES: u64 = 4_096;
/// The owner's rights alone.
const PRIVATE: u32 = 0o700;
/// Names that were taken are passed over so often.
const TRIES_MAX: u64 = 100;

/// A scratch folder; removed when it is dropped.
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
    /// Makes one for this user, below the folder for temporary files. None if that cannot be.
    pub(crate) fn make(bytes_max: u64, user: Option<u32>, may_mount: bool) -> Option<Scratch> {
        let path = make_folder(&std::env::temp_dir())?;
        let mut scratch = Scratch { path, bytes_max, watch: None, is_used: false };
        let is_bounded = may_mount && mount_memory(&scratch.path, bytes_max).is_ok();
        if user.is_some() {
            chown(&scratch.path, user, user).ok()?;
        }
        if !is_bounded {
            scratch.watch = Some(watch(&scratch.path).ok()?);
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
        if self.watch.is_none() {
            // What it held ends with the mount; only the empty folder is everybody's.
            let _ = rustix::mount::unmount(&self.path, rustix::mount::UnmountFlags::DETACH);
        }
        if fs::remove_dir_all(&self.path).is_err() {
            open_up(&self.path); // a folder that even its owner may not enter
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// A name that nobody has: the number of the keeper, and one more where an earlier keeper left its own.
fn make_folder(below: &Path) -> Option<PathBuf> {
    (0..TRIES_MAX).find_map(|number| {
        let path = below.join(format!("arena-bot-{}-{number}", getpid().as_raw_nonzero()));
        DirBuilder::new().mode(PRIVATE).create(&path).ok().map(|()| path)
    })
}

/// Needs a mount namespace of the keeper's own.
fn mount_memory(path: &Path, bytes_max: u64) -> rustix::io::Result<()> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
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
    let Ok(entries) = fs::read_dir(folder) else { return true };
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
