//! Recognizes common mistakes with coordinates in illegal moves.

use engine::game::Seat;
use engine::wire::WireFormat;
use serde_json::Value;

/// A function from one cell to another, both as row and column.
type Change = fn([i64; 2]) -> [i64; 2];

/// Corrections of common mistakes, each with an explanation for the bot's author.
const CHANGES: [(Change, &str); 3] = [
    (
        |[row, column]| [column, row],
        "with rows and columns swapped it would be legal: a cell is [row, column]",
    ),
    (
        |[row, column]| [row - 1, column - 1],
        "counted from 0 instead of 1 it would be legal: the first cell is [0, 0]",
    ),
    (
        |[row, column]| [row + 1, column + 1],
        "one row down and one column to the right it would be legal: the first cell is [0, 0]",
    ),
];

/// Returns an explanation if a common mistake turned a legal move into this illegal one.
pub(super) fn did_you_mean<G: WireFormat>(
    game: &G,
    equipment: &G::Equipment,
    seat: Seat,
    action: &G::Action,
) -> Option<&'static str> {
    let wire_move = serde_json::to_value(G::write(equipment, action)).ok()?;
    let is_legal = |change: &Change| {
        let mut wire_move = wire_move.clone();
        change_cells(&mut wire_move, *change);
        let wire_move: Option<G::WireMove> = serde_json::from_value(wire_move).ok();
        let action = wire_move.and_then(|wire_move| G::read(equipment, &wire_move).ok());
        action.is_some_and(|action| game.clone().play(seat, &action).is_ok())
    };
    CHANGES.iter().find(|(change, _)| is_legal(change)).map(|(_, words)| *words)
}

/// Applies a change to every pair of numbers in a JSON value.
fn change_cells(value: &mut Value, change: Change) {
    match value {
        Value::Array(entries) => {
            match entries.iter().map(Value::as_i64).collect::<Option<Vec<i64>>>().as_deref() {
                Some(&[row, column]) => *value = change([row, column]).to_vec().into(),
                _ => entries.iter_mut().for_each(|entry| change_cells(entry, change)),
            }
        }
        Value::Object(fields) => fields.values_mut().for_each(|field| change_cells(field, change)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::doodle::Doodle;
    use engine::game::first_pending;
    use engine::patchwork::Patchwork;
    use std::sync::Arc;

    /// Writes legal moves of the first decisions with each mistake. Every move that becomes illegal is
    /// explained.
    fn explains_mistakes<G: WireFormat>() {
        let equipment = Arc::new(G::equip(&G::Setup::default()).expect("the standard components"));
        let mut explained = [0; 2];
        let mistakes: [(Change, &str); 2] =
            [(|[row, column]| [column, row], "swapped"), (|[row, column]| [row + 1, column + 1], "from 0")];
        for seed in 0..3 {
            let deal = G::deal(&equipment, 2, seed).expect("two can play");
            let mut game = G::new(&equipment, &deal).expect("a deal");
            for _ in 0..6 {
                let Some(seat) = first_pending(&game) else { break };
                let legal: Vec<G::Action> = game.legal_actions(seat).take(60).collect();
                for action in &legal {
                    for (number, (mistake, words)) in mistakes.iter().enumerate() {
                        let mut wire_move = serde_json::to_value(G::write(&equipment, action)).expect("JSON");
                        change_cells(&mut wire_move, *mistake);
                        let Ok(wire_move) = serde_json::from_value(wire_move) else { continue };
                        let Ok(wrong) = G::read(&equipment, &wire_move) else { continue };
                        if game.clone().play(seat, &wrong).is_err() {
                            let explanation =
                                did_you_mean(&game, &equipment, seat, &wrong).expect("it is explained");
                            explained[number] += usize::from(explanation.contains(words));
                        }
                    }
                }
                let next = legal.into_iter().next_back().expect("there is a move");
                game.play(seat, &next).expect("it is legal");
            }
        }
        assert!(explained.iter().all(|&times| times > 0), "{explained:?}");
    }

    #[test]
    fn swapped_and_shifted_cells_are_explained() {
        explains_mistakes::<Doodle>();
        explains_mistakes::<Patchwork>();
    }
}
