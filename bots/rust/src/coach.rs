//! What a search says of the moves of a position, and of a move that was played.

use std::sync::Arc;

use engine::game::{Game, Seat};

/// The digest of the sources of the search and of the rules, as 16 hexadecimal digits. Values of another one may differ.
pub const EVALUATOR: &str = env!("EVALUATOR");

/// A game whose moves can be judged after the match.
pub trait Coach: Game {
    /// The search budget for a decision, in nodes. It takes some tenths of a second.
    const NODES: u64;

    /// Returns the best moves that a search of `nodes` finds, with their values, the best one first. All chance comes from
    /// `seed`.
    fn ranked(
        equipment: &Arc<Self::Equipment>,
        observation: &Self::Observation,
        seat: Seat,
        count: usize,
        nodes: u64,
        seed: u64,
    ) -> Vec<(Self::Action, f64)>;

    /// Compares two legal moves with a search of `nodes`, both on the same futures.
    fn compared(
        equipment: &Arc<Self::Equipment>,
        observation: &Self::Observation,
        seat: Seat,
        better_and_own: [&Self::Action; 2],
        nodes: u64,
        seed: u64,
    ) -> Compared;

    /// Compares a legal move with the best one that a search finds. The best of many estimates is usually too high, so
    /// the comparison is a search of its own.
    fn advise(
        equipment: &Arc<Self::Equipment>,
        observation: &Self::Observation,
        seat: Seat,
        played: &Self::Action,
        nodes: u64,
        seed: u64,
    ) -> (Self::Action, Compared) {
        let ranked = Self::ranked(equipment, observation, seat, 1, nodes / 3, seed);
        let best = ranked.into_iter().next().expect("the seat has a move").0;
        let compared =
            Self::compared(equipment, observation, seat, [&best, played], nodes - nodes / 3, !seed);
        (best, compared)
    }
}

/// A comparison of two moves. All numbers are points: of the match at Patchwork Doodle, of the margin at Patchwork.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    /// The value of the own move: what search bots get after it on average.
    pub value: f64,
    /// The uncertainty of the value, as a standard error.
    pub value_error: f64,
    /// How much more the other move is worth. Below zero if the own move is better, and zero for the same effect.
    pub loss: f64,
    /// The uncertainty of the loss, as a standard error.
    pub error: f64,
}
