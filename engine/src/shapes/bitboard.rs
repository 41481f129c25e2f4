//! Sets of cells of the 9x9 board, as the bits of one `u128`.
//!
//! Bit `9 * row + col` stands for the cell `[row, col]`. A right shift by the number of a cell moves
//! that cell to the top left corner. [`crate::shapes::patch::Orientation::fits`] finds all placements
//! of a shape at once in this way.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Sub};
use std::str::FromStr;

use crate::shapes::cpu::nth_bit;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Number of rows, and of columns, of the board.
pub const SIDE: u8 = 9;
/// Number of cells of the board.
pub const CELLS: u8 = SIDE * SIDE;

/// One cell of the board, written `[row, col]` on the wire; both 0 to 8, row 0 at the top.
///
/// # Examples
/// ```
/// use engine::bitboard::Cell;
///
/// let cell = Cell::new(2, 7).expect("on the board");
/// assert_eq!((cell.row(), cell.col(), cell.index()), (2, 7, 9 * 2 + 7));
/// assert_eq!(cell.to_string(), "[2,7]");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

impl Cell {
    /// The cell at `row` and `col`, or `None` if that is outside the board.
    pub fn new(row: u8, col: u8) -> Option<Cell> {
        (row < SIDE && col < SIDE).then(|| Cell(row * SIDE + col))
    }

    /// The cell with the number `index`, which is `9 * row + col`; `None` for 81 and above.
    pub fn from_index(index: u8) -> Option<Cell> {
        (index < CELLS).then_some(Cell(index))
    }

    /// The number of the cell, `9 * row + col`.
    pub fn index(self) -> u8 {
        self.0
    }

    /// The row, from 0 at the top to 8.
    pub fn row(self) -> u8 {
        self.0 / SIDE
    }

    /// The column, from 0 at the left to 8.
    pub fn col(self) -> u8 {
        self.0 % SIDE
    }

    /// Every cell of the board, row by row.
    pub fn all() -> impl Iterator<Item = Cell> {
        (0..CELLS).map(Cell)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{},{}]", self.row(), self.col())
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of cells. Bits 81 and above are never set.
///
/// # Examples
/// ```
/// use engine::bitboard::{Bitboard, Cell};
///
/// let square = Bitboard::rectangle(3, 3);
/// let column = Bitboard::rectangle(9, 1);
/// assert_eq!((square & column).len(), 3);
/// assert_eq!((square | column).len(), 9 + 9 - 3);
/// assert_eq!((square - column).first(), Cell::new(0, 1));
/// assert_eq!((!square).len(), 81 - 9);
/// assert_eq!(square.to_string().lines().next(), Some("###......"));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bitboard(u128);

/// The eight bits of a byte, as eight bytes.
const SPREAD: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut bit = 0;
        while bit < 8 {
            table[byte][bit] = (byte >> bit & 1) as u8;
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Writes the bits of a word as 0 and 1, the lowest first, into at most 64 bytes.
#[inline(always)]
pub(crate) fn write_bits(word: u64, bytes: &mut [u8]) {
    if word == 0 {
        bytes.fill(0);
        return;
    }
    for (eight, byte) in bytes.chunks_mut(8).zip(word.to_le_bytes()) {
        let spread = &SPREAD[usize::from(byte)];
        match <&mut [u8; 8]>::try_from(&mut *eight) {
            Ok(eight) => *eight = *spread,
            Err(_) => eight.copy_from_slice(&spread[..eight.len()]),
        }
    }
}

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// All 81 cells.
    pub const FULL: Bitboard = Bitboard((1 << CELLS) - 1);

    /// The set with these bits, bit `9 * row + col` for each cell. Bits above the board are dropped.
    pub const fn from_bits(bits: u128) -> Bitboard {
        Bitboard(bits & Bitboard::FULL.0)
    }

    /// The bits of the set: bit `9 * row + col` for each cell.
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// The rectangle of `height` rows and `width` columns in the top left corner, clipped to the board.
    pub fn rectangle(height: u8, width: u8) -> Bitboard {
        let row = (1u128 << width.min(SIDE)) - 1;
        (0..height.min(SIDE)).fold(Bitboard::EMPTY, |set, r| set | Bitboard(row << (r * SIDE)))
    }

    /// Writes 1 for each cell in the set and 0 for the others, in the order of their numbers.
    #[inline(always)]
    pub fn write(self, bytes: &mut [u8; CELLS as usize]) {
        let (low, high) = bytes.split_at_mut(64);
        write_bits(self.0 as u64, low);
        write_bits((self.0 >> 64) as u64, high);
    }

    /// Number of cells in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns true if the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if `cell` is in the set.
    pub const fn contains(self, cell: Cell) -> bool {
        self.0 >> cell.0 & 1 == 1
    }

    /// Returns true if every cell of `other` is in this set.
    pub const fn contains_all(self, other: Bitboard) -> bool {
        other.0 & !self.0 == 0
    }

    /// Returns true if the two sets share a cell.
    pub const fn intersects(self, other: Bitboard) -> bool {
        self.0 & other.0 != 0
    }

    /// Puts `cell` into the set, if it is not there.
    pub const fn insert(&mut self, cell: Cell) {
        self.0 |= 1 << cell.0;
    }

    /// The cell with the smallest number; `None` for the empty set.
    pub fn first(self) -> Option<Cell> {
        Cell::from_index(self.0.trailing_zeros().min(CELLS.into()) as u8)
    }

    /// The cell at position `number`, from 0, in the order of [`iter`](Self::iter); `None` if the set
    /// has fewer cells.
    #[inline(always)]
    pub fn nth(self, number: u32) -> Option<Cell> {
        let [low, high] = [self.0 as u64, (self.0 >> 64) as u64];
        let in_low = low.count_ones();
        let (word, first, number) =
            if number < in_low { (low, 0, number) } else { (high, 64, number - in_low) };
        Cell::from_index(first + nth_bit(word, number) as u8)
    }

    /// The cells in the order of their numbers.
    pub fn iter(self) -> Cells {
        Cells(self)
    }

    /// The nine bits of a row, column 0 lowest; 0 for a row that does not exist.
    pub const fn row(self, row: u8) -> u16 {
        if row < SIDE { (self.0 >> (row * SIDE)) as u16 & 0x1ff } else { 0 }
    }

    /// Adds `by` to the number of every cell; cells beyond the last row are lost. The function ignores
    /// rows: the caller makes sure that no cell crosses the right edge. A number from 128 on counts modulo 128.
    pub const fn shifted_down(self, by: u8) -> Bitboard {
        Bitboard::from_bits(self.0.wrapping_shl(by as u32))
    }

    /// Subtracts `by` from the number of every cell; the inverse of
    /// [`shifted_down`](Self::shifted_down).
    pub const fn shifted_up(self, by: u8) -> Bitboard {
        Bitboard(self.0.wrapping_shr(by as u32))
    }

    /// Returns true if the cells are connected by their sides, not only by corners; false for the empty
    /// set.
    pub fn is_connected(self) -> bool {
        match self.first() {
            None => false,
            Some(cell) => self.reached_from(cell) == self,
        }
    }

    /// The cells of the set that are connected to `cell` by sides.
    fn reached_from(self, cell: Cell) -> Bitboard {
        let mut reached = Bitboard::from_iter([cell]);
        loop {
            let next = reached.with_neighbors() & self;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// The set and every cell that shares a side with one of its cells.
    pub const fn with_neighbors(self) -> Bitboard {
        let [left, right, above, below] = self.beside();
        Bitboard(self.0 | left.0 | right.0 | above.0 | below.0)
    }

    /// Four sets: the cells of the board that have a cell of this set to their left, to their right,
    /// above them, and below them.
    ///
    /// # Examples
    /// ```
    /// use engine::bitboard::{Bitboard, Cell};
    ///
    /// let corner = Bitboard::from_iter(Cell::new(0, 8));
    /// let [right_of, left_of, below, above] = corner.beside();
    /// assert_eq!([right_of, above], [Bitboard::EMPTY; 2]);
    /// assert_eq!(left_of.first(), Cell::new(0, 7));
    /// assert_eq!(below.first(), Cell::new(1, 8));
    /// ```
    pub const fn beside(self) -> [Bitboard; 4] {
        const LEFT_COLUMN: u128 = {
            let mut bits = 0;
            let mut row = 0;
            while row < SIDE {
                bits |= 1 << (row * SIDE);
                row += 1;
            }
            bits
        };
        let left = Bitboard::from_bits(self.0 << 1 & !LEFT_COLUMN);
        let right = Bitboard((self.0 & !LEFT_COLUMN) >> 1);
        [left, right, Bitboard::from_bits(self.0 << SIDE), Bitboard(self.0 >> SIDE)]
    }
}

impl FromIterator<Cell> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        cells.into_iter().for_each(|cell| set.insert(cell));
        set
    }
}

impl IntoIterator for Bitboard {
    type Item = Cell;
    type IntoIter = Cells;

    fn into_iter(self) -> Cells {
        self.iter()
    }
}

/// The cells of a [`Bitboard`], in the order of their numbers.
///
/// # Examples
/// ```
/// use engine::bitboard::{Bitboard, Cell};
///
/// let mut cells = Bitboard::rectangle(1, 3).iter();
/// assert_eq!(cells.next(), Cell::new(0, 0));
/// assert_eq!(cells.len(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Cells(Bitboard);

impl Iterator for Cells {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        let cell = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(cell)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.len() as usize;
        (len, Some(len))
    }
}

impl ExactSizeIterator for Cells {}

impl BitAnd for Bitboard {
    type Output = Bitboard;
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitAndAssign for Bitboard {
    fn bitand_assign(&mut self, other: Bitboard) {
        self.0 &= other.0;
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl BitOrAssign for Bitboard {
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

/// The cells of the left set that are not in the right one.
impl Sub for Bitboard {
    type Output = Bitboard;
    fn sub(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & !other.0)
    }
}

/// All cells of the board that are not in the set.
impl Not for Bitboard {
    type Output = Bitboard;
    fn not(self) -> Bitboard {
        Bitboard::FULL - self
    }
}

/// Nine rows of nine characters: `#` for cells in the set, `.` for the others.
impl fmt::Display for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in 0..SIDE {
            if row > 0 {
                f.write_str("\n")?;
            }
            f.write_str(&row_text(*self, row))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}\n")
    }
}

impl Bitboard {
    /// Nine rows of nine characters: `#` covered, `.` empty.
    pub(crate) fn rows(self) -> [[u8; SIDE as usize]; SIDE as usize] {
        std::array::from_fn(|row| {
            let covered = self.row(row as u8);
            std::array::from_fn(|col| if covered >> col & 1 == 1 { b'#' } else { b'.' })
        })
    }
}

fn row_text(set: Bitboard, row: u8) -> String {
    (0..SIDE).map(|col| if set.row(row) >> col & 1 == 1 { '#' } else { '.' }).collect()
}

/// The reason why a text is not a board.
///
/// # Examples
/// ```
/// use engine::bitboard::{Bitboard, NotABoard};
///
/// let too_short = "#........\n".repeat(8);
/// assert_eq!(too_short.parse::<Bitboard>(), Err(NotABoard::Rows(8)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotABoard {
    /// The number of rows is not nine.
    #[error("a board has 9 rows, this one has {0}")]
    Rows(usize),
    /// A row does not have nine characters.
    #[error("row {row} of the board has {columns} characters instead of 9")]
    Columns {
        /// The row, from 0.
        row: usize,
        /// Its number of characters.
        columns: usize,
    },
    /// A character that is neither `#` nor `.`.
    #[error("row {row} of the board has {found:?}; only '#' and '.' are known")]
    Character {
        /// The row, from 0.
        row: usize,
        /// The character.
        found: char,
    },
}

/// Parses the text that [`Display`](fmt::Display) writes. Blanks around a row are ignored, so a literal
/// in a test can look like the board.
impl FromStr for Bitboard {
    type Err = NotABoard;

    fn from_str(text: &str) -> Result<Bitboard, NotABoard> {
        let rows: Vec<&str> = text.split('\n').map(str::trim).filter(|row| !row.is_empty()).collect();
        from_rows(&rows)
    }
}

fn from_rows<S: AsRef<str>>(rows: &[S]) -> Result<Bitboard, NotABoard> {
    if rows.len() != usize::from(SIDE) {
        return Err(NotABoard::Rows(rows.len()));
    }
    let mut set = Bitboard::EMPTY;
    for (row, text) in (0..SIDE).zip(rows) {
        let text = text.as_ref();
        let columns = text.chars().count();
        if columns != usize::from(SIDE) {
            return Err(NotABoard::Columns { row: row.into(), columns });
        }
        for (col, found) in (0..SIDE).zip(text.chars()) {
            match found {
                '#' => set.insert(Cell(row * SIDE + col)),
                '.' => {}
                _ => {
                    return Err(NotABoard::Character { row: row.into(), found });
                }
            }
        }
    }
    Ok(set)
}

/// Nine strings of nine characters.
impl Serialize for Bitboard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = self.rows();
        let rows = rows.each_ref().map(|row| std::str::from_utf8(row).expect("'#' and '.' are UTF-8"));
        rows.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bitboard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bitboard, D::Error> {
        let rows = Vec::<String>::deserialize(deserializer)?;
        from_rows(&rows).map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Bitboard {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Board".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "The 9x9 board, row 0 first: `#` covered, `.` empty.",
            "type": "array",
            "items": { "type": "string", "pattern": format!("^[#.]{{{SIDE}}}$") },
            "minItems": SIDE,
            "maxItems": SIDE,
        })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Cell {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Cell".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A cell of the board, `[row, col]`; row 0 is at the top, column 0 at the left.",
            "type": "array",
            "items": { "type": "integer", "minimum": 0, "maximum": SIDE - 1 },
            "minItems": 2,
            "maxItems": 2,
        })
    }
}

#[cfg(feature = "schema")]
impl Cell {
    /// The schema of a list of distinct cells, in any order; `count` is the range of its length.
    pub(crate) fn list_schema(
        generator: &mut schemars::SchemaGenerator,
        what: &str,
        count: std::ops::RangeInclusive<usize>,
    ) -> schemars::Schema {
        schemars::json_schema!({
            "description": what,
            "type": "array",
            "items": generator.subschema_for::<Cell>(),
            "minItems": count.start(),
            "maxItems": count.end(),
            "uniqueItems": true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "
        #........
        ##.......
        .........
        ........#
        .........
        .........
        .........
        .........
        ........#";

    #[test]
    fn a_board_reads_back_as_written() {
        let board: Bitboard = SAMPLE.parse().unwrap();
        assert_eq!(board.len(), 5);
        assert_eq!(board.to_string().parse(), Ok(board));
        let json = serde_json::to_string(&board).unwrap();
        assert_eq!(serde_json::from_str::<Bitboard>(&json).unwrap(), board);
    }

    #[test]
    fn cells_are_numbered_in_the_order_of_the_list() {
        let sample: Bitboard = SAMPLE.parse().unwrap();
        for board in [Bitboard::EMPTY, Bitboard::FULL, sample, !sample, Bitboard::rectangle(9, 3)] {
            let numbered: Vec<Cell> = (0..).map_while(|number| board.nth(number)).collect();
            assert_eq!(numbered, board.iter().collect::<Vec<_>>());
            assert_eq!((board.nth(81), board.nth(u32::MAX)), (None, None));
        }
    }

    #[test]
    fn numbers_that_are_out_of_range_are_no_panic() {
        assert_eq!((Bitboard::FULL.row(9), Bitboard::FULL.row(u8::MAX)), (0, 0));
        assert_eq!(Bitboard::FULL.shifted_down(200).bits() & 1, 0);
        assert!(Bitboard::FULL.shifted_up(90).is_empty());
        assert!((0..10).all(|stream| crate::dealer::Dealer::new(1, stream).below(0) == 0));
    }

    #[test]
    fn rows_do_not_leak_into_each_other() {
        let corner = Bitboard::from_iter(Cell::new(3, 8));
        let around: Vec<_> = corner.with_neighbors().iter().map(|c| (c.row(), c.col())).collect();
        assert_eq!(around, [(2, 8), (3, 7), (3, 8), (4, 8)]);
    }

    #[test]
    fn connection_goes_over_sides_only() {
        let board: Bitboard = SAMPLE.parse().unwrap();
        assert!(!board.is_connected());
        assert!(Bitboard::rectangle(4, 7).is_connected());
        let diagonal = Bitboard::from_iter([Cell::new(0, 0), Cell::new(1, 1)].into_iter().flatten());
        assert!(!diagonal.is_connected());
        assert!(!Bitboard::EMPTY.is_connected());
    }

    #[test]
    fn wrong_boards_are_named() {
        assert_eq!("#".parse::<Bitboard>(), Err(NotABoard::Rows(1)));
        let wide = format!("{}\n", ".........".repeat(2)).repeat(9);
        assert_eq!(wide.parse::<Bitboard>(), Err(NotABoard::Columns { row: 0, columns: 18 }));
        let odd = "....x....\n".repeat(9);
        assert_eq!(odd.parse::<Bitboard>(), Err(NotABoard::Character { row: 0, found: 'x' }));
    }
}
