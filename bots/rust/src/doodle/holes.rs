//! The empty cells of a sheet, classified by how hard they are to fill.

use engine::bitboard::Bitboard;

/// The empty cells, and three kinds of them that few patches fill. Bits as in [`Bitboard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holes {
    /// All empty cells.
    pub(crate) empty: u128,
    /// Empty cells without an empty neighbor. Only the special action of a single cell fills them.
    pub(crate) lone: u128,
    /// Empty cells with one empty neighbor: the ends of gaps.
    pub(crate) ends: u128,
    /// Empty cells with two empty neighbors: the middles of gaps, and corners.
    pub(crate) narrow: u128,
}

impl Holes {
    /// Finds the holes of a sheet, given the shaded cells, with bit operations on all cells at once. One set
    /// per direction marks the cells with an empty neighbor there; the rest counts directions.
    #[inline(always)]
    pub(crate) fn new(shaded: Bitboard) -> Holes {
        let empty = (!shaded).bits();
        let [left, right, above, below] = (!shaded).beside().map(Bitboard::bits);
        let (row_any, row_both) = (left | right, left & right);
        let (col_any, col_both) = (above | below, above & below);
        let one = row_any | col_any;
        let two = row_both | col_both | row_any & col_any;
        let three = row_both & col_any | col_both & row_any;
        Holes { empty, lone: empty & !one, ends: empty & one & !two, narrow: empty & two & !three }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_told_apart_by_their_empty_neighbors() {
        let shaded: Bitboard = "
            .########
            ##...####
            ####.####
            ####.####
            #########
            ###.#####
            ##...####
            ###.#####
            #######.."
            .parse()
            .expect("a board");
        for (number, cell) in engine::bitboard::Cell::all().enumerate() {
            let holes = Holes::new(shaded);
            let around = Bitboard::from_iter([cell]).with_neighbors() - Bitboard::from_iter([cell]);
            let beside = (around - shaded).len();
            let is = |kind: u128| kind >> number & 1 == 1;
            let empty = !shaded.contains(cell);
            assert_eq!(is(holes.empty), empty, "{cell}");
            assert_eq!(is(holes.lone), empty && beside == 0, "{cell}");
            assert_eq!(is(holes.ends), empty && beside == 1, "{cell}");
            assert_eq!(is(holes.narrow), empty && beside == 2, "{cell}");
        }
    }
}
