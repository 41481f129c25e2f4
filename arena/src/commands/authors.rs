//! `arena report --for`: writes a folder for the author of a bot.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::matches::{csv, csv_of};
use crate::report::output::show;
use engine::wire::FaultKind;
use referee::bots::names::check_name;
use referee::error::Error;
use referee::for_game;
use referee::games::GameName;
use tournament::journal::claim::Claim;
use tournament::journal::files::write_whole;
use tournament::plan::tag::tell_deals;
use tournament::plan::{Skipped, TournamentHead};
use tournament::replay::Source;
use tournament::replay::selection::{Fault, MatchResult, MatchRow, Order, Selection};
use tournament::report::words::count;
use tournament::run::fault_reports::files_for;
use web::serve::{Report, page_for};

/// The number of lost matches that get a page, those with the worst margins.
const LOST_MAX: usize = 20;
/// The file that says why a bot did not start, and the list of matches or of faults, which is in every folder.
const NOT_STARTED: &str = "not-started.txt";
const MATCHES: &str = "matches.csv";
const FAULTS: &str = "faults.csv";

/// A fault, as a row of CSV. It has no words of the bot, which may have seen the deal.
#[derive(Serialize)]
struct FaultLine {
    #[serde(rename = "match")]
    index: u64,
    turn: u32,
    fault: FaultKind,
    time_us_max: u64,
}

/// Writes the folder of one bot, or of all bots. The deals are known then, except for reports during a contest.
pub(super) fn write(
    dir: &Path,
    author: Option<&str>,
    folder: impl Fn(&str) -> PathBuf,
    during: bool,
) -> Result<(), Error> {
    let head = TournamentHead::read(dir)?;
    let skipped = head.skipped.iter().filter(|one| check_name(&one.bot).is_ok());
    let mut all: Vec<&str> = head.plan.bots.iter().map(|bot| bot.name.as_str()).collect();
    all.extend(skipped.map(|one| one.bot.as_str()));
    if let Some(bot) = author {
        if !all.contains(&bot) {
            return Err(Error::usage(format!("there is no bot {bot:?} in {}", dir.display()))
                .hint(format!("its bots are {}", all.join(", "))));
        }
        all = vec![bot];
    }
    let game = GameName::named(&head.plan.game)?;
    // The claim lasts until all folders are written, so that no match is played meanwhile.
    let claim = if during { None } else { Some(Claim::begun(dir)?) };
    let report = match &claim {
        None => None,
        Some(claim) => {
            for_game!(game, G => tell_deals::<G>(claim))?;
            Some(Report::read(dir)?)
        }
    };
    for bot in &all {
        let files = match &report {
            None => faults(dir, &head, bot)?,
            Some(report) => everything(dir, &head, game, report, bot)?,
        };
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

/// The path of a file in the folder, and its contents.
type File = (PathBuf, String);

/// Returns the files for an author when all matches are played.
fn everything(
    dir: &Path,
    head: &TournamentHead,
    game: GameName,
    report: &Report,
    bot: &str,
) -> Result<Vec<File>, Error> {
    let mut files = vec![("report.html".into(), report.for_author(bot)?.page())];
    let rows = rows(dir, head, bot, Selection::default())?;
    files.push((MATCHES.into(), csv_of(&rows)?));
    let lost = Selection {
        results: vec![MatchResult::Lost],
        order: Order::Margin,
        count: Some(LOST_MAX),
        ..Selection::default()
    };
    let lost = self::rows(dir, head, bot, lost)?;
    for (row, (_, line)) in lost.iter().zip(Source::at(dir).lines_of(&lost)?) {
        let page = page_for(game, &line, head.plan.limits.per_move, bot)?;
        files.push((format!("lost/match-{}.html", row.index).into(), page));
    }
    files.extend(not_started(head, bot));
    files.extend(files_for(dir, bot)?);
    Ok(files)
}

/// Returns the files for an author while others may still change their bots.
fn faults(dir: &Path, head: &TournamentHead, bot: &str) -> Result<Vec<File>, Error> {
    let rows = rows(dir, head, bot, Selection { fault: Some(Fault::Any), ..Selection::default() })?;
    let of_seat = |row: &MatchRow| {
        let seat = row.of_subject().next()?;
        let fault = seat.fault.as_ref()?;
        let (index, time_us_max) = (row.index, seat.time_us_max);
        Some(FaultLine { index, turn: fault.id + 1, fault: fault.kind, time_us_max })
    };
    let csv = csv(rows.iter().filter_map(of_seat))?;
    Ok([(FAULTS.into(), csv)].into_iter().chain(not_started(head, bot)).collect())
}

/// Returns the selected matches of a bot; none if it could not start.
fn rows(dir: &Path, head: &TournamentHead, bot: &str, selection: Selection) -> Result<Vec<MatchRow>, Error> {
    if head.plan.bots.iter().all(|other| other.name != bot) {
        return Ok(Vec::new());
    }
    Selection { with: Some(bot.to_owned()), ..selection }.rows(&Source::at(dir))
}

fn not_started(head: &TournamentHead, bot: &str) -> Option<File> {
    let Skipped { reason, .. } = head.skipped.iter().find(|one| one.bot == bot)?;
    Some((NOT_STARTED.into(), format!("{reason}\n")))
}

/// Writes a folder as a whole or not at all, in place of an earlier one.
fn replace(folder: &Path, files: &[File]) -> Result<(), Error> {
    if folder.exists() && ![MATCHES, FAULTS].iter().any(|file| folder.join(file).is_file()) {
        return Err(
            Error::usage(format!("{} exists and is no report", folder.display())).hint("name another folder")
        );
    }
    // No bot has such a name.
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let aside = folder.with_file_name(format!(".{name}.part"));
    let remove = |path: &Path| match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::unwritable(path, &error)),
        _ => Ok(()),
    };
    remove(&aside)?;
    for (path, text) in files {
        let path = aside.join(path);
        let parent = path.parent().unwrap_or(&aside);
        fs::create_dir_all(parent).map_err(|error| Error::unwritable(parent, &error))?;
        write_whole(&path, text.as_bytes())?;
    }
    remove(folder)?;
    fs::rename(&aside, folder).map_err(|error| Error::unwritable(folder, &error))
}
