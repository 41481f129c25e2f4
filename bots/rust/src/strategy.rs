//! The interface of strategies.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::game::{Game, Seat};
use serde_json::Number;

/// Numbers about a choice, by their names.
pub type Numbers = BTreeMap<String, Number>;

/// Returns what a search found: the value of the choice, the nodes that it took, and the depth that it reached in turns.
/// Returns nothing if there was no search.
pub(crate) fn of_search(eval: f64, nodes: u64, depth: u64) -> Numbers {
    let eval = Number::from_f64((eval * 1_000.0).round() / 1_000.0);
    let numbers = [("eval", eval), ("nodes", Some(nodes.into())), ("depth", Some(depth.into()))];
    numbers
        .into_iter()
        .filter(|_| nodes > 0)
        .filter_map(|(name, number)| Some((name.to_owned(), number?)))
        .collect()
}

/// A strategy in one match. Threads may share it.
pub trait Strategy<G: Game>: Send + Sync {
    /// Returns the action for an observation. The strategy has `time_ms` milliseconds to find it.
    fn choose(&mut self, observation: &G::Observation, time_ms: u64) -> G::Action;

    /// Returns about how many decisions are left in the match, with this one. At least 1.
    fn decisions_left(&self, _observation: &G::Observation) -> u64 {
        1
    }

    /// Returns numbers about the last choice by their names, such as the size of the search.
    fn numbers(&self) -> Numbers {
        Numbers::new()
    }
}

/// A bot's place in a match.
#[derive(Debug)]
pub struct Place<G: Game> {
    /// Rules and components.
    pub equipment: Arc<G::Equipment>,
    /// The bot's seat.
    pub seat: Seat,
    /// The number of seats in the match.
    pub seats: usize,
    /// The bot's own seed. All its random numbers come from it, so that a match can be repeated.
    pub seed: u64,
    /// The search budget for a move, in nodes, which is the same on every machine. `None` searches by the
    /// clock. Bots that do not search ignore it.
    pub nodes: Option<u64>,
}

// Not derived, since a game itself need not be cloned.
impl<G: Game> Clone for Place<G> {
    fn clone(&self) -> Place<G> {
        Place { equipment: Arc::clone(&self.equipment), ..*self }
    }
}
