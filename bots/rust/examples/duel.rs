//! Plays two bundled bots at Patchwork against each other and prints how they score and how long
//! they think.
//!
//! `cargo run --release -p bots --example duel -- greedy random 500` plays the deals of seeds 0 to
//! 499 with the standard components, each twice with the seats swapped; `--seed N` starts from
//! another seed, `--revised` takes the later board. All in one process and thread, so that nothing
//! but the bots is timed. Times are CPU time where the system tells it.

mod measure;

use std::process::ExitCode;
use std::sync::Arc;

use bots::{Bundled, Place, Strategy};
use engine::game::{Game, Seat};
use engine::patchwork::{Equipment, Leather, Patchwork, PatchworkSetup, Rules};

use measure::{Clock, interval, mean, quantile};

const USAGE: &str = "usage: duel BOT OTHER DEALS [--seed N] [--revised]";

fn main() -> ExitCode {
    let job = match Job::read(std::env::args().skip(1)) {
        Ok(job) => job,
        Err(reason) => {
            eprintln!("{reason}");
            return ExitCode::FAILURE;
        }
    };
    let clock = Clock::start();
    let mut results = Results::default();
    for seed in job.first_seed..job.first_seed + job.deals {
        let pair = [0, 1].map(|seat| play(&job, seed, seat, &clock, &mut results));
        results.margins.push(pair.iter().sum::<f64>() / 2.0);
    }
    results.print(&job, clock.name());
    ExitCode::SUCCESS
}

/// What the command line asks for.
struct Job {
    bots: [&'static Bundled; 2],
    deals: u64,
    first_seed: u64,
    equipment: Arc<Equipment>,
}

impl Job {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Job, String> {
        let (mut named, mut first_seed, mut rules) = (Vec::new(), 0, Rules::default());
        let number = |text: &str| text.parse().map_err(|_| format!("{text:?} is no number; {USAGE}"));
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--seed" => first_seed = number(&arguments.next().unwrap_or_default())?,
                "--revised" => rules.leather = Leather::Revised,
                _ => named.push(argument),
            }
        }
        let [bot, other, deals] = &named[..] else { return Err(USAGE.to_owned()) };
        let find = |name: &str| bots::find(name).ok_or_else(|| format!("there is no bundled bot {name:?}"));
        let setup = PatchworkSetup { rules, ..PatchworkSetup::default() };
        let equipment = Arc::new(Equipment::new(&setup).map_err(|error| error.to_string())?);
        match number(deals)? {
            0 => Err(format!("at least one deal must be played; {USAGE}")),
            deals => Ok(Job { bots: [find(bot)?, find(other)?], deals, first_seed, equipment }),
        }
    }
}

/// Plays one deal to its end with the first bot in this seat; the margin by which it won.
fn play(job: &Job, seed: u64, seat: Seat, clock: &Clock, results: &mut Results) -> f64 {
    let equipment = &job.equipment;
    let deal = Patchwork::deal(equipment, 2, seed).expect("two seats can always play");
    let mut game = Patchwork::new(equipment, &deal).expect("the deal was just made for these patches");
    // Which bot sits where; each plays its two games of a deal with different chance.
    let sits = |place: Seat| place ^ seat;
    let mut strategies: [Box<dyn Strategy<Patchwork>>; 2] = [0, 1].map(|place| {
        let own = Place {
            equipment: Arc::clone(equipment),
            seat: place,
            seats: 2,
            seed: 2 * seed + place as u64,
            nodes: None,
        };
        (job.bots[sits(place)].patchwork)(own)
    });
    while let Some(place) = game.to_move() {
        let observation = game.observe(place);
        let before = clock.micros();
        let action = strategies[place].choose(&observation, u64::MAX);
        results.micros[sits(place)].push(clock.micros() - before);
        game.play(place, &action).unwrap_or_else(|reason| panic!("seed {seed}: {reason}"));
    }
    let outcome = game.outcome();
    let [own, other] = [seat, 1 - seat].map(|place| f64::from(outcome.scores[place]));
    results.wins.push(f64::from(u8::from(outcome.ranks[seat] == 1)));
    results.scores[0].push(own);
    results.scores[1].push(other);
    own - other
}

/// Scores and times of everything played; in pairs, the first bot comes first.
#[derive(Default)]
struct Results {
    wins: Vec<f64>,
    scores: [Vec<f64>; 2],
    /// For each deal the mean of its two margins.
    margins: Vec<f64>,
    micros: [Vec<f64>; 2],
}

impl Results {
    fn print(&mut self, job: &Job, clock: &str) {
        let [bot, other] = job.bots.map(|bot| bot.name);
        let last_seed = job.first_seed + job.deals - 1;
        let games = self.wins.len();
        println!("{bot} and {other}, {games} games, seeds {} to {last_seed}", job.first_seed);
        println!("wins     {:.1} %", 100.0 * mean(&self.wins));
        println!("scores   {:.2} and {:.2}", mean(&self.scores[0]), mean(&self.scores[1]));
        let (margin, interval) = (mean(&self.margins), interval(&self.margins));
        println!("margin   {margin:.2}, 95 % interval {interval:.2} either way, on pairs");
        for (name, micros) in [bot, other].iter().zip(&mut self.micros) {
            micros.sort_by(f64::total_cmp);
            println!(
                "{clock} a move, {name}: mean {:.3} ms, 99 % {:.3} ms, max {:.3} ms",
                mean(micros) / 1000.0,
                quantile(micros, 0.99) / 1000.0,
                quantile(micros, 1.0) / 1000.0
            );
        }
    }
}
