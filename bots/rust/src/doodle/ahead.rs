//! Move ordering for a turn: candidate actions, sorted by the evaluation of the resulting sheet.
//!
//! Each legal drawing is evaluated together with the special actions left. The best few are also tried with
//! single cells.

use engine::bitboard::{Bitboard, Cell};
use engine::doodle::{
    Action, CardId, Drawing, Equipment, Moves, Phase, Rectangle, SeatTurn, Sheet, State, Table, Uses,
    best_rectangle,
};
use engine::patch::Placements;

use super::evaluator::Evaluator;
use super::holes::Holes;
use super::learned::Learned;
use super::targets::lacking;
use super::weights;

/// The most remaining turns at which cuts are tried, so cuts begin with the last turn of round 1. Earlier
/// cuts gained no points in measurements, and trying them took more than half of the time.
const CUT_TURNS: u8 = 12;
/// The same limit for two cuts, which spend two actions for one small piece.
const SECOND_CUT_TURNS: u8 = 2;

/// A turn with everything needed to compare actions.
pub(crate) struct Turn<'a> {
    equipment: &'a Equipment,
    sheet: Sheet,
    moves: Moves<'a>,
    evaluator: Evaluator<'a>,
    /// True to use no special actions unless a scoring follows the turn.
    is_sparing: bool,
    /// The three cards that the next roll chooses from.
    next_cards: Vec<CardId>,
}

/// An action with the special actions that it uses and its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) action: Action,
    pub(crate) uses: Uses,
    pub(crate) value: f32,
}

/// A drawing or a pass, with the resulting sheet.
#[derive(Clone, Copy)]
struct Candidate {
    drawing: Option<Drawing>,
    board: Bitboard,
    value: f32,
}

impl<'a> Turn<'a> {
    /// Prepares the turn of `position`.
    pub(crate) fn new(equipment: &'a Equipment, position: &'a SeatTurn, learned: &'a Learned) -> Turn<'a> {
        let evaluator = Evaluator::new(learned, turn_number(position));
        let next_cards = next_cards(position.phase, &position.circle);
        let (sheet, moves) = (position.sheet, position.moves(equipment));
        Turn { equipment, sheet, moves, evaluator, is_sparing: false, next_cards }
    }

    /// Prepares the turn of `state` in a match with known cards. `None` if the match is over.
    pub(crate) fn on_table(table: Table<'a>, state: &State, learned: &'a Learned) -> Option<Turn<'a>> {
        let Table { equipment, timeline, .. } = table;
        let moves = state.moves(table)?;
        let lying = &timeline.turns[usize::from(state.turn)];
        let (evaluator, next_cards) =
            (Evaluator::new(learned, state.turn), next_cards(lying.phase, &lying.circle));
        Some(Turn { equipment, sheet: state.sheet, moves, evaluator, is_sparing: false, next_cards })
    }

    /// Returns the turn without special actions, unless a scoring follows it.
    pub(crate) fn sparing(self) -> Turn<'a> {
        Turn { is_sparing: !self.evaluator.is_scoring(), ..self }
    }

    /// Returns candidate actions, best first; ties keep the engine's order. `finalists` limits the drawings
    /// that are tried with single cells.
    pub(crate) fn choices(&self, finalists: usize) -> Vec<Choice> {
        let mut choices = Vec::new();
        for candidate in self.finalists(finalists) {
            choices.push(self.choice(&candidate, Bitboard::EMPTY));
            let sets = self.singles_beside(&candidate);
            choices.extend(sets.into_iter().map(|singles| self.choice(&candidate, singles)));
        }
        choices.sort_by(|one, other| other.value.total_cmp(&one.value));
        choices
    }

    /// Returns the best drawings, best first. The pass competes with them.
    fn finalists(&self, count: usize) -> Vec<Candidate> {
        let pass = self.moves.may_pass().then_some(None);
        let drawings = self.moves.drawings().filter(|drawing| self.is_worth_trying(drawing)).map(Some);
        let mut candidates: Vec<Candidate> =
            pass.into_iter().chain(drawings).map(|drawing| self.candidate(drawing)).collect();
        candidates.sort_by(|one, other| other.value.total_cmp(&one.value));
        candidates.truncate(count);
        candidates
    }

    fn is_worth_trying(&self, drawing: &Drawing) -> bool {
        let is_spared = self.is_sparing && (drawing.neighbor || drawing.cuts > 0);
        !is_spared && is_worth_cutting(self.evaluator, drawing.cuts)
    }

    fn candidate(&self, drawing: Option<Drawing>) -> Candidate {
        let board = self.sheet.board | drawing.map_or(Bitboard::EMPTY, |drawing| drawing.draw.cells);
        let uses = drawing.map_or(Uses::default(), |drawing| drawing.uses(0));
        Candidate { drawing, board, value: self.value(board, uses) }
    }

    /// Returns the value of a sheet with these cells shaded, after these special actions.
    fn value(&self, board: Bitboard, uses: Uses) -> f32 {
        let left = self.sheet.specials.after(uses).expect("only affordable actions are tried");
        self.evaluator.value(board, left)
    }

    /// Returns the choice of a candidate with these single cells.
    fn choice(&self, candidate: &Candidate, singles: Bitboard) -> Choice {
        let board = candidate.board | singles;
        let count = singles.len() as u8;
        let uses = candidate
            .drawing
            .map_or(Uses { singles: count, ..Uses::default() }, |drawing| drawing.uses(count));
        let plain = if count == 0 { candidate.value } else { self.value(board, uses) };
        let draw = candidate.drawing.map(|drawing| drawing.draw);
        Choice { action: Action { draw, singles }, uses, value: plain - self.stuck_cost(board) }
    }

    /// Returns the sets of single cells to try with a candidate.
    fn singles_beside(&self, candidate: &Candidate) -> Vec<Bitboard> {
        let most = if self.is_sparing { 0 } else { self.moves.singles_max(candidate.drawing.as_ref()) };
        singles_to_try(candidate.board, most.into())
    }

    /// Returns the cost of known coming cards that fit nowhere. It takes longer than an evaluation, so only
    /// the best few drawings get it.
    pub(crate) fn stuck_cost(&self, shaded: Bitboard) -> f32 {
        let free = !shaded;
        let fits = |card: &CardId| Placements::new(self.equipment.patch(*card).whole(), free).count() > 0;
        let stuck = self.next_cards.iter().filter(|card| !fits(card)).count();
        stuck as f32 * weights::STUCK
    }
}

/// Returns true if drawings with this number of cuts should be tried.
pub(crate) fn is_worth_cutting(evaluator: Evaluator<'_>, cuts: u8) -> bool {
    let turns_max = [u8::MAX, CUT_TURNS, SECOND_CUT_TURNS];
    evaluator.turns_left() <= turns_max[usize::from(cuts)]
}

/// Returns the number of a turn in the match; 0 is the start patch.
pub(crate) fn turn_number(position: &SeatTurn) -> u8 {
    (position.round.max(1) - 1) * super::learned::ROUND_TURNS + position.turn
}

/// Returns the three cards that the next roll chooses from. Empty if no roll follows.
fn next_cards(phase: Phase, circle: &[CardId]) -> Vec<CardId> {
    let drawn = match phase {
        Phase::Start => 0,
        Phase::Draw => 1,
        Phase::Final => return Vec::new(),
    };
    circle.iter().skip(drawn).take(3).copied().collect()
}

/// Returns the sets of single cells to try, each of at most `most` cells and at most two. A set completes a
/// rectangle that scores more than any full one, or fills isolated cells.
pub(crate) fn singles_to_try(shaded: Bitboard, most: u32) -> Vec<Bitboard> {
    if most == 0 {
        return Vec::new();
    }
    let one = |cell: Cell| Bitboard::from_iter([cell]);
    let lone = Bitboard::from_bits(Holes::new(shaded).lone);
    let full = best_rectangle(shaded).map_or(0, Rectangle::points);
    let mut sets: Vec<Bitboard> = lacking(shaded, full, most).collect();
    sets.extend(lone.iter().map(one));
    if most == 2 {
        let after = |first: Cell| lone.iter().filter(move |&second| second > first);
        sets.extend(lone.iter().flat_map(|first| after(first).map(move |second| one(first) | one(second))));
    }
    sets.sort_unstable();
    sets.dedup();
    sets
}
