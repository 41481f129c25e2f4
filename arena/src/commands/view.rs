//! `arena view`: writes a match as one HTML file for a browser.

use std::path::{Path, PathBuf};

use clap::Args;

use super::browser;
use super::out_file;
use super::select::SelectOptions;
use super::tables::{quoted, say_next};
use super::tournament::out::named_or_newest;
use crate::report::output::show;
use crate::shown::Shown;
use referee::error::Error;
use referee::for_game;
use tournament::replay::{Judge, Source};
use web::view::{MatchViewBuilder, page};

/// The option that names the file.
/// The most pages that `--open` opens: a browser shows each in a tab.
const PAGES_OPENED_MAX: usize = 10;
const OPTION: &str = "--out";

#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// A tournament directory, its matches.jsonl, or a record of "arena match --record" [default: the
    /// newest in results]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) select: SelectOptions,
    /// Write the page of one match to this file [default: match-N.html]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Open the pages in your browser
    #[arg(long)]
    pub(crate) open: bool,
}

pub(crate) fn run(args: &ViewArgs) -> Result<(), Error> {
    let file = named_or_newest(args.file.as_deref())?;
    let source = Source::at(&file);
    for_game!(source.game()?, G => view::<G>(args, &source, &file))
}

fn view<G: Shown>(args: &ViewArgs, source: &Source, file: &Path) -> Result<(), Error> {
    if let Some(path) = &args.out {
        out_file::check(path, OPTION)?;
    }
    let lines = args.select.lines(source)?;
    if let (Some(_), 2..) = (&args.out, lines.len()) {
        return Err(Error::usage(format!("{OPTION} is for one match, and {} are selected", lines.len()))
            .hint(format!("leave {OPTION} out: each match gets a file of its own")));
    }
    let mut judge = Judge::<G>::new(source.plan_check::<G>()?);
    let pages = lines.iter().map(|(number, line)| page_of(args, source, &mut judge, *number, line));
    let pages = pages.collect::<Result<Vec<_>, _>>()?;
    if args.open {
        pages.iter().take(PAGES_OPENED_MAX).for_each(|(path, _)| browser::open(path.as_os_str()));
    }
    if let [(_, index), ..] = pages[..] {
        say_next(&format!("arena rerun {} --match {index}", quoted(file)));
    }
    Ok(())
}

/// Writes the page of one match. Returns its path and the number of the match.
fn page_of<G: Shown>(
    args: &ViewArgs,
    source: &Source,
    judge: &mut Judge<G>,
    number: u64,
    line: &[u8],
) -> Result<(PathBuf, u64), Error> {
    let mut builder = MatchViewBuilder::<G>::default();
    let judged = judge.watched(line, &mut |record, game, turns| builder.add(&record.deal, game, turns));
    let record = judged.map_err(|difference| source.no(number, &difference))?;
    if let Some(dir) = source.results() {
        builder.add_stderr(dir, &record);
    }
    let view = builder.view(&record).ok_or_else(|| source.empty())?;
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("match-{}.html", record.index)));
    out_file::check(&path, OPTION)?;
    out_file::write(&path, page(&view.title(), &view).as_bytes())?;
    show(&format!("{}: {} turns, open it in a browser\n", path.display(), view.frames.len() - 1))?;
    Ok((path, record.index))
}
