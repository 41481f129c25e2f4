//! A slightly weaker copy of `greedy` that plays like `random` in some of its turns. It shows how well a
//! tournament separates two bots of nearly equal strength.
//!
//! Build it with `cargo lab --release --example careless`. Then `--bot
//! careless='target/release/examples/careless 1'` plays 1 % of its turns at random.

use std::io::{stdin, stdout};
use std::process::ExitCode;

use bots::{Bundled, Careless, run};

const CARELESS: Bundled = Bundled {
    name: "careless",
    about: "greedy, but for some turns at random",
    solitary: false,
    by_default: false,
    plays_any_game: false,
    nodes: None,
    doodle: |place| {
        Box::new(Careless::new(place, carelessness().expect("checked at the start"), |bot| bot.doodle))
    },
    patchwork: |place| {
        Box::new(Careless::new(place, carelessness().expect("checked at the start"), |bot| bot.patchwork))
    },
};

fn main() -> ExitCode {
    if carelessness().is_none() {
        eprintln!("usage: careless PERCENT");
        return ExitCode::from(2);
    }
    match run(&CARELESS, None, stdin().lock(), stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the share of random turns from the command line. `None` if it is missing or not a percentage.
fn carelessness() -> Option<f64> {
    let percent: f64 = std::env::args().nth(1)?.parse().ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
}
