//! The bundled bot `greedy`: tries every legal move once and keeps the board with the best evaluation.

pub(crate) mod doodle;
pub(crate) mod patchwork;
