//! The bundled bot `greedy` at doodle, which tries every legal move once and keeps the board with the best evaluation, and
//! bots that play like `greedy` at both games but for some moves.

pub(crate) mod careless;
pub(crate) mod doodle;
