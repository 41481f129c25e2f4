//! The kinds of queries, and the output for answers.

use std::io::{BufWriter, Write};

/// The output for answers. A long list of moves is written without storing it.
pub type Answers<'w> = BufWriter<&'w mut dyn Write>;

/// The kind of answer for each state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The list of all legal moves.
    Moves,
    /// The list of all legal moves, and their numbers for networks.
    Numbers,
    /// The number of legal moves.
    Count,
    /// The state after a move.
    Apply,
    /// The cost of a legal move, or the rule that an illegal move breaks.
    Explain,
}
