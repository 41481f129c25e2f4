//! Tests of `greedy` in selected turns and over whole matches.

use std::sync::Arc;

use engine::bitboard::{Bitboard, Cell};
use engine::game::{Game, Setup};
use engine::name::CardName;
use engine::patchwork::{
    Action, Equipment, Leather, Observation, Patchwork, PatchworkSetup, Phase, PlayerView, Rules,
};

use super::evaluator::Evaluator;
use super::{GreedyPatchwork, Place, Strategy};
use crate::random::RandomPatchwork;

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
    GreedyPatchwork::new(place).choose(observation, 0)
}

/// Returns the full evaluation of a turn before its move.
fn worth(observation: &Observation) -> f32 {
    let equipment = Arc::new(Equipment::standard());
    let game = Patchwork::from_observation(&equipment, observation, 0).expect("a sound turn");
    let evaluator = Evaluator::new(game.table(), 0);
    evaluator.value(game.position()) + evaluator.value_of_circle(game.position(), super::PATCHES)
}

/// A 7x7 square that lacks a row of three cells.
pub(crate) const ALMOST: &str = "
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
    for space in [20, 36, 48] {
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
    assert!(worth(&plain) > worth(&turn(&circle, HOLE, 21)) + 1.0);
    let mut richer = plain.clone();
    richer.players[0].buttons += 3;
    assert!(worth(&richer) > worth(&plain) + 3.0);
    let mut earning = plain.clone();
    earning.players[0].income += 1;
    assert!(worth(&earning) > worth(&plain) + 4.0);
    let mut winner = plain.clone();
    winner.bonus = Some(0);
    let loser = Observation { bonus: Some(1), ..plain.clone() };
    assert!(worth(&winner) > worth(&plain) && worth(&plain) > worth(&loser));
}

/// Plays against random on both boards. The engine checks every action.
#[test]
fn all_it_plays_is_legal_and_repeatable() {
    let (mut total, mut wins) = (0, 0);
    for leather in [Leather::Original, Leather::Revised] {
        let setup = PatchworkSetup { rules: Rules { leather }, ..PatchworkSetup::default() };
        let equipment = Arc::new(Equipment::new(&setup).expect("the standard patches"));
        for seed in 0..100 {
            let deal = Patchwork::deal(&equipment, 2, seed).expect("a deal");
            let mut game = Patchwork::new(&equipment, &deal).expect("a match");
            let own = (seed % 2) as usize;
            let place = |seat| Place { equipment: Arc::clone(&equipment), seat, seats: 2, seed, nodes: None };
            let (mut bot, mut again) = (GreedyPatchwork::new(place(own)), GreedyPatchwork::new(place(own)));
            let mut random = RandomPatchwork::new(place(1 - own));
            while let Some(seat) = game.to_move() {
                let seen = game.observe(seat);
                let action = if seat == own { bot.choose(&seen, 0) } else { random.choose(&seen, 0) };
                if seat == own && seed % 10 == 0 {
                    assert_eq!(again.choose(&seen, 1000), action, "seed {seed}");
                }
                game.play(seat, &action).expect("a legal action");
            }
            let outcome = game.outcome();
            total += outcome.scores[own];
            wins += u32::from(outcome.ranks[own] == 1);
        }
    }
    assert!(wins >= 194, "only {wins} of 200 games were won");
    assert!(total > 200 * 20, "the mean fell to {}", f64::from(total) / 200.0);
}
