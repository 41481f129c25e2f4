//! The bundled bot `greedy`: every legal move is tried once and the best looking board is kept.

pub(crate) mod doodle;
pub(crate) mod patchwork;
