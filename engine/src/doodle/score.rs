//! Points for the best fully shaded rectangle of a sheet.

use crate::shapes::bitboard::{Bitboard, Cell, SIDE};

/// A rectangle of cells.
///
/// # Examples
/// ```
/// use engine::bitboard::{Bitboard, Cell};
/// use engine::doodle::{Rectangle, best_rectangle};
///
/// let corner = Cell::new(0, 0).unwrap();
/// let best = best_rectangle(Bitboard::rectangle(3, 4));
/// assert_eq!(best, Some(Rectangle { corner, height: 3, width: 4 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// Its top left cell.
    pub corner: Cell,
    /// Rows.
    pub height: u8,
    /// Columns.
    pub width: u8,
}

impl Rectangle {
    /// The points: the cells of the largest square in the rectangle, plus 1 for each further row or
    /// column.
    pub fn points(self) -> u8 {
        rectangle_points(self.height, self.width)
    }
}

/// The points of a rectangle of `height` by `width` cells: `min(h, w)^2 + |h - w|`.
pub const fn rectangle_points(height: u8, width: u8) -> u8 {
    let (short, long) = if height < width { (height, width) } else { (width, height) };
    short * short + (long - short)
}

/// The rectangle of shaded cells with the most points; `None` on an empty sheet. Among equal rectangles
/// it takes the topmost, then the one with the fewest rows, then the leftmost.
///
/// # Examples
/// ```
/// use engine::bitboard::Bitboard;
/// use engine::doodle::best_rectangle;
///
/// // A row of 9 gives 9 points, and the 4x4 square gives 16.
/// let shaded = Bitboard::rectangle(1, 9) | Bitboard::rectangle(4, 4);
/// let best = best_rectangle(shaded).unwrap();
/// assert_eq!((best.height, best.width), (4, 4));
/// assert_eq!(best_rectangle(Bitboard::EMPTY), None);
/// ```
pub fn best_rectangle(shaded: Bitboard) -> Option<Rectangle> {
    let rows: [u16; SIDE as usize] = std::array::from_fn(|row| shaded.row(row as u8));
    let (mut best, mut found) = (0, None);
    for top in 0..rows.len() {
        let mut shared = ROW;
        for (height, row) in (1..).zip(&rows[top..]) {
            shared &= row;
            if shared == 0 {
                break;
            }
            let width = LONGEST_RUN[usize::from(shared)];
            if rectangle_points(height, width) > best {
                best = rectangle_points(height, width);
                found = Some((top as u8, shared, height, width));
            }
        }
    }
    found.map(|(top, shared, height, width)| {
        let corner = Cell::new(top, first_run(shared, width)).expect("the run is on the board");
        Rectangle { corner, height, width }
    })
}

/// All bits of a row.
const ROW: u16 = (1 << SIDE) - 1;

/// The length of the longest run of bits in each possible row.
const LONGEST_RUN: [u8; 1 << SIDE] = {
    let mut lengths = [0; 1 << SIDE];
    let mut row = 1;
    while row < lengths.len() {
        // Each step removes the last bit of every run.
        lengths[row] = 1 + lengths[row & row >> 1];
        row += 1;
    }
    lengths
};

/// The first column of the leftmost run of `length` bits in a row.
fn first_run(row: u16, length: u8) -> u8 {
    (1..length).fold(row, |starts, further| starts & row >> further).trailing_zeros() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rulebooks_rectangles() {
        for (height, width, points) in
            [(3, 8, 14), (4, 5, 17), (2, 2, 4), (1, 7, 7), (7, 1, 7), (9, 9, 81), (1, 1, 1)]
        {
            assert_eq!(rectangle_points(height, width), points, "{height}x{width}");
        }
    }

    #[test]
    fn of_several_rectangles_the_best_is_taken() {
        let board: Bitboard = "
            ........#
            ########.
            ########.
            ########.
            .#####...
            .........
            ##.......
            ##.......
            ........."
            .parse()
            .unwrap();
        let best = best_rectangle(board).unwrap();
        assert_eq!((best.height, best.width, best.points()), (4, 5, 17));
        assert_eq!((best.corner.row(), best.corner.col()), (1, 1));
        assert_eq!(best_rectangle(Bitboard::EMPTY), None);
        // 4 points each: the one with fewer rows, although the other one is further left.
        let equal: Bitboard = "
            ##...####
            ##.......
            .........
            .........
            .........
            .........
            .........
            .........
            ........."
            .parse()
            .unwrap();
        let best = best_rectangle(equal).unwrap();
        assert_eq!((best.height, best.width, best.corner.col()), (1, 4, 5));
        assert_eq!(best_rectangle(Bitboard::FULL).unwrap().points(), 81);
    }
}
