//! Plays a bundled bot alone at Patchwork Doodle, and prints its scores and thinking times.
//!
//! `cargo lab --release --example solo -- greedy 1000` plays the deals of seeds 0 to 999 with the
//! standard cards. `--seed N` starts from another seed. `--time-ms N` and `--nodes N` set the budget for a
//! move.
//!
//! The name of a search bot may carry settings: `master,ways=2,horizon=8` (see `bots::doodle::Settings`).
//! Everything runs in one thread of one process, so that only the bot is timed. Times are CPU time if the
//! system reports it.

mod measure;

use std::process::ExitCode;
use std::sync::Arc;

use bots::doodle::{Searcher, Settings};
use bots::{Bundled, Place, Strategy};
use engine::doodle::{Doodle, Equipment};
use engine::game::Game;

use measure::{Clock, entrant, interval, mean, quantile};

const USAGE: &str = "usage: solo BOT DEALS [--seed N] [--time-ms N] [--nodes N]";

fn main() -> ExitCode {
    let job = match Job::read(std::env::args().skip(1)) {
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
        play(&job, &equipment, seed, &clock, &mut results);
    }
    results.print(&job, clock.name());
    ExitCode::SUCCESS
}

/// The parsed command line.
struct Job {
    text: String,
    bot: &'static Bundled,
    settings: Option<Settings>,
    deals: u64,
    first_seed: u64,
    time_ms: u64,
    nodes: Option<u64>,
}

impl Job {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Job, String> {
        let number = |text: &str| text.parse().map_err(|_| format!("{text:?} is no number; {USAGE}"));
        let (mut named, mut first_seed, mut time_ms, mut nodes) = (Vec::new(), 0, 1000, None);
        while let Some(argument) = arguments.next() {
            let mut value = || number(&arguments.next().unwrap_or_default());
            match argument.as_str() {
                "--seed" => first_seed = value()?,
                "--time-ms" => time_ms = value()?,
                "--nodes" => nodes = Some(value()?),
                _ => named.push(argument),
            }
        }
        let [text, deals] = &named[..] else { return Err(USAGE.to_owned()) };
        let (name, numbers) = text.split_once(',').map_or((&**text, None), |(name, rest)| (name, Some(rest)));
        let (bot, settings) = entrant(name, numbers, Settings::set)?;
        match number(deals)? {
            0 => Err(format!("at least one deal must be played; {USAGE}")),
            deals => Ok(Job { text: text.clone(), bot, settings, deals, first_seed, time_ms, nodes }),
        }
    }
}

/// Plays one deal to its end.
fn play(job: &Job, equipment: &Arc<Equipment>, seed: u64, clock: &Clock, results: &mut Results) {
    let deal = Doodle::deal(equipment, 1, seed).expect("one seat can always play");
    let mut game = Doodle::new(equipment, &deal).expect("the deal was just made for this deck");
    let place = Place { equipment: Arc::clone(equipment), seat: 0, seats: 1, seed, nodes: job.nodes };
    let mut strategy: Box<dyn Strategy<Doodle>> = match job.settings {
        Some(settings) => Box::new(Searcher::new(place, settings)),
        None => (job.bot.doodle)(place),
    };
    while game.owes(0) {
        let observation = game.observe(0);
        let before = clock.micros();
        let action = strategy.choose(&observation, job.time_ms);
        results.move_micros.push(clock.micros() - before);
        game.play(0, &action).unwrap_or_else(|reason| panic!("seed {seed}: {reason}"));
    }
    results.scores.push(f64::from(game.outcome().scores[0]));
}

/// Scores and times of all games.
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
        println!("{}, {} deals, seeds {} to {last_seed}", job.text, job.deals, job.first_seed);
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
