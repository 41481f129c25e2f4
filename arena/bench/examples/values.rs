//! Compares the values of the coach with what comes of them: plays positions on many times, and prints how far the values
//! and the losses are off.
//!
//! `cargo lab --release --example values -- patchwork 60 200 --seed 900000` takes one decision from each of 60 matches, by
//! turns of `planner` and of `amateur`, from the first decisions to the last ones. The coach judges the move that was
//! played. Then `planner` plays on 200 times for all seats after that move and after the best one: at doodle with other
//! cards and rolls, at Patchwork, where nothing is hidden, with other numbers of nodes around its own. A line of JSON for
//! each position goes to stdout, the summary to stderr. `--nodes N` is the budget of the coach.

#[expect(dead_code, reason = "other programs need the rest of it")]
mod measure;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use bots::{Bundled, Coach, Compared, Maker, Place, Strategy};
use engine::doodle::Doodle;
use engine::game::{Game, Seat, Setup, first_pending};
use engine::patchwork::Patchwork;

use measure::{interval, mean};

const USAGE: &str = "usage: values GAME POSITIONS CONTINUATIONS [--seed N] [--nodes N]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((game, job)) = Job::read(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    match game.as_str() {
        "doodle" => job.run::<Doodle>(1, 18, |bot| bot.doodle, |scores, _| scores[0]),
        "patchwork" => {
            job.run::<Patchwork>(2, 42, |bot| bot.patchwork, |scores, seat| scores[seat] - scores[1 - seat])
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// What to measure.
struct Job {
    positions: usize,
    continuations: u64,
    seed: u64,
    nodes: Option<u64>,
}

/// A position that was played on.
#[derive(serde::Serialize)]
struct Played {
    seed: u64,
    decision: u32,
    /// What the coach says of the move, in points.
    value: f64,
    value_error: f64,
    loss: f64,
    error: f64,
    /// What came of it: the mean, and half of its interval.
    outcome: [f64; 2],
    /// What came of the best move beyond it. Absent for the same move.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<[f64; 2]>,
}

impl Job {
    fn read(arguments: &[String]) -> Option<(String, Job)> {
        let (named, options) = arguments.split_at_checked(3)?;
        let mut job = Job {
            positions: named[1].parse().ok()?,
            continuations: named[2].parse().ok()?,
            seed: 900_000,
            nodes: None,
        };
        for option in options.chunks(2) {
            let [name, value] = option else { return None };
            match name.as_str() {
                "--seed" => job.seed = value.parse().ok()?,
                "--nodes" => job.nodes = Some(value.parse().ok()?),
                _ => return None,
            }
        }
        Some((named[0].clone(), job))
    }

    fn run<G: Coach>(
        &self,
        seats: usize,
        decisions: usize,
        maker: fn(&Bundled) -> Maker<G>,
        points: fn(&[i32], Seat) -> i32,
    ) {
        let equipment = Arc::new(G::equip(&G::Setup::default().in_full()).expect("the standard components"));
        let table = Table { equipment, seats, maker, points };
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.positions {
                    return done;
                }
                done.push((number, self.played(&table, number, number * decisions / self.positions)));
            }
        };
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let mut all: Vec<(usize, Played)> = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
        });
        all.sort_by_key(|(number, _)| *number);
        let all: Vec<Played> = all.into_iter().map(|(_, played)| played).collect();
        for played in &all {
            println!("{}", serde_json::to_string(played).expect("plain data"));
        }
        summary(&all);
    }

    /// Plays a match up to a decision, or to an earlier one if the match is shorter, judges the move, and plays on.
    fn played<G: Coach>(&self, table: &Table<G>, number: usize, decision: usize) -> Played {
        let seed = self.seed + number as u64;
        let deal = G::deal(&table.equipment, table.seats, seed).expect("standard components");
        let mut game = G::new(&table.equipment, &deal).expect("it was just dealt");
        let name = ["planner", "amateur"][number % 2];
        let mut bots = table.bots(name, seed, |_| None);
        let mut moves: Vec<(Seat, G::Action, u32)> = Vec::new();
        while let Some(seat) = first_pending(&game).filter(|_| moves.len() <= decision) {
            let action = bots[seat].choose(&game.observe(seat), 3_600_000);
            moves.push((seat, action.clone(), game.decision()));
            game.play(seat, &action).expect("a legal move");
        }
        let (seat, own, id) = moves.pop().expect("a match has a decision");
        let mut game = G::new(&table.equipment, &deal).expect("as before");
        for (seat, action, _) in &moves {
            game.play(*seat, action).expect("as before");
        }
        let nodes = self.nodes.unwrap_or(G::NODES);
        let (best, compared) = G::advise(&table.equipment, &game.observe(seat), seat, &own, nodes, seed);
        let after = |action: &G::Action| -> Vec<f64> {
            (0..self.continuations)
                .map(|future| {
                    let deal = G::redeal(&table.equipment, &G::revealed(&deal, id), seed ^ future << 32);
                    let mut game = G::new(&table.equipment, &deal).expect("a deal that goes on");
                    for (seat, action, _) in &moves {
                        game.play(*seat, action).expect("as before");
                    }
                    game.play(seat, action).expect("a legal move");
                    f64::from(table.play_on(game, seat, future, self.continuations))
                })
                .collect()
        };
        let outcomes = after(&own);
        let lost = (best != own).then(|| {
            let better = after(&best);
            let more: Vec<f64> = better.iter().zip(&outcomes).map(|(better, own)| better - own).collect();
            [mean(&more), interval(&more)]
        });
        let outcome = [mean(&outcomes), interval(&outcomes)];
        let Compared { value, value_error, loss, error } = compared;
        Played { seed, decision: id, value, value_error, loss, error, outcome, lost }
    }
}

/// A game with what sits down to it.
struct Table<G: Game> {
    equipment: Arc<G::Equipment>,
    seats: usize,
    maker: fn(&Bundled) -> Maker<G>,
    /// The points of a seat.
    points: fn(&[i32], Seat) -> i32,
}

impl<G: Game> Table<G> {
    fn bots(&self, name: &str, seed: u64, nodes: impl Fn(Seat) -> Option<u64>) -> Vec<Box<dyn Strategy<G>>> {
        let bot = bots::find(name).expect("a bundled bot");
        let place = |seat| Place {
            equipment: Arc::clone(&self.equipment),
            seat,
            seats: self.seats,
            seed: seed << 4 | seat as u64,
            nodes: nodes(seat).or(bot.nodes.map(|nodes| nodes[self.seats - 1])),
        };
        (0..self.seats).map(|seat| (self.maker)(bot)(place(seat))).collect()
    }

    /// Plays to the end. Where nothing is hidden, the numbers of nodes make the futures differ.
    fn play_on(&self, mut game: G, seat: Seat, future: u64, futures: u64) -> i32 {
        let planner = bots::find("planner").and_then(|bot| bot.nodes).expect("it has them")[self.seats - 1];
        let nodes = |seat| {
            let part = if seat == 0 { future } else { future * 7 % futures };
            (self.seats > 1).then(|| (planner as f64 / 2.0 * 4f64.powf(part as f64 / futures as f64)) as u64)
        };
        let mut bots = self.bots("planner", future, nodes);
        while let Some(seat) = first_pending(&game) {
            let action = bots[seat].choose(&game.observe(seat), 3_600_000);
            game.play(seat, &action).expect("a legal move");
        }
        (self.points)(&game.outcome().scores, seat)
    }
}

fn summary(all: &[Played]) {
    let rows = |part: &[&Played], name: &str| {
        if part.is_empty() {
            return;
        }
        let off: Vec<f64> = part.iter().map(|one| one.outcome[0] - one.value).collect();
        let held = part
            .iter()
            .zip(&off)
            .filter(|(one, off)| off.abs() <= one.outcome[1].hypot(1.96 * one.value_error));
        let squares = mean(&off.iter().map(|off| off * off).collect::<Vec<_>>()).sqrt();
        eprintln!(
            "{name}: {} values, outcomes higher by {:.2} ± {:.2}, root mean square {squares:.2}, within {}",
            part.len(),
            mean(&off),
            interval(&off),
            held.count()
        );
        let lost: Vec<(&&Played, [f64; 2])> = part.iter().filter_map(|one| Some((one, one.lost?))).collect();
        if lost.is_empty() {
            return;
        }
        let off: Vec<f64> = lost.iter().map(|(one, lost)| lost[0] - one.loss).collect();
        let held =
            lost.iter().filter(|(one, lost)| (lost[0] - one.loss).abs() <= lost[1].hypot(1.96 * one.error));
        let squares = mean(&off.iter().map(|off| off * off).collect::<Vec<_>>()).sqrt();
        eprintln!(
            "{name}: {} losses, {:.2} on average, {:.2} played on; difference {:.2} ± {:.2}, root mean square {squares:.2}, within {}",
            lost.len(),
            mean(&lost.iter().map(|(one, _)| one.loss).collect::<Vec<_>>()),
            mean(&lost.iter().map(|(_, lost)| lost[0]).collect::<Vec<_>>()),
            mean(&off),
            interval(&off),
            held.count()
        );
    };
    let everything: Vec<&Played> = all.iter().collect();
    for (name, part) in
        ["opening", "middle", "end"].iter().zip(everything.chunks(all.len().div_ceil(3).max(1)))
    {
        rows(part, name);
    }
    rows(&everything, "all");
}
