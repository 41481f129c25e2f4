//! The bundled bot `random`: uniformly random legal moves. It is the baseline of the ladder.

use std::sync::Arc;

use engine::bitboard::Bitboard;
use engine::dealer::Dealer;
use engine::doodle::{Action, Doodle, Draw, Equipment, Observation, SeatTurn};
use engine::game::{Game, Seat};
use engine::patchwork::{self, Patchwork};

use crate::strategy::{Place, Strategy};

/// The dealer's stream for the bot's own random numbers.
const STREAM: u64 = 0;

/// Draws a random card on offer, whole or cut, at a random place. It passes only if no drawing is legal, and
/// never shades single cells.
#[derive(Debug)]
pub(crate) struct RandomDoodle {
    equipment: Arc<Equipment>,
    seat: Seat,
    chance: Dealer,
}

impl RandomDoodle {
    pub(crate) fn new(place: Place<Doodle>) -> RandomDoodle {
        RandomDoodle { equipment: place.equipment, seat: place.seat, chance: Dealer::new(place.seed, STREAM) }
    }
}

impl Strategy<Doodle> for RandomDoodle {
    fn choose(&mut self, observation: &Observation, _time_ms: u64) -> Action {
        let position = SeatTurn::from_observation(&self.equipment, observation, self.seat)
            .expect("the arena sends sound states");
        let moves = position.moves(&self.equipment);
        let draws: Vec<Draw> = moves.drawings().map(|drawing| drawing.draw).collect();
        let draw = match draws.len() {
            0 => None,
            count => Some(draws[self.chance.below(count as u32) as usize]),
        };
        Action { draw, singles: Bitboard::EMPTY }
    }
}

/// Plays a random purchase at a random place, or the advance. In a leather decision it fills a random empty
/// cell.
#[derive(Debug)]
pub(crate) struct RandomPatchwork {
    equipment: Arc<patchwork::Equipment>,
    seat: Seat,
    chance: Dealer,
}

impl RandomPatchwork {
    pub(crate) fn new(place: Place<Patchwork>) -> RandomPatchwork {
        RandomPatchwork {
            equipment: place.equipment,
            seat: place.seat,
            chance: Dealer::new(place.seed, STREAM),
        }
    }
}

impl Strategy<Patchwork> for RandomPatchwork {
    fn choose(&mut self, observation: &patchwork::Observation, _time_ms: u64) -> patchwork::Action {
        let game = Patchwork::from_observation(&self.equipment, observation, self.seat)
            .expect("the arena sends sound states");
        let moves = game.moves().expect("a seat that is asked has a move");
        let number = self.chance.below(game.legal_count(self.seat) as u32);
        moves.nth(number).expect("below the count")
    }
}
