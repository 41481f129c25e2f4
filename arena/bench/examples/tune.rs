//! Looks for better numbers for the quick games of Patchwork.
//!
//! `cargo run --release -p bench --example tune -- 600 --seed 1` changes some of the numbers at random,
//! plays whole matches between quick games' two sides, one with the changed numbers and one with those
//! it started from, and keeps what scores more against the other and with both sides alike; so many times.
//! Each change is met on deals of its own. Prints what is kept, and at the end how it does on deals
//! that nothing was tried on.

use std::process::ExitCode;

use bots::patchwork::{Settings, play_out};
use engine::game::Game;
use engine::patchwork::{Equipment, Patchwork};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const USAGE: &str = "usage: tune CHANGES [--seed N]";
/// The numbers that are changed, with how far one step may take them.
const NUMBERS: [(&str, f32); 7] = [
    ("cell", 0.4),
    ("time", 0.4),
    ("haste", 0.4),
    ("early", 0.4),
    ("income", 0.4),
    ("beside", 0.2),
    ("always", 1.0),
];
/// How often one of them is changed in a step.
const CHANGED: f32 = 0.4;
/// Deals that a change is tried on, and more where it does well on those.
const DEALS: [u64; 2] = [150, 700];
/// By how much it has to be better then, in points.
const BETTER: f64 = 0.05;
/// The first seed of the deals that are played in the end; those of the changes are beyond them.
const LAST_DEALS: std::ops::Range<u64> = 0..4000;

fn main() -> ExitCode {
    match read(std::env::args().skip(1)) {
        Ok((changes, seed)) => {
            tune(changes, seed);
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn read(mut arguments: impl Iterator<Item = String>) -> Result<(u64, u64), String> {
    let number = |text: &str| text.parse().map_err(|_| format!("{text:?} is no number; {USAGE}"));
    let (mut changes, mut seed) = (None, 1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seed" => seed = number(&arguments.next().unwrap_or_default())?,
            _ => changes = Some(number(&argument)?),
        }
    }
    Ok((changes.ok_or(USAGE)?, seed))
}

fn tune(changes: u64, seed: u64) {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let start = Settings::default();
    let mut best = start;
    for change in 0..changes {
        let tried = changed(best, &mut chance);
        let first = LAST_DEALS.end + change * DEALS.iter().sum::<u64>();
        let gain =
            |deals: std::ops::Range<u64>| merit(&tried, &start, deals.clone()) - merit(&best, &start, deals);
        let [few, more] = DEALS;
        if gain(first..first + few) > 0.0 && gain(first + few..first + few + more) > BETTER {
            best = tried;
            println!("{change}: {best:?}");
        }
    }
    let against = margin(&best, &start, LAST_DEALS);
    let [before, after] = [start, best].map(|settings| own_score(&settings, LAST_DEALS));
    println!(
        "against the numbers before: {against:+.2} points; alike on both sides {before:.2} then {after:.2}"
    );
}

fn changed(mut settings: Settings, chance: &mut ChaCha8Rng) -> Settings {
    for (name, step) in NUMBERS {
        let [whether, way] = [(); 2].map(|()| chance.random::<f32>());
        if whether < CHANGED {
            let value = settings.get(name).expect("a number of the search");
            settings.set(name, value + step * (2.0 * way - 1.0)).expect("a number of the search");
        }
    }
    settings
}

/// How good numbers are: by how much they beat others, and what both sides score with them.
fn merit(own: &Settings, other: &Settings, deals: std::ops::Range<u64>) -> f64 {
    margin(own, other, deals.clone()) + own_score(own, deals)
}

/// The mean margin over others, each deal in both seats.
fn margin(own: &Settings, other: &Settings, deals: std::ops::Range<u64>) -> f64 {
    let count = deals.end - deals.start;
    let points = |deal: u64| {
        let [first, second] = scores([own, other], deal);
        let [third, fourth] = scores([other, own], deal);
        first - second + fourth - third
    };
    deals.map(points).sum::<f64>() / (2 * count) as f64
}

/// The mean score of both sides.
fn own_score(own: &Settings, deals: std::ops::Range<u64>) -> f64 {
    let count = deals.end - deals.start;
    deals.map(|deal| scores([own; 2], deal).iter().sum::<f64>()).sum::<f64>() / (2 * count) as f64
}

/// The scores of a quick game on this deal, by seat.
fn scores(settings: [&Settings; 2], seed: u64) -> [f64; 2] {
    let equipment = std::sync::Arc::new(Equipment::standard());
    let deal = Patchwork::deal(&equipment, 2, seed).expect("two seats can always play");
    let game = Patchwork::new(&equipment, &deal).expect("the deal was just made for these patches");
    let mut position = *game.position();
    play_out(&mut position, game.table(), settings, &mut ChaCha8Rng::seed_from_u64(seed));
    position.players().map(|player| f64::from(player.score()))
}
