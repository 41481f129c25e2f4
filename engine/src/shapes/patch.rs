//! Shapes of patches: their orientations, their placements, and the pieces that cuts leave.
//!
//! Everything here is computed once, when the cards are read. During play a placement is a shift, and
//! the module `fits` finds the possible ones.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::shapes::bitboard::{Bitboard, Cell, SIDE};
use crate::shapes::cpu::with_vectors;
use crate::shapes::fits::{Border, LANES, Sets, Shapes};

/// A shape as drawn on a card, in messages and card files: rows of `X` and `.`.
///
/// # Examples
/// ```
/// use engine::patch::{BadShape, ShapeText};
///
/// let shape: ShapeText = serde_json::from_str(r#"["X.X", "XXX"]"#)?;
/// assert_eq!(shape.cells().map(|cells| cells.len()), Ok(5));
/// let apart: ShapeText = serde_json::from_str(r#"["X.X"]"#)?;
/// assert_eq!(apart.cells(), Err(BadShape::NotConnected));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ShapeText(pub Vec<String>);

/// The reason why a drawing is not the shape of a patch.
///
/// # Examples
/// ```
/// use engine::patch::{BadShape, ShapeText};
///
/// let shape = ShapeText(vec!["XO".to_owned()]);
/// assert_eq!(shape.cells(), Err(BadShape::Character('O')));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadShape {
    /// No cell is marked.
    #[error("the shape is empty: mark its cells with X")]
    Empty,
    /// The shape is larger than the board.
    #[error("the shape does not fit the 9x9 board")]
    TooLarge,
    /// The cells are not connected.
    #[error("the shape is not connected: its cells must share sides")]
    NotConnected,
    /// A character that is neither `X` nor `.`.
    #[error("the shape has {0:?}; only 'X' and '.' are known")]
    Character(char),
}

impl ShapeText {
    /// Draws these cells. Their position on the board does not matter.
    ///
    /// # Examples
    /// ```
    /// use engine::bitboard::Bitboard;
    /// use engine::patch::ShapeText;
    ///
    /// let square = Bitboard::rectangle(2, 2);
    /// assert_eq!(ShapeText::drawn(square).0, ["XX", "XX"]);
    /// assert_eq!(ShapeText::drawn(square.shifted_down(40)), ShapeText::drawn(square));
    /// ```
    pub fn drawn(cells: Bitboard) -> ShapeText {
        let cells = normalised(cells);
        let (height, width) = extent(cells);
        let mark = |row: u8, col: u8| if cells.row(row) >> col & 1 == 1 { 'X' } else { '.' };
        ShapeText((0..height).map(|row| (0..width).map(|col| mark(row, col)).collect()).collect())
    }

    /// Returns the cells, moved to the top left corner.
    ///
    /// # Errors
    /// [`BadShape`] if the drawing is not a connected shape within the board.
    ///
    /// # Examples
    /// ```
    /// use engine::bitboard::Bitboard;
    /// use engine::patch::{BadShape, ShapeText};
    ///
    /// let text = |rows: &[&str]| ShapeText(rows.iter().map(|row| row.to_string()).collect());
    /// assert_eq!(text(&["...", ".XX"]).cells(), Ok(Bitboard::rectangle(1, 2)));
    /// assert_eq!(text(&["XXXXXXXXXX"]).cells(), Err(BadShape::TooLarge)); // ten columns
    /// ```
    pub fn cells(&self) -> Result<Bitboard, BadShape> {
        let side = usize::from(SIDE);
        if self.0.len() > side || self.0.iter().any(|row| row.chars().count() > side) {
            return Err(BadShape::TooLarge);
        }
        let mut cells = Bitboard::EMPTY;
        for (row, text) in (0..).zip(&self.0) {
            for (col, mark) in (0..).zip(text.chars()) {
                match mark {
                    'X' => cells.insert(Cell::new(row, col).expect("the size was checked")),
                    '.' => {}
                    _ => return Err(BadShape::Character(mark)),
                }
            }
        }
        match cells.is_connected() {
            true => Ok(normalised(cells)),
            false if cells.is_empty() => Err(BadShape::Empty),
            false => Err(BadShape::NotConnected),
        }
    }
}

/// A schema cannot express that the cells are connected.
#[cfg(feature = "schema")]
impl schemars::JsonSchema for ShapeText {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Shape".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A shape, row by row from the top: `X` for its cells, `.` for the gaps.",
            "type": "array",
            "items": { "type": "string", "pattern": format!("^[X.]{{0,{SIDE}}}$") },
            "contains": { "type": "string", "pattern": "X" },
            "minItems": 1,
            "maxItems": SIDE,
        })
    }
}

/// A shape in one of its up to eight orientations, in the top left corner.
///
/// # Examples
/// ```
/// use engine::bitboard::Bitboard;
/// use engine::patch::Patch;
///
/// let domino = Patch::uncut(Bitboard::rectangle(1, 2));
/// let [flat, upright] = domino.whole().shapes() else { panic!("a domino has two orientations") };
/// assert_eq!(flat.cells(), Bitboard::rectangle(1, 2));
/// assert_eq!(upright.cells(), Bitboard::rectangle(2, 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orientation {
    cells: Bitboard,
    border: Border,
    turn: u8,
}

impl Orientation {
    /// The orientation of `cells`, which is a turn of the shape `printed`, or not if there is none.
    fn new(cells: Bitboard, printed: Option<Bitboard>) -> Orientation {
        let turn = printed.and_then(|printed| turned(printed).iter().position(|&turned| turned == cells));
        Orientation { cells, border: Border::new(cells), turn: turn.unwrap_or(0) as u8 }
    }

    /// How the printed shape is turned to lie like this: 0 to 3 are quarter turns clockwise, 4 to 7 the mirror images of
    /// these from left to right. If several turns give the same shape, it is the first of them. 0 for pieces.
    #[inline(always)]
    pub fn turn(&self) -> u8 {
        self.turn
    }

    /// The cells in the top left corner of the board.
    pub fn cells(&self) -> Bitboard {
        self.cells
    }

    /// All anchors at which the shape stays on the board.
    fn corners(&self) -> Bitboard {
        let (height, width) = extent(self.cells);
        Bitboard::rectangle(SIDE + 1 - height, SIDE + 1 - width)
    }

    /// All anchors at which the shape lies on `free` cells. To search all orientations, [`Placements`]
    /// is faster.
    pub fn fits(&self, free: Bitboard) -> Bitboard {
        self.cells.iter().fold(self.corners(), |fits, cell| fits & free.shifted_up(cell.index()))
    }

    /// The cells of the shape with the corner of its bounding box at `anchor`, one of
    /// [`fits`](Self::fits).
    #[inline]
    pub fn at(&self, anchor: Cell) -> Bitboard {
        self.cells.shifted_down(anchor.index())
    }

    /// Every placement of the shape on `free` cells.
    pub fn placements(&self, free: Bitboard) -> impl Iterator<Item = Bitboard> + use<'_> {
        self.fits(free).iter().map(|anchor| self.at(anchor))
    }
}

/// The most distinct rotations and reflections that a shape can have.
pub const ORIENTATIONS_MAX: usize = LANES;

/// Up to eight oriented shapes that are searched together.
///
/// # Examples
/// ```
/// use engine::bitboard::Bitboard;
/// use engine::patch::{Patch, Placements};
///
/// let patch = Patch::uncut(Bitboard::rectangle(1, 3));
/// let group = patch.whole();
/// assert_eq!(group.shapes().len(), 2);
/// assert_eq!(Placements::new(group, Bitboard::rectangle(3, 3)).count(), 6);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    shapes: Box<[Orientation]>,
    lanes: Shapes,
}

impl Group {
    /// Splits these shapes into groups, in their order.
    fn of(shapes: BTreeSet<Bitboard>) -> Vec<Group> {
        let shapes: Vec<_> = shapes.into_iter().map(|cells| Orientation::new(cells, None)).collect();
        shapes.chunks(ORIENTATIONS_MAX).map(Group::new).collect()
    }

    fn new(shapes: &[Orientation]) -> Group {
        let lanes = Shapes::new(shapes.iter().map(|shape| (shape.cells, shape.corners())));
        Group { shapes: shapes.into(), lanes }
    }

    /// The distinct oriented shapes of the group, in the order that numbers placements.
    pub fn shapes(&self) -> &[Orientation] {
        &self.shapes
    }
}

/// All placements of a group of shapes on a board, as sets. They are numbered by shape, then by anchor.
///
/// # Examples
/// ```
/// use engine::bitboard::Bitboard;
/// use engine::patch::{Patch, Placements};
///
/// let domino = Patch::uncut(Bitboard::rectangle(1, 2));
/// let placements = Placements::new(domino.whole(), Bitboard::rectangle(2, 2));
/// assert_eq!(placements.count(), 4); // two flat and two upright
/// assert!(placements.iter().all(|cells| cells.len() == 2));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Placements<'p> {
    shapes: &'p [Orientation],
    fits: Sets,
    count: u32,
}

impl<'p> Placements<'p> {
    /// The empty set of placements.
    pub const NONE: Placements<'static> = Placements { shapes: &[], fits: Sets::EMPTY, count: 0 };

    /// Finds the placements of these shapes on `free` cells.
    ///
    /// # Examples
    /// ```
    /// use engine::bitboard::Bitboard;
    /// use engine::patch::{Patch, Placements};
    ///
    /// let domino = Patch::uncut(Bitboard::rectangle(1, 2));
    /// assert_eq!(Placements::new(domino.whole(), Bitboard::FULL).count(), 2 * 9 * 8);
    /// ```
    pub fn new(group: &'p Group, free: Bitboard) -> Placements<'p> {
        let mut placements = Placements::NONE;
        with_vectors(
            #[inline(always)]
            || placements.find(group, free),
        );
        placements
    }

    /// Does the same as [`new`](Self::new), in place. It is inlined, so it uses the instructions that
    /// the caller is compiled for; see [`with_vectors`].
    ///
    /// # Examples
    /// ```
    /// use engine::bitboard::Bitboard;
    /// use engine::patch::{Patch, Placements};
    ///
    /// let domino = Patch::uncut(Bitboard::rectangle(1, 2));
    /// let mut placements = Placements::NONE;
    /// placements.find(domino.whole(), Bitboard::rectangle(2, 2));
    /// assert_eq!(placements.count(), 4);
    /// ```
    #[inline(always)]
    pub fn find(&mut self, group: &'p Group, free: Bitboard) {
        self.shapes = &group.shapes;
        group.lanes.find(free, &mut self.fits);
        self.count = self.fits.len();
    }

    /// Number of placements of all shapes together.
    #[inline]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The cells of the placement with this number, from 0, in the order of [`iter`](Self::iter).
    #[inline(always)]
    pub fn nth(&self, number: u32) -> Option<Bitboard> {
        let (lane, anchor) = self.fits.nth(number)?;
        Some(self.shapes[lane].at(anchor))
    }

    /// The placement with the fewest free neighboring cells, and their number. Among equal placements it
    /// takes the first in the order of [`iter`](Self::iter). `free` must be the cells given to
    /// [`new`](Self::new).
    ///
    /// # Examples
    /// ```
    /// use engine::bitboard::Bitboard;
    /// use engine::patch::{Patch, Placements};
    ///
    /// let square = Patch::uncut(Bitboard::rectangle(2, 2));
    /// let placements = Placements::new(square.whole(), Bitboard::FULL);
    /// // In the corner of an empty board the square has only four neighboring cells.
    /// let best = placements.with_fewest_beside(Bitboard::FULL);
    /// assert_eq!(best, Some((4, Bitboard::rectangle(2, 2))));
    /// ```
    #[inline(always)]
    pub fn with_fewest_beside(&self, free: Bitboard) -> Option<(u32, Bitboard)> {
        let mut best: Option<(u32, Bitboard)> = None;
        for (lane, shape) in self.shapes.iter().enumerate() {
            let (beside, anchors) = shape.border.free(free).least(self.fits.get(lane));
            if let Some(anchor) = anchors.first().filter(|_| best.is_none_or(|(least, _)| beside < least)) {
                best = Some((beside, shape.at(anchor)));
            }
        }
        best
    }

    /// Each shape with the anchors at which it fits; the set of anchors may be empty.
    pub fn sets(self) -> impl Iterator<Item = (&'p Orientation, Bitboard)> {
        self.shapes.iter().enumerate().map(move |(lane, shape)| (shape, self.fits.get(lane)))
    }

    /// The cells of every placement, by shape, then by anchor.
    pub fn iter(self) -> impl Iterator<Item = Bitboard> + use<'p> {
        self.sets().flat_map(|(shape, anchors)| anchors.iter().map(|anchor| shape.at(anchor)))
    }
}

/// A patch with all its orientations and all pieces that cuts can leave.
///
/// # Examples
/// ```
/// use engine::bitboard::Bitboard;
/// use engine::patch::Patch;
///
/// let square = Patch::new(Bitboard::rectangle(2, 2));
/// assert_eq!(square.size(), 4);
/// // One cut through the middle leaves two dominoes.
/// assert_eq!(square.cuts_needed(Bitboard::rectangle(1, 2)), Some(1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// All orientations of the whole patch.
    whole: Group,
    /// `pieces[n]` has the distinct shapes that take `n + 1` cuts and no fewer.
    pieces: [Vec<Group>; CUTS_MAX],
}

/// The most cuts of one patch in a turn: the action itself and its repetition.
pub const CUTS_MAX: usize = 2;

impl Patch {
    /// Builds the patch of this shape; `cells` must be connected.
    ///
    /// # Examples
    /// ```
    /// use engine::bitboard::Bitboard;
    /// use engine::patch::Patch;
    ///
    /// let bar = Patch::new(Bitboard::rectangle(1, 4));
    /// assert_eq!(bar.cuts_needed(Bitboard::rectangle(1, 4)), Some(0));
    /// assert_eq!(bar.cuts_needed(Bitboard::rectangle(3, 1)), Some(1));
    /// assert_eq!(bar.cuts_needed(Bitboard::rectangle(2, 2)), None);
    /// ```
    pub fn new(cells: Bitboard) -> Patch {
        let once = pieces_of(&BTreeSet::from([cells]));
        let twice = &pieces_of(&once) - &once;
        Patch { pieces: [once, twice].map(|shapes| Group::of(orientations(&shapes))), ..Patch::uncut(cells) }
    }

    /// Builds the patch of this shape for a game without cuts; `cells` must be connected.
    pub fn uncut(cells: Bitboard) -> Patch {
        let turns = orientations(&BTreeSet::from([cells])).into_iter();
        let whole: Vec<_> = turns.map(|turned| Orientation::new(turned, Some(cells))).collect();
        Patch { whole: Group::new(&whole), pieces: [const { Vec::new() }; CUTS_MAX] }
    }

    /// The distinct orientations of the whole patch, one to eight.
    pub fn whole(&self) -> &Group {
        &self.whole
    }

    /// The whole patch in this [turn](Orientation::turn); `None` if an earlier turn gives the same shape.
    ///
    /// # Examples
    /// ```
    /// use engine::bitboard::Bitboard;
    /// use engine::patch::Patch;
    ///
    /// let bar = Patch::uncut(Bitboard::rectangle(1, 3));
    /// assert_eq!(bar.turned(1).map(|upright| upright.cells()), Some(Bitboard::rectangle(3, 1)));
    /// assert_eq!(bar.turned(2), None); // it lies as in turn 0
    /// ```
    #[inline(always)]
    pub fn turned(&self, turn: u8) -> Option<&Orientation> {
        self.whole.shapes.iter().find(|shape| shape.turn == turn)
    }

    /// The orientations of every piece that takes `cuts` cuts and no fewer. The result is the whole
    /// patch for 0, and empty above [`CUTS_MAX`].
    ///
    /// # Examples
    /// ```
    /// use engine::bitboard::Bitboard;
    /// use engine::patch::{Group, Patch};
    ///
    /// let domino = Patch::new(Bitboard::rectangle(1, 2));
    /// let shapes = |cuts| domino.after_cuts(cuts).iter().flat_map(Group::shapes).count();
    /// assert_eq!([0, 1, 2].map(shapes), [2, 1, 0]); // one cut leaves single cells
    /// ```
    pub fn after_cuts(&self, cuts: usize) -> &[Group] {
        match cuts.checked_sub(1) {
            None => std::slice::from_ref(&self.whole),
            Some(cuts) => self.pieces.get(cuts).map_or(&[], Vec::as_slice),
        }
    }

    /// The fewest cuts that leave `cells`, anywhere on the board; 0 for the whole patch, `None` if no
    /// number of cuts up to [`CUTS_MAX`] does.
    ///
    /// # Examples
    /// ```
    /// use engine::bitboard::Bitboard;
    /// use engine::patch::Patch;
    ///
    /// let bar = Patch::new(Bitboard::rectangle(1, 5));
    /// assert_eq!(bar.cuts_needed(Bitboard::rectangle(5, 1).shifted_down(4)), Some(0));
    /// assert_eq!(bar.cuts_needed(Bitboard::rectangle(1, 2)), Some(1));
    /// assert_eq!(bar.cuts_needed(Bitboard::rectangle(2, 2)), None);
    /// ```
    pub fn cuts_needed(&self, cells: Bitboard) -> Option<usize> {
        let wanted = normalised(cells);
        let shapes = |cuts| self.after_cuts(cuts).iter().flat_map(Group::shapes);
        (0..=CUTS_MAX).find(|&cuts| shapes(cuts).any(|shape| shape.cells == wanted))
    }

    /// Number of cells of the whole patch.
    pub fn size(&self) -> u32 {
        self.whole.shapes[0].cells.len()
    }
}

/// Rows and columns of the bounding box of a set in the top left corner.
fn extent(cells: Bitboard) -> (u8, u8) {
    cells.iter().fold((0, 0), |(h, w), cell| (h.max(cell.row() + 1), w.max(cell.col() + 1)))
}

/// Moves the bounding box of the set to the top left corner.
pub(crate) fn normalised(cells: Bitboard) -> Bitboard {
    let row = cells.iter().map(Cell::row).min().unwrap_or(0);
    let col = cells.iter().map(Cell::col).min().unwrap_or(0);
    cells.shifted_up(row * SIDE + col)
}

/// The distinct rotations and reflections of all `shapes`.
fn orientations(shapes: &BTreeSet<Bitboard>) -> BTreeSet<Bitboard> {
    shapes.iter().flat_map(|&shape| turned(shape)).collect()
}

/// All eight orientations of a shape, moved to the top left corner. Symmetric shapes give duplicates.
fn turned(shape: Bitboard) -> [Bitboard; ORIENTATIONS_MAX] {
    let half = rotated(rotated(shape));
    let turns = [shape, rotated(shape), half, rotated(half)];
    std::array::from_fn(|number| turns.get(number).copied().unwrap_or_else(|| mirrored(turns[number - 4])))
}

/// Returns the same representative for all orientations of a shape.
fn canonical(shape: Bitboard) -> Bitboard {
    turned(shape).into_iter().min().unwrap_or(shape)
}

fn mapped(cells: Bitboard, place: impl Fn(Cell) -> (u8, u8)) -> Bitboard {
    let moved = cells.iter().map(place).filter_map(|(row, col)| Cell::new(row, col)).collect();
    normalised(moved)
}

/// Rotates the cells clockwise by 90 degrees.
fn rotated(cells: Bitboard) -> Bitboard {
    mapped(cells, |cell| (cell.col(), SIDE - 1 - cell.row()))
}

/// Mirrors the cells from left to right.
fn mirrored(cells: Bitboard) -> Bitboard {
    mapped(cells, |cell| (cell.row(), SIDE - 1 - cell.col()))
}

fn pieces_of(shapes: &BTreeSet<Bitboard>) -> BTreeSet<Bitboard> {
    let both_ways = shapes.iter().flat_map(|&shape| [shape, rotated(shape)]);
    both_ways.flat_map(pieces).map(canonical).collect()
}

/// The pieces that one cut of `shape` along a vertical grid line can leave. A cut is a straight segment
/// of the line, and must leave exactly two connected pieces.
///
/// A segment cuts the pairs of neighbors along it, so only the rows with such a pair matter. The
/// horizontal cuts are the vertical ones of the turned shape.
fn pieces(shape: Bitboard) -> Vec<Bitboard> {
    let (height, width) = extent(shape);
    let mut found = Vec::new();
    for right_col in 1..width {
        let is_pair = |&row: &u8| shape.row(row) >> (right_col - 1) & 0b11 == 0b11;
        let pairs: Vec<u8> = (0..height).filter(is_pair).collect();
        for (place, &top) in pairs.iter().enumerate() {
            for &last in &pairs[place..] {
                let cut = Cut { right_col, top, bottom: last + 1 };
                found.extend(cut.apply(shape).into_iter().flatten().map(normalised));
            }
        }
    }
    found
}

/// A segment of the vertical grid line left of column `right_col`, along rows `top..bottom`.
struct Cut {
    right_col: u8,
    top: u8,
    bottom: u8,
}

impl Cut {
    /// The two pieces of `shape`, or `None` if the cut does not leave exactly two.
    fn apply(&self, shape: Bitboard) -> Option<[Bitboard; 2]> {
        let one = self.reached_from(shape, shape.first()?);
        let rest = shape - one;
        let other = self.reached_from(shape, rest.first()?);
        (other == rest).then_some([one, other])
    }

    /// The cells of `shape` that are connected to `start` after the cut.
    fn reached_from(&self, shape: Bitboard, start: Cell) -> Bitboard {
        let [left_of, right_of] = [self.right_col - 1, self.right_col].map(|col| self.side(col));
        let mut reached = Bitboard::from_iter([start]);
        loop {
            let [_, _, above, below] = reached.beside();
            let [rightwards, ..] = (reached - left_of).beside();
            let [_, leftwards, ..] = (reached - right_of).beside();
            let next = (reached | rightwards | leftwards | above | below) & shape;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// The cells of a column along the segment.
    fn side(&self, col: u8) -> Bitboard {
        (self.top..self.bottom).filter_map(|row| Cell::new(row, col)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(rows: &[&str]) -> Bitboard {
        ShapeText(rows.iter().map(|row| row.to_string()).collect()).cells().unwrap()
    }

    #[test]
    fn orientations_are_distinct() {
        for (rows, count) in [
            (&["X"][..], 1),
            (&["XX"], 2),
            (&["XX", "XX"], 1),
            (&["XX", "X."], 4),
            (&["XXX", "X.."], 8),
            (&[".X.", "XXX", ".X."], 1),
        ] {
            assert_eq!(Patch::new(cells(rows)).whole().shapes().len(), count, "{rows:?}");
        }
    }

    #[test]
    fn the_rulebooks_cuts() {
        let named = [
            ("monomino", cells(&["X"])),
            ("domino", cells(&["XX"])),
            ("I3", cells(&["XXX"])),
            ("L3", cells(&["XX", "X."])),
            ("L4", cells(&["XXX", "X.."])),
            ("O4", cells(&["XX", "XX"])),
        ];
        let one_cut = |rows: &[&str]| -> Vec<&str> {
            let patch = Patch::new(cells(rows));
            let leaves = |shape| patch.cuts_needed(shape) == Some(1);
            named.iter().filter(|(_, shape)| leaves(*shape)).map(|(name, _)| *name).collect()
        };
        assert_eq!(one_cut(&["X.X", "XXX"]), ["monomino", "domino", "L3", "L4"]);
        assert_eq!(one_cut(&["XX", "XX", "X."]), ["monomino", "domino", "I3", "L3", "O4"]);
        assert_eq!(one_cut(&["XX", "XX"]), ["domino"]);
        let p5 = Patch::new(cells(&["XX", "XX", "X."]));
        assert_eq!(p5.cuts_needed(cells(&["XXX", "X.."])), None);
        let u5 = Patch::new(cells(&["X.X", "XXX"]));
        assert_eq!(u5.cuts_needed(cells(&["XXX"])), Some(2));
    }

    #[test]
    fn pieces_are_those_of_every_segment() {
        let by_definition = |shapes: &BTreeSet<Bitboard>| -> BTreeSet<Bitboard> {
            let of_shape = |&shape: &Bitboard| {
                let (height, width) = extent(shape);
                let segments = (1..width).flat_map(move |right_col| {
                    let rows = (0..height).flat_map(move |top| (top + 1..=height).map(move |end| (top, end)));
                    rows.map(move |(top, bottom)| Cut { right_col, top, bottom })
                });
                segments.filter_map(move |cut| cut.apply(shape)).flatten().map(normalised)
            };
            orientations(&orientations(shapes).iter().flat_map(of_shape).collect())
        };
        let all = |groups: &[Group]| -> BTreeSet<Bitboard> {
            groups.iter().flat_map(Group::shapes).map(Orientation::cells).collect()
        };
        for rows in [
            &["XXX", "X.X", "XXX"][..],
            &["XX..", ".XXX", "XX.X"],
            &["X.X.X", "XXXXX"],
            &["XXXXX"],
            &[".X.", "XXX", ".X."],
        ] {
            let patch = Patch::new(cells(rows));
            let once = by_definition(&BTreeSet::from([cells(rows)]));
            assert_eq!(all(patch.after_cuts(1)), once, "{rows:?}");
            assert_eq!(all(patch.after_cuts(2)), &by_definition(&once) - &once, "{rows:?}");
        }
    }

    #[test]
    fn fits_are_all_placements_inside_the_board() {
        let domino = Patch::new(cells(&["XX"]));
        let count = |free: Bitboard| Placements::new(domino.whole(), free).count();
        assert_eq!(count(Bitboard::FULL), 2 * 9 * 8);
        assert_eq!(count(Bitboard::rectangle(2, 2)), 4);
        assert_eq!(count(Bitboard::EMPTY), 0);
    }

    #[test]
    fn a_drawing_reads_back_as_drawn() {
        for rows in [&["X"][..], &["XX.", ".XX"], &["XXXXXXXXX"], &[".X", "XX", ".X"]] {
            let text = ShapeText(rows.iter().map(|row| row.to_string()).collect());
            let shape = text.cells().unwrap();
            assert_eq!(ShapeText::drawn(shape), text);
            assert_eq!(ShapeText::drawn(shape.shifted_down(54)), text);
        }
        assert_eq!(ShapeText::drawn(Bitboard::EMPTY), ShapeText(vec![]));
    }

    #[test]
    fn wrong_shapes_are_named() {
        let shape = |rows: &[&str]| ShapeText(rows.iter().map(|row| row.to_string()).collect()).cells();
        assert_eq!(shape(&[]), Err(BadShape::Empty));
        assert_eq!(shape(&["..."]), Err(BadShape::Empty));
        assert_eq!(shape(&["X.X"]), Err(BadShape::NotConnected));
        assert_eq!(shape(&["XXXXXXXXXX"]), Err(BadShape::TooLarge));
        assert_eq!(shape(&["XO"]), Err(BadShape::Character('O')));
    }
}
