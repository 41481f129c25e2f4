//! Games as text: what a match looks like as it goes.

mod doodle;
mod patchwork;
mod text;

use engine::game::Game;

/// A game that can be drawn as text.
pub trait Show: Game {
    /// The table as everybody sees it now. `names` are the bots by seat; `before` is the game
    /// before the last decision, so that what was just placed can be told apart. `width` is that of the terminal:
    /// boards that do not fit beside each other stand below each other.
    fn show(&self, names: &[String], before: Option<&Self>, width: Option<usize>) -> String;
}
