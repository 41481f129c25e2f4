//! Joining journals of one plan: parts of a tournament from different machines, or copies.
//!
//! Only places in files are held in memory, not lines, so that a merge is as large as the disks.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::journal::JOURNAL;
use crate::plan::{TOURNAMENT, TournamentHead};
use crate::record::Summary;
use crate::report::output::say;
use crate::resume::pairing_of;
use crate::schedule::{Course, Pairing};
use crate::standings::{Standings, Tally};
use crate::tournament::write_whole;

/// What a merge came to.
#[derive(Debug)]
pub struct Merged {
    /// The tables of all matches.
    pub standings: Standings,
    /// Matches of the plan.
    pub total: u64,
    /// The indices that no journal has, ascending; of those that are known.
    pub missing: Vec<u64>,
    /// Whether the tournament is over; where it is not, matches may follow that are not known yet.
    pub is_over: bool,
}

/// Where the line of a match stands.
struct Place {
    journal: usize,
    offset: u64,
    length: u64,
    digest: String,
    pairing: Pairing,
}

/// Joins the journals in `dirs` and writes the tournament into `out`, which is there and empty.
///
/// # Errors
/// Directories of different plans, two different results of one match, a match that the plan does
/// not have, and files that cannot be read or written.
pub fn merge(dirs: &[PathBuf], out: &Path) -> Result<Merged, Error> {
    let heads = dirs.iter().map(|dir| TournamentHead::read(dir)).collect::<Result<Vec<_>, _>>()?;
    let head = heads.first().ok_or_else(|| Error::usage("there is nothing to merge"))?;
    let foreign = dirs.iter().zip(&heads).find(|(_, other)| other.plan_digest != head.plan_digest);
    if let Some((dir, other)) = foreign {
        let (plan, first) = (&other.plan_digest, dirs[0].display());
        return Err(Error::usage(format!("{} is of another plan ({plan}) than {first}", dir.display()))
            .hint("parts of one tournament have the same bots, files, seed, rounds, limits and rules"));
    }
    let mut course = head.course()?;
    let names = head.names();
    let mut tally = Tally::new(&head.game, &head.names(), &head.limits);
    let mut places = BTreeMap::new();
    for (journal, dir) in dirs.iter().enumerate() {
        collect(journal, dir, &names, &mut course, &mut tally, &mut places)?;
    }
    // Which matches a later stage has is known once all results of the earlier ones are in.
    if let Some((index, place)) =
        places.iter().find(|(index, place)| course.index_of(&place.pairing) != Some(**index))
    {
        let path = dirs[place.journal].join(JOURNAL);
        let (path, offset) = (path.display(), place.offset);
        return Err(Error::usage(format!("{path} at byte {offset}: match {index} is not in the plan")));
    }
    write(dirs, out, &places)?;
    let missing = (0..course.total()).filter(|index| !places.contains_key(index)).collect();
    let standings = Standings { outcome: course.outcome(&names), ..tally.standings() };
    Ok(Merged { standings, total: course.total(), missing, is_over: course.is_over() })
}

/// Takes the places of all lines of one journal.
fn collect(
    journal: usize,
    dir: &Path,
    names: &[String],
    course: &mut Course,
    tally: &mut Tally,
    places: &mut BTreeMap<u64, Place>,
) -> Result<(), Error> {
    let path = dir.join(JOURNAL);
    let file = File::open(&path).map_err(|error| Error::unreadable(&path, &error))?;
    let (mut reader, mut line, mut offset) = (BufReader::new(file), Vec::new(), 0);
    loop {
        line.clear();
        let length =
            reader.read_until(b'\n', &mut line).map_err(|error| Error::unreadable(&path, &error))? as u64;
        if length == 0 {
            return Ok(());
        }
        if line.last() != Some(&b'\n') {
            say(&format!("note: the last line of {} is torn and was left out", path.display()));
            return Ok(());
        }
        let wrong = |what: String| Error::usage(format!("{} at byte {offset}: {what}", path.display()));
        let summary: Summary = serde_json::from_slice(&line).map_err(|error| wrong(error.to_string()))?;
        let pairing = pairing_of(&summary, names).map_err(|error| wrong(error.message().to_owned()))?;
        course.take(&pairing, &summary.result);
        let place = Place { journal, offset, length, digest: summary.digest.clone(), pairing };
        if places.get(&summary.index).is_some_and(|there| there.digest != place.digest) {
            return Err(wrong(format!(
                "match {} has another result than in an earlier journal",
                summary.index
            )));
        }
        tally.add(&summary)?;
        places.entry(summary.index).or_insert(place);
        offset += length;
    }
}

/// Writes the plan of the first directory and all lines in the order of their index.
fn write(dirs: &[PathBuf], out: &Path, places: &BTreeMap<u64, Place>) -> Result<(), Error> {
    let open = |dir: &PathBuf| {
        let path = dir.join(JOURNAL);
        File::open(&path).map_err(|error| Error::unreadable(&path, &error))
    };
    let mut journals = dirs.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let path = out.join(JOURNAL);
    let failed = |error: std::io::Error| Error::unwritable(&path, &error);
    let mut writer = BufWriter::new(File::create_new(&path).map_err(failed)?);
    let mut line = Vec::new();
    for place in places.values() {
        line.resize(place.length as usize, 0);
        let journal = &mut journals[place.journal];
        let read = journal.seek(SeekFrom::Start(place.offset)).and_then(|_| journal.read_exact(&mut line));
        read.and_then(|()| writer.write_all(&line)).map_err(failed)?;
    }
    writer.flush().and_then(|()| writer.get_ref().sync_all()).map_err(failed)?;
    let plan = dirs[0].join(TOURNAMENT);
    let bytes = std::fs::read(&plan).map_err(|error| Error::unreadable(&plan, &error))?;
    write_whole(&out.join(TOURNAMENT), &bytes)
}
