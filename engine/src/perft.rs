//! Counts of move sequences, which compare two rule engines.

use crate::game::Game;

/// Counts the sequences of `depth` actions from this position. If several seats owe an action, the
/// first of them acts. A game that ends earlier counts as one sequence.
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
