//! Builds a tournament from the user's settings. Options override the league file. Both override the resumed
//! tournament, which overrides the defaults.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::args::{Reuse, Seats, TournamentArgs, TournamentOptions};
use super::league::League;
use super::out::{self, game_in};
use crate::commands::limits::LimitOptions;
use crate::commands::rules::RulesArgs;
use crate::commands::runtime::block_on;
use crate::commands::trust;
use crate::report::output::say;
use referee::bots::entrants::{Entrant, Identity, check_distinct, keep_apart, preflight};
use referee::bots::grants::check_grants;
use referee::error::{Error, ErrorKind};
use referee::games::{GameKind, GameName, equip};
use referee::play::Rules;
use sandbox::confine::paths::{self, Claims};
use sandbox::confine::processes_of_all_bots;
use sandbox::cores;
use sandbox::{Host, SandboxLevel};
use tournament::journal::shard::Shard;
use tournament::plan::earlier::{continued, earlier_file};
use tournament::plan::{Plan, TOURNAMENT, TournamentFile};
use tournament::report::words::count;
use tournament::run::concurrency::Concurrency;
use tournament::run::tournament::Tournament;
use tournament::schedule::{Field, ScheduleName, Settings};

/// The default number of deals.
const ROUNDS_DEFAULT: u64 = 100;

/// The default of `--max-rounds`, as a multiple of `--rounds`.
const MAX_ROUNDS_FACTOR: u64 = 10;

/// The name of directories for leagues with stages.
const LEAGUE: &str = "league";

/// The settings from the options and the league file.
#[derive(Clone)]
pub(in crate::commands) struct Request {
    /// The settings from the options alone.
    options: TournamentOptions,
    settings: TournamentOptions,
    limits: LimitOptions,
    rules: RulesArgs,
    /// The bots. Empty if neither the options nor the league file name one.
    entrants: Vec<Entrant>,
    /// The league file.
    league: Option<PathBuf>,
    flags: Flags,
}

/// Options of one run, outside the plan of the tournament.
#[derive(Clone)]
struct Flags {
    resume: bool,
    force: bool,
    trust: bool,
    skip_broken: bool,
    keep_stderr: bool,
    live: bool,
    quiet: bool,
    shard: Shard,
}

/// The plan of a tournament, except for its bots.
struct Outline {
    seed: u64,
    seats: usize,
    rounds: u64,
    schedule: Settings,
}

/// Settings for a script that plays shards, in addition to the options of the user.
pub(in crate::commands) struct InShards {
    /// The drawn seed, or `None` if the options or the league file set one.
    pub(in crate::commands) seed: Option<u64>,
    /// True if the options or the league file name a directory.
    pub(in crate::commands) out_given: bool,
    /// The directory for all shards.
    pub(in crate::commands) out: PathBuf,
    /// The number of cores that the matches of a shard keep busy, or `None` if `jobs` is not set.
    pub(in crate::commands) cores: Option<u64>,
}

impl Request {
    /// Returns a request for the only tournament of these arguments.
    ///
    /// # Errors
    /// The arguments or the league file are wrong, or the file has stages.
    pub(in crate::commands) fn new(args: TournamentArgs) -> Result<Request, Error> {
        let mut all = Request::all(args)?;
        match (all.pop(), all.is_empty()) {
            (Some((_, request)), true) => Ok(request),
            _ => Err(Error::usage("a league file with stages is not for a script of shards")
                .hint("use a league file for each stage")),
        }
    }

    /// Returns a request for each tournament of these arguments, with the name of its stage. A league file without
    /// stages has one tournament.
    ///
    /// # Errors
    /// The arguments or the league file are wrong.
    pub(in crate::commands) fn all(args: TournamentArgs) -> Result<Vec<(String, Request)>, Error> {
        let (mut league, bots) = args.league.as_deref().map(League::read).transpose()?.unwrap_or_default();
        let stages = std::mem::take(&mut league.stages);
        let base = Request::of(args, league, &bots)?;
        if stages.is_empty() {
            return Ok(vec![(String::new(), base)]);
        }
        if base.flags.shard != Shard::WHOLE {
            return Err(Error::usage("the stages of a league file cannot be played in shards")
                .hint("use a league file for each stage"));
        }
        let place = match &base.settings.out {
            None if base.flags.resume => out::resumed(None)?,
            None => out::fresh(None, LEAGUE)?,
            Some(out) => out.clone(),
        };
        let one = |(number, stage): (usize, TournamentOptions)| {
            if stage.out.is_some() {
                return Err(Error::usage(format!("stage {}: out is for the whole league", number + 1))
                    .hint("set out in [tournament]"));
            }
            let mut request = base.clone();
            // Options are for all stages, and stages come before `[tournament]`.
            request.settings = base.options.clone().over(stage).over(base.settings.clone());
            let settings = &request.settings;
            let seats = settings.seats.map_or(String::new(), |seats| format!("-{seats}"));
            let name = format!("{}-{}{seats}", number + 1, settings.game.unwrap_or_default().as_str());
            let out = place.join(&name);
            // A stage that was not reached yet begins.
            request.flags.resume &= out.join(TOURNAMENT).exists();
            request.settings.out = Some(out);
            Ok((name, request))
        };
        stages.into_iter().enumerate().map(one).collect()
    }

    fn of(args: TournamentArgs, league: League, bots: &[Identity]) -> Result<Request, Error> {
        let entrants: Result<Vec<Entrant>, Error> = match args.bots.is_empty() {
            false => args.bots.iter().map(|text| Entrant::parse(text)).collect(),
            true => bots.iter().map(Entrant::new).collect(),
        };
        let TournamentArgs { resume, force, trust, skip_broken, keep_stderr, live, quiet, shard, .. } = args;
        let shard = shard.unwrap_or(Shard::WHOLE);
        Ok(Request {
            options: args.settings.clone(),
            settings: args.settings.over(league.tournament),
            limits: args.limits.over(league.limits),
            rules: args.rules.over(league.rules),
            entrants: entrants?,
            league: args.league,
            flags: Flags { resume, force, trust, skip_broken, keep_stderr, live, quiet, shard },
        })
    }

    pub(in crate::commands) fn quiet(&self) -> bool {
        self.flags.quiet
    }

    /// Returns the requested game, the game of the tournament to resume, or the default.
    pub(in crate::commands) fn game(&self) -> Result<GameName, Error> {
        match (self.settings.game, self.flags.resume) {
            (Some(game), _) => Ok(game),
            (None, true) => game_in(&out::resumed(self.settings.out.as_deref())?),
            (None, false) => Ok(GameName::default()),
        }
    }

    /// Returns the tournament, its directory, and its concurrency. Starts every bot once.
    pub(in crate::commands) fn prepare<G: GameKind>(
        mut self,
    ) -> Result<(Tournament<G>, PathBuf, Concurrency), Error> {
        let out = self.out::<G>()?;
        let earlier = if self.flags.resume { earlier_file::<G>(&out)? } else { None };
        if self.flags.resume && earlier.is_none() {
            return Err(Error::usage(format!("there is no tournament in {}", out.display()))
                .hint("omit --resume to start a new tournament"));
        }
        let equipment = Arc::new(self.equip(earlier.as_ref())?);
        let Outline { seed, seats: asked_seats, rounds, mut schedule } =
            self.outline::<G>(&equipment, earlier.as_ref())?;
        if self.flags.shard != Shard::WHOLE {
            self.check_shards(&schedule)?;
        }
        let limits = self.limits.time_control();
        let quiet = self.flags.quiet;
        let (host, contained) = block_on(self.limits.host(&self.entrants, &[G::SIMULTANEOUS], quiet))??;
        let host = host.label_stderr(self.flags.keep_stderr);
        self.check_places(&out, contained.mode)?;
        let own: Vec<&Path> = self.league.as_deref().into_iter().chain([out.as_path()]).collect();
        check_grants(&self.entrants, &own)?;
        keep_apart(&mut self.entrants, &[&out]);
        self.preflight(&host, limits.startup)?;
        self.keep_solitary(earlier.as_ref());
        self.enter_copy()?;
        let bots: Vec<Identity> = self.entrants.iter().map(|entrant| entrant.identity.clone()).collect();
        check_distinct(&self.entrants)?;
        let seats = if self.settings.seats == Some(Seats::All) { bots.len() } else { asked_seats };
        let own_deals = earlier
            .as_ref()
            .map_or_else(|| self.needs_own_deals::<G>(contained.mode, seats), |file| file.plan.own_deals);
        if own_deals && earlier.is_none() && !quiet {
            say("note: each match has its own deal, so that no bot meets a deal twice (--contain strict)");
        }
        let concurrency = self.concurrency::<G>(seats)?;
        self.check_processes(concurrency.jobs * seats, contained.mode)?;
        if bots.len() < seats {
            let able = count(bots.len() as u64, "bot");
            return Err(Error::usage(format!("{seats} seats need {seats} bots, and {able} can start")));
        }
        if schedule.schedule == ScheduleName::Gauntlet {
            schedule.challenger.get_or_insert_with(|| bots[0].name.clone());
        }
        let plan = Plan {
            game: G::NAME.to_owned(),
            schedule,
            seed,
            rounds,
            seats,
            own_deals,
            limits,
            memory_bytes: self.limits.memory,
            freeze: host.freezes(),
            reuse: self.settings.reuse.is_some(),
            trusting: self.settings.reuse == Some(Reuse::Trusting),
            bots,
            setup: G::setup(&equipment).clone(),
        };
        plan.course()?;
        let mut file = match earlier {
            Some(earlier) => continued(&earlier, plan, &contained, self.flags.force)?,
            None => TournamentFile { containment: Some(contained), ..TournamentFile::new(plan) },
        };
        file.no_solitary = self.settings.no_solitary;
        let Request { entrants, flags: Flags { keep_stderr, live, shard, .. }, .. } = self;
        Ok((
            Tournament { file, rules: Rules::new(equipment), entrants, host, keep_stderr, live, shard },
            out,
            concurrency,
        ))
    }

    /// Returns the plan except for the bots. Starts no bot.
    fn outline<G: GameKind>(
        &mut self,
        equipment: &G::Equipment,
        earlier: Option<&TournamentFile<G>>,
    ) -> Result<Outline, Error> {
        self.take_defaults(earlier)?;
        let seed = self.limits.seed(self.settings.seed, &self.entrants, self.flags.quiet)?;
        let seats = self.seats::<G>(equipment, seed)?;
        let rounds = positive("--rounds", self.settings.rounds.unwrap_or(ROUNDS_DEFAULT))?;
        let schedule = self.schedule(rounds)?;
        let bots = self.entrants_with_copy();
        let every_seat_each_deal = G::EVERY_SEAT_EACH_DEAL;
        schedule.check_size(Field { bots, seats, rounds, every_seat_each_deal })?;
        Ok(Outline { seed, seats, rounds, schedule })
    }

    /// Checks that the tournament can be played in shards: no match depends on earlier results, and a seed
    /// and a directory are set.
    fn check_shards(&self, schedule: &Settings) -> Result<(), Error> {
        if schedule.is_adaptive() {
            return Err(Error::usage(
                "this schedule cannot be split into shards: later matches depend on earlier results",
            )
            .hint("to go on elsewhere, stop it, copy its directory, and run arena tournament --resume --out DIR there"));
        }
        let lacks = |what: &str, hint: &str| {
            Err(Error::usage(format!("shards of a tournament need {what}")).hint(hint))
        };
        match (self.settings.seed, &self.settings.out) {
            (None, _) => lacks("the same seed", "name one with --seed"),
            (_, None) => lacks("a directory to go to", "name one with --out; they may share it"),
            _ => Ok(()),
        }
    }

    /// Returns the settings for a script that plays the tournament in shards. Starts no bot.
    pub(in crate::commands) fn in_shards<G: GameKind>(mut self) -> Result<InShards, Error> {
        let equipment = self.equip::<G>(None)?;
        let Outline { seed, seats, schedule, .. } = self.outline::<G>(&equipment, None)?;
        let is_given = (self.settings.seed.is_some(), self.settings.out.is_some());
        self.settings.seed = Some(seed);
        let out = self.settings.out.take().map_or_else(|| out::fresh(None, G::NAME), Ok)?;
        self.settings.out = Some(out.clone());
        self.check_shards(&schedule)?;
        let jobs = self.settings.jobs.map(|jobs| positive("--jobs", jobs as u64)).transpose()?;
        let cores = jobs.map(|jobs| jobs * if G::SIMULTANEOUS { seats as u64 } else { 1 });
        Ok(InShards { seed: (!is_given.0).then_some(seed), out_given: is_given.1, out, cores })
    }

    fn out<G: GameKind>(&self) -> Result<PathBuf, Error> {
        let asked: Option<&Path> = self.settings.out.as_deref();
        match asked {
            _ if self.flags.resume => out::resumed(asked),
            // Shards can share a directory. Its contents are checked when the plan is known.
            Some(out) if self.flags.shard != Shard::WHOLE => Ok(out.to_owned()),
            _ => out::fresh(asked, G::NAME),
        }
    }

    /// Rejects a directory of results that every bot can read. Prints a note for each bot whose files other
    /// bots can read.
    fn check_places(&self, out: &Path, mode: SandboxLevel) -> Result<(), Error> {
        if mode == SandboxLevel::Off {
            return Ok(());
        }
        if paths::is_of_the_system(&paths::settled(out)) {
            let place = out.display();
            return Err(Error::usage(format!(
                "every bot can read results in {place}: it belongs to the system"
            ))
            .hint("choose another directory with --out"));
        }
        for entrant in &self.entrants {
            if let Some(path) = Claims::exposed(&entrant.command).first().filter(|_| !self.flags.quiet) {
                let (path, name) = (path.display(), &entrant.identity.command);
                say(&format!("note: every bot can read {path} of {name:?}; keep bots outside of /usr"));
            }
        }
        Ok(())
    }

    /// Returns the equipment of the options. Without such options, a resumed tournament keeps its equipment.
    fn equip<G: GameKind>(&self, earlier: Option<&TournamentFile<G>>) -> Result<G::Equipment, Error> {
        match earlier {
            Some(earlier) if self.rules == RulesArgs::default() => {
                G::equip(&earlier.plan.setup).map_err(|error| Error::usage(error.to_string()))
            }
            _ => equip::<G>(&self.rules.clone().into()),
        }
    }

    /// Checks that the user grants all rights beyond the default that the tournament's file requests.
    fn check_trust<G: GameKind>(&self, file: &TournamentFile<G>) -> Result<(), Error> {
        let is_ladder = file.plan.schedule.schedule == ScheduleName::Ladder;
        let is_from_file = |bot: &&Identity| match self.entrants.is_empty() {
            true => true,
            false => is_ladder && !self.entrants.iter().any(|entrant| entrant.identity.name == bot.name),
        };
        let out = self.settings.out.as_deref().unwrap_or(Path::new("."));
        trust::check(file, out, file.plan.bots.iter().filter(is_from_file), &self.limits, self.flags.trust)
    }

    /// Fills in missing settings and bots from the resumed tournament or the defaults. Adds the bot of
    /// `--mirror`, and applies the limits to all bots.
    fn take_defaults<G: GameKind>(&mut self, earlier: Option<&TournamentFile<G>>) -> Result<(), Error> {
        if let Some(file @ TournamentFile { plan, .. }) = earlier {
            self.check_trust(file)?;
            self.settings = std::mem::take(&mut self.settings).over(TournamentOptions::of(file));
            self.limits = std::mem::take(&mut self.limits).over(LimitOptions::of(file));
            if self.entrants.is_empty() {
                let entrant = |bot| Entrant::of_results(bot, self.flags.trust);
                self.entrants = plan.bots.iter().map(entrant).collect::<Result<_, _>>()?;
            } else if plan.schedule.schedule == ScheduleName::Ladder {
                self.add_to_ladder(plan)?;
            }
        }
        if let Some(mirror) = &self.settings.mirror
            && !self.entrants.iter().any(|entrant| entrant.identity.name == *mirror)
        {
            let entrant = Entrant::parse(mirror)?;
            // The text identifies a bot without a name, because the bot tells its name only after its start.
            let name = if entrant.identity.name.is_empty() {
                entrant.identity.command.clone()
            } else {
                entrant.identity.name.clone()
            };
            self.settings.mirror = Some(name);
            self.entrants.push(entrant);
        }
        if self.entrants.is_empty() {
            self.entrants = Entrant::bundled()?;
        }
        for entrant in &mut self.entrants {
            self.limits.apply(entrant)?;
        }
        Ok(())
    }

    /// Puts the bots of a resumed ladder first, in their order, and new bots behind them. A given bot
    /// replaces the recorded bot with the same name.
    fn add_to_ladder<G: GameKind>(&mut self, plan: &Plan<G>) -> Result<(), Error> {
        let mut given = std::mem::take(&mut self.entrants);
        for there in &plan.bots {
            let again = given.iter().position(|entrant| entrant.identity.name == there.name);
            self.entrants.push(match again {
                Some(place) => given.remove(place),
                None => Entrant::of_results(there, self.flags.trust)?,
            });
        }
        self.entrants.append(&mut given);
        Ok(())
    }

    /// Returns the requested schedule with its settings. Rejects settings of other schedules.
    fn schedule(&self, rounds: u64) -> Result<Settings, Error> {
        let TournamentOptions { challenger, swiss_rounds, seeding, until_decided, max_rounds, .. } =
            &self.settings;
        let schedule = self.settings.schedule.unwrap_or_default();
        let given = [
            ("--challenger", challenger.is_some(), ScheduleName::Gauntlet),
            ("--swiss-rounds", swiss_rounds.is_some(), ScheduleName::Swiss),
            ("--seeding", seeding.is_some(), ScheduleName::Knockout),
        ];
        let name = schedule.as_str();
        if let Some((option, _, of)) = given.into_iter().find(|&(_, given, of)| given && of != schedule) {
            return Err(Error::usage(format!(
                "{option} is for a {}, and the schedule is {name}",
                of.as_str()
            ))
            .hint(format!("leave it out, or take --schedule {}", of.as_str())));
        }
        if max_rounds.is_some() && !until_decided {
            return Err(Error::usage("--max-rounds is for --until-decided").hint("give both, or neither"));
        }
        let max_rounds =
            until_decided.then(|| max_rounds.unwrap_or(rounds.saturating_mul(MAX_ROUNDS_FACTOR)));
        if let Some(max_rounds) = max_rounds.filter(|&max_rounds| max_rounds < rounds) {
            return Err(Error::usage(format!(
                "--max-rounds is {max_rounds}, and {rounds} deals are planned"
            ))
            .hint("take more --max-rounds, or fewer --rounds"));
        }
        let bots = self.entrants_with_copy();
        let swiss_rounds = swiss_rounds.map(|rounds| positive("--swiss-rounds", rounds)).transpose()?;
        let settings = Settings {
            schedule,
            challenger: challenger.clone(),
            swiss_rounds,
            seeding: *seeding,
            max_rounds,
        };
        Ok(match schedule {
            ScheduleName::Swiss => Settings { swiss_rounds: Some(settings.swiss_rounds(bots)), ..settings },
            ScheduleName::Knockout => Settings { seeding: Some(seeding.unwrap_or_default()), ..settings },
            _ => settings,
        })
    }

    /// Returns the bot of `--mirror`, or `None` if its copy is already among the bots.
    fn mirrored(&self) -> Option<&Entrant> {
        let mirror = self.settings.mirror.as_ref()?;
        let original = self
            .entrants
            .iter()
            .find(|one| one.identity.name == *mirror || one.identity.command == *mirror)?;
        let copy = original.name_of_copy();
        let is_there =
            |one: &Entrant| one.identity.name == copy && one.identity.command == original.identity.command;
        (!self.entrants.iter().any(is_there)).then_some(original)
    }

    fn entrants_with_copy(&self) -> usize {
        self.entrants.len() + usize::from(self.mirrored().is_some())
    }

    /// Adds the copy of the bot of `--mirror`.
    fn enter_copy(&mut self) -> Result<(), Error> {
        let copy = self.mirrored().map(Entrant::copy).transpose()?;
        self.entrants.extend(copy);
        Ok(())
    }

    /// Marks the solitary bots, which play each deal once for all tables. A resumed tournament keeps its
    /// marks. The `hello` of a new bot decides, unless `--no-solitary` is set, now or in an earlier run.
    fn keep_solitary<G: GameKind>(&mut self, earlier: Option<&TournamentFile<G>>) {
        let earlier = earlier.map_or(&[][..], |file| &file.plan.bots);
        for entrant in &mut self.entrants {
            entrant.identity.solitary = match earlier.iter().find(|there| there.name == entrant.identity.name)
            {
                Some(there) => there.solitary,
                None => entrant.identity.solitary && !self.settings.no_solitary,
            };
        }
    }

    /// Returns true if a stranger's bot could profit from meeting a deal again: it plays several tables of a
    /// round, and the game has hidden information. A solitary bot plays each deal once.
    fn needs_own_deals<G: GameKind>(&self, mode: SandboxLevel, seats: usize) -> bool {
        let meets_again =
            seats < self.entrants.len() && !self.entrants.iter().all(|entrant| entrant.identity.solitary);
        mode.is_strict() && G::SIMULTANEOUS && meets_again
    }

    /// Returns the concurrency: `--jobs`, or as many matches as the cores can run. Prints a note if more bots
    /// than cores think at the same time.
    fn concurrency<G: GameKind>(&self, seats: usize) -> Result<Concurrency, Error> {
        let is_alone = self.entrants.iter().all(|entrant| entrant.identity.solitary);
        let thinking = if G::SIMULTANEOUS && !is_alone { seats } else { 1 };
        let jobs = self.settings.jobs.map(|jobs| positive("--jobs", jobs as u64)).transpose()?;
        let concurrency = Concurrency::new(
            jobs.map(|jobs| jobs as usize),
            thinking,
            self.settings.pin || !self.settings.no_pin,
        );
        let at_once = concurrency.jobs_thinking * thinking;
        if jobs.is_some_and(|jobs| jobs > 1) && at_once > cores::given() && !self.flags.quiet {
            let (bots, cores) = (count(at_once as u64, "bot"), count(cores::given() as u64, "core"));
            say(&format!(
                "note: {bots} think at a time on {cores}; some may exceed their time because of the load"
            ));
        }
        Ok(concurrency)
    }

    /// Checks that all of `at_once` bots together may start as many processes as each of them may. Otherwise a bot
    /// could take those of another one.
    fn check_processes(&self, at_once: usize, mode: SandboxLevel) -> Result<(), Error> {
        let most = self.entrants.iter().map(|entrant| entrant.command.rights.processes_max()).max();
        let needed = most.unwrap_or_default().saturating_mul(at_once as u64);
        let Some(limit) = processes_of_all_bots().filter(|&limit| limit < needed) else { return Ok(()) };
        let bots = count(at_once as u64, "bot");
        let what = format!("{bots} at a time may start {needed} processes, and your limit is {limit}");
        let remedy = "raise `ulimit -u`, or lower --jobs or the `processes` of the bots";
        if mode.is_strict() {
            return Err(Error::usage(what).hint(remedy));
        }
        if !self.flags.quiet {
            say(&format!("note: {what}: bots may lack processes that others have taken; {remedy}"));
        }
        Ok(())
    }

    /// Starts every bot once. With `--skip-broken`, leaves out bots that cannot start.
    fn preflight(&mut self, host: &Host, limit: Duration) -> Result<(), Error> {
        let outcomes = block_on(preflight(&mut self.entrants, host, limit))?;
        let mut kept = Vec::new();
        for (entrant, outcome) in self.entrants.drain(..).zip(outcomes) {
            match outcome {
                Ok(()) => kept.push(entrant),
                Err(error) if self.flags.skip_broken && error.kind() == ErrorKind::Usage => {
                    say(&format!("left out: {}", error.message()));
                }
                Err(error) => return Err(error),
            }
        }
        self.entrants = kept;
        Ok(())
    }

    /// Returns the number of seats at a table. Checks that there are enough bots and cards.
    fn seats<G: GameKind>(&self, equipment: &G::Equipment, seed: u64) -> Result<usize, Error> {
        let bots = self.entrants_with_copy();
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
        playable.map_err(|error| Error::usage(error.to_string()).hint(G::SEATS_HINT))
    }
}

fn positive(option: &str, value: u64) -> Result<u64, Error> {
    match value {
        0 => Err(Error::usage(format!("{option} is 0: it must be at least 1"))),
        _ => Ok(value),
    }
}
