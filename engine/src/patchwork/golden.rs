//! A recorded match in which every rule occurs. It must always play in the same way.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Deserialize;

use crate::game::{Game, Outcome, Seat};
use crate::patchwork::*;
use crate::wire::WireFormat;

const FILE: &str = include_str!("../../../tests/golden/patchwork-every-rule.json");

/// The events that must occur in the match. Two leather patches in one move are impossible on this
/// board. No leather patch lies behind the leading token, and no patch takes enough time to reach two
/// leather patches ahead of it.
const KINDS: [&str; 15] = [
    "a purchase",
    "a purchase that moves the neutral token past other patches",
    "a purchase that earns in the same move",
    "a purchase that would go beyond the last space",
    "an advance",
    "an advance from the opponent's space",
    "an advance that stops on the last space",
    "two income marks in one move",
    "leather by a purchase",
    "leather by an advance",
    "a leather patch placed",
    "moving again while behind",
    "moving again on the opponent's space",
    "the 7x7 tile",
    "equal scores",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    game: String,
    rules: Rules,
    deal: Deal,
    turns: Vec<Turn>,
    result: Outcome,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    id: u32,
    seat: Seat,
    #[serde(rename = "move")]
    wire_move: WireMove,
}

#[test]
fn the_recorded_game_plays_as_recorded_and_has_every_rule() {
    let recorded: Recorded = serde_json::from_str(FILE).unwrap();
    assert_eq!(recorded.game, Patchwork::NAME);
    let setup = PatchworkSetup { rules: recorded.rules, ..PatchworkSetup::default() };
    let equipment = Arc::new(Equipment::new(&setup).unwrap());
    let mut game = Patchwork::new(&equipment, &recorded.deal).unwrap();
    let mut kinds = BTreeSet::new();
    for Turn { id, seat, wire_move } in &recorded.turns {
        assert_eq!((game.decision(), game.to_move()), (*id, Some(*seat)));
        let before = game.observe(*seat);
        let action = Patchwork::read(&equipment, wire_move).unwrap();
        game.play(*seat, &action).unwrap_or_else(|why| panic!("decision {id}: {why}"));
        kinds.extend(kinds_of(&equipment, *seat, wire_move, &before, &game));
    }
    assert_eq!((game.to_move(), game.outcome()), (None, recorded.result));
    if game.outcome().scores[0] == game.outcome().scores[1] {
        kinds.insert("equal scores");
    }
    assert_eq!(kinds, BTreeSet::from(KINDS));
}

/// The events of a move, derived from the observations before and after it.
fn kinds_of(
    equipment: &Equipment,
    seat: Seat,
    wire_move: &WireMove,
    before: &Observation,
    game: &Patchwork,
) -> Vec<&'static str> {
    let after = game.observe(seat);
    let (track, other) = (equipment.track(), before.players[1 - seat].space);
    let (from, to) = (before.players[seat].space, after.players[seat].space);
    let marks = track.income_marks(from, to);
    let leather = before.leather.len() - after.leather.len();
    let again = game.to_move() == Some(seat) && after.phase == Phase::Turn;
    let mut found = vec![
        (marks >= 2, "two income marks in one move"),
        (again && to < other, "moving again while behind"),
        (again && to == other && from < to, "moving again on the opponent's space"),
        (before.bonus.is_none() && after.bonus == Some(seat), "the 7x7 tile"),
    ];
    match wire_move {
        WireMove::Advance => found.extend([
            (true, "an advance"),
            (from == other, "an advance from the opponent's space"),
            (other == track.last(), "an advance that stops on the last space"),
            (leather > 0, "leather by an advance"),
        ]),
        WireMove::Buy(patch, _) => {
            let priced = equipment.patch(equipment.find(patch).unwrap());
            found.extend([
                (true, "a purchase"),
                (
                    before.circle[0] != priced.name,
                    "a purchase that moves the neutral token past other patches",
                ),
                (marks > 0 && priced.income > 0, "a purchase that earns in the same move"),
                (from + priced.time > track.last(), "a purchase that would go beyond the last space"),
                (leather > 0, "leather by a purchase"),
            ]);
        }
        WireMove::Leather(_) => found.push((true, "a leather patch placed")),
    }
    found.into_iter().filter(|(occurs, _)| *occurs).map(|(_, kind)| kind).collect()
}
