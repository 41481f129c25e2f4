//! What a strategy is given and asked.

use std::sync::Arc;

use engine::game::{Game, Seat};

/// A strategy in one match.
pub trait Strategy<G: Game> {
    /// The action for what is observed, which it has `time_ms` milliseconds to find.
    fn choose(&mut self, observation: &G::Observation, time_ms: u64) -> G::Action;
}

/// A bot's place in a match.
#[derive(Debug)]
pub struct Place<G: Game> {
    /// Rules and components.
    pub equipment: Arc<G::Equipment>,
    /// The bot's seat.
    pub seat: Seat,
    /// Number of seats at the table.
    pub seats: usize,
    /// The bot's own seed: all its chance comes from it, so that a match can be repeated.
    pub seed: u64,
    /// How much work it may do for a move, counted in nodes, which is the same on any machine. By the
    /// clock where there is no such number. Bots that do not search ignore it.
    pub nodes: Option<u64>,
}
