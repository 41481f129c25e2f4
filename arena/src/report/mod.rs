//! Text for people: boards, tables, and progress. Only this module writes to the terminal.

pub mod board;
pub mod output;
pub mod progress;
pub(crate) mod shown;
