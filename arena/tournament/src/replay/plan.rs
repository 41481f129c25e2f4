//! Checks a record against the plan of its tournament.

use std::sync::Arc;

use crate::plan::{MatchSeeds, TournamentFile};
use crate::schedule::ScheduleProgress;
use crate::state::State;
use referee::error::Error;
use referee::games::GameKind;
use referee::play::Position;
use referee::record::MatchRecord;

use super::{Difference, Lines, Place};

/// The plan of a tournament, prepared for checks of its matches.
#[derive(Clone, Debug)]
pub struct PlanCheck {
    schedule: Arc<ScheduleProgress>,
    names: Vec<String>,
    /// The number of each bot among the copies of the same bot.
    copies: Vec<u32>,
    seeds: MatchSeeds,
}

impl PlanCheck {
    /// Prepares the checks of this tournament. If later matches depend on earlier results, the results come
    /// from the lines of the journal. A line that is damaged or not in the plan changes nothing; the judge reports it
    /// later.
    ///
    /// # Errors
    /// Fails if the schedule cannot be played, or if the lines cannot be read.
    pub fn new<G: GameKind>(file: &TournamentFile<G::Setup>, mut lines: Lines) -> Result<PlanCheck, Error> {
        let plan = &file.plan;
        let names: Vec<String> = plan.bots.iter().map(|bot| bot.name.clone()).collect();
        let mut state = State::new(file, plan.progress(G::EVERY_SEAT_EACH_DEAL)?);
        let mut line = Vec::new();
        while state.schedule().is_adaptive() && lines.read(&mut line)? {
            let _ = serde_json::from_slice(&line).map(|summary| state.apply(&summary));
        }
        Ok(PlanCheck {
            schedule: Arc::new(state.into_schedule()),
            names,
            copies: file.copies(),
            seeds: plan.seeds(),
        })
    }

    /// Checks the round, the bots, and the seeds against the match with this index.
    ///
    /// # Errors
    /// Returns the first difference.
    pub fn check<G: GameKind>(&self, record: &MatchRecord<G>) -> Result<(), Difference> {
        let whole = |what: String| Err(Difference::new(record, Place::default(), what));
        let Some(planned) = self.schedule.pairing(record.index) else {
            return whole(format!("the plan has matches 0 to {}", self.schedule.total().saturating_sub(1)));
        };
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
            let found = record.copies.get(seat).copied().unwrap_or(0);
            if found != self.copies[bot] {
                let what =
                    format!("{name} is copy {found} of its bot, and copy {} in the plan", self.copies[bot]);
                return Err(Difference::new(record, Place::seat(record, seat), what));
            }
        }
        let position = Position::start_of(record).map(|position| position.digest());
        if position.as_deref() != self.seeds.digest(planned.round) {
            return whole("it does not start in the position of its round".to_owned());
        }
        match self.seeds.seed(planned.round) {
            seed if seed == record.seed => Ok(()),
            seed => whole(format!("the seed is {}, and {seed} in the plan", record.seed)),
        }
    }
}
