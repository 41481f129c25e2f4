//! Copies a hand-in, a folder or an archive of a stranger, into a folder of the arena.
//!
//! Its owner may change it meanwhile, so that no path in it is followed through a link. The copy has plain files and
//! folders alone.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, DirEntry, File, Permissions};
use std::io::{self, BufReader, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use flate2::read::MultiGzDecoder;
use rustix::fs::{Dir, FileType, Mode, OFlags, openat};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use tar::{Archive, EntryType};
use zip::ZipArchive;

use referee::error::Error;
use referee::record::hex;
use sandbox::text;

/// The bounds of a hand-in: bytes of an archive and of all files, number of files and folders, and folders in each other.
const PACKED_BYTES_MAX: u64 = web::contest::BYTES_MAX;
const BYTES_MAX: u64 = 256 << 20;
const ENTRIES_MAX: usize = 20_000;
const DEPTH_MAX: usize = 24;
/// The longest path in bytes, and the longest part of it.
const PATH_BYTES_MAX: usize = 1_000;
const NAME_BYTES_MAX: usize = 255;
/// The largest entry of an archive that is no file, in bytes: a long name.
const META_BYTES_MAX: u64 = 1 << 16;
/// The most links that an author is told of one by one.
const LINKS_TOLD_MAX: usize = 5;
/// Names that are left out wherever they are: of tools, and of other systems.
const LEFT_OUT: [&str; 5] = ["__MACOSX", ".DS_Store", "Thumbs.db", ".git", "__pycache__"];
/// The beginnings of files that are programs, although archives of some systems do not say so.
const PROGRAMS: [&[u8]; 2] = [b"#!", b"\x7fELF"];
/// The endings of archives that are read, and of others.
const ZIP: [&str; 1] = [".zip"];
const TAR: [&str; 2] = [".tar.gz", ".tgz"];
const OTHER_ARCHIVES: [&str; 6] = [".rar", ".7z", ".tar", ".tar.xz", ".tar.bz2", ".gz"];

/// A copy of a hand-in.
pub(super) struct Staged {
    /// The folder with the bot, in the folder of the copy.
    pub(super) folder: PathBuf,
    /// What its author should know.
    pub(super) notes: Vec<String>,
    /// The digest of all paths, modes, and contents.
    pub(super) digest: String,
}

/// What was copied so far.
struct Copy {
    to: PathBuf,
    bytes_left: u64,
    entries_left: usize,
    /// The paths of files, and of folders, by themselves in small letters.
    paths: HashMap<String, (PathBuf, bool)>,
    links: usize,
    notes: Vec<String>,
}

/// Returns the name of a hand-in without the ending of an archive, or of another file.
pub(super) fn stem(name: &str, is_file: bool) -> &str {
    let archives = ZIP.iter().chain(&TAR).chain(&OTHER_ARCHIVES);
    let end = { archives }.find(|end| name.to_lowercase().ends_with(*end)).map(|end| end.len());
    let file = || Path::new(name).extension().map_or(0, |end| end.len() + 1);
    &name[..name.len() - if is_file { end.unwrap_or_else(file) } else { 0 }]
}

fn has_end(path: &Path, ends: &[&str]) -> bool {
    ends.iter().any(|end| path.to_string_lossy().to_lowercase().ends_with(end))
}

/// An error that the author of a hand-in can mend.
fn refused(why: impl Into<String>, cure: &str) -> Error {
    Error::usage(why).hint(cure)
}

fn too_large(what: String) -> Error {
    refused(format!("it has more than {what}"), "hand in sources, without data, results, and version control")
}

fn unreadable(what: &str, error: impl std::fmt::Display) -> Error {
    refused(format!("{what} does not read to its end: {error}"), "it may have been cut off: hand it in again")
}

/// Copies a folder, an archive, or a single file of this name in `folder` into the new folder `to`.
///
/// # Errors
/// A usage error says what its author can mend. Others are of the machine.
pub(super) fn stage(folder: &Path, name: &str, to: &Path) -> Result<Staged, Error> {
    let top = File::open(folder).map_err(|error| Error::unreadable(folder, &error))?;
    let (bytes_left, entries_left) = (BYTES_MAX, ENTRIES_MAX);
    let mut copy = Copy {
        to: to.join("in"),
        bytes_left,
        entries_left,
        paths: HashMap::new(),
        links: 0,
        notes: Vec::new(),
    };
    fs::create_dir_all(&copy.to).map_err(|error| copy.unwritable(&error))?;
    copy.entry(top.as_fd(), OsStr::new(name), Path::new(""))?;
    let mut place = copy.to.clone();
    // What is alone in a folder is meant.
    for depth in 0..DEPTH_MAX {
        let entries = fs::read_dir(&place).map_err(|error| copy.unwritable(&error))?.flatten();
        let is_seen = |path: &PathBuf| !name_of(path).starts_with('.');
        let [one] = &entries.map(|entry| entry.path()).filter(is_seen).collect::<Vec<_>>()[..] else { break };
        let shown = text::quote(name_of(one).as_bytes());
        if one.is_dir() {
            copy.notes.push(format!("entered the folder {shown}"));
            place.clone_from(one);
        } else if has_end(one, &OTHER_ARCHIVES) && !has_end(one, &TAR) {
            return Err(refused(format!("{shown} cannot be unpacked here"), "pack it as .zip or .tar.gz"));
        } else if has_end(one, &ZIP) || has_end(one, &TAR) {
            copy.to = to.join(format!("in-{depth}"));
            copy.paths.clear();
            fs::create_dir(&copy.to).map_err(|error| copy.unwritable(&error))?;
            copy.archive(one, &shown)?;
            copy.notes.push(format!("unpacked {shown}"));
            place.clone_from(&copy.to);
        } else {
            break;
        }
    }
    let mut hasher = Sha256::new();
    digest(&place, Path::new(""), &mut hasher).map_err(|error| copy.unwritable(&error))?;
    let digest = hex(&hasher.finalize()[..16]);
    if let more @ 1.. = copy.links.saturating_sub(LINKS_TOLD_MAX) {
        copy.notes.push(format!("left out {more} more links"));
    }
    Ok(Staged { folder: place, notes: copy.notes, digest })
}

fn name_of(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

impl Copy {
    fn unwritable(&self, error: &io::Error) -> Error {
        Error::unwritable(&self.to, error)
    }

    /// Copies an entry of an open folder. No link is followed: each step opens a name in the folder that is open.
    fn entry(&mut self, parent: BorrowedFd<'_>, name: &OsStr, to: &Path) -> Result<(), Error> {
        let path = if to == Path::new("") { Path::new(name) } else { to };
        let shown = text::quote(path.as_os_str().as_encoded_bytes());
        if path.as_os_str().len() > PATH_BYTES_MAX {
            return Err(refused(format!("{shown} is too deep"), "hand in fewer folders in each other"));
        }
        let gone = |error: Errno| {
            refused(
                format!("{shown} cannot be read: {error}"),
                "hand it in again, with files that all may read",
            )
        };
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match openat(parent, name, flags, Mode::empty()) {
            Err(Errno::LOOP) => return self.link(path),
            file => File::from(file.map_err(gone)?),
        };
        let facts = file.metadata().map_err(|error| self.unwritable(&error))?;
        if facts.is_file() {
            return self.file(path, facts.mode() & 0o111 != 0, &file);
        } else if !facts.is_dir() {
            let cure = "hand in files and folders alone";
            return Err(refused(format!("{shown} is neither a file nor a folder"), cure));
        }
        self.folder(to)?;
        for entry in Dir::read_from(&file).map_err(gone)? {
            let entry = entry.map_err(gone)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." && !is_left_out(name) {
                self.entry(file.as_fd(), name, &to.join(name))?;
            }
        }
        Ok(())
    }

    /// Unpacks an archive.
    fn archive(&mut self, path: &Path, shown: &str) -> Result<(), Error> {
        let file = File::open(path).map_err(|error| self.unwritable(&error))?;
        if file.metadata().map_err(|error| self.unwritable(&error))?.len() > PACKED_BYTES_MAX {
            return Err(too_large(format!("{} MiB in an archive", PACKED_BYTES_MAX >> 20)));
        }
        let file = BufReader::new(file);
        if has_end(path, &ZIP) {
            return self.zip(file, shown);
        }
        check_names(file, shown)?;
        self.tar(BufReader::new(File::open(path).map_err(|error| self.unwritable(&error))?), shown)
    }

    fn zip(&mut self, file: BufReader<File>, shown: &str) -> Result<(), Error> {
        let cut = |error| unreadable(shown, error);
        let mut archive = ZipArchive::new(file).map_err(cut)?;
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).map_err(cut)?;
            let mode = entry.unix_mode().unwrap_or_default();
            // Some programs for Windows write its separators.
            let name = entry.name().map_err(cut)?.replace('\\', "/");
            let Some(path) = inside(Path::new(&name))? else { continue };
            match FileType::from_raw_mode(mode) {
                _ if entry.is_symlink() => self.link(&path)?,
                _ if entry.is_dir() || name.ends_with('/') => self.folder(&path)?,
                // Archives of some systems have no modes.
                kind if kind.is_file() || mode == mode & 0o7777 => {
                    self.file(&path, mode & 0o111 != 0, &mut entry)?;
                }
                _ => return Err(special(&path)),
            }
        }
        Ok(())
    }

    fn tar(&mut self, file: BufReader<File>, shown: &str) -> Result<(), Error> {
        let cut = |error| unreadable(shown, error);
        let mut archive = Archive::new(MultiGzDecoder::new(file).take(2 * BYTES_MAX));
        for entry in archive.entries().map_err(cut)? {
            let mut entry = entry.map_err(cut)?;
            let kind = entry.header().entry_type();
            let path = entry.path().map_err(cut)?.into_owned();
            let Some(path) = inside(&path)? else { continue };
            match kind {
                EntryType::Regular | EntryType::Continuous => {
                    let mode = entry.header().mode().map_err(cut)?;
                    self.file(&path, mode & 0o111 != 0, &mut entry)?;
                }
                EntryType::Directory => self.folder(&path)?,
                EntryType::Symlink | EntryType::Link => self.link(&path)?,
                EntryType::XGlobalHeader => {}
                _ => return Err(special(&path)),
            }
        }
        // What comes after the last file must be there too.
        io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(cut).map(drop)
    }

    fn link(&mut self, path: &Path) -> Result<(), Error> {
        self.counts()?;
        self.links += 1;
        if self.links <= LINKS_TOLD_MAX {
            let shown = text::quote(path.as_os_str().as_encoded_bytes());
            self.notes.push(format!("left out the link {shown}"));
        }
        Ok(())
    }

    fn counts(&mut self) -> Result<(), Error> {
        let left = self.entries_left.checked_sub(1);
        self.entries_left = left.ok_or_else(|| too_large(format!("{ENTRIES_MAX} files")))?;
        Ok(())
    }

    /// Makes a folder with the folders around it.
    fn folder(&mut self, path: &Path) -> Result<(), Error> {
        let above: Vec<&Path> = path.ancestors().filter(|above| *above != Path::new("")).collect();
        if above.len() > DEPTH_MAX {
            return Err(too_large(format!("{DEPTH_MAX} folders in each other")));
        }
        for folder in above.into_iter().rev() {
            if self.is_new(folder, true)? {
                let place = self.to.join(folder);
                fs::create_dir(&place)
                    .and_then(|()| fs::set_permissions(&place, Permissions::from_mode(0o755)))
                    .map_err(|error| self.unwritable(&error))?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, is_program: bool, mut from: impl Read) -> Result<(), Error> {
        self.folder(path.parent().unwrap_or(Path::new("")))?;
        let shown = text::quote(path.as_os_str().as_encoded_bytes());
        if !self.is_new(path, false)? {
            return Err(refused(format!("{shown} is there twice"), "pack each file once"));
        }
        let (place, mut head) = (self.to.join(path), Vec::new());
        let mut file = File::create_new(&place).map_err(|error| self.unwritable(&error))?;
        from.by_ref().take(4).read_to_end(&mut head).map_err(|error| unreadable(&shown, error))?;
        let is_program = is_program || PROGRAMS.iter().any(|begin| head.starts_with(begin));
        let (mut buffer, mut from) = (vec![0; 1 << 16], head.as_slice().chain(from));
        loop {
            let count = from.read(&mut buffer).map_err(|error| unreadable(&shown, error))?;
            if count == 0 {
                break;
            }
            let left = self.bytes_left.checked_sub(count as u64);
            self.bytes_left = left.ok_or_else(|| too_large(format!("{} MiB", BYTES_MAX >> 20)))?;
            file.write_all(&buffer[..count]).map_err(|error| self.unwritable(&error))?;
        }
        let mode = Permissions::from_mode(if is_program { 0o755 } else { 0o644 });
        file.set_permissions(mode).map_err(|error| self.unwritable(&error))
    }

    /// Notes a path. Returns false if the same folder is there.
    fn is_new(&mut self, path: &Path, is_folder: bool) -> Result<bool, Error> {
        let Some((other, was_folder)) = self.paths.get(&path.to_string_lossy().to_lowercase()) else {
            self.counts()?;
            self.paths.insert(path.to_string_lossy().to_lowercase(), (path.to_owned(), is_folder));
            return Ok(true);
        };
        if other != path || *was_folder != is_folder {
            let both = [other, path].map(|path| text::quote(path.as_os_str().as_encoded_bytes()));
            let cure = "rename one of them: they are one file on many systems";
            return Err(refused(format!("{} and {} differ in case alone", both[0], both[1]), cure));
        }
        Ok(false)
    }
}

/// Checks that no entry has a long name that takes much memory.
fn check_names(file: BufReader<File>, shown: &str) -> Result<(), Error> {
    let cut = |error| unreadable(shown, error);
    let mut archive = Archive::new(MultiGzDecoder::new(file).take(2 * BYTES_MAX));
    for entry in archive.entries().map_err(cut)?.raw(true) {
        let entry = entry.map_err(cut)?;
        let is_name = ![EntryType::Regular, EntryType::Continuous].contains(&entry.header().entry_type());
        if is_name && entry.size() > META_BYTES_MAX {
            return Err(refused(format!("{shown} has a name that is too long"), "rename the file"));
        }
    }
    Ok(())
}

fn is_left_out(name: &OsStr) -> bool {
    LEFT_OUT.iter().any(|left_out| name == *left_out)
}

/// Returns a path of an archive, or `None` if it is left out.
fn inside(path: &Path) -> Result<Option<PathBuf>, Error> {
    let mut inside = PathBuf::new();
    let bytes = path.as_os_str().as_encoded_bytes();
    let is_long = |part: &OsStr| part.len() > NAME_BYTES_MAX;
    if bytes.len() > PATH_BYTES_MAX || path.iter().any(is_long) || bytes.contains(&0) {
        return Err(refused(format!("{} is no name of a file here", text::quote(bytes)), "rename it"));
    }
    for part in path.components() {
        match part {
            Component::Normal(name) if is_left_out(name) => return Ok(None),
            // The other part of a file, as macOS writes it.
            Component::Normal(name) if name.as_encoded_bytes().starts_with(b"._") => return Ok(None),
            Component::Normal(name) => inside.push(name),
            Component::CurDir => {}
            _ => {
                let shown = text::quote(path.as_os_str().as_encoded_bytes());
                return Err(refused(
                    format!("{shown} leads out of the archive"),
                    "pack the folder of the bot",
                ));
            }
        }
    }
    Ok((inside != Path::new("")).then_some(inside))
}

fn special(path: &Path) -> Error {
    let shown = text::quote(path.as_os_str().as_encoded_bytes());
    refused(format!("{shown} is neither a file nor a folder"), "pack files and folders alone")
}

/// Hashes the paths, modes, and contents of all files below a folder of the arena, in the order of their paths.
fn digest(top: &Path, path: &Path, hasher: &mut Sha256) -> io::Result<()> {
    let mut entries = fs::read_dir(top.join(path))?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_unstable_by_key(DirEntry::file_name);
    for entry in entries {
        let (inner, facts) = (path.join(entry.file_name()), entry.metadata()?);
        if facts.is_dir() {
            digest(top, &inner, hasher)?;
            continue;
        }
        let name = inner.as_os_str().as_encoded_bytes();
        for number in [name.len() as u64, facts.len(), u64::from(facts.mode() & 0o111)] {
            hasher.update(number.to_le_bytes());
        }
        hasher.update(name);
        hasher.update(fs::read(entry.path())?);
    }
    Ok(())
}

/// Copies a folder of the arena, which has plain files and folders alone.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    fs::set_permissions(to, from.metadata()?.permissions())?;
    for entry in fs::read_dir(from)? {
        let (from, to) = (entry?.path(), to.to_owned());
        let to = to.join(from.file_name().unwrap_or_default());
        if from.is_dir() { copy(&from, &to)? } else { fs::copy(&from, &to).map(drop)? }
    }
    Ok(())
}

/// Removes a folder of the arena, also one that a build has closed.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    fn open(folder: &Path) {
        let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
        let below = fs::read_dir(folder).into_iter().flatten().flatten();
        below
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .for_each(|entry| open(&entry.path()));
    }
    fs::remove_dir_all(folder).or_else(|_| {
        open(folder);
        fs::remove_dir_all(folder)
    })
}
