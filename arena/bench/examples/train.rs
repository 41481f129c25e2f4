//! Trains the values of the bundled bots, and writes their parameters.
//!
//! `cargo lab --release --example train -- sheets 300000 bots/rust/src/doodle/learned.bin` starts
//! untrained, plays 300,000 deals, and learns from each, with a falling learning rate. Then `train -- glances
//! 6000 bots/rust/src/doodle/glances.bin`, built with these parameters, trains the fast evaluation for move
//! ordering. `train -- positions 800000 bots/rust/src/patchwork/learned.bin` trains the value of Patchwork on all cores.
//! The same number of deals gives the same file. The program prints its progress.

use std::fs;
use std::process::ExitCode;
use std::sync::Arc;

use bots::doodle::{Distiller, Learned, Pace, Pupil};
use bots::patchwork;
use engine::doodle::Equipment;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const USAGE: &str = "usage: train sheets|glances|positions DEALS FILE";
/// The first seed of the training deals, far from the deals of published results.
const FIRST_SEED: u64 = 10_000_000;
/// Test deals that training does not use.
const LAST_DEALS: std::ops::Range<u64> = 900_000..901_000;
/// The learning rates at the start and at the end.
const PACES: [Pace; 2] = [
    Pace { windows: 0.03, networks: 0.01, is_sparing: false },
    Pace { windows: 0.0006, networks: 0.0002, is_sparing: false },
];
/// The share of the deals in which only the networks learn. In these deals, special actions are saved for
/// scorings.
const BEGINNING: f32 = 0.1;
/// The learning rates of the fast evaluation at the start and at the end. An update learns from hundreds of
/// sheets that share most of their windows.
const GLANCE_PACES: [f32; 2] = [0.05, 0.01];
/// The learning rates of Patchwork at the start and at the end, one move ahead and with a search.
const POSITION_RATES: [f32; 2] = [0.002, 0.00005];
const SEARCHED_RATES: [f32; 2] = [0.0008, 0.00005];
/// The part of the deals that are played again with a search, and its evaluations.
const SEARCHED_SHARE: u64 = 8;
const SEARCHED_NODES: u64 = 150;
/// The number of progress reports; the file is written at each.
const REPORTS: u64 = 40;

fn main() -> ExitCode {
    match trained(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn trained(arguments: Vec<String>) -> Result<(), String> {
    let [what, deals, file] = &arguments[..] else { return Err(USAGE.into()) };
    let deals = deals.parse().map_err(|_| format!("{deals:?} is no number of deals; {USAGE}"))?;
    let write = |bytes: Vec<u8>| fs::write(file, bytes).map_err(|error| format!("{file}: {error}"));
    match what.as_str() {
        "sheets" => sheets(deals, write),
        "glances" => glances(deals, write),
        "positions" => positions(deals, write),
        _ => Err(format!("{what:?} cannot be learned; {USAGE}")),
    }
}

fn sheets(deals: u64, write: impl Fn(Vec<u8>) -> Result<(), String>) -> Result<(), String> {
    let equipment = Equipment::standard();
    let mut chance = ChaCha8Rng::seed_from_u64(0);
    let mut pupil = Pupil::new(&equipment, Learned::nothing(|| chance.random()));
    let mut report = Report::new(deals, "mean of the last ones");
    for deal in 0..deals {
        let score = pupil.study(FIRST_SEED + deal, pace(deal as f32 / deals as f32));
        if report.add(score.into()) {
            write(pupil.learned().to_bytes())?;
        }
    }
    let count = (LAST_DEALS.end - LAST_DEALS.start) as f64;
    let total: i32 = LAST_DEALS.map(|seed| pupil.play(seed)).sum();
    println!("deals that nothing was learned from: {:.2}", f64::from(total) / count);
    Ok(())
}

fn glances(deals: u64, write: impl Fn(Vec<u8>) -> Result<(), String>) -> Result<(), String> {
    let equipment = Equipment::standard();
    let mut distiller = Distiller::new(&equipment);
    let mut report = Report::new(deals, "points missed a turn in the last ones");
    for deal in 0..deals {
        let [first, last] = GLANCE_PACES;
        let pace = between(first, last, deal as f32 / deals as f32);
        if report.add(distiller.study(FIRST_SEED + deal, pace).into()) {
            write(distiller.to_bytes())?;
        }
    }
    Ok(())
}

/// Plays the deals with two learning rates that fall, first one move ahead, then a few with a small search.
fn positions(deals: u64, write: impl Fn(Vec<u8>) -> Result<(), String>) -> Result<(), String> {
    let equipment = Arc::new(engine::patchwork::Equipment::standard());
    let mut chance = ChaCha8Rng::seed_from_u64(0);
    let mut pupil = patchwork::Pupil::new(equipment, patchwork::Net::untrained(|| chance.random()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    for (deals, rates, random, search, seed) in [
        (deals, POSITION_RATES, [0.1, 0.03], None, FIRST_SEED),
        (deals / SEARCHED_SHARE, SEARCHED_RATES, [0.05, 0.05], Some(SEARCHED_NODES), 2 * FIRST_SEED),
    ] {
        let batches = deals.div_ceil(patchwork::BATCH);
        let mut report = Report::new(batches, "mean score in the last ones");
        for batch in 0..batches {
            let share = batch as f32 / batches as f32;
            let random = random[0] + (random[1] - random[0]) * share;
            let pace = patchwork::Pace { rate: sunk(rates, share), random, search };
            let score = pupil.study(seed + batch * patchwork::BATCH, pace, threads);
            if report.add(score) {
                write(pupil.net().to_bytes())?;
            }
        }
    }
    Ok(())
}

/// Returns the rate after this share of the deals: it halves in equal steps, which all machines compute alike.
fn sunk([first, last]: [f32; 2], share: f32) -> f32 {
    let mut rate = first;
    let halvings = (0..).take_while(|times| first / (1_u32 << times) as f32 > last).count();
    let passed = share * halvings as f32;
    (0..passed as u32).for_each(|_| rate /= 2.0);
    rate * (1.0 - 0.5 * passed.fract())
}

/// Returns the learning rates after this share of the deals. Windows do not learn before `BEGINNING` has
/// passed.
fn pace(share: f32) -> Pace {
    let [first, last] = PACES;
    let is_sparing = share < BEGINNING;
    let windows = if is_sparing { 0.0 } else { between(first.windows, last.windows, share) };
    Pace { windows, networks: between(first.networks, last.networks, share), is_sparing }
}

/// Interpolates geometrically from `first` to `last`.
fn between(first: f32, last: f32, share: f32) -> f32 {
    first * (last / first).powf(share)
}

/// Prints mean results during training.
struct Report {
    deals: u64,
    of: &'static str,
    done: u64,
    sum: f64,
    count: u32,
}

impl Report {
    fn new(deals: u64, of: &'static str) -> Report {
        Report { deals, of, done: 0, sum: 0.0, count: 0 }
    }

    /// Adds the result of a deal. Returns true if it printed the mean, which happens at regular intervals and
    /// at the end.
    fn add(&mut self, result: f64) -> bool {
        self.done += 1;
        self.sum += result;
        self.count += 1;
        let every = self.deals.div_ceil(REPORTS).max(1);
        let is_due = self.done.is_multiple_of(every) || self.done == self.deals;
        if is_due {
            println!("{} deals, {} {:.4}", self.done, self.of, self.sum / f64::from(self.count));
            (self.sum, self.count) = (0.0, 0);
        }
        is_due
    }
}
