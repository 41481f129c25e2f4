//! The scores of a record by the naive rules, which share no code with the engine.

use serde_json::Value;

use crate::vectors::against_naive::{doodle_move, patchwork_move};
use crate::vectors::naive::{doodle, patchwork};

fn words(list: &Value) -> Vec<String> {
    serde_json::from_value(list.clone()).expect("names")
}

/// Returns the scores of a match of doodle.
pub(super) fn doodle_scores(record: &Value) -> Vec<i64> {
    let file = include_str!("../../engine/data/doodle-standard.json");
    let cards = doodle::Cards::parse(file).expect("the standard deck");
    let deal = &record["deal"];
    let dice = serde_json::from_value(deal["dice"].clone()).expect("rolls");
    let deal = doodle::Deal { starts: words(&deal["starts"]), deck: words(&deal["deck"]), dice };
    let mut state = doodle::State::new(&cards, &deal).expect("a deal");
    for turns in record["turns"].as_array().expect("turns").chunks(state.seats()) {
        let moves: Vec<_> = turns.iter().map(|turn| doodle_move(&turn["move"]).expect("cells")).collect();
        state.play(&moves).expect("legal");
    }
    assert_eq!(state.phase(), doodle::Phase::Over);
    (0..state.seats()).map(|seat| state.score(seat).total.into()).collect()
}

/// Returns the scores of a match of Patchwork.
pub(super) fn patchwork_scores(record: &Value) -> Vec<i64> {
    let file = include_str!("../../engine/data/patchwork-standard.json");
    let patches = patchwork::Patches::parse(file).expect("the standard patches");
    let edition = patchwork::Edition::Original;
    let circle = words(&record["deal"]["circle"]);
    let mut state = patchwork::State::new(&patches, circle, edition).expect("a deal");
    for turn in record["turns"].as_array().expect("turns") {
        assert_eq!(state.to_move().map(Value::from), Some(turn["seat"].clone()));
        state.play(&patchwork_move(&turn["move"]).expect("cells")).expect("legal");
    }
    assert_eq!(state.to_move(), None);
    (0..2).map(|seat| state.score(seat)).collect()
}
