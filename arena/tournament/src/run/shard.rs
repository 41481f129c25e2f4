//! Parts of a tournament, each a file of its own, so that many machines can play into one directory.
//!
//! A part is written under a temporary name that has the host and the process in it, so that two runs of one
//! part, which happen where a machine was given up too early, never write to the same file. It begins with a
//! line that says what it is of and where it is played, and gets its name when the last match and the line
//! behind it are on the disk. So a file with that name is whole, and playing a part again is always right: what
//! is done is done, and of runs that were broken off the finished matches are taken over, behind the line that
//! says where those were played.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use engine::game::Game;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::entrants::Identity;
use crate::error::Error;
use crate::journal::results;
use crate::journal::{Journal, read, sync_folder};
use crate::note::note;
use crate::plan::speed::{Effort, random_solo_games};
use crate::plan::{HostInfo, TOURNAMENT, TournamentFile};
use crate::record::{Summary, hex};
use crate::run::resume::{Begun, earlier_file, pairing_of};
use crate::run::tournament::{Observer, write_json};
use crate::schedule::Course;
use crate::standings::Tally;
use crate::text;

/// How the lines of a part begin that say where the matches behind them were played; the first one is such.
pub const HEAD: &[u8] = b"{\"shard\":";
/// How its last line begins.
pub const END: &[u8] = b"{\"end\":";
/// How the names of parts begin.
const PREFIX: &str = "shard-";
/// How they end once they are whole.
const SUFFIX: &str = ".jsonl";
/// What follows in the names of those that are not.
const TEMPORARY: &str = ".tmp.";
/// Room for the last line, in bytes.
const END_BYTES_MAX: u64 = 64;
/// Lines of earlier runs are taken over so many bytes at a time.
const COPY_BYTES: usize = 1 << 20;
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
    pub fn folder_in(self, dir: &Path) -> PathBuf {
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
    pub fn of_file(path: &Path) -> Option<ShardHead> {
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

/// The plan, written where there is none yet; others may do that at the same time.
///
/// # Errors
/// Where there is another one, with what differs.
pub fn write_plan<G: Game>(out: &Path, file: &TournamentFile<G>) -> Result<(), Error> {
    match earlier_file::<G>(out)? {
        None => write_json(&out.join(TOURNAMENT), file),
        Some(earlier) if earlier.plan_digest == file.plan_digest => Ok(()),
        Some(earlier) => {
            let differences = earlier.plan.differences(&file.plan);
            let mut what = [differences.losses, differences.changes].concat();
            if what.is_empty() {
                what.push("the bots, their order or the rounds differ".to_owned());
            }
            Err(Error::usage(format!("{} has another tournament: {}", out.display(), text::few(&what)))
                .hint("parts have the same plan and the same files of all bots; or take another --out"))
        }
    }
}

/// How many matches the part has, if it was played to its end.
///
/// # Errors
/// A file in its place that is not whole, or of another plan.
pub fn done_in(out: &Path, shard: Shard, plan_digest: &str) -> Result<Option<u64>, Error> {
    let path = out.join(shard.file_name());
    if !path.exists() {
        return Ok(None);
    }
    let wrong = |what: &str| {
        Error::usage(format!("{}: {what}", path.display())).hint("move it away and play the part again")
    };
    let head = ShardHead::of_file(&path).ok_or_else(|| wrong("this is not a part of a tournament"))?;
    if head.plan_digest != plan_digest {
        return Err(wrong("it is of another plan"));
    }
    let end = last_line(&path).and_then(|line| serde_json::from_slice::<ShardEnd>(&line).ok());
    end.map(|end| Some(end.end)).ok_or_else(|| wrong("it has no line that ends it"))
}

/// The last line, as far as it is short.
fn last_line(path: &Path) -> Option<Vec<u8>> {
    let mut file = results::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(END_BYTES_MAX))).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let line = bytes.strip_suffix(b"\n")?.rsplit(|&byte| byte == b'\n').next()?;
    Some(line.to_vec())
}

/// Begins the file of a part, with the matches that earlier runs of it have finished.
///
/// # Errors
/// Where it cannot be written.
pub fn begin<G: Game>(
    out: &Path,
    file: &TournamentFile<G>,
    shard: Shard,
    (tally, course): (Tally, Course),
    observer: &mut impl Observer,
) -> Result<Begun, Error> {
    let head = ShardHead::here(file, shard);
    let earlier = left_behind(out, shard)?;
    let journal = Journal::open(temporary(out, shard, &head.host.name), 0)?;
    let names: Vec<String> = file.plan.bots.iter().map(|bot| bot.name.clone()).collect();
    let mut begun = Begun { journal, tally, course };
    begun.journal.append(&line_of(&head))?;
    let mut is_taken_over = false;
    for path in &earlier {
        is_taken_over |= take_over(path, &head, &names, &mut begun, observer)?;
    }
    if is_taken_over {
        begun.journal.append(&line_of(&head))?;
    }
    Ok(begun)
}

/// A name that nobody else writes to. A process of this number may have left a file behind.
fn temporary(out: &Path, shard: Shard, host: &str) -> PathBuf {
    let base = format!("{}{TEMPORARY}{host}.{}", shard.file_name(), std::process::id());
    let path = |again: u32| out.join(if again == 0 { base.clone() } else { format!("{base}.{again}") });
    (0..).map(path).find(|path| !path.exists()).expect("numbers do not run out")
}

/// The files of earlier runs of a part.
fn left_behind(out: &Path, shard: Shard) -> Result<Vec<PathBuf>, Error> {
    let whole_name = Some(shard.file_name());
    let files = parts_in(out)?.into_iter().filter(|file| file.whole_name == whole_name);
    Ok(files.map(|file| out.join(file.name)).collect())
}

/// Takes over the matches that an earlier run has finished, with the lines that say where; whether there were any.
/// Where its file is damaged, or of another plan, reading ends: what is behind it is played again.
fn take_over(
    path: &Path,
    head: &ShardHead,
    names: &[String],
    begun: &mut Begun,
    observer: &mut impl Observer,
) -> Result<bool, Error> {
    let Begun { journal, tally, course } = begun;
    let (mut lines, mut told) = (Vec::new(), None);
    let mut unwritable = None;
    let taken = read::<Summary>(path, |summary, line| {
        let pairing = pairing_of(&summary, names)?;
        let (is_ours, index) = (head.which().has(summary.index), course.index_of(&pairing));
        let played = line.head.filter(|played| played.plan_digest == head.plan_digest);
        let Some(played) = played.filter(|_| is_ours && index == Some(summary.index)) else {
            return Err(Error::usage(format!("match {} is not of this part", summary.index)));
        };
        if course.done().contains(summary.index) {
            return Ok(());
        }
        tally.add(&summary)?;
        observer.counted(&summary);
        course.take(&pairing, &summary.result);
        if told.as_ref() != Some(played) {
            lines.extend(line_of(played));
            told = Some(played.clone());
        }
        lines.extend_from_slice(line.bytes);
        if lines.len() >= COPY_BYTES {
            journal
                .append(&std::mem::take(&mut lines))
                .inspect_err(|error| unwritable = Some(error.clone()))?;
        }
        Ok(())
    });
    if let Some(error) = unwritable {
        return Err(error);
    }
    if let Err(error) = taken {
        note(&format!("note: not all of {} could be taken over: {}", path.display(), error.message()));
    }
    journal.append(&lines)?;
    Ok(told.is_some())
}

/// Ends the file of a part that is whole and gives it its name, unless another run was first; then that
/// one stands. What earlier runs have left is removed.
///
/// # Errors
/// Where it cannot be written.
pub fn finish(mut journal: Journal, shard: Shard, matches: u64) -> Result<(), Error> {
    journal.append(&line_of(&ShardEnd { end: matches }))?;
    let path = journal.path();
    let out = path.parent().unwrap_or(Path::new("."));
    let name = out.join(shard.file_name());
    // A link, unlike a renaming, never takes the place of a file that is there.
    let named = match fs::hard_link(path, &name) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists && !name.exists() => fs::rename(path, &name),
        _ => Ok(()),
    };
    named.and_then(|()| sync_folder(&name)).map_err(|error| Error::unwritable(&name, &error))?;
    for path in left_behind(out, shard)? {
        let _ = fs::remove_file(path);
    }
    Ok(())
}

fn line_of(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("plain data");
    line.push(b'\n');
    line
}
