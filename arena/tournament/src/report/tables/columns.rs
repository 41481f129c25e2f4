//! The columns of the table of all bots. A new column is one entry of [`Column::ALL`].

use engine::wire::FaultKind;
use referee::games::GameName;

use super::numbers;
use crate::standings::{Rating, Row, Standings};

/// The importance of columns that name the row. They come first and are never hidden.
pub(super) const KEY: u8 = u8::MAX;
/// The head of the column of faults.
pub(super) const FAULTS: &str = "faults";

/// A column of the table of all bots.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The name on the command line.
    pub name: &'static str,
    /// A description in a few words.
    pub about: &'static str,
    pub(super) head: &'static str,
    /// Returns the importance, or `None` if the column is useless for this tournament. A terminal hides the
    /// least important columns first, and columns of importance 0 by default.
    pub(super) shown: fn(&Standings) -> Option<u8>,
    /// The heads of its CSV cells, between commas. `fault_*` stands for all kinds of faults.
    pub(super) csv: &'static str,
    /// Returns the cell as text, and the CSV cells.
    pub(super) cells: fn(&Row) -> Cells,
}

#[cfg(feature = "clap")]
impl clap::ValueEnum for Column {
    fn value_variants<'a>() -> &'a [Column] {
        &Column::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name).help(self.about))
    }
}

/// The text of a row in a column, and its CSV cells.
type Cells = (String, Vec<String>);

impl Column {
    /// All columns, from the left.
    #[rustfmt::skip] // a table
    pub const ALL: [Column; 20] = [
        Column { name: "rank", head: "", about: "Place in the table",
            shown: |_| Some(KEY), csv: "rank", cells: |row| same(row.rank) },
        Column { name: "ranks", head: "ranks", about: "Best and worst possible rank",
            shown: |all| (all.rows.len() > 2).then_some(4),
            csv: "best_rank,worst_rank", cells: |row| range(row.ranks) },
        Column { name: "tier", head: "tier", about: "Bots differ significantly if they share no tier",
            shown: |all| (all.rows.len() > 2).then_some(0),
            csv: "first_tier,last_tier", cells: |row| range(row.tiers) },
        Column { name: "bot", head: "bot", about: "Name",
            shown: |_| Some(KEY), csv: "bot", cells: |row| (row.bot.clone(), vec![row.bot.clone()]) },
        Column { name: "elo", head: "Elo", about: "Rating ± half of its 95 % interval",
            shown: |_| Some(6), csv: "elo,elo_ci95_low,elo_ci95_high", cells: |row| match has_lost_all(row) {
                true => ("lost all".to_owned(), elo(row.rating).1),
                false => elo(row.rating),
            } },
        Column { name: "elo-played", head: "Elo without faults",
            about: "Rating without matches that ended in a fault",
            shown: |all| all.rows.iter().any(|row| row.faults_total() > 0).then_some(0),
            csv: "elo_played,elo_played_ci95_low,elo_played_ci95_high", cells: |row| elo(row.rating_played) },
        Column { name: "matches", head: "matches", about: "Matches played",
            shown: |_| Some(0), csv: "matches", cells: |row| same(row.matches) },
        Column { name: "wdl", head: "W-D-L", about: "Encounters won, drawn, and lost",
            shown: |all| (all.seats > 1).then_some(3),
            csv: "won,drawn,lost", cells: |row| wdl([row.won, row.drawn, row.lost]) },
        Column { name: "points", head: "points", about: "Share of the points, draws counting half",
            shown: |all| (all.seats > 1).then_some(0),
            csv: "points", cells: |row| cells(format!("{:.1} %", row.points), [row.points]) },
        Column { name: "score", head: "mean score", about: "Mean score of a match",
            shown: |all| Some(if is_by_margin(all) { 0 } else { 5 }),
            csv: "mean_score", cells: |row| cells(format!("{:.2}", row.mean_score), [row.mean_score]) },
        Column { name: "score-interval", head: "95 % interval", about: "95 % interval of the mean score",
            shown: |all| (!is_by_margin(all)).then_some(0),
            csv: "ci95_low,ci95_high", cells: |row| interval(row.ci95) },
        Column { name: "margin", head: "margin", about: "Mean difference to the opponent's score",
            shown: |all| is_by_margin(all).then_some(5),
            csv: "mean_margin", cells: |row| cells(format!("{:+.2}", row.mean_margin), [row.mean_margin]) },
        Column { name: "margin-interval", head: "95 % interval", about: "95 % interval of the margin",
            shown: |all| is_by_margin(all).then_some(0),
            csv: "margin_ci95_low,margin_ci95_high", cells: |row| interval(row.margin_ci95) },
        Column { name: "mean-rank", head: "mean rank", about: "Mean rank at a table of many seats",
            shown: |all| (all.seats > 2).then_some(0),
            csv: "mean_rank", cells: |row| cells(format!("{:.2}", row.mean_rank), [row.mean_rank]) },
        Column { name: "faults", head: FAULTS, about: "Matches that ended in a fault",
            shown: |_| Some(2), csv: "fault_*",
            cells: |row| cells(row.faults_total(), FaultKind::ALL.map(|kind| row.faults[&kind])) },
        Column { name: "slow-moves", head: "slow moves", about: "Moves that took over 80 % of the limit",
            shown: |all| all.rows.iter().any(|row| row.slow_moves > 0).then_some(0),
            csv: "slow_moves", cells: |row| same(row.slow_moves) },
        Column { name: "retries", head: "retries", about: "Refused answers after which the bot was asked again",
            shown: |all| all.rows.iter().any(|row| row.retries > 0).then_some(2),
            csv: "retries", cells: |row| same(row.retries) },
        Column { name: "ms", head: "ms/move", about: "Median time of a move in milliseconds",
            shown: |_| Some(1), csv: "median_us", cells: |row| ms(row.time_us.median) },
        Column { name: "ms-p99", head: "99 % ms", about: "99th percentile of move times in milliseconds",
            shown: |_| Some(0), csv: "p99_us", cells: |row| ms(row.time_us.p99) },
        Column { name: "ms-max", head: "max ms", about: "Longest time of a move in milliseconds",
            shown: |_| Some(0), csv: "max_us", cells: |row| ms(row.time_us.max) },
    ];
}

/// Returns all columns that are useful for this tournament.
pub(super) fn useful(standings: &Standings) -> Vec<Column> {
    Column::ALL.into_iter().filter(|column| (column.shown)(standings).is_some()).collect()
}

/// Returns true if the margin counts instead of the score.
fn is_by_margin(standings: &Standings) -> bool {
    GameName::named(&standings.game).is_ok_and(GameName::is_by_margin)
}

fn cells<const N: usize>(text: impl ToString, csv: [impl ToString; N]) -> Cells {
    (text.to_string(), csv.map(|value| value.to_string()).into())
}

fn same(value: impl ToString + Copy) -> Cells {
    cells(value, [value])
}

/// Formats the first and the last of a range, such as `2-4`.
fn range([first, last]: [u32; 2]) -> Cells {
    let text = if first == last { first.to_string() } else { format!("{first}-{last}") };
    cells(text, [first, last])
}

fn wdl(counts: [u64; 3]) -> Cells {
    cells(counts.map(|count| count.to_string()).join("-"), counts)
}

fn interval(ci95: Option<[f64; 2]>) -> Cells {
    (numbers::interval(ci95), bounds(ci95).into())
}

/// Returns true for a bot without a point. Its rating has no lower bound but the one of the method.
fn has_lost_all(row: &Row) -> bool {
    row.rating.is_some() && row.matches > 0 && row.lost == row.matches
}

/// Formats a rating with half of the width of its interval. A rating without an interval is not shown.
fn elo(rating: Option<Rating>) -> Cells {
    let ci95 = rating.and_then(|rating| rating.ci95);
    let text = rating.zip(ci95).map_or("-".to_owned(), |(Rating { elo, .. }, [low, high])| {
        format!("{:+.0} ± {:.0}", elo.round() + 0.0, (high - low) / 2.0)
    });
    let [low, high] = bounds(ci95);
    cells(text, [optional(rating.map(|rating| rating.elo)), low, high])
}

fn ms(us: u64) -> Cells {
    cells(numbers::ms(us), [us])
}

/// Formats the ends of an interval for CSV.
pub(super) fn bounds(ci95: Option<[f64; 2]>) -> [String; 2] {
    [0, 1].map(|side| optional(ci95.map(|ci95| ci95[side])))
}

/// Formats a number for CSV, or an empty cell.
pub(super) fn optional(number: Option<impl ToString>) -> String {
    number.map_or(String::new(), |number| number.to_string())
}
