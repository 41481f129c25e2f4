//! Pictures of matches, drawn as the arena draws its previews.

use engine::bitboard::{Bitboard, Cell};
use engine::game::Outcome;
use picture::{Board, Cover, Scene, Size, png, rgb};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::args::Int;
use crate::arrays::{Array, room, rows};

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

/// The boards of a match with its title, to be drawn.
pub(crate) fn scene(title: String, covers: &[Covers], outcome: &Outcome, is_over: bool) -> Scene {
    let boards = covers.iter().enumerate().map(|(seat, covers)| Board {
        name: format!("seat {seat}"),
        score: outcome.scores[seat].to_string(),
        is_first: is_over && outcome.ranks[seat] == 1,
        cells: covers.cells(),
    });
    Scene { title, note: String::new(), boards: boards.collect() }
}

/// The picture of a match as an array.
pub(crate) fn drawn<'py>(py: Python<'py>, scene: &Scene, width: Int, height: Int) -> Array<'py> {
    let (width, height) = (width.within("width", 100..=4_000)?, height.within("height", 100..=4_000)?);
    drop(room::<u8>(PIXEL_BYTES * width * height)?);
    rows(py, rgb(scene, Size { width, height }), [height, width, 3])
}

/// The picture of a match as an element of HTML.
pub(crate) fn html(py: Python<'_>, scene: &Scene) -> PyResult<String> {
    let file = PyBytes::new(py, &png(scene, Size { width: 600, height: 400 }));
    let text: String =
        py.import("base64")?.call_method1("b64encode", (file,))?.call_method0("decode")?.extract()?;
    Ok(format!("<img alt=\"{}\" src=\"data:image/png;base64,{text}\">", scene.title))
}
