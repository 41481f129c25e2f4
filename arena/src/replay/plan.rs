//! A record against the plan of its tournament: is this the match that the plan has there?

use crate::games::Playable;
use crate::plan::TournamentFile;
use crate::record::MatchRecord;
use crate::schedule::{RoundRobin, Schedule};
use crate::seeds::deal_seed;

use super::{Difference, Place};

/// What the plan of a tournament says of each match.
#[derive(Clone, Debug)]
pub struct PlanCheck {
    schedule: RoundRobin,
    names: Vec<String>,
    seed: u64,
}

impl PlanCheck {
    /// Of this tournament.
    pub fn new<G: Playable>(file: &TournamentFile<G>) -> PlanCheck {
        let plan = &file.plan;
        let names: Vec<String> = plan.bots.iter().map(|bot| bot.name.clone()).collect();
        let schedule = RoundRobin::new(names.len(), plan.seats, plan.rounds, G::EVERY_SEAT_EACH_DEAL);
        PlanCheck { schedule, names, seed: plan.seed }
    }

    /// Whether round, bots and seed are those of the match with this index.
    ///
    /// # Errors
    /// What differs.
    pub fn check<G: Playable>(&self, record: &MatchRecord<G>) -> Result<(), Difference> {
        let whole = |what: String| Err(Difference::new(record, Place::default(), what));
        if record.index >= self.schedule.total() {
            return whole(format!("the plan has matches 0 to {}", self.schedule.total().saturating_sub(1)));
        }
        let planned = self.schedule.pairing(record.index);
        if record.round != planned.round {
            return whole(format!(
                "it is in round {}, and in round {} of the plan",
                record.round, planned.round
            ));
        }
        if record.bots.len() != planned.bots.len() {
            return whole(format!("{} bots, and the plan has {}", record.bots.len(), planned.bots.len()));
        }
        for (seat, &bot) in planned.bots.iter().enumerate() {
            let (found, name) = (&record.bots[seat], &self.names[bot]);
            if found != name {
                let what = format!("the bot is {found:?}, and {name:?} in the plan");
                return Err(Difference::new(record, Place::seat(record, seat), what));
            }
        }
        match deal_seed(self.seed, planned.round) {
            seed if seed == record.seed => Ok(()),
            seed => whole(format!("the seed is {}, and {seed} in the plan", record.seed)),
        }
    }
}
