//! Suites of positions: the files in `tests/suites`, and what `arena suite` says of bots.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bots::Coach;
use engine::doodle::Doodle;
use engine::patchwork::Patchwork;
use referee::games::{GameKind, RulesOptions, equip};
use referee::play::Position;
use serde_json::{Value, json};

use crate::program::{arena, scratch, succeed};

fn file(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../tests/suites/{game}.jsonl"))
}

fn lines(game: &str) -> Vec<Value> {
    let text = fs::read_to_string(file(game)).expect("a suite");
    text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect()
}

/// Returns the moves and values that a search finds in the position of a line.
fn evaluated<G: GameKind + Coach>(line: &Value, nodes: u64) -> Vec<Value> {
    let equipment = Arc::new(equip::<G>(&RulesOptions::default()).expect("the standard rules"));
    let position = Position::<G>::from_line(line.to_string().as_bytes()).expect("a position");
    let position = position.checked(&equipment, false).expect("it can be played");
    let game = position.start(&equipment, 0).begin(&equipment).expect("it can be played");
    let seat = line["seat"].as_u64().expect("a number") as usize;
    let found = G::ranked(&equipment, &game.observe(seat), seat, 32, nodes, 0);
    let written = found.iter().map(|(action, value)| {
        json!({"move": G::write(&equipment, action), "value": (value * 100.0).round() / 100.0})
    });
    written.collect()
}

/// Evaluates some positions of a suite again. The small size has far fewer nodes.
#[test]
fn positions_of_the_suites_are_made_again() {
    fn check<G: GameKind + Coach>(small: u64) {
        let all = lines(G::NAME);
        assert_eq!(all.len(), 300);
        if needs::tries_more() {
            for line in all.iter().step_by(needs::sized(300, 300, 60)) {
                let nodes = line["nodes"].as_u64().expect("a number");
                assert_eq!(line["best"], json!(evaluated::<G>(line, nodes)), "{line}");
            }
        }
        let lost = all.iter().step_by(20).map(|line| {
            let found = evaluated::<G>(line, small).swap_remove(0)["move"].take();
            let best = line["best"].as_array().expect("moves");
            let value = |one: &Value| one["value"].as_f64().expect("a number");
            let own = best.iter().find(|one| one["move"] == found).or(best.last()).expect("a move");
            value(&best[0]) - value(own)
        });
        let lost = lost.collect::<Vec<f64>>();
        let mean = lost.iter().sum::<f64>() / lost.len() as f64;
        assert!(mean < 2.0 && lost.iter().all(|&lost| lost >= 0.0), "{}: {lost:?}", G::NAME);
    }
    check::<Doodle>(60);
    check::<Patchwork>(8_000);
}

/// Writes the first lines of a suite, with another budget for moves that it does not have.
fn small(folder: &Path, game: &str, count: usize) -> String {
    let nodes = if game == "doodle" { needs::sized(200, 500, 2_000) } else { 2_000 };
    let text: String = lines(game)
        .into_iter()
        .take(count)
        .map(|mut line| {
            line["nodes"] = json!(nodes);
            format!("{line}\n")
        })
        .collect();
    let name = format!("{game}.jsonl");
    fs::write(folder.join(&name), text).expect("a file");
    name
}

#[test]
fn bots_are_told_apart_by_what_their_answers_lose() {
    let folder = scratch();
    for game in ["doodle", "patchwork"] {
        let name = small(folder.path(), game, needs::sized(12, 24, 300));
        let bots = ["--bot", "random", "--bot", "greedy", "--bot", "planner", "--move-time", "1m"];
        let args = [&["suite", &name, "--quiet"][..], &bots].concat();
        let json: Vec<Value> =
            serde_json::from_str(&succeed(folder.path(), &[&args[..], &["--format", "json"]].concat()))
                .expect("JSON");
        let regret: BTreeMap<&str, f64> = json
            .iter()
            .map(|row| (row["bot"].as_str().expect("a name"), row["regret"].as_f64().expect("a number")))
            .collect();
        assert!(regret["random"] > 2.0 * regret["greedy"], "{game}: {regret:?}");
        assert!(regret["greedy"] > regret["planner"] || game == "patchwork", "{game}: {regret:?}");
        let text = succeed(folder.path(), &[&args[..], &["--width", "80"]].concat());
        assert!(text.contains("less than random") && text.contains(&format!("--from {name}:")), "{text}");
        let csv = succeed(folder.path(), &[&args[..], &["--format", "csv", "--jobs", "1"]].concat());
        let count = fs::read_to_string(folder.path().join(&name)).expect("a file").lines().count();
        assert_eq!(csv.lines().count(), 1 + 3 * count, "{csv}");
        assert_eq!(csv.lines().next(), Some("line,bot,phase,regret,best,move,fault,us"));
    }
}

#[test]
fn values_of_answers_are_kept_for_the_next_suite() {
    let folder = scratch();
    let path = folder.path();
    let name = small(path, "doodle", 6);
    let cache = path.join("cache");
    let run = |bots: &[&str], count: &str| {
        let mut command = crate::program::command();
        command.current_dir(path).env("XDG_CACHE_HOME", &cache).args(["suite", &name, "--count", count]);
        let said = command.args(bots.iter().flat_map(|bot| ["--bot", bot])).output().expect("it runs");
        let [out, err] = [said.stdout, said.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(said.status.success(), "{err}");
        let kept = fs::read_to_string(cache.join("quilt-arena/analysis.jsonl")).expect("it is kept");
        (out, err, kept.lines().count())
    };
    let (first, said, kept) = run(&["random"], "4");
    assert!(
        said.contains("1 bot, 4 positions: ") && said.contains("if each answer takes all of its time"),
        "{said}"
    );
    let others =
        said.split("\n").find_map(|line| line.split_once(" answers are not in the suite")).expect("some");
    assert_eq!(others.0.parse(), Ok(kept), "{said}");
    assert_eq!(run(&["random"], "4"), (first, said, kept), "nothing is searched again");
    let (_, _, more) = run(&["random", "again=random"], "6");
    assert!(more > kept, "two more positions");
    assert_eq!(run(&["random", "again=random"], "6").2, more);
    // Without a folder for the cache all is searched anew, and nothing is lost.
    fs::remove_dir_all(&cache).expect("it is ours");
    fs::write(&cache, "a file").expect("a file");
    let mut command = crate::program::command();
    command
        .current_dir(path)
        .env("XDG_CACHE_HOME", &cache)
        .args(["suite", &name, "--count", "2", "--bot", "random"]);
    assert!(command.output().expect("it runs").status.success());
}

#[test]
fn a_suite_is_made_alike_by_any_number_of_jobs_and_wrong_ones_are_refused() {
    let folder = scratch();
    let path = folder.path();
    let begin =
        ["tournament", "--rounds", "3", "--seed", "5", "--quiet", "--bot", "greedy", "--bot", "novice"];
    succeed(path, &[&begin[..], &["--out", "games"]].concat());
    let make = |out: &str, jobs: &str| {
        let args =
            ["suite", out, "--make", "games", "--count", "8", "--nodes", "300", "--jobs", jobs, "--quiet"];
        succeed(path, &args);
        fs::read_to_string(path.join(out)).expect("a suite")
    };
    let text = make("one.jsonl", "1");
    assert_eq!(make("three.jsonl", "3"), text);
    assert_eq!(text.lines().count(), 8);
    let first: Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    let broken = "broken=sh -c 'read l; echo {\\\"type\\\":\\\"hello\\\",\\\"protocol\\\":1}; read l; exit'";
    let said = succeed(path, &["suite", "one.jsonl", "--bot", broken, "--bot", "greedy", "--quiet"]);
    assert!(said.contains("8 faults"), "{said}");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut line = first.clone();
        change(&mut line);
        line.to_string()
    };
    for (text, why) in [
        (String::new(), "has no position"),
        ("{\"game\":\"doodle\"}".to_owned(), "line 1: this is no line of a suite"),
        (changed(&|line| line["best"] = json!([])), "line 1: its seat has no decision there"),
        (changed(&|line| line["seat"] = json!(3)), "line 1: its seat has no decision there"),
        (
            changed(&|line| line["best"][0]["move"] = json!({"card": "X", "cells": [[0, 0]]})),
            "line 1: one of its best",
        ),
        (changed(&|line| line["moves"] = json!([])), "line 1"),
    ] {
        fs::write(path.join("wrong.jsonl"), text).expect("a file");
        let said = arena(path, &["suite", "wrong.jsonl", "--bot", "greedy"]);
        let stderr = String::from_utf8_lossy(&said.stderr);
        assert_eq!(said.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(why) && stderr.lines().count() <= 2, "{why}: {stderr}");
    }
    let few = arena(
        path,
        &["suite", "few.jsonl", "--make", "games", "--count", "900", "--nodes", "100", "--quiet"],
    );
    assert_eq!(few.status.code(), Some(1), "there are not so many");
}
