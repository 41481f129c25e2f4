//! Tunes the parameters of Patchwork rollouts by random search.
//!
//! `cargo run --release -p bench --example tune -- 600 --seed 1` tries 600 random changes of the parameters.
//! Each one plays rollouts of whole matches, against the start parameters and against itself, on new deals. A
//! change is kept if it beats the best parameters so far by the sum of its margin against the start and its
//! score against itself. The program prints each kept change, and at the end the result on deals that no
//! change used.

use std::process::ExitCode;

use bots::patchwork::{Settings, play_out};
use engine::game::Game;
use engine::patchwork::{Equipment, Patchwork};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const USAGE: &str = "usage: tune CHANGES [--seed N]";
/// The tuned parameters, with the largest change in one step.
const NUMBERS: [(&str, f32); 7] = [
    ("cell", 0.4),
    ("time", 0.4),
    ("haste", 0.4),
    ("early", 0.4),
    ("income", 0.4),
    ("beside", 0.2),
    ("always", 1.0),
];
/// The probability that a step changes a parameter.
const CHANGED: f32 = 0.4;
/// The deals of a first test, and of a second test for changes that pass the first.
const DEALS: [u64; 2] = [150, 700];
/// The gain required in the second test, in points.
const BETTER: f64 = 0.05;
/// The seeds of the final test. Changes use seeds above these.
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

/// Returns the merit of parameters: the margin against others, plus the score with both seats alike.
fn merit(own: &Settings, other: &Settings, deals: std::ops::Range<u64>) -> f64 {
    margin(own, other, deals.clone()) + own_score(own, deals)
}

/// Returns the mean margin against other parameters. Each deal is played in both seats.
fn margin(own: &Settings, other: &Settings, deals: std::ops::Range<u64>) -> f64 {
    let count = deals.end - deals.start;
    let points = |deal: u64| {
        let [first, second] = scores([own, other], deal);
        let [third, fourth] = scores([other, own], deal);
        first - second + fourth - third
    };
    deals.map(points).sum::<f64>() / (2 * count) as f64
}

/// Returns the mean score of both seats with the same parameters.
fn own_score(own: &Settings, deals: std::ops::Range<u64>) -> f64 {
    let count = deals.end - deals.start;
    deals.map(|deal| scores([own; 2], deal).iter().sum::<f64>()).sum::<f64>() / (2 * count) as f64
}

/// Returns the scores of a rollout of this deal, by seat.
fn scores(settings: [&Settings; 2], seed: u64) -> [f64; 2] {
    let equipment = std::sync::Arc::new(Equipment::standard());
    let deal = Patchwork::deal(&equipment, 2, seed).expect("two seats can always play");
    let game = Patchwork::new(&equipment, &deal).expect("the deal was just made for these patches");
    let mut position = *game.position();
    play_out(&mut position, game.table(), settings, &mut ChaCha8Rng::seed_from_u64(seed));
    position.players().map(|player| f64::from(player.score()))
}
