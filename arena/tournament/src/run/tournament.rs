//! The description of a tournament that is ready to run. [`Tournament::run`] plays it.

use std::sync::Arc;

use crate::journal::shard::Shard;
use crate::plan::TournamentFile;
use referee::bots::entrants::Entrant;
use referee::error::Error;
use referee::games::{GameKind, freeze_option};
use referee::play::time_control::TimeControl;
use referee::play::{MatchPlan, SetupWords};
use sandbox::Host;

/// A tournament that is ready to run.
#[derive(Debug)]
pub struct Tournament<G: GameKind> {
    /// The plan, and the machine.
    pub file: TournamentFile<G>,
    /// Rules and components.
    pub equipment: Arc<G::Equipment>,
    /// The bots, in the order of the plan.
    pub entrants: Vec<Entrant>,
    /// The facilities that all bots share.
    pub host: Host,
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
        plan.limits.options() + &memory + freeze_option::<G>(plan.freeze) + &G::options_of(&plan.setup)
    }

    /// The number of matches of the whole plan, as far as known before any result.
    ///
    /// # Errors
    /// Fails if the schedule cannot be played.
    pub fn total(&self) -> Result<u64, Error> {
        Ok(self.file.plan.course()?.total())
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.entrants.iter().map(|entrant| entrant.name.clone()).collect()
    }
}

/// Returns the match of a seed between different bots.
///
/// # Errors
/// Fails if the game does not allow this number of seats.
pub fn match_plan<G: GameKind>(
    equipment: &Arc<G::Equipment>,
    setup: &Arc<SetupWords<G>>,
    index: u64,
    round: u64,
    seed: u64,
    bots: Vec<String>,
    time: TimeControl,
) -> Result<MatchPlan<G>, Error> {
    let deal = G::deal(equipment, bots.len(), seed).map_err(|error| Error::usage(error.to_string()))?;
    let (equipment, setup) = (Arc::clone(equipment), Arc::clone(setup));
    Ok(MatchPlan { index, round, seed, bots, copies: Vec::new(), equipment, setup, deal, time })
}
