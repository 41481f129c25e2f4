//! The head lines and the end line of a shard file, and the names of such files.

use engine::game::Setup;
use std::collections::BTreeMap;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::results;
use crate::plan::{Contained, HostInfo, TournamentFile};
use referee::bots::identity::Identity;
use referee::error::Error;
use referee::record::hex;

/// The first bytes of a head line. Every shard begins with one; it names the machine that played the matches
/// after it.
pub const HEAD: &[u8] = b"{\"shard\":";
/// The first bytes of the end line.
pub const END: &[u8] = b"{\"end\":";
/// The prefix of shard file names.
pub(crate) const PREFIX: &str = "shard-";
/// The suffix of a complete shard.
const SUFFIX: &str = ".jsonl";
/// The text that follows the suffix in the name of an incomplete shard.
pub(crate) const TEMPORARY: &str = ".tmp.";
/// The largest number of shards.
pub const SHARDS_MAX: u64 = 1 << 20;

/// A shard of a tournament: the matches whose index leaves the remainder `part` when divided by `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    /// The number of this shard, below `of`.
    pub part: u64,
    /// The number of shards.
    pub of: u64,
}

impl Shard {
    /// The whole tournament as one shard.
    pub const WHOLE: Shard = Shard { part: 0, of: 1 };

    /// Returns true if the match belongs to this shard.
    pub fn has(self, index: u64) -> bool {
        index % self.of == self.part
    }

    /// Returns how many of the first `total` matches belong to this shard.
    pub fn share_of(self, total: u64) -> u64 {
        total / self.of + u64::from(total % self.of > self.part)
    }

    /// The name of its complete file.
    pub fn file_name(self) -> String {
        format!("{PREFIX}{}-of-{}{SUFFIX}", self.part, self.of)
    }

    /// Returns the directory for all files except matches. Each shard has its own, so that shards never write
    /// to the same files.
    pub(crate) fn folder_in(self, dir: &Path) -> PathBuf {
        if self == Shard::WHOLE {
            return dir.to_owned();
        }
        dir.join(self.file_name().trim_end_matches(SUFFIX))
    }
}

/// The head line of a shard: its number, its plan, and the machine that played the matches after the line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShardHead {
    /// The number of this shard, from 0.
    pub shard: u64,
    /// The number of shards.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub of: u64,
    /// The digest of the plan.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{32}$")))]
    pub plan_digest: String,
    /// A digest of the files of each bot.
    pub bots: BTreeMap<String, String>,
    /// The machine.
    pub host: HostInfo,
    /// The start of the shard, in seconds since 1970 by the machine's clock.
    pub begun_s: u64,
    /// The sandbox of the bots in this run. `None` if an earlier version of the arena played the shard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub containment: Option<Contained>,
}

impl ShardHead {
    /// Creates the head line of a shard on this machine.
    pub fn here<S: Setup>(file: &TournamentFile<S>, shard: Shard) -> ShardHead {
        let digest = |bot: &Identity| (bot.name.clone(), digest_of_files(bot));
        ShardHead {
            shard: shard.part,
            of: shard.of,
            plan_digest: file.plan_digest.clone(),
            bots: file.plan.bots.iter().map(digest).collect(),
            host: HostInfo::here(),
            begun_s: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            containment: file.containment.clone(),
        }
    }

    /// Parses a head line.
    ///
    /// # Errors
    /// Fails if the line is not a head line, or if its shard number is impossible.
    pub fn of_line(line: &[u8]) -> serde_json::Result<ShardHead> {
        let head: ShardHead = serde_json::from_slice(line)?;
        match head.shard < head.of && head.of <= SHARDS_MAX {
            true => Ok(head),
            false => Err(serde_json::Error::custom(format!("there is no shard {}/{}", head.shard, head.of))),
        }
    }

    /// Returns the first line of the file at `path`, if it is a head line.
    pub(crate) fn of_file(path: &Path) -> Option<ShardHead> {
        let mut line = Vec::new();
        results::read_line(&mut BufReader::new(results::open(path).ok()?), &mut line).ok()?;
        ShardHead::of_line(&line).ok()
    }

    /// The shard.
    pub fn which(&self) -> Shard {
        Shard { part: self.shard, of: self.of }
    }

    /// Checks that a match below this line is one of the plan with this digest, and of the shard.
    ///
    /// # Errors
    /// The match is of another plan, or of another shard.
    pub fn check_match(&self, plan_digest: &str, index: u64) -> Result<(), Error> {
        if self.plan_digest != plan_digest {
            return Err(Error::usage(format!("match {index} is of another plan")));
        }
        match self.which().has(index) {
            true => Ok(()),
            false => Err(Error::usage(format!("match {index} is not of shard {}/{}", self.shard, self.of))),
        }
    }
}

/// Returns the first half of the SHA-256 of the digests of a bot's files, one digest a line.
fn digest_of_files(bot: &Identity) -> String {
    let lines: String = bot.files.iter().map(|file| format!("{}\n", file.sha256)).collect();
    hex(&Sha256::digest(lines)[..16])
}

/// The end line of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShardEnd {
    /// The number of matches before it.
    pub end: u64,
}

/// A shard file in a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShardFile {
    /// The file name.
    pub name: String,
    /// The name of the complete file, if this one is incomplete.
    pub whole_name: Option<String>,
}

impl ShardFile {
    fn named(name: &str) -> Option<ShardFile> {
        let name = Some(name).filter(|name| name.starts_with(PREFIX))?;
        let whole_name = match name.split_once(TEMPORARY) {
            Some((whole, _)) if whole.ends_with(SUFFIX) => Some(whole.to_owned()),
            _ if name.ends_with(SUFFIX) => None,
            _ => return None,
        };
        Some(ShardFile { name: name.to_owned(), whole_name })
    }
}

/// Lists the shard files in a directory, by name. They include complete files, files that a run writes to,
/// and incomplete files from earlier runs.
///
/// # Errors
/// Fails if the directory cannot be read.
pub fn shards_in(dir: &Path) -> Result<Vec<ShardFile>, Error> {
    let wrong = |error: std::io::Error| Error::unreadable(dir, &error);
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(wrong)? {
        found.extend(entry.map_err(wrong)?.file_name().to_str().and_then(ShardFile::named));
    }
    found.sort_unstable();
    Ok(found)
}

pub(crate) fn line_of(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("plain data");
    line.push(b'\n');
    line
}
