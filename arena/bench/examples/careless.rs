//! A slightly weaker copy of `greedy` that plays like `random` in some of its turns. It shows how well a
//! tournament separates two bots of nearly equal strength.
//!
//! Build it with `cargo build --release -p bench --example careless`. Then `--bot
//! careless='target/release/examples/careless 1'` plays 1 % of its turns at random.
use engine::wire::WireFormat;
use std::io::{stdin, stdout};
use std::process::ExitCode;
use std::sync::Arc;

use bots::{Bundled, Place, Strategy, find, run};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const CARELESS: Bundled = Bundled {
    name: "careless",
    about: "greedy, but for some turns at random",
    solitary: false,
    searches: false,
    doodle: |place| Box::new(Careless::new(place, |bot| bot.doodle)),
    patchwork: |place| Box::new(Careless::new(place, |bot| bot.patchwork)),
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

/// Plays like `greedy`, except for a share of random turns.
struct Careless<G: WireFormat> {
    greedy: Box<dyn Strategy<G>>,
    random: Box<dyn Strategy<G>>,
    lots: ChaCha8Rng,
    share: f64,
}

/// The constructor of a bundled bot's strategy.
type Maker<G> = fn(Place<G>) -> Box<dyn Strategy<G>>;

impl<G: WireFormat> Careless<G> {
    fn new(place: Place<G>, maker: fn(&Bundled) -> Maker<G>) -> Careless<G> {
        let Place { equipment, seat, seats, seed, nodes } = place;
        let strategy = |name: &str| {
            let place = Place { equipment: Arc::clone(&equipment), seat, seats, seed, nodes };
            maker(find(name).expect("a bundled bot"))(place)
        };
        Careless {
            greedy: strategy("greedy"),
            random: strategy("random"),
            lots: ChaCha8Rng::seed_from_u64(seed),
            share: carelessness().expect("looked at in the beginning"),
        }
    }
}

impl<G: WireFormat> Strategy<G> for Careless<G> {
    fn choose(&mut self, observation: &G::Observation, time_ms: u64) -> G::Action {
        let careless = self.lots.random_bool(self.share);
        let strategy = if careless { &mut self.random } else { &mut self.greedy };
        strategy.choose(observation, time_ms)
    }
}
