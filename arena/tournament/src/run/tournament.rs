//! A tournament: workers that play the schedule, and the one owner of everything they share.
//!
//! The workers take the next match, play it and hand the record to the owner. The owner alone writes
//! files and counts: a match counts when its line is on the disk. Records that came in together are
//! flushed together.

use std::sync::Arc;

use crate::journal::shard::Shard;
use crate::plan::TournamentFile;
use referee::bots::entrants::Entrant;
use referee::error::Error;
use referee::games::Playable;
use referee::play::clock::TimeControl;
use referee::play::{MatchPlan, SetupWords};
use sandbox::Host;

/// A tournament ready to be played.
#[derive(Debug)]
pub struct Tournament<G: Playable> {
    /// What determines it.
    pub file: TournamentFile<G>,
    /// Rules and components.
    pub equipment: Arc<G::Equipment>,
    /// The bots, in the order of the plan.
    pub entrants: Vec<Entrant>,
    /// What all bots share.
    pub host: Host,
    /// Whether what sound bots write to stderr is kept as well.
    pub keep_stderr: bool,
    /// Whether its matches can be watched while they are played.
    pub live: bool,
    /// Which part of it is played here.
    pub shard: Shard,
}

impl<G: Playable> Tournament<G> {
    /// The options under which its matches are played, for the command that plays one again.
    pub(crate) fn options(&self) -> String {
        let plan = &self.file.plan;
        let memory = plan.memory_bytes.map_or(String::new(), |bytes| format!(" --memory {bytes}B"));
        plan.limits.options() + &memory + G::GAME.freeze_option(plan.freeze) + &G::options_of(&plan.setup)
    }

    /// Number of matches of the whole plan, as far as it is known before any result.
    ///
    /// # Errors
    /// A schedule that cannot be played.
    pub fn total(&self) -> Result<u64, Error> {
        Ok(self.file.plan.course()?.total())
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.entrants.iter().map(|entrant| entrant.name.clone()).collect()
    }
}

/// The match of a seed between these bots.
///
/// # Errors
/// Where so many seats cannot play.
pub fn match_plan<G: Playable>(
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
    Ok(MatchPlan { index, round, seed, bots, equipment, setup, deal, time })
}
