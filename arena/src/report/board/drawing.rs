//! Text drawing that the games share.

use engine::bitboard::{Bitboard, SIDE};
use engine::patch::Patch;

use tournament::report::layout;
use tournament::report::style::Mark;

/// The space between two boards.
const GAP: &str = "    ";
/// The maximum length of a name above a board, in characters.
const NAME_CHARS: usize = 17;

/// Returns the line with a bot's name above its board.
pub(super) fn name_line(name: &str) -> String {
    name.chars().take(NAME_CHARS).collect()
}

/// Returns the nine rows of a board, below the numbers of the columns and after those of the rows; see [`row_text`].
pub(super) fn board_rows(board: Bitboard, fresh: Bitboard) -> impl Iterator<Item = String> {
    let numbers = (1..=SIDE).map(|column| format!(" {column}")).collect::<String>();
    let rows = (0..SIDE).map(move |row| format!("{} {}", row + 1, row_text(board, fresh, row)));
    std::iter::once(format!(" {numbers}")).chain(rows)
}

/// Returns the rows of a patch in its flattest orientation.
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

/// Returns a row of nine cells: `#` covered, `@` newly covered, `.` empty.
fn row_text(board: Bitboard, fresh: Bitboard, row: u8) -> String {
    let cell = |col: u8| match (fresh.row(row) >> col & 1, board.row(row) >> col & 1) {
        (1, _) => Mark::Good.on("@"),
        (_, 1) => "#".to_owned(),
        _ => ".".to_owned(),
    };
    (0..SIDE).map(cell).collect::<Vec<_>>().join(" ")
}

/// Joins columns of lines into rows, with each column as wide as its widest line. Columns that do not fit
/// continue below.
pub(super) fn side_by_side(columns: &[Vec<String>], width: Option<usize>) -> String {
    let widths: Vec<usize> = columns
        .iter()
        .map(|column| column.iter().map(|line| layout::width(line)).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    let mut begin = 0;
    while begin < columns.len() {
        let (mut end, mut used) = (begin + 1, widths[begin]);
        while end < columns.len() && width.is_none_or(|width| used + GAP.len() + widths[end] <= width) {
            used += GAP.len() + widths[end];
            end += 1;
        }
        if begin > 0 {
            text.push('\n');
        }
        text += &row_of(&columns[begin..end], &widths[begin..end]);
        begin = end;
    }
    text
}

fn row_of(columns: &[Vec<String>], widths: &[usize]) -> String {
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..height {
        let cells = columns.iter().zip(widths).map(|(column, &width)| {
            let line = column.get(row).map_or("", String::as_str);
            line.to_owned() + &" ".repeat(width - layout::width(line))
        });
        let line = cells.collect::<Vec<_>>().join(GAP);
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_do_not_fit_go_below() {
        let columns: Vec<Vec<String>> = ["one", "two", "three"].map(|line| vec![line.to_owned()]).into();
        assert_eq!(side_by_side(&columns, None), "one    two    three\n");
        assert_eq!(side_by_side(&columns, Some(10)), "one    two\n\nthree\n");
    }
}
