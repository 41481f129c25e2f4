//! Measures the whole cost of a bot's turn as a multiple of the [floor](super::floor).

use std::path::Path;
use std::time::{Duration, Instant};

use engine::doodle::Doodle;

use crate::figure::Figure;
use crate::floor::Floor;
use crate::gate::Gate;
use crate::instant::SEATS;
use crate::prepared::{Answers, DECISIONS};
use referee::error::Error;
use sandbox::cores;
use sandbox::{Host, cpu_time, descendants, resident_bytes};
use tournament::journal::{JOURNAL, Journal};
use tournament::run::concurrency::Concurrency;
use tournament::run::solo_cache::SoloCache;
use tournament::run::stop::Stop;
use tournament::run::tournament::Tournament;
use tournament::run::worker::{self, Event, Events, Shared};

/// The maximum share of the core that other programs may use in a window that counts.
const OTHERS_MAX: f64 = 0.2;

/// The length and the number of measurement windows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Windows {
    pub(crate) length: Duration,
    pub(crate) count: usize,
    /// The maximum number of windows tried to get `count` undisturbed ones.
    pub(crate) tries: usize,
}

/// The measurements of a window of the floor and the following window of the arena.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// The processor time of a whole turn, and of the arena's part in it, in nanoseconds.
    turn_ns: f64,
    arena_ns: f64,
    /// The processor time of a round trip of the floor, in nanoseconds.
    trip_ns: f64,
    /// The larger share of the core that other programs used in either window.
    others: f64,
}

/// Measures `load` concurrent matches on one core.
///
/// The first figure is R, the ratio of a whole turn to the floor. The processor times of the turn, of the
/// arena's part, and of the floor follow. The last figures are the memory of the arena, and the time from the
/// last match to the end of all bots.
pub(crate) fn measure(
    answers: &Answers,
    host: &Host,
    out: &Path,
    load: usize,
    windows: Windows,
) -> Result<Vec<Figure>, Error> {
    let core = cores::allowed().first().copied().unwrap_or(0);
    cores::stay_on(&[core]);
    let mut floor = Floor::start().map_err(no_floor)?;
    let tournament: Tournament<Doodle> = answers.tournament(host, true)?;
    let concurrency = Concurrency { jobs: load, jobs_thinking: load, pin: true, alone: false };
    let games = SoloCache::new(out, load);
    let gate = Gate::new(answers.matches);
    let stop = Stop::default();
    std::thread::scope(|scope| {
        let arena = scope.spawn(|| {
            // The thread that waits at the gate must not wait after an error.
            let follow = |events| keep_journal(out, events, &gate).inspect_err(|_| gate.end());
            let shared = Shared { games: &games, live: None, stop: &stop };
            let played = worker::play_all(&tournament, &gate, shared, concurrency, follow);
            gate.end();
            played
        });
        let samples = sample(&gate, &mut floor, windows);
        let base = resident_bytes(&[std::process::id() as i32]);
        gate.end();
        let begin = Instant::now();
        arena.join().expect("workers do not panic")?;
        let mut figures = figures(samples?, load, windows.count);
        figures.push(Figure::new(name("memory of the arena", load), "KiB", vec![base as f64 / 1024.0]));
        let end = begin.elapsed().as_secs_f64();
        figures.push(Figure::new(name("end of the last match to end of all", load), "s", vec![end]));
        Ok(figures)
    })
}

fn no_floor(error: std::io::Error) -> Error {
    Error::host(format!("cannot measure the floor: {error}"))
}

fn name(what: &str, load: usize) -> String {
    format!("{what}, {load} at once")
}

/// Measures alternating windows of the floor and of the arena.
fn sample(gate: &Gate, floor: &mut Floor, windows: Windows) -> Result<Vec<Sample>, Error> {
    gate.open_for(windows.length); // the first matches start the bots
    let counted = Counted::now();
    let mut samples = Vec::new();
    let is_good = |sample: &&Sample| sample.others <= OTHERS_MAX;
    while samples.len() < windows.tries && samples.iter().filter(is_good).count() < windows.count {
        let (trip_ns, others) = floor.measure(windows.length).map_err(no_floor)?;
        let before = counted.used();
        let begin = Instant::now();
        let matches = gate.open_for(windows.length);
        if matches == 0 {
            break; // the workers failed; joining them returns the error
        }
        let wall = begin.elapsed();
        let after = counted.used();
        let [own, bots] = [0, 1].map(|part| after[part].saturating_sub(before[part]));
        let others = others.max(1.0 - (own + bots).as_secs_f64() / wall.as_secs_f64());
        let ns = |time: Duration| time.as_secs_f64() * 1e9 / (matches * SEATS as u64 * DECISIONS) as f64;
        samples.push(Sample { turn_ns: ns(own + bots), arena_ns: ns(own), trip_ns, others });
    }
    Ok(samples)
}

/// Computes the figures from the undisturbed windows. Without any, uses the least disturbed ones.
fn figures(mut samples: Vec<Sample>, load: usize, count: usize) -> Vec<Figure> {
    let all = samples.len();
    samples.sort_by(|one, other| one.others.total_cmp(&other.others));
    let good = samples.iter().filter(|sample| sample.others <= OTHERS_MAX).count();
    samples.truncate(if good > 0 { good } else { count });
    let figure = |what: &str, unit, of: fn(&Sample) -> f64| Figure {
        disturbed: all - good,
        ..Figure::new(name(what, load), unit, samples.iter().map(of).collect())
    };
    if samples.is_empty() {
        return Vec::new();
    }
    vec![
        figure("R, a turn over the floor", "", |sample| sample.turn_ns / sample.trip_ns),
        figure("processor time of a turn", "ns", |sample| sample.turn_ns),
        figure("the arena's part of it", "ns", |sample| sample.arena_ns),
        figure("the floor", "ns", |sample| sample.trip_ns),
    ]
}

/// Writes records as the owner of a tournament does, without computing tables.
fn keep_journal(out: &Path, mut events: Events, gate: &Gate) -> Result<(), Error> {
    let mut journal = Journal::open(out.join(JOURNAL), 0)?;
    let (mut batch, mut lines) = (Vec::new(), Vec::new());
    while worker::receive(&mut events, &mut batch) {
        lines.clear();
        let matches = batch.len() as u64;
        for event in batch.drain(..) {
            match event {
                Event::Played(one) if one.summary.result.faults.iter().all(Option::is_none) => {
                    lines.extend(one.line);
                }
                Event::Played(one) => {
                    return Err(Error::host(format!(
                        "an instant bot failed: {:?}",
                        one.summary.turns.last()
                    )));
                }
                Event::Failed(error) => return Err(error),
            }
        }
        journal.append(&lines)?;
        gate.count(matches);
    }
    Ok(())
}

/// The processes whose processor time counts: this process and all its descendants.
struct Counted {
    own: i32,
    others: Vec<i32>,
}

impl Counted {
    /// Lists the running processes. Reading `/proc` costs as much as many turns, so the list serves for all
    /// windows.
    fn now() -> Counted {
        let own = std::process::id() as i32;
        Counted { own, others: descendants(own) }
    }

    /// Returns the processor time of this process and of its descendants so far.
    fn used(&self) -> [Duration; 2] {
        [cpu_time(self.own).unwrap_or_default(), self.others.iter().filter_map(|&pid| cpu_time(pid)).sum()]
    }
}
