//! Validates the examples in the documents, the golden journals, and the files of the engine against the
//! schemas.

use serde_json::{Value, json};

use crate::documents::markdown::{Block, DOCUMENTS, blocks, read};
use crate::schema::validators::{Speaker, message, validate};

/// The minimum number of patch cards in a deck. Examples in the documents are shorter.
const PATCHES_MIN: usize = 20;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// Returns the examples marked `json MARK` in all documents.
fn marked(mark: &str) -> Vec<Block> {
    let all = DOCUMENTS.iter().flat_map(|document| blocks(document));
    all.filter(|block| block.info == format!("json {mark}")).collect()
}

fn lines(mark: &str) -> Vec<String> {
    marked(mark).iter().flat_map(|block| block.text.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Fills a list of cards, which an example has shortened, up to the size of a deck.
fn fill_up(patches: &mut Value) {
    let Some(patches) = patches.as_array_mut() else { return };
    for number in patches.len()..PATCHES_MIN {
        patches.push(json!({ "id": format!("X{number}"), "cells": ["X"] }));
    }
}

/// Returns the lines of all dialogues of a game, with their speakers.
pub(crate) fn dialogue_lines(game: &str) -> Vec<(Speaker, String)> {
    let mark = format!("text dialogue {game} ");
    let all = DOCUMENTS.iter().flat_map(|document| blocks(document));
    let dialogues: Vec<Block> = all.filter(|block| block.info.starts_with(&mark)).collect();
    assert!(!dialogues.is_empty(), "no dialogue of {game}");
    let lines = dialogues.iter().flat_map(|block| block.text.lines());
    let parsed = lines.filter(|line| line.starts_with("arena ")).map(|line| {
        let speaker = if line.starts_with("arena ->") { Speaker::Arena } else { Speaker::Bot };
        (speaker, line[line.find('{').expect("a message")..].to_owned())
    });
    parsed.collect()
}

#[test]
fn the_examples_of_messages_validate() {
    assert!(!lines("doodle arena").is_empty() && !lines("doodle bot").is_empty());
    for game in ["doodle", "patchwork"] {
        for line in lines(&format!("{game} arena")) {
            let mut example = json(&line);
            example.pointer_mut("/cards/patches").map(fill_up);
            message(Speaker::Arena, game, &example.to_string());
        }
        for line in lines(&format!("{game} bot")) {
            message(Speaker::Bot, game, &line);
        }
        for (speaker, line) in dialogue_lines(game) {
            message(speaker, game, &line);
        }
        for line in lines(&format!("{game} state")) {
            let turn = json!({ "type": "turn", "id": 0, "time_ms": 1, "state": json(&line) });
            message(Speaker::Arena, game, &turn.to_string());
        }
        for line in lines(&format!("{game} move")) {
            message(Speaker::Bot, game, &json!({ "type": "move", "id": 0, "move": json(&line) }).to_string());
        }
    }
}

/// To a schema, 0.0 is the whole number 0, so it cannot reject that mistake.
#[test]
fn the_wrong_moves_are_refused() {
    for game in ["doodle", "patchwork"] {
        let wrong = lines(&format!("{game} wrong move"));
        assert!(!wrong.is_empty(), "{game} has no wrong moves");
        for line in wrong.iter().filter(|line| !line.contains("0.0")) {
            let answer = json!({ "type": "move", "id": 0, "move": json(line) });
            assert!(validate(&format!("move-{game}"), &answer).is_err(), "the schema takes {line}");
        }
    }
}

#[test]
fn the_examples_of_files_validate() {
    for block in marked("doodle cards") {
        let mut deck = json(&block.text);
        assert!(validate("card-file", &deck).is_err(), "{}: too short for a deck", block.place);
        fill_up(&mut deck["patches"]);
        validate("card-file", &deck).unwrap_or_else(|why| panic!("{}: {why}", block.place));
    }
    for block in marked("standings") {
        validate("standings", &json(&block.text)).unwrap_or_else(|why| panic!("{}: {why}", block.place));
    }
    for (schema, file) in [
        ("card-file", "engine/data/doodle-standard.json"),
        ("patch-file", "engine/data/patchwork-standard.json"),
    ] {
        validate(schema, &json(&read(file))).unwrap_or_else(|why| panic!("{file}: {why}"));
    }
}

#[test]
fn the_golden_journals_validate() {
    for game in ["doodle", "patchwork"] {
        let folder = format!("tests/golden/journals/{game}");
        let tournament = json(&read(&format!("{folder}/tournament.json")));
        validate(&format!("tournament-{game}"), &tournament).unwrap_or_else(|why| panic!("{folder}: {why}"));
        let journal = read(&format!("{folder}/matches.jsonl"));
        assert!(journal.lines().count() >= 10);
        for (number, line) in (1..).zip(journal.lines()) {
            let checked = validate(&format!("record-{game}"), &json(line));
            checked.unwrap_or_else(|why| panic!("{folder}, line {number}: {why}"));
        }
    }
}
