//! One move ahead: the drawing that leaves the best looking sheet.

use std::sync::Arc;

use engine::bitboard::Bitboard;
use engine::doodle::{Action, Doodle, Equipment, Observation, Position};
use engine::game::Seat;

use crate::strategy::{Place, Strategy};

/// Greedy at Patchwork Doodle.
#[derive(Debug)]
pub(crate) struct GreedyDoodle {
    equipment: Arc<Equipment>,
    seat: Seat,
}

impl GreedyDoodle {
    pub(crate) fn new(place: Place<Doodle>) -> GreedyDoodle {
        GreedyDoodle { equipment: place.equipment, seat: place.seat }
    }
}

impl Strategy<Doodle> for GreedyDoodle {
    fn choose(&mut self, observation: &Observation, _time_ms: u64) -> Action {
        let position =
            Position::new(&self.equipment, observation, self.seat).expect("the arena sends sound states");
        let decision = position.decision(&self.equipment);
        let best = decision.drawings().max_by_key(|drawing| {
            let free = !(position.sheet.board | drawing.draw.cells);
            (drawing.cuts == 0 && !drawing.neighbor, std::cmp::Reverse((free.with_neighbors() - free).len()))
        });
        Action { draw: best.map(|drawing| drawing.draw), singles: Bitboard::EMPTY }
    }
}
