//! `arena view`: a match as one HTML file, to be looked at in a browser.

use std::path::PathBuf;

use clap::Args;
use engine::doodle::Doodle;
use engine::patchwork::Patchwork;

use super::out_file;
use super::tables::{quoted, say_next};
use crate::report::output::show;
use crate::shown::Shown;
use referee::error::Error;
use referee::games::GameName;
use tournament::replay::{Judge, Source};
use web::view::{Filming, page};

/// What names the file.
const OPTION: &str = "--out";

#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// A tournament directory, its matches.jsonl, or a record of "arena match --record"
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Show match N [default: the only one]
    #[arg(long = "match", value_name = "N")]
    pub(crate) matched: Option<u64>,
    /// Write the page to this file [default: match-N.html]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

pub(crate) fn run(args: &ViewArgs) -> Result<(), Error> {
    let source = Source::open(&args.file)?;
    match source.game() {
        GameName::Doodle => view::<Doodle>(args, &source),
        GameName::Patchwork => view::<Patchwork>(args, &source),
    }
}

fn view<G: Shown>(args: &ViewArgs, source: &Source) -> Result<(), Error> {
    if let Some(path) = &args.out {
        out_file::check(path, OPTION)?;
    }
    let (number, line) = source.find(args.matched)?;
    let mut filming = Filming::<G>::default();
    let judged = Judge::<G>::new(source.plan_check::<G>()?)
        .watched(&line, &mut |record, game, turns| filming.add(&record.deal, game, turns));
    let (record, _) = judged.map_err(|difference| source.no(number, &difference))?;
    let film = filming.film(&record).ok_or_else(|| source.empty())?;
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("match-{}.html", record.index)));
    out_file::check(&path, OPTION)?;
    out_file::write(&path, page(&film).as_bytes())?;
    show(&format!("{}: {} turns, to be opened in a browser\n", path.display(), film.frames.len() - 1))?;
    say_next(&format!("arena rerun {} --match {}", quoted(&args.file), record.index));
    Ok(())
}
