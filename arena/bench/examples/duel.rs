//! Plays two bundled bots against each other at Patchwork, and prints their scores and thinking times.
//!
//! `cargo lab --release --example duel -- greedy random 500` plays the deals of seeds 0 to 499 with
//! the standard components, each twice with swapped seats. `--seed N` starts from another seed, and
//! `--revised` selects the later board. Everything runs in one thread of one process, so that only the bots
//! are timed. Times are CPU time if the system reports it.
//!
//! The name of a search bot may carry a budget: `master@2000` searches 2000 nodes per move, `master@200ms`
//! searches for 200 ms. Settings may follow: `master@2000,explore=1.5,noise=2` (see
//! `bots::patchwork::Settings`).

mod measure;

use std::process::ExitCode;
use std::sync::Arc;

use bots::patchwork::{Searcher, Settings};
use bots::{Bundled, Place, Strategy};
use engine::game::{Game, Seat};
use engine::patchwork::{Equipment, Leather, Patchwork, PatchworkSetup, Rules};

use measure::{Clock, entrant, interval, mean, quantile};

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
        results.margins.push(pair.iter().map(|(_, margin)| margin).sum::<f64>() / 2.0);
        results.wins.push(pair.iter().map(|(won, _)| won).sum::<f64>() / 2.0);
    }
    results.print(&job, clock.name());
    ExitCode::SUCCESS
}

/// The parsed command line.
struct Job {
    bots: [Entrant; 2],
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
        let setup = PatchworkSetup { rules, ..PatchworkSetup::default() };
        let equipment = Arc::new(Equipment::new(&setup).map_err(|error| error.to_string())?);
        match number(deals)? {
            0 => Err(format!("at least one deal must be played; {USAGE}")),
            deals => {
                Ok(Job { bots: [Entrant::read(bot)?, Entrant::read(other)?], deals, first_seed, equipment })
            }
        }
    }
}

/// A bot with its budget and settings.
struct Entrant {
    /// The text from the command line.
    text: String,
    bot: &'static Bundled,
    nodes: Option<u64>,
    time_ms: u64,
    /// Settings of the search, if they differ from the defaults.
    settings: Option<Settings>,
}

impl Entrant {
    fn read(text: &str) -> Result<Entrant, String> {
        let (word, numbers) = text.split_once(',').map_or((text, None), |(word, rest)| (word, Some(rest)));
        let (name, budget) = word.split_once('@').unwrap_or((word, ""));
        let (bot, settings) = entrant(name, numbers, Settings::set)?;
        let number = |text: &str| text.parse().map_err(|_| format!("{text:?} is no budget"));
        let (nodes, time_ms) = match (budget, budget.strip_suffix("ms")) {
            ("", _) => (None, 1000),
            (_, Some(time)) => (None, number(time)?),
            (nodes, None) => (Some(number(nodes)?), 0),
        };
        Ok(Entrant { text: text.to_owned(), bot, nodes, time_ms, settings })
    }

    fn sit_down(&self, place: Place<Patchwork>) -> Box<dyn Strategy<Patchwork>> {
        let place = Place { nodes: self.nodes, ..place };
        match self.settings {
            Some(settings) => Box::new(Searcher::new(place, settings)),
            None => (self.bot.patchwork)(place),
        }
    }
}

/// Plays one deal with the first bot in `seat`. Returns its win as 0 or 1, and its margin in points.
fn play(job: &Job, seed: u64, seat: Seat, clock: &Clock, results: &mut Results) -> (f64, f64) {
    let equipment = &job.equipment;
    let deal = Patchwork::deal(equipment, 2, seed).expect("two seats can always play");
    let mut game = Patchwork::new(equipment, &deal).expect("the deal was just made for these patches");
    // Maps a seat to its bot. A bot gets different seeds in the two games of a deal.
    let sits = |place: Seat| place ^ seat;
    let mut strategies: [Box<dyn Strategy<Patchwork>>; 2] = [0, 1].map(|place| {
        let (equipment, seed) = (Arc::clone(equipment), 2 * seed + place as u64);
        job.bots[sits(place)].sit_down(Place { equipment, seat: place, seats: 2, seed, nodes: None })
    });
    while let Some(place) = game.to_move() {
        let observation = game.observe(place);
        let before = clock.micros();
        let action = strategies[place].choose(&observation, job.bots[sits(place)].time_ms);
        results.micros[sits(place)].push(clock.micros() - before);
        game.play(place, &action).unwrap_or_else(|reason| panic!("seed {seed}: {reason}"));
    }
    let outcome = game.outcome();
    let [own, other] = [seat, 1 - seat].map(|place| f64::from(outcome.scores[place]));
    results.scores[0].push(own);
    results.scores[1].push(other);
    (f64::from(u8::from(outcome.ranks[seat] == 1)), own - other)
}

/// Scores and times of all games. In pairs, the first bot comes first.
#[derive(Default)]
struct Results {
    /// For each deal, the share of its two games that the first bot won.
    wins: Vec<f64>,
    scores: [Vec<f64>; 2],
    /// For each deal, the mean of its two margins.
    margins: Vec<f64>,
    micros: [Vec<f64>; 2],
}

impl Results {
    fn print(&mut self, job: &Job, clock: &str) {
        let [bot, other] = job.bots.each_ref().map(|bot| &bot.text);
        let last_seed = job.first_seed + job.deals - 1;
        let games = 2 * self.wins.len();
        println!("{bot} and {other}, {games} games, seeds {} to {last_seed}", job.first_seed);
        let (wins, either_way) = (100.0 * mean(&self.wins), 100.0 * interval(&self.wins));
        println!("wins     {wins:.1} %, 95 % interval {either_way:.1} either way, on pairs");
        println!("scores   {:.2} and {:.2}", mean(&self.scores[0]), mean(&self.scores[1]));
        let lowest =
            self.scores.each_ref().map(|scores| scores.iter().copied().fold(f64::INFINITY, f64::min));
        println!("lowest   {} and {}", lowest[0], lowest[1]);
        let (margin, interval) = (mean(&self.margins), interval(&self.margins));
        println!("margin   {margin:.2}, 95 % interval {interval:.2} either way, on pairs");
        for (name, micros) in [bot, other].iter().zip(&mut self.micros) {
            micros.sort_by(f64::total_cmp);
            println!(
                "{clock} a move, {name}: mean {:.3} ms, median {:.3} ms, 99 % {:.3} ms, max {:.3} ms",
                mean(micros) / 1000.0,
                quantile(micros, 0.5) / 1000.0,
                quantile(micros, 0.99) / 1000.0,
                quantile(micros, 1.0) / 1000.0
            );
        }
    }
}
