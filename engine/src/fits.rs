//! Where shapes fit, found for all places of the board at once.
//!
//! The places where so many cells in a row are free are computed once for a board ([`Free`]) and
//! shared by all shapes. A shape is covered by three such runs at most, or nearly so, and its fits are
//! the intersection of their sets, each shifted by where the run lies in the shape.
//!
//! Knows cells and shapes, not patches, players or rules.

use std::collections::BTreeSet;

use crate::bitboard::{Bitboard, CELLS, Cell, SIDE};

/// The longest run of cells that is looked up; longer ones are several.
const RUN_MAX: u8 = 5;
/// Room for the sets of all runs: a power of two, which every index is within once it is masked.
const SETS: usize = 16;
/// Runs of a shape that are looked up; cells beyond them are shifted one by one.
const RUNS: usize = 3;
/// The lower word of a set answers for places in the rows above this one, the upper word for others.
const UPPER_FROM: u8 = 2 * SIDE;
/// Runs that begin further down in a shape would leave the words.
const RUN_START_MAX: u8 = 6 * SIDE - 1;

/// A set of places for the corner of a shape, in two words that overlap, so that no shift carries
/// from one into the other: the lower has rows 0 to 6 and in the end only places in rows 0 and 1, the
/// upper has rows 2 to 8. Two words of 64 bits are shifted in half the instructions of 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lanes {
    lower: u64,
    upper: u64,
}

impl Lanes {
    pub(crate) const EMPTY: Lanes = Lanes { lower: 0, upper: 0 };

    /// All that the words can hold of these cells.
    #[inline(always)]
    fn overlapping(cells: Bitboard) -> Lanes {
        Lanes { lower: cells.bits() as u64, upper: (cells.bits() >> UPPER_FROM) as u64 }
    }

    /// Each cell in one word only.
    #[inline(always)]
    fn disjoint(cells: Bitboard) -> Lanes {
        let Lanes { lower, upper } = Lanes::overlapping(cells);
        Lanes { lower: lower & ((1 << UPPER_FROM) - 1), upper }
    }

    /// The cells again; the words must be disjoint.
    #[inline(always)]
    pub(crate) fn cells(self) -> Bitboard {
        Bitboard::from_bits(u128::from(self.lower) | u128::from(self.upper) << UPPER_FROM)
    }

    #[inline(always)]
    pub(crate) fn len(self) -> u32 {
        self.lower.count_ones() + self.upper.count_ones()
    }

    #[inline(always)]
    fn and(self, other: Lanes) -> Lanes {
        Lanes { lower: self.lower & other.lower, upper: self.upper & other.upper }
    }
}

/// The free cells of a board, made ready to find what fits on them. It serves all shapes, so it is
/// made once for a board.
#[derive(Clone, Copy, Debug)]
pub struct Free {
    cells: Bitboard,
    /// The lower words of the places where so many cells are free to the right, and downwards; by
    /// [`put`](Self::put).
    lower: [u64; SETS],
    /// The upper words.
    upper: [u64; SETS],
}

impl Free {
    /// Makes these cells ready.
    #[inline(always)]
    pub fn new(cells: Bitboard) -> Free {
        let mut free = Free { cells, lower: [0; SETS], upper: [0; SETS] };
        let (mut right, mut down) = (cells, cells);
        free.put(0, [right, down]);
        for longer in 1..RUN_MAX {
            right &= cells.shifted_up(longer) & columns(SIDE - longer);
            down &= cells.shifted_up(longer * SIDE);
            free.put(longer, [right, down]);
        }
        free
    }

    #[inline(always)]
    fn put(&mut self, longer: u8, sets: [Bitboard; 2]) {
        for (direction, set) in sets.into_iter().enumerate() {
            let index = 2 * usize::from(longer) + direction;
            Lanes { lower: self.lower[index], upper: self.upper[index] } = Lanes::overlapping(set);
        }
    }

    /// The places from which a run at its place in a shape is free.
    #[inline(always)]
    fn with(&self, run: Run) -> Lanes {
        let set = usize::from(run.set) % SETS;
        let by = run.start.into();
        Lanes { lower: self.lower[set].wrapping_shr(by), upper: self.upper[set].wrapping_shr(by) }
    }

    /// The free cells.
    pub fn cells(&self) -> Bitboard {
        self.cells
    }
}

/// The cells of so many columns from the left.
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

/// A straight piece of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    /// Which of the sets of [`Free`] has the places where so many cells are free in this direction.
    set: u8,
    /// The number of its first cell in the shape: by so much the set is shifted.
    start: u8,
}

impl Run {
    /// The longest run in `shape` from its cell `first` on, with its cells: to the right for direction
    /// 0, downwards for 1.
    fn longest(shape: Bitboard, first: Cell, direction: u8) -> (Run, Bitboard) {
        let [down, right] = [direction, 1 - direction];
        let place = |step: u8| Cell::new(first.row() + step * down, first.col() + step * right);
        let inside = |step| place(step).filter(|&cell| shape.contains(cell));
        let cells: Bitboard = (0..RUN_MAX).map_while(inside).collect();
        (Run { set: 2 * (cells.len() as u8 - 1) + direction, start: first.index() }, cells)
    }
}

/// What is asked of free cells so that a shape fits on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cover {
    /// Where the corner can stand without the shape leaving the board.
    anchors: Lanes,
    runs: [Run; RUNS],
    /// The numbers of cells that the runs leave out, in few shapes.
    rest: Box<[u8]>,
}

impl Cover {
    /// Covers a shape that stands in the top left corner of the board: always with the run that has
    /// most of the cells that are left.
    pub(crate) fn new(shape: Bitboard, anchors: Bitboard) -> Cover {
        let starts = shape.iter().filter(|cell| cell.index() <= RUN_START_MAX);
        let runs = starts.flat_map(|cell| [0, 1].map(|direction| Run::longest(shape, cell, direction)));
        let inside: Vec<(Run, Bitboard)> = runs.collect();
        let mut left = shape;
        let runs = std::array::from_fn(|_| {
            let most = inside.iter().max_by_key(|(_, cells)| (*cells & left).len());
            let (run, cells) = most.expect("a shape has a cell in the upper rows");
            left = left - *cells;
            *run
        });
        let rest = left.iter().map(Cell::index).collect();
        Cover { anchors: Lanes::disjoint(anchors), runs, rest }
    }

    /// Where the corner of the shape can stand.
    #[inline(always)]
    pub(crate) fn fits(&self, free: &Free) -> Lanes {
        let fits = self.runs.iter().fold(self.anchors, |fits, &run| fits.and(free.with(run)));
        if self.rest.is_empty() { fits } else { self.with_rest(fits, free) }
    }

    /// The fits of the runs at which the other cells are free, too. Kept out of the way of the many
    /// shapes that have none.
    #[cold]
    #[inline(never)]
    fn with_rest(&self, fits: Lanes, free: &Free) -> Lanes {
        let shifted = |&cell: &u8| Lanes::disjoint(free.cells.shifted_up(cell));
        self.rest.iter().map(shifted).fold(fits, Lanes::and)
    }
}

/// A small number for each cell of the board, all counted up at once: bit `n` of the numbers is in the
/// set `bits[n]`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    bits: [Bitboard; TALLY_BITS],
}

/// No shape within the board has 64 cells beside it.
const TALLY_BITS: usize = 6;

impl Tally {
    /// Adds one for each cell of a set.
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

    /// The smallest number of some cells, and those that have it; none where there are no cells.
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

/// The cells beside a shape, as places seen from its corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Border(Box<[Beside]>);

/// A cell beside a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Beside {
    /// How far the board is shifted up to bring the cell to the corner; down where it is negative.
    shift: i8,
    /// The columns of corners for which the cell is on the board, as their first and last.
    columns: [u8; 2],
}

impl Border {
    /// The cells that share a side with a shape in the top left corner and are not in it.
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

    /// For each corner, how many free cells would lie beside the shape.
    #[inline(always)]
    pub(crate) fn free(&self, free: &Free) -> Tally {
        let mut tally = Tally::default();
        for beside in &self.0 {
            let by = beside.shift.unsigned_abs();
            let moved =
                if beside.shift < 0 { free.cells.shifted_down(by) } else { free.cells.shifted_up(by) };
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
    use crate::patch::Patch;

    /// The definition, place by place and cell by cell.
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
            let shape = crate::patch::normalised(any_shape(&mut chance, 1 + round % 12));
            let free: Bitboard = Cell::all().filter(|_| chance.below(3) > 0).collect();
            let patch = Patch::uncut(shape);
            for turned in patch.whole() {
                let tally = Border::new(turned.cells()).free(&Free::new(free));
                for anchor in turned.fits(&Free::new(Bitboard::FULL)) {
                    let cells = turned.at(anchor);
                    let expected = ((cells.with_neighbors() - cells) & free).len();
                    assert_eq!(tally.least(Bitboard::from_iter([anchor])).0, expected);
                }
            }
        }
    }

    /// A connected shape of so many cells, grown from one in the middle.
    fn any_shape(chance: &mut Dealer, size: u32) -> Bitboard {
        let mut shape = Bitboard::from_iter(Cell::new(4, 4));
        while shape.len() < size {
            let beside = shape.with_neighbors() - shape;
            shape |= beside.iter().nth(chance.below(beside.len()) as usize).into_iter().collect();
        }
        shape
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
                for turned in Patch::uncut(crate::patch::normalised(shape)).whole() {
                    let expected = fits_slowly(turned.cells(), free);
                    assert_eq!(turned.fits(&Free::new(free)), expected, "{:?} on {free:?}", turned.cells());
                }
            }
        }
    }
}
