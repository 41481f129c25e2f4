//! `arena report DIR`: writes a tournament as one HTML file.

use std::path::{Path, PathBuf};

use clap::Args;

use super::authors;
use super::out_file;
use super::tournament::out::named_or_newest;
use crate::report::output::show;
use referee::error::Error;
use tournament::report::words::count;
use web::serve::Report;

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
    let dir = named_or_newest(args.dir.as_deref())?;
    match (&args.author, &args.for_each) {
        (Some(bot), _) => {
            let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(bot));
            return authors::write(&dir, Some(bot), |_| folder.clone(), args.during);
        }
        (None, Some(all)) => return authors::write(&dir, None, |bot| all.join(bot), args.during),
        (None, None) if args.during => {
            return Err(Error::usage("--during is for reports to authors").hint("add --for or --for-each"));
        }
        (None, None) => {}
    }
    let out = args.out.as_deref().unwrap_or(Path::new("report.html"));
    out_file::check(out, "--out")?;
    let report = Report::read(&dir)?;
    out_file::write(out, report.page().as_bytes())?;
    let matches = count(report.matches(), "match");
    show(&format!("{}: {matches}, open it in a browser\n", out.display()))
}
