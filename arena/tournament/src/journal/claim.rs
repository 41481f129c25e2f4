//! The claim of a directory of results. An arena takes it before it starts any bot, so that no other arena can use the
//! directory in between.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::files::sweep;
use crate::plan::TOURNAMENT;
use referee::error::Error;

/// The number of tries to lock a directory, and the pause after each.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// The hint for a directory that cannot be used.
const ANOTHER: &str = "choose another directory with --out";

/// The right to write to a directory of results. Dropping it releases the lock; so does the kernel when the process
/// ends. A directory that is still empty then is removed, with the empty folders that were made for it.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    _lock: File,
    /// The folders that this claim has made, the outermost last.
    made: Vec<PathBuf>,
}

impl Claim {
    /// Claims a directory for a new tournament. It must be missing or empty. `resumes` is true if the command has
    /// `--resume`.
    ///
    /// # Errors
    /// The directory has files or another arena writes to it, or it cannot be made.
    pub fn fresh(path: &Path, resumes: bool) -> Result<Claim, Error> {
        let claim = Claim::of(path, FlockOperation::NonBlockingLockExclusive)?;
        let entries = fs::read_dir(path).map_err(|error| unusable(path, &error))?;
        match entries.count() {
            0 => Ok(claim),
            _ => Err(in_use(path, resumes)),
        }
    }

    /// Claims the first directory `NAME-NUMBER` in `parent` that does not exist yet.
    ///
    /// # Errors
    /// The directory cannot be made.
    pub fn numbered(parent: &Path, name: &str) -> Result<Claim, Error> {
        loop {
            let path = next_free(parent, name);
            if let Some(claim) = Claim::make(&path, FlockOperation::NonBlockingLockExclusive, true)? {
                return Ok(claim);
            }
        }
    }

    /// Claims the directory of a tournament that was begun.
    ///
    /// # Errors
    /// Another arena writes to the directory, or it cannot be opened.
    pub fn begun(path: &Path) -> Result<Claim, Error> {
        let lock = lock(path, FlockOperation::NonBlockingLockExclusive)?;
        let lock = lock.ok_or_else(|| Error::unreadable(path, &ErrorKind::NotFound.into()))?;
        Ok(Claim { path: path.to_owned(), _lock: lock, made: Vec::new() })
    }

    /// Claims a directory together with the other shards of its tournament. Makes it if it is missing.
    ///
    /// # Errors
    /// As [`fresh`](Self::fresh), but the directory may have files.
    pub fn shared(path: &Path) -> Result<Claim, Error> {
        Claim::of(path, FlockOperation::NonBlockingLockShared)
    }

    fn of(path: &Path, operation: FlockOperation) -> Result<Claim, Error> {
        loop {
            if let Some(claim) = Claim::make(path, operation, false)? {
                return Ok(claim);
            }
        }
    }

    /// Makes and locks a directory. Returns `None` if another arena has removed it meanwhile, or has made one that
    /// must be new.
    fn make(path: &Path, operation: FlockOperation, is_new: bool) -> Result<Option<Claim>, Error> {
        let mut made = make_above(path)?;
        match fs::create_dir(path) {
            Ok(()) => made.insert(0, path.to_owned()),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && is_new => return Ok(None),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(unusable(path, &ErrorKind::NotADirectory.into()));
            }
            Err(error) => return Err(unusable(path, &error)),
        }
        Ok(lock(path, operation)?.map(|lock| Claim { path: path.to_owned(), _lock: lock, made }))
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.made.iter().all(|folder| fs::remove_dir(folder).is_ok());
    }
}

/// Returns the first path `NAME-NUMBER` in `parent` that does not exist.
pub fn next_free(parent: &Path, name: &str) -> PathBuf {
    let path = |number: u64| parent.join(format!("{name}-{number}"));
    (1..).map(path).find(|path| !path.exists()).expect("numbers do not run out")
}

/// Returns true if an arena is writing to the directory; `None` if the file system does not tell.
pub fn is_written(dir: &Path) -> Option<bool> {
    let file = File::open(dir).ok()?;
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Some(false),
        Err(Errno::WOULDBLOCK) => Some(true),
        Err(_) => None,
    }
}

/// Makes the missing folders above a path. Returns them, the outermost last.
fn make_above(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let above = path.ancestors().skip(1).take_while(|folder| !folder.as_os_str().is_empty());
    let missing: Vec<PathBuf> = above.take_while(|folder| !folder.exists()).map(PathBuf::from).collect();
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.map_or(Ok(()), fs::create_dir_all).map_err(|error| unusable(path, &error))?;
    Ok(missing)
}

/// Locks a directory, and removes what killed runs have left in it. Returns `None` if another arena removed the
/// directory meanwhile.
fn lock(dir: &Path, operation: FlockOperation) -> Result<Option<File>, Error> {
    let file = match File::open(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(|error| Error::unreadable(dir, &error))?,
    };
    for tries in 0.. {
        match flock(&file, operation) {
            // The arena also plays on a file system without locks.
            Ok(()) | Err(Errno::NOTSUP | Errno::NOLCK) => break,
            // [`is_written`] holds the lock for an instant.
            Err(_) if tries < LOCK_TRIES => std::thread::sleep(LOCK_PAUSE),
            Err(_) => {
                return Err(Error::usage(format!("another arena is writing to {}", dir.display()))
                    .hint("wait for it, or choose another directory with --out"));
            }
        }
    }
    let same =
        |one: &fs::Metadata, other: &fs::Metadata| (one.dev(), one.ino()) == (other.dev(), other.ino());
    let is_there = file.metadata().is_ok_and(|held| fs::metadata(dir).is_ok_and(|now| same(&held, &now)));
    if !is_there {
        return Ok(None);
    }
    if matches!(operation, FlockOperation::NonBlockingLockExclusive) {
        sweep(dir);
    }
    Ok(Some(file))
}

fn in_use(path: &Path, resumes: bool) -> Error {
    let hint = match resumes && path.join(TOURNAMENT).exists() {
        true => "continue it with --resume, or choose another directory with --out",
        false => "choose another directory with --out, or remove this one",
    };
    Error::usage(format!("{} already exists and is not empty", path.display())).hint(hint)
}

fn unusable(path: &Path, error: &std::io::Error) -> Error {
    Error::usage(format!("cannot use {} for results: {error}", path.display())).hint(ANOTHER)
}
