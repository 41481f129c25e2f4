//! What a search says of a move that was played.

use engine::game::{Game, Seat};

/// A game whose moves can be judged after the match.
pub trait Coach: Game {
    /// The search budget for a decision, in nodes. It takes some tenths of a second.
    const NODES: u64;

    /// Compares a legal move with the best one that a search of `nodes` finds. All chance comes from `seed`.
    fn advise(
        equipment: &std::sync::Arc<Self::Equipment>,
        observation: &Self::Observation,
        seat: Seat,
        played: &Self::Action,
        nodes: u64,
        seed: u64,
    ) -> Advice<Self::Action>;
}

/// The judgement of a move. All numbers are points: of the match at Patchwork Doodle, of the margin at Patchwork.
#[derive(Clone, Debug)]
pub struct Advice<A> {
    /// The best move that the search found.
    pub best: A,
    /// The value of the move that was played.
    pub value: f64,
    /// How much more the best move is worth. Below zero if a second look prefers the move that was played. Zero for
    /// the same move.
    pub loss: f64,
    /// The uncertainty of the loss, as a standard error.
    pub error: f64,
}
