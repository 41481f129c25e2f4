//! Standings as text: for the terminal, as Markdown, CSV, JSON and HTML.

use std::collections::HashMap;
use std::time::Duration;

use clap::ValueEnum;
use engine::game::Game;
use engine::patchwork::Patchwork;
use engine::wire::FaultKind;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::{Alignment, Style};

use crate::report::words::count;
use crate::standings::{Classes, Encounter, FirstFault, FirstSeat, Next, Rating, Row, Shares, Standings};
use crate::text;

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
        Format::Table => {
            let plain = |cell: &str| text::line(cell).into_owned();
            in_text(standings, WIDE_MAX, plain, |table| table.with(Style::sharp()).to_string())
        }
        Format::Markdown => {
            in_text(standings, usize::MAX, text::markdown, |table| table.with(Style::markdown()).to_string())
        }
        Format::Csv => csv(standings),
        Format::Json => {
            let json = serde_json::to_string_pretty(standings).expect("standings are plain data");
            text::json(&json).into_owned() + "\n"
        }
        Format::Html => html(standings),
    }
}

/// Cells of a table, the first row its head.
pub(super) type Cells = Vec<Vec<String>>;

/// A table with what stands above and below it.
pub(super) struct Block {
    title: String,
    cells: Cells,
    /// The columns from here on are aligned right.
    left_columns: usize,
    /// Lines below the table that say how sure it is.
    answers: Vec<String>,
}

impl Block {
    pub(super) fn new(title: &str, cells: Cells, left_columns: usize) -> Block {
        Block { title: title.to_owned(), cells, left_columns, answers: Vec::new() }
    }
}

/// With more bots than this a terminal shows neither each against each nor all histograms.
const WIDE_MAX: usize = 10;
/// Neighbours that cannot be told apart are named up to this number.
const UNSURE_MAX: usize = 5;
/// Pairing that is worth less than this is worth nothing.
const WORTH_MIN: f64 = 1.05;
/// Processor time outside of the turns of a match that is worth telling, in microseconds: what runtimes need
/// to clean up is less.
const OFF_TURN_US_MIN: u64 = 10_000;
/// A class of a histogram, from empty to full.
const BARS: [char; 9] = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Cells and lines have foreign text in them; `shown` makes it what shows that text in this format.
fn in_text(
    standings: &Standings,
    wide_max: usize,
    shown: impl Fn(&str) -> String,
    style: impl Fn(&mut tabled::Table) -> String,
) -> String {
    let mut text = headline(standings) + "\n\n";
    for Block { title, cells, left_columns, answers } in blocks(standings, wide_max) {
        let cells = cells.iter().map(|row| row.iter().map(|cell| shown(cell)).collect::<Vec<_>>());
        let mut table = Builder::from_iter(cells).build();
        table
            .modify(Columns::new(left_columns..), Alignment::right())
            .modify(Rows::first(), Alignment::left());
        text.push_str(&format!("{title}{}\n\n", style(&mut table)));
        answers.iter().for_each(|line| text.push_str(&(shown(line) + "\n\n")));
    }
    if standings.rows.len() > wide_max {
        text.push_str("Each against each is in --format markdown, html and json\n\n");
    }
    for line in remarks(standings) {
        text.push_str(&(shown(&line) + "\n\n"));
    }
    text.push_str(&format!("digest {}\n", standings.digest));
    text
}

/// How sure the table of all matches is, a line each.
fn answers(standings: &Standings) -> Vec<String> {
    [sureness(standings), pairing(standings)].into_iter().flatten().collect()
}

/// What there is to say beside the tables, a line each.
fn remarks(standings: &Standings) -> Vec<String> {
    let near = |row: &Row| format!("{} {}", row.bot, row.near_misses);
    let near: Vec<String> = standings.rows.iter().filter(|row| row.near_misses > 0).map(near).collect();
    let near = (!near.is_empty())
        .then(|| format!("Near misses (moves over 80 % of the limit): {}", near.join(", ")));
    let replayed = (standings.replayed > 0).then(|| {
        let why = "the machine was late, or a process failed that was kept from an earlier match";
        format!("Played a second time, because {why}: {}", standings.replayed)
    });
    let faults = standings.rows.iter().filter_map(|row| {
        let FirstFault { index, id, kind, detail } = row.first_fault.as_ref()?;
        Some(format!("First fault of {}: match {index}, decision {id}, {kind}: {detail}", row.bot))
    });
    [luck(standings), first_seat(standings), near, off_turn(standings), replayed]
        .into_iter()
        .flatten()
        .chain(faults)
        .collect()
}

/// Which bots used the processors while they owed no answer, in a line.
fn off_turn(standings: &Standings) -> Option<String> {
    let a_match = |row: &Row| row.time_us.off_turn / row.matches.max(1);
    let rows = standings.rows.iter().filter(|row| a_match(row) >= OFF_TURN_US_MIN);
    let used: Vec<String> = rows.map(|row| format!("{} {}", row.bot, ms(a_match(row)))).collect();
    (!used.is_empty())
        .then(|| format!("Processor time outside of their turns, ms a match: {}", used.join(", ")))
}

/// How sure the order is, in a line.
fn sureness(standings: &Standings) -> Option<String> {
    let next: Vec<(&Row, &Row, Next)> =
        standings.rows.windows(2).filter_map(|rows| Some((&rows[0], &rows[1], rows[0].next?))).collect();
    let unsure: Vec<String> = next.iter().filter_map(unsure).collect();
    match unsure.len() {
        0 if next.is_empty() => None,
        0 => Some("Sure at 95 %: each is better than the next one.".to_owned()),
        number => {
            let more = number.saturating_sub(UNSURE_MAX);
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            Some(format!("Not sure at 95 %: {}{more}.", unsure[..number.min(UNSURE_MAX)].join(", ")))
        }
    }
}

/// What is not sure about two neighbours, if something is.
fn unsure((row, below, next): &(&Row, &Row, Next)) -> Option<String> {
    let pair = format!("{} before {}", row.bot, below.bot);
    Some(match (next.better, next.more_deals) {
        (_, Some(0)) => return None,
        (None, _) => format!("{pair} (one deal is no sample)"),
        (Some(better), Some(deals)) => {
            format!("{pair} ({}, about {})", chance(better), count(deals, "more deal"))
        }
        (Some(better), None) => format!("{pair} ({}, no telling how many more deals)", chance(better)),
    })
}

/// What pairing was worth, in a line.
fn pairing(standings: &Standings) -> Option<String> {
    Some(match standings.pairing? {
        worth if worth < WORTH_MIN => {
            "Deals in common: nothing gained, the scores on one have little in common".to_owned()
        }
        worth => {
            format!("Deals in common: the margins are as sure as with {worth:.2} times as many deals apart")
        }
    })
}

/// Where differences come from, in a line.
fn luck(standings: &Standings) -> Option<String> {
    let Shares { bots, deals, rest } = standings.about.luck?;
    let distance = standings.about.mean_distance?;
    Some(format!(
        "Scores vary by {bots:.1} % with the bot, {deals:.1} % with the deal, {rest:.1} % with other luck; two are {distance:.1} points apart on average"
    ))
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

/// What is shown one below the other.
fn blocks(standings: &Standings, wide_max: usize) -> Vec<Block> {
    let mut blocks: Vec<Block> = standings.outcome.iter().map(super::outcome::block).collect();
    let title = if blocks.is_empty() { "" } else { "All matches\n" };
    let answers = answers(standings);
    blocks.push(Block { answers, ..Block::new(title, standings_cells(standings), 3) });
    if standings.rows.iter().any(|row| row.faults_total() > 0) {
        blocks.push(Block::new("Faults\n", fault_cells(standings), 1));
    }
    if standings.crosstable.is_empty() {
        return blocks;
    }
    if standings.rows.len() <= wide_max {
        let on = if standings.seats > 1 { "" } else { " on the same deals" };
        let title = format!(
            "Row against column{on}: share won in percent, draws counting half; mean margin; is the row the better bot?\n"
        );
        blocks.push(Block::new(&title, crosstable_cells(standings), 1));
    }
    if let Some(classes) = standings.about.classes {
        blocks.push(Block::new("", histogram_cells(standings, classes, wide_max), 2));
    }
    blocks
}

fn standings_cells(standings: &Standings) -> Cells {
    let alone = standings.seats <= 1;
    let paired = standings.game == Patchwork::NAME;
    let faults = standings.rows.iter().any(|row| row.faults_total() > 0);
    // Which columns are shown: a lone seat has no opponents; where games come in pairs, what counts
    // is the margin.
    let columns = [
        ("", true),
        ("bracket", true),
        ("bot", true),
        ("Elo", true),
        ("Elo without faults", faults),
        ("matches", true),
        ("won-drawn-lost", !alone),
        ("points", !alone),
        ("mean score", true),
        ("95 % interval", !paired),
        ("margin", paired),
        ("95 % interval", paired),
        ("mean rank", standings.seats > 2),
        ("faults", true),
        ("ms: median", true),
        ("99 %", true),
        ("max", true),
    ];
    let pick = |cells: Vec<String>| {
        cells.into_iter().zip(columns).filter(|(_, (_, shown))| *shown).map(|(cell, _)| cell).collect()
    };
    let mut cells = vec![pick(columns.map(|(name, _)| name.to_owned()).into())];
    cells.extend(standings.rows.iter().map(|row| pick(row_cells(row))));
    cells
}

fn row_cells(row: &Row) -> Vec<String> {
    vec![
        row.rank.to_string(),
        row.bracket.to_string(),
        row.bot.clone(),
        elo(row.rating),
        elo(row.rating_played),
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

/// A rating and half of the width of its interval.
fn elo(rating: Option<Rating>) -> String {
    rating.map_or("-".to_owned(), |Rating { elo, ci95 }| {
        let half = ci95.map_or(String::new(), |[low, high]| format!(" ± {:.0}", (high - low) / 2.0));
        format!("{:+.0}{half}", elo.round() + 0.0)
    })
}

/// A probability in percent, which is never quite certain.
fn chance(percent: f64) -> String {
    match percent {
        _ if percent > 99.9 => ">99.9 %".to_owned(),
        _ if percent < 0.1 => "<0.1 %".to_owned(),
        _ => format!("{percent:.1} %"),
    }
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
    let met: HashMap<(&str, &str), &Encounter> = standings
        .crosstable
        .iter()
        .map(|entry| ((entry.bot.as_str(), entry.against.as_str()), entry))
        .collect();
    let names = || standings.rows.iter().map(|row| row.bot.as_str());
    let head = std::iter::once("").chain(names()).map(str::to_owned).collect();
    let rows = names().zip(&standings.better).map(|(row, better)| {
        let cells = names().zip(better).map(|(column, better)| {
            let encounter = met.get(&(row, column)).map(|entry| encounter(entry));
            [encounter, better.map(chance)].into_iter().flatten().collect::<Vec<_>>().join("  ")
        });
        std::iter::once(row.to_owned()).chain(cells).collect()
    });
    std::iter::once(head).chain(rows).collect()
}

fn encounter(entry: &Encounter) -> String {
    let share = 50.0 * (2 * entry.won + entry.drawn) as f64 / entry.matches as f64;
    format!("{share:.1}  {:+.1}", entry.mean_margin)
}

/// The scores of the first bots as bars.
fn histogram_cells(standings: &Standings, classes: Classes, rows_max: usize) -> Cells {
    let number = standings.rows.first().map_or(0, |row| row.scores.len());
    let high = classes.low + number as i64 * classes.width as i64 - 1;
    let title = format!("scores from {} to {high}", classes.low);
    let bars = standings.rows.iter().take(rows_max).map(|row| vec![row.bot.clone(), bars(&row.scores)]);
    std::iter::once(vec!["bot".to_owned(), title]).chain(bars).collect()
}

/// A bar for each class; whatever is not empty can be seen.
fn bars(counts: &[u64]) -> String {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let full = BARS.len() as u64 - 1;
    counts.iter().map(|&count| BARS[(count * full).div_ceil(most) as usize]).collect()
}

fn csv(standings: &Standings) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut head = "rank,bot,matches,won,drawn,lost,points,mean_score,ci95_low,ci95_high,mean_margin,margin_ci95_low,margin_ci95_high,mean_rank"
        .split(',')
        .map(str::to_owned)
        .collect::<Vec<_>>();
    head.extend(FaultKind::ALL.map(|kind| format!("fault_{kind}")));
    head.extend(["near_misses", "median_us", "p99_us", "max_us"].map(str::to_owned));
    head.extend(
        "bracket,elo,elo_ci95_low,elo_ci95_high,elo_played,elo_played_ci95_low,elo_played_ci95_high,ahead,ahead_ci95_low,ahead_ci95_high,better,more_deals"
            .split(',')
            .map(str::to_owned),
    );
    writer.write_record(&head).expect("memory takes it");
    for row in &standings.rows {
        let bound = |interval: Option<[f64; 2]>, side: usize| optional(interval.map(|ci95| ci95[side]));
        let counts = [row.matches, row.won, row.drawn, row.lost].map(|count| count.to_string());
        let mut cells = vec![row.rank.to_string(), text::spreadsheet(&row.bot)];
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
        cells.push(row.bracket.to_string());
        for rating in [row.rating, row.rating_played] {
            let ci95 = rating.and_then(|rating| rating.ci95);
            cells.extend([optional(rating.map(|rating| rating.elo)), bound(ci95, 0), bound(ci95, 1)]);
        }
        let ci95 = row.next.and_then(|next| next.ahead_ci95);
        cells.extend([optional(row.next.map(|next| next.ahead)), bound(ci95, 0), bound(ci95, 1)]);
        cells.extend([
            optional(row.next.and_then(|next| next.better)),
            optional(row.next.and_then(|next| next.more_deals)),
        ]);
        writer.write_record(&cells).expect("every row has the same columns");
    }
    let bytes = writer.into_inner().expect("memory takes it");
    String::from_utf8(bytes).expect("names and numbers are UTF-8")
}

/// A number, or an empty cell.
fn optional(number: Option<impl ToString>) -> String {
    number.map_or(String::new(), |number| number.to_string())
}

fn html(standings: &Standings) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Quilt Arena standings</title>\n<style>{STYLE}</style>\n<h1>{}</h1>\n",
        escape(&headline(standings))
    );
    let paragraph = |line: String| format!("<p>{}</p>\n", escape(&line));
    for Block { title, cells, answers, .. } in blocks(standings, usize::MAX) {
        page.push_str(&format!("<table>\n<caption>{}</caption>\n", escape(title.trim())));
        for (number, row) in cells.iter().enumerate() {
            let tag = if number == 0 { "th" } else { "td" };
            let cells: String = row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
            page.push_str(&format!("<tr>{cells}</tr>\n"));
        }
        page.push_str("</table>\n");
        answers.into_iter().for_each(|line| page.push_str(&paragraph(line)));
    }
    remarks(standings).into_iter().for_each(|line| page.push_str(&paragraph(line)));
    page + &format!("<p>digest <code>{}</code></p>\n</html>\n", standings.digest)
}

const STYLE: &str = "body{font:1rem/1.5 system-ui,sans-serif;margin:2rem}table{border-collapse:collapse;margin:0 0 2rem}\
caption{text-align:left}th,td{padding:.2rem .8rem;border-bottom:1px solid #8885;text-align:right}\
th:nth-child(-n+3),td:nth-child(-n+3){text-align:left}";

/// A line as HTML that shows it.
fn escape(text: &str) -> String {
    text::line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
