//! The bots that search: the one with a small fixed budget, the other with all the time it is given.

use std::sync::Arc;

use engine::dealer::Dealer;
use engine::doodle::{Action, Doodle, Equipment, Observation, Position};
use engine::game::Seat;

use super::budget::Budget;
use super::search;
use crate::strategy::{Place, Strategy};

/// The dealer's stream for a bot's own chance.
const STREAM: u64 = 0;
/// What the planner spends on a move.
const PLANNER_NODES: u64 = 300;

/// A searching bot at Patchwork Doodle.
#[derive(Debug)]
pub(crate) struct Thinker {
    equipment: Arc<Equipment>,
    seat: Seat,
    chance: Dealer,
    /// Nodes for each move; the clock decides where there is no such number.
    nodes: Option<u64>,
}

impl Thinker {
    /// Thinks little, and always the same.
    pub(crate) fn planner(place: Place<Doodle>) -> Thinker {
        let nodes = place.nodes.unwrap_or(PLANNER_NODES);
        Thinker::master(Place { nodes: Some(nodes), ..place })
    }

    /// Takes the time it is given.
    pub(crate) fn master(place: Place<Doodle>) -> Thinker {
        let chance = Dealer::new(place.seed, STREAM);
        Thinker { equipment: place.equipment, seat: place.seat, chance, nodes: place.nodes }
    }
}

impl Strategy<Doodle> for Thinker {
    fn choose(&mut self, observation: &Observation, time_ms: u64) -> Action {
        let budget = self.nodes.map_or_else(|| Budget::clock(time_ms), Budget::nodes);
        let position =
            Position::new(&self.equipment, observation, self.seat).expect("the arena sends sound states");
        search::best(&self.equipment, &position, &mut self.chance, budget)
    }
}
