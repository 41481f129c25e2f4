//! The rules that are easy to get wrong, each in a small position.

use std::sync::Arc;

use crate::game::{Game, Setup, pending};
use crate::patchwork::scene::{ADVANCE, Scene, all_but, names, play, plays, purse};
use crate::patchwork::*;
use crate::shapes::bitboard::{Bitboard, Cell};

#[test]
fn the_start() {
    let equipment = Arc::new(Equipment::standard());
    let deal = Patchwork::deal(&equipment, 2, 1).unwrap();
    let mut game = Patchwork::new(&equipment, &deal).unwrap();
    assert_eq!((game.to_move(), game.decision()), (Some(0), 0));
    assert_eq!(game.outcome().scores, [5 - 162, 5 - 162]);
    assert_eq!(game.outcome().ranks, [1, 1]);
    assert_eq!(game.play(1, &Action::Advance), Err(Illegal::NotAsked));
    plays(&mut game, ADVANCE);
    assert_eq!((game.to_move(), game.decision()), (Some(1), 1));
    assert_eq!(game.legal_count(0), 0);
}

#[test]
fn an_advance_of_seven_passes_two_income_marks() {
    for opponent in [52, 53] {
        let scene = Scene::at([46, opponent]).with(|seen| seen.players[0].income = 3);
        let mut game = scene.with(|seen| seen.leather.clear()).asks(0);
        plays(&mut game, ADVANCE);
        assert_eq!(purse(&game, 0), (53, 5 + 7 + 3 + 3));
    }
}

#[test]
fn landing_exactly_on_the_opponent_moves_again_and_an_advance_from_there_pays_one() {
    let scene = Scene::at([8, 10]).with(|seen| seen.circle = names(&["W03", "W01"]));
    let mut game = scene.asks(0);
    plays(&mut game, r#"{"buy":"W03","cells":[[0,0],[0,1],[0,2]]}"#);
    assert_eq!((purse(&game, 0), game.to_move()), ((10, 3), Some(0)));
    plays(&mut game, ADVANCE);
    assert_eq!((purse(&game, 0), game.to_move()), ((11, 4), Some(1)));
}

#[test]
fn the_one_behind_moves_several_times() {
    let scene = Scene::at([20, 12]).with(|seen| seen.circle = names(&["W03", "W01"]));
    let mut game = scene.asks(1);
    plays(&mut game, r#"{"buy":"W03","cells":[[0,0],[0,1],[0,2]]}"#);
    assert_eq!((purse(&game, 1).0, game.to_move()), (14, Some(1)));
}

#[test]
fn a_patch_earns_in_the_move_that_buys_it() {
    let scene = Scene::at([3, 8]).with(|seen| seen.circle = names(&["W06"]));
    let mut game = scene.with(|seen| seen.players[0].income = 2).asks(0);
    plays(&mut game, r#"{"buy":"W06","cells":[[0,0],[0,1],[1,1],[1,2]]}"#);
    assert_eq!(purse(&game, 0), (5, 5 - 3 + 2 + 1));
}

#[test]
fn a_token_stops_on_the_last_space_and_is_paid_for_spaces_moved() {
    let mut game = Scene::at([51, 53]).asks(0);
    plays(&mut game, ADVANCE);
    assert_eq!(purse(&game, 0), (53, 5 + 2));
    assert_eq!(game.to_move(), None);
    let scene = Scene::at([51, 53]).with(|seen| seen.circle = names(&["W09"]));
    let mut game = scene.asks(0);
    plays(&mut game, r#"{"buy":"W09","cells":[[0,0],[0,1],[0,2],[1,0]]}"#);
    assert_eq!(purse(&game, 0), (53, 5 - 4 + 2));
    assert_eq!(play(&mut game, ADVANCE), Err(Illegal::NotAsked));
}

#[test]
fn leather_is_placed_at_once_by_the_one_who_took_it_and_only_once() {
    let mut game = Scene::at([18, 19]).asks(0);
    plays(&mut game, ADVANCE);
    let seen = game.observe(0);
    assert_eq!((seen.phase, seen.leather_due, seen.leather), (Phase::Leather, 1, vec![26, 32, 44, 50]));
    assert_eq!((game.to_move(), game.legal_count(0)), (Some(0), 81));
    plays(&mut game, r#"{"leather":[4,4]}"#);
    assert_eq!((game.to_move(), game.observe(1).phase), (Some(1), Phase::Turn));
    plays(&mut game, ADVANCE);
    assert_eq!((purse(&game, 1).0, game.observe(0).phase), (21, Phase::Turn));
}

#[test]
fn one_move_can_take_two_leather_patches_even_at_the_end() {
    let scene = Scene::at([43, 53]).with(|seen| seen.leather.extend([44, 50]));
    assert_eq!(scene.refused(0), BadObservation::LeatherAt(44));
    let mut game = Scene::at([43, 43]).with(|seen| seen.players[0].income = 4).asks(0);
    game.state.players[1].space = 53;
    plays(&mut game, ADVANCE);
    assert_eq!((purse(&game, 0), game.observe(0).leather_due), ((53, 5 + 10 + 8), 2));
    plays(&mut game, r#"{"leather":[0,0]}"#);
    assert_eq!((game.to_move(), game.observe(0).leather_due), (Some(0), 1));
    plays(&mut game, r#"{"leather":[0,1]}"#);
    assert_eq!(game.to_move(), None);
}

#[test]
fn leather_without_room_is_lost() {
    for (empty, decisions) in [(&[][..], 0), (&[(3, 3)], 1), (&[(3, 3), (8, 8)], 2)] {
        let mut game = Scene::at([43, 43]).with(|seen| seen.players[0].board = all_but(empty)).asks(0);
        game.state.players[1].space = 51;
        plays(&mut game, ADVANCE);
        let mut placed = 0;
        while game.observe(0).phase == Phase::Leather {
            let action = game.legal_actions(0).next().unwrap();
            game.play(0, &action).unwrap();
            placed += 1;
        }
        assert_eq!((placed, game.to_move()), (decisions, Some(1)));
        assert!(game.observe(1).leather.is_empty());
    }
}

#[test]
fn the_circle_turns_to_the_patch_bought_and_may_run_out() {
    let scene = Scene::at([0, 53]).with(|seen| seen.circle = names(&["W10", "W02", "W03", "W04", "W05"]));
    let mut game = scene.with(|seen| seen.players[0].buttons = 50).asks(0);
    plays(&mut game, r#"{"buy":"W03","cells":[[0,0],[0,1],[0,2]]}"#);
    assert_eq!(game.observe(0).circle, names(&["W04", "W05", "W10", "W02"]));
    plays(&mut game, r#"{"buy":"W10","cells":[[1,0],[1,1],[2,0],[2,1]]}"#);
    assert_eq!(game.observe(0).circle, names(&["W02", "W04", "W05"]));
    plays(&mut game, r#"{"buy":"W02","cells":[[3,0],[3,1],[4,0]]}"#);
    assert_eq!(game.moves().unwrap().fits().filter(|fits| !fits.anchors.is_empty()).count(), 8);
    plays(&mut game, r#"{"buy":"W04","cells":[[5,0],[5,1],[6,0]]}"#);
    plays(&mut game, r#"{"buy":"W05","cells":[[0,4],[0,5],[0,6],[1,5]]}"#);
    assert!(game.observe(0).circle.is_empty());
    assert!(game.legal_actions(0).eq([Action::Advance]));
}

#[test]
fn both_without_money_and_room_can_still_advance() {
    let scene = Scene::at([30, 30]).with(|seen| {
        seen.players[0].board = Bitboard::FULL;
        seen.players[1].buttons = 0;
        seen.circle = names(&["W02", "W03", "W04"]);
    });
    let mut game = scene.asks(0);
    assert!(game.legal_actions(0).eq([Action::Advance]));
    plays(&mut game, ADVANCE);
    assert!(game.legal_actions(1).eq([Action::Advance]));
    assert_eq!(game.legal_count(1), 1);
}

#[test]
fn the_first_7x7_square_takes_the_tile_for_good() {
    let square: Bitboard = Bitboard::rectangle(7, 7).shifted_down(2 * 9 + 1);
    let missing: Bitboard = [5, 6, 7].into_iter().filter_map(|col| Cell::new(8, col)).collect();
    let scene = Scene::at([0, 5]).with(|seen| {
        seen.circle = names(&["W03", "W01"]);
        seen.players[0].board = square - missing;
    });
    let mut game = scene.asks(0);
    plays(&mut game, r#"{"buy":"W03","cells":[[8,5],[8,6],[8,7]]}"#);
    assert_eq!((game.observe(0).bonus, game.outcome().scores[0]), (Some(0), 3 + 7 - 2 * 32));
    let scene = Scene { seen: game.observe(0), ..scene }.with(|seen| {
        seen.circle = names(&["W03"]);
        seen.players[1].board = square - missing;
        seen.players[1].space = 1;
    });
    let mut game = scene.asks(1);
    plays(&mut game, r#"{"buy":"W03","cells":[[8,5],[8,6],[8,7]]}"#);
    assert_eq!((game.observe(0).bonus, game.outcome().scores[1]), (Some(0), 3 - 2 * 32));
}

#[test]
fn only_squares_within_the_edges_count() {
    use crate::patchwork::bonus::has_7x7;
    for (row, col) in (0..9).flat_map(|row| (0..9).map(move |col| (row, col))) {
        let cells =
            Cell::all().filter(|c| (row..row + 7).contains(&c.row()) && (col..col + 7).contains(&c.col()));
        assert_eq!(has_7x7(cells.collect()), row <= 2 && col <= 2, "[{row},{col}]");
    }
    let columns_apart = Cell::all().filter(|cell| cell.col() != 4);
    assert!(!has_7x7(columns_apart.collect()));
    assert!(has_7x7(Bitboard::FULL));
}

#[test]
fn a_leather_patch_can_complete_the_square() {
    let mut game = Scene::at([18, 19]).with(|seen| seen.players[0].board = all_but(&[(4, 4)])).asks(0);
    plays(&mut game, ADVANCE);
    assert_eq!(game.observe(0).bonus, None);
    plays(&mut game, r#"{"leather":[4,4]}"#);
    assert_eq!(game.observe(0).bonus, Some(0));
}

#[test]
fn of_equal_scores_the_first_on_the_last_space_wins() {
    let scene = Scene::at([52, 53]).with(|seen| {
        seen.players[0].board = all_but(&[(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)]);
        seen.players[1].board = seen.players[0].board;
        seen.players[0].buttons = 13;
        seen.bonus = Some(0);
    });
    for (buttons, ranks) in [(20, [1, 2]), (21, [2, 1]), (22, [2, 1])] {
        let mut game = scene.asks(0);
        game.state.players[1].buttons = buttons;
        plays(&mut game, ADVANCE);
        assert_eq!(game.outcome().scores, [14 + 7 - 2 * 5, i32::from(buttons) - 10]);
        assert_eq!(game.outcome().ranks, ranks, "{buttons} buttons");
    }
}

#[test]
fn who_leaves_loses_and_the_match_is_over() {
    let mut game = Scene::at([20, 12]).with(|seen| seen.players[1].buttons = 900).asks(1);
    game.withdraw(1);
    assert_eq!((pending(&game).count(), game.outcome().ranks), (0, vec![1, 2]));
    assert_eq!(game.legal_actions(1).count(), 0);
    assert_eq!(game.play(1, &Action::Advance), Err(Illegal::NotAsked));
    game.withdraw(0);
    assert_eq!(game.outcome().ranks, [1, 1]);
}

#[test]
fn other_patches_and_tracks_can_be_played_with() {
    let text = r#"{"patches": [
        {"id": "long", "cells": ["XXX"], "buttons": 1, "time": 12, "income": 1},
        {"id": "dot", "cells": ["X"], "buttons": 0, "time": 1, "income": 0}
    ], "track": {"last": 13, "income": [4, 13], "leather": {"original": [5, 11], "revised": []}}}"#;
    let setup = PatchworkSetup::from_file(PatchFile::from_json(text).unwrap(), Rules::default());
    assert_eq!(setup.abridged(), setup);
    let equipment = Arc::new(Equipment::new(&setup).unwrap());
    let deal = Patchwork::deal(&equipment, 2, 7).unwrap();
    assert_eq!(deal.circle, names(&["long", "dot"]));
    let mut game = Patchwork::new(&equipment, &deal).unwrap();
    plays(&mut game, r#"{"buy":"long","cells":[[0,0],[1,0],[2,0]]}"#);
    assert_eq!((purse(&game, 0), game.observe(0).leather_due), ((12, 5 - 1 + 1), 2));
    plays(&mut game, r#"{"leather":[3,0]}"#);
    assert_eq!((game.to_move(), game.observe(0).leather_due), (Some(0), 1));
    plays(&mut game, r#"{"leather":[4,0]}"#);
    plays(&mut game, r#"{"buy":"dot","cells":[[4,4]]}"#);
    plays(&mut game, ADVANCE);
    assert_eq!((purse(&game, 1), game.to_move()), ((13, 5 + 12), Some(0)));
    plays(&mut game, ADVANCE);
    assert_eq!((game.to_move(), game.outcome().scores), (None, vec![5 + 1 + 1 - 152, 17 - 160]));
}
