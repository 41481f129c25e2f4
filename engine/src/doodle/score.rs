//! Points for the best fully shaded rectangle of a sheet.

use crate::bitboard::{Bitboard, Cell, SIDE};

/// A rectangle of cells.
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
    /// What it scores: the biggest square in it by its cells, and 1 for each further row or column.
    pub fn points(self) -> u8 {
        rectangle_points(self.height, self.width)
    }
}

/// What a rectangle of this size scores: `min(h, w)^2 + |h - w|`.
pub const fn rectangle_points(height: u8, width: u8) -> u8 {
    let (short, long) = if height < width { (height, width) } else { (width, height) };
    short * short + (long - short)
}

/// The rectangle of shaded cells that scores most; of equal ones the topmost, then the leftmost,
/// then the flattest. `None` on an empty sheet.
pub fn best_rectangle(shaded: Bitboard) -> Option<Rectangle> {
    let mut best: Option<Rectangle> = None;
    for top in 0..SIDE {
        let mut shared = 0x1ff;
        for bottom in top..SIDE {
            shared &= shaded.row(bottom);
            if shared == 0 {
                break;
            }
            let (col, width) = longest_run(shared);
            let height = bottom - top + 1;
            if rectangle_points(height, width) > best.map_or(0, Rectangle::points) {
                let corner = Cell::new(top, col).expect("the run is on the board");
                best = Some(Rectangle { corner, height, width });
            }
        }
    }
    best
}

/// First column and length of the longest run of bits in a row; the leftmost of equal ones.
fn longest_run(row: u16) -> (u8, u8) {
    let (mut starts, mut length) = (row, 1);
    loop {
        let longer = starts & row >> length;
        if longer == 0 {
            return (starts.trailing_zeros() as u8, length);
        }
        starts = longer;
        length += 1;
    }
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
        assert_eq!(best_rectangle(Bitboard::FULL).unwrap().points(), 81);
    }
}
