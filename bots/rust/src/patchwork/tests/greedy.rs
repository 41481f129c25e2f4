//! Tests of `greedy`, and so of the value, in selected turns and over whole matches.

use std::sync::Arc;

use engine::bitboard::{Bitboard, Cell};
use engine::game::Setup;
use engine::patchwork::{Action, Equipment, Observation, Patchwork, PatchworkSetup, Phase, PlayerView};
use engine::wire::name::CardName;

use super::super::{Judge, Memory, Net, Place, Searcher, Strategy};

/// A turn of the first seat in mid-match, with the given patches next.
fn turn(circle: &[&str], board: &str, space: u8) -> Observation {
    let circle: Vec<CardName> = circle.iter().map(|patch| patch.parse().expect("a patch")).collect();
    let own = PlayerView { board: board.parse().expect("a board"), buttons: 12, income: 4, space };
    let other = PlayerView { board: Bitboard::rectangle(5, 5), space: space + 2, ..own.clone() };
    let leather = [20, 26, 32, 44, 50].into_iter().filter(|&at| at > space + 2).collect();
    let players = [own, other];
    Observation { phase: Phase::Turn, circle, leather, leather_due: 0, bonus: None, players }
}

fn answer(observation: &Observation) -> Action {
    answer_with(&Arc::new(Equipment::standard()), observation)
}

fn answer_with(equipment: &Arc<Equipment>, observation: &Observation) -> Action {
    let place = Place { equipment: Arc::clone(equipment), seat: 0, seats: 2, seed: 0, nodes: None };
    Searcher::greedy(place, crate::LOOKS).choose(observation, 0)
}

/// Returns the odds of the first seat before its move.
fn worth(observation: &Observation) -> f32 {
    let equipment = Arc::new(Equipment::standard());
    let game = Patchwork::from_observation(&equipment, observation, 0).expect("a sound turn");
    Judge::new(game.table(), Net::bundled(), &mut Memory::new(game.table())).odds(game.state(), 0)
}

/// A 7x7 square that lacks a row of three cells.
pub(super) const ALMOST: &str = "
    #######..
    #######..
    #######..
    #######..
    #######..
    #######..
    ####.....
    .........
    .........";

/// A covered block with one hole.
const HOLE: &str = "
    ######...
    ######...
    ##.###...
    ######...
    ######...
    .........
    .........
    .........
    .........";

/// As many covered cells as `HOLE`, without a hole.
const BLOCK: &str = "
    ######...
    ######...
    ######...
    ######...
    #####....
    .........
    .........
    .........
    .........";

#[test]
fn the_7x7_tile_is_taken_when_one_placement_completes_it() {
    for space in [36, 44, 48] {
        let row: Bitboard = [4, 5, 6].into_iter().filter_map(|col| Cell::new(6, col)).collect();
        let mut seen = turn(&["W03", "W12", "W32", "W02"], ALMOST, space);
        // The opponent lacks the same three cells, so the bot cannot afford to wait.
        seen.players[1].board = seen.players[0].board;
        match answer(&seen) {
            Action::Buy { cells, .. } => assert!(cells.contains_all(row), "space {space}: {cells:?}"),
            action => panic!("space {space}: {action:?}"),
        }
    }
}

/// The standard patches, except that W09 costs the same as W08. Both have the same shape, and W09 earns more.
fn with_a_bargain() -> Arc<Equipment> {
    let mut setup = PatchworkSetup::default().in_full();
    for patch in setup.patches.iter_mut().flatten().filter(|patch| patch.id == "W09") {
        (patch.buttons, patch.time, patch.income) = (4, 2, 2);
    }
    Arc::new(Equipment::new(&setup).expect("sound patches"))
}

#[test]
fn of_patches_of_one_shape_the_better_is_bought() {
    let equipment = with_a_bargain();
    for (circle, space) in [(["W08", "W09"], 2), (["W09", "W08"], 25), (["W08", "W09"], 45)] {
        match answer_with(&equipment, &turn(&circle, BLOCK, space)) {
            Action::Buy { patch, .. } => assert_eq!(Some(patch), equipment.find("W09"), "space {space}"),
            action => panic!("space {space}: {action:?}"),
        }
    }
}

#[test]
fn leather_fills_a_hole_rather_than_open_space() {
    let mut seen = turn(&["W03", "W12", "W32", "W02"], HOLE, 27);
    (seen.phase, seen.leather_due) = (Phase::Leather, 1);
    let hole = Cell::new(2, 2).map(Action::Leather);
    assert_eq!(Some(answer(&seen)), hole);
}

#[test]
fn better_looking_positions_are_worth_more() {
    let circle = ["W03", "W12", "W32", "W02", "W11", "W20", "W30", "W15"];
    let plain = turn(&circle, BLOCK, 21);
    assert!(worth(&plain) > 1.1 * worth(&turn(&circle, HOLE, 21)));
    let mut richer = plain.clone();
    richer.players[0].buttons += 3;
    assert!(worth(&richer) > 1.2 * worth(&plain));
    let mut earning = plain.clone();
    earning.players[0].income += 1;
    assert!(worth(&earning) > 1.2 * worth(&plain));
    let mut winner = plain.clone();
    winner.bonus = Some(0);
    let loser = Observation { bonus: Some(1), ..plain.clone() };
    assert!(worth(&winner) > worth(&plain) && worth(&plain) > worth(&loser));
}
