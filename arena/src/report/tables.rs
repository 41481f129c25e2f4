//! Standings as text: for the terminal, as Markdown, CSV, JSON and HTML.

use std::time::Duration;

use clap::ValueEnum;
use engine::game::Game;
use engine::patchwork::Patchwork;
use engine::wire::FaultKind;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::{Alignment, Style};

use crate::report::words::count;
use crate::standings::{Encounter, FirstFault, FirstSeat, Row, Standings};

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people at a terminal
    #[default]
    Table,
    /// For README files and chats
    Markdown,
    /// For spreadsheets; the standings only
    Csv,
    /// For programs
    Json,
    /// For web pages
    Html,
}

/// The tables of a tournament in this format.
pub fn render(standings: &Standings, format: Format) -> String {
    match format {
        Format::Table => in_text(standings, |table| table.with(Style::sharp()).to_string()),
        Format::Markdown => in_text(standings, |table| table.with(Style::markdown()).to_string()),
        Format::Csv => csv(standings),
        Format::Json => serde_json::to_string_pretty(standings).expect("standings are plain data") + "\n",
        Format::Html => html(standings),
    }
}

/// Cells of a table, the first row its head.
pub(super) type Cells = Vec<Vec<String>>;

fn in_text(standings: &Standings, style: impl Fn(&mut tabled::Table) -> String) -> String {
    let mut text = headline(standings) + "\n\n";
    for (title, cells, left_columns) in tables(standings) {
        let mut table = Builder::from_iter(cells).build();
        table
            .modify(Columns::new(left_columns..), Alignment::right())
            .modify(Rows::first(), Alignment::left());
        text.push_str(&format!("{title}{}\n\n", style(&mut table)));
    }
    for line in remarks(standings) {
        text.push_str(&(line + "\n\n"));
    }
    text.push_str(&format!("digest {}\n", standings.digest));
    text
}

/// What there is to say beside the tables, a line each.
fn remarks(standings: &Standings) -> Vec<String> {
    let near = |row: &Row| format!("{} {}", row.bot, row.near_misses);
    let near: Vec<String> = standings.rows.iter().filter(|row| row.near_misses > 0).map(near).collect();
    let near = (!near.is_empty())
        .then(|| format!("Near misses (moves over 80 % of the limit): {}", near.join(", ")));
    let replayed = (standings.replayed > 0)
        .then(|| format!("Played a second time, because the arena itself was late: {}", standings.replayed));
    let faults = standings.rows.iter().filter_map(|row| {
        let FirstFault { index, id, kind, detail } = row.first_fault.as_ref()?;
        Some(format!("First fault of {}: match {index}, decision {id}, {kind}: {detail}", row.bot))
    });
    [first_seat(standings), near, replayed].into_iter().flatten().chain(faults).collect()
}

/// What the first seat is worth, in a line.
fn first_seat(standings: &Standings) -> Option<String> {
    let FirstSeat { points, mean_margin, margin_ci95 } = standings.first_seat.as_ref()?;
    let range = margin_ci95.map_or(String::new(), |[low, high]| format!(" (95 %: {low:+.2} to {high:+.2})"));
    Some(format!("First seat: {points:.1} % of its encounters won, margin {mean_margin:+.2}{range}"))
}

fn headline(standings: &Standings) -> String {
    let Standings { game, seats, matches, deals, .. } = standings;
    format!(
        "{game}: {} of {} on {}",
        count(*matches, "match"),
        count(*seats as u64, "seat"),
        count(*deals, "deal")
    )
}

/// Title, cells and number of left-aligned columns of each table.
fn tables(standings: &Standings) -> Vec<(String, Cells, usize)> {
    let mut tables = standings.outcome.as_ref().map_or(Vec::new(), super::outcome::tables);
    let title = if tables.is_empty() { "" } else { "All matches\n" };
    tables.push((title.to_owned(), standings_cells(standings), 2));
    if standings.rows.iter().any(|row| row.faults_total() > 0) {
        tables.push(("Faults\n".to_owned(), fault_cells(standings), 1));
    }
    if standings.seats > 1 {
        let title = "Row against column: share of matches won in percent, draws counting half; mean margin\n";
        tables.push((title.to_owned(), crosstable_cells(standings), 1));
    }
    tables
}

fn standings_cells(standings: &Standings) -> Cells {
    let alone = standings.seats <= 1;
    let paired = standings.game == Patchwork::NAME;
    let head = [
        "",
        "bot",
        "matches",
        "won-drawn-lost",
        "points",
        "mean score",
        "95 % interval",
        "margin",
        "95 % interval",
        "mean rank",
        "faults",
        "ms: median",
        "99 %",
        "max",
    ];
    // A lone seat has no opponents; where games come in pairs, what counts is the margin.
    let hidden: &[usize] = match (alone, paired) {
        (true, _) => &[3, 4, 7, 8, 9],
        (false, true) => &[6, 9],
        (false, false) => &[7, 8],
    };
    let keep = |column: usize| !hidden.contains(&column);
    let pick = |cells: Vec<String>| {
        cells.into_iter().enumerate().filter(|(column, _)| keep(*column)).map(|(_, cell)| cell).collect()
    };
    let mut cells = vec![pick(head.map(str::to_owned).into())];
    cells.extend(standings.rows.iter().map(|row| pick(row_cells(row))));
    cells
}

fn row_cells(row: &Row) -> Vec<String> {
    vec![
        row.rank.to_string(),
        row.bot.clone(),
        row.matches.to_string(),
        format!("{}-{}-{}", row.won, row.drawn, row.lost),
        format!("{:.1} %", row.points),
        format!("{:.2}", row.mean_score),
        interval(row.ci95),
        format!("{:+.2}", row.mean_margin),
        interval(row.margin_ci95),
        format!("{:.2}", row.mean_rank),
        row.faults_total().to_string(),
        ms(row.time_us.median),
        ms(row.time_us.p99),
        ms(row.time_us.max),
    ]
}

pub(super) fn interval(bounds: Option<[f64; 2]>) -> String {
    bounds.map_or("-".to_owned(), |[low, high]| format!("{low:.2} to {high:.2}"))
}

/// Milliseconds with as many decimals as they deserve.
fn ms(us: u64) -> String {
    let ms = Duration::from_micros(us).as_secs_f64() * 1e3;
    match ms {
        _ if ms < 10.0 => format!("{ms:.2}"),
        _ if ms < 100.0 => format!("{ms:.1}"),
        _ => format!("{ms:.0}"),
    }
}

fn fault_cells(standings: &Standings) -> Cells {
    let seen = |kind: &FaultKind| standings.rows.iter().any(|row| row.faults[kind] > 0);
    let kinds: Vec<FaultKind> = FaultKind::ALL.into_iter().filter(seen).collect();
    let head = std::iter::once("bot".to_owned()).chain(kinds.iter().map(ToString::to_string));
    let mut cells: Cells = vec![head.collect()];
    for row in standings.rows.iter().filter(|row| row.faults_total() > 0) {
        cells.push(
            std::iter::once(row.bot.clone())
                .chain(kinds.iter().map(|kind| row.faults[kind].to_string()))
                .collect(),
        );
    }
    cells
}

fn crosstable_cells(standings: &Standings) -> Cells {
    let names = || standings.rows.iter().map(|row| row.bot.clone());
    let mut cells: Cells = vec![std::iter::once(String::new()).chain(names()).collect()];
    for row in names() {
        let against = |column: String| {
            let entry = standings.crosstable.iter().find(|entry| entry.bot == row && entry.against == column);
            entry.map_or(String::new(), encounter)
        };
        cells.push(std::iter::once(row.clone()).chain(names().map(against)).collect());
    }
    cells
}

fn encounter(entry: &Encounter) -> String {
    let share = 50.0 * (2 * entry.won + entry.drawn) as f64 / entry.matches as f64;
    format!("{share:.1}  {:+.1}", entry.mean_margin)
}

fn csv(standings: &Standings) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut head = "rank,bot,matches,won,drawn,lost,points,mean_score,ci95_low,ci95_high,mean_margin,margin_ci95_low,margin_ci95_high,mean_rank"
        .split(',')
        .map(str::to_owned)
        .collect::<Vec<_>>();
    head.extend(FaultKind::ALL.map(|kind| format!("fault_{kind}")));
    head.extend(["near_misses", "median_us", "p99_us", "max_us"].map(str::to_owned));
    writer.write_record(&head).expect("memory takes it");
    for row in &standings.rows {
        let bound = |interval: Option<[f64; 2]>, side: usize| {
            interval.map_or(String::new(), |ci95| ci95[side].to_string())
        };
        let counts = [row.matches, row.won, row.drawn, row.lost].map(|count| count.to_string());
        let mut cells = vec![row.rank.to_string(), row.bot.clone()];
        cells.extend(counts);
        cells.extend([
            row.points.to_string(),
            row.mean_score.to_string(),
            bound(row.ci95, 0),
            bound(row.ci95, 1),
            row.mean_margin.to_string(),
            bound(row.margin_ci95, 0),
            bound(row.margin_ci95, 1),
            row.mean_rank.to_string(),
        ]);
        cells.extend(FaultKind::ALL.map(|kind| row.faults[&kind].to_string()));
        cells.push(row.near_misses.to_string());
        cells.extend([row.time_us.median, row.time_us.p99, row.time_us.max].map(|us| us.to_string()));
        writer.write_record(&cells).expect("every row has the same columns");
    }
    let bytes = writer.into_inner().expect("memory takes it");
    String::from_utf8(bytes).expect("names and numbers are UTF-8")
}

fn html(standings: &Standings) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Quilt Arena standings</title>\n<style>{STYLE}</style>\n<h1>{}</h1>\n",
        escape(&headline(standings))
    );
    for (title, cells, _) in tables(standings) {
        page.push_str(&format!("<table>\n<caption>{}</caption>\n", escape(title.trim())));
        for (number, row) in cells.iter().enumerate() {
            let tag = if number == 0 { "th" } else { "td" };
            let cells: String = row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
            page.push_str(&format!("<tr>{cells}</tr>\n"));
        }
        page.push_str("</table>\n");
    }
    for line in remarks(standings) {
        page.push_str(&format!("<p>{}</p>\n", escape(&line)));
    }
    page + &format!("<p>digest <code>{}</code></p>\n</html>\n", standings.digest)
}

const STYLE: &str = "body{font:1rem/1.5 system-ui,sans-serif;margin:2rem}table{border-collapse:collapse;margin:0 0 2rem}\
caption{text-align:left}th,td{padding:.2rem .8rem;border-bottom:1px solid #8885;text-align:right}\
th:nth-child(-n+2),td:nth-child(-n+2){text-align:left}";

/// Text as HTML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
