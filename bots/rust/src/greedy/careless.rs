//! Bots that are weaker on purpose: they play some of their moves at random.

use engine::game::Game;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{Bundled, GREEDY, Maker, Place, RANDOM, Strategy};

/// Plays like `greedy`, except for a share of moves that it plays like `random`.
pub struct Careless<G: Game> {
    greedy: Box<dyn Strategy<G>>,
    random: Box<dyn Strategy<G>>,
    lots: ChaCha8Rng,
    share: f64,
}

impl<G: Game> Careless<G> {
    /// Creates a bot that plays this share of its moves at random, from 0 to 1. `maker` selects the game.
    pub fn new(place: Place<G>, share: f64, maker: fn(&Bundled) -> Maker<G>) -> Careless<G> {
        let lots = ChaCha8Rng::seed_from_u64(place.seed);
        Careless { random: maker(&RANDOM)(place.clone()), greedy: maker(&GREEDY)(place), lots, share }
    }
}

impl<G: Game> Strategy<G> for Careless<G> {
    fn choose(&mut self, observation: &G::Observation, time_ms: u64) -> G::Action {
        let is_careless = self.lots.random_bool(self.share);
        let strategy = if is_careless { &mut self.random } else { &mut self.greedy };
        strategy.choose(observation, time_ms)
    }
}
