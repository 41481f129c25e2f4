//! What was read of large journals, kept in the user's cache for the next command.
//!
//! A file there has the counts of the matches in the first part of a journal, and the hashes of that part. The part is
//! hashed again before the counts are used. Another program or another plan has another file.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Tally;
use crate::journal::Line;
use crate::journal::files::write_whole;
use crate::journal::results::private_folder;
use referee::record::hex;
use sandbox::confine::paths::cache;
use sandbox::cores;

/// The least growth of a journal that is kept. Fewer bytes are read in a moment.
const GROWTH_BYTES_MIN: u64 = 8 << 20;
/// The bytes that are hashed at once, at least.
const BLOCK_BYTES: u64 = 4 << 20;
/// The most bytes of all files. Beyond it, the oldest ones go.
const CACHE_BYTES_MAX: u64 = 1 << 30;

/// The part of a journal that was read, in whole lines.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Part {
    /// The number of its lines.
    pub(crate) lines: u64,
    /// The end of each block in bytes, and its hash.
    blocks: Vec<(u64, String)>,
}

impl Part {
    /// The length of the part, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.blocks.last().map_or(0, |(end, _)| *end)
    }

    /// Returns true if the file begins with this part. Uses all cores.
    fn is_of(&self, file: &File) -> bool {
        let next = AtomicUsize::new(0);
        let hold = || {
            let mut bytes = Vec::new();
            while let Some(place) =
                Some(next.fetch_add(1, Ordering::Relaxed)).filter(|it| *it < self.blocks.len())
            {
                let begin = if place == 0 { 0 } else { self.blocks[place - 1].0 };
                let (end, sha256) = &self.blocks[place];
                bytes.resize(end.saturating_sub(begin) as usize, 0);
                if file.read_exact_at(&mut bytes, begin).is_err() || hex(&Sha256::digest(&bytes)) != *sha256 {
                    return false;
                }
            }
            true
        };
        let is_ascending = self.blocks.is_sorted_by(|one, other| one.0 < other.0);
        let fits = file.metadata().is_ok_and(|facts| self.bytes() <= facts.len());
        is_ascending
            && fits
            && std::thread::scope(|scope| {
                let others: Vec<_> = (1..cores::given()).map(|_| scope.spawn(hold)).collect();
                hold() & others.into_iter().all(|other| other.join().unwrap_or_default())
            })
    }
}

/// The hashes of a journal while it is read.
#[derive(Debug)]
pub(crate) struct Hashed {
    part: Part,
    /// The end of the last line.
    end: u64,
    hasher: Sha256,
    /// The length of the part before.
    before: u64,
}

impl Hashed {
    /// Goes on after this part.
    pub(crate) fn after(part: Part) -> Hashed {
        let end = part.bytes();
        Hashed { part, end, hasher: Sha256::new(), before: end }
    }

    /// Adds the next line.
    pub(crate) fn add(&mut self, line: &Line<'_>) {
        self.hasher.update(line.bytes);
        (self.part.lines, self.end) = (line.number, line.offset + line.bytes.len() as u64);
        if self.end - self.part.bytes() >= BLOCK_BYTES {
            self.close();
        }
    }

    fn close(&mut self) {
        if self.end > self.part.bytes() {
            self.part.blocks.push((self.end, hex(&self.hasher.finalize_reset())));
        }
    }
}

/// The file of a journal in the user's cache.
#[derive(Debug)]
pub(crate) struct Kept(Option<PathBuf>);

impl Kept {
    /// Returns the file for the journal of a tournament with this text of its plan.
    pub(crate) fn of(journal: &Path, plan: &str) -> Kept {
        let program = || {
            let facts = fs::metadata("/proc/self/exe").ok()?;
            Some(format!("{} {} {}", facts.len(), facts.mtime(), facts.mtime_nsec()))
        };
        let path = || {
            let what = format!("{}\n{}\n{plan}", program()?, journal.canonicalize().ok()?.display());
            Some(cache()?.join(format!("{}.counts", &hex(&Sha256::digest(what))[..32])))
        };
        Kept(path())
    }

    /// Returns the counts of the first part of the journal, if they are kept and the journal begins with the same bytes.
    pub(crate) fn read(&self, journal: &File, empty: &Tally) -> Option<(Tally, Part)> {
        let bytes = fs::read(self.0.as_ref()?).ok()?;
        let head = bytes.iter().position(|&byte| byte == b'\n')?;
        let (part, sums): (Part, Tally) = serde_json::from_slice(&bytes[..head]).ok()?;
        let tally = empty.restored(sums, &bytes[head + 1..])?;
        part.is_of(journal).then_some((tally, part))
    }

    /// Keeps the counts of what was read, if it is worth it. A failure costs time only.
    pub(crate) fn write(&self, mut read: Hashed, tally: &Tally) {
        read.close();
        if read.end - read.before < GROWTH_BYTES_MIN {
            return;
        }
        let Some((path, folder)) = self.0.as_ref().and_then(|path| Some((path, path.parent()?))) else {
            return;
        };
        let mut bytes = serde_json::to_vec(&(&read.part, tally)).expect("plain data");
        bytes.push(b'\n');
        tally.store_matches(&mut bytes);
        let made = private_folder(folder);
        if made.is_ok() && write_whole(path, &bytes).is_ok() {
            sweep(folder);
        }
    }
}

/// Removes the oldest files of the cache beyond its size.
fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let facts = entries.filter_map(|entry| Some((entry.metadata().ok()?, entry.path())));
    let mut files: Vec<_> =
        facts.map(|(facts, path)| ((facts.mtime(), facts.mtime_nsec()), facts.len(), path)).collect();
    files.sort_unstable();
    let mut left = CACHE_BYTES_MAX;
    for (_, bytes, path) in files.into_iter().rev() {
        match left.checked_sub(bytes) {
            Some(rest) => left = rest,
            None => drop(fs::remove_file(path)),
        }
    }
}
