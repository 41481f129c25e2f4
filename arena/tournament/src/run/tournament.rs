//! The description of a tournament that is ready to run. [`Tournament::run`] plays it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::journal::shard::Shard;
use crate::plan::tag::is_own;
use crate::plan::{MatchSeeds, TournamentFile};
use referee::bots::entrants::Entrant;
use referee::error::Error;
use referee::games::{GameKind, freeze_option};
use referee::play::{MatchPlan, Position, Rules, SeatPlan};
use sandbox::Host;
use sandbox::text::few;

/// A tournament that is ready to run.
#[derive(Debug)]
pub struct Tournament<G: GameKind> {
    /// The plan, and the machine.
    pub file: TournamentFile<G::Setup>,
    /// Rules and components.
    pub rules: Arc<Rules<G>>,
    /// The positions in which matches start, if the plan has some.
    pub positions: Vec<Position<G>>,
    /// The bots, in the order of the plan.
    pub entrants: Vec<Entrant>,
    /// The facilities that all bots share.
    pub host: Host,
    /// True if the plan gets the tag of this user's own results.
    pub is_own: bool,
    /// The names of the bots whose earlier matches count no longer, because they were replaced or withdrawn.
    pub superseded: Vec<String>,
    /// Directories with matches of this plan between bots of the same versions, which count here too.
    pub joining: Vec<PathBuf>,
    /// True if the stderr of bots without a fault is kept as well.
    pub keep_stderr: bool,
    /// True if running matches can be watched.
    pub live: bool,
    /// The shard that this process plays.
    pub shard: Shard,
}

impl<G: GameKind> Tournament<G> {
    /// Returns the options of its matches, for the command that plays a match again.
    pub(crate) fn options(&self) -> String {
        let plan = &self.file.plan;
        let memory = plan.memory_bytes.map_or(String::new(), |bytes| format!(" --memory {bytes}B"));
        plan.limits.options()
            + &memory
            + freeze_option::<G>(&plan.setup, plan.freeze)
            + &G::options_of(&plan.setup)
    }

    /// Returns the match with this index in this round between these bots. `seeds` are those of the plan.
    ///
    /// # Errors
    /// The game does not allow this number of seats, or a position cannot be played.
    pub(crate) fn match_plan(
        &self,
        seeds: &MatchSeeds,
        index: u64,
        round: u64,
        seats: Vec<SeatPlan>,
    ) -> Result<MatchPlan<G>, Error> {
        let (rules, seed) = (&self.rules, seeds.seed(round));
        let plan = match seeds.place(round) {
            None => MatchPlan::dealt(rules, seed, seats)?,
            Some(place) => {
                let start = self.positions[place].start(&rules.equipment, seed);
                MatchPlan::new(rules, seed, start, seats)
            }
        };
        Ok(MatchPlan { index, round, ..plan })
    }

    /// The number of matches of the whole plan, as far as known before any result.
    ///
    /// # Errors
    /// Fails if the schedule cannot be played.
    pub fn total(&self) -> Result<u64, Error> {
        Ok(self.file.plan.progress(G::EVERY_SEAT_EACH_DEAL)?.total())
    }

    /// Returns the command that continues it: `arena tournament`, or `arena compare`.
    pub fn resume(&self, command: &str, out: &Path) -> String {
        let trust = if self.is_own && is_own(out) { "" } else { " --trust" };
        format!("arena {command} --resume --out {}{trust}", shell_words::quote(&out.to_string_lossy()))
    }

    /// Says which bot has changed while it played, since which match, and how to go on. Returns `None` if none has.
    pub fn changed(&self, command: &str, out: &Path) -> Option<Error> {
        let changed = |entrant: &Entrant| {
            let (file, since) = entrant.watched.changed()?;
            Some((entrant.identity.name.clone(), file.to_owned(), since))
        };
        let (name, file, since) = self.entrants.iter().find_map(changed)?;
        let shown = file.display();
        let what = format!("{shown} of bot {name:?} has changed: its matches from {since} on are not played");
        let how = match self.file.plan.schedule.is_adaptive() || self.shard != Shard::WHOLE {
            true => "put the old file back and go on, or begin a new tournament".to_owned(),
            false => {
                let resume = self.resume(command, out);
                format!("play all of its matches with the new one: {resume} --replace {name}")
            }
        };
        Some(Error::usage(what).hint(how))
    }

    /// Says which bots play with what was held at the beginning although their files are others now, and how to play with the
    /// new ones.
    pub fn older(&self, command: &str, out: &Path) -> Option<String> {
        let bots = &self.file.older;
        let resume = self.resume(command, out);
        let options: String = bots.iter().map(|bot| format!(" --replace {bot}")).collect();
        (!bots.is_empty()).then(|| {
            let names = few(&bots.iter().map(|bot| format!("{bot:?}")).collect::<Vec<_>>());
            format!("note: the files of {names} are others now; held ones play\n  hint: play all anew with {resume}{options}")
        })
    }

    /// Adds to an error that stopped the tournament how to go on, unless it says so already.
    pub fn told(&self, command: &str, out: &Path, error: Error) -> Error {
        match error.cure().is_some() {
            true => error,
            false => error.hint(format!("continue with: {}", self.resume(command, out))),
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.entrants.iter().map(|entrant| entrant.identity.name.clone()).collect()
    }
}
