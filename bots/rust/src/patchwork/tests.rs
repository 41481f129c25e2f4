//! Tests that search moves are legal, repeatable, and within the budget, and that endgames are exact.

mod greedy;

use std::sync::Arc;

use engine::bitboard::Bitboard;
use engine::game::{Game, Setup};
use engine::patchwork::{
    Action, Equipment, Leather, Moves, Observation, Patchwork, PatchworkSetup, Phase, PlayerView, Rules,
    State, Table,
};

use super::settings::Settings;
use super::tree::Tree;
use super::{Budget, Judge, Memory, Net, Place, Searcher, Strategy};
use crate::random::RandomPatchwork;
use greedy::ALMOST;

fn place(equipment: &Arc<Equipment>, seat: usize, nodes: Option<u64>) -> Place<Patchwork> {
    Place { equipment: Arc::clone(equipment), seat, seats: 2, seed: 7, nodes }
}

/// Plays against random on both boards. The engine checks every action.
#[test]
fn all_they_play_is_legal_and_repeatable_and_wins() {
    type New = fn(Place<Patchwork>) -> Searcher;
    for (new, nodes, games, least) in [
        ((|place| Searcher::greedy(place, crate::LOOKS)) as New, None, 100, 97),
        (Searcher::master, Some(60), 1, 1),
    ] {
        for leather in [Leather::Original, Leather::Revised] {
            let setup = PatchworkSetup { rules: Rules { leather }, ..PatchworkSetup::default() };
            let equipment = Arc::new(Equipment::new(&setup).expect("the standard patches"));
            let mut won = 0;
            for seed in 0..games {
                let deal = Patchwork::deal(&equipment, 2, seed).expect("a deal");
                let mut game = Patchwork::new(&equipment, &deal).expect("a match");
                let own = (seed % 2) as usize;
                let [mut bot, mut again] = [0; 2].map(|_| new(place(&equipment, own, nodes)));
                let mut random = RandomPatchwork::new(Place { seed, ..place(&equipment, 1 - own, None) });
                while let Some(seat) = game.to_move() {
                    let seen = game.observe(seat);
                    let action = if seat == own { bot.choose(&seen, 0) } else { random.choose(&seen, 0) };
                    if seat == own && seed % 10 == 0 {
                        assert_eq!(again.choose(&seen, 1000), action, "the clock has no say");
                    }
                    game.play(seat, &action).expect("a legal action");
                }
                won += u64::from(game.outcome().ranks[own] == 1);
            }
            assert!(won >= least, "only {won} of {games} games were won");
        }
    }
}

#[test]
fn a_budget_of_nodes_is_used_and_kept() {
    let equipment = Arc::new(Equipment::standard());
    let deal = Patchwork::deal(&equipment, 2, 1).expect("a deal");
    let game = Patchwork::new(&equipment, &deal).expect("a match");
    for nodes in [0, 1, 75, 1_000] {
        let mut memory = Memory::new(game.table());
        let mut judge = Judge::new(game.table(), Net::bundled(), &mut memory);
        let mut tree = Tree::new(&mut judge, *game.state(), Settings::default());
        tree.grow(&mut Budget::of(nodes));
        assert!(tree.best().is_some());
        assert!((nodes..=nodes + 80).contains(&judge.evaluations), "{nodes}: {}", judge.evaluations);
    }
}

#[test]
fn without_time_there_is_an_answer_still() {
    let equipment = Arc::new(Equipment::standard());
    let deal = Patchwork::deal(&equipment, 2, 2).expect("a deal");
    let game = Patchwork::new(&equipment, &deal).expect("a match");
    let action = Searcher::master(place(&equipment, 0, None)).choose(&game.observe(0), 0);
    assert!(game.legal_actions(0).any(|legal| legal == action));
}

/// The clock ends a search, but none that was given a number of nodes.
#[test]
fn a_number_of_nodes_is_searched_whatever_the_clock_says() {
    let equipment = Arc::new(Equipment::standard());
    let deal = Patchwork::deal(&equipment, 2, 2).expect("a deal");
    let game = Patchwork::new(&equipment, &deal).expect("a match");
    for maker in [|place| Searcher::small(place, 500), Searcher::master] {
        let searched = |nodes: Option<u64>| {
            let mut bot = maker(place(&equipment, 0, nodes));
            bot.choose(&game.observe(0), 0);
            bot.numbers()["nodes"].as_u64().expect("a number")
        };
        assert!(searched(Some(2_000)) >= 2_000 && searched(None) < 200, "{}", searched(None));
    }
}

/// With the clock alone, a search begins with what the one before knows. With a number of nodes it begins from nothing.
#[test]
fn a_tree_is_used_again_by_the_clock_alone() {
    let equipment = Arc::new(Equipment::standard());
    let deal = Patchwork::deal(&equipment, 2, 3).expect("a deal");
    for nodes in [None, Some(300)] {
        let mut game = Patchwork::new(&equipment, &deal).expect("a match");
        let mut bots = [0, 1].map(|seat| Searcher::master(place(&equipment, seat, nodes)));
        let mut used_again = 0;
        while let Some(seat) = game.to_move() {
            let (seen, bot) = (game.observe(seat), &mut bots[seat]);
            let mut memory = Memory::new(game.table());
            let kept = bot.kept.as_ref();
            let known = kept.and_then(|kept| kept.find(&mut memory, game.table(), game.state()));
            if let (Some(kept), Some(node)) = (kept, known) {
                let mut judge = Judge::new(game.table(), Net::bundled(), &mut memory);
                let settings = Settings { tree: 60, ..Settings::default() };
                let mut tree = Tree::new(&mut judge, *game.state(), settings);
                tree.take_over(kept, node);
                used_again += u32::from(tree.is_full());
                assert!(tree.is_sound(), "decision {}", game.decision());
            }
            let action = bot.choose(&seen, 20);
            if nodes.is_some() {
                let fresh = Searcher::master(place(&equipment, seat, nodes)).choose(&seen, 20);
                assert!(action == fresh && bot.kept.is_none(), "decision {}", game.decision());
            }
            game.play(seat, &action).expect("a legal action");
        }
        assert_eq!(used_again > 0, nodes.is_none(), "{used_again} trees of 60 nodes");
    }
}

#[test]
fn a_full_tree_says_so() {
    let equipment = Arc::new(Equipment::standard());
    let deal = Patchwork::deal(&equipment, 2, 2).expect("a deal");
    let game = Patchwork::new(&equipment, &deal).expect("a match");
    for (tree, is_full) in [(100, true), (1 << 20, false)] {
        let settings = Settings { tree, ..Settings::default() };
        let mut bot = Searcher::new(place(&equipment, 0, Some(1_000)), settings);
        bot.choose(&game.observe(0), 0);
        assert_eq!(bot.numbers().contains_key("full"), is_full, "{:?}", bot.numbers());
    }
}

/// In matches of the bot, the decisions that it expects are about those that it has.
#[test]
fn the_decisions_that_are_left_are_expected() {
    let equipment = Arc::new(Equipment::standard());
    for seed in 0..10 {
        let deal = Patchwork::deal(&equipment, 2, seed).expect("a deal");
        let mut game = Patchwork::new(&equipment, &deal).expect("a match");
        let mut bots = [0, 1].map(|seat| Searcher::master(place(&equipment, seat, Some(100))));
        let (mut had, mut expected) = ([0_u64; 2], [0; 2]);
        while let Some(seat) = game.to_move() {
            let observation = game.observe(seat);
            if had[seat] == 0 {
                expected[seat] = bots[seat].decisions_left(&observation);
            }
            had[seat] += 1;
            assert!(bots[seat].decisions_left(&observation) >= 1);
            let action = bots[seat].choose(&observation, 0);
            game.play(seat, &action).expect("a legal move");
        }
        for seat in [0, 1] {
            assert!((had[seat]..=2 * had[seat]).contains(&expected[seat]), "{had:?} and {expected:?}");
        }
    }
}

/// A board with a few gaps of three cells and one single empty cell.
const GAPS: &str = "
    #########
    #...#####
    #########
    #########
    ####..###
    ####.####
    #########
    #.#######
    #########";

/// A turn of the first seat near the end of the track. The other player has arrived.
fn last_turn(equipment: &Equipment, board: &str, space: u8, circle: &[&str]) -> Observation {
    let circle = circle.iter().map(|patch| patch.parse().expect("a patch")).collect();
    let last = equipment.track().last();
    let own = PlayerView { board: board.parse().expect("a board"), buttons: 12, income: 4, space };
    let other = PlayerView { space: last, board: Bitboard::rectangle(9, 7), ..own.clone() };
    Observation {
        phase: Phase::Turn,
        circle,
        leather: Vec::new(),
        leather_due: 0,
        bonus: None,
        players: [own, other],
    }
}

/// Returns the highest lead of seat 0, by full enumeration.
fn highest_lead(table: &Table, state: &State) -> i32 {
    let after = |action: Action| {
        let mut after = *state;
        after.apply(table, action);
        highest_lead(table, &after)
    };
    let [one, other] = state.players();
    Moves::new(table, state).iter().map(after).max().unwrap_or(one.score() - other.score())
}

#[test]
fn the_end_is_played_as_well_as_it_can_be() {
    let equipment = Arc::new(Equipment::standard());
    for (board, space, circle) in [
        (ALMOST, 52, &["W12", "W03", "W02"][..]),
        (ALMOST, 51, &["W26", "W03", "W32"]),
        (GAPS, 52, &["W02", "W03", "W33"]),
        (GAPS, 50, &["W04", "W03", "W02"]),
        (GAPS, 49, &["W04", "W03", "W02"]),
    ] {
        let mut seen = last_turn(&equipment, board, space, circle);
        if board == GAPS {
            seen.bonus = Some(0);
        }
        let game = Patchwork::from_observation(&equipment, &seen, 0).expect("a sound turn");
        let action = Searcher::master(place(&equipment, 0, Some(4_000))).choose(&seen, 0);
        let mut after = *game.state();
        after.apply(game.table(), action);
        let [reached, best] = [&after, game.state()].map(|it| highest_lead(game.table(), it));
        assert_eq!(reached, best, "space {space}: {action:?}");
    }
}

/// With a single patch, a player can only buy it or advance.
#[test]
fn components_that_are_not_the_standard_ones_can_be_played() {
    let mut setup = PatchworkSetup::default().in_full();
    setup.patches.as_mut().expect("in full").truncate(1);
    let equipment = Arc::new(Equipment::new(&setup).expect("sound patches"));
    let deal = Patchwork::deal(&equipment, 2, 0).expect("a deal");
    let mut game = Patchwork::new(&equipment, &deal).expect("a match");
    let mut bots = [0, 1].map(|seat| Searcher::small(place(&equipment, seat, Some(10)), 500));
    while let Some(seat) = game.to_move() {
        let action = bots[seat].choose(&game.observe(seat), 0);
        game.play(seat, &action).expect("a legal action");
    }
}
