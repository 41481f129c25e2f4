//! Tests that the search bots play legally, repeatably, and within their budget.

use std::sync::Arc;

use engine::bitboard::Bitboard;
use engine::dealer::Dealer;
use engine::doodle::{Action, Doodle, Drawing, Equipment, Observation, SeatTurn, State};
use engine::game::Game;

use super::evaluator::Evaluator;
use super::learned::MATCH_TURNS;
use super::policy::Policy;
use super::steps::{Breadth, Lister};
use super::{Learned, Searcher, ahead, foreseen, future};
use crate::strategy::{Place, Strategy};

/// Deals a match for one seat.
fn new_match(equipment: &Arc<Equipment>, seed: u64) -> Doodle {
    let deal = Doodle::deal(equipment, 1, seed).expect("a deal");
    Doodle::new(equipment, &deal).expect("a match")
}

/// Plays a deal to its end and returns the score.
fn score(seed: u64, mut choose: impl FnMut(&Observation) -> Action) -> i32 {
    let equipment = Arc::new(Equipment::standard());
    let mut game = new_match(&equipment, seed);
    while game.owes(0) {
        let action = choose(&game.observe(0));
        game.play(0, &action).expect("a legal action");
    }
    game.outcome().scores[0]
}

fn place(seed: u64, nodes: Option<u64>) -> Place<Doodle> {
    Place { equipment: Arc::new(Equipment::standard()), seat: 0, seats: 1, seed, nodes }
}

#[test]
fn the_same_seed_plays_the_same_whatever_the_time() {
    for seed in 0..4 {
        let mut bot = Searcher::master(place(seed, Some(150)));
        let mut again = Searcher::master(place(seed, Some(150)));
        score(seed, |observation| {
            let action = bot.choose(observation, 1);
            assert_eq!(again.choose(observation, 100_000), action, "seed {seed}");
            action
        });
    }
}

#[test]
fn without_nodes_or_time_the_best_looking_move_is_played() {
    for nodes in [Some(0), None] {
        let mut bot = Searcher::master(place(1, nodes));
        assert!(score(1, |observation| bot.choose(observation, 0)) > 60);
    }
}

#[test]
fn the_planner_plays_well_on_average() {
    let deals = 8;
    let total: i32 = (0..deals)
        .map(|seed| {
            let nodes = crate::PLANNER[0];
            let mut bot = Searcher::small(place(seed, Some(nodes)), nodes);
            score(seed, |observation| bot.choose(observation, 0))
        })
        .sum();
    assert!(total > deals as i32 * 143, "the mean fell to {}", f64::from(total) / deals as f64);
}

/// In the last turn no special action needs to be saved, so the policy also draws cut pieces.
#[test]
fn no_drawing_of_the_last_turn_is_better_than_what_is_played() {
    let equipment = Arc::new(Equipment::standard());
    for seed in 0..40 {
        let mut game = new_match(&equipment, seed);
        let mut bot = Searcher::master(place(seed, Some(0)));
        while game.decision() < MATCH_TURNS.into() {
            let action = bot.choose(&game.observe(0), 0);
            game.play(0, &action).expect("a legal action");
        }
        let timeline = game.table(0).timeline;
        let position = SeatTurn::from_observation(&equipment, &game.observe(0), 0).expect("a sound turn");
        let state = State { sheet: position.sheet, turn: MATCH_TURNS };
        let score = |drawing: Drawing| {
            let action = Action { draw: Some(drawing.draw), singles: Bitboard::EMPTY };
            let mut state = state;
            state.apply(timeline, &action, drawing.uses(0));
            state.sheet.score()
        };
        let best = position.moves(&equipment).drawings().map(score).max();
        let played = Policy::new(&equipment, 1, Breadth::Quick).play_on(timeline, state, MATCH_TURNS);
        assert!(best.is_none_or(|best| played >= best as f32), "seed {seed}: {played} instead of {best:?}");
    }
}

#[test]
fn what_looks_best_at_a_glance_is_nearly_the_best() {
    let equipment = Arc::new(Equipment::standard());
    let mut lister = Lister::new(&equipment);
    let (mut missed, mut turns) = (0.0, 0.0);
    for seed in 0..20 {
        let game = new_match(&equipment, seed);
        let table = game.table(0);
        let mut state = State::NEW;
        while let Some(turn) = ahead::Turn::on_table(table, &state, Learned::bundled()) {
            let evaluator = Evaluator::new(Learned::bundled(), state.turn);
            if !evaluator.is_scoring() {
                let moves = state.moves(table).expect("a turn");
                let places = moves.drawings().filter(|drawing| !drawing.neighbor && drawing.cuts == 0);
                let board = |drawing: Drawing| state.sheet.board | drawing.draw.cells;
                let value = |drawing| evaluator.value(board(drawing), state.sheet.specials);
                let best = places.map(value).reduce(f32::max).unwrap_or(f32::MIN);
                let found = lister.best(table.timeline, &state, 1, Breadth::Quick)[0].value;
                missed += (best - found).max(0.0);
                turns += 1.0;
            }
            let choice = turn.choices(1)[0];
            state.apply(table.timeline, &choice.action, choice.uses);
        }
    }
    assert!(missed / turns < 0.1, "{} points a turn are missed", missed / turns);
}

#[test]
fn who_knows_what_comes_scores_more() {
    let equipment = Arc::new(Equipment::standard());
    let total = |ways: usize| -> i32 { (0..10).map(|seed| foreseen(&equipment, seed, ways)).sum() };
    let not_knowing: i32 = (0..10)
        .map(|seed| {
            let mut bot = Searcher::master(place(seed, Some(0)));
            score(seed, |observation| bot.choose(observation, 0))
        })
        .sum();
    let [few, many] = [4, 32].map(total);
    assert!(many > few + 10 && many > not_knowing + 10, "{few}, {many} and {not_knowing} in ten deals");
}

#[test]
fn futures_have_the_circles_of_a_match() {
    let equipment = Arc::new(Equipment::standard());
    for seed in 0..20 {
        let mut game = new_match(&equipment, seed);
        let mut chance = Dealer::new(seed, 7);
        while game.owes(0) {
            let now = game.decision() as usize;
            let position = SeatTurn::from_observation(&equipment, &game.observe(0), 0).expect("a sound turn");
            let table = game.table(0);
            let future = future::deal(&position, seed as usize, &mut chance);
            assert_eq!(future.turns.len(), table.timeline.turns.len());
            for (number, (turn, real)) in future.turns.iter().zip(&table.timeline.turns).enumerate() {
                assert_eq!((turn.phase, turn.round, turn.turn), (real.phase, real.round, real.turn));
                if number >= now {
                    assert_eq!(turn.circle.len(), real.circle.len(), "turn {number} seen from {now}");
                }
            }
            assert_eq!(future.turns[now].circle, table.timeline.turns[now].circle);
            let action = game.legal_actions(0).next().expect("a legal action");
            game.play(0, &action).expect("a legal action");
        }
    }
}

#[test]
fn first_rolls_go_through_all_faces() {
    let equipment = Arc::new(Equipment::standard());
    let game = new_match(&equipment, 3);
    let position = SeatTurn::from_observation(&equipment, &game.observe(0), 0).expect("a sound turn");
    let mut chance = Dealer::new(3, 7);
    let mut next: Vec<_> =
        (0..3).map(|number| future::deal(&position, number, &mut chance).turns[1].circle[0]).collect();
    next.sort();
    next.dedup();
    assert_eq!(next.len(), 3);
}
