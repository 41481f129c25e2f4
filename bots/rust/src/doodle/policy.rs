//! A fast rollout policy: a beam search over the steps of each turn. By default, it uses special actions only
//! before a scoring, where they matter most. Important turns can list all steps.
//!
//! The beam is clairvoyant: it knows the future that it plays. Its values are slightly optimistic, by a
//! similar amount for all compared actions.

use engine::doodle::{Equipment, State, Timeline};

use super::steps::{Breadth, Lister, Step};

/// A rollout policy with its working memory.
#[derive(Debug)]
pub(super) struct Policy<'a> {
    /// The width of the beam.
    ways: usize,
    /// The steps that are listed in each turn.
    breadth: Breadth,
    lister: Lister<'a>,
}

impl<'a> Policy<'a> {
    pub(super) fn new(equipment: &'a Equipment, ways: usize, breadth: Breadth) -> Policy<'a> {
        Policy { ways, breadth, lister: Lister::new(equipment) }
    }

    /// Plays from the turn of `state` to the end of turn `last`. Returns the value of the final sheet, in
    /// points of the whole match. `last` must not be before that turn.
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

    /// Returns the nodes spent since the previous call.
    pub(super) fn take_nodes(&mut self) -> u64 {
        self.lister.take_nodes()
    }

    /// Returns the best steps of a turn, best first, at most `count`. Ties go to the lower cells.
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

    /// Returns the best steps from any of the states, each with its value and its initial state.
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

/// Returns the points scored in earlier rounds.
pub(super) fn scored(state: &State) -> f32 {
    state.sheet.rounds.iter().map(|&points| f32::from(points)).sum()
}
