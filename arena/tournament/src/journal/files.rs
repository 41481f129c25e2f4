//! Files that are either complete or absent.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::results;
use referee::error::Error;

/// The end of temporary names, after the number of the process.
const TEMPORARY: &str = ".tmp";

/// The beginnings of the names of files that the arena writes whole.
const OURS: [&str; 3] = ["tournament.", "matches.", "standings."];

/// Removes the temporary files that killed runs have left in a directory.
pub(crate) fn sweep(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let parts = name.to_str().and_then(|name| name.strip_suffix(TEMPORARY)?.rsplit_once('.'));
        let is_ours = |name: &str| OURS.iter().any(|ours| name.starts_with(ours));
        if parts.is_some_and(|(name, process)| is_ours(name) && process.parse::<u32>().is_ok()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Writes plain data as a JSON file, like [`write_whole`].
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), Error> {
    let json = serde_json::to_string_pretty(value).expect("plain data") + "\n";
    write_whole(path, json.as_bytes())
}

/// Writes a file under a temporary name, flushes it, and renames it. The file is never incomplete.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(format!(".{}{TEMPORARY}", std::process::id()));
    let aside = PathBuf::from(aside);
    let write = || {
        let mut file = results::create(&aside)?;
        std::io::Write::write_all(&mut file, bytes)?;
        file.sync_all()?;
        std::fs::rename(&aside, path)?;
        sync_folder(path)
    };
    write().map_err(|error| {
        let _ = std::fs::remove_file(&aside);
        Error::unwritable(path, &error)
    })
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
