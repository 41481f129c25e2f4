//! Builds a tournament from the user's settings. Options override the league file. Both override the resumed
//! tournament, which overrides the defaults.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::report::output::say;
use crate::setup::args::{Reuse, Seats, TournamentArgs, TournamentOptions};
use crate::setup::league::League;
use crate::setup::lineup::LineupOptions;
use crate::setup::out::{self, game_in};
use crate::setup::positions::{FromOptions, Positions};
use crate::setup::roster::{Roster, bound};
use crate::setup::rules::RulesArgs;
use crate::setup::runtime::block_on;
use crate::setup::schedule::{check_shards, positive, schedule};
use crate::setup::times::Times;
use crate::setup::trust;
use crate::setup::words::seed_of_environment;
use engine::game::Setup;
use referee::bots::entrants::{Entrant, Identity, check_distinct, keep_apart};
use referee::bots::grants::check_grants;
use referee::bots::names::same_but_for_case;
use referee::error::Error;
use referee::games::{GameKind, GameName, check_seats, equip, equip_plan};
use referee::play::{Position, Rules};
use sandbox::cores;
use sandbox::selftest::Contained;
use sandbox::{Host, Layer, SandboxLevel};
use serde_json::json;
use tournament::journal::claim::Claim;
use tournament::journal::shard::Shard;
use tournament::plan::commitment::{Commitment, check_form};
use tournament::plan::earlier::{Allowed, continued, earlier_file};
use tournament::plan::tag::is_safe_from;
use tournament::plan::{Plan, TOURNAMENT, TournamentFile};
use tournament::report::words::count;
use tournament::run::concurrency::Concurrency;
use tournament::run::tournament::Tournament;
use tournament::schedule::{Field, ScheduleName, Settings};

/// The most bytes of all positions. The file of the tournament has them, and no file of more than 16 MiB is read.
const POSITIONS_BYTES_MAX: usize = 8 << 20;

/// The default number of deals.
const ROUNDS_DEFAULT: u64 = 100;

/// The name of directories for leagues with stages.
const LEAGUE: &str = "league";

/// The settings from the options and the league file.
#[derive(Clone)]
pub(crate) struct Request {
    /// The options. Missing ones are filled in from the league file, and later from the resumed tournament.
    args: TournamentArgs,
    roster: Roster,
    /// The name of a numbered directory for the results, if it is not the name of the game.
    name: Option<&'static str>,
    /// The number of deals from positions with something hidden, if there are fewer positions.
    rounds_default: u64,
    /// The directory around the results, if they are those of a stage. All stages share the claim.
    league: Option<Arc<Claim>>,
}

/// The plan of a tournament, except for its bots.
struct Outline {
    seed: u64,
    seats: usize,
    rounds: u64,
    schedule: Settings,
}

/// Settings for a script that plays shards, in addition to the options of the user.
pub(crate) struct InShards {
    /// The drawn seed, or `None` if the options or the league file set one.
    pub(crate) seed: Option<u64>,
    /// True if the options or the league file name a directory.
    pub(crate) out_given: bool,
    /// The directory for all shards.
    pub(crate) out: PathBuf,
    /// The number of cores that the matches of a shard keep busy, or `None` if `jobs` is not set.
    pub(crate) cores: Option<u64>,
}

impl Request {
    /// Returns a request for the only tournament of these arguments.
    ///
    /// # Errors
    /// The arguments or the league file are wrong, or the file has stages.
    pub(crate) fn new(args: TournamentArgs) -> Result<Request, Error> {
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
    pub(crate) fn all(mut args: TournamentArgs) -> Result<Vec<(String, Request)>, Error> {
        args.settings.seed = args.settings.seed.map_or_else(seed_of_environment, |seed| Ok(Some(seed)))?;
        let (mut league, bots) = args.league.as_deref().map(League::read).transpose()?.unwrap_or_default();
        let stages = std::mem::take(&mut league.stages);
        let stage_limits = std::mem::take(&mut league.stage_limits);
        let (options, lineup) = (args.settings.clone(), args.lineup.clone());
        let is_committed = args.commit.is_some() || args.reveal.is_some();
        if is_committed && args.settings.seed.or(league.tournament.seed).is_some() {
            return Err(Error::usage("a committed seed follows from a secret, and another seed is set")
                .hint("leave out --seed, ARENA_SEED, and the seed of the league file"));
        }
        let mut base = Request::of(args, league, &bots)?;
        if stages.is_empty() {
            return Ok(vec![(String::new(), base)]);
        }
        if is_committed {
            return Err(Error::usage("a commitment is for one tournament, and the league file has stages")
                .hint("use a league file for each stage"));
        }
        if base.args.shard.is_some() {
            return Err(Error::usage("the stages of a league file cannot be played in shards")
                .hint("use a league file for each stage"));
        }
        let place = match &base.args.settings.out {
            None if base.args.resume => out::resumed(None)?,
            None => base.league.insert(Arc::new(out::fresh(None, LEAGUE)?)).path().to_owned(),
            Some(out) => out.clone(),
        };
        let one = |(number, (stage, of_stage)): (usize, (TournamentOptions, Times))| {
            if stage.out.is_some() {
                return Err(Error::usage(format!("stage {}: out is for the whole league", number + 1))
                    .hint("set out in [tournament]"));
            }
            let mut request = base.clone();
            // Options are for all stages, and stages come before `[tournament]`.
            request.args.settings = options.clone().over(stage).over(base.args.settings.clone());
            let of_stage = LineupOptions { times: of_stage, ..LineupOptions::default() };
            request.args.lineup = lineup.clone().over(of_stage).over(base.args.lineup.clone());
            let settings = &request.args.settings;
            let seats = settings.seats.map_or(String::new(), |seats| format!("-{seats}"));
            let game = request.args.game.game(settings.game)?.unwrap_or_default().as_str();
            let name = format!("{}-{game}{seats}", number + 1);
            let out = place.join(&name);
            // A stage that was not reached yet begins.
            request.args.resume &= out.join(TOURNAMENT).exists();
            request.args.settings.out = Some(out);
            Ok((name, request))
        };
        stages.into_iter().zip(stage_limits).enumerate().map(one).collect()
    }

    fn of(args: TournamentArgs, league: League, bots: &[Identity]) -> Result<Request, Error> {
        let entrants: Result<Vec<Entrant>, Error> = match args.bots.is_empty() {
            false => args.bots.iter().map(|text| Entrant::parse(text)).collect(),
            true => bots.iter().map(Entrant::new).collect(),
        };
        let roster = Roster::new(entrants?, args.quiet);
        let lineup = league.lineup();
        let args = TournamentArgs {
            settings: args.settings.over(league.tournament),
            lineup: args.lineup.over(lineup),
            rules: args.rules.over(league.rules),
            game: args.game.over(league.game),
            // The only shard is the whole tournament.
            shard: args.shard.filter(|&shard| shard != Shard::WHOLE),
            ..args
        };
        Ok(Request { args, roster, name: None, rounds_default: 1, league: None })
    }

    /// Gives the directory of the results this name and a number, unless the options name one, and sets the default number
    /// of deals in positions.
    pub(crate) fn named(self, name: &'static str, rounds_default: u64) -> Request {
        Request { name: Some(name), rounds_default, ..self }
    }

    /// Returns the public value of the seed to which the tournament is only to be committed, and its form.
    pub(crate) fn commit(&self) -> Result<Option<(String, String)>, Error> {
        check_form(&self.args.form)?;
        Ok(self.args.commit.clone().map(|source| (source, self.args.form.clone())))
    }

    /// Returns the folder around the results of a stage.
    pub(crate) fn league(&self) -> Option<PathBuf> {
        self.args.settings.out.as_ref()?.parent().map(Path::to_owned)
    }

    pub(crate) fn quiet(&self) -> bool {
        self.args.quiet
    }

    /// Returns the requested game, the game of the tournament to resume, or the default.
    pub(crate) fn game(&self) -> Result<GameName, Error> {
        match (self.args.game.game(self.args.settings.game)?, self.args.resume) {
            (None, true) => game_in(&out::resumed(self.args.settings.out.as_deref())?),
            (asked, _) => self.from().game(asked),
        }
    }

    /// Returns the tournament, the claim of its directory, and its concurrency. Starts every bot once.
    pub(crate) fn prepare<G: GameKind>(mut self) -> Result<(Tournament<G>, Claim, Concurrency), Error> {
        let out = self.claim::<G>()?;
        let earlier = if self.args.resume { Some(begun::<G>(out.path())?) } else { None };
        let TournamentArgs { force, ref replace, ref without, .. } = self.args;
        let allowed = Allowed { force, replaced: replace.clone(), withdrawn: without.clone() };
        let mut is_own = true;
        if let Some(file) = &earlier {
            allowed.check(file)?;
            is_own = self.args.trust || trust::is_own(file, out.path(), &self.args.lineup)?;
            self.args.trust = is_own;
        }
        let positions = self.positions::<G>(out.path(), earlier.as_ref())?;
        let equipment = self.equip(positions.as_ref(), earlier.as_ref())?;
        let mut outline = self.outline::<G>(&equipment, earlier.as_ref(), &allowed)?;
        if self.args.shard.is_some() {
            check_shards(&self.args.settings, &outline.schedule)?;
        }
        let (quiet, is_simultaneous) = (self.args.quiet, G::is_simultaneous(G::setup(&equipment)));
        let (host, contained) =
            block_on(self.args.lineup.host(&self.roster.entrants, &[is_simultaneous], quiet))??;
        let host = host.label_stderr(self.args.keep_stderr);
        let committed = if self.args.reveal.is_some() { Commitment::read(out.path())? } else { None };
        self.roster.committed = committed.iter().flat_map(|(_, then)| then.bots.clone()).collect();
        self.start_bots::<G>(out.path(), &host, &contained, earlier.as_ref(), &allowed)?;
        if self.args.settings.seats == Some(Seats::All) {
            outline.seats = self.roster.entrants.len();
        }
        let positions = positions.map_or(Vec::new(), |positions| positions.positions);
        let own_deals = match positions.is_empty() {
            true => self.own_deals(contained.mode, is_simultaneous, outline.seats, earlier.as_ref()),
            false => (false, false),
        };
        let concurrency = self.concurrency(is_simultaneous, outline.seats)?.alone(G::IS_PROGRAM);
        self.roster.check_processes(concurrency.jobs * outline.seats, contained.mode)?;
        let plan = self.plan::<G>(outline, own_deals, host.freezes(), &equipment, &positions)?;
        let mut file = match earlier {
            Some(ref earlier) => continued(earlier, plan, &contained, &allowed)?,
            None => TournamentFile { containment: Some(contained.clone()), ..TournamentFile::new(plan) },
        };
        if let (Some(value), Some((commitment, then))) = (&self.args.reveal, committed) {
            file.reveal(commitment, value, [&then, &bound(&self.roster.entrants, contained.mode)?])?;
        }
        is_own &= is_safe_from(&contained);
        file.skip(std::mem::take(&mut self.roster.skipped));
        file.no_solitary = self.args.settings.no_solitary;
        let TournamentOptions { title, text, dates, .. } = &self.args.settings;
        (file.title, file.text, file.dates) = (title.clone(), text.clone(), dates.clone());
        let TournamentArgs { keep_stderr, live, shard, .. } = self.args;
        let shard = shard.unwrap_or(Shard::WHOLE);
        let entrants = self.roster.entrants;
        Ok((
            Tournament {
                file,
                rules: Rules::new(equipment),
                positions,
                entrants,
                host,
                is_own,
                superseded: [allowed.replaced, allowed.withdrawn].concat(),
                keep_stderr,
                live,
                shard,
            },
            out,
            concurrency,
        ))
    }

    /// Starts every bot once, and settles the names and copies of the bots.
    fn start_bots<G: GameKind>(
        &mut self,
        out: &Path,
        host: &Host,
        contained: &Contained,
        earlier: Option<&TournamentFile<G::Setup>>,
        allowed: &Allowed,
    ) -> Result<(), Error> {
        self.roster.check_places(out, contained.mode)?;
        let own: Vec<&Path> = self.args.league.as_deref().into_iter().chain([out]).collect();
        check_grants(&self.roster.entrants, &own)?;
        keep_apart(&mut self.roster.entrants, &[out]);
        let earlier = earlier.iter().flat_map(|file| &file.plan.bots);
        let earlier = earlier.filter(|bot| !allowed.replaced.contains(&bot.name));
        let earlier: Vec<Identity> = earlier.cloned().collect();
        let table = self.args.lineup.times.time_control();
        let keeps_files = contained.held.contains(&Layer::Landlock);
        self.roster.preflight(host, table, self.args.skip_broken, &earlier, keeps_files)?;
        self.roster.keep_solitary(&earlier, self.args.settings.no_solitary);
        self.roster.enter_copy()?;
        self.args.lineup.limit(&mut self.roster.entrants, true)?;
        let names = self.roster.entrants.iter().map(|entrant| entrant.identity.name.as_str());
        // Results from before the rule may have such names.
        if let Some([one, other]) = same_but_for_case(names).filter(|_| earlier.is_empty()) {
            return Err(Error::usage(format!("the names {one:?} and {other:?} differ in case alone"))
                .hint("give one of them another name, with --bot NAME=COMMAND"));
        }
        check_distinct(&self.roster.entrants)
    }

    /// Returns the plan for the bots that can start.
    fn plan<G: GameKind>(
        &self,
        outline: Outline,
        (own_deals, deals_by_bots): (bool, bool),
        freeze: bool,
        equipment: &G::Equipment,
        positions: &[Position<G>],
    ) -> Result<Plan<G::Setup>, Error> {
        let Outline { seed, seats, rounds, mut schedule } = outline;
        let bots: Vec<Identity> =
            self.roster.entrants.iter().map(|entrant| entrant.identity.clone()).collect();
        if bots.len() < seats {
            let able = count(bots.len() as u64, "bot");
            return Err(Error::usage(format!("{seats} seats need {seats} bots, and {able} can start")));
        }
        if schedule.schedule == ScheduleName::Gauntlet {
            schedule.challenger.get_or_insert_with(|| bots[0].name.clone());
        }
        let plan = Plan {
            game: G::name(G::setup(equipment)).into_owned(),
            schedule,
            seed,
            rounds,
            seats,
            own_deals,
            deals_by_bots,
            positions: positions.iter().map(|position| json!(position)).collect(),
            limits: self.args.lineup.times.time_control(),
            memory_bytes: self.args.lineup.containment.memory,
            freeze,
            reuse: self.args.settings.reuse.is_some(),
            trusting: self.args.settings.reuse == Some(Reuse::Trusting),
            bots,
            setup: G::setup(equipment).clone(),
        };
        plan.progress(G::EVERY_SEAT_EACH_DEAL)?;
        Ok(plan)
    }

    /// Returns the plan except for the bots. Starts no bot.
    fn outline<G: GameKind>(
        &mut self,
        equipment: &G::Equipment,
        earlier: Option<&TournamentFile<G::Setup>>,
        allowed: &Allowed,
    ) -> Result<Outline, Error> {
        self.take_defaults::<G>(earlier, allowed)?;
        let is_from_others = |bot: &Entrant| !bot.is_bundled();
        let has_strangers = self.args.league.is_some() && !self.args.quiet;
        let has_strangers = has_strangers && self.roster.entrants.iter().any(is_from_others);
        let seed = self.args.lineup.containment.seed(self.args.settings.seed, has_strangers)?;
        let seats = self.seats::<G>(equipment, seed)?;
        let rounds = positive("--rounds", self.args.settings.rounds.unwrap_or(ROUNDS_DEFAULT))?;
        let bots = self.roster.len_with_copy();
        let schedule = schedule(&self.args.settings, rounds, bots)?;
        let every_seat_each_deal = G::EVERY_SEAT_EACH_DEAL || self.args.settings.positions.is_some();
        schedule.check_size(Field { bots, seats, rounds, every_seat_each_deal })?;
        Ok(Outline { seed, seats, rounds, schedule })
    }

    /// Returns the settings for a script that plays the tournament in shards. Starts no bot.
    pub(crate) fn in_shards<G: GameKind>(mut self) -> Result<InShards, Error> {
        let positions = self.positions::<G>(Path::new(""), None)?;
        let equipment = self.equip(positions.as_ref(), None)?;
        let Outline { seed, seats, schedule, .. } =
            self.outline::<G>(&equipment, None, &Allowed::default())?;
        let is_given = (self.args.settings.seed.is_some(), self.args.settings.out.is_some());
        self.args.settings.seed = Some(seed);
        let out = self.args.settings.out.take().unwrap_or_else(|| out::free(G::NAME));
        self.args.settings.out = Some(out.clone());
        check_shards(&self.args.settings, &schedule)?;
        let jobs = self.args.settings.jobs.map(|jobs| positive("--jobs", jobs as u64)).transpose()?;
        let is_simultaneous = G::is_simultaneous(G::setup(&equipment));
        let cores = jobs.map(|jobs| jobs * if is_simultaneous { seats as u64 } else { 1 });
        Ok(InShards { seed: (!is_given.0).then_some(seed), out_given: is_given.1, out, cores })
    }

    fn claim<G: GameKind>(&self) -> Result<Claim, Error> {
        let asked: Option<&Path> = self.args.settings.out.as_deref();
        match asked {
            _ if self.args.resume => {
                let out = out::resumed(asked)?;
                if !out.join(TOURNAMENT).exists() { Err(nothing_begun(&out)) } else { Claim::begun(&out) }
            }
            _ if self.args.reveal.is_some() => {
                let begun = asked.filter(|out| !out.join(TOURNAMENT).exists());
                match (begun, begun.map(Commitment::read).transpose()?.flatten()) {
                    (Some(out), Some(_)) => Claim::begun(out),
                    _ => Err(Error::usage("--reveal needs a commitment that is not played yet")
                        .hint("name its directory with --out, or continue with --resume")),
                }
            }
            // Shards can share a directory. Its contents are checked when the plan is known.
            Some(out) if self.args.shard.is_some() => Claim::shared(out),
            _ => out::fresh(asked, self.name.unwrap_or(G::NAME)),
        }
    }

    /// Returns the options for positions.
    fn from(&self) -> FromOptions {
        let TournamentOptions { positions, deal_as_recorded, .. } = &self.args.settings;
        FromOptions { from: positions.clone(), deal_as_recorded: *deal_as_recorded }
    }

    /// Returns the positions of the options, or else of the resumed tournament in this directory. They give the default
    /// numbers of seats and deals.
    fn positions<G: GameKind>(
        &mut self,
        out: &Path,
        earlier: Option<&TournamentFile<G::Setup>>,
    ) -> Result<Option<Positions<G>>, Error> {
        if let (None, Some(earlier)) = (&self.args.settings.positions, earlier) {
            return Positions::of_plan(&out.join(TOURNAMENT), &earlier.plan);
        }
        if self.args.settings.positions.is_none() && self.args.settings.deal_as_recorded {
            return Err(Error::usage("--deal-as-recorded is for --positions").hint("name their file"));
        }
        let found = self.from().read::<G>(&self.args.rules, self.args.lineup.containment.contain)?;
        if let Some(Positions { equipment, positions, seats }) = &found {
            let bytes: usize = positions.iter().map(|position| position.to_line().len()).sum();
            if bytes > POSITIONS_BYTES_MAX {
                let (count, most) = (positions.len(), POSITIONS_BYTES_MAX >> 20);
                return Err(Error::usage(format!(
                    "{count} positions are too many: they take {} MiB",
                    bytes >> 20
                ))
                .hint(format!("a tournament's file has room for {most} MiB: split the positions")));
            }
            let asked = self.args.settings.seats.get_or_insert(Seats::Count(*seats));
            if *asked != Seats::Count(*seats) {
                return Err(Error::usage(format!("--seats {asked}, and the positions have {seats} seats"))
                    .hint("leave out --seats"));
            }
            // Without cards to deal anew, a round repeats the earlier one in its position.
            let repeats = positions.iter().all(|position| position.is_whole(equipment));
            let count = positions.len() as u64;
            let default = if repeats { count } else { count.max(self.rounds_default) };
            let rounds = *self.args.settings.rounds.get_or_insert(default);
            if repeats && rounds > count && !self.args.quiet {
                say(
                    "note: nothing is dealt anew, so more rounds than positions repeat matches of bots without chance",
                );
            }
        }
        Ok(found)
    }

    /// Returns the equipment of the positions or of the options. Without such options, a resumed tournament keeps its
    /// equipment.
    fn equip<G: GameKind>(
        &self,
        positions: Option<&Positions<G>>,
        earlier: Option<&TournamentFile<G::Setup>>,
    ) -> Result<Arc<G::Equipment>, Error> {
        let contain = self.args.lineup.over_tournament(earlier).containment.contain;
        match (positions, earlier) {
            (Some(positions), _) => Ok(Arc::clone(&positions.equipment)),
            (None, Some(earlier))
                if self.args.rules == RulesArgs::default() && self.args.game.command.is_none() =>
            {
                if G::IS_PROGRAM && !self.args.trust {
                    return Err(trust::untrusted_game(&earlier.plan.game));
                }
                equip_plan::<G>(&earlier.plan.setup, self.args.game.run(contain)).map(Arc::new)
            }
            _ => equip::<G>(&self.args.rules.options(&self.args.game, contain)).map(Arc::new),
        }
    }

    /// Checks that the user grants all rights beyond the default that the tournament's file requests.
    fn check_trust<S: Setup>(&self, file: &TournamentFile<S>) -> Result<(), Error> {
        let out = self.args.settings.out.as_deref().unwrap_or(Path::new("."));
        let returning = file.withdrawn.iter().filter(|bot| self.args.replace.contains(&bot.name));
        let bots = file.plan.bots.iter().filter(|bot| !self.args.without.contains(&bot.name));
        let bots = bots.chain(returning).filter(|bot| !self.roster.has(bot));
        trust::check(file, out, bots, &self.args.lineup, self.args.trust)
    }

    /// Fills in missing settings and bots from the resumed tournament or the defaults. Adds the bot of
    /// `--mirror`, and applies the limits to all bots.
    fn take_defaults<G: GameKind>(
        &mut self,
        earlier: Option<&TournamentFile<G::Setup>>,
        allowed: &Allowed,
    ) -> Result<(), Error> {
        if let Some(file) = earlier {
            self.check_trust(file)?;
            self.args.settings = std::mem::take(&mut self.args.settings).over(TournamentOptions::of(file));
            self.args.lineup = std::mem::take(&mut self.args.lineup).over(LineupOptions::of(file));
            self.roster.resume(file, allowed, self.args.trust)?;
        }
        if let Some(mirror) = &self.args.settings.mirror {
            self.roster.mirror(mirror)?;
        }
        if self.roster.entrants.is_empty() {
            self.roster.entrants = G::default_bots()?;
        }
        let lineup = &self.args.lineup;
        self.roster.entrants.iter_mut().try_for_each(|entrant| lineup.grants.apply(entrant))?;
        lineup.limit(&mut self.roster.entrants, false)
    }

    /// Returns true if each match has its own deal, and true if the deal follows from the bots. A resumed tournament keeps its choice. Otherwise each match has
    /// one if a stranger's bot could profit from meeting a deal again: it plays several tables of a round, and the
    /// game has hidden information. A solitary bot plays each deal once.
    fn own_deals<S>(
        &self,
        mode: SandboxLevel,
        is_simultaneous: bool,
        seats: usize,
        earlier: Option<&TournamentFile<S>>,
    ) -> (bool, bool) {
        if let Some(TournamentFile { plan, .. }) = earlier {
            return (plan.own_deals, plan.deals_by_bots);
        }
        let meets_again = seats < self.roster.entrants.len() && !self.roster.is_solitary();
        let own_deals = mode.is_strict() && is_simultaneous && meets_again;
        if own_deals && !self.args.quiet {
            say("note: each match has its own deal, so that no bot meets a deal twice (--contain strict)");
        }
        (own_deals, own_deals)
    }

    /// Returns the concurrency: `--jobs`, or as many matches as the cores can run. Prints a note if more bots
    /// than cores think at the same time.
    fn concurrency(&self, is_simultaneous: bool, seats: usize) -> Result<Concurrency, Error> {
        let thinking = if is_simultaneous && !self.roster.is_solitary() { seats } else { 1 };
        let jobs = self.args.settings.jobs.map(|jobs| positive("--jobs", jobs as u64)).transpose()?;
        let concurrency = Concurrency::new(
            jobs.map(|jobs| jobs as usize),
            thinking,
            self.args.settings.pin || !self.args.settings.no_pin,
        );
        let at_once = concurrency.jobs_thinking * thinking;
        if jobs.is_some_and(|jobs| jobs > 1) && at_once > cores::given() && !self.args.quiet {
            let (bots, cores) = (count(at_once as u64, "bot"), count(cores::given() as u64, "core"));
            say(&format!(
                "note: {bots} think at a time on {cores}; some may exceed their time because of the load"
            ));
        }
        Ok(concurrency)
    }

    /// Returns the number of seats at a table. Checks that there are enough bots and cards.
    fn seats<G: GameKind>(&self, equipment: &G::Equipment, seed: u64) -> Result<usize, Error> {
        let bots = self.roster.len_with_copy();
        let seats = match self.args.settings.seats {
            Some(Seats::Count(seats)) => seats,
            Some(Seats::All) => bots,
            None => G::seats_default(G::setup(equipment)),
        };
        if seats > bots {
            let (are, hint) = match bots {
                1 => ("is 1".to_owned(), "name more bots with --bot, or let it play alone with --seats 1"),
                _ => (format!("are {bots}"), "name more bots with --bot, or fewer --seats"),
            };
            return Err(Error::usage(format!("{seats} seats need {seats} bots, there {are}")).hint(hint));
        }
        check_seats::<G>(equipment, seats, seed).map(|()| seats)
    }
}

/// Returns the file of the tournament to resume.
fn begun<G: GameKind>(out: &Path) -> Result<TournamentFile<G::Setup>, Error> {
    earlier_file::<G>(out)?.ok_or_else(|| nothing_begun(out))
}

fn nothing_begun(out: &Path) -> Error {
    Error::usage(format!("there is no tournament in {}", out.display()))
        .hint("omit --resume to start a new tournament")
}
