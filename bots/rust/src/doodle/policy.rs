//! Plays on quickly: in each turn the steps that leave the best sheets are taken. Special
//! actions are used in the turns that end with a scoring, where they matter most. Turns that are worth more work can have
//! everything listed.
//!
//! A few ways are followed side by side. They know the future that they are played on, so what comes
//! out is a little too good, but alike for all that are compared.

use engine::doodle::{Equipment, State, Timeline};

use super::steps::{Breadth, Lister, Step};

/// A way to play on, with the memory that it takes.
#[derive(Debug)]
pub(super) struct Policy<'a> {
    /// Ways that are followed side by side.
    ways: usize,
    /// What is listed in their turns.
    breadth: Breadth,
    lister: Lister<'a>,
}

impl<'a> Policy<'a> {
    pub(super) fn new(equipment: &'a Equipment, ways: usize, breadth: Breadth) -> Policy<'a> {
        Policy { ways, breadth, lister: Lister::new(equipment) }
    }

    /// Plays from the turn of `state` to the end of turn `last`, and says what the sheet is worth then in
    /// points of the whole match. `last` is not before that turn.
    pub(super) fn play_on(&mut self, timeline: &Timeline, state: State, last: u8) -> f32 {
        let mut ways = vec![state];
        loop {
            let width = if ways[0].turn == last { 1 } else { self.ways };
            let steps = self.best_steps(timeline, &ways, width, self.breadth);
            if ways[0].turn == last {
                return steps[0].0;
            }
            ways = steps.into_iter().map(|(_, state, step)| step.taken(state, timeline)).collect();
        }
    }

    /// The nodes of all that was played since this was asked before.
    pub(super) fn take_nodes(&mut self) -> u64 {
        self.lister.take_nodes()
    }

    /// The best looking steps of a turn, so many at most, best first; of equal ones those with the lower cells.
    pub(super) fn best(
        &mut self,
        timeline: &Timeline,
        state: &State,
        count: usize,
        breadth: Breadth,
    ) -> Vec<Step> {
        let best = self.best_steps(timeline, &[*state], count, breadth);
        best.into_iter().map(|(_, _, step)| step).collect()
    }

    /// The best steps from any of the states, each with its value and where it starts.
    fn best_steps(
        &mut self,
        timeline: &Timeline,
        from: &[State],
        width: usize,
        breadth: Breadth,
    ) -> Vec<(f32, State, Step)> {
        let mut best = Vec::with_capacity(from.len() * width);
        for state in from {
            let scored = scored(state);
            let steps = self.lister.best(timeline, state, width, breadth);
            best.extend(steps.iter().map(|step| (scored + step.value, *state, *step)));
        }
        best.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.2.board.cmp(&other.2.board)));
        best.dedup_by(|one, other| one.2.board == other.2.board && one.0 == other.0);
        best.truncate(width);
        best
    }
}

/// The points that are scored.
pub(super) fn scored(state: &State) -> f32 {
    state.sheet.rounds.iter().map(|&points| f32::from(points)).sum()
}
