//! `arena report DIR`: writes a tournament as one HTML file, and a league with a further one for each stage.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use super::authors;
use super::out_file;
use super::tournament::out::league_or_newest;
use crate::report::output::show;
use referee::error::Error;
use sandbox::text::few;
use tournament::plan::TournamentHead;
use tournament::plan::stages::stages_in;
use tournament::report::words::count;
use web::serve::{LeaguePage, Report};

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// A tournament directory [default: the newest in results]
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
    /// Write the page to this file, or the folder of --for [default: report.html, or the name of the bot]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write a folder for the author of this bot: page, matches, lost matches, faults, its stderr; no bot may join after it
    #[arg(long = "for", value_name = "NAME")]
    pub(crate) author: Option<String>,
    /// Write such a folder for each bot into this one
    #[arg(long, value_name = "DIR", conflicts_with_all = ["author", "out"])]
    pub(crate) for_each: Option<PathBuf>,
    /// With --for or --for-each, during a contest: only the kinds and times of faults, and no deals
    #[arg(long)]
    pub(crate) during: bool,
}

pub(crate) fn run(args: &ReportArgs) -> Result<(), Error> {
    let dir = league_or_newest(args.dir.as_deref())?;
    let (stages, during) = (stages_in(&dir), args.during);
    let all = args.for_each.as_deref();
    if let Some(bot) = &args.author {
        let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(bot));
        let stages = with_author(&dir, stages, bot)?;
        return of_each(&dir, &stages, |dir, stage| {
            authors::write(dir, Some(bot), |_| within(&folder, stage), during)
        });
    }
    if let Some(all) = all {
        return of_each(&dir, &stages, |dir, stage| {
            authors::write(dir, None, |bot| within(&all.join(bot), stage), during)
        });
    }
    if during {
        return Err(Error::usage("--during is for reports to authors").hint("add --for or --for-each"));
    }
    let out = args.out.as_deref().unwrap_or(Path::new("report.html"));
    out_file::check(out, "--out")?;
    if stages.is_empty() {
        return write(out, &Report::read(&dir)?);
    }
    let mut league = LeaguePage::new(&dir);
    for (stage, dir) in &stages {
        let stem = out.file_stem().unwrap_or_default().to_string_lossy();
        let file = format!("{stem}-{stage}.html");
        let report = Report::read(dir)?;
        write(&out.with_file_name(&file), &report)?;
        league.add_report(stage, file, &TournamentHead::read(dir)?, &report);
    }
    out_file::write(out, league.page().as_bytes())?;
    show(&format!("{}: {}, open it in a browser\n", out.display(), count(stages.len() as u64, "stage")))
}

fn write(out: &Path, report: &Report) -> Result<(), Error> {
    out_file::write(out, report.page().as_bytes())?;
    show(&format!("{}: {}, open it in a browser\n", out.display(), count(report.matches(), "match")))
}

/// Returns the stages that have this bot. A league may have one in which it does not play.
fn with_author(dir: &Path, stages: Stages, bot: &str) -> Result<Stages, Error> {
    let mut names = BTreeSet::new();
    let mut has = |dir: &Path| {
        let head = TournamentHead::read(dir)?;
        names.extend(authors::authors(&head).map(str::to_owned));
        Ok::<_, Error>(authors::authors(&head).any(|name| name == bot))
    };
    let mut kept = Vec::new();
    for stage in &stages {
        kept.extend(has(&stage.1)?.then(|| stage.clone()));
    }
    let is_alone = stages.is_empty() && has(dir)?;
    if kept.is_empty() && !is_alone {
        let names: Vec<String> = names.into_iter().collect();
        return Err(Error::usage(format!("there is no bot {bot:?} in {}", dir.display()))
            .hint(format!("its bots are {}", few(&names))));
    }
    Ok(kept)
}

/// The names and the directories of stages.
type Stages = Vec<(String, PathBuf)>;

/// Returns the folder for a stage in this one, or the folder itself.
fn within(folder: &Path, stage: &str) -> PathBuf {
    if stage.is_empty() { folder.to_owned() } else { folder.join(stage) }
}

/// Does something for each stage with its name, or for the only tournament.
fn of_each(
    dir: &Path,
    stages: &[(String, PathBuf)],
    each: impl Fn(&Path, &str) -> Result<(), Error>,
) -> Result<(), Error> {
    match stages {
        [] => each(dir, ""),
        stages => stages.iter().try_for_each(|(name, dir)| each(dir, name)),
    }
}
