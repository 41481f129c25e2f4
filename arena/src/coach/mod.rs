//! What the search of the bundled bots says of positions and of recorded matches. Nothing plays here.

use std::sync::atomic::{AtomicUsize, Ordering};

use stats::{DealMeans, Estimate};

pub(crate) mod analysis;
pub(crate) mod decide;
pub(crate) mod suite;

/// Returns the results of all items in their order, computed on several threads.
pub(crate) fn on_threads<I: Sync, O: Send>(
    items: &[I],
    threads: usize,
    work: impl Fn(&I) -> O + Sync,
) -> Vec<O> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { return done };
            done.push((place, work(item)));
        }
    };
    let mut done = std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(take)).collect();
        let mut done = take();
        helpers.into_iter().for_each(|helper| done.extend(helper.join().expect("no search fails")));
        done
    });
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

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
