//! The state of a tournament: its matches, folded one by one into the counts and the progress of the schedule.
//!
//! Every command that reads a journal uses this fold, so all of them accept and refuse the same journals. One
//! exception: while bots are added to a tournament, its journal still has the indices of the earlier plan. Resuming
//! renumbers the matches, and `serve` reads them meanwhile.

use crate::plan::{MatchSeeds, Skipped, TournamentFile, TournamentHead, copies};
use crate::schedule::{Pairing, ScheduleProgress};
use crate::standings::{CopyNoise, Encounter, Standings, Tally};
use referee::error::Error;
use referee::play::time_control::OwnLimits;
use referee::record::{ResultRecord, Summary};

/// The state of a tournament after some of its matches.
#[derive(Debug)]
pub struct State {
    names: Vec<String>,
    /// For each bot, the first bot with the same command.
    originals: Vec<usize>,
    /// The own limits of each bot.
    limits: Vec<OwnLimits>,
    /// The seeds of the matches.
    seeds: MatchSeeds,
    schedule: ScheduleProgress,
    tally: Tally,
    /// Matches of stages that were not known yet, or with indices of an earlier plan, each with that index.
    early: Vec<(Pairing, u64)>,
    changes: Vec<String>,
    withdrawn: Vec<String>,
    skipped: Vec<Skipped>,
    older: Vec<String>,
    unheld: Vec<String>,
}

/// A match that was applied to a state.
#[derive(Debug)]
pub struct Applied {
    /// The numbers of its bots, by seat.
    pub bots: Vec<usize>,
    /// False if the match was known before.
    pub is_new: bool,
}

impl State {
    /// Returns the state before the first match.
    pub fn new<S>(file: &TournamentFile<S>, schedule: ScheduleProgress) -> State {
        let plan = &file.plan;
        let names = plan.names();
        let originals = copies(&plan.bots).into_iter().map(|(original, _)| original).collect();
        let unheld = plan.bots.iter().filter(|bot| bot.unheld.is_some());
        let tally = Tally::new(&plan.game, &names, plan.bot_limits());
        State {
            names,
            originals,
            limits: plan.bots.iter().map(|bot| bot.limits).collect(),
            seeds: plan.seeds(),
            schedule,
            tally,
            early: Vec::new(),
            changes: file.changes.clone(),
            withdrawn: file.withdrawn.iter().map(|bot| bot.name.clone()).collect(),
            skipped: file.skipped.clone(),
            older: file.older.clone(),
            unheld: unheld.map(|bot| bot.name.clone()).collect(),
        }
    }

    /// Returns the state before the first match of the tournament with this `tournament.json`.
    ///
    /// # Errors
    /// Fails if this program does not know the game, or if the schedule cannot be played.
    pub fn of(head: &TournamentHead) -> Result<State, Error> {
        Ok(State::new(head, head.progress()?))
    }

    /// Takes the matches of a count that was kept.
    pub(crate) fn restore(&mut self, tally: Tally) {
        tally.each_match(|round, places| {
            let bots = places.iter().map(|place| place.bot as usize).collect();
            let (ranks, scores) = places.iter().map(|place| (place.rank, place.score)).unzip();
            let result = ResultRecord { scores, ranks, rounds: None, faults: vec![None; places.len()] };
            self.schedule.take(&Pairing { round, bots }, &result);
        });
        self.tally = tally;
    }

    /// Applies a match. A known match changes nothing.
    ///
    /// # Errors
    /// Fails if the plan has no such match, or has it with another index or seed. Fails if seats and results do not fit
    /// each other, or if the match was applied before with another result.
    pub fn apply(&mut self, summary: &Summary) -> Result<Applied, Error> {
        self.apply_pairing(summary, pairing_of(summary, &self.names)?)
    }

    /// Applies a match of which the pairing is known.
    ///
    /// # Errors
    /// As [`apply`](State::apply).
    pub(crate) fn apply_pairing(&mut self, summary: &Summary, pairing: Pairing) -> Result<Applied, Error> {
        match self.planned(&pairing, summary)? {
            Some(index) if index != summary.index => Err(not_in_the_plan(summary.index)),
            planned => self.count(summary, pairing, planned),
        }
    }

    /// Applies a match of a journal whose indices may belong to an earlier plan with fewer bots.
    ///
    /// # Errors
    /// As [`apply`](State::apply), except for another index.
    pub fn apply_of_earlier_plan(&mut self, summary: &Summary) -> Result<Applied, Error> {
        let pairing = pairing_of(summary, &self.names)?;
        let planned = self.planned(&pairing, summary)?;
        self.count(summary, pairing, planned)
    }

    /// Returns the plan's index of a match, or `None` if it is known only after the results of earlier stages.
    fn planned(&self, pairing: &Pairing, summary: &Summary) -> Result<Option<u64>, Error> {
        let planned = self.schedule.index_of(pairing);
        if planned.is_some() || self.schedule.is_adaptive() {
            return Ok(planned);
        }
        let (index, found, seed) = (summary.index, summary.seed, self.seeds.seed(summary.round));
        Err(match found == seed {
            true => not_in_the_plan(index),
            false => Error::usage(format!(
                "match {index} is not in the plan: it has the seed {found}, and its round {seed}"
            )),
        })
    }

    fn count(&mut self, summary: &Summary, pairing: Pairing, planned: Option<u64>) -> Result<Applied, Error> {
        let seed = self.seeds.seed(summary.round);
        if seed != summary.seed {
            let (index, found) = (summary.index, summary.seed);
            return Err(Error::usage(format!("match {index} has the seed {found}, and {seed} in the plan")));
        }
        let before = self.tally.matches();
        self.tally.add(summary)?;
        self.schedule.take(&pairing, &summary.result);
        if planned != Some(summary.index) {
            self.early.push((pairing.clone(), summary.index));
        }
        Ok(Applied { bots: pairing.bots, is_new: self.tally.matches() > before })
    }

    /// Checks the indices that could not be checked when their matches were applied. Call it after the last match of a
    /// journal.
    ///
    /// # Errors
    /// Fails if the plan has no such match or another index for it.
    pub fn end(&mut self) -> Result<(), Error> {
        match self.end_of_earlier_plan()? {
            None => Ok(()),
            Some(index) => Err(not_in_the_plan(index)),
        }
    }

    /// As [`end`](State::end), but returns the first match with another index in the plan.
    pub(crate) fn end_of_earlier_plan(&mut self) -> Result<Option<u64>, Error> {
        let mut moved = None;
        for (pairing, index) in std::mem::take(&mut self.early) {
            match self.schedule.index_of(&pairing) {
                None => return Err(not_in_the_plan(index)),
                Some(planned) if planned != index => moved = moved.or(Some(index)),
                Some(_) => {}
            }
        }
        Ok(moved)
    }

    /// Returns the plan's index of a match in a journal.
    ///
    /// # Errors
    /// Fails if the plan has no such match.
    pub(crate) fn planned_index(&self, summary: &Summary) -> Result<u64, Error> {
        let pairing = pairing_of(summary, &self.names)?;
        self.schedule.index_of(&pairing).ok_or_else(|| not_in_the_plan(summary.index))
    }

    /// Returns the tables of the applied matches.
    pub fn standings(&self) -> Standings {
        let mut standings = self.tally.standings();
        for row in &mut standings.rows {
            let bot = self.names.iter().position(|name| *name == row.bot);
            row.limits = bot.map(|bot| self.limits[bot]).unwrap_or_default();
        }
        let copies = self.copies(&standings);
        Standings {
            outcome: self.schedule.outcome(&self.names),
            copies,
            changes: self.changes.clone(),
            withdrawn: self.withdrawn.clone(),
            skipped: self.skipped.clone(),
            older: self.older.clone(),
            unheld: self.unheld.clone(),
            ..standings
        }
    }

    /// Compares each copy of a bot with the original.
    fn copies(&self, standings: &Standings) -> Vec<CopyNoise> {
        let pairs = self.originals.iter().enumerate().filter(|&(bot, &original)| bot != original);
        let noise = pairs.filter_map(|(bot, &original)| {
            let [bot, original] = [bot, original].map(|number| self.names[number].as_str());
            let met = |met: &&Encounter| met.bot == original && met.against == bot;
            let &Encounter { mean_margin, margin_ci95, .. } = standings.crosstable.iter().find(met)?;
            Some(CopyNoise { bot: original.to_owned(), copy: bot.to_owned(), mean_margin, margin_ci95 })
        });
        noise.collect()
    }

    /// The names of the bots, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The progress of the schedule.
    pub fn schedule(&self) -> &ScheduleProgress {
        &self.schedule
    }

    /// Returns the progress of the schedule alone.
    pub(crate) fn into_schedule(self) -> ScheduleProgress {
        self.schedule
    }

    /// The counts of the applied matches.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}

fn not_in_the_plan(index: u64) -> Error {
    Error::usage(format!("match {index} is not in the plan"))
}

/// Returns the round and the bots of a match in a journal.
///
/// # Errors
/// Fails if a bot does not take part in the tournament.
fn pairing_of(summary: &Summary, names: &[String]) -> Result<Pairing, Error> {
    let number = |name: &String| {
        names.iter().position(|known| known == name).ok_or_else(|| {
            Error::usage(format!("match {}: the bot {name:?} does not take part", summary.index))
        })
    };
    let bots = summary.bots.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    Ok(Pairing { round: summary.round, bots })
}
