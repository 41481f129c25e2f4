//! Pictures of matches, drawn as the arena draws its previews.

use engine::bitboard::{Bitboard, Cell};
use engine::game::Outcome;
use picture::{Board, Cover, Scene, Size, rgb};
use pyo3::prelude::*;

use crate::args::Int;
use crate::arrays::{room, rows};

/// The memory of a pixel while it is drawn, in bytes.
const PIXEL_BYTES: usize = 16;

/// What covers the cells of a board: the pieces in the order in which they came.
#[derive(Clone)]
pub(crate) struct Covers {
    board: Bitboard,
    pieces: Vec<(Bitboard, Option<usize>)>,
}

impl Covers {
    pub(crate) const fn new() -> Covers {
        Covers { board: Bitboard::EMPTY, pieces: Vec::new() }
    }

    /// Adds the cells that were not covered, as a piece of this card.
    pub(crate) fn lay(&mut self, cells: Bitboard, card: Option<usize>) {
        let piece = cells - self.board;
        if !piece.is_empty() {
            self.pieces.push((piece, card));
            self.board |= piece;
        }
    }

    fn cells(&self) -> Vec<Cover> {
        let cover = |cell: Cell| {
            let piece = self.pieces.iter().position(|(cells, _)| cells.contains(cell));
            piece.map_or(Cover::default(), |place| Cover { piece: place + 1, card: self.pieces[place].1 })
        };
        Cell::all().map(cover).collect()
    }
}

/// The picture of a match.
pub(crate) fn drawn<'py>(
    py: Python<'py>,
    title: String,
    covers: &[Covers],
    outcome: &Outcome,
    is_over: bool,
    width: Int,
    height: Int,
) -> PyResult<Bound<'py, PyAny>> {
    let (width, height) = (width.within("width", 100..=4_000)?, height.within("height", 100..=4_000)?);
    drop(room::<u8>(PIXEL_BYTES * width * height)?);
    let boards = covers.iter().enumerate().map(|(seat, covers)| Board {
        name: format!("seat {seat}"),
        score: outcome.scores[seat].to_string(),
        is_first: is_over && outcome.ranks[seat] == 1,
        cells: covers.cells(),
    });
    let scene = Scene { title, note: String::new(), boards: boards.collect() };
    rows(py, rgb(&scene, Size { width, height }), [height, width, 3])
}
