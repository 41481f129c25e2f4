//! The progress of a tournament.

use std::collections::HashMap;
use std::sync::Arc;

use super::results::Meetings;
use super::{Indices, Outcome, Pairing, Results, Schedule, Stage, SwissTable, Tie};
use referee::record::ResultRecord;

/// Whether each match has a deal of its own, and which one.
#[derive(Clone, Debug)]
pub enum OwnDeals {
    /// The matches of a round share a deal.
    None,
    /// The index of a match decides.
    ByIndex,
    /// The round and the names of the bots at the table decide, with the seed of the tournament.
    ByTable {
        /// The seed of the tournament.
        seed: u64,
        /// The names of all bots.
        names: Arc<[String]>,
    },
}

/// A schedule with its results so far, in any order of arrival. Matches have indices; the indices of a stage
/// follow the indices of the stages before it.
#[derive(Debug)]
pub struct ScheduleProgress {
    schedule: Box<dyn Schedule>,
    own_deals: OwnDeals,
    /// The known stages, each with the index of its first match.
    stages: Vec<(u64, Arc<Stage>)>,
    /// The finished matches of the last known stage.
    done: Indices,
    is_over: bool,
    /// The results of the finished stages.
    results: Results,
    /// The results of the last known stage, and of matches in no known stage. Empty unless the schedule is
    /// adaptive.
    waiting: HashMap<Pairing, ResultRecord>,
}

impl ScheduleProgress {
    /// A tournament without results.
    pub fn new(schedule: Box<dyn Schedule>, own_deals: OwnDeals) -> ScheduleProgress {
        let (results, waiting) = (Results::default(), HashMap::new());
        let (stages, done) = (Vec::new(), Indices::default());
        let mut progress =
            ScheduleProgress { schedule, own_deals, stages, done, is_over: false, results, waiting };
        progress.begin_stage(0);
        progress.advance();
        progress
    }

    /// Asks the schedule for the next stage, which begins with the match `first`.
    fn begin_stage(&mut self, first: u64) {
        let Some(next) = self.schedule.stage(self.stages.len() as u64, &self.results) else {
            self.is_over = true;
            return;
        };
        let next = match &self.own_deals {
            OwnDeals::None => next,
            OwnDeals::ByIndex => next.with_deals_by_index(first),
            OwnDeals::ByTable { seed, names } => next.with_deals_by_table(*seed, names),
        };
        let there = self.waiting.keys().filter_map(|pairing| next.place_of(pairing));
        self.done = there.map(|place| first + place).collect();
        self.stages.push((first, Arc::new(next)));
    }

    /// Returns true if later matches depend on earlier results.
    pub fn is_adaptive(&self) -> bool {
        self.schedule.is_adaptive()
    }

    /// Returns true once all matches are finished.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The number of matches in the known stages and in the planned stages after them.
    pub fn total(&self) -> u64 {
        let last = self.stages.last();
        last.map_or(0, |(first, stage)| first + stage.total() + if self.is_over { 0 } else { stage.later })
    }

    /// The current stage: its number, the index of its first match, and its matches.
    pub fn now(&self) -> Option<(usize, u64, Arc<Stage>)> {
        let (first, stage) = self.stages.last()?;
        (!self.is_over).then(|| (self.stages.len() - 1, *first, Arc::clone(stage)))
    }

    /// The indices of the finished matches of the last known stage.
    pub fn done(&self) -> &Indices {
        &self.done
    }

    /// Returns the first unfinished match from this index on that satisfies `is_ours`, or the total number of
    /// matches. The search begins at the last known stage.
    pub(crate) fn next_open(&self, from: u64, is_ours: impl Fn(u64) -> bool) -> u64 {
        let first = self.stages.last().map_or(0, |(first, _)| *first).max(from);
        let is_open = |&index: &u64| is_ours(index) && !self.done.contains(index);
        (first..self.total()).find(is_open).unwrap_or(self.total())
    }

    /// The match with this index, if its stage is known.
    pub fn pairing(&self, index: u64) -> Option<Pairing> {
        let (first, stage) = self.stages.iter().rev().find(|(first, _)| *first <= index)?;
        let place = index - first;
        (place < stage.total()).then(|| stage.pairing(place))
    }

    /// The index of a match, if its stage is known.
    pub(crate) fn index_of(&self, pairing: &Pairing) -> Option<u64> {
        let place = |(first, stage): &(u64, Arc<Stage>)| stage.place_of(pairing).map(|place| first + place);
        self.stages.iter().rev().find_map(place)
    }

    /// Records the result of a match. After the last match of a stage, the next stage becomes known.
    pub fn take(&mut self, pairing: &Pairing, result: &ResultRecord) {
        let (first, stage) = match self.stages.last() {
            Some((first, stage)) => (*first, Arc::clone(stage)),
            None => return,
        };
        if let Some(place) = stage.place_of(pairing) {
            self.done.insert(first + place);
        } else if self.index_of(pairing).is_some() {
            return; // a repeated match of a finished stage
        }
        if self.is_adaptive() {
            self.waiting.insert(pairing.clone(), result.clone());
        }
        self.advance();
    }

    /// Begins the next stage, as long as all matches of the last known one are finished.
    fn advance(&mut self) {
        while !self.is_over {
            let Some((first, stage)) = self.stages.last().cloned() else { return };
            if self.done.len() < stage.total() {
                return;
            }
            if self.is_adaptive() {
                for place in 0..stage.total() {
                    if let Some(result) = self.waiting.remove(&stage.pairing(place)) {
                        self.results.add(&stage.in_its_round(place), &result);
                    }
                }
            }
            self.begin_stage(first + stage.total());
        }
    }

    /// Returns the outcome of the schedule after the finished stages, and what the running one has so far.
    pub fn outcome(&self, names: &[String]) -> Option<Outcome> {
        let mut outcome = self.schedule.outcome(&self.results, names)?;
        match &mut outcome {
            Outcome::Swiss { now, .. } => *now = self.running_ties(names),
            Outcome::SwissTables { now, .. } => {
                let Some((stage, meetings)) = self.running() else { return Some(outcome) };
                *now = stage.tables().map(|table| SwissTable::of(table, &meetings, names)).collect();
            }
            Outcome::Knockout { rounds, now, .. } if !self.is_over => {
                let ties = self.running_ties(names);
                *now = rounds.last().into_iter().flatten().map(|tie| tie.clone().with(&ties)).collect();
            }
            Outcome::Knockout { .. } | Outcome::Ladder(_) | Outcome::UntilDecided(_) => {}
        }
        Some(outcome)
    }

    /// The running stage, and its meetings so far, whose results wait for its end.
    fn running(&self) -> Option<(Arc<Stage>, Meetings)> {
        let (_, _, stage) = self.now()?;
        let mut results = Results::default();
        for place in 0..stage.total() {
            if let Some(result) = self.waiting.get(&stage.pairing(place)) {
                results.add(&stage.in_its_round(place), result);
            }
        }
        Some((stage, results.meetings(0..u64::MAX)))
    }

    fn running_ties(&self, names: &[String]) -> Vec<Tie> {
        let Some((stage, meetings)) = self.running() else { return Vec::new() };
        let pairs = stage.tables().map(|table| (table[0].min(table[1]), table[0].max(table[1])));
        let tie = |pair| {
            let meeting = meetings.get(&pair).copied().unwrap_or_default();
            Tie { winner: None, ..Tie::of(pair, meeting, names) }
        };
        pairs.map(tie).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::knockout::{Knockout, Seeding};
    use crate::schedule::swiss::Swiss;
    use crate::schedule::{Field, Lots, Tie};

    const NAMES: [&str; 4] = ["a", "b", "c", "d"];

    /// Takes the results of a stage's first matches. The bot of the lower number wins each.
    fn take(progress: &mut ScheduleProgress, matches: u64) {
        let (_, _, stage) = progress.now().expect("a stage");
        for place in 0..matches.min(stage.total()) {
            let pairing = stage.pairing(place);
            let rank = |seat: usize| if pairing.bots[seat] < pairing.bots[1 - seat] { 1 } else { 2 };
            let ranks = vec![rank(0), rank(1)];
            let scores = ranks.iter().map(|&rank| 10 - rank as i32).collect();
            progress.take(&pairing, &ResultRecord { scores, ranks, rounds: None, faults: vec![None; 2] });
        }
    }

    fn points(ties: &[Tie]) -> Vec<(&str, [f64; 2], bool)> {
        ties.iter().map(|tie| (tie.bot.as_str(), tie.points, tie.winner.is_some())).collect()
    }

    #[test]
    fn a_running_round_has_points_and_no_winners_and_leaves_the_rest_alone() {
        let field = || Field { bots: 4, seats: 2, rounds: 2, every_seat_each_deal: false };
        let knockout: Box<dyn Schedule> = Box::new(Knockout::new(field(), Seeding::Order, 1));
        let swiss: Box<dyn Schedule> =
            Box::new(Swiss { field: field(), swiss_rounds: 2, lots: Lots::default(), seed: 7 });
        let names = NAMES.map(str::to_owned);
        for schedule in [knockout, swiss] {
            let mut progress = ScheduleProgress::new(schedule, OwnDeals::None);
            take(&mut progress, 3);
            let outcome = progress.outcome(&names).expect("an outcome");
            let so_far = outcome.rounds_so_far();
            assert_eq!(points(&so_far[0])[0], ("a", [2.0, 0.0], false), "{outcome:?}");
            assert_eq!(so_far[0].iter().map(|tie| tie.points[0] + tie.points[1]).sum::<f64>(), 3.0);
            if let Outcome::Swiss { table, rounds, .. } = &outcome {
                assert!(rounds.is_empty() && table.iter().all(|row| row.points == 0.0), "{table:?}");
            }
            take(&mut progress, 4);
            let outcome = progress.outcome(&names).expect("an outcome");
            assert_eq!(points(&outcome.rounds_so_far()[0])[0], ("a", [2.0, 0.0], true), "{outcome:?}");
            assert_eq!(outcome.rounds_so_far().len(), 2, "the next round has begun");
            take(&mut progress, 4);
            let json = serde_json::to_string(&progress.outcome(&names)).expect("plain data");
            assert!(!json.contains("\"now\""), "nothing runs at the end: {json}");
        }
    }
}
