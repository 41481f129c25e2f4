//! Options of every command that prints standings.

use std::path::Path;

use clap::Args;

use crate::report::output::{is_for_people, say, show, width};
use referee::error::Error;
use tournament::plan::TournamentHead;
use tournament::replay::Source;
use tournament::report::tables::{Choice, Column, View, terminal};
use tournament::standings::Standings;
use tournament::state::State;

/// Options for the printed standings.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct TableOptions {
    /// Show every column of the standings, in several tables if they do not fit
    #[arg(long, conflicts_with = "columns")]
    wide: bool,
    /// Show these columns of the standings, such as rank,bot,elo
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "NAMES",
        hide_possible_values = true,
        long_help = columns_help()
    )]
    columns: Vec<Column>,
    /// Also show the crosstable, score distribution, causes of differences, and digest
    #[arg(long)]
    details: bool,
}

fn columns_help() -> String {
    let names: Vec<&str> = Column::ALL.iter().map(|column| column.name).collect();
    format!("Show these columns of the standings, such as rank,bot,elo. There are {}", names.join(", "))
}

impl TableOptions {
    /// Prints standings with these options.
    pub(crate) fn show(&self, standings: &Standings) -> Result<(), Error> {
        let columns = match (self.wide, self.columns.is_empty()) {
            (true, _) => Choice::All,
            (false, true) => Choice::Usual,
            (false, false) => Choice::Named(self.columns.clone()),
        };
        show(&terminal(standings, &View { width: width(), columns, details: self.details }))
    }
}

/// Prints the directory of a tournament, and the command to run next: `replay` for the first fault, or
/// `serve`.
pub(crate) fn say_where(dir: &Path, standings: &Standings) {
    say(&format!("records and tables are in {}", dir.display()));
    let first_fault = standings.rows.iter().filter_map(|row| row.first_fault.as_ref()).min();
    let dir = quoted(dir);
    say_next(&match first_fault {
        Some(fault) => format!("arena replay {dir} --match {}", fault.index),
        None => format!("arena serve {dir}"),
    });
}

/// Prints the command to run next, if people read stderr.
pub(crate) fn say_next(command: &str) {
    if is_for_people() {
        say(&format!("next: {command}"));
    }
}

/// Returns a path, quoted for a shell if necessary.
pub(crate) fn quoted(path: &Path) -> String {
    shell_words::quote(&path.to_string_lossy()).into_owned()
}

/// Reads a tournament. Prints a note if the last line of its journal is incomplete.
pub(crate) fn read_state(source: &Source) -> Result<(TournamentHead, State), Error> {
    let (head, state, end) = source.state()?;
    if end.torn {
        say("note: the last line of the journal is incomplete and was ignored");
    }
    Ok((head, state))
}
