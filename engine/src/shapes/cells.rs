//! Cells as moves name them on the wire: pairs of numbers, untrusted until this module has read them.

use crate::shapes::bitboard::{Bitboard, Cell};

/// A cell as a bot wrote it, `[row, col]`; it may be outside the board.
///
/// # Examples
/// ```
/// use engine::cells::{Pair, read_cell};
///
/// let pair: Pair = serde_json::from_str("[-1,4]")?;
/// assert!(read_cell(pair).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub type Pair = [i64; 2];

/// The errors in the cells of a move, for both games.
///
/// # Examples
/// ```
/// use engine::bitboard::Cell;
/// use engine::cells::BadCells;
///
/// let center = Cell::new(4, 4).unwrap();
/// assert_eq!(BadCells::Twice(center).to_string(), "cell [4,4] is listed twice");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCells {
    /// A cell is outside the board.
    #[error("cell [{0},{1}] is outside the board: rows and columns are 0 to 8")]
    Outside(i64, i64),
    /// A cell is named twice.
    #[error("cell {0} is listed twice")]
    Twice(Cell),
    /// Cells are already covered, at least one. The message names the first of them.
    #[error("cell {} is already covered", .0.first().map_or_else(String::new, |cell| cell.to_string()))]
    Covered(Bitboard),
}

/// Reads one cell.
///
/// # Errors
/// [`BadCells::Outside`] if the cell is outside the board.
///
/// # Examples
/// ```
/// use engine::bitboard::Cell;
/// use engine::cells::{BadCells, read_cell};
///
/// assert_eq!(read_cell([2, 7]).ok(), Cell::new(2, 7));
/// assert_eq!(read_cell([2, 9]), Err(BadCells::Outside(2, 9)));
/// ```
pub fn read_cell([row, col]: Pair) -> Result<Cell, BadCells> {
    let cell = match (u8::try_from(row), u8::try_from(col)) {
        (Ok(row), Ok(col)) => Cell::new(row, col),
        _ => None,
    };
    cell.ok_or(BadCells::Outside(row, col))
}

/// Reads distinct cells, in any order.
///
/// # Errors
/// [`BadCells::Outside`] or [`BadCells::Twice`], with the first such cell of the list.
///
/// # Examples
/// ```
/// use engine::bitboard::Bitboard;
/// use engine::cells::read_cells;
///
/// assert_eq!(read_cells(&[[0, 1], [0, 0]]), Ok(Bitboard::rectangle(1, 2)));
/// assert!(read_cells(&[[0, 0], [0, 0]]).is_err()); // the same cell twice
/// ```
pub fn read_cells(pairs: &[Pair]) -> Result<Bitboard, BadCells> {
    let mut set = Bitboard::EMPTY;
    for &pair in pairs {
        let cell = read_cell(pair)?;
        if set.contains(cell) {
            return Err(BadCells::Twice(cell));
        }
        set.insert(cell);
    }
    Ok(set)
}

/// Converts a cell to its form on the wire, `[row, col]`.
pub fn write_cell(cell: Cell) -> Pair {
    [cell.row().into(), cell.col().into()]
}

/// Converts cells to their form on the wire, row by row.
pub fn write_cells(cells: Bitboard) -> Vec<Pair> {
    let mut pairs = Vec::with_capacity(cells.len() as usize);
    pairs.extend(cells.iter().map(write_cell));
    pairs
}

/// Checks that all `cells` are empty on `board`.
///
/// # Errors
/// [`BadCells::Covered`] with all covered cells.
///
/// # Examples
/// ```
/// use engine::bitboard::Bitboard;
/// use engine::cells::{BadCells, check_free};
///
/// let (row, square) = (Bitboard::rectangle(1, 3), Bitboard::rectangle(2, 2));
/// assert_eq!(check_free(row - square, square), Ok(()));
/// assert_eq!(check_free(row, square), Err(BadCells::Covered(Bitboard::rectangle(1, 2))));
/// ```
pub fn check_free(cells: Bitboard, board: Bitboard) -> Result<(), BadCells> {
    match cells & board {
        Bitboard::EMPTY => Ok(()),
        covered => Err(BadCells::Covered(covered)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_read_back_as_written() {
        let cells = [[0, 8], [3, 4], [8, 0]];
        assert_eq!(write_cells(read_cells(&cells).expect("on the board")), cells);
    }

    #[test]
    fn wrong_cells_are_named() {
        let message = |result: Result<Bitboard, BadCells>| result.expect_err("wrong").to_string();
        for pair in [[9, 0], [0, 9], [-1, 0], [0, i64::MIN], [256, 0], [i64::MAX, 3]] {
            let text =
                format!("cell [{},{}] is outside the board: rows and columns are 0 to 8", pair[0], pair[1]);
            assert_eq!(message(read_cells(&[[0, 0], pair])), text);
        }
        assert_eq!(message(read_cells(&[[1, 2], [3, 4], [1, 2]])), "cell [1,2] is listed twice");
        let board = read_cells(&[[3, 4], [5, 5], [8, 8]]).expect("on the board");
        let cells = read_cells(&[[5, 5], [3, 4], [0, 0]]).expect("on the board");
        let covered = check_free(cells, board).expect_err("covered");
        assert_eq!(covered.to_string(), "cell [3,4] is already covered");
        assert_eq!(covered, BadCells::Covered(cells & board));
    }
}
