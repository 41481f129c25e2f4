//! Empty cells of a quilt, classified by how hard they are to cover.

use std::sync::LazyLock;

use engine::bitboard::{Bitboard, SIDE};

/// The nine 7x7 squares of a quilt.
static SQUARES: LazyLock<[Bitboard; 9]> = LazyLock::new(|| {
    let square = Bitboard::rectangle(7, 7);
    std::array::from_fn(|place| square.shifted_down((place / 3 * 9 + place % 3) as u8))
});

/// Counts of empty cells of a quilt, in total and by kinds that few patches cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gaps {
    /// All empty cells.
    pub(super) empty: u32,
    /// Empty cells without an empty neighbor. Only leather covers them.
    pub(super) lone: u32,
    /// Empty cells with one empty neighbor: the ends of gaps.
    pub(super) ends: u32,
    /// Empty cells outside every empty 2x2 square: alleys one cell wide.
    pub(super) thin: u32,
    /// Edges between an empty and a covered cell. The border of the quilt does not count.
    pub(super) sides: u32,
}

impl Gaps {
    /// Counts the gaps of a quilt, given the covered cells, with bit operations on all cells at once.
    #[inline(always)]
    pub(super) fn new(covered: Bitboard) -> Gaps {
        let empty = (!covered).bits();
        let [from_left, from_right, from_above, from_below] = (!covered).beside().map(Bitboard::bits);
        let any = from_left | from_right | from_above | from_below;
        let several = from_left & from_right
            | from_above & from_below
            | (from_left | from_right) & (from_above | from_below);
        // First the top left cells of the empty 2x2 squares, then all cells of these squares.
        let corners = empty & from_right & from_below & (from_right >> SIDE);
        let upper = corners | corners << 1;
        let roomy = upper | upper << SIDE;
        Gaps {
            empty: empty.count_ones(),
            lone: (empty & !any).count_ones(),
            ends: (empty & any & !several).count_ones(),
            thin: (empty & !roomy).count_ones(),
            sides: sides(covered),
        }
    }
}

/// Counts the edges between a covered and an empty cell.
#[inline(always)]
fn sides(covered: Bitboard) -> u32 {
    covered.beside().into_iter().map(|beside| (beside - covered).len()).sum()
}

/// Returns the fewest cells that any 7x7 square lacks.
#[inline(always)]
pub(super) fn missing(quilt: Bitboard) -> u32 {
    SQUARES.iter().map(|&square| (square - quilt).len()).min().unwrap_or(0)
}

/// Counts the connected components of the cells; diagonals do not connect.
#[inline(always)]
pub(super) fn parts(cells: Bitboard) -> u32 {
    let (mut rest, mut count) = (cells, 0);
    while let Some(cell) = rest.first() {
        let mut part = Bitboard::from_iter([cell]);
        loop {
            let grown = part.with_neighbors() & rest;
            if grown == part {
                break;
            }
            part = grown;
        }
        rest = rest - part;
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_of_a_quilt_are_counted() {
        let covered: Bitboard = "
            .########
            ##...####
            ####.####
            ####.####
            #########
            #########
            #####..##
            #####..##
            #########"
            .parse()
            .expect("a board");
        let expected = Gaps { empty: 10, lone: 1, ends: 2, thin: 6, sides: 22 };
        assert_eq!((Gaps::new(covered), parts(!covered)), (expected, 3));
    }

    #[test]
    fn the_edge_of_the_quilt_is_no_side() {
        let open = Gaps { empty: 81, lone: 0, ends: 0, thin: 0, sides: 0 };
        assert_eq!((Gaps::new(Bitboard::EMPTY), parts(Bitboard::FULL)), (open, 1));
        let none = Gaps { empty: 0, ..open };
        assert_eq!((Gaps::new(Bitboard::FULL), parts(Bitboard::EMPTY)), (none, 0));
        let corner = Bitboard::rectangle(2, 3);
        assert_eq!((Gaps::new(corner).sides, parts(!corner)), (5, 1));
    }
}
