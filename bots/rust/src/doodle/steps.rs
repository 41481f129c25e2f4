//! Lists the steps of a turn inside the search, with the value of the resulting sheet.
//!
//! A turn has hundreds of steps, and the search needs one or a few. Therefore only the best placements of a
//! patch by [`Glance`] get a full evaluation.

use engine::bitboard::Bitboard;
use engine::doodle::{Action, Draw, Equipment, Moves, Offer, State, Table, Timeline, Uses};

use super::ahead::{is_worth_cutting, singles_to_try};
use super::evaluator::Evaluator;
use super::glance::Glance;
use super::learned::Learned;

/// Drawings that are tried with single cells.
const FINALISTS: usize = 3;
/// Placements of a patch that get a full evaluation, for each requested step.
const WEIGHED: usize = 2;
/// The least number of placements of a patch that get a full evaluation.
pub(super) const WEIGHED_MIN: usize = 5;
/// Full evaluations per node. Evaluations take most of the time, and their number varies between turns.
const NODE_SHEETS: u64 = 100;
/// Fast evaluations that take as long as a full one.
const SHEET_GLANCES: u64 = 6;

/// A possible move of a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    draw: Option<Draw>,
    /// The shaded cells after the step.
    pub(super) board: Bitboard,
    uses: Uses,
    /// The expected points from this turn on.
    pub(super) value: f32,
}

impl Step {
    /// Returns the state after the step and the end of its turn.
    pub(super) fn taken(self, mut state: State, timeline: &Timeline) -> State {
        let drawn = self.draw.map_or(Bitboard::EMPTY, |draw| draw.cells);
        let action = Action { draw: self.draw, singles: self.board - state.sheet.board - drawn };
        state.apply(timeline, &action, self.uses);
        state
    }
}

/// The kinds of steps listed in a turn, in addition to a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breadth {
    /// Whole patches. Before a scoring also neighbor cards and single cells. In the last turn also cut
    /// pieces, because no action needs to be saved.
    Quick,
    /// All steps that a bot considers in its own turn.
    All,
}

/// Lists steps, with its working memory.
#[derive(Debug)]
pub(super) struct Lister<'a> {
    equipment: &'a Equipment,
    steps: Vec<Step>,
    /// The placements of a patch, with their fast evaluations.
    looks: Vec<(i32, Bitboard)>,
    /// Work not yet counted as a node, in fast evaluations.
    glances: u64,
}

impl<'a> Lister<'a> {
    pub(super) fn new(equipment: &'a Equipment) -> Lister<'a> {
        Lister { equipment, steps: Vec::new(), looks: Vec::new(), glances: 0 }
    }

    /// Returns the nodes spent since the previous call.
    pub(super) fn take_nodes(&mut self) -> u64 {
        const NODE: u64 = NODE_SHEETS * SHEET_GLANCES;
        let nodes = self.glances / NODE;
        self.glances %= NODE;
        nodes
    }

    /// Returns up to `count` of the best steps of a turn, in no particular order.
    pub(super) fn best(
        &mut self,
        timeline: &Timeline,
        state: &State,
        count: usize,
        breadth: Breadth,
    ) -> &[Step] {
        let table = Table { equipment: self.equipment, timeline, seat: 0 };
        let turn = Turn::new(table, state, breadth);
        self.steps.clear();
        self.steps.push(turn.step(None, Uses::default(), Bitboard::EMPTY));
        for (offer, cuts) in turn.moves.ways().filter(|&(offer, cuts)| turn.is_worth_trying(offer, cuts)) {
            self.add_places(&turn, offer, cuts, count);
        }
        if turn.has_specials && state.sheet.specials.singles_max(false, 0) > Some(0) {
            self.add_singles(&turn);
        }
        self.glances += self.steps.len() as u64 * SHEET_GLANCES;
        let count = count.min(self.steps.len());
        bring_forward(&mut self.steps, count);
        &self.steps[..count]
    }

    /// Adds the best placements of a patch after this number of cuts. In the last turn, it adds all
    /// placements.
    fn add_places(&mut self, turn: &Turn<'_>, Offer { card, neighbor }: Offer, cuts: u8, count: usize) {
        let uses = Uses { neighbor, singles: 0, cuts };
        let places = turn.moves.places(card, cuts).flat_map(|places| places.iter());
        let step = |cells: Bitboard| turn.step(Some(Draw { card, cells }), uses, cells);
        let Some(glance) = turn.glance else {
            self.steps.extend(places.map(step));
            return;
        };
        self.looks.clear();
        self.looks.extend(places.map(|cells| (glance.value(turn.state.sheet.board | cells), cells)));
        self.glances += self.looks.len() as u64;
        let weighed = WEIGHED_MIN.max(WEIGHED * count);
        if weighed < self.looks.len() {
            self.looks.select_nth_unstable_by(weighed, |one, other| other.0.cmp(&one.0));
            self.looks.truncate(weighed);
        }
        self.steps.extend(self.looks.iter().map(|&(_, cells)| step(cells)));
    }

    /// Adds single cells to the best steps. All of them get a full evaluation, because a glance does not see
    /// the rectangles that they complete.
    fn add_singles(&mut self, turn: &Turn<'_>) {
        let (count, before) = (FINALISTS.min(self.steps.len()), turn.state.sheet);
        bring_forward(&mut self.steps, count);
        for number in 0..count {
            let Step { draw, board, uses, .. } = self.steps[number];
            let most = before.specials.singles_max(uses.neighbor, uses.cuts).unwrap_or(0);
            for singles in singles_to_try(board, most.into()) {
                let uses = Uses { singles: singles.len() as u8, ..uses };
                self.steps.push(turn.step(draw, uses, (board | singles) - before.board));
            }
        }
    }
}

/// A turn whose steps are listed.
struct Turn<'a> {
    state: &'a State,
    moves: Moves<'a>,
    evaluator: Evaluator<'static>,
    glance: Option<Glance>,
    breadth: Breadth,
    /// True to try special actions.
    has_specials: bool,
}

impl<'a> Turn<'a> {
    fn new(table: Table<'a>, state: &'a State, breadth: Breadth) -> Turn<'a> {
        let evaluator = Evaluator::new(Learned::bundled(), state.turn);
        Turn {
            state,
            moves: state.moves(table).expect("the match is not over"),
            evaluator,
            glance: Glance::new(state.turn),
            breadth,
            has_specials: breadth == Breadth::All || evaluator.is_scoring(),
        }
    }

    /// Returns true if the card should be tried with this number of cuts.
    fn is_worth_trying(&self, offer: Offer, cuts: u8) -> bool {
        let has_pieces = self.breadth == Breadth::All || self.evaluator.turns_left() == 0;
        let may_cut = cuts == 0 || has_pieces && is_worth_cutting(self.evaluator, cuts);
        let may_choose = self.has_specials || !offer.neighbor;
        may_cut && may_choose
    }

    /// Returns the step that shades these cells.
    #[inline]
    fn step(&self, draw: Option<Draw>, uses: Uses, cells: Bitboard) -> Step {
        let board = self.state.sheet.board | cells;
        let left = self.state.sheet.specials.after(uses).expect("only affordable actions are tried");
        Step { draw, board, uses, value: self.evaluator.value(board, left) }
    }
}

/// Moves the `count` best steps to the front, in no particular order.
fn bring_forward(steps: &mut [Step], count: usize) {
    if count < steps.len() {
        steps.select_nth_unstable_by(count, |one, other| other.value.total_cmp(&one.value));
    }
}
