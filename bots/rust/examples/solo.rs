//! Plays a bundled bot alone at Patchwork Doodle and prints how it scores and how long it thinks.
//!
//! `cargo run --release -p bots --example solo -- greedy 1000` plays the deals of seeds 0 to 999
//! with the standard cards; `--seed N` starts from another seed. All in one process and thread, so
//! that nothing but the bot is timed. Times are CPU time where the system tells it.

mod measure;

use std::process::ExitCode;
use std::sync::Arc;

use bots::{Bundled, Place};
use engine::doodle::{Doodle, Equipment};
use engine::game::Game;

use measure::{Clock, interval, mean, quantile};

const USAGE: &str = "usage: solo BOT DEALS [--seed N]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let job = match Job::read(&arguments) {
        Ok(job) => job,
        Err(reason) => {
            eprintln!("{reason}");
            return ExitCode::FAILURE;
        }
    };
    let mut results = Results { scores: Vec::new(), move_micros: Vec::new() };
    let equipment = Arc::new(Equipment::standard());
    let clock = Clock::start();
    for seed in job.first_seed..job.first_seed + job.deals {
        play(job.bot, &equipment, seed, &clock, &mut results);
    }
    results.print(&job, clock.name());
    ExitCode::SUCCESS
}

/// What the command line asks for.
struct Job {
    bot: &'static Bundled,
    deals: u64,
    first_seed: u64,
}

impl Job {
    fn read(arguments: &[String]) -> Result<Job, String> {
        let number = |text: &str| text.parse().map_err(|_| format!("{text:?} is no number; {USAGE}"));
        let texts: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (bot, deals, seed) = match texts[..] {
            [bot, deals] => (bot, deals, "0"),
            [bot, deals, "--seed", seed] | ["--seed", seed, bot, deals] => (bot, deals, seed),
            _ => return Err(USAGE.to_owned()),
        };
        let bot = bots::find(bot).ok_or_else(|| format!("there is no bundled bot {bot:?}"))?;
        let (deals, first_seed) = (number(deals)?, number(seed)?);
        match deals {
            0 => Err(format!("at least one deal must be played; {USAGE}")),
            _ => Ok(Job { bot, deals, first_seed }),
        }
    }
}

/// Plays one deal to its end.
fn play(bot: &Bundled, equipment: &Arc<Equipment>, seed: u64, clock: &Clock, results: &mut Results) {
    let deal = Doodle::deal(equipment, 1, seed).expect("one seat can always play");
    let mut game = Doodle::new(equipment, &deal).expect("the deal was just made for this deck");
    let mut strategy =
        (bot.doodle)(Place { equipment: Arc::clone(equipment), seat: 0, seats: 1, seed, nodes: None });
    while game.owes(0) {
        let observation = game.observe(0);
        let before = clock.micros();
        let action = strategy.choose(&observation, u64::MAX);
        results.move_micros.push(clock.micros() - before);
        game.play(0, &action).unwrap_or_else(|reason| panic!("seed {seed}: {reason}"));
    }
    results.scores.push(f64::from(game.outcome().scores[0]));
}

/// Scores and times of everything played.
struct Results {
    scores: Vec<f64>,
    move_micros: Vec<f64>,
}

impl Results {
    fn print(&mut self, job: &Job, clock: &str) {
        let interval = interval(&self.scores);
        let average = mean(&self.scores);
        self.scores.sort_by(f64::total_cmp);
        self.move_micros.sort_by(f64::total_cmp);
        let (scores, times) = (&self.scores, &self.move_micros);
        let last_seed = job.first_seed + job.deals - 1;
        println!("{}, {} deals, seeds {} to {last_seed}", job.bot.name, job.deals, job.first_seed);
        println!("mean     {average:.2}, 95 % interval {interval:.2} either way");
        println!("min      {}", quantile(scores, 0.0));
        println!("median   {}", quantile(scores, 0.5));
        println!("max      {}", quantile(scores, 1.0));
        println!(
            "{clock} a move: mean {:.3} ms, 99 % {:.3} ms, max {:.3} ms",
            mean(times) / 1000.0,
            quantile(times, 0.99) / 1000.0,
            quantile(times, 1.0) / 1000.0
        );
    }
}
