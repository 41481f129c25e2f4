//! Plays a bundled bot alone at Patchwork Doodle and prints how it scores and how long it thinks.
//!
//! `cargo run --release -p bots --example solo -- greedy 1000` plays the deals of seeds 0 to 999
//! with the standard cards; `--seed N` starts from another seed. All in one process and thread, so
//! that nothing but the bot is timed. Times are CPU time where the system tells it.

use std::fs;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use bots::{Bundled, Place};
use engine::doodle::{Doodle, Equipment};
use engine::game::Game;

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
    let mut strategy = (bot.doodle)(Place { equipment: Arc::clone(equipment), seat: 0, seats: 1, seed });
    while game.owes(0) {
        let observation = game.observe(0);
        let before = clock.nanos();
        let action = strategy.choose(&observation, u64::MAX);
        results.move_micros.push((clock.nanos() - before) as f64 / 1000.0);
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
        let interval = 1.96 * (variance(&self.scores) / self.scores.len() as f64).sqrt();
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

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Variance of what the values are a sample of; 0 for a single value.
fn variance(values: &[f64]) -> f64 {
    let middle = mean(values);
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    squares / (values.len() as f64 - 1.0).max(1.0)
}

/// The value below which `share` of the sorted values lie.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

/// CPU time of this process as the Linux scheduler counts it, else the time on the wall.
enum Clock {
    Cpu,
    Wall(Instant),
}

impl Clock {
    fn start() -> Clock {
        if cpu_nanos().is_some() { Clock::Cpu } else { Clock::Wall(Instant::now()) }
    }

    fn name(&self) -> &'static str {
        match self {
            Clock::Cpu => "CPU time",
            Clock::Wall(_) => "wall time",
        }
    }

    fn nanos(&self) -> u64 {
        match self {
            Clock::Cpu => cpu_nanos().expect("the count was there at the start"),
            Clock::Wall(start) => start.elapsed().as_nanos() as u64,
        }
    }
}

/// Nanoseconds that this process ran. The kernel brings its count up to date when the thread gives
/// way, and only every few milliseconds otherwise.
fn cpu_nanos() -> Option<u64> {
    thread::yield_now();
    fs::read_to_string("/proc/self/schedstat").ok()?.split(' ').next()?.parse().ok()
}
