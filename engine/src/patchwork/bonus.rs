//! The tile for the first covered 7x7 square.

use crate::shapes::bitboard::Bitboard;

/// The points of the tile for a covered 7x7 square.
pub const BONUS_POINTS: i32 = 7;

/// The 5x5 cells that all 7x7 squares of the board share.
const MIDDLE: Bitboard = Bitboard::from_bits(0b11111 * (1 << 20 | 1 << 29 | 1 << 38 | 1 << 47 | 1 << 56));

/// Returns true if a 7x7 square is fully covered. It finds vertical runs of two, then four, then seven
/// covered cells, and then horizontal runs of those in the same way.
pub(super) fn has_7x7(board: Bitboard) -> bool {
    // Every 7x7 square contains the middle of the board, and on few boards the middle is covered.
    if !board.contains_all(MIDDLE) {
        return false;
    }
    let runs_of_seven = |cells: Bitboard, step: u8| {
        let two = cells & cells.shifted_up(step);
        let four = two & two.shifted_up(2 * step);
        four & four.shifted_up(3 * step)
    };
    let squares = runs_of_seven(runs_of_seven(board, crate::shapes::bitboard::SIDE), 1);
    // At other corners the square would cross the edge of the board.
    let corners = Bitboard::rectangle(3, 3);
    squares.intersects(corners)
}
