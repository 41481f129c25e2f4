//! `arena standings DIR`: prints the tables of a tournament from its journal.

use std::path::{Path, PathBuf};

use clap::Args;

use super::tables::TableOptions;
use super::words::word;
use crate::commands::limits::caption;
use crate::report::output::{print, say, show};
use referee::error::Error;
use referee::record::Summary;
use tournament::journal::read;
use tournament::plan::TournamentHead;
use tournament::report::tables::Format;
use tournament::report::tables::render;
use tournament::standings::{Standings, Tally};
use tournament::state::pairing_of;

#[derive(Debug, Args)]
pub(crate) struct StandingsArgs {
    /// A tournament directory
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Print the tables in this format
    #[arg(long, value_parser = word::<Format>(), default_value = "table")]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) tables: TableOptions,
}

pub(crate) fn run(args: &StandingsArgs) -> Result<(), Error> {
    let head = TournamentHead::read(&args.dir)?;
    let standings = tabled(&args.dir, &head)?;
    if args.format != Format::Table {
        return print(&render(&standings, args.format));
    }
    args.tables.show(&standings)?;
    head.containment.as_ref().and_then(caption).map_or(Ok(()), show)
}

fn tabled(dir: &Path, head: &TournamentHead) -> Result<Standings, Error> {
    let mut tally = Tally::new(&head.game, &head.names(), &head.limits);
    let (mut course, names) = (head.course()?, head.names());
    let end = read::<Summary>(dir, |summary, _| {
        tally.add(&summary)?;
        course.take(&pairing_of(&summary, &names)?, &summary.result);
        Ok(())
    })?;
    if end.torn {
        say("note: the last line of the journal is incomplete and was ignored");
    }
    Ok(Standings { outcome: course.outcome(&names), ..tally.standings() })
}
