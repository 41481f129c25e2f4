//! `arena tournament`: a plan from options and league file, a run, the tables.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::league::League;
use crate::bot::Host;
use crate::cli::{Seats, TournamentArgs, TournamentOptions};
use crate::entrants::{Entrant, Identity, check_distinct, preflight};
use crate::error::{Error, ErrorKind};
use crate::games::{GameName, Playable, RulesOptions, equip};
use crate::plan::{Plan, ScheduleName, TournamentFile, cores};
use crate::report::output::{print, say};
use crate::report::progress::Progress;
use crate::report::tables::{Format, render};
use crate::schedule::{RoundRobin, Schedule};
use crate::seeds::{check_seed, fresh_seed};
use crate::stop::{Level, Stop};
use crate::tournament::{Finished, Tournament};

/// Deals of a tournament unless the user says otherwise.
const ROUNDS_DEFAULT: u64 = 100;
/// Where tournaments land unless the user says otherwise.
const RESULTS: &str = "results";

pub(super) fn run(args: TournamentArgs) -> Result<(), Error> {
    let league = args.league.as_deref().map(League::read).transpose()?.unwrap_or_default();
    let request = Request::new(args, league)?;
    match request.settings.game.unwrap_or_default() {
        GameName::Doodle => request.run::<engine::doodle::Doodle>(),
        GameName::Patchwork => request.run::<engine::patchwork::Patchwork>(),
    }
}

/// Options and league file in one.
struct Request {
    settings: TournamentOptions,
    limits: crate::cli::LimitOptions,
    rules: RulesOptions,
    entrants: Vec<Entrant>,
    skip_broken: bool,
    keep_stderr: bool,
    quiet: bool,
}

impl Request {
    fn new(args: TournamentArgs, league: League) -> Result<Request, Error> {
        let entrants: Result<Vec<Entrant>, Error> = match (args.bots.is_empty(), league.bots.is_empty()) {
            (false, _) => args.bots.iter().map(|text| Entrant::parse(text)).collect(),
            (true, false) => league.bots.iter().map(Entrant::new).collect(),
            (true, true) => Entrant::bundled(),
        };
        let (given, file) = (args.settings, league.tournament);
        let settings = TournamentOptions {
            game: given.game.or(file.game),
            rounds: given.rounds.or(file.rounds),
            seats: given.seats.or(file.seats),
            seed: given.seed.or(file.seed),
            jobs: given.jobs.or(file.jobs),
            out: given.out.or(file.out),
        };
        let rules = args.rules.or(league.rules);
        let limits = args.limits.or(league.limits);
        let mut entrants = entrants?;
        for entrant in &mut entrants {
            entrant.command.limits.memory_bytes_max = limits.memory;
        }
        let TournamentArgs { skip_broken, keep_stderr, quiet, .. } = args;
        Ok(Request { settings, limits, rules, entrants, skip_broken, keep_stderr, quiet })
    }

    fn run<G: Playable>(mut self) -> Result<(), Error> {
        let equipment = Arc::new(equip::<G>(&self.rules)?);
        let seed = check_seed(self.settings.seed.unwrap_or_else(fresh_seed))?;
        let seats = self.seats::<G>(&equipment, seed)?;
        let rounds = positive("--rounds", self.settings.rounds.unwrap_or(ROUNDS_DEFAULT))?;
        let simultaneous = if G::SIMULTANEOUS { seats } else { 1 };
        let jobs = match self.settings.jobs {
            Some(jobs) => positive("--jobs", jobs as u64)? as usize,
            None => (cores() / simultaneous).max(1),
        };
        if jobs * simultaneous > cores() && jobs > 1 {
            say(&format!(
                "note: {jobs} matches at a time let {} bots think on {} cores; they may be late through no fault of their own",
                jobs * simultaneous,
                cores()
            ));
        }
        let time = self.limits.time_control();
        let out = free_out(self.settings.out.as_deref(), G::NAME)?;
        let host = Host::new().raise_open_files();
        let bots = self.preflight(&host, time.startup)?;
        let seats = if self.settings.seats == Some(Seats::All) { bots.len() } else { seats };
        if bots.len() < seats {
            return Err(Error::usage(format!(
                "{seats} seats need {seats} bots, and {} can start",
                bots.len()
            )));
        }
        std::fs::create_dir_all(&out).map_err(|error| Error::unwritable(&out, &error))?;
        let plan = Plan {
            game: G::NAME.to_owned(),
            schedule: ScheduleName::RoundRobin,
            seed,
            rounds,
            seats,
            limits: time,
            memory_bytes: self.limits.memory,
            bots,
            setup: G::setup(&equipment).clone(),
        };
        let file = TournamentFile::new(plan);
        let tournament =
            Tournament::<G> { file, equipment, entrants: self.entrants, host, keep_stderr: self.keep_stderr };
        play(&tournament, &out, jobs, self.quiet)
    }

    /// Starts every bot once; leaves out those that cannot, if that was asked for.
    fn preflight(&mut self, host: &Host, limit: Duration) -> Result<Vec<Identity>, Error> {
        let outcomes = super::block_on(preflight(&mut self.entrants, host, limit))?;
        let mut identities = Vec::new();
        let mut kept = Vec::new();
        for (entrant, outcome) in self.entrants.drain(..).zip(outcomes) {
            match outcome {
                Ok(identity) => {
                    identities.push(identity);
                    kept.push(entrant);
                }
                Err(error) if self.skip_broken && error.kind() == ErrorKind::Usage => {
                    say(&format!("left out: {}", error.message()));
                }
                Err(error) => return Err(error),
            }
        }
        self.entrants = kept;
        check_distinct(&self.entrants)?;
        Ok(identities)
    }

    /// Seats at a table: as asked for, as far as bots and cards allow.
    fn seats<G: Playable>(&self, equipment: &G::Equipment, seed: u64) -> Result<usize, Error> {
        let bots = self.entrants.len();
        let seats = match self.settings.seats {
            Some(Seats::Count(seats)) => seats,
            Some(Seats::All) => bots,
            None => G::SEATS_DEFAULT,
        };
        if seats > bots {
            let hint = match bots {
                1 => "name more bots with --bot, or let it play alone with --seats 1",
                _ => "name more bots with --bot, or fewer --seats",
            };
            return Err(
                Error::usage(format!("{seats} seats need {seats} bots, there {}", are(bots))).hint(hint)
            );
        }
        let playable = G::deal(equipment, seats, seed).map(|_| seats);
        playable.map_err(|error| Error::usage(error.to_string()).hint("choose another number with --seats"))
    }
}

fn are(count: usize) -> String {
    if count == 1 { "is 1".to_owned() } else { format!("are {count}") }
}

fn positive(option: &str, value: u64) -> Result<u64, Error> {
    match value {
        0 => Err(Error::usage(format!("{option} is 0: it must be at least 1"))),
        _ => Ok(value),
    }
}

/// The directory of the tournament: the one asked for, which must be empty or not there, or the
/// next free one.
fn free_out(asked: Option<&Path>, game: &str) -> Result<PathBuf, Error> {
    let path = match asked {
        Some(path) => path.to_owned(),
        None => next_free(game),
    };
    match std::fs::read_dir(&path).map(Iterator::count) {
        Ok(1..) => Err(Error::usage(format!("{} is there already and not empty", path.display()))
            .hint("choose another directory with --out, or remove this one")),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::usage(format!("cannot use {} for results: {error}", path.display()))
                .hint("choose another directory with --out"))
        }
        _ => Ok(path),
    }
}

fn next_free(game: &str) -> PathBuf {
    let path = |number: u64| Path::new(RESULTS).join(format!("{game}-{number}"));
    (1..).map(path).find(|path| !path.exists()).expect("numbers do not run out")
}

fn play<G: Playable>(tournament: &Tournament<G>, out: &Path, jobs: usize, quiet: bool) -> Result<(), Error> {
    let plan = &tournament.file.plan;
    let total = RoundRobin::new(plan.bots.len(), plan.seats, plan.rounds, G::EVERY_SEAT_EACH_DEAL).total();
    say(&format!(
        "{}: {} bots, {total} matches of {} on {} deals, seed {}, {jobs} at a time, into {}",
        G::NAME,
        plan.bots.len(),
        seats(plan.seats),
        plan.rounds,
        plan.seed,
        out.display()
    ));
    let stop = Stop::default();
    stop.listen(|level| match level {
        Level::Finish => say("finishing the running matches; press Ctrl-C again to drop them"),
        _ => say("stopping now"),
    })?;
    let progress = Progress::new(total, quiet);
    let finished = tournament.run(out, jobs, &stop, |tally| progress.show(tally.matches(), tally.leader()));
    progress.clear();
    let Finished { standings, total } = finished?;
    if standings.matches < total {
        return Err(Error::interrupted(format!(
            "{} of {total} matches are in {}",
            standings.matches,
            out.display()
        ))
        .hint(format!("see them with: arena standings {}", out.display())));
    }
    print(&render(&standings, Format::Table))?;
    say(&format!("records and tables are in {}", out.display()));
    Ok(())
}

fn seats(count: usize) -> String {
    if count == 1 { "1 seat".to_owned() } else { format!("{count} seats") }
}
