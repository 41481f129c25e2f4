//! Shapes as sorted lists of cells, and the 9x9 board.

use serde_json::Value;

/// Rows and columns of every board.
pub const SIZE: u8 = 9;

/// `(row, column)`, row 0 at the top.
pub type Cell = (u8, u8);

/// Cells in ascending order, without repeats.
pub type Shape = Vec<Cell>;

/// A board; `board[row][column]` is true if the cell is covered.
pub type Board = [[bool; SIZE as usize]; SIZE as usize];

/// An empty board.
pub const EMPTY_BOARD: Board = [[false; SIZE as usize]; SIZE as usize];

// ---------------------------------------------------------------------------------------------
// Reading shapes

/// Reads rows of `X` and `.`, and moves the shape to the top left corner.
pub fn parse_rows(rows: &[&str]) -> Result<Shape, String> {
    let mut cells = Vec::new();
    for (row, text) in rows.iter().enumerate() {
        for (column, letter) in text.chars().enumerate() {
            match letter {
                'X' => cells.push((small(row)?, small(column)?)),
                '.' => {}
                other => return Err(format!("unexpected {other:?} in a shape")),
            }
        }
    }
    Ok(normalize(&cells))
}

/// Reads a shape from JSON. Refuses a shape that is not connected or does not fit on a board.
pub fn parse_json_shape(value: &Value) -> Result<Shape, String> {
    let list = value.as_array().ok_or("cells is not a list")?;
    let mut rows = Vec::new();
    for row in list {
        rows.push(row.as_str().ok_or("a row of cells is not a string")?);
    }
    let shape = parse_rows(&rows)?;
    if shape.is_empty() {
        return Err("the shape is empty".to_owned());
    }
    if shape.iter().any(|&cell| !on_board(cell)) {
        return Err("the shape is larger than the board".to_owned());
    }
    if components(&shape, |_, _| false).len() != 1 {
        return Err("the shape is not connected".to_owned());
    }
    Ok(shape)
}

/// Reads a board of an observation; `#` marks covered cells.
pub fn parse_json_board(value: &Value) -> Result<Board, String> {
    let mut board = EMPTY_BOARD;
    for (row, text) in value.as_array().ok_or("a board is not a list")?.iter().enumerate() {
        for (column, letter) in text.as_str().ok_or("a row is not a string")?.chars().enumerate() {
            board[row][column] = letter == '#';
        }
    }
    Ok(board)
}

fn small(index: usize) -> Result<u8, String> {
    u8::try_from(index).map_err(|_| "the shape is larger than the board".to_owned())
}

// ---------------------------------------------------------------------------------------------
// Rotations and flips

/// Moves the cells to the top left corner and sorts them.
pub fn normalize(cells: &[Cell]) -> Shape {
    let top = cells.iter().map(|cell| cell.0).min().unwrap_or(0);
    let left = cells.iter().map(|cell| cell.1).min().unwrap_or(0);
    let mut moved: Shape = cells.iter().map(|cell| (cell.0 - top, cell.1 - left)).collect();
    moved.sort_unstable();
    moved
}

fn quarter_turn(cells: &[Cell]) -> Shape {
    let bottom = cells.iter().map(|cell| cell.0).max().unwrap_or(0);
    let turned: Shape = cells.iter().map(|cell| (cell.1, bottom - cell.0)).collect();
    normalize(&turned)
}

fn flip(cells: &[Cell]) -> Shape {
    let right = cells.iter().map(|cell| cell.1).max().unwrap_or(0);
    let flipped: Shape = cells.iter().map(|cell| (cell.0, right - cell.1)).collect();
    normalize(&flipped)
}

/// Returns the distinct rotations and reflections (one to eight), in ascending order.
pub fn orientations(cells: &[Cell]) -> Vec<Shape> {
    let mut found = Vec::new();
    let mut current = normalize(cells);
    for _ in 0..4 {
        found.push(flip(&current));
        let next = quarter_turn(&current);
        found.push(current);
        current = next;
    }
    found.sort();
    found.dedup();
    found
}

/// Returns one representative of all orientations. Two lists of cells are the same patch exactly if their
/// canonical forms are equal.
pub fn canonical(cells: &[Cell]) -> Shape {
    orientations(cells).into_iter().next().expect("every list of cells has at least one orientation")
}

/// Returns all distinct placements of the patch on an empty board.
pub fn placements(cells: &[Cell]) -> Vec<Shape> {
    let mut found = Vec::new();
    for shape in orientations(cells) {
        for down in 0..SIZE {
            for right in 0..SIZE {
                let laid: Shape = shape.iter().map(|c| (c.0 + down, c.1 + right)).collect();
                if laid.iter().all(|&cell| on_board(cell)) {
                    found.push(laid);
                }
            }
        }
    }
    found
}

// ---------------------------------------------------------------------------------------------
// Connectedness and cuts

fn are_neighbors(a: Cell, b: Cell) -> bool {
    a.0.abs_diff(b.0) + a.1.abs_diff(b.1) == 1
}

/// Returns the connected components of the cells. `wall(a, b)` tells whether the edge between two neighboring
/// cells is closed.
fn components(cells: &[Cell], wall: impl Fn(Cell, Cell) -> bool) -> Vec<Vec<Cell>> {
    let mut left: Vec<Cell> = cells.to_vec();
    let mut parts = Vec::new();
    while let Some(first) = left.pop() {
        let mut part = vec![first];
        let mut looked_at = 0;
        while looked_at < part.len() {
            let here = part[looked_at];
            looked_at += 1;
            let (reached, others): (Vec<Cell>, Vec<Cell>) =
                left.iter().partition(|&&there| are_neighbors(here, there) && !wall(here, there));
            part.extend(reached);
            left = others;
        }
        parts.push(part);
    }
    parts
}

/// A straight segment of one grid line. A horizontal line `line` runs between the rows `line - 1` and `line`,
/// a vertical one between those columns. The segment covers the edges of the columns (for a vertical line,
/// rows) `from..=to`.
struct Segment {
    horizontal: bool,
    line: u8,
    from: u8,
    to: u8,
}

impl Segment {
    fn separates(&self, a: Cell, b: Cell) -> bool {
        let (along_a, across_a, along_b, across_b) =
            if self.horizontal { (a.1, a.0, b.1, b.0) } else { (a.0, a.1, b.0, b.1) };
        along_a == along_b
            && (self.from..=self.to).contains(&along_a)
            && across_a.min(across_b) + 1 == self.line
            && across_a.max(across_b) == self.line
    }
}

/// Returns all segments inside the shape's bounding box. Longer segments would cut nothing more.
fn segments(shape: &[Cell]) -> Vec<Segment> {
    let height = shape.iter().map(|cell| cell.0 + 1).max().unwrap_or(0);
    let width = shape.iter().map(|cell| cell.1 + 1).max().unwrap_or(0);
    let mut found = Vec::new();
    for (horizontal, lines, length) in [(true, height, width), (false, width, height)] {
        for line in 1..lines {
            for from in 0..length {
                for to in from..length {
                    found.push(Segment { horizontal, line, from, to });
                }
            }
        }
    }
    found
}

/// Returns the patches (canonical, distinct, ascending) that exactly one cut can leave of this one.
pub fn pieces_of_one_cut(cells: &[Cell]) -> Vec<Shape> {
    let shape = normalize(cells);
    let mut found = Vec::new();
    for segment in segments(&shape) {
        let parts = components(&shape, |a, b| segment.separates(a, b));
        if parts.len() == 2 {
            found.extend(parts.iter().map(|part| canonical(part)));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Returns the patches (canonical) by the least number of cuts. `forms[n]` lists the patches that need `n`
/// cuts: the whole patch, pieces of one cut, and new pieces of a second cut.
pub fn forms_by_cuts(cells: &[Cell]) -> [Vec<Shape>; 3] {
    let whole = vec![canonical(cells)];
    let once = pieces_of_one_cut(cells);
    let mut twice: Vec<Shape> = once.iter().flat_map(|piece| pieces_of_one_cut(piece)).collect();
    twice.sort();
    twice.dedup();
    twice.retain(|piece| !once.contains(piece));
    [whole, once, twice]
}

// ---------------------------------------------------------------------------------------------
// Boards

/// Returns true if the cell is on the board.
pub fn on_board(cell: Cell) -> bool {
    cell.0 < SIZE && cell.1 < SIZE
}

/// Returns true if the cell is covered. The cell must be on the board.
pub fn is_covered(board: &Board, cell: Cell) -> bool {
    board[usize::from(cell.0)][usize::from(cell.1)]
}

/// Covers the cells, which must be on the board.
pub fn cover(board: &mut Board, cells: &[Cell]) {
    for cell in cells {
        board[usize::from(cell.0)][usize::from(cell.1)] = true;
    }
}

/// Returns the uncovered cells, row by row.
pub fn empty_cells(board: &Board) -> Vec<Cell> {
    let mut found = Vec::new();
    for row in 0..SIZE {
        for column in 0..SIZE {
            if !is_covered(board, (row, column)) {
                found.push((row, column));
            }
        }
    }
    found
}

/// Returns the number of uncovered cells.
pub fn empty_count(board: &Board) -> usize {
    board.iter().flatten().filter(|covered| !**covered).count()
}

/// Returns true if every cell of the rectangle is covered.
pub fn is_full_rectangle(board: &Board, top: u8, left: u8, height: u8, width: u8) -> bool {
    (top..top + height).all(|row| (left..left + width).all(|column| is_covered(board, (row, column))))
}

/// Sorts the cells of a move. Refuses cells that are off the board, repeated, or covered.
pub fn check_free(board: &Board, cells: &[Cell]) -> Result<Shape, String> {
    let mut sorted = cells.to_vec();
    sorted.sort_unstable();
    for pair in sorted.windows(2) {
        if pair[0] == pair[1] {
            return Err(format!("cell {:?} is named twice", pair[0]));
        }
    }
    for &cell in &sorted {
        if !on_board(cell) {
            return Err(format!("cell {cell:?} is outside the board"));
        }
        if is_covered(board, cell) {
            return Err(format!("cell {cell:?} is already covered"));
        }
    }
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Shape {
        let rows: Vec<&str> = text.split('/').collect();
        parse_rows(&rows).expect("test shapes are well-formed")
    }

    fn forms(texts: &[&str]) -> Vec<Shape> {
        let mut list: Vec<Shape> = texts.iter().map(|text| canonical(&shape(text))).collect();
        list.sort();
        list
    }

    #[test]
    fn orientations_are_counted_without_repeats() {
        for (text, count) in [
            ("X", 1),
            ("XX/XX", 1),
            (".X./XXX/.X.", 1),
            ("XX", 2),
            ("XX/X.", 4),
            ("XX./.XX", 4),
            ("X../XXX/..X", 4),
            ("XXX/X..", 8),
            ("..X./XXXX", 8),
        ] {
            assert_eq!(orientations(&shape(text)).len(), count, "{text}");
        }
    }

    #[test]
    fn mirror_images_are_the_same_patch() {
        assert_eq!(canonical(&shape("XX./.XX")), canonical(&shape(".XX/XX.")));
        assert_eq!(canonical(&shape("XXX/X..")), canonical(&shape("X./X./XX")));
        assert_ne!(canonical(&shape("XXX/X..")), canonical(&shape("XXX/.X.")));
    }

    #[test]
    fn placements_of_small_patches() {
        assert_eq!(placements(&shape("X")).len(), 81);
        assert_eq!(placements(&shape("XX")).len(), 144);
        assert_eq!(placements(&shape("XX/XX")).len(), 64);
        assert_eq!(placements(&shape("XX/X.")).len(), 256);
    }

    #[test]
    fn one_cut_of_the_u() {
        let expected = forms(&["X", "XX", "XX/X.", "XXX/X.."]);
        assert_eq!(pieces_of_one_cut(&shape("X.X/XXX")), expected);
    }

    #[test]
    fn one_cut_of_the_p() {
        let pieces = pieces_of_one_cut(&shape("XX/XX/X."));
        assert_eq!(pieces, forms(&["X", "XX", "XXX", "XX/X.", "XX/XX"]));
        assert!(!pieces.contains(&canonical(&shape("XXX/X.."))));
        assert!(!pieces_of_one_cut(&shape("X.X/XXX")).contains(&canonical(&shape("XXX"))));
    }

    #[test]
    fn one_cut_of_the_small_square() {
        assert_eq!(pieces_of_one_cut(&shape("XX/XX")), forms(&["XX"]));
        assert_eq!(pieces_of_one_cut(&shape("X")), Vec::<Shape>::new());
        assert_eq!(pieces_of_one_cut(&shape("XX")), forms(&["X"]));
    }

    #[test]
    fn a_ring_opens_only_with_the_whole_line() {
        // A segment that closes one arm leaves the ring connected; only a segment through both
        // arms, the hole between them included, leaves two pieces.
        let pieces = pieces_of_one_cut(&shape("XXX/X.X/XXX"));
        assert_eq!(pieces, forms(&["XXX", "X.X/XXX"]));
    }

    #[test]
    fn fewest_cuts_decide() {
        let [whole, once, twice] = forms_by_cuts(&shape("XX/XX/X."));
        assert_eq!(whole, forms(&["XX/XX/X."]));
        assert_eq!(once.len(), 5);
        // The L of four would need one cut with a corner in it. Two straight cuts do not give it
        // either: the first would have to leave four cells, and those are the square.
        assert!(!once.contains(&canonical(&shape("XXX/X.."))));
        assert!(twice.is_empty(), "all smaller pieces come with one cut: {twice:?}");

        let [_, once, twice] = forms_by_cuts(&shape("X.X/XXX"));
        assert_eq!(once.len(), 4);
        assert_eq!(twice, forms(&["XXX"]), "the I of three after one end of the U is gone");

        let [_, once, twice] = forms_by_cuts(&shape("XX/XX"));
        assert_eq!(once, forms(&["XX"]));
        assert_eq!(twice, forms(&["X"]));
    }

    #[test]
    fn shapes_that_cannot_be_cards_are_refused() {
        let read = |json: &str| parse_json_shape(&serde_json::from_str(json).expect("test JSON"));
        assert!(read(r#"["XX","X."]"#).is_ok());
        assert!(read(r#"["X.",".X"]"#).is_err());
        assert!(read(r#"["..",".."]"#).is_err());
        assert!(read(r#"[]"#).is_err());
        assert!(read(r#"["XXXXXXXXX"]"#).is_ok());
        assert!(read(r#"["XXXXXXXXXX"]"#).is_err());
        assert!(read(r#"["XO"]"#).is_err());
        assert!(read(r#""X""#).is_err());
    }

    #[test]
    fn cells_of_a_move_are_checked() {
        let mut board = EMPTY_BOARD;
        cover(&mut board, &[(4, 4)]);
        assert_eq!(check_free(&board, &[(1, 0), (0, 8)]), Ok(vec![(0, 8), (1, 0)]));
        assert!(check_free(&board, &[(4, 4)]).is_err());
        assert!(check_free(&board, &[(9, 0)]).is_err());
        assert!(check_free(&board, &[(0, 0), (0, 0)]).is_err());
        assert_eq!(empty_count(&board), 80);
        assert_eq!(empty_cells(&board).len(), 80);
    }
}
