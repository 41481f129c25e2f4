//! Copies of bots' files, which stand for the files while a tournament plays. They are in the user's cache, one folder for
//! each state of a bot's files.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Metadata, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{StatVfsMountFlags, statvfs};
use sandbox::confine::paths::{cache, is_own_folder, settled};
use sandbox::{Held, text};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::bots::digests::{Digests, FileDigest, Stamp, apart, sha256_of};
use crate::bots::entrants::Entrant;
use crate::bots::files::{BotFiles, Contents, link_text, version_of};
use crate::bots::identity::Identity;
use crate::error::Error;
use crate::record::hex;

/// The store, in the folder for caches.
const STORE: &str = "held";
/// The description of a copy, the list of runs that need it, and the beginning of the names of unfinished copies.
const ABOUT: &str = "about.json";
const RUNS: &str = "runs";
/// The digests of files by their states.
const INDEX: &str = "index.json";
const UNFINISHED: &str = ".unfinished-";
/// The file that is locked while a copy is made.
const LOCK: &str = "lock";
/// How often it is tried, with the pause below in between: a minute.
const LOCK_TRIES: u32 = 240;
/// The largest file or folder of a bot's folder that is copied, in bytes, and the most files in it.
const PART_BYTES_MAX: u64 = 64 << 20;
const PART_FILES_MAX: usize = 4_096;
/// The size of the store above which copies without an unfinished run go, in bytes.
const STORE_BYTES_MAX: u64 = 2 << 30;
/// The time for which a copy stays after its last use, and a copy that was never finished.
const RECENT: Duration = Duration::from_secs(3_600);
/// How often a bot is looked at whose files change, and the pause between.
const TRIES_MAX: usize = 20;
const PAUSE: Duration = Duration::from_millis(250);
/// The bits of a mode that a copy keeps.
const MODE: u32 = 0o777;

/// What is done about files of bots that change while the bots play.
#[derive(Clone, Debug)]
pub enum Guard {
    /// The bots themselves may change their files. Only the files that a command names are watched.
    Named,
    /// Changes end the tournament. A reason says why no bot is held; without one, nobody needs to know.
    Watch(Option<String>),
    /// Changes of most files do not matter, because the bots play with copies.
    Hold(Store),
}

/// What identifies a file or a folder: its device, its number, and when it was made. A number can be used again.
pub type Place = (u64, u64, Option<SystemTime>);

/// Returns the places at which the bot has copies instead of files, or the one that is gone. A copy falls off when its place is
/// removed, and then the bot sees the files themselves, or nothing.
///
/// # Errors
/// Returns the place that is gone.
pub fn places(entrant: &Entrant) -> Result<Vec<Place>, &Path> {
    let places = entrant.command.held.iter().map(|held| {
        let facts = held.place.metadata().map_err(|_| held.place.as_path())?;
        Ok((facts.dev(), facts.ino(), facts.created().ok()))
    });
    places.collect()
}

/// The store of copies.
#[derive(Clone, Debug)]
pub struct Store(PathBuf);

/// What is copied for a bot: its folder, or a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Part {
    /// The path in the bot's folder.
    place: PathBuf,
    /// Everything in it, by its path there.
    entries: BTreeMap<PathBuf, Entry>,
}

/// A file or folder of a copy. A folder comes before what is in it, in the order of paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Entry {
    Folder {
        mode: u32,
    },
    File {
        mode: u32,
        bytes: u64,
        sha256: String,
        counts: bool,
    },
    Link(PathBuf),
    /// Shown as it is.
    Through {
        is_folder: bool,
    },
}

/// Why a bot is not held.
#[derive(Debug)]
pub(super) enum NotHeld {
    /// This file changed while it was copied.
    Changing(PathBuf),
    /// The reason, as an end of "because ...".
    Never(String),
}

impl Guard {
    /// Records the files of the bots, and holds or watches them. `recorded` has the bots of the tournament that goes on. One
    /// whose files are others now plays with the copy, if there is one. A thread of its own reads and copies.
    pub(super) async fn take(&self, entrants: &mut [Entrant], recorded: &[Identity]) -> Result<(), Error> {
        entrants.iter().try_for_each(Entrant::check_sizes)?;
        let (guard, mut all, recorded) = (self.clone(), entrants.to_vec(), recorded.to_vec());
        let taken = apart("files", move |is_over| guard.take_all(&mut all, &recorded, is_over).map(|()| all));
        entrants.clone_from_slice(&taken.await??);
        Ok(())
    }

    fn take_all(
        &self,
        entrants: &mut [Entrant],
        recorded: &[Identity],
        is_over: &dyn Fn() -> bool,
    ) -> Result<(), Error> {
        let none = Identity::default();
        let index = if let Guard::Hold(Store(folder)) = self { Some(folder.join(INDEX)) } else { None };
        let known = index.as_deref().map(Digests::load).unwrap_or_default();
        let mut open: Vec<&mut Entrant> = entrants.iter_mut().collect();
        for tries_left in (0..TRIES_MAX).rev() {
            let there = |entrant: &Entrant| recorded.iter().find(|there| there.name == entrant.identity.name);
            let found = |entrant: &&mut Entrant| match self {
                Guard::Named => Err("no sandbox keeps it from changing the others".to_owned()),
                _ => entrant.found(there(entrant).unwrap_or(&none)).map_err(|error| error.to_string()),
            };
            let found: Vec<_> = open.iter().map(found).collect();
            let of_found = found.iter().flatten().flat_map(|files| files.files.keys().cloned());
            let paths = open.iter().flat_map(|entrant| entrant.files()).chain(of_found).collect();
            let digests = Digests::read(paths, &known, is_over);
            index.iter().for_each(|index| digests.save(index, &known));
            let mut changing = Vec::new();
            for (entrant, files) in open.into_iter().zip(found) {
                let there = there(entrant);
                match self.take_one(entrant, files, &digests, there) {
                    Err(path) if tries_left == 0 => {
                        let (path, name) = (text::path(&path), &entrant.command.name);
                        return Err(Error::usage(format!("{path} of bot {name:?} changes all the time"))
                            .hint("wait until it is built"));
                    }
                    Err(_) => changing.push(entrant),
                    Ok(()) => {}
                }
            }
            if changing.is_empty() || is_over() {
                break;
            }
            open = changing;
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Returns a file that changes at this moment as an error.
    fn take_one(
        &self,
        entrant: &mut Entrant,
        files: Result<BotFiles, String>,
        digests: &Digests,
        there: Option<&Identity>,
    ) -> Result<(), PathBuf> {
        let is_bundled = entrant.is_bundled();
        entrant.take_files(files.clone(), digests);
        if is_bundled {
            entrant.identity.unwatched = None;
            return Ok(());
        }
        let (store, files) = match (self, files) {
            (Guard::Hold(store), Ok(files)) if files.folder.is_some() => (store, files),
            (Guard::Watch(why), Ok(files)) if files.folder.is_some() => {
                entrant.identity.unheld.clone_from(why);
                return Ok(());
            }
            _ => return Ok(()),
        };
        let version = entrant.identity.digest.clone().unwrap_or_default();
        let is_it = |there: &Identity| {
            let now = Identity { version: there.version.clone(), ..entrant.identity.clone() };
            there.difference(&now.with_files_of(there)).is_none()
        };
        // A stranger's results could name the copy of another bot.
        if let Some(there) = there.filter(|there| is_it(there) && !entrant.command.is_foreign)
            && !there.changed_files(&entrant.identity).is_empty()
            && let Some(held) = store.older(entrant, &files, digests, there)
        {
            entrant.identity = entrant.identity.clone().with_files_of(there);
            (entrant.command.held, entrant.is_older) = (held, true);
            entrant.watch(files, digests);
            return Ok(());
        }
        match store.hold(entrant, &files, digests, &version) {
            Ok((name, held)) => {
                (entrant.identity.held, entrant.command.held) = (Some(name), held);
                entrant.watch(files, digests);
            }
            Err(NotHeld::Changing(path)) => return Err(path),
            Err(NotHeld::Never(why)) => entrant.identity.unheld = Some(why),
        }
        Ok(())
    }
}

impl Store {
    /// Opens the store of this user.
    ///
    /// # Errors
    /// The reason why nothing can be held there.
    pub fn open() -> Result<Store, String> {
        let folder = cache().ok_or("you have no folder for caches")?.join(STORE);
        let wrong = |error: io::Error| format!("{} cannot be used: {error}", text::path(&folder));
        fs::create_dir_all(folder.join(RUNS)).map_err(wrong)?;
        fs::set_permissions(&folder, Permissions::from_mode(0o700)).map_err(wrong)?;
        let is_closed = statvfs(&folder).is_ok_and(|it| it.f_flag.contains(StatVfsMountFlags::NOEXEC));
        if is_closed {
            return Err(format!("no program may start in {}", text::path(&folder)));
        }
        Ok(Store(folder))
    }

    /// Copies the files of a bot unless there is such a copy already. `version` is the digest of its contents. Returns the name
    /// of the copy and its parts.
    fn hold(
        &self,
        entrant: &Entrant,
        files: &BotFiles,
        digests: &Digests,
        version: &str,
    ) -> Result<(String, Vec<Held>), NotHeld> {
        let parts = parts(entrant, files, digests)?;
        let own = files.folder.as_deref().filter(|_| !parts.is_empty());
        let own = own.ok_or_else(|| NotHeld::Never("its command names no folder of its own".to_owned()))?;
        let about = serde_json::to_vec(&parts).map_err(io::Error::other)?;
        let name = format!("{version}-{}", &hex(&Sha256::digest(&about))[..8]);
        let folder = self.0.join(&name);
        let held = held(&parts, own, &folder);
        let is_whole = || parts.iter().zip(&held).all(|(part, held)| part.is_at(&held.copy));
        // Another arena may make it now, and then its bots play with it.
        let making = (!is_whole()).then(|| self.making());
        if making.is_some() && !is_whole() {
            self.sweep(parts.iter().map(Part::bytes).sum());
            let new = self.0.join(format!("{UNFINISHED}{}-{name}", std::process::id()));
            let make = || {
                fs::create_dir(&new)?;
                for (number, part) in parts.iter().enumerate() {
                    part.copy(own, &new.join(number.to_string()), digests)?;
                }
                fs::write(new.join(ABOUT), about)?;
                let _ = fs::remove_dir_all(&folder); // it is not whole
                Ok(fs::rename(&new, &folder)?)
            };
            let made: Result<(), NotHeld> = make();
            let _ = fs::remove_dir_all(&new);
            if !is_whole() {
                made?;
            }
        }
        let _ = File::open(&folder).and_then(|it| it.set_modified(SystemTime::now())); // it was used
        Ok((name, held))
    }

    /// Waits until no other arena makes a copy, and returns the lock that says so. A system without locks, or an arena that is
    /// stopped meanwhile, keeps nobody from copying.
    fn making(&self) -> Option<File> {
        let lock = File::create(self.0.join(LOCK)).ok()?;
        let is_locked = (0..LOCK_TRIES).any(|tries| {
            std::thread::sleep(if tries == 0 { Duration::ZERO } else { PAUSE });
            !matches!(lock.try_lock(), Err(TryLockError::WouldBlock))
        });
        is_locked.then_some(lock)
    }

    /// Returns the parts of a copy for a bot in this folder, and its contents. Returns `None` if the copy is gone or damaged.
    fn find(&self, name: &str, own: &Path) -> Option<(Vec<Held>, Contents)> {
        if !name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') {
            return None;
        }
        let folder = self.0.join(name);
        let parts: Vec<Part> = serde_json::from_slice(&fs::read(folder.join(ABOUT)).ok()?).ok()?;
        let held = held(&parts, own, &folder);
        let mut contents = Contents::new();
        for (part, held) in parts.iter().zip(&held) {
            for (path, entry) in &part.entries {
                let name = text::path(&joined(&part.place, path));
                let is_as_made = match entry {
                    Entry::File { sha256, counts, .. } => {
                        contents.extend(counts.then(|| (name, sha256.clone())));
                        sha256_of(&joined(&held.copy, path)).is_ok_and(|now| now == *sha256)
                    }
                    Entry::Link(target) => contents.insert(name, link_text(target)).is_none(),
                    _ => true,
                };
                if !is_as_made {
                    return None;
                }
            }
        }
        let _ = File::open(&folder).and_then(|it| it.set_modified(SystemTime::now()));
        Some((held, contents))
    }

    /// Returns the parts of the copy with which a recorded bot played, if everything else of the bot is as it was.
    fn older(
        &self,
        entrant: &Entrant,
        files: &BotFiles,
        digests: &Digests,
        there: &Identity,
    ) -> Option<Vec<Held>> {
        let (held, mut contents) = self.find(there.held.as_ref()?, files.folder.as_ref()?)?;
        let is_open = |path: &Path| !held.iter().any(|held| held.covers(path));
        let now = files.contents(|path| Some(digests.file(path.clone())?.sha256).filter(|_| is_open(path)));
        contents.extend(now.into_iter().filter(|(_, sha256)| !sha256.starts_with("-> ")));
        let is_known = |path: PathBuf| {
            let now = digests.file(path);
            now.is_some_and(|now| there.files.iter().any(|then| then.sha256 == now.sha256))
        };
        let others = entrant.files().filter(|path| is_open(&settled(path)));
        let is_same = there.digest == Some(version_of(&contents)) && others.into_iter().all(is_known);
        is_same.then_some(held)
    }

    /// Keeps these copies until the run in this directory of results is over.
    pub fn keep(&self, out: &Path, names: &[&String]) {
        let run = serde_json::to_vec(&(settled(out), names)).expect("texts");
        let _ = fs::write(self.run(out), run);
    }

    /// Says that the run in this directory of results is over.
    pub fn release(&self, out: &Path) {
        let _ = fs::remove_file(self.run(out));
    }

    fn run(&self, out: &Path) -> PathBuf {
        self.0.join(RUNS).join(&hex(&Sha256::digest(settled(out).as_os_str().as_encoded_bytes()))[..32])
    }

    /// Removes the oldest copies until there is room for this many bytes. Copies of unfinished runs stay, and those that were
    /// used lately.
    fn sweep(&self, bytes: u64) {
        let mut needed = BTreeSet::new();
        for run in entries(&self.0.join(RUNS)) {
            let known = fs::read(&run)
                .ok()
                .and_then(|text| serde_json::from_slice::<(PathBuf, Vec<String>)>(&text).ok());
            match known {
                Some((out, names)) if out.exists() => needed.extend(names),
                _ => _ = fs::remove_file(&run),
            }
        }
        let is_old =
            |facts: &Metadata| facts.modified().is_ok_and(|it| it.elapsed().is_ok_and(|age| age > RECENT));
        let mut copies = Vec::new();
        let mut total = bytes;
        for folder in entries(&self.0) {
            let name = folder.file_name().and_then(OsStr::to_str).unwrap_or_default().to_owned();
            let (Ok(facts), false) = (folder.metadata(), name == RUNS) else { continue };
            let parts = fs::read(folder.join(ABOUT)).ok();
            let parts = parts.and_then(|text| serde_json::from_slice::<Vec<Part>>(&text).ok());
            if is_old(&facts) && name.starts_with(UNFINISHED) {
                let _ = fs::remove_dir_all(&folder);
            } else if let Some(parts) = parts {
                let bytes: u64 = parts.iter().map(Part::bytes).sum();
                total += bytes;
                let may_go = is_old(&facts) && !needed.contains(&name);
                copies.push((facts.modified().ok(), folder, bytes, may_go));
            }
        }
        copies.sort_unstable();
        for (_, folder, bytes, _) in copies.into_iter().filter(|(.., may_go)| *may_go) {
            if total <= STORE_BYTES_MAX {
                break;
            }
            // Renamed first: half of a copy must not look like a whole one.
            let gone = self.0.join(format!("{UNFINISHED}{}-old", std::process::id()));
            if fs::rename(&folder, &gone).is_ok() && fs::remove_dir_all(&gone).is_ok() {
                total -= bytes;
            }
        }
    }
}

/// Returns what is copied: the folder of the bot without what is too large, or, if others have files there, the files that
/// its command names.
fn parts(entrant: &Entrant, files: &BotFiles, digests: &Digests) -> Result<Vec<Part>, NotHeld> {
    let Some(folder) = &files.folder else { return Ok(Vec::new()) };
    let inside = |path: &Path| path.strip_prefix(folder).ok().map(Path::to_owned);
    // A file that nobody may read is left out.
    let file = |path: &PathBuf, counts: &bool| match (path.metadata(), digests.file(path.clone())) {
        (Ok(facts), Some(FileDigest { sha256, .. })) => {
            Ok(Some(Entry::File { mode: facts.mode() & MODE, bytes: facts.len(), sha256, counts: *counts }))
        }
        (Ok(_), None) => Ok(None),
        (Err(_), _) => Err(NotHeld::Changing(path.clone())),
    };
    if !is_own_folder(&entrant.command, folder) {
        let named: BTreeSet<PathBuf> = entrant.files().map(|path| settled(&path)).collect();
        let mut parts = Vec::new();
        for (path, counts) in files.files.iter().filter(|(path, _)| named.contains(*path)) {
            if let (Some(place), Some(entry)) = (inside(path), file(path, counts)?)
                && entry.bytes() <= PART_BYTES_MAX
            {
                parts.push(Part { place, entries: [(PathBuf::new(), entry)].into() });
            }
        }
        return Ok(parts);
    }
    if files.write.iter().any(|write| folder.starts_with(write)) || !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut entries: BTreeMap<PathBuf, Entry> = BTreeMap::new();
    for (path, counts) in &files.files {
        entries.extend(inside(path).zip(file(path, counts)?));
    }
    let links = files.links.iter().filter_map(|(path, to)| Some((inside(path)?, Entry::Link(to.clone()))));
    let mode = |path: &PathBuf| path.metadata().map_or(MODE, |facts| facts.mode() & MODE);
    let folders = files.folders.iter().map(|path| Some((inside(path)?, Entry::Folder { mode: mode(path) })));
    entries.extend(links.chain(folders.flatten()));
    let start = std::env::current_dir().ok().filter(|_| entrant.command.dir.is_none());
    let start = start.map(|start| settled(&start));
    let start = start.filter(|start| start != folder && !files.folders.contains(start));
    let write = files.write.iter().filter(|path| path.exists());
    let through = files.built.iter().chain(write).chain(&start).filter_map(|path| inside(path));
    for path in too_large(&entries).into_iter().chain(through) {
        entries.retain(|other, _| !other.starts_with(&path));
        let is_folder = folder.join(&path).is_dir();
        if !path.ancestors().skip(1).any(|above| matches!(entries.get(above), Some(Entry::Through { .. }))) {
            entries.insert(path, Entry::Through { is_folder });
        }
    }
    Ok(vec![Part { place: PathBuf::new(), entries }])
}

/// Returns the files and folders right in a bot's folder that are too large to be copied, so that the others are not.
fn too_large(entries: &BTreeMap<PathBuf, Entry>) -> Vec<PathBuf> {
    let mut sizes: BTreeMap<PathBuf, (usize, u64)> = BTreeMap::new();
    for (path, entry) in entries.iter().filter(|(_, entry)| matches!(entry, Entry::File { .. })) {
        let (count, bytes) = sizes.entry(path.iter().take(1).collect()).or_default();
        (*count, *bytes) = (*count + 1, *bytes + entry.bytes());
    }
    let mut by_count: Vec<(usize, u64, PathBuf)> =
        sizes.into_iter().map(|(path, (count, bytes))| (count, bytes, path)).collect();
    by_count.sort_unstable();
    let mut left: usize = by_count.iter().map(|(count, ..)| count).sum();
    let is_large = |(count, bytes, _): &(usize, u64, PathBuf)| {
        let is_large = *bytes > PART_BYTES_MAX || left > PART_FILES_MAX;
        left -= if is_large { *count } else { 0 };
        is_large
    };
    by_count.into_iter().rev().filter(is_large).map(|(.., path)| path).collect()
}

/// Returns the copies in this folder of the store for a bot in its own folder.
fn held(parts: &[Part], own: &Path, folder: &Path) -> Vec<Held> {
    let held = |(number, part): (usize, &Part)| {
        let place = joined(own, &part.place);
        let through = part.entries.iter().filter(|(_, entry)| matches!(entry, Entry::Through { .. }));
        let through = through.map(|(path, _)| joined(&place, path)).collect();
        Held { copy: folder.join(number.to_string()), place, through }
    };
    parts.iter().enumerate().map(held).collect()
}

impl Entry {
    fn bytes(&self) -> u64 {
        if let Entry::File { bytes, .. } = self { *bytes } else { 0 }
    }
}

impl Part {
    fn bytes(&self) -> u64 {
        self.entries.values().map(Entry::bytes).sum()
    }

    /// Returns true if there is a copy with files of these sizes and modes.
    fn is_at(&self, copy: &Path) -> bool {
        self.entries.iter().all(|(path, entry)| match (joined(copy, path).symlink_metadata(), entry) {
            (Ok(facts), Entry::File { mode, bytes, .. }) => {
                (facts.len(), facts.mode() & MODE) == (*bytes, *mode)
            }
            (facts, _) => facts.is_ok(),
        })
    }

    fn copy(&self, own: &Path, copy: &Path, digests: &Digests) -> Result<(), NotHeld> {
        for (path, entry) in &self.entries {
            let (from, to) = (joined(&joined(own, &self.place), path), joined(copy, path));
            fs::create_dir_all(to.parent().expect("it is in the copy"))?;
            match entry {
                Entry::Folder { .. } | Entry::Through { is_folder: true } => fs::create_dir_all(to)?,
                Entry::Through { is_folder: false } => _ = File::create(to)?,
                Entry::Link(target) => symlink(target, to)?,
                Entry::File { mode, .. } => {
                    let changing = |_| NotHeld::Changing(from.clone());
                    fs::copy(&from, &to).map_err(|error| match from.exists() {
                        true => error.into(),
                        false => changing(error),
                    })?;
                    let (facts, copied) = (from.metadata().map_err(changing)?, File::open(&to)?);
                    let times = FileTimes::new().set_modified(facts.modified()?);
                    copied.set_times(times.set_accessed(facts.modified()?))?;
                    copied.set_permissions(Permissions::from_mode(*mode))?;
                    let known = digests.get(&from).map(|(stamp, _)| *stamp);
                    if Stamp::of(&from) != known || copied.metadata()?.len() != facts.len() {
                        return Err(NotHeld::Changing(from));
                    }
                }
            }
        }
        // The owner can remove the copy, whatever the modes of the folders are.
        for (path, entry) in &self.entries {
            if let Entry::Folder { mode } = entry {
                fs::set_permissions(joined(copy, path), Permissions::from_mode(mode | 0o700))?;
            }
        }
        Ok(())
    }
}

/// Joins two paths. Joining an empty path otherwise ends in a slash.
fn joined(base: &Path, rest: &Path) -> PathBuf {
    base.components().chain(rest.components()).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

impl From<io::Error> for NotHeld {
    fn from(error: io::Error) -> NotHeld {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                NotHeld::Never("there is no space for copies".to_owned())
            }
            _ => NotHeld::Never(format!("its files cannot be copied: {error}")),
        }
    }
}
