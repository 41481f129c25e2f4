//! A bot's scratch folder: the one place where it may write. Its size is bounded, and it is removed with the bot.
//!
//! All scratch folders are in one folder of the process that starts the supervisors. If a supervisor may mount, its bot gets a
//! file system in memory with a bounded size, mounted on this very folder. No other process sees it, and it ends with
//! the supervisor. Otherwise the bot gets a plain folder in there, which the supervisor watches and removes.

use std::ffi::CString;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::mount::{MountFlags, mount, mount_bind};
use rustix::process::Pid;

use crate::confine::namespaces::keep_mounts_apart;
use crate::confine::owned;
use crate::confine::paths::settled;

/// The most files and folders, of any size.
const ENTRIES_MAX: u64 = 8_192;
/// The least size that each of them counts as, in bytes.
const ENTRY_BYTES: u64 = 4_096;
/// The mode that gives rights to the owner alone.
const PRIVATE: u32 = 0o700;
/// The mode that also lets others pass through to their own folders.
const PASSABLE: u32 = 0o711;

/// The folder in which programs share memory and locks by name.
const SHARED_MEMORY: &str = "/dev/shm";

/// Returns true if a bot that may mount sees its scratch folder in the place of [`SHARED_MEMORY`]. Nothing else that
/// lies there can then be seen, so the arena itself must not work there.
pub(crate) fn covers_shared_memory() -> bool {
    let own = [Some(std::env::temp_dir()), std::env::current_dir().ok()];
    !own.into_iter().flatten().any(|folder| settled(&folder).starts_with(SHARED_MEMORY))
}

/// Returns true if this canonical path lies in [`SHARED_MEMORY`].
pub(crate) fn is_in_shared_memory(path: &Path) -> bool {
    path.starts_with(SHARED_MEMORY) && path != Path::new(SHARED_MEMORY)
}

/// The folder for the scratch folders of all supervisors. It is locked as long as any of them lives.
#[derive(Debug)]
pub(crate) struct ScratchRoot {
    path: PathBuf,
    _lock: File,
}

impl ScratchRoot {
    /// Makes the folder below the folder for temporary files, and removes the folders that other processes of this user
    /// left when they were killed. Returns `None` if the folder cannot be made.
    pub(crate) fn make() -> Option<ScratchRoot> {
        let create = |path: &Path| {
            DirBuilder::new().mode(PASSABLE).create(path)?;
            // The umask of the arena may have removed some of these rights.
            fs::set_permissions(path, Permissions::from_mode(PASSABLE))
        };
        owned::make(&std::env::temp_dir(), create, remove)
            .map(|(path, lock)| ScratchRoot { path, _lock: lock })
    }

    /// Removes the folder with everything in it.
    pub(crate) fn remove(self) {
        remove(&self.path);
    }
}

/// A scratch folder. Dropping it removes a plain one.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    bytes_max: u64,
    /// True if the folder is a file system with a bounded size.
    is_bounded: bool,
    /// Reports the first change to a plain folder, if inotify can watch it.
    watch: Option<OwnedFd>,
    /// True if the bot may have made something in a plain folder.
    pub(crate) is_used: bool,
}

impl Scratch {
    /// Makes the scratch folder of the supervisor with this number, for this user. Returns `None` if that fails.
    pub(crate) fn make(
        root: &ScratchRoot,
        supervisor: Pid,
        bytes_max: u64,
        user: Option<u32>,
        may_mount: bool,
    ) -> Option<Scratch> {
        let is_bounded = may_mount && mount_memory(&root.path, bytes_max).is_ok();
        let path = if is_bounded { root.path.clone() } else { make_folder(&root.path, supervisor)? };
        let watch = if is_bounded { None } else { watch(&path).ok() };
        // A folder that nothing watches is measured from the start.
        let is_used = !is_bounded && watch.is_none();
        let scratch = Scratch { path, bytes_max, is_bounded, watch, is_used };
        if user.is_some() {
            chown(&scratch.path, user, user).ok()?;
        }
        if is_bounded && covers_shared_memory() {
            // The bot gets its own; on a system without the folder there is nothing to share.
            let _ = mount_bind(&scratch.path, SHARED_MEMORY);
        }
        Some(scratch)
    }

    /// Returns the path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a descriptor that becomes readable when the bot first makes something in a plain folder.
    pub(crate) fn watch(&self) -> Option<&OwnedFd> {
        self.watch.as_ref()
    }

    /// Returns true if a plain folder holds more than it may.
    pub(crate) fn is_overfull(&self) -> bool {
        let mut left = self.bytes_max;
        !self.is_bounded && !fits(&self.path, &mut left)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.is_bounded {
            remove(&self.path);
        }
    }
}

/// A folder that a bot may write to, with the size in bytes that it may reach.
#[derive(Debug)]
pub(crate) struct Growing {
    path: PathBuf,
    bytes_max: u64,
}

impl Growing {
    /// Measures a folder that may grow by this number of bytes.
    pub(crate) fn new(path: &Path, bytes: u64) -> Growing {
        let mut left = u64::MAX;
        fits(path, &mut left);
        Growing { path: path.to_owned(), bytes_max: (u64::MAX - left).saturating_add(bytes) }
    }

    /// Returns true if the folder holds more than it may.
    pub(crate) fn is_overfull(&self) -> bool {
        !fits(&self.path, &mut { self.bytes_max })
    }
}

/// Makes an empty folder named by the number of the supervisor. It replaces a folder that an earlier, killed supervisor left.
fn make_folder(below: &Path, supervisor: Pid) -> Option<PathBuf> {
    let path = below.join(supervisor.as_raw_nonzero().to_string());
    remove(&path);
    DirBuilder::new().mode(PRIVATE).create(&path).ok().map(|()| path)
}

/// Removes a folder, even if folders in it are closed to their owner.
fn remove(folder: &Path) {
    if fs::remove_dir_all(folder).is_err() {
        open_up(folder);
        let _ = fs::remove_dir_all(folder);
    }
}

/// Mounts a file system in memory. The supervisor needs a mount namespace of its own for that.
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

/// Returns true if everything below `folder` takes no more than `left` bytes, and lowers `left` by its size.
fn fits(folder: &Path, left: &mut u64) -> bool {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        // The folder is gone meanwhile, or closed to this process. Any other error, such as a path that is too deep,
        // counts as too much.
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
