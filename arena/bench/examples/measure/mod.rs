//! What the measuring programs share: a clock that counts processor time, means and quantiles.

use std::time::Instant;
use std::{fs, thread};

use bots::Bundled;

/// The mean of values, of which there is at least one.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// How far the mean may be off on either side, with a chance of 5 % that it is further; 0 for a
/// single value.
pub(crate) fn interval(values: &[f64]) -> f64 {
    let (middle, count) = (mean(values), values.len() as f64);
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    1.96 * (squares / (count - 1.0).max(1.0) / count).sqrt()
}

/// The value below which `share` of the sorted values lie.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

/// A bundled bot by its name, with other numbers than its own for its search: `NUMBER=VALUE,…`, each set
/// by `set`; `None` where there are none.
pub(crate) fn entrant<S: Default>(
    name: &str,
    numbers: Option<&str>,
    set: impl Fn(&mut S, &str, f32) -> Option<()>,
) -> Result<(&'static Bundled, Option<S>), String> {
    let bot = bots::find(name).ok_or_else(|| format!("there is no bundled bot {name:?}"))?;
    let mut settings = None;
    for part in numbers.into_iter().flat_map(|numbers| numbers.split(',')) {
        let pair = part.split_once('=');
        let is_set = pair.and_then(|(name, value)| {
            set(settings.get_or_insert_with(S::default), name, value.parse().ok()?)
        });
        is_set.ok_or_else(|| format!("{part:?} is no number of the search"))?;
    }
    Ok((bot, settings))
}

/// CPU time of this process as the Linux scheduler counts it, else the time on the wall.
pub(crate) enum Clock {
    Cpu,
    Wall(Instant),
}

impl Clock {
    /// Starts to count.
    pub(crate) fn start() -> Clock {
        if cpu_micros().is_some() { Clock::Cpu } else { Clock::Wall(Instant::now()) }
    }

    /// What is counted.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Clock::Cpu => "CPU time",
            Clock::Wall(_) => "wall time",
        }
    }

    /// Microseconds so far.
    pub(crate) fn micros(&self) -> f64 {
        match self {
            Clock::Cpu => cpu_micros().expect("the count was there at the start"),
            Clock::Wall(start) => start.elapsed().as_secs_f64() * 1e6,
        }
    }
}

/// Microseconds that this process ran. The kernel brings its count up to date when the thread gives
/// way, and only every few milliseconds otherwise.
fn cpu_micros() -> Option<f64> {
    thread::yield_now();
    let nanos: u64 = fs::read_to_string("/proc/self/schedstat").ok()?.split(' ').next()?.parse().ok()?;
    Some(nanos as f64 / 1000.0)
}
