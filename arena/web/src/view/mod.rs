//! Matches in a browser: frames, turn by turn, and the page that draws them.
//!
//! All rules stay in the engine. [`MatchViewBuilder`] looks at a game after each decision and writes the change as
//! plain data, one [`Frame`] for each decision. The page in `assets/` draws frames and knows no rules. A
//! page is self-contained and sends no requests.

mod doodle;
mod frames;
mod page;
mod patchwork;
mod plain;
mod preview;

pub use frames::{Act, Entry, EntryAnalysis, Frame, Frames, MatchView, MatchViewBuilder, Piece, SeatFrame};
#[cfg(test)]
pub(crate) use page::check_names;
pub use page::{MODULES, STYLE, one_file, page};
pub(crate) use page::{asking_page, escaped, shared_modules, titled};
pub use plain::{PlainView, plain_page};
pub use preview::{animation, preview};
