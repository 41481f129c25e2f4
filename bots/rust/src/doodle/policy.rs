//! Plays on quickly: in each turn whole patches are judged by the sheet that they leave. Special
//! actions are used in the turns that end with a scoring, where they matter most. Turns that are worth more work can have
//! everything listed.
//!
//! A few ways are followed side by side. They know the future that they are played on, so what comes
//! out is a little too good, but alike for all that are compared.

use engine::bitboard::Bitboard;
use engine::doodle::{Action, Course, Draw, Equipment, Offer, State, Timeline, Uses};
use engine::patch::Placements;

use super::ahead::{is_worth_cutting, singles_to_try};
use super::learned::Learned;
use super::outlook::Outlook;

/// Drawings for which single cells are tried.
const FINALISTS: usize = 3;
/// Sheets that are weighed for one node: nearly all of the time goes there, and turns have few or many.
const NODE_SHEETS: u64 = 100;

/// A way to play on, with the memory that it takes.
pub(super) struct Policy<'a> {
    equipment: &'a Equipment,
    /// Ways that are followed side by side.
    ways: usize,
    steps: Vec<Step>,
    /// Sheets that were weighed and are in no node yet.
    weighed: u64,
}

/// What may be done in a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    draw: Option<Draw>,
    /// The shaded cells after it.
    board: Bitboard,
    uses: Uses,
    /// Points to be expected from the turn on.
    value: f32,
}

/// What is listed in a turn beside doing nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breadth {
    /// Whole patches; those of neighbors and single cells before a scoring; in the last turn pieces too, as nothing is
    /// kept for later then.
    Quick,
    /// Whatever is worth trying when it is one's own turn.
    All,
}

impl Step {
    fn action(&self, before: Bitboard) -> Action {
        let drawn = self.draw.map_or(Bitboard::EMPTY, |draw| draw.cells);
        Action { draw: self.draw, singles: self.board - before - drawn }
    }
}

impl<'a> Policy<'a> {
    pub(super) fn new(equipment: &'a Equipment, ways: usize) -> Policy<'a> {
        Policy { equipment, ways, steps: Vec::new(), weighed: 0 }
    }

    /// Plays from the turn of `state` to the end of turn `last`, and says what the sheet is worth then in
    /// points of the whole match. `last` is not before that turn.
    pub(super) fn play_on(&mut self, timeline: &Timeline, state: State, last: u8) -> f32 {
        let course = Course { equipment: self.equipment, timeline, seat: 0 };
        let mut ways = vec![state];
        loop {
            let width = if ways[0].turn == last { 1 } else { self.ways };
            let steps = self.best_steps(course, &ways, width, Breadth::Quick);
            if ways[0].turn == last {
                return steps[0].0;
            }
            ways = steps.into_iter().map(|(_, state, step)| after(state, step, timeline)).collect();
        }
    }

    /// The nodes of all that was played since this was asked before.
    pub(super) fn take_nodes(&mut self) -> u64 {
        let nodes = self.weighed / NODE_SHEETS;
        self.weighed %= NODE_SHEETS;
        nodes
    }

    /// The best looking steps of a turn, so many at most, best first; of equal ones those with the lower cells.
    pub(super) fn best(
        &mut self,
        timeline: &Timeline,
        state: &State,
        count: usize,
        breadth: Breadth,
    ) -> Vec<Step> {
        let course = Course { equipment: self.equipment, timeline, seat: 0 };
        let best = self.best_steps(course, &[*state], count, breadth);
        best.into_iter().map(|(_, _, step)| step).collect()
    }

    /// The best steps from any of the states, each with its value and where it starts.
    fn best_steps(
        &mut self,
        course: Course<'_>,
        from: &[State],
        width: usize,
        breadth: Breadth,
    ) -> Vec<(f32, State, Step)> {
        let mut best = Vec::with_capacity(from.len() * width);
        for state in from {
            let scored = scored(state);
            self.list_steps(course, state, breadth);
            self.weighed += self.steps.len() as u64;
            let count = width.min(self.steps.len());
            bring_forward(&mut self.steps, count);
            best.extend(self.steps[..count].iter().map(|step| (scored + step.value, *state, *step)));
        }
        best.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.2.board.cmp(&other.2.board)));
        best.dedup_by(|one, other| one.2.board == other.2.board && one.0 == other.0);
        best.truncate(width);
        best
    }

    /// Lists what may be done in a turn.
    fn list_steps(&mut self, course: Course<'_>, state: &State, breadth: Breadth) {
        let outlook = Outlook::new(Learned::bundled(), state.turn);
        self.steps.clear();
        self.add(outlook, state, None, Uses::default(), Bitboard::EMPTY);
        let decision = state.decision(course).expect("the match is not over");
        let (is_all, is_last) = (breadth == Breadth::All, outlook.turns_left() == 0);
        let has_specials = is_all || outlook.is_scoring();
        if is_all || is_last {
            for drawing in decision.drawings().filter(|drawing| is_worth_cutting(outlook, drawing.cuts)) {
                self.add(outlook, state, Some(drawing.draw), drawing.uses(0), drawing.draw.cells);
            }
        } else {
            for offer in decision.offers().filter(|offer| has_specials || !offer.neighbor) {
                self.add_whole(outlook, state, offer);
            }
        }
        if has_specials && state.sheet.specials.singles_max(false, 0) > Some(0) {
            self.add_singles(outlook, state);
        }
    }

    /// Adds the whole patch of an offer wherever it fits.
    fn add_whole(&mut self, outlook: Outlook<'_>, state: &State, Offer { card, neighbor }: Offer) {
        let uses = Uses { neighbor, ..Uses::default() };
        if state.sheet.specials.after(uses).is_none() {
            return;
        }
        for cells in Placements::new(self.equipment.patch(card).whole(), !state.sheet.board).iter() {
            self.add(outlook, state, Some(Draw { card, cells }), uses, cells);
        }
    }

    /// Adds what shades these cells.
    #[inline]
    fn add(&mut self, outlook: Outlook<'_>, state: &State, draw: Option<Draw>, uses: Uses, cells: Bitboard) {
        let board = state.sheet.board | cells;
        let left = state.sheet.specials.after(uses).expect("only affordable actions are tried");
        let value = outlook.value(board, left);
        self.steps.push(Step { draw, board, uses, value });
    }

    /// Adds single cells beside the best steps.
    fn add_singles(&mut self, outlook: Outlook<'_>, state: &State) {
        let count = FINALISTS.min(self.steps.len());
        bring_forward(&mut self.steps, count);
        for number in 0..count {
            let Step { draw, board, uses, .. } = self.steps[number];
            let most = state.sheet.specials.singles_max(uses.neighbor, uses.cuts).unwrap_or(0);
            for singles in singles_to_try(board, most.into()) {
                let uses = Uses { singles: singles.len() as u8, ..uses };
                self.add(outlook, state, draw, uses, (board | singles) - state.sheet.board);
            }
        }
    }
}

/// The points that are scored.
pub(super) fn scored(state: &State) -> f32 {
    state.sheet.rounds.iter().map(|&points| f32::from(points)).sum()
}

/// Brings so many of the best steps to the front, in no order.
fn bring_forward(steps: &mut [Step], count: usize) {
    if count < steps.len() {
        steps.select_nth_unstable_by(count, |one, other| other.value.total_cmp(&one.value));
    }
}

/// The state after a step and the end of its turn.
pub(super) fn after(mut state: State, step: Step, timeline: &Timeline) -> State {
    let action = step.action(state.sheet.board);
    state.apply(timeline, &action, step.uses);
    state
}
