//! The plan of a tournament, and the tournament with all that it needs.

use super::args::{Reuse, TournamentArgs, TournamentOptions};
use super::asked::{Asked, InShards};
use super::claimed::Claimed;
use super::lined_up::LinedUp;
use super::outlined::Outlined;
use super::roster::bound;
use crate::report::output::say;
use referee::error::Error;
use referee::games::GameKind;
use referee::play::Rules;
use sandbox::cores;
use serde_json::json;
use tournament::journal::claim::Claim;
use tournament::journal::shard::Shard;
use tournament::plan::earlier::{continued, next_round};
use tournament::plan::tag::is_safe_from;
use tournament::plan::{Plan, TournamentFile, gives_own_deals};
use tournament::report::words::count;
use tournament::run::concurrency::Concurrency;
use tournament::run::tournament::Tournament;
use tournament::schedule::{ScheduleName, positive};

impl Asked {
    /// Returns the tournament, the claim of its directory, and its concurrency. Starts every bot once.
    pub(crate) fn prepare<G: GameKind>(self) -> Result<(Tournament<G>, Claim, Concurrency), Error> {
        self.outlined()?.prepare()
    }

    /// Returns all that is known before any bot starts, with a claim of the directory.
    pub(crate) fn outlined<G: GameKind>(self) -> Result<Outlined<G>, Error> {
        // First the directory: nobody else may change it meanwhile, and the tournament in it is below all settings.
        let claimed = Claimed::<G>::new(self)?;
        // The rules before the plan, because they tell how many seats and rounds there can be.
        let equipped = claimed.equip()?;
        // All that needs no process before any bot starts, so that a wrong option starts none.
        let outlined = equipped.outline()?;
        outlined.check_shard()?;
        Ok(outlined)
    }

    /// Returns the settings for a script that plays the tournament in shards. Claims nothing, and starts no bot.
    pub(crate) fn in_shards<G: GameKind>(self) -> Result<InShards, Error> {
        Claimed::<G>::of_nothing(self).equip()?.outline()?.in_shards()
    }
}

impl<G: GameKind> Outlined<G> {
    /// Returns the tournament, the claim of its directory, and its concurrency. Starts every bot once.
    pub(crate) fn prepare(self) -> Result<(Tournament<G>, Claim, Concurrency), Error> {
        // The bots before the plan, because they tell their names, and those that cannot start are left out.
        self.line_up()?.plan()
    }

    /// Returns the rules of the game.
    pub(crate) fn setup(&self) -> &G::Setup {
        G::setup(&self.equipped.equipment)
    }
}

impl<G: GameKind> LinedUp<G> {
    /// Returns the tournament, the claim of its directory, and its concurrency.
    pub(super) fn plan(self) -> Result<(Tournament<G>, Claim, Concurrency), Error> {
        let is_simultaneous = G::is_simultaneous(G::setup(&self.outlined.equipped.equipment));
        let own_deals = match self.outlined.equipped.positions.is_empty() {
            true => self.own_deals(is_simultaneous),
            false => (false, false),
        };
        let concurrency = self.concurrency(is_simultaneous)?.alone(G::IS_PROGRAM);
        let mode = self.contained.mode;
        self.outlined.roster.check_processes(concurrency.jobs * self.outlined.seats, mode)?;
        let plan = self.planned(own_deals)?;
        let LinedUp { outlined, host, contained, committed, skipped } = self;
        let Outlined { equipped, roster, .. } = outlined;
        let (mut claimed, entrants, settings) = (equipped.claimed, roster.entrants, equipped.settings);
        if claimed.asked.grows {
            // The tournament goes on without those that do not start any more.
            let known: Vec<String> = claimed
                .earlier
                .iter()
                .flat_map(|file| file.plan.bots.iter().map(|bot| bot.name.clone()))
                .collect();
            let gone = skipped.iter().map(|one| one.bot.clone()).filter(|name| known.contains(name));
            claimed.allowed.withdrawn.extend(gone);
        }
        let TournamentArgs { reveal, keep_stderr, live, shard, .. } = claimed.asked.args;
        let mut file = match &claimed.earlier {
            Some(earlier) => continued(earlier, plan, &contained, &claimed.allowed)?,
            None => TournamentFile { containment: Some(contained.clone()), ..TournamentFile::new(plan) },
        };
        if let (Some(value), Some((commitment, then))) = (&reveal, committed) {
            file.reveal(commitment, value, [&then, &bound(&entrants, mode)?])?;
        }
        file.skip(skipped);
        let older = entrants.iter().filter(|entrant| entrant.is_older);
        file.older = older.map(|entrant| entrant.identity.name.clone()).collect();
        let TournamentOptions { title, text, dates, no_solitary, .. } = settings;
        (file.title, file.text, file.dates, file.no_solitary) = (title, text, dates, no_solitary);
        let tournament = Tournament {
            file,
            rules: Rules::new(equipped.equipment),
            positions: equipped.positions,
            entrants,
            host,
            is_own: claimed.is_own && is_safe_from(&contained),
            superseded: [claimed.allowed.replaced, claimed.allowed.withdrawn].concat(),
            joining: claimed.asked.joining,
            keep_stderr,
            live,
            shard: shard.unwrap_or(Shard::WHOLE),
        };
        let out = claimed.out.ok_or_else(|| Error::usage("a tournament needs a directory"))?;
        Ok((tournament, out, concurrency))
    }

    /// Returns the plan for the bots that can start.
    fn planned(&self, (own_deals, deals_by_bots): (bool, bool)) -> Result<Plan<G::Setup>, Error> {
        let Outlined { equipped, roster, seed, seats, rounds, schedule } = &self.outlined;
        let mut schedule = schedule.clone();
        let bots: Vec<_> = roster.entrants.iter().map(|entrant| entrant.identity.clone()).collect();
        if bots.len() < *seats {
            let able = count(bots.len() as u64, "bot");
            return Err(Error::usage(format!("{seats} seats need {seats} bots, and {able} can start")));
        }
        if schedule.schedule == ScheduleName::Gauntlet {
            // A challenger on trial may not start any more.
            let is_out = |name: &mut String| {
                equipped.claimed.asked.grows && self.skipped.iter().any(|one| one.bot == *name)
            };
            schedule.challenger.take_if(is_out);
            schedule.challenger.get_or_insert_with(|| bots[0].name.clone());
        }
        if let Some(earlier) = &equipped.claimed.earlier {
            let now = bots.iter().map(|bot| bot.name.clone()).collect();
            let next = || next_round(equipped.claimed.path(), &earlier.plan);
            schedule.participants = earlier.plan.schedule.participants([earlier.plan.names(), now], next)?;
        }
        let setup = G::setup(&equipped.equipment);
        let plan = Plan {
            game: G::name(setup).into_owned(),
            schedule,
            seed: *seed,
            rounds: *rounds,
            seats: *seats,
            own_deals,
            deals_by_bots,
            seats_by_names: self.outlined.is_by_names(),
            positions: equipped.positions.iter().map(|position| json!(position)).collect(),
            limits: equipped.lineup.times.time_control(),
            memory_bytes: equipped.lineup.containment.memory,
            freeze: self.host.freezes(),
            reuse: equipped.settings.reuse.is_some(),
            trusting: equipped.settings.reuse == Some(Reuse::Trusting),
            bots,
            setup: setup.clone(),
        };
        plan.progress(G::EVERY_SEAT_EACH_DEAL)?;
        Ok(plan)
    }

    /// Returns true if each match has its own deal, and true if the deal follows from the bots. A resumed tournament keeps
    /// its choice. A solitary bot plays each deal once.
    fn own_deals(&self, is_simultaneous: bool) -> (bool, bool) {
        let Outlined { equipped, roster, seats, schedule, .. } = &self.outlined;
        if let Some(TournamentFile { plan, .. }) = &equipped.claimed.earlier {
            return (plan.own_deals, plan.deals_by_bots);
        }
        let meets_again = (*seats < roster.entrants.len() || equipped.claimed.asked.grows)
            && !roster.is_solitary()
            && (G::EVERY_SEAT_EACH_DEAL || schedule.schedule != ScheduleName::Draw);
        let own_deals = gives_own_deals(self.contained.mode, is_simultaneous, meets_again);
        if own_deals && !equipped.claimed.asked.args.quiet {
            say("note: each match has its own deal, so that no bot meets a deal twice (--contain strict)");
        }
        (own_deals, own_deals)
    }

    /// Returns the concurrency: `--jobs`, or as many matches as the cores can run. Prints a note if more bots
    /// than cores think at the same time.
    fn concurrency(&self, is_simultaneous: bool) -> Result<Concurrency, Error> {
        let Outlined { equipped, roster, seats, .. } = &self.outlined;
        let TournamentOptions { jobs, pin, no_pin, .. } = equipped.settings;
        let thinking = if is_simultaneous && !roster.is_solitary() { *seats } else { 1 };
        let jobs = jobs.map(|jobs| positive("--jobs", jobs as u64)).transpose()?;
        let concurrency = Concurrency::new(jobs.map(|jobs| jobs as usize), thinking, pin || !no_pin);
        let at_once = concurrency.jobs_thinking * thinking;
        if jobs.is_some_and(|jobs| jobs > 1) && at_once > cores::given() && !equipped.claimed.asked.args.quiet
        {
            let (bots, cores) = (count(at_once as u64, "bot"), count(cores::given() as u64, "core"));
            say(&format!(
                "note: {bots} think at a time on {cores}; some may exceed their time because of the load"
            ));
        }
        Ok(concurrency)
    }
}
