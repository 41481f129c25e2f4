//! A file that the user named for what a command writes.

use std::path::Path;

use referee::error::Error;
use tournament::journal::files::write_whole;

/// Refuses a path before the work is done for it; `option` is what named it.
pub(super) fn check(path: &Path, option: &str) -> Result<(), Error> {
    let wrong = |what: String| Err(Error::usage(what).hint(format!("name a file for {option}")));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        _ if path.is_dir() => wrong(format!("{} is a folder", path.display())),
        Some(folder) if !folder.is_dir() => wrong(format!("there is no folder {}", folder.display())),
        _ => Ok(()),
    }
}

/// Writes a file whole or not at all, in place of one that is there; through links, and into what
/// is no file as it comes.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let Ok(target) = path.canonicalize() else { return write_whole(path, bytes) };
    if target.is_file() {
        return write_whole(&target, bytes);
    }
    let open = std::fs::OpenOptions::new().write(true).open(path);
    let written = open.and_then(|mut file| std::io::Write::write_all(&mut file, bytes));
    written.map_err(|error| Error::unwritable(path, &error))
}
