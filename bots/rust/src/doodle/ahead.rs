//! What is worth trying in a turn, best first, judged by the sheet that it leaves.
//!
//! Every legal drawing is judged with the special actions that it leaves; for the best few, single cells are tried
//! beside it.

use engine::bitboard::{Bitboard, Cell};
use engine::doodle::{
    Action, CardId, Course, Decision, Drawing, Equipment, Phase, Position, Rectangle, Sheet, State, Uses,
    best_rectangle,
};
use engine::patch::Placements;

use super::holes::Holes;
use super::learned::Learned;
use super::outlook::Outlook;
use super::targets::lacking;
use super::weights;

/// Nothing is cut while more turns than this are left, which is before the first round's last turn:
/// earlier cuts were measured to gain no points, and trying them took more than half of the time.
const CUT_TURNS: u8 = 12;
/// The same for cutting twice, which takes two actions for one small piece.
const SECOND_CUT_TURNS: u8 = 2;

/// A turn with all it takes to compare actions.
pub(crate) struct Turn<'a> {
    equipment: &'a Equipment,
    sheet: Sheet,
    decision: Decision<'a>,
    outlook: Outlook<'a>,
    /// Whether special actions are left alone unless the turn ends with a scoring.
    is_sparing: bool,
    /// The three cards of which the next roll picks one.
    next_cards: Vec<CardId>,
}

/// An action with what it takes and what it seems to be worth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) action: Action,
    pub(crate) uses: Uses,
    pub(crate) value: f32,
}

/// Something to draw, or nothing, with the sheet that it leaves.
#[derive(Clone, Copy)]
struct Candidate {
    drawing: Option<Drawing>,
    board: Bitboard,
    value: f32,
}

impl<'a> Turn<'a> {
    /// The turn of `position`.
    pub(crate) fn new(equipment: &'a Equipment, position: &'a Position, learned: &'a Learned) -> Turn<'a> {
        let outlook = Outlook::new(learned, turn_number(position));
        let next_cards = next_cards(position.phase, &position.circle);
        let (sheet, decision) = (position.sheet, position.decision(equipment));
        Turn { equipment, sheet, decision, outlook, is_sparing: false, next_cards }
    }

    /// The turn of `state`, of a match whose cards are known; `None` where it is over.
    pub(crate) fn in_course(course: Course<'a>, state: &State, learned: &'a Learned) -> Option<Turn<'a>> {
        let Course { equipment, timeline, .. } = course;
        let decision = state.decision(course)?;
        let lying = &timeline.turns[usize::from(state.turn)];
        let (outlook, next_cards) =
            (Outlook::new(learned, state.turn), next_cards(lying.phase, &lying.circle));
        Some(Turn { equipment, sheet: state.sheet, decision, outlook, is_sparing: false, next_cards })
    }

    /// The same, but special actions are left alone unless it ends with a scoring.
    pub(crate) fn sparing(self) -> Turn<'a> {
        Turn { is_sparing: !self.outlook.is_scoring(), ..self }
    }

    /// The best looking actions, best first; of equal ones the first in the engine's order. So many
    /// drawings are looked at closely.
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

    /// The best looking drawings, best first, with the pass among them where it is one of the best.
    fn finalists(&self, count: usize) -> Vec<Candidate> {
        let pass = self.decision.may_pass().then_some(None);
        let drawings = self.decision.drawings().filter(|drawing| self.is_worth_trying(drawing)).map(Some);
        let mut candidates: Vec<Candidate> =
            pass.into_iter().chain(drawings).map(|drawing| self.candidate(drawing)).collect();
        candidates.sort_by(|one, other| other.value.total_cmp(&one.value));
        candidates.truncate(count);
        candidates
    }

    fn is_worth_trying(&self, drawing: &Drawing) -> bool {
        let is_spared = self.is_sparing && (drawing.neighbor || drawing.cuts > 0);
        !is_spared && is_worth_cutting(self.outlook, drawing.cuts)
    }

    fn candidate(&self, drawing: Option<Drawing>) -> Candidate {
        let board = self.sheet.board | drawing.map_or(Bitboard::EMPTY, |drawing| drawing.draw.cells);
        let uses = drawing.map_or(Uses::default(), |drawing| drawing.uses(0));
        Candidate { drawing, board, value: self.value(board, uses) }
    }

    /// What a sheet with these cells shaded is worth after these special actions.
    fn value(&self, board: Bitboard, uses: Uses) -> f32 {
        let left = self.sheet.specials.after(uses).expect("only affordable actions are tried");
        self.outlook.value(board, left)
    }

    /// A candidate with these single cells beside it.
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

    /// The sets of single cells that may be worth it: what a rectangle lacks, and cells that stand
    /// alone, one or two of them.
    fn singles_beside(&self, candidate: &Candidate) -> Vec<Bitboard> {
        let most = if self.is_sparing { 0 } else { self.decision.singles_max(candidate.drawing.as_ref()) };
        singles_to_try(candidate.board, most.into())
    }

    /// What it costs that known cards to come fit nowhere any more. Dearer to compute than a value, so
    /// only the best few drawings are looked at this way.
    pub(crate) fn stuck_cost(&self, shaded: Bitboard) -> f32 {
        let free = !shaded;
        let fits = |card: &CardId| Placements::new(self.equipment.patch(*card).whole(), free).count() > 0;
        let stuck = self.next_cards.iter().filter(|card| !fits(card)).count();
        stuck as f32 * weights::STUCK
    }
}

/// Whether it is worth trying what takes so many cuts.
pub(crate) fn is_worth_cutting(outlook: Outlook<'_>, cuts: u8) -> bool {
    let turns_max = [u8::MAX, CUT_TURNS, SECOND_CUT_TURNS];
    outlook.turns_left() <= turns_max[usize::from(cuts)]
}

/// The number of a turn in the match, 0 for the start patch.
pub(crate) fn turn_number(position: &Position) -> u8 {
    (position.round.max(1) - 1) * super::learned::ROUND_TURNS + position.turn
}

/// The three cards of which the next roll picks one; none where no roll follows.
fn next_cards(phase: Phase, circle: &[CardId]) -> Vec<CardId> {
    let drawn = match phase {
        Phase::Start => 0,
        Phase::Draw => 1,
        Phase::Final => return Vec::new(),
    };
    circle.iter().skip(drawn).take(3).copied().collect()
}

/// The sets of up to `most` single cells, at most two, that may be worth shading: what a rectangle
/// lacks that would score more than any full one, and cells that stand alone.
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
    sets.sort();
    sets.dedup();
    sets
}
