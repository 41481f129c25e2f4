//! The bundled bot `greedy` at Patchwork Doodle: plays the drawing that leaves the best sheet, one move
//! ahead.
//!
//! It uses neither a clock nor random numbers, so the same turn gets the same answer.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use engine::doodle::{Action, Doodle, Equipment, Observation, SeatTurn};
use engine::game::Seat;

use crate::doodle::Learned;
use crate::doodle::ahead::Turn;
use crate::strategy::{Place, Strategy};

/// The bot `greedy` at Patchwork Doodle.
#[derive(Debug)]
pub(crate) struct GreedyDoodle {
    equipment: Arc<Equipment>,
    seat: Seat,
    /// Drawings that get a closer look, with single cells and the next cards.
    finalists: usize,
}

impl GreedyDoodle {
    pub(crate) fn new(place: Place<Doodle>, finalists: usize) -> GreedyDoodle {
        GreedyDoodle { equipment: place.equipment, seat: place.seat, finalists }
    }
}

impl Strategy<Doodle> for GreedyDoodle {
    fn choose(&mut self, observation: &Observation, _time_ms: u64) -> Action {
        let position = SeatTurn::from_observation(&self.equipment, observation, self.seat)
            .expect("the arena sends sound states");
        Turn::new(&self.equipment, &position, Learned::bundled()).choices(self.finalists)[0].action
    }
}
