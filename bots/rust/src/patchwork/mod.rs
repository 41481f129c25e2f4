//! Search at Patchwork: the game is open once the circle is dealt, so the tree of moves can be
//! searched for both players.
//!
//! `candidates` are the few moves of a position that are looked at, `rollout` plays a position to its
//! end in a quick and sensible way, `tree` grows the tree from what such games come to, `end` works the
//! last moves out, and `settings` has the numbers. `planner` and `master` differ in their budget alone.

mod candidates;
mod end;
mod rollout;
mod settings;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;

use engine::game::Seat;
use engine::patchwork::{Action, Equipment, Observation, Patchwork};

use crate::budget::{Budget, Waits};
use crate::strategy::{Place, Strategy};
pub use rollout::play_out;
pub use settings::Settings;
use tree::Tree;

/// Nodes of the planner for a move.
const PLANNER_NODES: u64 = 400;

/// A bot that searches.
#[derive(Debug)]
pub struct Searcher {
    equipment: Arc<Equipment>,
    seat: Seat,
    seed: u64,
    /// Nodes for a move; by the clock where there is no number.
    nodes: Option<u64>,
    waits: Waits,
    settings: Settings,
}

impl Searcher {
    /// The bot `planner`: a small fixed budget.
    pub(crate) fn planner(place: Place<Patchwork>) -> Searcher {
        let nodes = place.nodes.unwrap_or(PLANNER_NODES);
        Searcher::new(Place { nodes: Some(nodes), ..place }, Settings::default())
    }

    /// The bot `master`: whatever budget it is given.
    pub(crate) fn master(place: Place<Patchwork>) -> Searcher {
        Searcher::new(place, Settings::default())
    }

    /// A searcher with other settings, to compare them.
    pub fn new(place: Place<Patchwork>, settings: Settings) -> Searcher {
        let Place { equipment, seat, seed, nodes, .. } = place;
        Searcher { equipment, seat, seed, nodes, waits: Waits::unknown(), settings }
    }
}

impl Strategy<Patchwork> for Searcher {
    fn choose(&mut self, observation: &Observation, time_ms: u64) -> Action {
        let mut budget = Budget::new(self.nodes, time_ms, self.waits);
        let game = Patchwork::from_observation(&self.equipment, observation, self.seat)
            .expect("the arena sends sound states");
        let action = end::solve(game.table(), game.position(), &mut budget).unwrap_or_else(|| {
            let mut tree = Tree::new(game.table(), *game.position(), self.settings, self.seed);
            tree.grow(&mut budget);
            tree.best().expect("a seat that is asked has a move")
        });
        self.waits.learn(&budget);
        action
    }
}
