//! `arena matches`: lists the matches of a tournament, one line each.

use engine::game::turn_name;
use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use engine::wire::FaultKind;
use serde::Serialize;
use serde_json::Number;

use crate::report::csv::csv_of;
use crate::report::output::{print, print_json, say, show, width};
use crate::report::tables::{quoted, say_next};
use crate::setup::select::RecordsArgs;
use crate::setup::words::word_of;
use referee::error::Error;
use referee::for_game;
use referee::games::{GameKind, GameName};
use referee::play::Position;
use referee::record::Summary;
use sandbox::text;
use tournament::journal;
use tournament::replay::selection::{MatchRow, SeatRow, deal_number};
use tournament::replay::{Records, Source};
use tournament::report::layout;
use tournament::report::sheet::Sheet;
use tournament::report::tables::Format;
use tournament::report::words::count;

/// The formats of the result.
const FORMATS: [(&str, Format, &str); 4] = [
    ("table", Format::Table, "For people at a terminal"),
    ("csv", Format::Csv, "For spreadsheets, a row for each seat"),
    ("json", Format::Json, "One JSON array"),
    ("jsonl", Format::Jsonl, "A JSON object a line"),
];

#[derive(Debug, Args)]
#[command(after_help = "Example: arena matches results/doodle-1 --with mine --lost --worst 3")]
pub(crate) struct MatchesArgs {
    #[command(flatten)]
    pub(crate) records: RecordsArgs,
    /// Print the list in this format
    #[arg(long, value_parser = word_of(&FORMATS), default_value = "table", help_heading = "Output")]
    format: Format,
    /// Print a row for each decision of the selected matches, with the numbers that bots sent: CSV, JSON
    #[arg(long, help_heading = "Output")]
    decisions: bool,
    /// Print the position before the decision with this id, from 0, as a line of JSON to play on from
    #[arg(long, value_name = "ID", conflicts_with_all = ["format", "decisions"], help_heading = "Output")]
    position: Option<u32>,
    /// With --position: print the whole deal, also what was hidden in that turn
    #[arg(long, requires = "position", help_heading = "Output")]
    deal_as_recorded: bool,
}

pub(crate) fn run(args: &MatchesArgs) -> Result<(), Error> {
    let source = args.records.source()?;
    let game = source.game()?; // refuses files without records
    if let Some(turn) = args.position {
        return for_game!(game, G => positions::<G>(args, &source, turn), plain G => Err(GameName::only_built_in("--position")));
    }
    let rows = args.records.rows(&source)?;
    if args.decisions {
        let decisions = decisions(&source, rows)?;
        return match args.format {
            Format::Json => print_json(&decisions),
            Format::Jsonl => print(&json_lines(&decisions)),
            _ => print(&csv_of_decisions(&decisions)),
        };
    }
    match args.format {
        Format::Csv => print(&csv_of(&rows)),
        Format::Json => print_json(&rows),
        Format::Jsonl => print(&json_lines(&rows)),
        _ => {
            show(&table(&rows, width()))?;
            say(&count(rows.len() as u64, "match"));
            if let Some(first) = rows.first() {
                say_next(&format!("arena view {} --match {}", quoted(source.named()), first.index));
            }
            Ok(())
        }
    }
}

/// Prints the position before a decision of each selected match.
fn positions<G: GameKind>(args: &MatchesArgs, source: &Source, turn: u32) -> Result<(), Error> {
    let mut text = String::new();
    let mut records = Records::<G>::open(source)?;
    for (number, line) in args.records.lines(source)? {
        let (record, _) = records.verified(number, &line)?;
        let position = Position::of_record(&record, turn, args.deal_as_recorded)?;
        text += &(position.to_line() + "\n");
    }
    show(&text)
}

/// The spaces between two columns.
const GAP: &str = "  ";

/// Returns the list for a terminal. Long lines continue below their last column.
fn table(rows: &[MatchRow], columns: Option<usize>) -> String {
    let head = ["match", "deal", "margin", "max ms"].map(str::to_owned);
    let cells = |row: &MatchRow| {
        let longest = row.of_subject().map(|seat| seat.time_us_max).max().unwrap_or_default();
        let deal = deal_number(row.round);
        [
            row.index.to_string(),
            deal.to_string(),
            format!("{:+}", row.margin),
            format!("{:.1}", longest as f64 / 1000.0),
        ]
    };
    let all: Vec<[String; 4]> = [head].into_iter().chain(rows.iter().map(cells)).collect();
    let widths: [usize; 4] =
        std::array::from_fn(|place| all.iter().map(|row| row[place].len()).max().unwrap_or(0));
    let line = |cells: &[String; 4], last: &[String]| {
        let first: String = (0..4).map(|place| format!("{:>1$}{GAP}", cells[place], widths[place])).collect();
        let (indent, mut used, mut text) = (first.len(), first.len(), first);
        for (place, part) in last.iter().enumerate() {
            let part = if place + 1 < last.len() { format!("{part}, ") } else { part.clone() };
            let is_full = columns.is_some_and(|columns| used + layout::width(part.trim_end()) > columns);
            if is_full && used > indent {
                text = format!("{}\n{}", text.trim_end(), " ".repeat(indent));
                used = indent;
            }
            used += layout::width(&part);
            text += &part;
        }
        text.trim_end().to_owned() + "\n"
    };
    let head = line(&all[0], &["bots by rank, with points".to_owned()]);
    let body = all[1..].iter().zip(rows).map(|(cells, row)| line(cells, &by_rank(row)));
    [head].into_iter().chain(body).collect()
}

/// Returns the bots of a match, the winner first, with points, fault, and number of slow moves.
fn by_rank(row: &MatchRow) -> Vec<String> {
    let mut seats: Vec<&SeatRow> = row.seats.iter().collect();
    seats.sort_by_key(|seat| seat.rank);
    let text = |seat: &&SeatRow| {
        let fault = seat.fault.as_ref().map(|fault| format!("{} in {}", fault.kind, turn_name(fault.id)));
        let slow = (seat.slow > 0).then(|| count(seat.slow, "slow move"));
        let marks: Vec<String> = fault.into_iter().chain(slow).collect();
        let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
        format!("{} {}{marks}", text::line(&seat.bot), seat.score)
    };
    seats.iter().map(text).collect()
}

fn json_lines(rows: &[impl Serialize]) -> String {
    let line = |row| serde_json::to_string(row).expect("a row is plain data");
    rows.iter().map(|row| text::json(&line(row)).into_owned() + "\n").collect()
}

/// A decision.
#[derive(Serialize)]
struct Decision {
    #[serde(rename = "match")]
    index: u64,
    deal: u64,
    id: u32,
    seat: usize,
    bot: String,
    time_us: u64,
    fault: Option<FaultKind>,
    /// The numbers that the bot sent, by their names.
    data: BTreeMap<String, Number>,
}

/// Returns the decisions of the selected matches, in the order of the file.
fn decisions(source: &Source, mut rows: Vec<MatchRow>) -> Result<Vec<Decision>, Error> {
    rows.sort_unstable_by_key(|row| row.span.number);
    let mut decisions = Vec::new();
    for MatchRow { span, .. } in rows {
        let summary = journal::line::summary(&source.line(span)?)
            .map_err(|error| Error::usage(format!("line {} is not a match record: {error}", span.number)))?;
        let Summary { index, round, ref bots, .. } = summary;
        decisions.extend(summary.played().map(|turn| Decision {
            index,
            deal: deal_number(round),
            id: turn.id,
            seat: turn.seat,
            bot: bots.get(turn.seat).cloned().unwrap_or_default(),
            time_us: turn.us,
            fault: turn.fault.as_ref().map(|fault| fault.kind),
            data: turn.data.clone(),
        }));
    }
    Ok(decisions)
}

/// Returns the decisions as CSV. Each number has a column, named `data.NAME`.
fn csv_of_decisions(decisions: &[Decision]) -> String {
    let names: BTreeSet<&String> = decisions.iter().flat_map(|decision| decision.data.keys()).collect();
    let head = ["match", "deal", "id", "seat", "bot", "time_us", "fault"].map(str::to_owned);
    let head = head.into_iter().chain(names.iter().map(|name| format!("data.{name}"))).collect();
    let row = |Decision { index, deal, id, seat, bot, time_us, fault, data }: &Decision| -> Vec<String> {
        let fault = fault.map_or(String::new(), |kind| kind.to_string());
        let [index, deal, id] = [*index, *deal, u64::from(*id)].map(|number| number.to_string());
        let first = [index, deal, id, seat.to_string(), bot.clone(), time_us.to_string(), fault];
        let numbers = names.iter().map(|name| data.get(*name).map_or(String::new(), Number::to_string));
        first.into_iter().chain(numbers).collect()
    };
    Sheet::new([head].into_iter().chain(decisions.iter().map(row))).csv()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tournament::replay::Span;
    use tournament::replay::selection::FaultRow;

    #[test]
    fn lines_fit_and_go_on_below_their_last_column() {
        let seat = |bot: &str, rank, fault| SeatRow {
            bot: bot.to_owned(),
            score: 7,
            rank,
            fault,
            decisions: 3,
            time_us: 9,
            time_us_max: 1_260,
            slow: 0,
        };
        let fault = FaultRow { kind: FaultKind::Exit, id: 4, detail: "it exited".to_owned() };
        let row = MatchRow {
            index: 12,
            round: 3,
            seats: vec![seat("one", 2, Some(fault)), seat("two", 1, None)],
            margin: -4,
            replayed: None,
            span: Span::default(),
            subject: None,
        };
        let wide = "match  deal  margin  max ms  bots by rank, with points\n   12     4      -4     1.3  two 7, one 7 (exit in turn 5)\n";
        assert_eq!(table(std::slice::from_ref(&row), None), wide);
        let narrow = table(&[row], Some(56));
        assert!(
            narrow.ends_with("  two 7,\n                             one 7 (exit in turn 5)\n"),
            "{narrow}"
        );
    }
}
