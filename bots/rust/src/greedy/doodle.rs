//! One move ahead at Patchwork Doodle: the drawing that leaves the best looking sheet.
//!
//! Every legal drawing is judged by the sheet that it leaves, less what the special actions it
//! takes would have been worth later; for the best few, single cells are tried beside it.
//! `outlook` judges, from `holes` and `targets`, with the numbers in `weights`. Nothing here looks
//! at a clock or draws lots: the same turn gets the same answer.

mod holes;
mod outlook;
mod targets;
#[cfg(test)]
mod tests;
mod weights;

use std::sync::Arc;

use engine::bitboard::{Bitboard, Cell};
use engine::doodle::{Action, Decision, Doodle, Drawing, Equipment, Observation, Position, Sheet, Uses};
use engine::game::Seat;

use crate::strategy::{Place, Strategy};
use holes::Holes;
use outlook::Outlook;
use targets::{Target, all_targets};

/// Drawings that are looked at more closely, with single cells and the cards to come.
const FINALISTS: usize = 16;
/// Nothing is cut while more turns than this are left, which is before the first round's last turn:
/// earlier cuts were measured to gain no points, and trying them took more than half of the time.
const CUT_TURNS: u8 = 12;
/// The same for cutting twice, which takes two actions for one small piece.
const SECOND_CUT_TURNS: u8 = 2;

/// Greedy at Patchwork Doodle.
#[derive(Debug)]
pub(crate) struct GreedyDoodle {
    equipment: Arc<Equipment>,
    seat: Seat,
    targets: Vec<Target>,
}

impl GreedyDoodle {
    pub(crate) fn new(place: Place<Doodle>) -> GreedyDoodle {
        GreedyDoodle { equipment: place.equipment, seat: place.seat, targets: all_targets() }
    }
}

impl Strategy<Doodle> for GreedyDoodle {
    fn choose(&mut self, observation: &Observation, _time_ms: u64) -> Action {
        let position =
            Position::new(&self.equipment, observation, self.seat).expect("the arena sends sound states");
        let decision = position.decision(&self.equipment);
        let outlook = Outlook::new(&self.equipment, &position, &self.targets);
        Turn { sheet: &position.sheet, decision, outlook }.best()
    }
}

/// A turn with all it takes to compare actions.
struct Turn<'a> {
    sheet: &'a Sheet,
    decision: Decision<'a>,
    outlook: Outlook<'a>,
}

/// Something to draw, or nothing, with the sheet that it leaves.
#[derive(Clone, Copy)]
struct Candidate {
    drawing: Option<Drawing>,
    board: Bitboard,
    value: f32,
}

impl Turn<'_> {
    /// The best action; of equal ones the first in the engine's order.
    fn best(&self) -> Action {
        let mut best = (f32::NEG_INFINITY, Action { draw: None, singles: Bitboard::EMPTY });
        for candidate in self.finalists() {
            let draw = candidate.drawing.map(|drawing| drawing.draw);
            let value = candidate.value - self.outlook.stuck_cost(candidate.board);
            if value > best.0 {
                best = (value, Action { draw, singles: Bitboard::EMPTY });
            }
            for singles in self.singles_beside(&candidate) {
                let value = self.value_with(&candidate, singles);
                if value > best.0 {
                    best = (value, Action { draw, singles });
                }
            }
        }
        best.1
    }

    /// The best looking drawings, best first, with the pass among them where it is one of the best.
    fn finalists(&self) -> Vec<Candidate> {
        let pass = self.decision.may_pass().then_some(None);
        let drawings = self.decision.drawings().filter(|drawing| self.is_worth_trying(drawing)).map(Some);
        let mut candidates: Vec<Candidate> =
            pass.into_iter().chain(drawings).map(|drawing| self.candidate(drawing)).collect();
        candidates.sort_by(|one, other| other.value.total_cmp(&one.value));
        candidates.truncate(FINALISTS);
        candidates
    }

    fn is_worth_trying(&self, drawing: &Drawing) -> bool {
        let turns_max = [u8::MAX, CUT_TURNS, SECOND_CUT_TURNS];
        self.outlook.turns_left() <= turns_max[usize::from(drawing.cuts)]
    }

    fn candidate(&self, drawing: Option<Drawing>) -> Candidate {
        let board = self.sheet.board | drawing.map_or(Bitboard::EMPTY, |drawing| drawing.draw.cells);
        Candidate { drawing, board, value: self.outlook.value(board) - self.price(drawing.as_ref(), 0) }
    }

    /// What the special actions for this would have been worth later.
    fn price(&self, drawing: Option<&Drawing>, singles: u8) -> f32 {
        let uses = drawing.map_or(Uses { singles, ..Uses::default() }, |drawing| drawing.uses(singles));
        let left = self.sheet.specials.after(uses).expect("only affordable actions are tried");
        self.outlook.worth(self.sheet.specials) - self.outlook.worth(left)
    }

    /// The value of a candidate with these single cells beside it.
    fn value_with(&self, candidate: &Candidate, singles: Bitboard) -> f32 {
        let board = candidate.board | singles;
        let price = self.price(candidate.drawing.as_ref(), singles.len() as u8);
        self.outlook.value(board) - price - self.outlook.stuck_cost(board)
    }

    /// The sets of single cells that may be worth it: what a rectangle lacks, and cells that stand
    /// alone, one or two of them.
    fn singles_beside(&self, candidate: &Candidate) -> Vec<Bitboard> {
        let most = u32::from(self.decision.singles_max(candidate.drawing.as_ref()));
        if most == 0 {
            return Vec::new();
        }
        let one = |cell: Cell| Bitboard::from_iter([cell]);
        let lone = Bitboard::from_bits(Holes::new(candidate.board).lone);
        let missing = self.outlook.targets().iter().map(|target| target.cells - candidate.board);
        let mut sets: Vec<Bitboard> = missing.filter(|set| (1..=most).contains(&set.len())).collect();
        sets.extend(lone.iter().map(one));
        if most == 2 {
            let after = |first: Cell| lone.iter().filter(move |&second| second > first);
            sets.extend(
                lone.iter().flat_map(|first| after(first).map(move |second| one(first) | one(second))),
            );
        }
        sets.sort();
        sets.dedup();
        sets
    }
}
