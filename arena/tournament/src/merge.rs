//! Joins journals of one plan: shards of a tournament from different machines, or copies.
//!
//! A merge keeps only positions in files in memory, not lines. Its size is limited by the disks, not the
//! memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::journal::files::{TEMPORARY, write_json};
use crate::journal::shard::{Shard, ShardHead, shards_in};
use crate::journal::{self, End, JOURNAL, Line, read};
use crate::plan::earlier::earlier_file;
use crate::plan::hosts::{HostRow, Hosts};
use crate::plan::{Contained, Differences, TOURNAMENT, TournamentFile, TournamentHead};
use crate::report::words::count;
use crate::standings::Standings;
use crate::state::{Applied, State};
use referee::error::Error;
use referee::for_game;
use referee::games::GameName;
use referee::note::note;
use referee::record::Summary;
use sandbox::Host;

/// The outcome of a merge.
#[derive(Debug)]
pub struct Merged {
    /// The tables of all matches.
    pub standings: Standings,
    /// The number of matches in the known stages of the plan.
    pub total: u64,
    /// Ranges of match indices that no journal has, ascending. They cover the known stages only.
    pub missing: Vec<Range<u64>>,
    /// Shards without a counted match. Empty if the other shards differ in their number of shards, or if
    /// other matches are missing too.
    pub missing_shards: Vec<Shard>,
    /// The machines that played the shards.
    pub hosts: Vec<HostRow>,
    /// True if the tournament is over. Otherwise later stages may add matches.
    pub is_over: bool,
}

/// A file of matches.
struct Source {
    path: PathBuf,
    /// The first line, if the file is a shard.
    head: Option<ShardHead>,
}

/// The position of a match's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    index: u64,
    /// The index of the file among the sources.
    source: u32,
    length: u32,
    offset: u64,
}

/// Joins the journals and shards in `paths`, and writes the tournament into `out`. Each path is a directory
/// or a file in one. `out` must exist and be empty. Matches that the hosts in `without` played are left out.
///
/// # Errors
/// Fails for directories of different plans and for two different results of one match. Also fails for a
/// match that the plan does not have, an incomplete shard, and files that cannot be read or written.
pub fn merge(paths: &[PathBuf], without: &[String], out: &Path) -> Result<Merged, Error> {
    let first = paths.first().ok_or_else(|| Error::usage("there is nothing to merge"))?;
    let head = TournamentHead::read(&folder_of(first))?;
    let (mut sources, mut containments) = (Vec::new(), BTreeMap::new());
    for path in paths {
        let other = TournamentHead::read(&folder_of(path))?;
        check_plan(path, &other.plan_digest, &head, first)
            .map_err(|error| with_difference(error, &head, &other, [&folder_of(first), &folder_of(path)]))?;
        head.plan.check_part(&other.plan)?;
        containments.insert(folder_of(path), other.containment);
        sources.extend(sources_in(path)?);
    }
    for source in &sources {
        if let Some(part) = &source.head {
            check_plan(&source.path, &part.plan_digest, &head, first)?;
        }
    }
    let mut joint = Joint {
        plan_digest: &head.plan_digest,
        without,
        state: State::of(&head)?,
        hosts: Hosts::default(),
        parts: BTreeSet::new(),
        containments: Vec::new(),
        places: Vec::new(),
    };
    for (number, source) in sources.iter().enumerate() {
        if source.head.is_none() {
            joint.containments.extend(containments.get(&folder_of(&source.path)).cloned());
        }
        joint.take(number as u32, source)?;
    }
    let Joint { mut state, hosts, parts, containments, mut places, .. } = joint;
    state.end()?;
    places.sort_unstable();
    places.dedup_by_key(|place| place.index);
    // A claim of the directory removes what a killed merge has left under this name.
    let aside = out.join(format!("{JOURNAL}.{}{TEMPORARY}", std::process::id()));
    write(&sources, &aside, &places)?;
    let weakest = containments.into_iter().reduce(|one, two| Some(one?.weakest(&two?))).flatten();
    if weakest.is_none() {
        note("note: not every shard says how its bots were contained");
    }
    write_plan(&folder_of(first), &head.plan.game, out, weakest)?;
    let journal = out.join(JOURNAL);
    std::fs::rename(&aside, &journal).map_err(|error| Error::unwritable(&journal, &error))?;
    let (standings, total, is_over) =
        (state.standings(), state.schedule().total(), state.schedule().is_over());
    let missing = gaps(places.iter().map(|place| place.index), total);
    let missing_shards = shards_lacking(&parts, total, &missing);
    Ok(Merged { standings, total, missing, missing_shards, hosts: hosts.rows(), is_over })
}

/// Returns the tournament's directory for a directory or a file. A path without a file counts as a directory.
fn folder_of(path: &Path) -> PathBuf {
    if !path.is_file() {
        return path.to_owned();
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).to_owned()
}

fn check_plan(path: &Path, digest: &str, head: &TournamentHead, first: &Path) -> Result<(), Error> {
    if digest == head.plan_digest {
        return Ok(());
    }
    let (path, first) = (path.display(), first.display());
    Err(Error::usage(format!("{path} is of another plan ({digest}) than {first}"))
        .hint("shards of one tournament have the same bots, files, seed, rounds, limits and rules"))
}

/// Adds what the plan of the second directory changes in the plan of the first.
fn with_difference(error: Error, head: &TournamentHead, other: &TournamentHead, dirs: [&Path; 2]) -> Error {
    if head.plan.game != other.plan.game {
        return error.hint(format!("one is {}, the other {}", head.plan.game, other.plan.game));
    }
    let differences = || {
        for_game!(GameName::named(&head.plan.game)?, G => {
            let [one, two] = dirs.map(earlier_file::<G>);
            let Some((one, two)) = one?.zip(two?) else { return Ok(Vec::new()) };
            let Differences { changes, losses } = one.plan.differences(&two.plan);
            Ok::<_, Error>([losses, changes].concat())
        })
    };
    // More bots or deals extend a plan, but not that of a shard.
    let (names, others) = (head.plan.names(), other.plan.names());
    let bots = (names != others)
        .then(|| format!("the bots are {} instead of {}", others.join(", "), names.join(", ")));
    let deals = (head.plan.rounds != other.plan.rounds)
        .then(|| format!("there are {} instead of {}", count(other.plan.rounds, "deal"), head.plan.rounds));
    let found: Vec<String> = differences().unwrap_or_default().into_iter().chain(bots).chain(deals).collect();
    if found.is_empty() { error } else { error.hint(found.join("; ")) }
}

/// Returns the journal and the complete shards of a directory, or the file itself.
fn sources_in(path: &Path) -> Result<Vec<Source>, Error> {
    let paths = if path.is_dir() {
        let journal = Some(path.join(JOURNAL)).filter(|journal| journal.exists());
        let whole = shards_in(path)?.into_iter().filter(|file| file.whole_name.is_none());
        journal.into_iter().chain(whole.map(|file| path.join(file.name))).collect()
    } else {
        vec![path.to_owned()]
    };
    if paths.is_empty() {
        return Err(Error::usage(format!("there are no matches in {}", path.display()))
            .hint("unfinished shards do not count: play them to their end"));
    }
    let source = |path: PathBuf| Source { head: ShardHead::of_file(&path), path };
    Ok(paths.into_iter().map(source).collect())
}

/// The state of a merge, common to all sources.
struct Joint<'a> {
    plan_digest: &'a str,
    /// The hosts whose matches are left out.
    without: &'a [String],
    state: State,
    hosts: Hosts,
    /// The shards with at least one counted match.
    parts: BTreeSet<Shard>,
    /// The different sandboxes of the counted matches; `None` for an unknown one.
    containments: Vec<Option<Contained>>,
    places: Vec<Place>,
}

impl Joint<'_> {
    /// Counts the matches of a source and remembers their positions.
    fn take(&mut self, number: u32, source: &Source) -> Result<(), Error> {
        let mut matches = 0;
        let end = read::<Summary>(&source.path, |summary, line| {
            matches += 1;
            self.count(number, &summary, line).map_err(|error| at(source, line.offset, &error))
        })?;
        let wrong = |what: String| {
            let path = source.path.display();
            Err(Error::usage(format!("{path} is not whole: {what}"))
                .hint("leave it out, or play the shard again; its finished matches are taken over"))
        };
        match end {
            End { head: None, torn: true, .. } => {
                note(&format!(
                    "note: the last line of {} is incomplete and was ignored",
                    source.path.display()
                ));
                Ok(())
            }
            End { head: None, .. } => Ok(()),
            End { count: Some(count), torn: false, .. } if count == matches => Ok(()),
            End { count: Some(count), .. } => wrong(format!("it has {matches} matches of {count}")),
            End { .. } => wrong("it has no line that ends it".to_owned()),
        }
    }

    fn count(&mut self, number: u32, summary: &Summary, line: Line<'_>) -> Result<(), Error> {
        if line.head.is_some_and(|head| self.without.contains(&head.host.name)) {
            return Ok(());
        }
        if let Some(head) = line.head {
            head.check_match(self.plan_digest, summary.index)?;
            self.parts.insert(head.which());
            if !self.containments.contains(&head.containment) {
                self.containments.push(head.containment.clone());
            }
        }
        let Applied { bots, is_new } = self.state.apply(summary)?;
        if let Some(head) = line.head.filter(|_| is_new) {
            self.hosts.add(head, summary, &bots);
        }
        let length = line.bytes.len() as u32;
        self.places.push(Place { index: summary.index, source: number, length, offset: line.offset });
        Ok(())
    }
}

fn at(source: &Source, offset: u64, error: &Error) -> Error {
    Error::usage(format!("{} at byte {offset}: {}", source.path.display(), error.message()))
}

/// Returns the gaps of `0..total` between ascending indices.
fn gaps(indices: impl Iterator<Item = u64>, total: u64) -> Vec<Range<u64>> {
    let (mut found, mut next) = (Vec::new(), 0);
    for index in indices.chain([total]) {
        if next < index {
            found.push(next..index);
        }
        next = index + 1;
    }
    found
}

/// Returns the shards without a match, if all shards have the same `of` and exactly these shards explain the
/// missing matches. Returns an empty list otherwise.
fn shards_lacking(parts: &BTreeSet<Shard>, total: u64, missing: &[Range<u64>]) -> Vec<Shard> {
    let Some(&Shard { of, .. }) = parts.first() else { return Vec::new() };
    // Shards beyond the number of matches are empty.
    let all = (0..of.min(total)).map(|part| Shard { part, of });
    let lacking: Vec<Shard> = all.filter(|shard| !parts.contains(shard)).collect();
    let matches: u64 = lacking.iter().map(|shard| shard.share_of(total)).sum();
    let is_all = matches == missing.iter().map(|range| range.end - range.start).sum::<u64>();
    if is_all && parts.iter().all(|shard| shard.of == of) { lacking } else { Vec::new() }
}

/// Writes all lines in the order of their index to a new file.
fn write(sources: &[Source], path: &Path, places: &[Place]) -> Result<(), Error> {
    let _raised = Host::new().raise_open_files();
    let open = |source: &Source| journal::open(&source.path).map(|(_, file)| file);
    let files = sources.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let failed = |error: std::io::Error| Error::unwritable(path, &error);
    let mut writer = BufWriter::with_capacity(1 << 20, File::create_new(path).map_err(failed)?);
    let mut line = Vec::new();
    for place in places {
        let source = place.source as usize;
        line.resize(place.length as usize, 0);
        files[source]
            .read_exact_at(&mut line, place.offset)
            .map_err(|error| Error::unreadable(&sources[source].path, &error))?;
        writer.write_all(&line).map_err(failed)?;
    }
    writer.flush().and_then(|()| writer.get_ref().sync_all()).map_err(failed)
}

/// Writes the plan of a directory, with the sandbox of all runs.
fn write_plan(plan_in: &Path, game: &str, out: &Path, containment: Option<Contained>) -> Result<(), Error> {
    let path = plan_in.join(TOURNAMENT);
    for_game!(GameName::named(game)?, G => {
        let file = earlier_file::<G>(plan_in)?;
        let file = file.ok_or_else(|| Error::unreadable(&path, &std::io::ErrorKind::NotFound.into()))?;
        write_json(&out.join(TOURNAMENT), &TournamentFile { containment, tag: None, ..file })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_what_lacks() {
        assert_eq!(gaps([0, 1, 4, 5].into_iter(), 8), [2..4, 6..8]);
        assert_eq!(gaps([].into_iter(), 3).first(), Some(&(0..3)));
        assert_eq!(gaps(0..3, 3), []);
    }
}
