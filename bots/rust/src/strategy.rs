//! The interface of strategies.

use std::sync::Arc;

use engine::game::{Game, Seat};

/// A strategy in one match.
pub trait Strategy<G: Game> {
    /// Returns the action for an observation. The strategy has `time_ms` milliseconds to find it.
    fn choose(&mut self, observation: &G::Observation, time_ms: u64) -> G::Action;
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
