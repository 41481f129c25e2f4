//! Rows as comma-separated values.

use serde::Serialize;

use tournament::replay::selection::{MatchRow, deal_number};
use tournament::report::sheet::Sheet;

/// A seat of a match, as a row of CSV.
#[derive(Serialize)]
struct SeatLine<'a> {
    #[serde(rename = "match")]
    index: u64,
    deal: u64,
    seat: usize,
    bot: &'a str,
    score: i32,
    rank: u32,
    fault: &'a str,
    fault_id: Option<u32>,
    decisions: u64,
    time_us: u64,
    time_us_max: u64,
    slow: u64,
}

fn of_seats(row: &MatchRow) -> impl Iterator<Item = SeatLine<'_>> {
    row.seats.iter().enumerate().map(|(seat, it)| SeatLine {
        index: row.index,
        deal: deal_number(row.round),
        seat,
        bot: &it.bot,
        score: it.score,
        rank: it.rank,
        fault: it.fault.as_ref().map_or("", |fault| fault.kind.as_str()),
        fault_id: it.fault.as_ref().map(|fault| fault.id),
        decisions: it.decisions,
        time_us: it.time_us,
        time_us_max: it.time_us_max,
        slow: it.slow,
    })
}

/// Returns matches as CSV, a row for each seat.
pub(crate) fn csv_of(rows: &[MatchRow]) -> String {
    Sheet::of(rows.iter().flat_map(of_seats)).csv()
}
