//! Shared parts of the measuring programs: a clock of processor time, bots with settings, means, and
//! quantiles.

use std::time::Instant;
use std::{fs, thread};

use bots::Bundled;

/// Returns the mean of one or more values.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the half-width of the 95 % interval of the mean; 0 for a single value.
pub(crate) fn interval(values: &[f64]) -> f64 {
    let (middle, count) = (mean(values), values.len() as f64);
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    1.96 * (squares / (count - 1.0).max(1.0) / count).sqrt()
}

/// Returns the quantile of sorted values at `share`, from 0 to 1.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

/// Returns a bundled bot by name, with the settings in `numbers`, if any. Their format is `NAME=VALUE,…`;
/// `set` applies each of them.
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

/// The CPU time of this process, as counted by the Linux scheduler. Wall time if the count is unavailable.
pub(crate) enum Clock {
    Cpu,
    Wall(Instant),
}

impl Clock {
    /// Starts the clock.
    pub(crate) fn start() -> Clock {
        if cpu_micros().is_some() { Clock::Cpu } else { Clock::Wall(Instant::now()) }
    }

    /// Returns the name of the measured quantity.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Clock::Cpu => "CPU time",
            Clock::Wall(_) => "wall time",
        }
    }

    /// Returns a reading in microseconds. Only differences between readings are meaningful.
    pub(crate) fn micros(&self) -> f64 {
        match self {
            Clock::Cpu => cpu_micros().expect("the count was there at the start"),
            Clock::Wall(start) => start.elapsed().as_secs_f64() * 1e6,
        }
    }
}

/// Returns the run time of this process in microseconds. Yielding makes the kernel update its count, which
/// otherwise happens only every few milliseconds.
fn cpu_micros() -> Option<f64> {
    thread::yield_now();
    let nanos: u64 = fs::read_to_string("/proc/self/schedstat").ok()?.split(' ').next()?.parse().ok()?;
    Some(nanos as f64 / 1000.0)
}
