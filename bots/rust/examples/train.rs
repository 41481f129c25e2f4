//! Learns from play what a sheet of Patchwork Doodle is worth, and writes the numbers for the bundled bots.
//!
//! `cargo run --release -p bots --example train -- 300000 bots/rust/src/doodle/learned.bin` begins with nothing, plays
//! so many deals and learns from each, more slowly towards the end. The same number gives the same file. Prints the
//! mean scores on the way, and at the end that of deals from which nothing was learned.

use std::fs;
use std::process::ExitCode;

use bots::doodle::{Learned, Pace, Pupil};
use engine::doodle::Equipment;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const USAGE: &str = "usage: train DEALS FILE";
/// The first seed of the deals that are learned from: far from those that strength is reported on.
const FIRST_SEED: u64 = 10_000_000;
/// The deals of the end.
const LAST_DEALS: std::ops::Range<u64> = 900_000..901_000;
/// The pace at the beginning and at the end.
const PACES: [Pace; 2] = [
    Pace { windows: 0.03, networks: 0.01, is_sparing: false },
    Pace { windows: 0.0006, networks: 0.0002, is_sparing: false },
];
/// The share of the deals in which only the networks learn, and special actions are kept until a scoring.
const BEGINNING: f32 = 0.1;
/// How often the mean is printed and the file is written.
const REPORTS: u64 = 40;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [deals, file] = &arguments[..] else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let trained = match deals.parse() {
        Ok(deals) => train(deals, file),
        Err(_) => Err(format!("{deals:?} is no number of deals; {USAGE}")),
    };
    match trained {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn train(deals: u64, file: &str) -> Result<(), String> {
    let equipment = Equipment::standard();
    let mut chance = ChaCha8Rng::seed_from_u64(0);
    let mut pupil = Pupil::new(&equipment, Learned::nothing(|| chance.random()));
    let every = deals.div_ceil(REPORTS).max(1);
    let (mut sum, mut count) = (0, 0);
    for deal in 0..deals {
        sum += i64::from(pupil.study(FIRST_SEED + deal, pace(deal as f32 / deals as f32)));
        count += 1;
        if (deal + 1) % every == 0 || deal + 1 == deals {
            println!("{} deals, mean of the last ones {:.2}", deal + 1, sum as f64 / f64::from(count));
            (sum, count) = (0, 0);
            fs::write(file, pupil.learned().to_bytes()).map_err(|error| format!("{file}: {error}"))?;
        }
    }
    let count = (LAST_DEALS.end - LAST_DEALS.start) as f64;
    let total: i32 = LAST_DEALS.map(|seed| pupil.play(seed)).sum();
    println!("deals that nothing was learned from: {:.2}", f64::from(total) / count);
    Ok(())
}

/// The pace after this share of the deals: after the beginning it falls by the same factor in equal shares.
fn pace(share: f32) -> Pace {
    let [first, last] = PACES;
    let between = |first: f32, last: f32| first * (last / first).powf(share);
    let is_sparing = share < BEGINNING;
    let windows = if is_sparing { 0.0 } else { between(first.windows, last.windows) };
    Pace { windows, networks: between(first.networks, last.networks), is_sparing }
}
