//! The output file of a command.

use std::path::Path;

use referee::error::Error;
use tournament::journal::files::write_whole;

/// Checks the path of an output file before the work starts. `option` is the option that names the path.
pub(crate) fn check(path: &Path, option: &str) -> Result<(), Error> {
    let wrong = |what: String| Err(Error::usage(what).hint(format!("name a file for {option}")));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        _ if path.is_dir() => wrong(format!("{} is a folder", path.display())),
        Some(folder) if !folder.is_dir() => wrong(format!("there is no folder {}", folder.display())),
        _ => Ok(()),
    }
}

/// Writes a file completely or not at all, and replaces an existing file. Follows links. Writes directly to a
/// path such as a pipe or a device.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let Ok(target) = path.canonicalize() else { return write_whole(path, bytes) };
    if target.is_file() {
        return write_whole(&target, bytes);
    }
    let open = std::fs::OpenOptions::new().write(true).open(path);
    let written = open.and_then(|mut file| std::io::Write::write_all(&mut file, bytes));
    written.map_err(|error| Error::unwritable(path, &error))
}
