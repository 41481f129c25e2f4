//! Parts of a tournament, each a file of its own, so that many machines can play into one directory.
//!
//! A part is written under a temporary name that has the host and the process in it, so that two runs of one
//! part, which happen where a machine was given up too early, never write to the same file. It begins with a
//! line that says what it is of and where it is played, and gets its name when the last match and the line
//! behind it are on the disk. So a file with that name is whole, and playing a part again is always right: what
//! is done is done, and of runs that were broken off the finished matches are taken over, behind the line that
//! says where those were played.

use std::fs;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use engine::game::Game;

use crate::journal::files::sync_folder;
use crate::journal::files::write_json;
use crate::journal::results;
use crate::journal::shard::{Shard, ShardEnd, ShardHead, TEMPORARY, line_of, parts_in};
use crate::journal::{Journal, read};
use crate::plan::earlier::earlier_file;
use crate::plan::{TOURNAMENT, TournamentFile};
use crate::run::observer::Observer;
use crate::run::resume::Begun;
use crate::schedule::Course;
use crate::standings::Tally;
use crate::state::pairing_of;
use referee::error::Error;
use referee::note::note;
use referee::record::Summary;
use sandbox::text;

/// Room for the last line, in bytes.
const END_BYTES_MAX: u64 = 64;
/// Lines of earlier runs are taken over so many bytes at a time.
const COPY_BYTES: usize = 1 << 20;

/// The plan, written where there is none yet; others may do that at the same time.
///
/// # Errors
/// Where there is another one, with what differs.
pub(crate) fn write_plan<G: Game>(out: &Path, file: &TournamentFile<G>) -> Result<(), Error> {
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
