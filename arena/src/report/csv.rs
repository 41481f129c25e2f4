//! Rows as comma-separated values.

use serde::Serialize;

use referee::error::Error;
use sandbox::text;
use tournament::replay::selection::{MatchRow, deal_number};

/// A seat of a match, as a row of CSV.
#[derive(Serialize)]
struct SeatLine<'a> {
    #[serde(rename = "match")]
    index: u64,
    deal: u64,
    seat: usize,
    bot: String,
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
        bot: text::spreadsheet(&it.bot),
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
pub(crate) fn csv_of(rows: &[MatchRow]) -> Result<String, Error> {
    csv(rows.iter().flat_map(of_seats))
}

pub(crate) fn csv(rows: impl Iterator<Item = impl Serialize>) -> Result<String, Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(|error| Error::host(error.to_string()))?;
    }
    text_of(writer)
}

pub(crate) fn text_of(writer: csv::Writer<Vec<u8>>) -> Result<String, Error> {
    let bytes = writer.into_inner().map_err(|error| Error::host(error.to_string()))?;
    Ok(String::from_utf8(bytes).expect("all cells are text"))
}
