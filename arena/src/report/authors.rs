//! `arena report --for`: writes a folder for the author of a bot.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::report::csv::csv_of;
use crate::report::output::{say, show};
use engine::wire::FaultKind;
use referee::bots::names::check_name;
use referee::error::{Error, ErrorKind};
use referee::for_game;
use referee::games::GameName;
use referee::record::Summary;
use sandbox::text::{self, few};
use tournament::journal::claim::Claim;
use tournament::journal::files::write_whole;
use tournament::plan::tag::tell_deals;
use tournament::plan::{Skipped, TournamentHead};
use tournament::replay::Source;
use tournament::replay::selection::{Fault, MatchRow, Selection};
use tournament::report::sheet::Sheet;
use tournament::report::words::count;
use tournament::run::fault_reports::files_for;
use web::serve::{Report, page_for};

/// The number of lost matches that get a page, those with the worst margins.
const LOST_MAX: usize = 20;
/// The file that says why a bot did not start, and the list of matches or of faults, which is in every folder.
const NOT_STARTED: &str = "not-started.txt";
const MATCHES: &str = "matches.csv";
const FAULTS: &str = "faults.csv";

/// The file that makes a folder a report: the paths of all other files in it, a line each. Only these are replaced.
const MARK: &str = ".quilt-report";

/// The faults of a kind, as a row of CSV. It has no words, times, or turns, which a bot that has seen the deals could
/// choose.
#[derive(Serialize)]
struct FaultLine {
    fault: FaultKind,
    matches: usize,
}

/// A tournament about which authors get reports.
struct Told<'a> {
    /// The name of its stage; empty without stages.
    stage: &'a str,
    source: Source,
    head: TournamentHead,
    /// All matches.
    rows: Vec<MatchRow>,
    /// The report with the deals, and the claim that keeps matches from being played meanwhile. `None` during a contest.
    report: Option<(Report, Claim)>,
}

/// Writes the folder of one bot, or of all bots, with what each tournament has of it. The deals are known then, except
/// for reports during a contest.
pub(crate) fn write(
    stages: &[(String, PathBuf)],
    author: Option<&str>,
    folder: impl Fn(&str) -> PathBuf,
    during: bool,
) -> Result<(), Error> {
    let mut told = Vec::new();
    for (stage, dir) in stages {
        let source = Source::at(dir);
        let head = source.begun()?;
        told.push(Told { stage, source, head, rows: Vec::new(), report: None });
    }
    let all: BTreeSet<String> = told.iter().flat_map(|one| authors(&one.head)).map(str::to_owned).collect();
    if let Some(bot) = author.filter(|bot| !all.contains(*bot)) {
        let names: Vec<String> = all.into_iter().collect();
        return Err(
            Error::usage(format!("there is no bot {bot:?}")).hint(format!("there are {}", few(&names)))
        );
    }
    for Told { source, head, rows, report, .. } in &mut told {
        if during {
            *rows = Selection::default().rows(source)?;
            continue;
        }
        let claim = Claim::begun(source.dir()).map_err(too_early)?;
        for_game!(GameName::named(&head.plan.game)?, G => tell_deals::<G>(&claim))?;
        let limits = source.limits()?;
        let mut see = |summary: &Summary, span| rows.push(MatchRow::of(summary, span, &limits));
        *report = Some((Report::read(source, &mut see)?, claim));
    }
    let wanted = all.iter().filter(|bot| author.is_none_or(|author| author == bot.as_str()));
    for bot in wanted {
        let mut files = Vec::new();
        for one in told.iter().filter(|one| authors(&one.head).any(|name| name == bot)) {
            let found = match &one.report {
                None => faults(one, bot)?,
                Some((report, _)) => everything(one, report, bot)?,
            };
            files.extend(found.into_iter().map(|(path, text)| (Path::new(one.stage).join(path), text)));
        }
        let folder = folder(bot);
        replace(&folder, &files)?;
        if author.is_some() {
            show(&format!("{}: {}\n", folder.display(), count(files.len() as u64, "file")))?;
        }
    }
    match author {
        Some(_) => Ok(()),
        None => show(&format!("{} for their authors\n", count(all.len() as u64, "folder"))),
    }
}

fn too_early(error: Error) -> Error {
    error.hint("wait for its end, or report the faults alone with --during")
}

/// Returns the names of all bots for which there are reports.
fn authors(head: &TournamentHead) -> impl Iterator<Item = &str> {
    let skipped = head.skipped.iter().map(|one| one.bot.as_str()).filter(|bot| check_name(bot).is_ok());
    head.plan.bots.iter().map(|bot| bot.name.as_str()).chain(skipped)
}

/// The path of a file in the folder, and its contents.
type File = (PathBuf, String);

/// Returns the files for an author when all matches are played.
fn everything(told: &Told<'_>, report: &Report, bot: &str) -> Result<Vec<File>, Error> {
    let Told { source, head, .. } = told;
    let game = GameName::named(&head.plan.game)?;
    let mut files = vec![(MATCHES.into(), csv_of(&rows(told, bot, Selection::default())))];
    let lost = Selection { lost: true, worst: Some(LOST_MAX), ..Selection::default() };
    let lost = rows(told, bot, lost);
    let (mut shown, mut pages) = (Vec::new(), Vec::new());
    for (row, (_, line)) in lost.iter().zip(source.lines_of(&lost)?) {
        match page_for(game, &line, head.plan.limits.per_move, bot, None) {
            Ok(page) => {
                shown.push(row);
                pages.push((format!("lost/match-{}.html", row.index).into(), page));
            }
            // "arena replay" finds such a record; the other files do not depend on it.
            Err(error) if error.kind() == ErrorKind::No => say(&format!("left out: {}", error.message())),
            Err(error) => return Err(error),
        }
    }
    let kept = files_for(source.dir(), bot)?;
    let names = kept.iter().map(|(path, _)| path.clone()).collect();
    files.push(("report.html".into(), report.for_author(bot, &shown, names)?.page()));
    files.extend(pages);
    files.extend(not_started(head, bot));
    files.extend(kept);
    Ok(files)
}

/// Returns the files for an author while others may still change their bots.
fn faults(told: &Told<'_>, bot: &str) -> Result<Vec<File>, Error> {
    let rows = rows(told, bot, Selection { fault: Some(Fault::Any), ..Selection::default() });
    let mut counts = BTreeMap::<FaultKind, usize>::new();
    let kinds = rows.iter().flat_map(MatchRow::of_subject).filter_map(|seat| Some(seat.fault.as_ref()?.kind));
    kinds.for_each(|kind| *counts.entry(kind).or_default() += 1);
    let csv = Sheet::of(counts.into_iter().map(|(fault, matches)| FaultLine { fault, matches })).csv();
    Ok([(FAULTS.into(), csv)].into_iter().chain(not_started(&told.head, bot)).collect())
}

/// Returns the selected matches of a bot; none if it could not start.
fn rows(told: &Told<'_>, bot: &str, selection: Selection) -> Vec<MatchRow> {
    Selection { with: Some(bot.to_owned()), ..selection }.rows_of(&told.rows)
}

fn not_started(head: &TournamentHead, bot: &str) -> Option<File> {
    let Skipped { reason, .. } = head.skipped.iter().find(|one| one.bot == bot)?;
    Some((NOT_STARTED.into(), format!("{reason}\n")))
}

/// Returns the first file below a folder that is not in the list, or a folder that cannot be read. A link is such a file.
fn foreign(folder: &Path, below: &Path, listed: &BTreeSet<PathBuf>) -> Option<PathBuf> {
    let Ok(entries) = fs::read_dir(folder.join(below)) else { return Some(below.to_owned()) };
    entries.flatten().find_map(|entry| {
        let path = below.join(entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => foreign(folder, &path, listed),
            Ok(kind) if kind.is_file() && listed.contains(&path) => None,
            _ => Some(path),
        }
    })
}

/// Writes a folder as a whole, in place of an earlier report.
fn replace(folder: &Path, files: &[File]) -> Result<(), Error> {
    let mark = fs::read_to_string(folder.join(MARK)).unwrap_or_default();
    let listed = mark.lines().chain([MARK]).map(PathBuf::from).collect();
    let foreign = if folder.exists() { foreign(folder, Path::new(""), &listed) } else { None };
    if let Some(file) = foreign {
        let place = text::path(&folder.join(file));
        return Err(
            Error::usage(format!("{place} is not from a report of the arena")).hint("name another folder")
        );
    }
    let Some(name) = folder.file_name() else {
        return Err(Error::usage(format!("{} has no name", folder.display())).hint("name another folder"));
    };
    let mark = files.iter().map(|(path, _)| format!("{}\n", path.display())).collect();
    let files = files.iter().cloned().chain([(MARK.into(), mark)]);
    // No bot has such a name.
    let beside = |what: &str| {
        folder.with_file_name(format!(".{}.{}.{what}", name.to_string_lossy(), std::process::id()))
    };
    let (aside, old) = (beside("new"), beside("old"));
    sweep(folder, &format!(".{}.", name.to_string_lossy()));
    for (path, text) in files {
        let path = aside.join(path);
        let parent = path.parent().unwrap_or(&aside);
        fs::create_dir_all(parent).map_err(|error| Error::unwritable(parent, &error))?;
        write_whole(&path, text.as_bytes())?;
    }
    if folder.exists() {
        fs::rename(folder, &old).map_err(|error| Error::unwritable(folder, &error))?;
    }
    fs::rename(&aside, folder).map_err(|error| Error::unwritable(folder, &error))?;
    let _ = fs::remove_dir_all(&old);
    Ok(())
}

/// Removes what killed reports have left beside a folder, under names that begin like this and name the process.
fn sweep(folder: &Path, beginning: &str) {
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process =
            name.strip_prefix(beginning).and_then(|rest| rest.split_once('.')?.0.parse::<u32>().ok());
        // A killed process that nobody has waited for is still listed, without a program.
        let program = |process| fs::read_link(format!("/proc/{process}/exe"));
        if process.is_some_and(|it| program(it).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a container, often nobody waits for an orphan.
    #[test]
    fn what_a_killed_report_left_goes_although_nobody_waited_for_it() {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let mut ended = std::process::Command::new("cat");
        ended.stdin(std::process::Stdio::piped());
        let mut ended = ended.spawn().expect("a process");
        let left = folder.path().join(format!(".anna.{}.new", ended.id()));
        fs::create_dir(&left).expect("a folder");
        sweep(&folder.path().join("anna"), ".anna.");
        assert!(left.exists(), "its process writes it");
        drop(ended.stdin.take());
        // Until the process has ended. Only `wait` below removes it from `/proc`.
        let state = || fs::read_to_string(format!("/proc/{}/stat", ended.id())).expect("it is listed");
        while !state().contains(") Z ") {
            std::thread::yield_now();
        }
        sweep(&folder.path().join("anna"), ".anna.");
        assert!(!left.exists());
        ended.wait().expect("it has ended");
    }
}
