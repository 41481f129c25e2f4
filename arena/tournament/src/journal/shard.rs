//! What a file of a shard has beside its records, and how such files are named.

use std::collections::BTreeMap;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use engine::game::Game;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::results;
use crate::plan::speed::{Effort, random_solo_games};
use crate::plan::{HostInfo, TournamentFile};
use referee::bots::entrants::Identity;
use referee::error::Error;
use referee::record::hex;

/// How the lines of a part begin that say where the matches behind them were played; the first one is such.
pub const HEAD: &[u8] = b"{\"shard\":";
/// How its last line begins.
pub const END: &[u8] = b"{\"end\":";
/// How the names of parts begin.
const PREFIX: &str = "shard-";
/// How they end once they are whole.
const SUFFIX: &str = ".jsonl";
/// What follows in the names of those that are not.
pub(crate) const TEMPORARY: &str = ".tmp.";
/// The most parts of a tournament.
pub const PARTS_MAX: u64 = 1 << 20;
/// How long the speed of a host is measured: short beside any part.
const PROBE: Effort = Effort { windows: 3, window: Duration::from_millis(20) };

/// A part of a tournament: the matches whose index leaves `part` when divided by `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    /// Below `of`.
    pub part: u64,
    /// Number of parts.
    pub of: u64,
}

impl Shard {
    /// The whole tournament.
    pub const WHOLE: Shard = Shard { part: 0, of: 1 };

    /// Whether the match belongs to it.
    pub fn has(self, index: u64) -> bool {
        index % self.of == self.part
    }

    /// How many of the first `total` matches belong to it.
    pub fn share_of(self, total: u64) -> u64 {
        total / self.of + u64::from(total % self.of > self.part)
    }

    /// The name of its file once it is whole.
    pub fn file_name(self) -> String {
        format!("{PREFIX}{}-of-{}{SUFFIX}", self.part, self.of)
    }

    /// Where in a tournament's directory it writes all but matches: parts do not write to the same files.
    pub(crate) fn folder_in(self, dir: &Path) -> PathBuf {
        if self == Shard::WHOLE {
            return dir.to_owned();
        }
        dir.join(self.file_name().trim_end_matches(SUFFIX))
    }
}

/// A line of a part that says what it is of, and where the matches behind it were played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShardHead {
    /// Which part, from 0.
    pub shard: u64,
    /// Number of parts.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub of: u64,
    /// The digest of the plan.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{32}$")))]
    pub plan_digest: String,
    /// A digest of the files of each bot.
    pub bots: BTreeMap<String, String>,
    /// Where it is played.
    pub host: HostInfo,
    /// How fast that host was when the part began: random solo games of doodle for each second of CPU time.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub games_per_second: f64,
    /// When that was, in seconds since 1970 by the clock of the host.
    pub begun_s: u64,
}

impl ShardHead {
    /// For a part of this tournament on this machine; measures how fast it is.
    pub fn here<G: Game>(file: &TournamentFile<G>, shard: Shard) -> ShardHead {
        let digest = |bot: &Identity| (bot.name.clone(), digest_of_files(bot));
        ShardHead {
            shard: shard.part,
            of: shard.of,
            plan_digest: file.plan_digest.clone(),
            bots: file.plan.bots.iter().map(digest).collect(),
            host: HostInfo::here(),
            games_per_second: random_solo_games(PROBE).figure.round(),
            begun_s: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        }
    }

    /// Such a line.
    ///
    /// # Errors
    /// Where it is another one, or of a part that cannot be.
    pub fn of_line(line: &[u8]) -> serde_json::Result<ShardHead> {
        let head: ShardHead = serde_json::from_slice(line)?;
        match head.shard < head.of && head.of <= PARTS_MAX {
            true => Ok(head),
            false => Err(serde_json::Error::custom(format!("there is no part {}/{}", head.shard, head.of))),
        }
    }

    /// The first line of the file at `path`, if it is that of a part.
    pub(crate) fn of_file(path: &Path) -> Option<ShardHead> {
        let mut line = Vec::new();
        results::read_line(&mut BufReader::new(results::open(path).ok()?), &mut line).ok()?;
        ShardHead::of_line(&line).ok()
    }

    /// Which part it is.
    pub fn which(&self) -> Shard {
        Shard { part: self.shard, of: self.of }
    }
}

/// The first half of the SHA-256 of the digests of a bot's files, a line each.
fn digest_of_files(bot: &Identity) -> String {
    let lines: String = bot.files.iter().map(|file| format!("{}\n", file.sha256)).collect();
    hex(&Sha256::digest(lines)[..16])
}

/// The last line of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShardEnd {
    /// How many matches there are before it.
    pub end: u64,
}

/// A file of a part, by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartFile {
    /// Its name.
    pub name: String,
    /// Of one that is not whole: the name that it will have.
    pub whole_name: Option<String>,
}

impl PartFile {
    fn named(name: &str) -> Option<PartFile> {
        let name = Some(name).filter(|name| name.starts_with(PREFIX))?;
        let whole_name = match name.split_once(TEMPORARY) {
            Some((whole, _)) if whole.ends_with(SUFFIX) => Some(whole.to_owned()),
            _ if name.ends_with(SUFFIX) => None,
            _ => return None,
        };
        Some(PartFile { name: name.to_owned(), whole_name })
    }
}

/// The files of parts in a directory, by name: those that are whole, those that are written to, and those that
/// runs have left which did not come to their end.
///
/// # Errors
/// A directory that cannot be read.
pub fn parts_in(dir: &Path) -> Result<Vec<PartFile>, Error> {
    let wrong = |error: std::io::Error| Error::unreadable(dir, &error);
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(wrong)? {
        found.extend(entry.map_err(wrong)?.file_name().to_str().and_then(PartFile::named));
    }
    found.sort();
    Ok(found)
}

pub(crate) fn line_of(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("plain data");
    line.push(b'\n');
    line
}
