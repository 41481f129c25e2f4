//! Greedy at Patchwork.

use std::sync::Arc;

use engine::game::Seat;
use engine::patchwork::{Action, Equipment, Observation, Patchwork};

use crate::strategy::{Place, Strategy};

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
        game.moves().and_then(|moves| moves.nth(0)).expect("a seat that is asked has a move")
    }
}
