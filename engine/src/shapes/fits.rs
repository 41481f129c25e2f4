//! The places where shapes fit, for the whole board and eight shapes at once.
//!
//! The covered cells, shifted back by the number of a cell of a shape, are the corners from which that
//! cell would lie on a covered one. The shape fits at every other corner. All shapes take the same
//! number of steps without a branch, so a processor with vectors computes eight of them in parallel.
//!
//! The module depends on cells and shapes only, not on patches, players, or rules.

use std::collections::BTreeSet;
use std::iter::repeat;

use crate::shapes::bitboard::{Bitboard, CELLS, Cell, SIDE};

/// Number of shapes that are searched at once.
pub(crate) const LANES: usize = 8;
/// Number of cells that are searched for every shape.
const STEPS: usize = 8;
/// The number of the first cell in the upper words of [`Sets`]. The lower words hold the rows above.
const UPPER_FROM: u8 = 2 * SIDE;
/// The largest cell number of a step. Cells further down in a shape would be shifted out of the words.
const STEP_MAX: u8 = 6 * SIDE - 1;

/// Sets of cells, one for each of several shapes. A set has two words that overlap, so no shift carries
/// bits from one word into the other. The lower word has rows 0 to 6, and in results only places in
/// rows 0 and 1. The upper word has rows 2 to 8. Shifts of two 64-bit words are cheaper than shifts of
/// 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sets {
    lower: [u64; LANES],
    upper: [u64; LANES],
    /// Number of cells in each set.
    lens: [u8; LANES],
    /// Number of cells in all sets together.
    len: u64,
}

impl Sets {
    pub(crate) const EMPTY: Sets = Sets { lower: [0; LANES], upper: [0; LANES], lens: [0; LANES], len: 0 };

    #[inline(always)]
    fn put(&mut self, lane: usize, lower: u64, upper: u64) {
        self.lower[lane] = lower;
        self.upper[lane] = upper;
        let len = lower.count_ones() + upper.count_ones();
        self.len = self.len + u64::from(len) - u64::from(self.lens[lane]);
        self.lens[lane] = len as u8;
    }

    /// The set of a lane.
    #[inline(always)]
    pub(crate) fn get(&self, lane: usize) -> Bitboard {
        let [lower, upper] = [self.lower[lane], self.upper[lane]].map(u128::from);
        Bitboard::from_bits(lower | upper << UPPER_FROM)
    }

    /// Number of cells in all sets together.
    #[inline(always)]
    pub(crate) fn len(&self) -> u32 {
        self.len as u32
    }

    /// The cell at position `number`, from 0, in all sets one after the other, and its lane.
    #[inline(always)]
    pub(crate) fn nth(&self, number: u32) -> Option<(usize, Cell)> {
        if number >= self.len() {
            return None;
        }
        let (lane, before) = self.lane_of(number);
        Some((lane, self.get(lane).nth(number - before)?))
    }

    /// The lane of the cell at position `number`, and the number of cells in the lanes before it. The
    /// cell must exist.
    #[inline(always)]
    fn lane_of(&self, number: u32) -> (usize, u32) {
        let (mut lane, mut before, mut end) = (0, 0, 0);
        for &len in &self.lens {
            end += u32::from(len);
            let is_behind = number >= end;
            lane += usize::from(is_behind);
            before = if is_behind { end } else { before };
        }
        (lane % LANES, before)
    }
}

/// The lower and the upper word of these cells.
#[inline(always)]
fn words(cells: Bitboard) -> [u64; 2] {
    [cells.bits() as u64, (cells.bits() >> UPPER_FROM) as u64]
}

/// The cells of the first `count` columns from the left.
#[inline(always)]
fn columns(count: u8) -> Bitboard {
    const BY_COUNT: [Bitboard; 10] = {
        let mut sets = [Bitboard::EMPTY; 10];
        let mut count = 0;
        while count < 10 {
            sets[count] = first_columns(count as u8);
            count += 1;
        }
        sets
    };
    BY_COUNT[usize::from(count)]
}

const fn first_columns(count: u8) -> Bitboard {
    let row = (1u128 << count) - 1;
    let mut bits = 0;
    let mut place = 0;
    while place < CELLS {
        bits |= row << place;
        place += SIDE;
    }
    Bitboard::from_bits(bits)
}

/// Up to eight shapes in the top left corner, each in its own lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shapes {
    /// The corners from which a shape stays on the board; empty for lanes without a shape.
    anchors: Sets,
    /// The cell numbers of the shapes. A shape with fewer than eight cells repeats its first cell.
    steps: [[u8; LANES]; STEPS],
    /// The remaining cells with their lanes. Few shapes have any.
    rest: Box<[(usize, u8)]>,
}

impl Shapes {
    /// Builds lanes from the first eight items. An item is a shape and the corners from which it stays
    /// on the board.
    pub(crate) fn new(shapes: impl IntoIterator<Item = (Bitboard, Bitboard)>) -> Shapes {
        let (mut anchors, mut steps, mut rest) = (Sets::EMPTY, [[0; LANES]; STEPS], Vec::new());
        for (lane, (shape, corners)) in (0..LANES).zip(shapes) {
            let [lower, upper] = words(corners);
            anchors.put(lane, lower & ((1 << UPPER_FROM) - 1), upper);
            let (near, far): (Vec<u8>, Vec<u8>) =
                shape.iter().map(Cell::index).partition(|&number| number <= STEP_MAX);
            let first = near.first().copied().unwrap_or_default();
            for (step, number) in steps.iter_mut().zip(near.iter().copied().chain(repeat(first))) {
                step[lane] = number;
            }
            rest.extend(near.into_iter().skip(STEPS).chain(far).map(|number| (lane, number)));
        }
        Shapes { anchors, steps, rest: rest.into() }
    }

    /// Finds the corners from which all cells of a shape are free.
    ///
    /// Each round of the outer loop computes one lane, and its results go into separate arrays. In this
    /// form the compiler vectorizes the rounds and keeps them in registers. Other forms of the loop
    /// made games half as fast; `cargo lab --profile dist -- --engine` measures it.
    #[inline(always)]
    pub(crate) fn find(&self, free: Bitboard, fits: &mut Sets) {
        let [covered_lower, covered_upper] = words(!free);
        let (mut lowers, mut uppers, mut lens, mut len) = ([0; LANES], [0; LANES], [0; LANES], 0);
        for lane in 0..LANES {
            let (mut lower, mut upper) = (0, 0);
            for step in &self.steps {
                lower |= covered_lower.wrapping_shr(step[lane].into());
                upper |= covered_upper.wrapping_shr(step[lane].into());
            }
            lower = self.anchors.lower[lane] & !lower;
            upper = self.anchors.upper[lane] & !upper;
            let found = u64::from(lower.count_ones() + upper.count_ones());
            (lowers[lane], uppers[lane], lens[lane]) = (lower, upper, found as u8);
            len += found;
        }
        *fits = Sets { lower: lowers, upper: uppers, lens, len };
        if !self.rest.is_empty() {
            self.keep_rest(free, fits);
        }
    }

    /// Removes the fits at which one of the remaining cells is covered. The function is separate,
    /// because few shapes have remaining cells.
    #[cold]
    #[inline(never)]
    fn keep_rest(&self, free: Bitboard, fits: &mut Sets) {
        for &(lane, number) in &self.rest {
            let [lower, upper] = words(free.shifted_up(number));
            fits.put(lane, fits.lower[lane] & lower, fits.upper[lane] & upper);
        }
    }
}

/// A small counter for each cell of the board, all incremented at once: the set `bits[n]` has bit `n`
/// of the counters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    bits: [Bitboard; TALLY_BITS],
}

/// Six bits count up to 63: every shape on the board has fewer than 64 neighboring cells.
const TALLY_BITS: usize = 6;

impl Tally {
    /// Increments the counters of the cells in a set.
    #[inline(always)]
    fn add(&mut self, set: Bitboard) {
        let mut carry = set;
        for bit in &mut self.bits {
            (*bit, carry) = ((*bit | carry) - (*bit & carry), *bit & carry);
            if carry.is_empty() {
                return;
            }
        }
    }

    /// The smallest counter among some cells, and the cells that have it; an empty set if there are
    /// none.
    #[inline(always)]
    pub(crate) fn least(&self, mut among: Bitboard) -> (u32, Bitboard) {
        let mut number = 0;
        for bit in self.bits.iter().rev() {
            let zeros = among - *bit;
            number = 2 * number + u32::from(zeros.is_empty());
            among = if zeros.is_empty() { among } else { zeros };
        }
        (number, among)
    }
}

/// The neighboring cells of a shape, relative to its corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Border(Box<[Beside]>);

/// One neighboring cell of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Beside {
    /// The shift of the board that brings the cell to the corner: up if positive, down if negative.
    shift: i8,
    /// The first and the last column of corners for which the cell is on the board.
    columns: [u8; 2],
}

impl Border {
    /// Builds the border of a shape in the top left corner: the cells that share a side with it.
    pub(crate) fn new(shape: Bitboard) -> Border {
        let place = |cell: Cell| (cell.row() as i8, cell.col() as i8);
        let inside: BTreeSet<_> = shape.iter().map(place).collect();
        let around =
            |&(row, col): &(i8, i8)| [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)];
        let beside: BTreeSet<_> = inside.iter().flat_map(around).filter(|it| !inside.contains(it)).collect();
        let side = SIDE as i8;
        Border(
            beside
                .into_iter()
                .filter(|(row, col)| *row < side && *col < side)
                .map(|(row, col)| Beside {
                    shift: row * side + col,
                    columns: [-col.min(0), side - 1 - col.max(0)].map(|column| column as u8),
                })
                .collect(),
        )
    }

    /// Counts, for each corner, the free cells next to the shape.
    #[inline(always)]
    pub(crate) fn free(&self, free: Bitboard) -> Tally {
        let mut tally = Tally::default();
        for beside in &self.0 {
            let by = beside.shift.unsigned_abs();
            let moved = if beside.shift < 0 { free.shifted_down(by) } else { free.shifted_up(by) };
            let [first, last] = beside.columns;
            tally.add(moved & (columns(last + 1) - columns(first)));
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dealer::Dealer;
    use crate::shapes::cpu::with_each_level;
    use crate::shapes::patch::{Patch, Placements};

    /// The definition of a fit, place by place and cell by cell.
    fn fits_slowly(shape: Bitboard, free: Bitboard) -> Bitboard {
        let lies = |anchor: &Cell| {
            let moved =
                shape.iter().map(|cell| Cell::new(cell.row() + anchor.row(), cell.col() + anchor.col()));
            moved.collect::<Option<Bitboard>>().is_some_and(|cells| free.contains_all(cells))
        };
        Cell::all().filter(lies).collect()
    }

    #[test]
    fn free_cells_beside_are_those_of_the_definition() {
        let mut chance = Dealer::new(2, 80);
        for round in 0..300 {
            let shape = crate::shapes::patch::normalised(any_shape(&mut chance, 1 + round % 12));
            let free: Bitboard = Cell::all().filter(|_| chance.below(3) > 0).collect();
            let patch = Patch::uncut(shape);
            for turned in patch.whole().shapes() {
                let tally = Border::new(turned.cells()).free(free);
                for anchor in turned.fits(Bitboard::FULL) {
                    let cells = turned.at(anchor);
                    let expected = ((cells.with_neighbors() - cells) & free).len();
                    assert_eq!(tally.least(Bitboard::from_iter([anchor])).0, expected);
                }
            }
        }
    }

    /// A connected shape of `size` cells, grown from one cell in the middle.
    fn any_shape(chance: &mut Dealer, size: u32) -> Bitboard {
        let mut shape = Bitboard::from_iter(Cell::new(4, 4));
        while shape.len() < size {
            let beside = shape.with_neighbors() - shape;
            shape |= beside.iter().nth(chance.below(beside.len()) as usize).into_iter().collect();
        }
        shape
    }

    #[test]
    fn fits_are_the_same_on_all_processors() {
        let mut chance = Dealer::new(3, 80);
        for round in 0..400 {
            let shapes = (0..1 + round % LANES as u32).map(|_| any_shape(&mut chance, 1 + round % 12));
            let shapes: Vec<Bitboard> = shapes.map(crate::shapes::patch::normalised).collect();
            let free: Bitboard = Cell::all().filter(|_| chance.below(8) > 1).collect();
            let in_lanes =
                Shapes::new(shapes.iter().map(|&shape| (shape, fits_slowly(shape, Bitboard::FULL))));
            let expected: Vec<_> = shapes.iter().map(|&shape| fits_slowly(shape, free)).collect();
            let numbered: Vec<(usize, Cell)> = (0..)
                .zip(&expected)
                .flat_map(|(lane, fits)| fits.iter().map(move |cell| (lane, cell)))
                .collect();
            with_each_level(
                #[inline(always)]
                || {
                    let mut fits = Sets::EMPTY;
                    in_lanes.find(free, &mut fits);
                    let found: Vec<_> = (0..shapes.len()).map(|lane| fits.get(lane)).collect();
                    assert_eq!(found, expected);
                    assert_eq!(fits.len() as usize, numbered.len());
                    assert!((0..).map_while(|number| fits.nth(number)).eq(numbered.iter().copied()));
                },
            );
        }
    }

    #[test]
    fn fits_of_any_shape_are_those_of_the_definition() {
        let mut chance = Dealer::new(1, 80);
        for round in 0..600 {
            let size = 1 + round % 24;
            let shapes = [any_shape(&mut chance, size), Bitboard::rectangle(9, 1), Bitboard::rectangle(8, 9)];
            let filled = chance.below(4);
            let free: Bitboard = Cell::all().filter(|_| chance.below(8) >= filled).collect();
            for shape in shapes {
                let patch = Patch::uncut(crate::shapes::patch::normalised(shape));
                let placements = Placements::new(patch.whole(), free);
                assert_eq!(placements.sets().count(), patch.whole().shapes().len());
                for (turned, fits) in placements.sets() {
                    let expected = fits_slowly(turned.cells(), free);
                    assert_eq!(fits, expected, "{:?} on {free:?}", turned.cells());
                    assert_eq!(turned.fits(free), expected, "{:?} on {free:?}", turned.cells());
                }
            }
        }
    }
}
