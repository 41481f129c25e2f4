//! Matches as pictures in a browser: what is drawn, turn by turn, and the page that draws it.
//!
//! All rules stay in the engine. [`Filming`] looks at a game after each decision and writes down
//! what changed as plain data, a [`Frame`] each; the page in `assets/` draws frames and knows no
//! rule. A page holds everything it needs and asks nobody for anything.

mod doodle;
mod frames;
mod page;
mod patchwork;

pub use frames::{Act, Entry, Film, Filming, Frame, Pictured, Piece, SeatFrame};
#[cfg(test)]
pub(crate) use page::check_names;
pub use page::{MODULES, STYLE, one_file, page};
