//! Games as text, for showing a match turn by turn.

mod doodle;
mod drawing;
mod external;
mod patchwork;

use engine::cells::Pair;
use engine::game::{Seat, pending};
use engine::wire::WireFormat;
use sandbox::text;
use serde_json::json;

/// A game that can be drawn as text.
pub trait TextBoard: WireFormat {
    /// How a person lays pieces of this game, for the help of a terminal.
    const HELP: &'static str = "";
    /// The meaning of the signs, for people who see the board for the first time.
    const LEGEND: &'static str = "";

    /// Tells the move of a seat that led from this game to `after`, in a few words after its name.
    fn told(&self, _after: &Self, _seat: Seat, wire_move: &Self::WireMove) -> String {
        format!("plays {}", text::line(&json!(wire_move).to_string()))
    }

    /// Draws the public state of the game. `names` are the bots by seat. `before` is the game before the last
    /// decision, and serves to highlight newly covered cells. `width` is the width of the terminal in
    /// columns. Boards that do not fit in one row continue below.
    fn show(&self, names: &[String], _before: Option<&Self>, _width: Option<usize>) -> String {
        let board = self.text().unwrap_or_else(|why| Some(format!("the game failed: {why}")));
        let seen = |seat: Seat| format!("{}: {}\n", names[seat], json!(self.observe(seat)));
        let board = board.unwrap_or_else(|| pending(self).map(seen).collect());
        text::lines(&board).into_owned()
    }
}

/// Returns where the first of these cells is, for a person, who counts from 1.
fn place(cells: &[Pair]) -> String {
    cells.iter().min().map_or(String::new(), |[row, col]| format!(" at row {}, column {}", row + 1, col + 1))
}
