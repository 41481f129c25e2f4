//! Games as text, for showing a match turn by turn.

mod doodle;
mod patchwork;
mod text;

use engine::wire::WireFormat;

/// A game that can be drawn as text.
pub trait TextBoard: WireFormat {
    /// The meaning of the signs, for people who see the board for the first time.
    const LEGEND: &'static str;

    /// Draws the public state of the game. `names` are the bots by seat. `before` is the game before the last
    /// decision, and serves to highlight newly covered cells. `width` is the width of the terminal in
    /// columns. Boards that do not fit in one row continue below.
    fn show(&self, names: &[String], before: Option<&Self>, width: Option<usize>) -> String;
}
