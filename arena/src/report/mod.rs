//! What people see: boards, tables, progress. The only place that writes to the terminal.

pub mod board;
pub mod output;
pub mod progress;
