//! One move ahead at Patchwork: the move that leaves the best outlook.
//!
//! Every legal move is played on a copy and judged by what it leaves: the points expected from
//! time, buttons, income and the shape of the quilt. The best few are looked at again, with the
//! patches that come next. `outlook` judges, from the `gaps` of the quilt, with the numbers in
//! `weights`. Nothing here looks at a clock or draws lots: the same turn gets the same answer.

mod gaps;
mod outlook;
#[cfg(test)]
pub(crate) mod tests;
mod weights;

use std::sync::Arc;

use engine::game::Seat;
use engine::patchwork::{Action, Equipment, Moves, Observation, Patchwork, Position, Table};

use crate::strategy::{Place, Strategy};
pub(crate) use outlook::Outlook;

/// Moves that are looked at more closely, with the patches to come.
const FINALISTS: usize = 200;

/// How many patches of the circle are looked at for whether they fit.
const PATCHES: usize = 24;

/// Greedy at Patchwork.
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

/// A move with the position that it leaves.
#[derive(Clone, Copy)]
struct Candidate {
    action: Action,
    after: Position,
    value: f32,
}

/// The best move of the seat that is asked; of equal ones the first in the engine's order. `None`
/// where the match is over.
fn best_move(table: &Table, position: &Position, seat: Seat) -> Option<Action> {
    let outlook = Outlook::new(table, seat);
    let judged = |action: Action| {
        let mut after = *position;
        after.apply(table, action);
        Candidate { action, after, value: outlook.value(&after) }
    };
    let mut candidates: Vec<Candidate> = Moves::new(table, position).iter().map(judged).collect();
    candidates.sort_by(|one, other| other.value.total_cmp(&one.value));
    candidates.truncate(FINALISTS);
    let closer = candidates.iter().map(|finalist| {
        let value = finalist.value + outlook.value_of_circle(&finalist.after, PATCHES);
        (value, finalist.action)
    });
    let better = |best: (f32, Action), next: (f32, Action)| if next.0 > best.0 { next } else { best };
    closer.reduce(better).map(|(_, action)| action)
}
