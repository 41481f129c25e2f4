//! Standings as text: for the terminal, as Markdown, CSV, JSON, and HTML.

mod block;
mod columns;
mod csv;
mod fit;
pub(super) mod html;
mod numbers;
mod outcome;

use engine::game::{Game, turn_name};
use referee::for_game;
use referee::games::GameName;
use std::collections::HashMap;

use engine::wire::FaultKind;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::{Alignment, Style};

pub use columns::Column;

use block::{Block, Cells};
use numbers::ms;

use crate::report::style::Mark;
use crate::report::words::count;
use crate::standings::{
    Classes, CopyNoise, DEALS_MIN, Encounter, FirstFault, FirstSeat, Leader, Next, Row, Shares, Standings,
};
use sandbox::text;

/// The formats of what commands print. Each command has some of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people at a terminal.
    #[default]
    Table,
    /// For README files and chats.
    Markdown,
    /// For spreadsheets; only the table of all bots.
    Csv,
    /// For programs.
    Json,
    /// For programs, an object a line.
    Jsonl,
    /// For web pages.
    Html,
}

/// The selection of tables and columns for a terminal.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The columns of the terminal. Without it, nothing is hidden or cut.
    pub width: Option<usize>,
    /// The columns of the table of all bots.
    pub columns: Choice,
    /// Adds the crosstable, the distribution of scores, the sources of variance, and the digest.
    pub details: bool,
}

/// The selection of columns.
#[derive(Clone, Debug, Default)]
pub enum Choice {
    /// The most important columns that fit.
    #[default]
    Usual,
    /// All columns. Columns that do not fit go into tables below.
    All,
    /// These columns.
    Named(Vec<Column>),
}

/// Writes all tables of a tournament in a format.
pub fn render(standings: &Standings, format: Format) -> String {
    match format {
        Format::Table => terminal(standings, &View { details: true, ..View::default() }),
        Format::Markdown => markdown(standings),
        Format::Csv => csv::csv(standings),
        Format::Json | Format::Jsonl => {
            let json = serde_json::to_string_pretty(standings).expect("standings are plain data");
            text::json(&json).into_owned() + "\n"
        }
        Format::Html => html::html(standings),
    }
}

const SIGNIFICANT: &str = "Every gap in this table is significant";
const NOT_SIGNIFICANT: &str = "Not significant";
const TOO_FEW: &str = "Too few deals";
const CHANGED: &str = "Changed on the way (--force)";
/// Bots of which the files changed before the tournament went on, and bots without copies of their files.
const OLDER: &str = "Files changed since the beginning (--replace)";
const UNHELD: &str = "Files watched, not held";
const LEFT_OUT: &str = "Left out:";
const OTHER_LIMITS: &str = "Other limits";
const FIRST_FAULT: &str = "First fault";
/// With more bots than this, a terminal shows no crosstable and not all histograms.
const WIDE_MAX: usize = 10;
/// The number of insignificant gaps and of first faults that are listed.
const NAMED_MAX: usize = 5;
/// A smaller saving than this share of the matches is reported as none.
const SAVED_MIN: f64 = 0.05;
/// The least processor time outside of the turns of a match that is reported, in microseconds. The cleanup of
/// language runtimes stays below it.
const OFF_TURN_US_MIN: u64 = 10_000;
/// The bars of a histogram, from empty to full.
const BARS: [char; 9] = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Writes the tables for a terminal.
pub fn terminal(standings: &Standings, view: &View) -> String {
    let (columns, hidden) = match &view.columns {
        Choice::Usual => fit::usual(standings, view.width),
        Choice::All => (columns::useful(standings), Vec::new()),
        Choice::Named(columns) => (columns.clone(), Vec::new()),
    };
    let mut blocks = blocks(standings, &columns, WIDE_MAX);
    let of_all = usize::from(standings.outcome.is_some());
    if !hidden.is_empty() {
        let names: Vec<&str> = hidden.iter().map(|column| column.head).collect();
        blocks[of_all].answers.push(format!("More columns with --wide: {}", names.join(", ")));
    }
    if !view.details {
        blocks.truncate(of_all + 1);
    }
    let mut text = if view.details { headline(standings) + "\n\n" } else { String::new() };
    for mut block in blocks {
        for cell in block.cells.iter_mut().flatten() {
            *cell = text::line(cell).into_owned();
        }
        text.push_str(&format!("{}{}\n", block.title, fit::drawn(&block, view.width)));
        block.answers.iter().for_each(|line| text.push_str(&marked(line)));
        if view.details {
            text.push('\n');
        }
    }
    let faults = first_faults(standings);
    let (shown, more) = match view.details {
        true => (faults.len(), 0),
        false => (faults.len().min(NAMED_MAX), faults.len().saturating_sub(NAMED_MAX)),
    };
    faults[..shown].iter().for_each(|line| text.push_str(&marked(line)));
    if more > 0 {
        text.push_str(&format!("{} with faults; --details names all\n", count(more as u64, "more bot")));
    }
    if !view.details {
        machine(standings).for_each(|line| text.push_str(&marked(&line)));
        return text;
    }
    if (WIDE_MAX + 1..=standings.better.len()).contains(&standings.rows.len()) {
        text.push_str("The crosstable is in --format markdown, html and json\n");
    }
    remarks(standings).iter().for_each(|line| text.push_str(&marked(line)));
    text + &format!("digest {}\n", standings.digest)
}

/// Colours the first words of a line by their meaning.
fn marked(line: &str) -> String {
    const MARKS: [(&str, Mark); 6] = [
        (SIGNIFICANT, Mark::Good),
        (NOT_SIGNIFICANT, Mark::Warning),
        (TOO_FEW, Mark::Warning),
        (CHANGED, Mark::Warning),
        (OTHER_LIMITS, Mark::Warning),
        (FIRST_FAULT, Mark::Bad),
    ];
    let line = text::line(line);
    let mark = MARKS.iter().find_map(|(words, mark)| Some((words, line.strip_prefix(words)?, mark)));
    mark.map_or_else(|| line.to_string(), |(words, rest, mark)| mark.on(words) + rest) + "\n"
}

/// Writes all tables as Markdown. The cells and lines contain foreign text, so they are escaped.
fn markdown(standings: &Standings) -> String {
    let mut text = headline(standings) + "\n\n";
    for Block { title, cells, left_columns, answers, .. } in
        blocks(standings, &columns::useful(standings), usize::MAX)
    {
        let cells = cells.iter().map(|row| row.iter().map(|cell| text::markdown(cell)).collect::<Vec<_>>());
        let mut table = Builder::from_iter(cells).build();
        table
            .modify(Columns::new(left_columns..), Alignment::right())
            .modify(Rows::first(), Alignment::left())
            .with(Style::markdown());
        text.push_str(&format!("{title}{table}\n\n"));
        answers.iter().for_each(|line| text.push_str(&(text::markdown(line) + "\n\n")));
    }
    for line in first_faults(standings).into_iter().chain(remarks(standings)) {
        text.push_str(&(text::markdown(&line) + "\n\n"));
    }
    text + &format!("digest {}\n", standings.digest)
}

/// Returns what the tables mean in words, a line each: which gaps are significant, what is luck, and what happened in
/// the matches.
pub fn notes(standings: &Standings) -> Vec<String> {
    answers(standings).into_iter().chain(remarks(standings)).collect()
}

/// Returns the remarks below the tables, a line each.
fn remarks(standings: &Standings) -> Vec<String> {
    let slow = |row: &Row| format!("{} {}", row.bot, row.slow_moves);
    let slow: Vec<String> = standings.rows.iter().filter(|row| row.slow_moves > 0).map(slow).collect();
    let slow =
        (!slow.is_empty()).then(|| format!("Slow moves (over 80 % of the limit): {}", slow.join(", ")));
    [pairing(standings), luck(standings), first_seat(standings), slow, off_turn(standings)]
        .into_iter()
        .flatten()
        .chain(machine(standings))
        .collect()
}

/// Returns the lines about what the machine did to the results.
fn machine(standings: &Standings) -> impl Iterator<Item = String> {
    [
        (
            "Replayed because the machine was late, or a process failed that was kept from an earlier match",
            standings.replayed,
        ),
        ("Moves after the limit that count, because others had the processors", standings.credited),
        ("Timeouts for which the kernel does not tell who had the processors", standings.untold_timeouts),
    ]
    .into_iter()
    .filter(|(_, many)| *many > 0)
    .map(|(what, many)| format!("{what}: {many}"))
}

/// Returns the first fault of each bot, a line each.
fn first_faults(standings: &Standings) -> Vec<String> {
    let fault = |row: &Row| {
        let FirstFault { index, id, kind, detail } = row.first_fault.as_ref()?;
        let turn = match GameName::named(&standings.game) {
            Ok(game) => for_game!(game, G => G::turn_name(*id)),
            Err(_) => turn_name(*id),
        };
        Some(format!("{FIRST_FAULT} of {}: match {index}, {turn}, {kind}: {detail}", row.bot))
    };
    standings.rows.iter().filter_map(fault).collect()
}

/// Returns a line with the bots that used the processors outside of their turns.
fn off_turn(standings: &Standings) -> Option<String> {
    let a_match = |row: &Row| row.time_us.off_turn / row.matches.max(1);
    let rows = standings.rows.iter().filter(|row| a_match(row) >= OFF_TURN_US_MIN);
    let used: Vec<String> = rows.map(|row| format!("{} {}", row.bot, ms(a_match(row)))).collect();
    (!used.is_empty())
        .then(|| format!("Processor time outside of their turns, ms a match: {}", used.join(", ")))
}

/// Returns the lines below the table of all bots.
fn answers(standings: &Standings) -> Vec<String> {
    let of_gaps = significance(standings).into_iter().chain(luck_of_the_leader(standings));
    let changes = standings.changes.iter().map(|change| format!("{CHANGED}: {change}"));
    let named =
        |what: &str, bots: &[String]| (!bots.is_empty()).then(|| format!("{what}: {}", bots.join(", ")));
    let of_files = named(OLDER, &standings.older).into_iter().chain(named(UNHELD, &standings.unheld));
    let withdrawn = named("Withdrawn, with all their matches", &standings.withdrawn);
    let of_bots = copies(standings).into_iter().chain(limits(standings));
    let skipped = standings.skipped.iter().map(|one| format!("{LEFT_OUT} {}: {}", one.bot, one.reason));
    of_gaps.chain(of_bots).chain(changes).chain(withdrawn).chain(of_files).chain(skipped).collect()
}

/// Returns a line with the bots that have limits of their own.
fn limits(standings: &Standings) -> Option<String> {
    let own = |row: &Row| format!("{} {}", row.bot, row.limits.settings().join(" "));
    let own: Vec<String> = standings.rows.iter().filter(|row| !row.limits.is_empty()).map(own).collect();
    (!own.is_empty()).then(|| format!("{OTHER_LIMITS}: {}", own.join(", ")))
}

/// Returns a line with the significant or insignificant gaps.
fn significance(standings: &Standings) -> Option<String> {
    let next: Vec<(&Row, &Row, Next)> =
        standings.rows.windows(2).filter_map(|rows| Some((&rows[0], &rows[1], rows[0].next?))).collect();
    if !next.is_empty() && next.iter().all(|(_, _, next)| next.better.is_none()) {
        return Some(format!("{TOO_FEW} for ratings and intervals: each bot needs {DEALS_MIN}."));
    }
    let open: Vec<String> = next.iter().filter_map(open_gap).collect();
    let is_equal = |(row, below, _): &(&Row, &Row, Next)| row.rank == below.rank;
    if !next.is_empty() && next.iter().all(is_equal) {
        let names: Vec<&str> = standings.rows.iter().map(|row| row.bot.as_str()).collect();
        return Some(format!("{NOT_SIGNIFICANT}: {} are equal.", names.join(", ")));
    }
    match open.len() {
        0 if next.is_empty() => None,
        0 => Some(format!("{SIGNIFICANT} (95 %).")),
        number => {
            let more = number.saturating_sub(NAMED_MAX);
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            Some(format!("{NOT_SIGNIFICANT} (95 %): {}{more}.", open[..number.min(NAMED_MAX)].join(", ")))
        }
    }
}

/// Returns a line with the rating of the leader without its luck, if this changes the printed number.
fn luck_of_the_leader(standings: &Standings) -> Option<String> {
    let Leader { bot, elo } = standings.leader.as_ref()?;
    let measured = standings.rows.iter().find(|row| row.bot == *bot)?.rating?.elo;
    (measured.round() > elo.round()).then(|| {
        format!(
            "The best of {} is partly lucky: without that, {bot} is at about {elo:+.0} Elo.",
            count(standings.rows.len() as u64, "bot")
        )
    })
}

/// Returns a line for each copy of a bot, about the chance by which the two differ. Many copies share the last line.
fn copies(standings: &Standings) -> Vec<String> {
    let line = |CopyNoise { bot, copy, mean_margin, margin_ci95 }: &CopyNoise| {
        let [low, high] = (*margin_ci95)?;
        let (margin, half) = (mean_margin.abs(), (high - low) / 2.0);
        if high == low {
            return Some(format!("{bot} and its copy {copy} played alike."));
        }
        Some(format!(
            "{bot} and its copy {copy} differ by {margin:.1} ± {half:.1} points; gaps below {:.1} mean nothing yet.",
            half.max(margin)
        ))
    };
    let mut lines: Vec<String> = standings.copies.iter().filter_map(line).collect();
    if let Some(more @ 1..) = lines.len().checked_sub(NAMED_MAX) {
        lines.truncate(NAMED_MAX);
        lines.push(format!("For {} of copies, see standings.json.", count(more as u64, "more pair")));
    }
    lines
}

/// Describes two neighbours without a significant gap, and the number of deals that would decide.
fn open_gap((row, below, next): &(&Row, &Row, Next)) -> Option<String> {
    let pair = match row.rank == below.rank {
        true => return Some(format!("{} and {} are equal", row.bot, below.bot)),
        false => format!("{} ahead of {}", row.bot, below.bot),
    };
    Some(match (next.better, next.more_deals) {
        (_, Some(0)) => return None,
        (None, _) => format!("{pair} (too few deals)"),
        (Some(_), Some(deals)) => format!("{pair} (about {} to go)", count(deals, "deal")),
        (Some(_), None) => format!("{pair} (deals to go unknown)"),
    })
}

/// Returns a line with the share of matches that shared deals saved.
fn pairing(standings: &Standings) -> Option<String> {
    let saved = 1.0 - 1.0 / standings.pairing?;
    Some(match saved {
        saved if saved < SAVED_MIN => "Sharing deals saved no matches.".to_owned(),
        saved => format!("Sharing deals saved {:.0} % of the matches.", 100.0 * saved),
    })
}

/// Returns a line with the sources of variance.
fn luck(standings: &Standings) -> Option<String> {
    let Shares { bots, deals, rest } = standings.about.luck?;
    let distance = standings.about.mean_distance?;
    Some(format!(
        "Variance of scores: bot {bots:.1} %, deal {deals:.1} %, remaining chance {rest:.1} %. Two scores differ by {distance:.1} points on average."
    ))
}

/// Returns a line with the advantage of the first seat.
fn first_seat(standings: &Standings) -> Option<String> {
    let FirstSeat { points, mean_margin, margin_ci95 } = standings.first_seat.as_ref()?;
    let range = margin_ci95.map_or(String::new(), |[low, high]| format!(" (95 %: {low:+.2} to {high:+.2})"));
    Some(format!("First seat: {points:.1} % of the points, margin {mean_margin:+.2}{range}"))
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

/// Returns all tables from top to bottom. The table of all bots has these columns.
fn blocks(standings: &Standings, columns: &[Column], wide_max: usize) -> Vec<Block> {
    let mut blocks: Vec<Block> = standings.outcome.iter().map(outcome::block).collect();
    let title = if blocks.is_empty() { "" } else { "All matches\n" };
    let answers = answers(standings);
    blocks.push(Block { answers, ..Block::of_all(title, standings, columns) });
    if standings.rows.iter().any(|row| row.faults_total() > 0) {
        blocks.push(Block::new("Faults\n", fault_cells(standings), 1, 1));
    }
    if !standings.crosstable.is_empty() && standings.rows.len() <= wide_max.min(standings.better.len()) {
        let on = if standings.seats > 1 { "" } else { " on the same deals" };
        let title = format!(
            "Crosstable: points of the row against the column in percent{on}, mean margin, and chance that the true margin is above 0, from the matches of this pair alone\n"
        );
        blocks.push(Block::new(&title, crosstable_cells(standings), 1, 1));
    }
    if let Some(classes) = standings.about.classes {
        let mut block = Block::new("", histogram_cells(standings, classes, wide_max), 2, 1);
        let more = standings.rows.len().saturating_sub(wide_max) as u64;
        block.answers.extend((more > 0).then(|| format!("{} not shown", count(more, "more bot"))));
        blocks.push(block);
    }
    blocks
}

/// Formats a probability in percent. It is never 0 % or 100 %.
fn chance(percent: f64) -> String {
    match percent {
        _ if percent > 99.9 => ">99.9 %".to_owned(),
        _ if percent < 0.1 => "<0.1 %".to_owned(),
        _ => format!("{percent:.1} %"),
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
    let rows = names().map(|row| {
        let cells =
            names().map(|column| met.get(&(row, column)).map_or(String::new(), |pair| encounter(pair)));
        std::iter::once(row.to_owned()).chain(cells).collect()
    });
    std::iter::once(head).chain(rows).collect()
}

fn encounter(entry: &Encounter) -> String {
    let share = 50.0 * (2 * entry.won + entry.drawn) as f64 / entry.matches as f64;
    let ahead = entry.ahead.map_or(String::new(), |ahead| format!("  {}", chance(ahead)));
    format!("{share:.1}  {:+.1}{ahead}", entry.mean_margin)
}

/// Draws the scores of the first bots as bars.
fn histogram_cells(standings: &Standings, classes: Classes, rows_max: usize) -> Cells {
    let number = standings.rows.first().map_or(0, |row| row.scores.len()) as i64;
    // The first and the last class are open.
    let [low, high] =
        [classes.low + classes.width as i64 - 1, classes.low + (number - 1) * classes.width as i64];
    let title = if number > 1 { format!("scores ≤ {low} to ≥ {high}") } else { "scores".to_owned() };
    let bars = standings.rows.iter().take(rows_max).map(|row| vec![row.bot.clone(), bars(&row.scores)]);
    std::iter::once(vec!["bot".to_owned(), title]).chain(bars).collect()
}

/// Draws a bar for each class. A class with at least one score never looks empty.
fn bars(counts: &[u64]) -> String {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let full = BARS.len() as u64 - 1;
    counts.iter().map(|&count| BARS[(count * full).div_ceil(most) as usize]).collect()
}
