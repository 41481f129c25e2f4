//! Cells, patches, and where they fit.

pub mod bitboard;
pub mod cells;
pub mod cpu;
pub(crate) mod fits;
pub mod patch;
