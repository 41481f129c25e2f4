//! What the user asked for: options over league file over the tournament that is resumed over
//! defaults, made into a tournament that can be played.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::args::{Seats, TournamentArgs, TournamentOptions};
use super::{game_in, out};
use crate::bot::Host;
use crate::commands::block_on;
use crate::commands::league::League;
use crate::commands::limits::LimitOptions;
use crate::entrants::{Entrant, Identity, check_distinct, preflight};
use crate::error::{Error, ErrorKind};
use crate::games::{GameName, Playable, RulesOptions, equip};
use crate::plan::{Plan, ScheduleName, TournamentFile, cores};
use crate::report::output::say;
use crate::report::words::count;
use crate::resume::{continued, earlier_file};
use crate::schedule::too_large;
use crate::seeds::{check_seed, fresh_seed};
use crate::tournament::{Shard, Tournament};

/// Deals of a tournament unless the user says otherwise.
const ROUNDS_DEFAULT: u64 = 100;

/// Options and league file in one.
pub(super) struct Request {
    settings: TournamentOptions,
    limits: LimitOptions,
    rules: RulesOptions,
    /// Empty where neither names one.
    entrants: Vec<Entrant>,
    flags: Flags,
}

/// Options that do not determine the tournament.
struct Flags {
    resume: bool,
    force: bool,
    skip_broken: bool,
    keep_stderr: bool,
    quiet: bool,
    shard: Shard,
}

impl Request {
    pub(super) fn new(args: TournamentArgs) -> Result<Request, Error> {
        let league = args.league.as_deref().map(League::read).transpose()?.unwrap_or_default();
        let entrants: Result<Vec<Entrant>, Error> = match args.bots.is_empty() {
            false => args.bots.iter().map(|text| Entrant::parse(text)).collect(),
            true => league.bots.iter().map(Entrant::new).collect(),
        };
        let TournamentArgs { resume, force, skip_broken, keep_stderr, quiet, shard, .. } = args;
        let shard = shard.unwrap_or(Shard::WHOLE);
        Ok(Request {
            settings: args.settings.or(league.tournament),
            limits: args.limits.or(league.limits),
            rules: args.rules.or(league.rules),
            entrants: entrants?,
            flags: Flags { resume, force, skip_broken, keep_stderr, quiet, shard },
        })
    }

    pub(super) fn quiet(&self) -> bool {
        self.flags.quiet
    }

    /// The game: as asked for, or that of the tournament to go on with.
    pub(super) fn game(&self) -> Result<GameName, Error> {
        match (self.settings.game, self.flags.resume) {
            (Some(game), _) => Ok(game),
            (None, true) => game_in(&out::begun(self.settings.out.as_deref())?),
            (None, false) => Ok(GameName::default()),
        }
    }

    /// The tournament, its directory, and how many matches are played at a time. Every bot has been
    /// started once by then.
    pub(super) fn prepare<G: Playable>(mut self) -> Result<(Tournament<G>, PathBuf, usize), Error> {
        let out = self.out::<G>()?;
        let earlier = if self.flags.resume { earlier_file::<G>(&out)? } else { None };
        if self.flags.resume && earlier.is_none() {
            return Err(Error::usage(format!("there is no tournament in {}", out.display()))
                .hint("leave --resume out to begin one there"));
        }
        let equipment = Arc::new(self.equip(earlier.as_ref())?);
        self.take_defaults(earlier.as_ref())?;
        let seed = check_seed(self.settings.seed.unwrap_or_else(fresh_seed))?;
        let asked_seats = self.seats::<G>(&equipment, seed)?;
        let rounds = positive("--rounds", self.settings.rounds.unwrap_or(ROUNDS_DEFAULT))?;
        if let Some(why) = too_large(self.entrants.len(), asked_seats, rounds) {
            return Err(Error::usage(why).hint("take fewer --rounds, or other --seats"));
        }
        if self.flags.shard != Shard::WHOLE && self.settings.seed.is_none() {
            return Err(Error::usage("parts of a tournament need the same seed").hint("name one with --seed"));
        }
        let jobs = self.jobs::<G>(asked_seats)?;
        let limits = self.limits.time_control();
        let host = Host::new().raise_open_files();
        let bots = self.preflight(&host, limits.startup)?;
        let seats = if self.settings.seats == Some(Seats::All) { bots.len() } else { asked_seats };
        if bots.len() < seats {
            let able = count(bots.len() as u64, "bot");
            return Err(Error::usage(format!("{seats} seats need {seats} bots, and {able} can start")));
        }
        let plan = Plan {
            game: G::NAME.to_owned(),
            schedule: ScheduleName::RoundRobin,
            seed,
            rounds,
            seats,
            limits,
            memory_bytes: self.limits.memory,
            bots,
            setup: G::setup(&equipment).clone(),
        };
        let file = match earlier {
            Some(earlier) => continued(&earlier, plan, self.flags.force)?,
            None => TournamentFile::new(plan),
        };
        let Request { entrants, flags: Flags { keep_stderr, shard, .. }, .. } = self;
        Ok((Tournament { file, equipment, entrants, host, keep_stderr, shard }, out, jobs))
    }

    fn out<G: Playable>(&self) -> Result<PathBuf, Error> {
        let asked: Option<&Path> = self.settings.out.as_deref();
        if self.flags.resume { out::begun(asked) } else { out::fresh(asked, G::NAME) }
    }

    /// The equipment: by the options, or that of the tournament to go on with.
    fn equip<G: Playable>(&self, earlier: Option<&TournamentFile<G>>) -> Result<G::Equipment, Error> {
        match earlier {
            Some(earlier) if self.rules == RulesOptions::default() => {
                G::equip(&earlier.plan.setup).map_err(|error| Error::usage(error.to_string()))
            }
            _ => equip::<G>(&self.rules),
        }
    }

    /// Fills in what neither options nor league file say.
    fn take_defaults<G: Playable>(&mut self, earlier: Option<&TournamentFile<G>>) -> Result<(), Error> {
        if let Some(TournamentFile { plan, .. }) = earlier {
            self.settings.seed.get_or_insert(plan.seed);
            self.settings.rounds.get_or_insert(plan.rounds);
            self.settings.seats.get_or_insert(Seats::Count(plan.seats));
            let (time, memory) = (plan.limits, plan.memory_bytes);
            self.limits = std::mem::take(&mut self.limits).or(LimitOptions::of(time, memory));
            if self.entrants.is_empty() {
                self.entrants = plan.bots.iter().map(Entrant::again).collect::<Result<_, _>>()?;
            }
        }
        if self.entrants.is_empty() {
            self.entrants = Entrant::bundled()?;
        }
        for entrant in &mut self.entrants {
            entrant.command.limits.memory_bytes_max = self.limits.memory;
        }
        Ok(())
    }

    /// Matches at a time: as asked for, or as many as the cores can think for.
    fn jobs<G: Playable>(&self, seats: usize) -> Result<usize, Error> {
        let thinking = if G::SIMULTANEOUS { seats } else { 1 };
        let Some(jobs) = self.settings.jobs else { return Ok((cores() / thinking).max(1)) };
        let jobs = positive("--jobs", jobs as u64)? as usize;
        if jobs > 1 && jobs * thinking > cores() && !self.flags.quiet {
            let (bots, cores) = (count((jobs * thinking) as u64, "bot"), count(cores() as u64, "core"));
            say(&format!(
                "note: {bots} think at a time on {cores}; they may be late through no fault of their own"
            ));
        }
        Ok(jobs)
    }

    /// Starts every bot once; leaves out those that cannot, if that was asked for.
    fn preflight(&mut self, host: &Host, limit: Duration) -> Result<Vec<Identity>, Error> {
        let outcomes = block_on(preflight(&mut self.entrants, host, limit))?;
        let (mut identities, mut kept) = (Vec::new(), Vec::new());
        for (entrant, outcome) in self.entrants.drain(..).zip(outcomes) {
            match outcome {
                Ok(identity) => {
                    identities.push(identity);
                    kept.push(entrant);
                }
                Err(error) if self.flags.skip_broken && error.kind() == ErrorKind::Usage => {
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
            let (are, hint) = match bots {
                1 => ("is 1".to_owned(), "name more bots with --bot, or let it play alone with --seats 1"),
                _ => (format!("are {bots}"), "name more bots with --bot, or fewer --seats"),
            };
            return Err(Error::usage(format!("{seats} seats need {seats} bots, there {are}")).hint(hint));
        }
        let playable = G::deal(equipment, seats, seed).map(|_| seats);
        playable.map_err(|error| Error::usage(error.to_string()).hint("choose another number with --seats"))
    }
}

fn positive(option: &str, value: u64) -> Result<u64, Error> {
    match value {
        0 => Err(Error::usage(format!("{option} is 0: it must be at least 1"))),
        _ => Ok(value),
    }
}
