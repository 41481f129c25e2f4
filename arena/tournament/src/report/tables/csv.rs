//! Standings for spreadsheets.

use engine::wire::FaultKind;

use super::columns::{Column, bounds, optional};
use crate::report::sheet::Sheet;
use crate::standings::{Row, Standings};

/// The columns that come after all others, in this order.
const LAST: [&str; 4] = ["tier", "ranks", "elo", "elo-played"];
/// The heads of the cells of [`ahead`].
const AHEAD: &str = "ahead,ahead_ci95_low,ahead_ci95_high,better,more_deals";

/// Writes the table of all bots as CSV, with a head line.
pub(super) fn csv(standings: &Standings) -> String {
    let mut columns = Column::ALL;
    columns.sort_by_key(|column| LAST.iter().position(|name| *name == column.name));
    let heads: Vec<String> =
        columns.iter().flat_map(|column| heads(column.csv)).chain(heads(AHEAD)).collect();
    let cells =
        |row: &Row| columns.iter().flat_map(|column| (column.cells)(row).1).chain(ahead(row)).collect();
    Sheet::new([heads].into_iter().chain(standings.rows.iter().map(cells))).csv()
}

fn heads(csv: &str) -> Vec<String> {
    match csv.strip_suffix('*') {
        Some(prefix) => FaultKind::ALL.map(|kind| format!("{prefix}{kind}")).into(),
        None => csv.split(',').map(str::to_owned).collect(),
    }
}

/// Returns the comparison with the next row, which is no column of the other formats.
fn ahead(row: &Row) -> [String; 5] {
    let [low, high] = bounds(row.next.and_then(|next| next.ahead_ci95));
    let better = optional(row.next.and_then(|next| next.better));
    let more_deals = optional(row.next.and_then(|next| next.more_deals));
    [optional(row.next.map(|next| next.ahead)), low, high, better, more_deals]
}
