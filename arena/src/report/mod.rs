//! Text for people: boards, tables, and progress. Only this module writes to the terminal.

pub(crate) mod authors;
pub mod board;
pub(crate) mod browser;
pub(crate) mod checks;
pub(crate) mod csv;
pub(crate) mod out_file;
pub mod output;
pub mod progress;
pub(crate) mod shown;
pub(crate) mod tables;
pub(crate) mod turns;
