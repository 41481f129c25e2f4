//! Counts of move sequences, which compare two rule engines.

use crate::game::{Game, first_pending};

/// Counts the sequences of `depth` actions from this position. If several seats owe an action, the
/// first of them acts. A game that ends earlier counts as one sequence.
///
/// # Examples
/// ```
/// # use engine::{game::Game, patchwork::{Equipment, Patchwork}};
/// # let equipment = std::sync::Arc::new(Equipment::standard());
/// # let game = Patchwork::new(&equipment, &Patchwork::deal(&equipment, 2, 1).unwrap()).unwrap();
/// use engine::perft::perft;
///
/// assert_eq!(perft(&game, 0), 1);
/// assert_eq!(perft(&game, 1), game.legal_count(0));
/// assert_eq!(perft(&game, 2), 25_285);
/// ```
pub fn perft<G: Game>(game: &G, depth: u32) -> u64 {
    let seat = first_pending(game);
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
