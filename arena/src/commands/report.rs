//! `arena report DIR`: writes a tournament as one HTML file.

use std::path::PathBuf;

use clap::Args;

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
    /// Write the page to this file
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    pub(crate) out: PathBuf,
}

pub(crate) fn run(args: &ReportArgs) -> Result<(), Error> {
    out_file::check(&args.out, "--out")?;
    let dir = named_or_newest(args.dir.as_deref())?;
    let report = Report::read(&dir)?;
    out_file::write(&args.out, report.page().as_bytes())?;
    let matches = count(report.matches(), "match");
    show(&format!("{}: {matches}, open it in a browser\n", args.out.display()))
}
