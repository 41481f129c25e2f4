//! `arena standings DIR`: prints the tables of a tournament from its journal.

use std::path::{Path, PathBuf};

use clap::Args;
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Style};

use crate::report::output::{print, print_json, say, show};
use crate::report::tables::{TableOptions, read_state};
use crate::setup::containment::caption;
use crate::setup::out::league_or_newest;
use crate::setup::words::word_of;
use referee::error::Error;
use referee::record::Summary;
use tournament::comparison::Comparison;
use tournament::journal::read;
use tournament::plan::TournamentHead;
use tournament::plan::stages::stages_in;
use tournament::replay::Source;
use tournament::report::joint::Joint;
use tournament::report::sheet::Sheet;
use tournament::report::tables::Format;
use tournament::report::tables::render;
use tournament::standings::{NumberTally, Standings};
use tournament::state::State;

/// The formats of the standings.
const FORMATS: [(&str, Format, &str); 5] = [
    ("table", Format::Table, "For people at a terminal"),
    ("markdown", Format::Markdown, "For README files and chats"),
    ("csv", Format::Csv, "For spreadsheets; the standings only"),
    ("json", Format::Json, "For programs"),
    ("html", Format::Html, "For web pages"),
];

#[derive(Debug, Args)]
pub(crate) struct StandingsArgs {
    /// A tournament directory [default: the newest in results]
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
    /// Print the tables in this format
    #[arg(long, value_parser = word_of(&FORMATS), default_value = "table")]
    pub(crate) format: Format,
    /// Print the values of this number that bots sent with their moves, for each bot: table, CSV, JSON
    #[arg(long, value_name = "NAME")]
    data: Option<String>,
    #[command(flatten)]
    pub(crate) tables: TableOptions,
}

pub(crate) fn run(args: &StandingsArgs) -> Result<(), Error> {
    let dir = league_or_newest(args.dir.as_deref())?;
    let stages = stages_in(&dir);
    match (&args.data, &stages[..]) {
        (Some(name), []) => numbers(&dir, &TournamentHead::read(&dir)?, name, args.format),
        (Some(_), stages) => {
            let stages: Vec<String> = stages.iter().map(|(_, path)| path.display().to_string()).collect();
            Err(Error::usage("--data is for one tournament")
                .hint(format!("name a stage: {}", stages.join(", "))))
        }
        (None, []) if args.format == Format::Table => shown(args, &dir).map(drop),
        (None, []) => print(&render(&read_standings(&dir)?.1, args.format)),
        (None, stages) => of_stages(args, stages),
    }
}

/// Prints the joint table of a league, on a terminal below the tables of its stages.
fn of_stages(args: &StandingsArgs, stages: &[(String, PathBuf)]) -> Result<(), Error> {
    let mut rows = Vec::new();
    for (name, path) in stages {
        let standings = if args.format == Format::Table {
            show(&format!("stage {name}\n"))?;
            shown(args, path)?
        } else {
            read_standings(path)?.1
        };
        rows.push((name.clone(), standings.rows));
    }
    print(&Joint::of(&rows).render(args.format))
}

/// Prints the tables of one tournament for a terminal. Returns its standings.
fn shown(args: &StandingsArgs, dir: &Path) -> Result<Standings, Error> {
    let (head, standings) = read_standings(dir)?;
    args.tables.show(&standings)?;
    head.containment.as_ref().and_then(caption).map_or(Ok(()), show)?;
    Ok(standings)
}

/// Reads one tournament and computes its standings, with a note if it is unfinished.
fn read_standings(dir: &Path) -> Result<(TournamentHead, Standings), Error> {
    let (head, state) = read_state(&Source::at(dir))?;
    let (matches, total) = (state.tally().matches(), state.schedule().total());
    // A comparison ends as soon as it has its answer.
    let is_answered = || Comparison::read(dir).is_ok_and(|comparison| comparison.answer.is_some());
    if !state.schedule().is_over() && !is_answered() {
        say(&format!("note: the tournament is unfinished: {matches} of {total} matches"));
    }
    let standings = state.standings();
    Ok((head, standings))
}

/// Prints the values of a number for each bot.
fn numbers(dir: &Path, head: &TournamentHead, name: &str, format: Format) -> Result<(), Error> {
    let (mut state, mut tally) = (State::of(head)?, NumberTally::new(name));
    read::<Summary>(dir, |summary, _| {
        tally.add(&summary);
        state.apply(&summary).map(drop)
    })?;
    let rows = tally.rows()?;
    match format {
        Format::Json | Format::Jsonl => print_json(&rows),
        Format::Csv => print(&Sheet::of(rows).csv()),
        Format::Markdown | Format::Html => Err(Error::usage("--data has the formats table, csv and json")),
        Format::Table => {
            // Names of bots have no commas and no quotes.
            let lines = Sheet::of(rows).csv();
            let table = Builder::from_iter(lines.lines().map(|line| line.split(','))).build();
            show(&format!(
                "{name}\n{}\n",
                { table }.with(Style::sharp()).modify(Columns::new(2..), Alignment::right())
            ))
        }
    }
}
