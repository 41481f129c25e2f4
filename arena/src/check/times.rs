//! Statistics of a bot's times, and their formatting.

use super::report::Times;

/// Returns the median and the tail of these times. Returns `None` for an empty list.
pub(super) fn times_of(of: &str, mut us: Vec<u64>) -> Option<Times> {
    us.sort_unstable();
    let at = |share: usize| us.get((us.len() * share / 100).min(us.len().saturating_sub(1))).copied();
    let (median_us, p99_us, max_us) = (at(50)?, at(99)?, *us.last()?);
    Some(Times { of: of.to_owned(), count: us.len(), median_us, p99_us, max_us })
}

/// Formats microseconds in the most readable unit.
pub(super) fn shown_us(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..10_000 => format!("{:.1} ms", us as f64 / 1e3),
        10_000..1_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{:.1} s", us as f64 / 1e6),
    }
}
