//! The keys and secrets of the arena's user, each in a file that no bot may read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use rustix::process::getuid;

use super::files::{name_new, sync_folder};
use super::results;
use sandbox::confine::paths::secrets;

/// The name of the key's file.
const KEY: &str = "key";
/// The length of a key, in bytes.
const KEY_BYTES: usize = 32;

pub(crate) type Key = [u8; KEY_BYTES];

/// Returns the user's key. Makes it if `is_made` is true.
pub(crate) fn own(is_made: bool) -> io::Result<Key> {
    let folder = secrets().ok_or(io::ErrorKind::NotFound)?;
    if is_made && !folder.join(KEY).exists() {
        keep(KEY, &random()?)?;
    }
    kept(KEY)
}

/// Draws a key.
pub(crate) fn random() -> io::Result<Key> {
    let mut key = [0; KEY_BYTES];
    File::open("/dev/urandom")?.read_exact(&mut key).map(|()| key)
}

/// Keeps a key under this name in the user's folder for secrets, unless there is one.
pub(crate) fn keep(name: &str, key: &Key) -> io::Result<()> {
    let folder = secrets().ok_or(io::ErrorKind::NotFound)?;
    results::private_folder(folder)?;
    let aside = folder.join(format!("{name}.{}", std::process::id()));
    let _ = fs::remove_file(&aside);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&aside)?;
    file.write_all(key)?;
    file.sync_all()?;
    name_new(&aside, &folder.join(name))?; // another arena may have been faster
    let _ = fs::remove_file(&aside); // it is gone after a rename
    sync_folder(&folder.join(name))
}

/// Returns the key of this name.
pub(crate) fn kept(name: &str) -> io::Result<Key> {
    let path = secrets().ok_or(io::ErrorKind::NotFound)?.join(name);
    let mut file = results::open(&path)?;
    let facts = file.metadata()?;
    // Others may read it under another name.
    let is_ours = facts.uid() == getuid().as_raw() && facts.mode() & 0o077 == 0 && facts.nlink() == 1;
    let mut key = [0; KEY_BYTES];
    match is_ours && facts.len() == KEY_BYTES as u64 {
        true => file.read_exact(&mut key).map(|()| key),
        false => Err(io::Error::other("it is not a key that only this user can read")),
    }
}
