//! What is asked, and where answers go.

use std::io::{BufWriter, Write};

/// Where answers go: a long list of moves is written as it is found.
pub type Answers<'w> = BufWriter<&'w mut dyn Write>;

/// What is asked of each state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The legal moves, all of them.
    Moves,
    /// How many legal moves there are.
    Count,
    /// What a move leads to.
    Apply,
    /// Whether a move is legal, what it takes, or which rule it breaks.
    Explain,
}
