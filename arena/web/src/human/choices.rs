//! What a player can take in hand in a turn, in every way it can be turned, and where the engine lets it lie.

use engine::bitboard::{Bitboard, Cell, SIDE};
use engine::cells::Pair;
use engine::game::{Game, Seat};
use engine::name::CardName;
use engine::patch::ShapeText;
use serde::{Deserialize, Serialize};

/// Quarter turns of a shape; then come the same of its mirror image.
pub const QUARTERS: usize = 4;

/// A game as somebody plays it by hand.
pub trait ByHand: Game {
    /// Whether a decision can lay nothing, in a word: a pass, an advance.
    const NOTHING: &'static str;

    /// What the seat can take in hand now; nothing where it owes no decision.
    fn choices(&self, seat: Seat) -> Vec<Choice>;

    /// The move that lays this, on the wire.
    ///
    /// # Errors
    /// What no move of this game can lay.
    fn word(laid: &Laid) -> Result<Self::Word, String>;

    /// Why a move is refused, in words for whoever plays by hand.
    fn refused(why: &Self::Illegal) -> String;
}

/// Something to be laid on the board.
#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    /// The card or patch; `None` for what comes without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardName>,
    /// Which piece of the card it is; 0 for the whole.
    pub piece: usize,
    /// What it costs, in words; empty where nothing.
    pub costs: String,
    /// Every way to turn it: by quarters clockwise, then the mirror image by quarters.
    pub turnings: Vec<Turning>,
}

/// A shape in one orientation.
#[derive(Clone, Debug, Serialize)]
pub struct Turning {
    /// The shape.
    pub shape: ShapeText,
    /// The cells of the board at which the upper left corner of its bounding box may lie, by number.
    pub anchors: Vec<u8>,
}

/// What a player has laid on the board and not yet confirmed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Laid {
    /// The card or patch.
    pub card: Option<String>,
    /// Its cells.
    #[serde(default)]
    pub cells: Vec<Pair>,
    /// Single cells beside it.
    #[serde(default)]
    pub singles: Vec<Pair>,
}

impl Choice {
    /// A choice of this shape; `is_legal` says of cells on the board whether it may lie there.
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
        Choice { card, piece, costs, turnings: turnings.collect() }
    }

    /// Whether it can be laid anywhere.
    pub fn fits(&self) -> bool {
        self.turnings.iter().any(|turning| !turning.anchors.is_empty())
    }
}

impl Turning {
    /// The cells with the bounding box's corner here, on the board or beyond its edge.
    pub fn cells_at(&self, [row, col]: Pair) -> Vec<Pair> {
        let cells = self.shape.cells().unwrap_or_default();
        cells.iter().map(|cell| [row + i64::from(cell.row()), col + i64::from(cell.col())]).collect()
    }
}

/// The eight ways to turn a shape, each in the upper left corner; those of a symmetrical shape repeat.
pub(super) fn turnings(shape: Bitboard) -> impl Iterator<Item = Bitboard> {
    let first = cornered(shape.iter().map(|cell| (cell.row(), cell.col())));
    let mirrored = cornered(first.iter().map(|cell| (cell.row(), SIDE - 1 - cell.col())));
    (0..2 * QUARTERS).map(move |number| {
        let from = if number < QUARTERS { first } else { mirrored };
        (0..number % QUARTERS).fold(from, |cells, _| quarter(cells))
    })
}

/// A quarter turn clockwise.
fn quarter(cells: Bitboard) -> Bitboard {
    cornered(cells.iter().map(|cell| (cell.col(), SIDE - 1 - cell.row())))
}

/// These cells moved into the upper left corner.
fn cornered(cells: impl Iterator<Item = (u8, u8)> + Clone) -> Bitboard {
    let top = cells.clone().map(|(row, _)| row).min().unwrap_or(0);
    let left = cells.clone().map(|(_, col)| col).min().unwrap_or(0);
    cells.filter_map(|(row, col)| Cell::new(row - top, col - left)).collect()
}

/// Where the bounding box of a shape in the corner stays on the board.
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
