//! The bundled bot `greedy` at Patchwork: plays the move with the best evaluation, one move ahead.
//!
//! The bot plays each legal move on a copy of the position. It evaluates the result by time, buttons, income,
//! and the shape of the quilt. A second pass adds the coming patches for the best moves. `evaluator` is the
//! evaluation, `gaps` describes the shape of a quilt, and `weights` has the parameters. The bot uses neither
//! a clock nor random numbers, so the same turn gets the same answer.

mod evaluator;
mod gaps;
#[cfg(test)]
pub(crate) mod tests;
mod weights;

use std::sync::Arc;

use engine::game::Seat;
use engine::patchwork::{Action, Equipment, Moves, Observation, Patchwork, Position, Table};

use crate::strategy::{Place, Strategy};
pub(crate) use evaluator::Evaluator;

/// Moves that get a second look, with the coming patches.
const FINALISTS: usize = 200;

/// Patches of the circle that are tested for whether they fit.
const PATCHES: usize = 24;

/// The bot `greedy` at Patchwork.
#[derive(Debug)]
pub(crate) struct GreedyPatchwork {
    equipment: Arc<Equipment>,
    seat: Seat,
}

impl GreedyPatchwork {
    pub(crate) fn new(place: Place<Patchwork>) -> GreedyPatchwork {
        GreedyPatchwork { equipment: place.equipment, seat: place.seat }
    }
}

impl Strategy<Patchwork> for GreedyPatchwork {
    fn choose(&mut self, observation: &Observation, _time_ms: u64) -> Action {
        let game = Patchwork::from_observation(&self.equipment, observation, self.seat)
            .expect("the arena sends sound states");
        best_move(game.table(), game.position(), self.seat).expect("a seat that is asked has a move")
    }
}

/// A move with the resulting position.
#[derive(Clone, Copy)]
struct Candidate {
    action: Action,
    after: Position,
    value: f32,
}

/// Returns the best move of the seat; ties go to the first in the engine's order. `None` if the match is
/// over.
fn best_move(table: &Table, position: &Position, seat: Seat) -> Option<Action> {
    let evaluator = Evaluator::new(table, seat);
    let judged = |action: Action| {
        let mut after = *position;
        after.apply(table, action);
        Candidate { action, after, value: evaluator.value(&after) }
    };
    let mut candidates: Vec<Candidate> = Moves::new(table, position).iter().map(judged).collect();
    candidates.sort_by(|one, other| other.value.total_cmp(&one.value));
    candidates.truncate(FINALISTS);
    let closer = candidates.iter().map(|finalist| {
        let value = finalist.value + evaluator.value_of_circle(&finalist.after, PATCHES);
        (value, finalist.action)
    });
    let better = |best: (f32, Action), next: (f32, Action)| if next.0 > best.0 { next } else { best };
    closer.reduce(better).map(|(_, action)| action)
}
