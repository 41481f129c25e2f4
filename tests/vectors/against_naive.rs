//! Checks the vectors against the naive rules, which are independent of the engine that made them.

use engine::rule::Rule;
use serde_json::{Value, json};

use crate::vectors::naive::shapes::{Board, Cell, SIZE};
use crate::vectors::naive::{doodle, patchwork};
use crate::vectors::{Vector, digest, lines, text};

/// Parses cells. `None` if a cell is off the board, because the naive rules cannot represent it.
fn cells(list: &Value) -> Option<Vec<Cell>> {
    let pairs: Vec<(i64, i64)> = serde_json::from_value(list.clone()).expect("pairs");
    let on_board = |number: i64| u8::try_from(number).ok().filter(|&number| number < SIZE);
    pairs.into_iter().map(|(row, col)| Some((on_board(row)?, on_board(col)?))).collect()
}

fn rows(board: &Board) -> Value {
    let row =
        |row: &[bool; 9]| row.iter().map(|&covered| if covered { '#' } else { '.' }).collect::<String>();
    board.iter().map(row).collect()
}

/// Formats cells as in the digest.
fn pairs(cells: &[Cell]) -> String {
    let pairs: Vec<String> = cells.iter().map(|(row, col)| format!("[{row},{col}]")).collect();
    format!("[{}]", pairs.join(","))
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn check_digest(vector: &Vector, moves: impl FnOnce() -> Vec<String>) {
    if let Some(expected) = &vector.digest {
        assert_eq!(&digest(moves()), expected, "vector {}", vector.id);
    }
}

pub(crate) fn doodle_move(word: &Value) -> Option<doodle::Move> {
    let draw = match word["card"].as_str() {
        Some(card) => Some((card.to_owned(), cells(&word["cells"])?)),
        None => None,
    };
    let singles = if word["singles"].is_null() { Vec::new() } else { cells(&word["singles"])? };
    Some(doodle::Move { draw, singles })
}

fn doodle_text(played: &doodle::Move) -> String {
    let drawn = match &played.draw {
        Some((card, cells)) => format!(r#""card":"{card}","cells":{}"#, pairs(cells)),
        None => r#""pass":true"#.to_owned(),
    };
    match played.singles.as_slice() {
        [] => format!("{{{drawn}}}"),
        singles => format!(r#"{{{drawn},"singles":{}}}"#, pairs(singles)),
    }
}

#[test]
fn doodle_vectors_agree_with_the_naive_rules() {
    let file = include_str!("../../engine/data/doodle-standard.json");
    let cards = doodle::Cards::parse(file).expect("the standard deck");
    let text = text("doodle");
    for vector in lines(&text).filter_map(|(_, vector)| vector) {
        let seen = json_of(vector.state.get());
        let state = doodle::State::seen(&cards, &seen, vector.seat).expect("a state");
        assert_eq!(state.legal_count(0), vector.count, "vector {}", vector.id);
        check_digest(&vector, || state.legal_moves(0).iter().map(doodle_text).collect());
        let mut next = state.clone();
        let played = doodle_move(&json_of(vector.word.get())).expect("cells of the board");
        next.play(&[played]).expect("legal");
        let sheet = next.sheet(0);
        let apply = json_of(vector.apply.get());
        let expected = json!({
            "board": rows(&sheet.board), "rounds": sheet.rounds, "actions": sheet.actions.names(),
        });
        assert_eq!(apply["sheet"], expected, "vector {}", vector.id);
        assert_eq!(apply["points"], doodle::best_rectangle(&sheet.board), "vector {}", vector.id);
        assert_eq!(apply["score"], next.score(0).total, "vector {}", vector.id);
        assert_eq!(apply["over"], next.phase() == doodle::Phase::Over, "vector {}", vector.id);
        check_rectangle(&apply, &sheet.board);
        for illegal in &vector.illegal {
            let refused = match doodle_move(&illegal.word) {
                // The naive rules cannot represent a cell off the board or an unknown card.
                None => illegal.rule == Rule::Outside,
                Some(_) if illegal.rule == Rule::Unknown => illegal.word["card"] == "X99",
                Some(played) => state.clone().play(&[played]).is_err(),
            };
            assert!(refused, "vector {}: {}", vector.id, illegal.word);
        }
    }
}

/// Checks that the reported rectangle is shaded and has the reported score.
fn check_rectangle(apply: &Value, board: &Board) {
    let Some(rectangle) = apply["rectangle"].as_object() else {
        assert_eq!(apply["points"], 0);
        return;
    };
    let number = |value: &Value| value.as_u64().and_then(|number| u8::try_from(number).ok()).expect("small");
    let (height, width) = (number(&rectangle["height"]), number(&rectangle["width"]));
    let (top, left) = (number(&rectangle["corner"][0]), number(&rectangle["corner"][1]));
    assert!(crate::vectors::naive::shapes::is_full_rectangle(board, top, left, height, width));
    assert_eq!(apply["points"], doodle::rectangle_score(height, width));
}

pub(crate) fn patchwork_move(word: &Value) -> Option<patchwork::Move> {
    if let Some(id) = word["buy"].as_str() {
        return Some(patchwork::Move::Buy { id: id.to_owned(), cells: cells(&word["cells"])? });
    }
    match &word["leather"] {
        Value::Null => Some(patchwork::Move::Advance),
        cell => Some(patchwork::Move::Leather(cells(&json!([cell]))?[0])),
    }
}

fn patchwork_text(played: &patchwork::Move) -> String {
    match played {
        patchwork::Move::Advance => r#"{"advance":true}"#.to_owned(),
        patchwork::Move::Leather((row, col)) => format!(r#"{{"leather":[{row},{col}]}}"#),
        patchwork::Move::Buy { id, cells } => format!(r#"{{"buy":"{id}","cells":{}}}"#, pairs(cells)),
    }
}

/// Returns the state as an observation for bots.
fn patchwork_state(state: &patchwork::State<'_>) -> Value {
    let player = |seat: usize| {
        let player = state.player(seat);
        json!({
            "board": rows(&player.board), "buttons": player.buttons, "income": player.income,
            "space": player.space,
        })
    };
    let phase = if state.phase() == patchwork::Phase::Leather { "leather" } else { "turn" };
    json!({
        "phase": phase, "circle": state.circle(), "leather": state.leather(),
        "leather_due": state.leather_due(), "bonus": state.bonus(), "players": [player(0), player(1)],
    })
}

#[test]
fn patchwork_vectors_agree_with_the_naive_rules() {
    let file = include_str!("../../engine/data/patchwork-standard.json");
    let patches = patchwork::Patches::parse(file).expect("the standard patches");
    let text = text("patchwork");
    for vector in lines(&text).filter_map(|(_, vector)| vector) {
        let state =
            patchwork::State::seen(&patches, &json_of(vector.state.get()), vector.seat).expect("a state");
        assert_eq!(state.to_move(), Some(vector.seat), "vector {}", vector.id);
        assert_eq!(state.legal_moves().len() as u64, vector.count, "vector {}", vector.id);
        check_digest(&vector, || state.legal_moves().iter().map(patchwork_text).collect());
        let mut next = state.clone();
        let played = patchwork_move(&json_of(vector.word.get())).expect("cells of the board");
        next.play(&played).expect("legal");
        let apply = json_of(vector.apply.get());
        assert_eq!(apply["state"], patchwork_state(&next), "vector {}", vector.id);
        assert_eq!(apply["seat"], json!(next.to_move()), "vector {}", vector.id);
        assert_eq!(apply["over"], next.to_move().is_none(), "vector {}", vector.id);
        assert_eq!(apply["scores"], json!([next.score(0), next.score(1)]), "vector {}", vector.id);
        if let Some(winner) = next.winner() {
            assert_eq!(apply["ranks"][winner], 1, "vector {}", vector.id);
            assert_eq!(apply["ranks"][1 - winner], 2, "vector {}", vector.id);
        }
        for illegal in &vector.illegal {
            let refused = match patchwork_move(&illegal.word) {
                None => illegal.rule == Rule::Outside || illegal.rule == Rule::NoLeather,
                Some(played) => state.clone().play(&played).is_err(),
            };
            assert!(refused, "vector {}: {}", vector.id, illegal.word);
        }
    }
}
