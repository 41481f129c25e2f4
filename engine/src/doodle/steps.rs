//! Moves as lists of numbers, which a network or a program chooses one after the other.

use crate::doodle::action::{Action, Draw};
use crate::doodle::moves::{Drawing, Moves};
use crate::doodle::sheet::Uses;
use crate::numbers::{self, CELL, CUT, LAST, Mask, SLOTS};
use crate::shapes::bitboard::{Bitboard, Cell};
use crate::shapes::cpu::with_vectors;
use crate::shapes::patch::{CUTS_MAX, Placements};

/// A move in progress: what is chosen, and what comes next.
///
/// A move has millions of forms, but takes one to seven [numbers](crate::numbers). Each legal move has exactly one list.
///
/// 1. A whole patch, [`LAST`] for a pass, or [`CUT`] plus the slot of the card whose patch is cut.
/// 2. After a cut, the cells of the piece in ascending order. [`LAST`] ends the piece where a larger one could go on.
/// 3. The single cells in ascending order. [`LAST`] ends them where another could follow.
///
/// A step is left out if [`LAST`] is its only choice.
///
/// # Examples
/// ```
/// # use engine::{doodle::{Doodle, Equipment, State}, game::Game};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 2, 7).unwrap()).unwrap();
/// use engine::doodle::{Step, Steps};
/// use engine::numbers::LAST;
///
/// let moves = State { turn: 1, ..State::NEW }.moves(game.table(0)).unwrap();
/// // A pass with the single cell [0,1] is a list of three numbers.
/// let mut steps = Steps::NEW;
/// for number in [LAST, 1945] {
///     assert!(steps.mask(&moves).contains(number));
///     let Some(Step::Next(next)) = steps.after(&moves, number) else { panic!("it goes on") };
///     steps = next;
/// }
/// let Some(Step::Move(action, _)) = steps.after(&moves, LAST) else { panic!("it is complete") };
/// assert_eq!(Steps::of(&moves, &action), Some(vec![LAST, 1945, LAST]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Nothing is chosen.
    Draw,
    /// The patch in this slot is cut, and the piece has these cells.
    Piece {
        /// The place of the card on offer, from 0.
        slot: usize,
        /// The first cells of the piece.
        cells: Bitboard,
    },
    /// The drawing is chosen, and the move has these single cells.
    Singles {
        /// The drawing; `None` for a pass.
        drawing: Option<Drawing>,
        /// The single cells.
        cells: Bitboard,
    },
}

/// What follows a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The move goes on.
    Next(Steps),
    /// The move is complete, with the special actions that it takes.
    Move(Action, Uses),
}

/// The cells up to the last one of `cells`.
#[inline(always)]
fn up_to(cells: Bitboard) -> Bitboard {
    Bitboard::from_bits(u128::MAX.checked_shr(cells.bits().leading_zeros()).unwrap_or(0))
}

fn one(cell: Cell) -> Bitboard {
    Bitboard::from_iter([cell])
}

/// Returns true if `piece` begins with these cells.
#[inline(always)]
fn begins(piece: Bitboard, cells: Bitboard) -> bool {
    piece & up_to(cells) == cells
}

/// The drawings with a piece of the patch in this slot.
fn pieces<'a>(moves: &Moves<'a>, slot: usize) -> impl Iterator<Item = Drawing> + use<'a> {
    let offer = moves.offers().nth(slot);
    let (moves, ways) = (*moves, moves.ways().filter(move |(of, cuts)| Some(*of) == offer && *cuts > 0));
    ways.flat_map(move |(offer, cuts)| {
        let drawing =
            move |cells| Drawing { draw: Draw { card: offer.card, cells }, neighbor: offer.neighbor, cuts };
        moves.places(offer.card, cuts).flat_map(Placements::iter).map(drawing)
    })
}

impl Steps {
    /// The beginning of every move.
    pub const NEW: Steps = Steps::Draw;

    /// The cells that the move shades so far.
    pub fn cells(&self) -> Bitboard {
        match *self {
            Steps::Draw => Bitboard::EMPTY,
            Steps::Piece { cells, .. } => cells,
            Steps::Singles { drawing, cells } => drawn(drawing) | cells,
        }
    }

    /// The legal next [numbers](crate::numbers) of a seat with these moves.
    pub fn mask(&self, moves: &Moves<'_>) -> Mask {
        let mut mask = Mask::EMPTY;
        match *self {
            Steps::Draw => with_vectors(
                #[inline(always)]
                || draws(moves, &mut mask),
            ),
            Steps::Piece { slot, cells } => {
                for piece in pieces(moves, slot).map(|drawing| drawing.draw.cells) {
                    if begins(piece, cells) {
                        mask.insert((piece - cells).first().map_or(LAST, numbers::of_cell));
                    }
                }
            }
            Steps::Singles { drawing, cells } => {
                mask.insert(LAST);
                mask.insert_cells(CELL, moves.free() - drawn(drawing) - up_to(cells));
            }
        }
        mask
    }

    /// What follows a number of the [`mask`](Self::mask). Other numbers lead to `None` or to an illegal move.
    #[inline]
    pub fn after(&self, moves: &Moves<'_>, number: usize) -> Option<Step> {
        match *self {
            Steps::Draw if number == LAST => Some(singles(moves, None, Bitboard::EMPTY)),
            Steps::Draw if (CUT..CUT + SLOTS).contains(&number) => {
                Some(Step::Next(Steps::Piece { slot: number - CUT, cells: Bitboard::EMPTY }))
            }
            Steps::Draw => {
                let (slot, turn, corner) = numbers::shape(number)?;
                let offer = moves.offers().nth(slot)?;
                let shape = moves.patch(offer.card).turned(turn)?;
                // A shape that reaches over the edge loses cells, and would be a piece.
                let cells = Some(shape.at(corner)).filter(|cells| cells.len() == shape.cells().len())?;
                let draw = Draw { card: offer.card, cells };
                let drawing = Drawing { draw, neighbor: offer.neighbor, cuts: 0 };
                Some(singles(moves, Some(drawing), Bitboard::EMPTY))
            }
            Steps::Piece { slot, cells } => {
                let grown = if number == LAST { cells } else { cells | one(numbers::cell(number)?) };
                let mut whole = None;
                let mut is_longer = false;
                for drawing in pieces(moves, slot).filter(|drawing| begins(drawing.draw.cells, grown)) {
                    match drawing.draw.cells == grown {
                        true => whole = Some(drawing),
                        false => is_longer = true,
                    }
                }
                match whole {
                    Some(drawing) if number == LAST || !is_longer => {
                        Some(singles(moves, Some(drawing), Bitboard::EMPTY))
                    }
                    _ => Some(Step::Next(Steps::Piece { slot, cells: grown })).filter(|_| number != LAST),
                }
            }
            Steps::Singles { drawing, cells } if number == LAST => Some(complete(drawing, cells)),
            Steps::Singles { drawing, cells } => {
                Some(singles(moves, drawing, cells | one(numbers::cell(number)?)))
            }
        }
    }

    /// The numbers of a legal move; `None` if the move is illegal.
    pub fn of(moves: &Moves<'_>, action: &Action) -> Option<Vec<usize>> {
        let uses = moves.check(action).ok()?;
        let (mut steps, mut found) = (Steps::NEW, Vec::new());
        loop {
            let number = steps.towards(moves, action, uses)?;
            found.push(number);
            match steps.after(moves, number)? {
                Step::Next(next) => steps = next,
                Step::Move(..) => return Some(found),
            }
        }
    }

    /// The next number on the way to a legal move that takes the special actions `uses`.
    fn towards(&self, moves: &Moves<'_>, action: &Action, uses: Uses) -> Option<usize> {
        let cell_or_last = |rest: Bitboard| Some(rest.first().map_or(LAST, numbers::of_cell));
        let Some(draw) = action.draw else {
            return match self {
                Steps::Draw => Some(LAST),
                _ => cell_or_last(action.singles - self.cells()),
            };
        };
        match self {
            Steps::Draw => {
                let slot = moves.offers().position(|offer| offer.card == draw.card)?;
                if uses.cuts > 0 {
                    return Some(CUT + slot);
                }
                numbers::of_patch(slot, moves.patch(draw.card), draw.cells)
            }
            Steps::Piece { cells, .. } => cell_or_last(draw.cells - *cells),
            Steps::Singles { .. } => cell_or_last(action.singles - self.cells()),
        }
    }
}

fn drawn(drawing: Option<Drawing>) -> Bitboard {
    drawing.map_or(Bitboard::EMPTY, |drawing| drawing.draw.cells)
}

/// Adds the numbers of whole patches, passes, and cuts.
#[inline(always)]
fn draws(moves: &Moves<'_>, mask: &mut Mask) {
    if moves.may_pass() {
        mask.insert(LAST);
    }
    let mut places = Placements::NONE;
    for (slot, offer) in moves.offers().enumerate() {
        let patch = moves.patch(offer.card);
        let may_cut = |cuts: usize| moves.affords(offer, cuts as u8);
        if may_cut(0) {
            places.find(patch.whole(), moves.free());
            for (shape, corners) in places.sets() {
                mask.insert_cells(numbers::first_of(slot, shape.turn()), corners);
            }
        }
        let groups = (1..=CUTS_MAX).filter(|&cuts| may_cut(cuts)).flat_map(|cuts| patch.after_cuts(cuts));
        for group in groups {
            places.find(group, moves.free());
            if places.count() > 0 {
                mask.insert(CUT + slot);
                break;
            }
        }
    }
}

/// The single cells after this drawing; if no cell can follow, the complete move.
#[inline(always)]
fn singles(moves: &Moves<'_>, drawing: Option<Drawing>, cells: Bitboard) -> Step {
    let is_left = || !(moves.free() - drawn(drawing) - up_to(cells)).is_empty();
    match u32::from(moves.singles_max(drawing.as_ref())) > cells.len() && is_left() {
        true => Step::Next(Steps::Singles { drawing, cells }),
        false => complete(drawing, cells),
    }
}

#[inline(always)]
fn complete(drawing: Option<Drawing>, singles: Bitboard) -> Step {
    let used = singles.len() as u8;
    let uses = drawing.map_or(Uses { singles: used, ..Uses::default() }, |drawing| drawing.uses(used));
    Step::Move(Action { draw: drawing.map(|drawing| drawing.draw), singles }, uses)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Doodle, Equipment, State};
    use super::*;
    use crate::dealer::Dealer;
    use crate::game::Game;

    /// Calls `found` for every complete move and `depth` for its number of steps.
    fn leaves(steps: Steps, moves: &Moves<'_>, depth: usize, found: &mut impl FnMut(Action, Uses, usize)) {
        for number in steps.mask(moves).iter() {
            match steps.after(moves, number).expect("a number of the mask") {
                Step::Next(next) => leaves(next, moves, depth + 1, found),
                Step::Move(action, uses) => found(action, uses, depth + 1),
            }
        }
    }

    /// Each turn of some random matches. Every second match saves the special actions, and has many moves.
    fn each(seeds: u64, mut look: impl FnMut(&Moves<'_>)) {
        let equipment = Arc::new(Equipment::standard());
        for seed in 0..seeds {
            let mut chance = Dealer::new(seed, 84);
            let game = Doodle::new(&equipment, &Doodle::deal(&equipment, 1, seed).unwrap()).unwrap();
            let (table, mut state) = (game.table(0), State::NEW);
            while let Some(moves) = state.moves(table) {
                look(&moves);
                let mut steps = Steps::NEW;
                let (action, uses) = loop {
                    let mask = steps.mask(&moves);
                    let any = mask.nth(chance.below(mask.len())).expect("a legal number");
                    let saves = seed % 2 == 1 && any >= CELL && mask.contains(LAST);
                    let number = if saves { LAST } else { any };
                    match steps.after(&moves, number).expect("a number of the mask") {
                        Step::Next(next) => steps = next,
                        Step::Move(action, uses) => break (action, uses),
                    }
                };
                assert_eq!(moves.check(&action), Ok(uses));
                state.apply(table.timeline, &action, uses);
            }
        }
    }

    #[test]
    fn the_steps_lead_to_each_legal_move_exactly_once() {
        let (mut total, mut deepest) = (0, 0);
        each(12, |moves| {
            if moves.count() > 400_000 {
                return;
            }
            let mut found = Vec::new();
            leaves(Steps::NEW, moves, 0, &mut |action, uses, depth| {
                assert_eq!(moves.check(&action), Ok(uses));
                deepest = deepest.max(depth);
                found.push(action);
            });
            total += found.len();
            found.sort_unstable();
            let mut listed: Vec<Action> = moves.iter().collect();
            listed.sort_unstable();
            assert!(found == listed, "{} instead of {}", found.len(), listed.len());
        });
        assert!(total > 1_000_000 && (4..=7).contains(&deepest), "{total} moves in {deepest} steps");
    }

    #[test]
    fn a_move_has_the_numbers_that_lead_to_it() {
        let mut chance = Dealer::new(1, 85);
        each(12, |moves| {
            for _ in 0..20 {
                let few = moves.count().min(20_000) as u32;
                let action = moves.iter().nth(chance.below(few) as usize).expect("below the count");
                let mut steps = Steps::NEW;
                let numbers = Steps::of(moves, &action).expect("a legal move");
                for (place, &number) in numbers.iter().enumerate() {
                    assert!(steps.mask(moves).contains(number), "{action:?}: {numbers:?}");
                    match steps.after(moves, number).expect("a legal number") {
                        Step::Next(next) => steps = next,
                        Step::Move(reached, _) => assert_eq!((reached, place + 1), (action, numbers.len())),
                    }
                }
            }
        });
    }

    #[test]
    fn numbers_that_are_not_in_the_mask_lead_to_nothing_legal() {
        each(3, |moves| {
            let mask = Steps::NEW.mask(moves);
            for number in (0..numbers::DOODLE + 2).filter(|number| !mask.contains(*number)) {
                match Steps::NEW.after(moves, number) {
                    Some(Step::Move(action, _)) => assert!(moves.check(&action).is_err()),
                    Some(Step::Next(steps @ Steps::Piece { .. })) => assert!(steps.mask(moves).is_empty()),
                    Some(Step::Next(Steps::Singles { drawing, cells })) => {
                        let Step::Move(action, _) = complete(drawing, cells) else { unreachable!() };
                        assert!(moves.check(&action).is_err());
                    }
                    _ => {}
                }
            }
        });
    }
}
