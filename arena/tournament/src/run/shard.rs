//! Shards of a tournament. Each is a file of its own, so that many machines can play into one directory.
//!
//! A shard has a temporary name with the host and the process. Two runs of one shard, for example after a
//! machine was given up too early, therefore never write to the same file. The file begins with a head line
//! for the plan and the machine. It gets its final name when the last match and the end line are on the disk.
//! A file with the final name is therefore complete, and playing a shard again is always safe. A new run
//! skips a complete shard. It copies the finished matches of interrupted runs, below the head line of their
//! machine.

use engine::game::Setup;
use engine::wire::WireFormat;
use std::fs;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::journal::files::{name_new, sync_folder, write_new_json};
use crate::journal::results;
use crate::journal::shard::{Shard, ShardEnd, ShardHead, TEMPORARY, line_of, shards_in};
use crate::journal::{Journal, read};
use crate::plan::earlier::earlier_file;
use crate::plan::{TOURNAMENT, TournamentFile};
use crate::run::observer::Observer;
use crate::run::resume::Resumed;
use crate::state::State;
use referee::error::Error;
use referee::note::note;
use referee::record::Summary;
use sandbox::text;

/// The longest end line, in bytes.
const END_BYTES_MAX: u64 = 64;
/// The number of bytes copied from earlier runs at once.
const COPY_BYTES: usize = 1 << 20;

/// Writes the plan, unless the directory has it. Other processes may do so at the same time.
///
/// # Errors
/// Fails if the directory has another plan, and names the differences.
pub(crate) fn write_plan<G: WireFormat>(out: &Path, file: &TournamentFile<G::Setup>) -> Result<(), Error> {
    if write_new_json(&out.join(TOURNAMENT), file)? {
        return Ok(());
    }
    match earlier_file::<G>(out)? {
        None => Err(Error::unreadable(&out.join(TOURNAMENT), &ErrorKind::NotFound.into())),
        Some(earlier) if earlier.plan_digest == file.plan_digest => earlier.plan.check_part(&file.plan),
        Some(earlier) => {
            let differences = earlier.plan.differences(&file.plan);
            let mut what = [differences.losses, differences.changes].concat();
            if what.is_empty() {
                what.push("the bots, their order or the rounds differ".to_owned());
            }
            Err(Error::usage(format!("{} has another tournament: {}", out.display(), text::few(&what)))
                .hint("shards have the same plan and the same files of all bots; or take another --out"))
        }
    }
}

/// Returns the number of matches of the shard, if it is complete.
///
/// # Errors
/// Fails if a file with its name is incomplete or has another plan.
pub fn done_in(out: &Path, shard: Shard, plan_digest: &str) -> Result<Option<u64>, Error> {
    let path = out.join(shard.file_name());
    if !path.exists() {
        return Ok(None);
    }
    let wrong = |what: &str| {
        Error::usage(format!("{}: {what}", path.display())).hint("move it away and play the shard again")
    };
    let head = ShardHead::of_file(&path).ok_or_else(|| wrong("this is not a shard of a tournament"))?;
    if head.plan_digest != plan_digest {
        return Err(wrong("it is of another plan"));
    }
    let end = last_line(&path).and_then(|line| serde_json::from_slice::<ShardEnd>(&line).ok());
    end.map(|end| Some(end.end)).ok_or_else(|| wrong("it has no line that ends it"))
}

/// Returns the last line, if it is short.
fn last_line(path: &Path) -> Option<Vec<u8>> {
    let mut file = results::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(END_BYTES_MAX))).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let line = bytes.strip_suffix(b"\n")?.rsplit(|&byte| byte == b'\n').next()?;
    Some(line.to_vec())
}

/// Creates the file of a shard, with the finished matches of its earlier runs.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn begin<S: Setup>(
    out: &Path,
    file: &TournamentFile<S>,
    shard: Shard,
    state: State,
    observer: &mut dyn Observer,
) -> Result<Resumed, Error> {
    let head = ShardHead::here(file, shard);
    let earlier = left_behind(out, shard)?;
    let journal = Journal::open(temporary(out, shard, &head.host.name), 0)?;
    let mut resumed = Resumed { journal, state };
    resumed.journal.append(&line_of(&head))?;
    let mut is_taken_over = false;
    for path in &earlier {
        is_taken_over |= take_over(path, &head, &mut resumed, observer)?;
    }
    if is_taken_over {
        resumed.journal.append(&line_of(&head))?;
    }
    Ok(resumed)
}

/// Returns a name that no other run writes to. An earlier process with this number may have left a file.
fn temporary(out: &Path, shard: Shard, host: &str) -> PathBuf {
    let base = format!("{}{TEMPORARY}{host}.{}", shard.file_name(), std::process::id());
    let path = |again: u32| out.join(if again == 0 { base.clone() } else { format!("{base}.{again}") });
    (0..).map(path).find(|path| !path.exists()).expect("numbers do not run out")
}

/// Returns the files of earlier runs of a shard.
fn left_behind(out: &Path, shard: Shard) -> Result<Vec<PathBuf>, Error> {
    let whole_name = Some(shard.file_name());
    let files = shards_in(out)?.into_iter().filter(|file| file.whole_name == whole_name);
    Ok(files.map(|file| out.join(file.name)).collect())
}

/// Copies the finished matches of an earlier run, with the head lines of their machines. Returns true if
/// there were any. Stops at damaged lines or another plan; the matches after that are played again.
fn take_over(
    path: &Path,
    head: &ShardHead,
    resumed: &mut Resumed,
    observer: &mut dyn Observer,
) -> Result<bool, Error> {
    let Resumed { journal, state } = resumed;
    let (mut lines, mut last_head) = (Vec::new(), None);
    let mut unwritable = None;
    let taken = read::<Summary>(path, |summary, line| {
        let played = line.head.ok_or_else(|| Error::usage("it has no head line"))?;
        played.check_match(&head.plan_digest, summary.index)?;
        head.check_match(&head.plan_digest, summary.index)?;
        // Two runs of one shard may have played a match, with different results if a bot uses chance.
        if state.schedule().done().contains(summary.index) {
            return Ok(());
        }
        state.apply(&summary)?;
        observer.counted(&summary);
        if last_head.as_ref() != Some(played) {
            lines.extend(line_of(played));
            last_head = Some(played.clone());
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
    Ok(last_head.is_some())
}

/// Ends a complete shard and gives the file its final name. If another run was first, its file remains.
/// Removes the files of earlier runs.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn finish(mut journal: Journal, shard: Shard, matches: u64) -> Result<(), Error> {
    journal.append(&line_of(&ShardEnd { end: matches }))?;
    let path = journal.path();
    let out = path.parent().unwrap_or(Path::new("."));
    let name = out.join(shard.file_name());
    let named = name_new(path, &name).and_then(|_| sync_folder(&name));
    named.map_err(|error| Error::unwritable(&name, &error))?;
    for path in left_behind(out, shard)? {
        let _ = fs::remove_file(path);
    }
    Ok(())
}
