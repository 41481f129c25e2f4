//! Compares the arena with fastchess and c-chess-cli, tournament runners for chess engines, using bots that reply
//! at once. It measures the cost of a decision, of a game in fresh processes, of many games at once, and of the
//! end of a tournament.
//!
//! `cargo lab --release --example peers [FASTCHESS [ARENA [C_CHESS_CLI]]]` prints the table in
//! `docs/benchmarks.md`. Without arguments, the first two programs must be on the PATH. Without the last
//! argument, c-chess-cli is left out. `perf` must be installed too.
//!
//! The arena plays doodle with the bots of its benchmark. The others play games with the same number of
//! decisions; their engine is this program, which knows one game by heart. The runners alternate, and all write
//! all moves to a file.

mod engine;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use bench::instant::INSTANT_ARG;
use bench::prepared::{Answers, DECISIONS, SEED};
use sandbox::cores;

/// The first argument that selects the engine mode of this program.
const ENGINE_ARG: &str = "engine";
/// The number of runs per runner and load.
const REPEATS: usize = 5;
/// The interval between checks of whether a runner has ended, and of its memory.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The text of a drawn game in a file of games.
const DRAWN: &str = "[Result \"1/2-1/2\"]";

/// The program that counts processor time.
const PERF: &str = "perf";

type Start = dyn Fn(Load, &Path) -> Command;
type Outcome<T> = Result<T, Box<dyn Error>>;

/// A load of matches between two bots: the number of games, the concurrency (`None` for one per core), and
/// whether each game starts fresh processes.
#[derive(Clone, Copy)]
struct Load {
    games: u64,
    at_once: Option<u64>,
    fresh: bool,
}

const KEPT: Load = Load { games: 4_096, at_once: None, fresh: false };
const FRESH: Load = Load { games: 256, at_once: None, fresh: true };
const MANY: Load = Load { games: 4_096, at_once: Some(64), fresh: false };

/// A program that runs tournaments.
struct Runner {
    name: &'static str,
    /// The number of decisions in a game.
    decisions: u64,
    /// True if it can start fresh processes for each game.
    has_fresh: bool,
    /// Makes the command that leaves the results in a folder.
    command: Box<Start>,
    /// The file of games in that folder, and a text that it contains once per finished game.
    games: &'static str,
    proof: &'static str,
}

/// Measurements of a run.
struct Taken {
    /// The number of decisions.
    decisions: f64,
    /// Seconds from the start to the end of the last game, and from there to the end of the runner.
    games_s: f64,
    end_s: f64,
    /// Processor time of the runner and all its descendants, in seconds.
    core_s: f64,
    /// Peak memory of the runner itself, in KiB.
    peak_kib: f64,
}

fn main() -> Outcome<()> {
    bench::main_if_asked();
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|first| first == ENGINE_ARG) {
        return Ok(engine::play()?);
    }
    let [fastchess, arena] =
        [(0, "fastchess"), (1, "arena")].map(|(place, name)| args.get(place).map_or(name, String::as_str));
    let c_chess_cli = args.get(2).map(String::as_str);
    for program in [arena, fastchess, PERF].into_iter().chain(c_chess_cli) {
        if let Err(error) = Command::new(program).stdout(Stdio::null()).stderr(Stdio::null()).status() {
            println!("skipped: {program} cannot be started: {error}");
            return Ok(());
        }
    }
    let folder = tempfile::tempdir()?;
    let answers = Answers::prepare(folder.path(), KEPT.games.max(MANY.games), false)?;
    let mut runners = vec![arena_runner(arena, &answers), fastchess_runner(fastchess)?];
    runners.extend(c_chess_cli.map(c_chess_cli_runner).transpose()?);
    measure(&runners, folder.path())
}

/// Plays all loads and prints the table.
fn measure(runners: &[Runner], folder: &Path) -> Outcome<()> {
    let names: Vec<&str> = runners.iter().map(|runner| runner.name).collect();
    println!("| | {} |\n| --- |{}", names.join(" | "), " --- |".repeat(runners.len()));
    let kept = in_turns(runners, KEPT, folder)?;
    row("core time of a decision, bots kept alive, µs", &kept, |run| run.core_s / run.decisions * 1e6);
    row("decisions/s of wall time", &kept, |run| run.decisions / run.games_s);
    let fresh = in_turns(runners, FRESH, folder)?;
    row("core time of a game in fresh processes, ms", &fresh, |run| run.core_s / FRESH.games as f64 * 1e3);
    row("decisions/s of wall time", &fresh, |run| run.decisions / run.games_s);
    let many = in_turns(runners, MANY, folder)?;
    row("core time of a decision, 64 games at once, µs", &many, |run| run.core_s / run.decisions * 1e6);
    row("from the end of the last of them to the end of all, s", &many, |run| run.end_s);
    row("memory of the runner, as many games as cores, MiB", &kept, |run| run.peak_kib / 1024.0);
    row("memory of the runner, 64 games, MiB", &many, |run| run.peak_kib / 1024.0);
    Ok(())
}

/// The arena with its default settings.
fn arena_runner(program: &str, answers: &Answers) -> Runner {
    let own = std::env::current_exe().expect("this program has a file");
    let bot =
        shell_words::join([&own.display().to_string(), INSTANT_ARG, &answers.path().display().to_string()]);
    let program = program.to_owned();
    let command = move |load: Load, out: &Path| {
        let mut command = Command::new(&program);
        command.args(["tournament", "--quiet", "--out"]).arg(out);
        command.args(["--bot", &format!("one={bot}"), "--bot", &format!("two={bot}")]);
        command.args(["--seed", &SEED.to_string(), "--rounds", &load.games.to_string()]);
        command.args((!load.fresh).then_some("--reuse"));
        command.args(load.at_once.map(|jobs| format!("--jobs={jobs}")));
        command
    };
    let command = Box::new(command);
    let (games, proof) = ("matches.jsonl", "\"faults\":[null,null]");
    Runner { name: "arena", decisions: 2 * DECISIONS, has_fresh: true, command, games, proof }
}

/// Fastchess with its fastest settings: affinity if each game has a core, no interim ratings or saved state,
/// and moves in UCI notation.
fn fastchess_runner(program: &str) -> Outcome<Runner> {
    let engine = format!("cmd={}", std::env::current_exe()?.display());
    let program = program.to_owned();
    let command = move |load: Load, out: &Path| {
        let restart = if load.fresh { "on" } else { "off" };
        let place = if load.at_once.is_some() { "-force-concurrency" } else { "-use-affinity" };
        let at_once = load.at_once.unwrap_or(cores::given() as u64);
        let plain = format!(
            "-each tc=1000 args={ENGINE_ARG} restart={restart} {place} -concurrency {at_once} -rounds {} -games 2 \
             -maxmoves {DECISIONS} -ratinginterval 0 -autosaveinterval 0 -report penta=false \
             -pgnout notation=uci min=true",
            load.games / 2
        );
        let mut command = Command::new(&program);
        command.args(plain.split_whitespace()).arg(format!("file={}", out.join("games.pgn").display()));
        command.args(["-config", &format!("outname={}", out.join("config.json").display())]);
        command.args(["-engine", &engine, "name=one", "-engine", &engine, "name=two"]);
        command
    };
    let command = Box::new(command);
    let (games, proof) = ("games.pgn", DRAWN);
    Ok(Runner { name: "fastchess", decisions: 2 * DECISIONS, has_fresh: true, command, games, proof })
}

/// C-chess-cli, which ends a game as a draw before its last decision, and keeps its engines alive.
fn c_chess_cli_runner(program: &str) -> Outcome<Runner> {
    let engine = format!("cmd={} {ENGINE_ARG}", std::env::current_exe()?.display());
    let program = fs::canonicalize(program)?;
    let command = move |load: Load, out: &Path| {
        let at_once = load.at_once.unwrap_or(cores::given() as u64);
        let mut command = Command::new(&program);
        command.args(["-engine", &engine, "name=one", "-engine", &engine, "name=two", "-each", "tc=1000"]);
        let plain = format!(
            "-games {} -concurrency {at_once} -draw number={DECISIONS} count=1 score=5 -pgn {} 1",
            load.games,
            out.join("games.pgn").display()
        );
        command.args(plain.split_whitespace());
        command
    };
    let command = Box::new(command);
    let (name, decisions) = ("c-chess-cli", 2 * DECISIONS - 1);
    Ok(Runner { name, decisions, has_fresh: false, command, games: "games.pgn", proof: DRAWN })
}

/// Runs the runners alternately and returns their measurements, none of a runner that cannot play the load.
fn in_turns(runners: &[Runner], load: Load, folder: &Path) -> Outcome<Vec<Vec<Taken>>> {
    let mut taken: Vec<Vec<Taken>> = runners.iter().map(|_| Vec::new()).collect();
    for _ in 0..REPEATS {
        let able = runners.iter().zip(&mut taken).filter(|(runner, _)| runner.has_fresh || !load.fresh);
        for (runner, taken) in able {
            let out = tempfile::tempdir_in(folder)?;
            taken.push(run(runner, load, out.path())?);
        }
    }
    Ok(taken)
}

fn run(runner: &Runner, load: Load, out: &Path) -> Outcome<Taken> {
    let counts = tempfile::NamedTempFile::new()?;
    let mut command = counted(&(runner.command)(load, out), counts.path());
    let begin = SystemTime::now();
    let mut child = command.spawn()?;
    let mut peak_kib = 0.0;
    let status = loop {
        peak_kib = peak_kib_below(child.id()).unwrap_or(peak_kib);
        match child.try_wait()? {
            Some(status) => break status,
            None => std::thread::sleep(LOOK_EVERY),
        }
    };
    let end = SystemTime::now();
    let games = out.join(runner.games);
    let last_game = fs::metadata(&games)?.modified()?;
    let played = fs::read_to_string(games)?.matches(runner.proof).count();
    if !status.success() || played as u64 != load.games {
        return Err(format!("{played} of {} games, {status}: run it alone: {command:?}", load.games).into());
    }
    let games_s = last_game.duration_since(begin)?.as_secs_f64();
    Ok(Taken {
        decisions: (load.games * runner.decisions) as f64,
        games_s,
        end_s: end.duration_since(last_game)?.as_secs_f64(),
        core_s: core_s(counts.path())?,
        peak_kib,
    })
}

/// Wraps a command in `perf stat`, which counts processor time. The kernel's totals for waited-for children
/// would miss the bots: the arena exits without waiting for the process that has waited for the bots.
fn counted(command: &Command, into: &Path) -> Command {
    let mut perf = Command::new(PERF);
    perf.args(["stat", "-x,", "-e", "task-clock", "-o"]).arg(into).arg("--");
    perf.arg(command.get_program()).args(command.get_args()).stdout(Stdio::null()).stderr(Stdio::null());
    perf
}

/// Returns the counted processor time, in seconds.
fn core_s(counts: &Path) -> Outcome<f64> {
    let text = fs::read_to_string(counts)?;
    let line = text.lines().find(|line| line.contains("task-clock")).ok_or("perf counted nothing")?;
    let ms: f64 = line.split(',').next().unwrap_or(line).parse()?;
    Ok(ms / 1e3)
}

/// Returns the peak resident memory of the first child of this process, in KiB. `None` if the child has
/// ended.
fn peak_kib_below(process: u32) -> Option<f64> {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).ok()?;
    let status = fs::read_to_string(format!("/proc/{}/status", children.split_whitespace().next()?)).ok()?;
    status.lines().find(|line| line.starts_with("VmHWM"))?.split_whitespace().nth(1)?.parse().ok()
}

/// Prints a row of the table: the median, with the lowest and highest run.
fn row(name: &str, taken: &[Vec<Taken>], figure: impl Fn(&Taken) -> f64) {
    let cell = |runs: &Vec<Taken>| {
        if runs.is_empty() {
            return String::new();
        }
        let mut figures: Vec<f64> = runs.iter().map(&figure).collect();
        figures.sort_unstable_by(f64::total_cmp);
        let digits = if figures[0] < 100.0 { 2 } else { 0 };
        let [low, median, high] =
            [0, REPEATS / 2, REPEATS - 1].map(|place| format!("{:.digits$}", figures[place]));
        format!("{median} ({low} to {high})")
    };
    println!("| {name} | {} |", taken.iter().map(cell).collect::<Vec<_>>().join(" | "));
}
