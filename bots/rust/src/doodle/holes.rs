//! The empty cells of a sheet, by how hard they are to reach.

use engine::bitboard::Bitboard;

/// The empty cells, and three kinds of them that few patches fill: bits as in [`Bitboard`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holes {
    /// All empty cells.
    pub(crate) empty: u128,
    /// Those with no empty cell beside them: only a single cell fills them.
    pub(crate) lone: u128,
    /// Those with one: the ends of gaps.
    pub(crate) ends: u128,
    /// Those with two: the middles of gaps, and corners.
    pub(crate) narrow: u128,
}

impl Holes {
    /// The holes of a sheet with these cells shaded. All cells are looked at at once: each set
    /// says which cells have an empty cell on that side, and the rest counts the four answers.
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
