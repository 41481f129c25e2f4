//! Opens the files of a results directory. The directory may come from a stranger, so no other module opens
//! such files.
//!
//! This module opens regular files only, and follows no links in the directory. Reads never block, and every
//! read has a limit. The user named the directory itself, so it may be a link.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, ErrorKind, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

/// The longest line of a journal or a shard, in bytes. A match needs only a small part of it. Parsing such a
/// line as JSON takes about ten times as much memory.
pub const LINE_BYTES_MAX: u64 = 16 << 20;
/// The longest file that is read as a whole, in bytes. The plan of a tournament with the most bots fits.
pub(crate) const FILE_BYTES_MAX: u64 = 16 << 20;

/// Opens a file in the directory for reading.
///
/// # Errors
/// Returns the system's error. A link, or anything but a regular file, is an error too.
pub fn open(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().read(true), path, OFlags::NOFOLLOW)
}

/// Opens a file that the user named. Follows links.
///
/// # Errors
/// Fails like [`open`].
pub(crate) fn open_named(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().read(true), path, OFlags::empty())
}

/// Opens a file in the directory for appending, and creates it if it does not exist.
///
/// # Errors
/// Fails like [`open`], and if the file has another name elsewhere (a hard link).
pub fn append(path: &Path) -> io::Result<File> {
    let file = regular(OpenOptions::new().append(true).create(true), path, OFlags::NOFOLLOW)?;
    match file.metadata()?.nlink() {
        0 | 1 => Ok(file),
        _ => Err(io::Error::other("it has another name elsewhere (a hard link)")),
    }
}

/// Creates a file in the directory, and replaces any file or link with that name.
///
/// # Errors
/// Returns the system's error.
pub fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => File::create_new(path),
    }
}

/// Creates a folder in the directory, unless it exists.
///
/// # Errors
/// Returns the system's error, or fails if the path is a link.
pub fn folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    check_folder(path)
}

/// Creates a folder that only this user may enter, and the folders around it, unless it exists.
///
/// # Errors
/// Returns the system's error.
pub fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Checks that the path is a folder or absent, so that nothing is written through a link.
///
/// # Errors
/// Fails for a link or another kind of file.
pub(crate) fn check_folder(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(facts) if !facts.is_dir() => Err(io::Error::other("it is a link, or no folder")),
        _ => Ok(()),
    }
}

/// Reads a file in the directory as text.
///
/// # Errors
/// Fails like [`open`], and for a file that is not UTF-8 or too long.
pub fn read(path: &Path) -> io::Result<String> {
    let (mut text, mut file) = (String::new(), open(path)?.take(FILE_BYTES_MAX + 1));
    file.read_to_string(&mut text)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(io::Error::other(format!("it is longer than {} MiB", FILE_BYTES_MAX >> 20)));
    }
    Ok(text)
}

/// Appends the next line of a file to `line`, newline included. Returns its length in bytes, 0 at the end of
/// the file.
///
/// # Errors
/// Returns the system's error, or fails if the line is too long.
pub fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    let length = reader.take(LINE_BYTES_MAX).read_until(b'\n', line)?;
    match length as u64 == LINE_BYTES_MAX && !line.ends_with(b"\n") {
        true => Err(line_too_long()),
        false => Ok(length),
    }
}

/// The error for a line longer than [`LINE_BYTES_MAX`].
pub fn line_too_long() -> io::Error {
    io::Error::other(format!("a line is longer than {} MiB", LINE_BYTES_MAX >> 20))
}

fn regular(options: &mut OpenOptions, path: &Path, more: OFlags) -> io::Result<File> {
    // The open does not wait for the other end of a pipe. A terminal does not become this process's terminal.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | more;
    let opened = options.custom_flags(flags.bits().cast_signed()).open(path);
    let file = opened.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::LOOP) => io::Error::other("it is a link, which is not followed"),
        _ => error,
    })?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is no regular file")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_regular_files_are_opened_and_no_links() {
        let dir = tempfile::tempdir().expect("a scratch folder");
        let [file, link, hard] = ["file", "link", "hard"].map(|name| dir.path().join(name));
        fs::write(&file, "text").expect("it can be written");
        symlink(&file, &link).expect("a link");
        assert_eq!(read(&file).expect("a file"), "text");
        assert!(open(&link).is_err() && append(&link).is_err() && folder(&link).is_err());
        assert!(
            open_named(&link).is_ok() && open(Path::new("/dev/zero")).is_err() && open(dir.path()).is_err()
        );
        fs::hard_link(&file, &hard).expect("a hard link");
        assert!(open(&hard).is_ok() && append(&hard).is_err());
        create(&link).expect("a file in its place");
        create(&hard).expect("a file in its place");
        assert_eq!(read(&file).expect("nothing was written to it"), "text");
        assert_eq!(read(&link).expect("it is a file now"), "");
    }

    #[test]
    fn long_lines_and_files_are_refused_at_their_bound() {
        let dir = tempfile::tempdir().expect("a scratch folder");
        let path = dir.path().join("sparse");
        let file = File::create(&path).expect("a file");
        for (length, is_short) in [(FILE_BYTES_MAX, true), (1 << 40, false)] {
            file.set_len(length).expect("it takes no room");
            assert_eq!(read(&path).is_ok(), is_short);
        }
        let error = read_line(&mut BufReader::new(open(&path).expect("a file")), &mut Vec::new());
        assert!(error.is_err_and(|error| error.to_string() == "a line is longer than 16 MiB"));
        let mut line = Vec::new();
        assert_eq!(read_line(&mut &b"one\ntwo"[..], &mut line).expect("it is short"), 4);
    }
}
