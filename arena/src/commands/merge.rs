//! `arena merge DIR...`: the parts of a tournament made whole.

use std::path::{Path, PathBuf};

use clap::Args;

use super::tournament::out;
use crate::error::Error;
use crate::merge::{Merged, merge};
use crate::report::output::{print, say};
use crate::report::tables::{Format, render};
use crate::report::words::count;
use crate::tournament::write_standings;

/// Missing matches that are named; the rest is counted.
const MISSING_SHOWN: usize = 10;

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The directories of the parts
    #[arg(value_name = "DIR", required = true)]
    pub(crate) dirs: Vec<PathBuf>,
    /// Where the whole goes; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

pub(super) fn run(args: &MergeArgs) -> Result<(), Error> {
    let out = out::fresh(Some(&args.out), "merged")?;
    std::fs::create_dir_all(&out).map_err(|error| Error::unwritable(&out, &error))?;
    let merged = merge(&args.dirs, &out);
    if merged.is_err() {
        // Nothing was merged; the directory would only be in the way of the next try.
        let _ = std::fs::remove_dir(&out);
    }
    report(&merged?, &out)
}

fn report(merged: &Merged, out: &Path) -> Result<(), Error> {
    let Merged { standings, total, missing, is_over } = merged;
    if *is_over {
        write_standings(out, standings)?;
        print(&render(standings, Format::Table))?;
        say(&format!("{} are in {}", count(*total, "match"), out.display()));
        return Ok(());
    }
    let named: Vec<String> = missing.iter().take(MISSING_SHOWN).map(ToString::to_string).collect();
    let more = if missing.len() > MISSING_SHOWN { ", ..." } else { "" };
    let (named, missing) = (named.join(", ") + more, count(missing.len() as u64, "match"));
    Err(Error::no(format!("{missing} of {total} are missing: {named}"))
        .hint(format!("play them with: arena tournament --resume --out {}", out.display())))
}
