//! Pieces of text that the games share.

use engine::bitboard::{Bitboard, SIDE};
use engine::patch::Patch;

/// Columns between two boards.
const GAP: &str = "    ";
/// Letters of a name above a board.
const NAME_CHARS: usize = 17;

/// A bot's name above its board.
pub(super) fn name_line(name: &str) -> String {
    name.chars().take(NAME_CHARS).collect()
}

/// The nine rows of a board; see [`row_text`].
pub(super) fn board_rows(board: Bitboard, fresh: Bitboard) -> impl Iterator<Item = String> {
    (0..SIDE).map(move |row| row_text(board, fresh, row))
}

/// The rows of a patch, as on its card up to its orientation.
pub(super) fn shape(patch: &Patch) -> Vec<String> {
    let flattest = patch
        .whole()
        .shapes()
        .iter()
        .map(|o| o.cells())
        .min_by_key(|&cells| cells.iter().last().map(|c| c.row()));
    let cells = flattest.expect("a patch has an orientation");
    let rows = cells.iter().map(|cell| cell.row()).max().map_or(0, |row| row + 1);
    (0..rows)
        .map(|row| row_text(cells, Bitboard::EMPTY, row).trim_end_matches([' ', '.']).replace('.', " "))
        .collect()
}

/// Nine cells of a board: `#` covered, `@` covered just now, `.` empty.
fn row_text(board: Bitboard, fresh: Bitboard, row: u8) -> String {
    let cell = |col: u8| match (fresh.row(row) >> col & 1, board.row(row) >> col & 1) {
        (1, _) => "@",
        (_, 1) => "#",
        _ => ".",
    };
    (0..SIDE).map(cell).collect::<Vec<_>>().join(" ")
}

/// Columns of lines beside each other, each as wide as its widest line.
pub(super) fn side_by_side(columns: &[Vec<String>]) -> String {
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: &Vec<String>| column.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..height {
        let cells = columns.iter().map(|column| {
            let line = column.get(row).map_or("", String::as_str);
            format!("{line:<width$}", width = width(column))
        });
        let line = cells.collect::<Vec<_>>().join(GAP);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
