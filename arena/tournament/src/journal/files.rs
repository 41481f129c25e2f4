//! Files that are either complete or absent.

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::results;
use referee::error::Error;

/// The end of temporary names, after the number of the process.
pub(crate) const TEMPORARY: &str = ".tmp";

/// The beginnings of the names of files that the arena writes whole.
const OURS: [&str; 5] = ["tournament.", "matches.", "standings.", "replaced-", "commitment."];

/// Removes the temporary files that killed runs have left in a directory.
pub(crate) fn sweep(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let parts = name.to_str().and_then(|name| name.strip_suffix(TEMPORARY)?.rsplit_once('.'));
        let is_ours = |name: &str| OURS.iter().any(|ours| name.starts_with(ours));
        if parts.is_some_and(|(name, process)| is_ours(name) && process.parse::<u32>().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes plain data as a JSON file, like [`write_whole`].
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), Error> {
    write_whole(path, json(value).as_bytes())
}

/// Writes plain data as a JSON file, like [`write_whole`], but replaces no file. Returns false if there is one.
///
/// # Errors
/// Fails if the file cannot be written.
pub(crate) fn write_new_json(path: &Path, value: &impl serde::Serialize) -> Result<bool, Error> {
    write(path, json(value).as_bytes(), name_new).map_err(|error| Error::unwritable(path, &error))
}

/// Returns plain data as JSON, as files have it.
pub fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("plain data") + "\n"
}

/// Writes a file under a temporary name, flushes it, and renames it. The file is never incomplete.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write(path, bytes, renamed).map(drop).map_err(|error| Error::unwritable(path, &error))
}

/// Writes what `fill` writes to a file like [`write_whole`], unless `fill` returns false. Returns what it returns.
///
/// # Errors
/// The first error of `fill`, or the file cannot be written.
pub(crate) fn write_filled(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<bool, Error>,
) -> Result<bool, Error> {
    let mut failed = None;
    let written = write_by(path, renamed, |file| {
        fill(file).map_err(|error| {
            failed = Some(error);
            io::ErrorKind::Other.into()
        })
    });
    match failed {
        Some(error) => Err(error),
        None => written.map_err(|error| Error::unwritable(path, &error)),
    }
}

fn renamed(aside: &Path, path: &Path) -> io::Result<bool> {
    fs::rename(aside, path).map(|()| true)
}

/// Writes a file under a temporary name, flushes it, and gives it its name with `name`. Returns what `name` returns.
fn write(path: &Path, bytes: &[u8], name: impl Fn(&Path, &Path) -> io::Result<bool>) -> io::Result<bool> {
    write_by(path, name, |file| file.write_all(bytes).map(|()| true))
}

/// Writes a file as [`write`] does, if `fill` returns true.
fn write_by(
    path: &Path,
    name: impl Fn(&Path, &Path) -> io::Result<bool>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<bool>,
) -> io::Result<bool> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(format!(".{}{TEMPORARY}", std::process::id()));
    let aside = PathBuf::from(aside);
    let write = || {
        let mut file = BufWriter::new(results::create(&aside)?);
        if !fill(&mut file)? {
            return Ok(false);
        }
        file.into_inner()?.sync_all()?;
        let is_named = name(&aside, path)?;
        sync_folder(path).map(|()| is_named)
    };
    let written = write();
    let _ = fs::remove_file(&aside); // it is gone after a rename
    written
}

/// Gives a file another name, or one more name, if no file has that name. Returns false if one has it.
///
/// # Errors
/// Returns the system's error.
pub(crate) fn name_new(path: &Path, name: &Path) -> io::Result<bool> {
    // Unlike a rename, a hard link never replaces a file. Some file systems have no hard links.
    match fs::hard_link(path, name) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists || name.exists() => Ok(false),
        Err(_) => fs::rename(path, name).map(|()| true),
        Ok(()) => Ok(true),
    }
}

/// Flushes the directory of a file to the disk, so that created, renamed, and removed entries survive a
/// crash.
///
/// # Errors
/// Fails if the directory cannot be flushed.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
