//! What people see: boards, tables, progress. The only place that writes to the terminal.

pub mod board;
pub mod layout;
mod outcome;
pub mod output;
pub mod progress;
pub mod style;
pub mod tables;
pub mod words;
