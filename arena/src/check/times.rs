//! Times of a bot, and how they are shown.

use super::report::Times;

/// Median and tail of these times; none if there are none.
pub(super) fn times_of(of: &str, mut us: Vec<u64>) -> Option<Times> {
    us.sort_unstable();
    let at = |share: usize| us.get((us.len() * share / 100).min(us.len().saturating_sub(1))).copied();
    let (median_us, p99_us, max_us) = (at(50)?, at(99)?, *us.last()?);
    Some(Times { of: of.to_owned(), count: us.len(), median_us, p99_us, max_us })
}

/// Microseconds in the unit that reads best.
pub(super) fn shown_us(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..10_000 => format!("{:.1} ms", us as f64 / 1e3),
        10_000..1_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{:.1} s", us as f64 / 1e6),
    }
}
