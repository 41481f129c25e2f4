//! What the search of the bundled bots says of positions and of recorded matches. Nothing plays here.

use stats::{DealMeans, Estimate};

pub(crate) mod analysis;
pub(crate) mod decide;
pub(crate) mod suite;

/// Returns the mean of losses in points. Its error is that of independent losses.
pub(crate) fn mean(losses: impl IntoIterator<Item = f64>) -> Estimate {
    let mut means = DealMeans::default();
    losses.into_iter().for_each(|loss| means.add(loss, 1));
    means.estimate()
}

/// Returns a mean with half of its 95 % interval, in words. A single number has no interval.
pub(crate) fn with_interval(mean: &Estimate) -> String {
    match mean.half_width() {
        Some(half) => format!("{:.2} ± {half:.2}", mean.value),
        None => format!("{:.2}", mean.value),
    }
}
