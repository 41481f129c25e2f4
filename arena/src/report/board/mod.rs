//! Games as text, for showing a match turn by turn.

mod doodle;
mod external;
mod patchwork;
mod text;

use engine::cells::Pair;
use engine::game::Seat;
use engine::wire::WireFormat;

/// A game that can be drawn as text.
pub trait TextBoard: WireFormat {
    /// How a person lays pieces of this game, for the help of a terminal.
    const HELP: &'static str;
    /// The meaning of the signs, for people who see the board for the first time.
    const LEGEND: &'static str;

    /// Tells the move of a seat that led from this game to `after`, in a few words after its name.
    fn told(&self, after: &Self, seat: Seat, wire_move: &Self::WireMove) -> String;

    /// Draws the public state of the game. `names` are the bots by seat. `before` is the game before the last
    /// decision, and serves to highlight newly covered cells. `width` is the width of the terminal in
    /// columns. Boards that do not fit in one row continue below.
    fn show(&self, names: &[String], before: Option<&Self>, width: Option<usize>) -> String;
}

/// Returns where the first of these cells is, for a person, who counts from 1.
fn place(cells: &[Pair]) -> String {
    cells.iter().min().map_or(String::new(), |[row, col]| format!(" at row {}, column {}", row + 1, col + 1))
}
