//! The tag by which the arena knows a directory of results that it has made itself.
//!
//! The tag is an HMAC-SHA256 over all other bytes of `tournament.json` and the canonical path of its directory. The key
//! is a file of the user that no bot may read. An owner or a date would prove nothing: unpacked archives have those of
//! the user.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use rustix::process::getuid;
use serde::Serialize;
use sha2::Sha256;

use engine::wire::WireFormat;

use super::earlier::earlier_file;
use super::{Contained, TOURNAMENT, TournamentFile};
use crate::journal::claim::Claim;
use crate::journal::files::{json, write_json, write_whole};
use crate::journal::keys::{Key, own};
use crate::journal::results;
use referee::error::Error;
use referee::record::hex;
use sandbox::Layer;

/// The text before the tag, which is the last field of the file, and the text after it.
const BEFORE: &str = ",\n  \"tag\": \"";
const AFTER: &str = "\"\n}\n";
/// The end of a file without a tag.
const END: &str = "\n}\n";

/// Returns true if bots that are contained like this cannot read the key.
pub fn is_safe_from(contained: &Contained) -> bool {
    let holds = |layer: Layer| contained.held.contains(&layer);
    holds(Layer::Landlock) && (!getuid().is_root() || holds(Layer::OwnUser))
}

/// Returns true if the tournament's file in the directory has the tag of this user for this directory.
pub fn is_own(dir: &Path) -> bool {
    let is_own = || {
        let text = results::read(&dir.join(TOURNAMENT)).ok()?;
        let (rest, tag) = text.strip_suffix(AFTER)?.rsplit_once(BEFORE)?;
        let known = mac(&own(false).ok()?, dir, &(rest.to_owned() + END)).ok()?;
        known.verify_slice(&bytes_of(tag)?).ok()
    };
    is_own().is_some()
}

/// Notes in the tournament's file of a claimed directory that an author knows the deals. A file of this user's own keeps
/// its tag.
///
/// # Errors
/// The file cannot be read or written.
pub fn tell_deals<G: WireFormat>(claim: &Claim) -> Result<(), Error> {
    let (dir, is_own) = (claim.path(), is_own(claim.path()));
    let Some(file) = earlier_file::<G>(dir)?.filter(|file| !file.deals_known) else { return Ok(()) };
    let file = TournamentFile { deals_known: true, tag: None, ..file };
    write_file(dir, &file, is_own)
}

/// Writes the tournament's file into the directory, with a tag if it is the user's own.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_file<S: Serialize>(
    dir: &Path,
    file: &TournamentFile<S>,
    is_own: bool,
) -> Result<(), Error> {
    if is_own { write_own(dir, file) } else { write_json(&dir.join(TOURNAMENT), file) }
}

/// Writes the file with a tag if there can be a key.
fn write_own<S: Serialize>(dir: &Path, file: &TournamentFile<S>) -> Result<(), Error> {
    let mut text = json(file);
    let tag = own(true).and_then(|key| mac(&key, dir, &text)).map(|mac| mac.finalize().into_bytes());
    if let Ok(tag) = tag {
        text.truncate(text.len() - END.len());
        text += &format!("{BEFORE}{}{AFTER}", hex(&tag));
    }
    write_whole(&dir.join(TOURNAMENT), text.as_bytes())
}

fn mac(key: &Key, dir: &Path, text: &str) -> io::Result<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(io::Error::other)?;
    mac.update(dir.canonicalize()?.as_os_str().as_bytes());
    mac.update(&[0]); // no path has this byte
    mac.update(text.as_bytes());
    Ok(mac)
}

/// Parses hexadecimal digits.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    (0..text.len()).step_by(2).map(byte).collect()
}
