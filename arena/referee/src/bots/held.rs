//! Copies of bots' files, which stand for the files while a tournament plays. They are in the user's cache, one folder for
//! each state of a bot's files.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use rustix::fs::{StatVfsMountFlags, statvfs};
use sandbox::confine::paths::{cache, is_own_folder, settled};
use sandbox::{Held, text};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::bots::digests::{Digests, Stamp, sha256_of};
use crate::bots::entrants::Entrant;
use crate::bots::files::{BotFiles, Contents, version_of};
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

/// What is known of a copy.
#[derive(Debug, Default, Serialize, Deserialize)]
struct About {
    /// The places of its parts in the bot's folder, and in each what is shown as it is.
    parts: Vec<(PathBuf, Vec<PathBuf>)>,
    /// The digests of the files that make the bot what it is.
    contents: Contents,
    bytes: u64,
}

/// Why a bot is not held.
#[derive(Debug)]
pub(super) enum NotHeld {
    /// This file or folder changed while it was copied.
    Changing(PathBuf),
    /// The reason, as an end of "because ...".
    Never(String),
}

/// What is copied for a bot: its folder, or a file. `entries` has the paths in it, with the modes; of links the targets.
struct Part<'a> {
    place: PathBuf,
    files: Vec<&'a PathBuf>,
    links: Vec<(&'a PathBuf, &'a PathBuf)>,
    folders: Vec<&'a PathBuf>,
    through: Vec<PathBuf>,
}

impl Guard {
    /// Records the files of the bots, and holds or watches them. `recorded` has the bots of the tournament that goes on. One
    /// whose files are others now plays with the copy, if there is one.
    pub(super) async fn take(&self, entrants: &mut [Entrant], recorded: &[Identity]) -> Result<(), Error> {
        let none = Identity::default();
        for entrant in entrants.iter() {
            entrant.check_sizes()?;
        }
        let index = if let Guard::Hold(Store(folder)) = self { Some(folder.join(INDEX)) } else { None };
        let mut open: Vec<&mut Entrant> = entrants.iter_mut().collect();
        for tries_left in (0..TRIES_MAX).rev() {
            let there = |entrant: &Entrant| recorded.iter().find(|there| there.name == entrant.identity.name);
            let found = |entrant: &&mut Entrant| match self {
                Guard::Named => Err("no sandbox keeps it from changing the others".to_owned()),
                _ => entrant.found(there(entrant).unwrap_or(&none)).map_err(|error| error.to_string()),
            };
            let found: Vec<_> = open.iter().map(found).collect();
            let of_found = found.iter().flatten().flat_map(|files| files.files.keys().cloned());
            let paths = open.iter().flat_map(|entrant| entrant.files()).chain(of_found);
            let digests = Digests::of(paths.collect(), index.clone()).await?;
            let mut changing = Vec::new();
            for (entrant, files) in open.into_iter().zip(found) {
                let there = there(entrant).cloned();
                match self.take_one(entrant, files, &digests, there.as_ref()) {
                    Ok(()) => {}
                    Err(path) if tries_left == 0 => {
                        let name = &entrant.command.name;
                        return Err(Error::usage(format!(
                            "{} of bot {name:?} changes all the time",
                            text::path(&path)
                        ))
                        .hint("wait until it is built"));
                    }
                    Err(_) => changing.push(entrant),
                }
            }
            if changing.is_empty() {
                break;
            }
            open = changing;
            tokio::time::sleep(PAUSE).await;
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
        if let Some(there) = there.filter(|there| is_it(there))
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
    pub(super) fn hold(
        &self,
        entrant: &Entrant,
        files: &BotFiles,
        digests: &Digests,
        version: &str,
    ) -> Result<(String, Vec<Held>), NotHeld> {
        let parts = parts(entrant, files, digests);
        if parts.is_empty() {
            return Err(NotHeld::Never("its command names no folder of its own".to_owned()));
        }
        let mut key = Sha256::new();
        for part in &parts {
            key.update(part.described(digests)?);
        }
        let name = format!("{version}-{}", &hex(&key.finalize())[..8]);
        let folder = self.0.join(&name);
        let held = |parts: &[Part<'_>]| {
            let part = |(number, part): (usize, &Part<'_>)| Held {
                place: part.place.clone(),
                copy: folder.join(number.to_string()),
                through: part.through.clone(),
            };
            parts.iter().enumerate().map(part).collect::<Vec<_>>()
        };
        let is_whole = held(&parts).iter().zip(&parts).all(|(held, part)| part.is_at(held));
        if is_whole {
            let _ = File::open(&folder).and_then(|it| it.set_modified(SystemTime::now())); // it was used
            return Ok((name, held(&parts)));
        }
        let contents = files.contents(|path| {
            let is_held = parts.iter().any(|part| part.files.contains(&path));
            is_held.then(|| digests.file(path.clone()))?.map(|file| file.sha256)
        });
        let bytes =
            parts.iter().flat_map(|part| &part.files).filter_map(|it| Some(it.metadata().ok()?.len())).sum();
        let own = files.folder.as_deref().unwrap_or(Path::new(""));
        let inside = |path: &PathBuf| path.strip_prefix(own).unwrap_or(path).to_owned();
        let places =
            parts.iter().map(|part| (inside(&part.place), part.through.iter().map(inside).collect()));
        let places = places.collect();
        let about = About { parts: places, contents, bytes };
        self.sweep(bytes);
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let new = self.0.join(format!("{UNFINISHED}{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&new); // of an earlier process with this number
        let made = make(&new, &parts, digests, &about).and_then(|()| {
            let _ = fs::remove_dir_all(&folder); // it is not whole
            Ok(fs::rename(&new, &folder)?)
        });
        if made.is_err() {
            let _ = fs::remove_dir_all(&new);
        }
        match made {
            Err(NotHeld::Never(_))
                if held(&parts).iter().zip(&parts).all(|(held, part)| part.is_at(held)) => {}
            made => made?, // another arena may have made it meanwhile
        }
        Ok((name, held(&parts)))
    }

    /// Returns the parts of a copy for a bot in this folder, and its contents, if it is there and as it was made.
    fn find(&self, name: &str, own: &Path) -> Option<(Vec<Held>, Contents)> {
        let is_name = name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        let folder = self.0.join(name);
        let about: About =
            serde_json::from_slice(&fs::read(folder.join(ABOUT)).ok().filter(|_| is_name)?).ok()?;
        let part = |(number, (place, through)): (usize, (PathBuf, Vec<PathBuf>))| Held {
            // Joining an empty path would end in a slash.
            place: own.components().chain(place.components()).collect(),
            copy: folder.join(number.to_string()),
            through: through.iter().map(|path| own.join(path)).collect(),
        };
        let parts: Vec<Held> = about.parts.into_iter().enumerate().map(part).collect();
        let is_as_made = |(name, known): (&String, &String)| {
            known.starts_with("-> ")
                || parts.iter().any(|part| {
                    let path = if part.copy.is_dir() { part.copy.join(name) } else { part.copy.clone() };
                    sha256_of(&path).is_ok_and(|sha256| sha256 == *known)
                })
        };
        let is_whole = about.contents.iter().all(is_as_made);
        let _ = File::open(&folder).and_then(|it| it.set_modified(SystemTime::now()));
        is_whole.then_some((parts, about.contents))
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
            let about = fs::read(folder.join(ABOUT)).ok().and_then(|text| serde_json::from_slice(&text).ok());
            if is_old(&facts) && name.starts_with(UNFINISHED) {
                let _ = fs::remove_dir_all(&folder);
            } else if let Some(About { bytes, .. }) = about {
                total += bytes;
                copies.push((
                    facts.modified().ok(),
                    folder,
                    bytes,
                    is_old(&facts) && !needed.contains(&name),
                ));
            }
        }
        copies.sort();
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
fn parts<'a>(entrant: &Entrant, files: &'a BotFiles, digests: &Digests) -> Vec<Part<'a>> {
    let Some(folder) = &files.folder else { return Vec::new() };
    let is_inside = |path: &Path| path.starts_with(folder);
    if !is_own_folder(&entrant.command, folder) {
        let named: BTreeSet<PathBuf> = entrant.files().map(|path| settled(&path)).collect();
        let alone = files.files.keys().filter(|path| named.contains(*path) && is_inside(path));
        let part = |file: &'a PathBuf| {
            let place = file.clone();
            Part { place, files: vec![file], links: vec![], folders: vec![], through: vec![] }
        };
        return alone
            .filter(|file| file.metadata().is_ok_and(|it| it.len() <= PART_BYTES_MAX))
            .map(part)
            .collect();
    }
    if files.write.iter().any(|write| folder.starts_with(write)) || !folder.is_dir() {
        return Vec::new();
    }
    // The entries of the folder, with the size and the number of the files in each.
    let mut sizes: HashMap<&OsStr, (u64, usize)> = HashMap::new();
    let entry = |path: &'a Path| path.strip_prefix(folder).ok()?.iter().next();
    for path in files.files.keys() {
        let Some(entry) = entry(path) else { continue };
        let (bytes, count) = sizes.entry(entry).or_default();
        (*bytes, *count) = (*bytes + path.metadata().map_or(0, |it| it.len()), *count + 1);
    }
    let mut large: BTreeSet<&OsStr> = sizes
        .iter()
        .filter(|(_, (bytes, count))| *bytes > PART_BYTES_MAX || *count > PART_FILES_MAX)
        .map(|it| *it.0)
        .collect();
    let mut by_count: Vec<(usize, &OsStr)> =
        sizes.iter().map(|(entry, (_, count))| (*count, *entry)).collect();
    by_count.retain(|(_, entry)| !large.contains(entry));
    by_count.sort();
    let mut total: usize = by_count.iter().map(|(count, _)| count).sum();
    while total > PART_FILES_MAX
        && let Some((count, entry)) = by_count.pop()
    {
        total -= count;
        large.insert(entry);
    }
    let mut through: BTreeSet<PathBuf> =
        large.iter().map(|entry| folder.join(entry)).chain(files.built.clone()).collect();
    let start = std::env::current_dir().ok().filter(|_| entrant.command.dir.is_none());
    let start =
        start.map(|start| settled(&start)).filter(|start| is_inside(start) && !files.folders.contains(start));
    through.extend(files.write.iter().filter(|path| is_inside(path) && path.exists()).cloned().chain(start));
    let through: Vec<PathBuf> = through
        .iter()
        .filter(|path| !path.ancestors().skip(1).any(|above| through.contains(above)))
        .cloned()
        .collect();
    let is_held = |path: &&'a PathBuf| entry(path).is_some_and(|entry| !large.contains(entry));
    vec![Part {
        place: folder.clone(),
        // A file that nobody may read is left out. One that is gone is missed later.
        files: files
            .files
            .keys()
            .filter(|path| is_held(path) && (digests.get(path).is_some() || !path.exists()))
            .collect(),
        links: files.links.iter().filter(|(path, _)| is_held(path)).collect(),
        folders: files.folders.iter().filter(is_held).collect(),
        through,
    }]
}

impl Part<'_> {
    /// Returns a text that is another one if anything of the copy is.
    fn described(&self, digests: &Digests) -> Result<Vec<u8>, NotHeld> {
        let mut rows: BTreeMap<&Path, (u32, String)> = BTreeMap::new();
        for path in &self.files {
            let (Some(facts), Some(file)) = (mode(path), digests.file(path.to_path_buf())) else {
                return Err(NotHeld::Changing(path.to_path_buf()));
            };
            rows.insert(self.inside(path), (facts, file.sha256));
        }
        rows.extend(
            self.links.iter().map(|(path, to)| (self.inside(path), (0, format!("-> {}", text::path(to))))),
        );
        let folders =
            self.folders.iter().map(|it| it.as_path()).chain(self.through.iter().map(PathBuf::as_path));
        rows.extend(folders.map(|path| (self.inside(path), (mode(path).unwrap_or_default(), String::new()))));
        Ok(serde_json::to_vec(&rows.into_iter().collect::<Vec<_>>()).unwrap_or_default())
    }

    fn inside<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.place).unwrap_or(path)
    }

    /// Returns true if there is a copy with files of these sizes and modes.
    fn is_at(&self, held: &Held) -> bool {
        let facts = |path: &Path| path.symlink_metadata().ok().map(|it| (it.len(), it.mode() & MODE));
        held.copy.exists() && self.files.iter().all(|path| facts(&held.copy_of(path)) == facts(path))
    }

    fn copy(&self, copy: &Path, digests: &Digests) -> Result<(), NotHeld> {
        let there =
            |path: &Path| -> PathBuf { copy.components().chain(self.inside(path).components()).collect() };
        if self.files != [&self.place] {
            fs::create_dir(copy)?;
        }
        // The folder of a file comes before it in the order of paths. Of what is shown as it is, something must be there.
        let through = self.through.iter().filter(|path| path.is_dir());
        for folder in self.folders.iter().copied().chain(through) {
            fs::create_dir_all(there(folder))?;
        }
        for file in self.through.iter().filter(|path| path.is_file()) {
            File::create(there(file))?;
        }
        for (link, target) in &self.links {
            symlink(target, there(link))?;
        }
        for &path in &self.files {
            let changing = || NotHeld::Changing(path.clone());
            let to = there(path);
            let to = if self.files == [&self.place] { copy.to_owned() } else { to };
            fs::create_dir_all(to.parent().expect("it is in the copy"))?;
            fs::copy(path, &to)?;
            let facts = path.metadata().map_err(|_| changing())?;
            let copied = File::open(&to)?;
            copied.set_times(
                FileTimes::new().set_modified(facts.modified()?).set_accessed(facts.modified()?),
            )?;
            copied.set_permissions(Permissions::from_mode(facts.mode() & MODE))?;
            let (known, _) = digests.get(path).ok_or_else(changing)?;
            if Stamp::of(path) != Some(*known) || copied.metadata()?.len() != facts.len() {
                return Err(changing());
            }
        }
        // The copy can be removed by its owner, whatever the modes of the folders are.
        for (from, to) in self
            .folders
            .iter()
            .map(|path| (path.as_path(), there(path)))
            .chain([(&*self.place, copy.to_owned())])
        {
            if let Some(mode) = mode(from).filter(|_| to.is_dir()) {
                fs::set_permissions(&to, Permissions::from_mode(mode | 0o700))?;
            }
        }
        Ok(())
    }
}

fn mode(path: &Path) -> Option<u32> {
    path.metadata().ok().map(|facts| facts.mode() & MODE)
}

fn make(new: &Path, parts: &[Part<'_>], digests: &Digests, about: &About) -> Result<(), NotHeld> {
    fs::create_dir(new)?;
    for (number, part) in parts.iter().enumerate() {
        part.copy(&new.join(number.to_string()), digests)?;
    }
    fs::write(new.join(ABOUT), serde_json::to_vec(about).map_err(io::Error::other)?)?;
    Ok(())
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
