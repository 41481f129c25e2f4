//! `arena ratings DIR...`: prints one table of the bots of several tournaments, a row for each version.

use std::path::PathBuf;

use clap::Args;

use crate::report::output::{print, show};
use crate::report::tables::TableOptions;
use crate::setup::words::word_of;
use referee::error::Error;
use tournament::report::tables::{Format, render};
use tournament::standings::ratings::ratings;

/// The formats of the tables.
const FORMATS: [(&str, Format, &str); 4] = [
    ("table", Format::Table, "For people at a terminal"),
    ("markdown", Format::Markdown, "For README files and chats"),
    ("csv", Format::Csv, "For spreadsheets"),
    ("json", Format::Json, "For programs"),
];

#[derive(Debug, Args)]
pub(crate) struct RatingsArgs {
    /// Directories of tournaments
    #[arg(value_name = "DIR", required = true, value_hint = clap::ValueHint::DirPath)]
    dirs: Vec<PathBuf>,
    /// Print the tables in this format
    #[arg(long, value_parser = word_of(&FORMATS), default_value = "table")]
    format: Format,
    #[command(flatten)]
    tables: TableOptions,
}

pub(crate) fn run(args: &RatingsArgs) -> Result<(), Error> {
    let all = ratings(&args.dirs)?;
    for (game, standings) in &all {
        if all.len() > 1 {
            show(&format!("{game}\n"))?;
        }
        match args.format {
            Format::Table => args.tables.show(standings)?,
            format => print(&render(standings, format))?,
        }
    }
    Ok(())
}
