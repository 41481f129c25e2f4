//! The digests of bots' files. A file can be large, so a thread of its own reads it while the arena obeys signals.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytesize::ByteSize;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::oneshot;

use crate::error::Error;
use crate::note::note;
use crate::record::hex;
use sandbox::text;

/// The largest file of a bot, in bytes. A file with holes can be larger than its disk.
const FILE_BYTES_MAX: u64 = 8 << 30;
/// The time of silent reading before a note names the file.
const SILENT_MAX: Duration = Duration::from_secs(2);
/// The bytes that are read at once. Between two reads the thread may write a note, or end.
const PIECE_BYTES: usize = 1 << 20;

/// The most files in an index.
const INDEX_FILES_MAX: usize = 20_000;
/// The time in which a file can change twice under one time of change, in seconds. Some file systems have no finer times.
const UNSETTLED_SECONDS: i64 = 2;
/// The place of the seconds of the last change in a stamp.
const CHANGED: usize = 5;

/// A file with the digest of its contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileDigest {
    /// The resolved path.
    pub path: PathBuf,
    /// The SHA-256 of the file's bytes, in hexadecimal.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub sha256: String,
}

/// What the system says of a file without reading it. Every change of the file changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp([i64; 7]);

impl Stamp {
    pub(super) fn of(path: &Path) -> Option<Stamp> {
        fs::metadata(path).ok().as_ref().map(Stamp::new)
    }

    fn new(facts: &Metadata) -> Stamp {
        let (device, file) = (facts.dev().cast_signed(), facts.ino().cast_signed());
        let changed = [facts.mtime(), facts.mtime_nsec(), facts.ctime(), facts.ctime_nsec()];
        let [mtime, mtime_nsec, ctime, ctime_nsec] = changed;
        Stamp([device, file, facts.size().cast_signed(), mtime, mtime_nsec, ctime, ctime_nsec])
    }
}

/// The digests of files, by path, with what the system said of each before. Several bots can share a file, such as
/// their interpreter.
#[derive(Debug, Default)]
pub struct Digests(HashMap<PathBuf, (Stamp, String)>);

impl Digests {
    /// Reads each file once, and leaves out unreadable files. Writes a note if that takes long. Dropping the future ends the
    /// reading.
    ///
    /// # Errors
    /// The machine cannot start a thread.
    pub async fn of(paths: BTreeSet<PathBuf>) -> Result<Digests, Error> {
        apart("digests", move |is_over| Digests::read(paths, &Digests::default(), is_over)).await
    }

    /// Reads each file once that is not known, on the current thread, until `is_over`.
    pub(super) fn read(paths: BTreeSet<PathBuf>, known: &Digests, is_over: impl Fn() -> bool) -> Digests {
        let before = known;
        let mut silent_since = Instant::now();
        let mut known = HashMap::new();
        for path in paths {
            let stamp = Stamp::of(&path);
            if let Some(found) = before.get(&path).filter(|(then, _)| Some(*then) == stamp) {
                known.insert(path, found.clone());
                continue;
            }
            let digest = sha256(&path, &mut silent_since, &is_over);
            known.extend(stamp.zip(digest.ok()).map(|found| (path, found)));
        }
        Digests(known)
    }

    /// Reads an index. One that is not there or damaged is empty.
    pub(super) fn load(index: &Path) -> Digests {
        let rows = fs::read(index).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let rows: Vec<(PathBuf, (Stamp, String))> = rows.unwrap_or_default();
        Digests(rows.into_iter().collect())
    }

    /// Adds these files to an index that had `old`, without those that changed a moment ago: another change would have the
    /// same time.
    pub(super) fn save(&self, index: &Path, old: &Digests) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().cast_signed();
        let is_settled = |stamp: &Stamp| stamp.0[CHANGED] < now - UNSETTLED_SECONDS;
        let new = self.0.iter().filter(|(path, (stamp, _))| path.to_str().is_some() && is_settled(stamp));
        let new: Vec<_> = new.collect();
        if new.iter().all(|(path, found)| old.get(path) == Some(found)) {
            return;
        }
        let others = old.0.iter().filter(|(path, _)| !self.0.contains_key(*path));
        let rows: Vec<_> = new.into_iter().chain(others).take(INDEX_FILES_MAX).collect();
        let whole = index.with_extension(format!("{}", std::process::id()));
        let text = serde_json::to_vec(&rows).expect("texts and numbers");
        let _ = fs::write(&whole, text).and_then(|()| fs::rename(&whole, index));
    }

    /// Returns the file with its digest, if it was read.
    pub(super) fn file(&self, path: PathBuf) -> Option<FileDigest> {
        self.get(&path).cloned().map(|(_, sha256)| FileDigest { path, sha256 })
    }

    pub(super) fn get(&self, path: &Path) -> Option<&(Stamp, String)> {
        self.0.get(path)
    }
}

/// Works in a thread of this name, while the arena obeys signals. The work is told if nobody waits for it any more.
///
/// # Errors
/// The machine cannot start a thread.
pub(super) async fn apart<T: Send + 'static>(
    name: &str,
    work: impl FnOnce(&dyn Fn() -> bool) -> T + Send + 'static,
) -> Result<T, Error> {
    let (sender, result) = oneshot::channel();
    let work = move || {
        let done = work(&|| sender.is_closed());
        let _ = sender.send(done); // nobody waits after a signal
    };
    let started = thread::Builder::new().name(name.to_owned()).spawn(work);
    started.map_err(|error| Error::host(format!("cannot start a thread: {error}")))?;
    Ok(result.await.expect("the thread sends its result before it ends"))
}

/// Rejects a file that is too large to read for its digest.
///
/// # Errors
/// The message has the path and the size of the file.
pub(super) fn check_size(path: &Path) -> Result<(), Error> {
    let bytes = fs::metadata(path).map_or(0, |file| file.len());
    if bytes <= FILE_BYTES_MAX {
        return Ok(());
    }
    let (size, most) = (ByteSize(bytes), ByteSize(FILE_BYTES_MAX));
    Err(Error::usage(format!("{} has {size}, and a file of a bot at most {most}", path.display())).hint(
        "name a smaller file in the command; \"du -h --apparent-size\" shows the size of a file with holes",
    ))
}

/// Opens a file without a change of its access time, which a bot could see. Only owners of the file may do so.
///
/// # Errors
/// Returns the system's error.
pub(super) fn open_unseen(path: &Path) -> io::Result<File> {
    let unseen = OFlags::NOATIME.bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(unseen).open(path).or_else(|_| File::open(path))
}

/// Returns the digest of a file in hexadecimal.
pub(super) fn sha256_of(path: &Path) -> io::Result<String> {
    sha256(path, &mut Instant::now(), || false)
}

/// Returns the digest of a file in hexadecimal. Fails also once `is_over` returns true.
fn sha256(path: &Path, silent_since: &mut Instant, is_over: impl Fn() -> bool) -> io::Result<String> {
    let mut file = open_unseen(path)?.take(FILE_BYTES_MAX);
    let size = file.get_ref().metadata()?.len();
    let (mut hasher, mut piece, mut is_noted) = (Sha256::new(), vec![0; PIECE_BYTES], false);
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(bytes) => hasher.update(&piece[..bytes]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if is_over() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if !is_noted && silent_since.elapsed() > SILENT_MAX {
            note(&format!("note: reading {}, {}, to record its digest", text::path(path), ByteSize(size)));
            (is_noted, *silent_since) = (true, Instant::now());
        }
    }
}
