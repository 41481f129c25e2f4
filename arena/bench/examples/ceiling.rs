//! Estimates the highest possible score at Patchwork Doodle, by a clairvoyant player who knows all cards and
//! rolls.
//!
//! `cargo lab --release --example ceiling -- 300 40 700000` plays 40 deals with the standard cards,
//! from seed 700000 on, with a beam of 300 states. Wider beams come closer to the optimum.

#[expect(dead_code, reason = "only means are wanted here")]
mod measure;

use std::process::ExitCode;

use bots::doodle::foreseen;
use engine::doodle::Equipment;

use measure::{interval, mean};

const USAGE: &str = "usage: ceiling WAYS DEALS SEED";

fn main() -> ExitCode {
    let numbers: Result<Vec<u64>, _> = std::env::args().skip(1).map(|text| text.parse()).collect();
    let (ways, deals, first_seed) = match numbers.as_deref() {
        Ok(&[ways, deals, first_seed]) if ways > 0 && deals > 0 => (ways, deals, first_seed),
        _ => {
            eprintln!("{USAGE}, whole numbers, the first two from 1");
            return ExitCode::FAILURE;
        }
    };
    let equipment = Equipment::standard();
    let score = |seed: u64| f64::from(foreseen(&equipment, seed, ways as usize));
    let scores: Vec<f64> = (first_seed..first_seed + deals).map(score).collect();
    println!("{ways} ways, {deals} deals from seed {first_seed}");
    println!("mean     {:.2}, 95 % interval {:.2} either way", mean(&scores), interval(&scores));
    ExitCode::SUCCESS
}
