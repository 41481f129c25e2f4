//! Tests of `greedy` in selected turns and over whole matches.

use std::sync::Arc;

use engine::bitboard::{Bitboard, Cell};
use engine::doodle::{
    Action, Doodle, Equipment, Observation, Phase, PlayerView, SeatTurn, Special, Specials,
};
use engine::game::Game;
use engine::wire::name::CardName;

use super::{GreedyDoodle, Learned, Place, Strategy, Turn};
use crate::doodle::evaluator::Evaluator;

/// An observation of one player in the given turn.
fn turn(round: u8, turn: u8, cards: &[&str], actions: Specials, board: &str) -> Observation {
    let names: Vec<CardName> = cards.iter().map(|card| card.parse().expect("a card id")).collect();
    let phase = if (round, turn) == (3, 6) { Phase::Final } else { Phase::Draw };
    let offer = if phase == Phase::Final { names.clone() } else { names[..1].to_vec() };
    let rounds = vec![9; usize::from(round) - 1];
    let player = PlayerView { board: board.parse().expect("a board"), rounds, actions };
    Observation { phase, round, turn, circle: names, offer, unseen: Vec::new(), players: vec![player] }
}

fn answer(observation: &Observation) -> Action {
    let equipment = Arc::new(Equipment::standard());
    GreedyDoodle::new(Place { equipment, seat: 0, seats: 1, seed: 0, nodes: None }, crate::LOOKS)
        .choose(observation, 0)
}

fn specials(list: &[Special]) -> Specials {
    Specials::from(list.to_vec())
}

/// A full sheet except for the centre cell and a corner.
const TWO_HOLES: &str = "
    ########.
    #########
    #########
    #########
    ####.####
    #########
    #########
    #########
    #########";

/// A sheet with only a start patch.
const BEGUN: &str = "
    ..#......
    .##......
    .#.......
    ###......
    .........
    .........
    .........
    .........
    .........";

#[test]
fn a_single_finishes_a_rectangle_in_the_last_turn() {
    let action = answer(&turn(3, 6, &["P30", "P26", "P27"], specials(&[Special::Single]), TWO_HOLES));
    assert_eq!(action, Action { draw: None, singles: Bitboard::from_iter(Cell::new(4, 4)) });
}

#[test]
fn everything_left_is_used_in_the_last_turn() {
    let action = answer(&turn(3, 6, &["P30", "P26", "P27"], Specials::ALL, TWO_HOLES));
    let drawn = action.draw.map_or(Bitboard::EMPTY, |draw| draw.cells);
    assert_eq!((drawn | action.singles).len(), 2);
}

#[test]
fn a_patch_is_cut_to_fit_before_a_scoring() {
    let board = TWO_HOLES.replacen("########.", "#########", 1);
    let action = answer(&turn(2, 6, &["P30", "P26", "P27"], specials(&[Special::Cut]), &board));
    assert_eq!(action.draw.map(|draw| draw.cells), Some(Bitboard::from_iter(Cell::new(4, 4))));
}

#[test]
fn a_neighbor_is_drawn_where_only_it_fills_the_sheet() {
    let board = TWO_HOLES.replacen("####.####", "###..####", 1);
    let neighbor = specials(&[Special::Neighbor]);
    let action = answer(&turn(3, 5, &["P30", "P02", "P27", "P26"], neighbor, &board));
    assert_eq!(action.draw.map(|draw| draw.card), Equipment::standard().find("P02"));
}

#[test]
fn nothing_is_spent_in_the_first_turn_for_no_gain() {
    let action = answer(&turn(1, 1, &["P09", "P10"], Specials::ALL, BEGUN));
    assert_eq!(action.draw.map(|draw| draw.card), Equipment::standard().find("P09"));
    assert_eq!(action.draw.map(|draw| draw.cells.len()), Some(4));
    assert!(action.singles.is_empty());
}

#[test]
fn better_looking_sheets_are_worth_more() {
    let evaluator = Evaluator::new(Learned::bundled(), 4);
    let block = Bitboard::rectangle(3, 4);
    let riddled: Bitboard = "
        #.#.#....
        .#.#.#...
        #.#.#....
        .#.#.....
        #.#......
        .........
        .........
        .........
        ........."
        .parse()
        .expect("a board");
    assert_eq!(riddled.len(), block.len() + 1);
    assert!(evaluator.value(block, Specials::ALL) > evaluator.value(riddled, Specials::ALL) + 5.0);
    assert!(
        evaluator.value(block, Specials::ALL) > evaluator.value(block, specials(&[Special::Single])) + 1.0
    );
}

#[test]
fn known_cards_that_fit_nowhere_cost() {
    let equipment = Equipment::standard();
    let observation = turn(3, 4, &["P30", "P02", "P27", "P26", "P01"], Specials::NONE, TWO_HOLES);
    let position = SeatTurn::from_observation(&equipment, &observation, 0).expect("a sound turn");
    let looking = Turn::new(&equipment, &position, Learned::bundled());
    let stuck = looking.stuck_cost(position.sheet.board);
    assert!(looking.stuck_cost(Bitboard::EMPTY) == 0.0);
    assert!(looking.stuck_cost(Bitboard::rectangle(9, 8)) < stuck);
}

#[test]
fn all_it_plays_is_legal_and_repeatable() {
    let equipment = Arc::new(Equipment::standard());
    let mut total = 0;
    for seed in 0..200 {
        let deal = Doodle::deal(&equipment, 1, seed).expect("a deal");
        let mut game = Doodle::new(&equipment, &deal).expect("a match");
        let place = || Place { equipment: Arc::clone(&equipment), seat: 0, seats: 1, seed, nodes: None };
        let (mut bot, mut again) =
            (GreedyDoodle::new(place(), crate::LOOKS), GreedyDoodle::new(place(), crate::LOOKS));
        while game.owes(0) {
            let observation = game.observe(0);
            let action = bot.choose(&observation, 0);
            if seed % 10 == 0 {
                assert_eq!(again.choose(&observation, 1000), action, "seed {seed}");
            }
            game.play(0, &action).expect("a legal action");
        }
        total += game.outcome().scores[0];
    }
    assert!(total > 200 * 100, "the mean fell to {}", f64::from(total) / 200.0);
}
