//! The bundled bot `greedy` at doodle: tries every legal move once and keeps the board with the best evaluation.

pub(crate) mod doodle;
