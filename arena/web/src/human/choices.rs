//! The pieces that a player can place in a turn, in all orientations, with their legal places.

use engine::bitboard::{Bitboard, Cell, SIDE};
use engine::cells::Pair;
use engine::game::Seat;
use engine::patch::ShapeText;
use engine::wire::WireFormat;
use engine::wire::name::CardName;
use serde::{Deserialize, Serialize};

/// The number of quarter turns of a shape. The turns of the mirror image follow them.
pub const QUARTERS: usize = 4;

/// A game that a person can play by hand.
pub trait Hand: WireFormat {
    /// The name of the move that places nothing, such as "pass" or "advance".
    const NOTHING: &'static str;

    /// Returns the pieces that the seat can place now. Empty if the seat owes no decision.
    fn choices(&self, seat: Seat) -> Vec<Choice>;

    /// Returns the wire format of the move that places these cells.
    ///
    /// # Errors
    /// Fails if no move of this game can place them. The error is text for the player.
    fn wire_move(laid: &Laid) -> Result<Self::WireMove, String>;

    /// Returns the cells that a move of the wire format places.
    fn laid(wire_move: &Self::WireMove) -> Laid;

    /// Says what a legal move of the seat leads to, in words for a person.
    fn effect(&self, seat: Seat, laid: &Laid) -> String;

    /// Returns the reason for refusing a move, in words for a person.
    fn refused(why: &Self::Illegal) -> String;
}

/// A piece that a player can place on the board.
#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    /// The card or patch; `None` for a piece without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardName>,
    /// The number of the piece of the card; 0 for the whole card.
    pub piece: usize,
    /// The cost, in words; empty if the piece is free.
    pub costs: String,
    /// The reason why the player cannot place the piece anywhere, such as its price; `None` if nothing but the board
    /// decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<String>,
    /// All orientations: clockwise quarter turns of the shape, then clockwise quarter turns of its mirror
    /// image.
    pub turnings: Vec<Turning>,
}

/// A shape in one orientation.
#[derive(Clone, Debug, Serialize)]
pub struct Turning {
    /// The shape, as rows of text.
    pub shape: ShapeText,
    /// The legal cells for the upper left corner of the bounding box, by cell number.
    pub anchors: Vec<u8>,
}

/// The cells that a player has placed and not yet confirmed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Laid {
    /// The card or patch.
    pub card: Option<String>,
    /// The cells of the card or patch.
    #[serde(default)]
    pub cells: Vec<Pair>,
    /// Single cells in addition to the piece.
    #[serde(default)]
    pub singles: Vec<Pair>,
}

impl Choice {
    /// Creates a choice of this shape. `is_legal` returns true if the piece may cover the given cells of
    /// the board.
    pub(super) fn new(
        card: Option<CardName>,
        piece: usize,
        costs: String,
        shape: Bitboard,
        is_legal: impl Fn(Bitboard) -> bool,
    ) -> Choice {
        let turnings = turnings(shape).map(|cells| Turning {
            shape: ShapeText::drawn(cells),
            anchors: anchors(cells).filter(|&anchor| is_legal(at(cells, anchor))).map(Cell::index).collect(),
        });
        Choice { card, piece, costs, obstacle: None, turnings: turnings.collect() }
    }

    /// Returns true if at least one place is legal.
    pub fn fits(&self) -> bool {
        self.turnings.iter().any(|turning| !turning.anchors.is_empty())
    }
}

impl Turning {
    /// Returns the cells of the shape with the corner of its bounding box at this cell. Cells may be
    /// outside the board.
    pub fn cells_at(&self, [row, col]: Pair) -> Vec<Pair> {
        let cells = self.shape.cells().unwrap_or_default();
        cells.iter().map(|cell| [row + i64::from(cell.row()), col + i64::from(cell.col())]).collect()
    }
}

/// Returns the eight orientations of a shape, each in the upper left corner. A symmetrical shape has
/// duplicates.
pub(super) fn turnings(shape: Bitboard) -> impl Iterator<Item = Bitboard> {
    let first = cornered(shape.iter().map(|cell| (cell.row(), cell.col())));
    let mirrored = cornered(first.iter().map(|cell| (cell.row(), SIDE - 1 - cell.col())));
    (0..2 * QUARTERS).map(move |number| {
        let from = if number < QUARTERS { first } else { mirrored };
        (0..number % QUARTERS).fold(from, |cells, _| quarter(cells))
    })
}

/// Turns the cells clockwise by a quarter.
fn quarter(cells: Bitboard) -> Bitboard {
    cornered(cells.iter().map(|cell| (cell.col(), SIDE - 1 - cell.row())))
}

/// Moves the cells to the upper left corner.
fn cornered(cells: impl Iterator<Item = (u8, u8)> + Clone) -> Bitboard {
    let top = cells.clone().map(|(row, _)| row).min().unwrap_or(0);
    let left = cells.clone().map(|(_, col)| col).min().unwrap_or(0);
    cells.filter_map(|(row, col)| Cell::new(row - top, col - left)).collect()
}

/// Returns the cells at which the bounding box of a shape in the corner stays on the board.
fn anchors(cells: Bitboard) -> impl Iterator<Item = Cell> {
    let last = |axis: fn(Cell) -> u8| cells.iter().map(axis).max().unwrap_or(0);
    let (down, right) = (last(Cell::row), last(Cell::col));
    Cell::all().filter(move |anchor| anchor.row() + down < SIDE && anchor.col() + right < SIDE)
}

fn at(cells: Bitboard, anchor: Cell) -> Bitboard {
    cells.shifted_down(anchor.index())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(rows: &[&str]) -> Bitboard {
        let cells = |(row, text): (usize, &&str)| {
            let marked = text.bytes().enumerate().filter(|(_, mark)| *mark == b'X');
            marked.map(move |(col, _)| Cell::new(row as u8, col as u8).unwrap()).collect::<Vec<_>>()
        };
        rows.iter().enumerate().flat_map(cells).collect()
    }

    #[test]
    fn a_shape_is_turned_clockwise_and_mirrored() {
        let all: Vec<Bitboard> = turnings(shape(&["XXX", "X.."])).collect();
        assert_eq!(all[1], shape(&["XX", ".X", ".X"]));
        assert_eq!(all[2], shape(&["..X", "XXX"]));
        assert_eq!(all[4], shape(&["XXX", "..X"]));
        assert_eq!(all[5], shape(&[".X", ".X", "XX"]));
    }

    #[test]
    fn a_shape_stays_on_the_board() {
        let legal = Choice::new(None, 0, String::new(), shape(&["XXX", "X.."]), |_| true);
        assert_eq!(legal.turnings[0].anchors.len(), 8 * 7);
        assert_eq!(legal.turnings[1].anchors.last(), Some(&(6 * SIDE + 7)));
        assert!(!Choice::new(None, 0, String::new(), shape(&["X"]), |_| false).fits());
    }
}
