//! `arena report DIR`: writes a tournament as one HTML file, and a league with a further one for each stage.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::report::authors;
use crate::report::out_file;
use crate::report::output::show;
use crate::setup::out::league_or_newest;
use referee::error::Error;
use tournament::plan::stages::stages_in;
use tournament::replay::Source;
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
    /// With --for or --for-each, during a contest: only the numbers of faults, and no deals
    #[arg(long)]
    pub(crate) during: bool,
}

pub(crate) fn run(args: &ReportArgs) -> Result<(), Error> {
    let dir = league_or_newest(args.dir.as_deref())?;
    let stages = stages_in(&dir);
    let author = args.author.as_deref();
    if author.is_some() || args.for_each.is_some() {
        let folder = |bot: &str| match &args.for_each {
            Some(all) => all.join(bot),
            None => args.out.clone().unwrap_or_else(|| PathBuf::from(bot)),
        };
        let stages = if stages.is_empty() { vec![(String::new(), dir)] } else { stages };
        return authors::write(&stages, author, folder, args.during);
    }
    if args.during {
        return Err(Error::usage("--during is for reports to authors").hint("add --for or --for-each"));
    }
    let out = args.out.as_deref().unwrap_or(Path::new("report.html"));
    out_file::check(out, "--out")?;
    if stages.is_empty() {
        return write(out, &Report::read(&Source::at(&dir), &mut |_, _| ())?);
    }
    let mut league = LeaguePage::new(&dir);
    for (stage, dir) in &stages {
        let stem = out.file_stem().unwrap_or_default().to_string_lossy();
        let file = format!("{stem}-{stage}.html");
        let source = Source::at(dir);
        let report = Report::read(&source, &mut |_, _| ())?;
        write(&out.with_file_name(&file), &report)?;
        league.add_report(stage, file, &source.begun()?, &report);
    }
    out_file::write(out, league.page().as_bytes())?;
    show(&format!("{}: {}, open it in a browser\n", out.display(), count(stages.len() as u64, "stage")))
}

fn write(out: &Path, report: &Report) -> Result<(), Error> {
    out_file::write(out, report.page().as_bytes())?;
    show(&format!("{}: {}, open it in a browser\n", out.display(), count(report.matches(), "match")))
}
