//! A parser for moves in their usual spelling, in one pass over the line.
//!
//! It accepts less than JSON: fields in the usual order, blanks only between tokens, no escapes. A line
//! that it refuses may be valid; the caller then reads the line as JSON. A line that it accepts means
//! the same as JSON, and `tests/fuzz.rs` compares the two.

use crate::shapes::bitboard::{Bitboard, Cell};

/// The rest of a line. A method that returns `None` has consumed nothing, or the parse has failed.
///
/// # Examples
/// ```
/// use engine::wire::scan::Scan;
///
/// let mut scan = Scan::new(br#"{"leather": [4,4]}"#);
/// scan.token("{").expect("a brace");
/// scan.field(r#""leather""#).expect("the field");
/// assert_eq!(scan.cell().map(|cell| cell.index()), Some(40));
/// scan.token("}").expect("a brace");
/// assert_eq!(scan.end(), Some(()));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a>(&'a [u8]);

impl<'a> Scan<'a> {
    /// Begins at the start of a line, given without its newline.
    pub fn new(line: &'a [u8]) -> Scan<'a> {
        Scan(line)
    }

    fn skip_blanks(&mut self) {
        while let [b' ', rest @ ..] = self.0 {
            self.0 = rest;
        }
    }

    /// Takes this token and the blanks before it.
    ///
    /// # Examples
    /// ```
    /// use engine::wire::scan::Scan;
    ///
    /// let mut scan = Scan::new(b"  true}");
    /// assert_eq!(scan.token("true"), Some(()));
    /// assert_eq!(scan.token("]"), None);
    /// assert_eq!(scan.token("}"), Some(()));
    /// ```
    #[inline]
    pub fn token(&mut self, token: &str) -> Option<()> {
        self.skip_blanks();
        self.0 = self.0.strip_prefix(token.as_bytes())?;
        Some(())
    }

    /// Takes the name of a field, given with its quotes, and the colon after it.
    #[inline]
    pub fn field(&mut self, quoted: &str) -> Option<()> {
        self.token(quoted)?;
        self.token(":")
    }

    /// Takes the remaining blanks; returns `None` if anything else follows.
    pub fn end(mut self) -> Option<()> {
        self.skip_blanks();
        self.0.is_empty().then_some(())
    }

    /// Takes an integer of at most nine digits, without sign and without leading zeros.
    pub fn number(&mut self) -> Option<u32> {
        self.skip_blanks();
        let length = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(length);
        if length > 9 || (length > 1 && digits[0] == b'0') {
            return None;
        }
        self.0 = rest;
        (length > 0).then(|| digits.iter().fold(0, |number, digit| 10 * number + u32::from(digit - b'0')))
    }

    /// Takes a string up to the next quote. It does not read escapes: the backslash stays in the text,
    /// and no id has one.
    pub fn id(&mut self) -> Option<&'a str> {
        self.token("\"")?;
        let length = self.0.iter().position(|&byte| byte == b'"')?;
        let (id, rest) = self.0.split_at(length);
        self.0 = &rest[1..];
        std::str::from_utf8(id).ok()
    }

    /// Takes a cell of the board, `[row, col]`; returns `None` if it is outside.
    #[inline]
    pub fn cell(&mut self) -> Option<Cell> {
        // The most common form, without blanks.
        if let [b'[', row @ b'0'..=b'8', b',', col @ b'0'..=b'8', b']', rest @ ..] = self.0 {
            self.0 = rest;
            return Cell::new(row - b'0', col - b'0');
        }
        self.token("[")?;
        let row = self.number()?;
        self.token(",")?;
        let col = self.number()?;
        self.token("]")?;
        Cell::new(row.try_into().ok()?, col.try_into().ok()?)
    }

    /// Takes a list of distinct cells.
    ///
    /// # Examples
    /// ```
    /// use engine::bitboard::Bitboard;
    /// use engine::wire::scan::Scan;
    ///
    /// assert_eq!(Scan::new(b"[[0,1],[0,0]]").cells(), Some(Bitboard::rectangle(1, 2)));
    /// assert_eq!(Scan::new(b"[]").cells(), Some(Bitboard::EMPTY));
    /// assert_eq!(Scan::new(b"[[0,0],[0,0]]").cells(), None); // the same cell twice
    /// ```
    pub fn cells(&mut self) -> Option<Bitboard> {
        let mut set = Bitboard::EMPTY;
        self.token("[")?;
        if self.token("]").is_some() {
            return Some(set);
        }
        loop {
            let cell = self.cell()?;
            if set.contains(cell) {
                return None;
            }
            set.insert(cell);
            if self.token(",").is_none() {
                self.token("]")?;
                return Some(set);
            }
        }
    }
}
