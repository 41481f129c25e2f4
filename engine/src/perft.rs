//! Counting the ways a game can go on: the number by which two rule engines are compared.

use crate::game::Game;

/// The number of sequences of `depth` actions from here, where of several seats that owe an action
/// the first acts. A game that ends earlier counts as one sequence.
pub fn perft<G: Game>(game: &G, depth: u32) -> u64 {
    let seat = game.first_pending();
    match (depth, seat) {
        (0, _) | (_, None) => 1,
        (1, Some(seat)) => game.legal_count(seat),
        (_, Some(seat)) => game
            .legal_actions(seat)
            .map(|action| {
                let mut next = game.clone();
                next.play(seat, &action).expect("a listed action is legal");
                perft(&next, depth - 1)
            })
            .sum(),
    }
}
