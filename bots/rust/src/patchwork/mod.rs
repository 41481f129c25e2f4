//! Search bots for Patchwork. The game has no hidden information after the deal, so the bots search the moves
//! of both players.
//!
//! - `candidates` selects the moves that the search considers.
//! - `rollout` plays a position to its end with a fast policy.
//! - `tree` grows a search tree from the results of rollouts.
//! - `end` solves short endgames exactly.
//! - `settings` holds the parameters.
//!
//! `planner` and `master` differ only in their budget.

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
use crate::strategy::{Numbers, Place, Strategy, of_search};
pub use rollout::play_out;
pub use settings::Settings;
use tree::Tree;

/// The node budget of `planner` for a move.
const PLANNER_NODES: u64 = 400;

/// A bot that searches.
#[derive(Debug)]
pub struct Searcher {
    equipment: Arc<Equipment>,
    seat: Seat,
    seed: u64,
    /// Nodes for a move. `None` searches by the clock.
    nodes: Option<u64>,
    waits: Waits,
    settings: Settings,
    numbers: Numbers,
}

impl Searcher {
    /// Creates the bot `planner`, with a small fixed budget.
    pub(crate) fn planner(place: Place<Patchwork>) -> Searcher {
        let nodes = place.nodes.unwrap_or(PLANNER_NODES);
        Searcher::new(Place { nodes: Some(nodes), ..place }, Settings::default())
    }

    /// Creates the bot `master`, which uses the whole budget of its place.
    pub(crate) fn master(place: Place<Patchwork>) -> Searcher {
        Searcher::new(place, Settings::default())
    }

    /// Creates a search bot with other settings, for comparisons.
    pub fn new(place: Place<Patchwork>, settings: Settings) -> Searcher {
        let Place { equipment, seat, seed, nodes, .. } = place;
        Searcher { equipment, seat, seed, nodes, waits: Waits::unknown(), settings, numbers: Numbers::new() }
    }
}

impl Strategy<Patchwork> for Searcher {
    fn choose(&mut self, observation: &Observation, time_ms: u64) -> Action {
        let mut budget = Budget::new(self.nodes, time_ms, self.waits);
        let game = Patchwork::from_observation(&self.equipment, observation, self.seat)
            .expect("the arena sends sound states");
        let (action, eval, depth) = end::solve(game.table(), game.position(), &mut budget).map_or_else(
            || {
                let mut tree = Tree::new(game.table(), *game.position(), self.settings, self.seed);
                tree.grow(&mut budget);
                tree.best(self.seat).expect("a seat that is asked has a move")
            },
            |(action, lead)| (action, f32::from(u8::from(lead > 0)), 0),
        );
        self.waits.learn(&budget);
        self.numbers = of_search(eval.into(), budget.nodes(), depth);
        action
    }

    fn numbers(&self) -> Numbers {
        self.numbers.clone()
    }
}
