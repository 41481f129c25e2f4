//! Plays a random match of Patchwork Doodle and prints its scores.

use std::sync::Arc;

use engine::dealer::Dealer;
use engine::doodle::{Doodle, Equipment};
use engine::game::{Game, first_pending};

/// Legal moves among which a seat chooses: there can be millions.
const MOVES_MAX: u64 = 1_000;

fn main() {
    let (seats, seed) = (2, 7);
    let equipment = Arc::new(Equipment::standard());
    let deal = Doodle::deal(&equipment, seats, seed).expect("two seats can play");
    let mut game = Doodle::new(&equipment, &deal).expect("a fresh deal can be played");
    let mut chance = Dealer::new(seed, 0);
    while let Some(seat) = first_pending(&game) {
        let count = game.legal_count(seat).min(MOVES_MAX) as u32;
        let action = game.legal_actions(seat).nth(chance.below(count) as usize).expect("below the count");
        game.play(seat, &action).expect("a legal move");
    }
    println!("scores: {:?}", game.outcome().scores);
}
