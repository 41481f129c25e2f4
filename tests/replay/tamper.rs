//! Tests that every kind of change is found, and named by match, turn, and seat.

use std::fs;

use serde_json::{Value, json};

use crate::program::tables::records;
use crate::replay::{copied, line, lines, run, write_lines};

/// Changes one match of a golden tournament, and returns the report of the proof.
fn tampered(game: &str, index: usize, change: impl FnOnce(&mut Value)) -> String {
    let folder = copied(game);
    let mut record = records(folder.path())[index].clone();
    change(&mut record);
    let mut lines = lines(folder.path());
    lines[index] = record.to_string();
    write_lines(folder.path(), &lines);
    let (stdout, stderr) = line(folder.path(), "replay . --all --quiet", 1);
    assert_eq!(stdout, "");
    assert!(stderr.contains(&format!("matches.jsonl line {}: match ", index + 1)), "{stderr}");
    assert!(stderr.lines().count() <= 2 && !stderr.contains("panicked"), "{stderr}");
    let (_, alone) = run(folder.path(), &["replay", ".", "--match", &index.to_string()], 1);
    assert_eq!(alone, stderr, "one match is judged as all are");
    stderr
}

fn names(stderr: &str, parts: &[&str]) {
    for part in parts {
        assert!(stderr.contains(part), "{part:?} is not in: {stderr}");
    }
}

/// Returns the index of an entry in `turns`.
fn place(record: &Value, id: u64, seat: u64) -> usize {
    let turns = record["turns"].as_array().expect("turns");
    turns.iter().position(|turn| turn["id"] == id && turn["seat"] == seat).expect("an entry")
}

fn turns(record: &mut Value) -> &mut Vec<Value> {
    record["turns"].as_array_mut().expect("turns")
}

/// Returns the index of the first fault of a match in `turns`.
fn fault(record: &Value) -> usize {
    let turns = record["turns"].as_array().expect("turns");
    turns.iter().position(|turn| turn["fault"].is_object()).expect("a fault")
}

#[test]
fn a_record_that_is_only_laid_out_anew_holds() {
    for game in ["doodle", "patchwork"] {
        let folder = copied(game);
        let text: Vec<String> = records(folder.path()).iter().map(Value::to_string).collect();
        assert_ne!(text, lines(folder.path()), "fields in another order");
        write_lines(folder.path(), &text);
        line(folder.path(), "replay . --all --quiet", 0);
    }
}

#[test]
fn changed_moves_are_named_by_match_turn_and_seat() {
    let change = |game, index, id, seat, change: fn(&mut Value), parts: &[&str]| {
        let stderr = tampered(game, index, |record| {
            let at = place(record, id, seat);
            change(&mut record["turns"][at]["move"]);
        });
        names(&stderr, parts);
    };
    let named = "match 0, turn 1, seat 1 (random): the move is against the rules: cells are not patch";
    change("doodle", 0, 0, 1, |own| own["cells"][0] = json!([8, 8]), &[named]);
    let parts = ["match 1, turn 4, seat 0 (greedy)", "there is no card \"P99\""];
    change("doodle", 1, 3, 0, |own| *own = json!({"card": "P99", "cells": [[0, 0]]}), &parts);
    let parts = ["match 1, turn 1, seat 0", "not in the form"];
    change("doodle", 1, 0, 0, |own| own["cells"].as_array_mut().expect("cells").reverse(), &parts);
    let parts = ["match 0, turn 1, seat 0 (greedy)", "there is no leather patch to place"];
    change("patchwork", 0, 0, 0, |own| *own = json!({"leather": [0, 0]}), &parts);
}

#[test]
fn entries_that_are_removed_doubled_or_moved_are_named() {
    for game in ["doodle", "patchwork"] {
        let (id, seat) = if game == "doodle" { (4, 1) } else { (0, 0) };
        let named = format!("match 0, turn {}, seat {seat} (", id + 1);
        let removed = |record: &mut Value| {
            let at = place(record, id, seat);
            turns(record).remove(at);
        };
        names(&tampered(game, 0, removed), &[&named, "missing"]);
        let doubled = |record: &mut Value| {
            let at = place(record, id, seat);
            let entry = record["turns"][at].clone();
            turns(record).insert(at, entry);
        };
        names(&tampered(game, 0, doubled), &[&named, "stands twice"]);
    }
    let last = |record: &mut Value| {
        turns(record).pop();
    };
    names(&tampered("doodle", 0, last), &["match 0, turn 19, seat", "missing"]);
    let swapped = |record: &mut Value| turns(record).swap(4, 5);
    names(&tampered("doodle", 0, swapped), &["match 0, turn ", "too late in the list"]);
    let more = |record: &mut Value| {
        let mut entry = turns(record).last().expect("an entry").clone();
        entry["id"] = json!(19);
        turns(record).push(entry);
    };
    names(&tampered("doodle", 0, more), &["match 0, turn 20, seat", "nobody owes a decision"]);
    let nobody = |record: &mut Value| turns(record)[0]["seat"] = json!(7);
    names(&tampered("doodle", 0, nobody), &["match 0, turn 1, seat 7: there are only 3 seats"]);
}

#[test]
fn changed_results_are_named_by_seat_and_its_last_turn() {
    for (game, seat) in [("doodle", 1), ("patchwork", 1)] {
        for field in ["scores", "ranks"] {
            let stderr = tampered(game, 0, |record| record["result"][field][seat] = json!(77));
            names(&stderr, &["match 0, turn ", &format!("result.{field}[{seat}] is 77, playing gives ")]);
        }
    }
    let stderr = tampered("doodle", 0, |record| record["result"]["rounds"][0][2] = json!(1));
    names(&stderr, &["match 0, turn 19, seat 0 (greedy): result.rounds[0][2] is 1"]);
}

#[test]
fn changed_faults_are_named() {
    for game in ["doodle", "patchwork"] {
        let golden = records(&crate::replay::golden_dir(game));
        let index = golden.iter().position(|record| record["turns"].to_string().contains("\"exit\""));
        let index = index.expect("a match with a fault");
        let entry = &golden[index]["turns"][fault(&golden[index])];
        let turn = entry["id"].as_u64().expect("an id") + 1;
        let named = format!("match {index}, turn {turn}, seat {} (", entry["seat"]);
        let kind = |record: &mut Value| {
            let at = fault(record);
            record["turns"][at]["fault"]["kind"] = json!("malformed");
        };
        names(&tampered(game, index, kind), &[&named, "result.faults"]);
        let gone = |record: &mut Value| {
            let at = fault(record);
            turns(record)[at].as_object_mut().expect("an entry").remove("fault");
        };
        names(&tampered(game, index, gone), &[&named, "neither a move nor a fault"]);
        let detail = |record: &mut Value| {
            let at = fault(record);
            record["turns"][at]["fault"]["detail"] = json!("it did nothing wrong");
        };
        let unlike = format!("match {index}: the line is not as it was written");
        names(&tampered(game, index, detail), &[&unlike]);
    }
}

#[test]
fn a_changed_deal_digest_bot_or_place_is_named() {
    let stderr = tampered("doodle", 2, |record| {
        let die = record["deal"]["dice"][3].as_u64().expect("a die");
        record["deal"]["dice"][3] = json!(die % 3 + 1);
    });
    names(&stderr, &["match 2: deal.dice[3] is", "deals"]);
    let stderr =
        tampered("patchwork", 2, |record| record["deal"]["circle"].as_array_mut().expect("ids").swap(0, 1));
    names(&stderr, &["match 2: deal.circle[0] is"]);
    type Change = (fn(&mut Value), &'static str);
    let changes: [Change; 8] = [
        (|record| record["digest"] = json!("00"), ": the digest is \"00\", what is recorded gives "),
        (
            |record| record["bots"][1] = json!("me"),
            ", seat 1 (me): the bot is \"me\", and \"random\" in the plan",
        ),
        (
            |record| record["copies"] = json!([1, 0]),
            ", seat 0 (greedy): greedy is copy 1 of its bot, and copy 0 in the plan",
        ),
        (|record| record["round"] = json!(7), ": it is in round 7, and in round 0 of the plan"),
        (|record| record["seed"] = json!(7), ": the seed is 7"),
        (|record| record["game"] = json!("patchwork"), ": the game is \"patchwork\""),
        (|record| record["rules"]["start_cards"] = json!("shared"), ": deal.starts[1] is"),
        (|record| record["turns"][0]["us"] = json!(7), ": the line is not as it was written"),
    ];
    for (change, named) in changes {
        names(&tampered("doodle", 2, change), &[&format!("match 2{named}")]);
    }
}

#[test]
fn a_bot_renamed_in_a_record_without_a_plan_is_found_by_the_digest() {
    let folder = copied("doodle");
    let line = lines(folder.path())[0].replace("[\"greedy\"", "[\"better\"");
    fs::write(folder.path().join("one"), line + "\n").expect("a record");
    let (_, stderr) = run(folder.path(), &["replay", "one"], 1);
    names(&stderr, &["one line 1: match 0: the digest is"]);
}

#[test]
fn a_line_that_cannot_be_read_is_named_as_far_as_its_text_tells() {
    let folder = copied("doodle");
    let mut text = lines(folder.path());
    let at = text[2].find("{\"id\":5,\"seat\":1").expect("an entry");
    let cells = text[2][at..].find("\"move\":").expect("a move") + at + 9;
    text[2].replace_range(cells..=cells, "\u{1}");
    write_lines(folder.path(), &text);
    let (_, stderr) = line(folder.path(), "replay . --all --quiet", 1);
    names(&stderr, &["line 3: match 2, near turn 6, seat 1: the line cannot be read: "]);
}

#[test]
fn a_torn_last_line_is_left_out_and_said() {
    let folder = copied("doodle");
    let path = folder.path().join("matches.jsonl");
    let journal = fs::read(&path).expect("a journal");
    fs::write(&path, &journal[..journal.len() - 30]).expect("a journal");
    let (stdout, stderr) = line(folder.path(), "replay . --all --quiet", 0);
    names(&stdout, &["9 matches of doodle"]);
    names(&stderr, &["the last line is incomplete and was ignored"]);
}
