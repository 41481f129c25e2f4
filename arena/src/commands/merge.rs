//! `arena merge DIR...`: joins the shards of a tournament.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::report::output::say;
use crate::report::tables::{TableOptions, say_where};
use referee::error::Error;
use tournament::journal::claim::Claim;
use tournament::merge::{Merged, merge};
use tournament::plan::hosts::HostRow;
use tournament::report::words::count;
use tournament::report::write_standings;

/// The maximum number of missing shards, or ranges of missing matches, in a message.
const MISSING_SHOWN: usize = 10;

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Directories or files with shards
    #[arg(value_name = "DIR", required = true)]
    pub(crate) dirs: Vec<PathBuf>,
    /// Write the whole tournament to this directory
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) out: PathBuf,
    /// Leave out shards from this host, so that their matches can be played again
    #[arg(long, value_name = "HOST")]
    pub(crate) without: Vec<String>,
    #[command(flatten)]
    pub(crate) tables: TableOptions,
}

pub(crate) fn run(args: &MergeArgs) -> Result<(), Error> {
    let claim = Claim::fresh(&args.out, false)?;
    let merged = merge(&args.dirs, &args.without, claim.path())?;
    report(&merged, claim.path(), &args.tables)
}

fn report(merged: &Merged, out: &Path, tables: &TableOptions) -> Result<(), Error> {
    let Merged { standings, total, missing, missing_shards, hosts, is_over } = merged;
    hosts.iter().filter(|row| row.stands_out).for_each(|row| say(&standing_out(row)));
    if *is_over {
        write_standings(out, standings)?;
        tables.show(standings)?;
        say_where(out, standings);
        say(&format!(
            "if others played shards, prove their matches: arena replay {} --all --quiet",
            out.display()
        ));
        return Ok(());
    }
    let ranges: Vec<String> = missing.iter().map(range).collect();
    let parts: Vec<String> = missing_shards.iter().map(|shard| shard.part.to_string()).collect();
    let named = match missing_shards.first() {
        Some(shard) => format!("shards {} of {}", listed(&parts), shard.of),
        None => listed(&ranges),
    };
    let lacking = count(missing.iter().map(|range| range.end - range.start).sum(), "match");
    Err(Error::no(format!("{lacking} of {total} are missing: {named}"))
        .hint(format!("play them with: arena tournament --resume --out {}", out.display())))
}

/// Formats the note for a host with more time faults than chance explains.
fn standing_out(row: &HostRow) -> String {
    let (host, faults, expected) = (&row.host, count(row.time_faults, "time fault"), row.expected);
    let without = row.without();
    format!(
        "note: {faults} on {host}, {expected:.1} by what the bots have elsewhere; \
         merge {without} leaves out what was played there"
    )
}

/// Formats a range of match numbers.
fn range(range: &Range<u64>) -> String {
    match range.end - range.start {
        1 => range.start.to_string(),
        _ => format!("{}-{}", range.start, range.end - 1),
    }
}

/// Formats the first names, up to `MISSING_SHOWN`.
fn listed(names: &[String]) -> String {
    let more = if names.len() > MISSING_SHOWN { ", ..." } else { "" };
    names[..names.len().min(MISSING_SHOWN)].join(", ") + more
}
