//! Numbers in cells.

use std::time::Duration;

/// Formats microseconds as milliseconds with two, one, or no decimals, depending on the size.
pub(super) fn ms(us: u64) -> String {
    let ms = Duration::from_micros(us).as_secs_f64() * 1e3;
    match ms {
        _ if ms < 10.0 => format!("{ms:.2}"),
        _ if ms < 100.0 => format!("{ms:.1}"),
        _ => format!("{ms:.0}"),
    }
}

pub(super) fn interval(bounds: Option<[f64; 2]>) -> String {
    bounds.map_or("-".to_owned(), |[low, high]| format!("{low:.2} to {high:.2}"))
}
