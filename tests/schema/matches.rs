//! Validates real matches against the schemas: every message and every file that they leave.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{arena, scratch, succeed, words};
use crate::schema::validators::{Speaker, message, validate};

const ARENA: &str = env!("CARGO_BIN_EXE_arena");
/// Limits that are enough on a busy machine, and permission to write the dialogue next to the bot. The tests
/// do not check times.
const OPTIONS: [&str; 6] = ["--startup-time", "60s", "--move-time", "60s", "--contain", "off"];
/// Games with options that change their output.
const GAMES: [(&str, &[&str]); 4] = [
    ("doodle", &[]),
    ("doodle", &["--start-cards", "shared", "--match-time", "300s"]),
    ("patchwork", &[]),
    ("patchwork", &["--leather", "revised"]),
];
/// Sends a greeting, and an invalid answer to the first turn.
const BROKEN: &str = r#"sh -c 'read a; echo "{\"type\":\"hello\",\"protocol\":1,\"version\":\"0\"}"; read a; echo "{\"type\":\"ready\"}"; read a; echo what'"#;

fn played(folder: &Path, line: &str, bots: &[&str], options: &[&str]) {
    let bots: Vec<&str> = bots.iter().flat_map(|bot| ["--bot", bot]).collect();
    succeed(folder, &[&words(line)[..], &bots, options, &OPTIONS].concat());
}

/// Returns the value of a text that the schema accepts.
fn check(schema: &str, text: &str) -> Value {
    let value = serde_json::from_str(text).expect("JSON");
    validate(schema, &value).unwrap_or_else(|why| panic!("{why}: {text}"));
    value
}

/// Returns a bundled bot that copies its dialogue to `NAME.in` and `NAME.out`.
fn overheard(name: &str) -> String {
    format!("{name}=sh -c \"tee -a {name}.in | '{ARENA}' bot {name} | tee -a {name}.out\"")
}

/// Validates every message in a copy and returns their types.
fn types(speaker: Speaker, game: &str, copy: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(copy).expect("the dialogue was copied");
    let kind = |line| message(speaker, game, line)["type"].as_str().expect("a type").to_owned();
    text.lines().map(kind).collect()
}

#[test]
fn everything_said_in_real_matches_validates() {
    for (game, options) in GAMES {
        let folder = scratch();
        let (greedy, random) = (overheard("greedy"), overheard("random"));
        let line = format!("match --game {game} --quiet --seed 5");
        played(folder.path(), &line, &[&greedy, &random], options);
        for name in ["greedy", "random"] {
            let from_arena = types(Speaker::Arena, game, &folder.path().join(format!("{name}.in")));
            let from_bot = types(Speaker::Bot, game, &folder.path().join(format!("{name}.out")));
            let is_said = |kind: &str| from_arena.contains(kind);
            assert!(["hello", "start", "turn", "end"].into_iter().all(is_said), "{from_arena:?}");
            assert!(from_bot.iter().eq(["hello", "move", "ready"]), "{from_bot:?}");
        }
    }
}

#[test]
fn the_files_of_real_comparisons_validate() {
    for (rounds, status) in [("1", 3), ("16", 0)] {
        let folder = scratch();
        let line = format!("compare greedy random --quiet --max-rounds {rounds} --out played");
        let output = arena(folder.path(), &words(&line));
        assert_eq!(output.status.code(), Some(status), "{}", String::from_utf8_lossy(&output.stderr));
        let text = fs::read_to_string(folder.path().join("played/compare.json")).expect("it is there");
        check("compare", &text);
    }
}

#[test]
fn the_files_of_real_parts_validate() {
    for (game, options) in GAMES {
        let folder = scratch();
        let line = format!("tournament --game {game} --quiet --rounds 4 --seed 3 --shard 1/2 --out t");
        let play = || played(folder.path(), &line, &["greedy", "random"], options);
        play();
        let path = folder.path().join("t/shard-1-of-2.jsonl");
        // The second time, the shard continues a match of an unfinished file.
        let text = fs::read_to_string(&path).expect("a part");
        let first_lines: String = text.split_inclusive('\n').take(2).collect();
        fs::write(folder.path().join("t/shard-1-of-2.jsonl.tmp.elsewhere.17"), first_lines).expect("a file");
        fs::remove_file(&path).expect("it is there");
        play();
        let text = fs::read_to_string(&path).expect("a part");
        let mut kinds: Vec<String> = text
            .lines()
            .map(|line| {
                let kind = match line {
                    _ if line.starts_with("{\"shard\":") => "shard-head".to_owned(),
                    _ if line.starts_with("{\"end\":") => "shard-end".to_owned(),
                    _ => format!("record-{game}"),
                };
                check(&kind, line);
                kind
            })
            .collect();
        let record = format!("record-{game}");
        kinds.dedup();
        assert_eq!(kinds, ["shard-head", &record, "shard-head", &record, "shard-end"]);
    }
}

#[test]
fn the_files_of_real_tournaments_validate() {
    for (game, options) in GAMES {
        let folder = scratch();
        let broken = format!("broken={BROKEN}");
        let line = format!("tournament --game {game} --quiet --rounds 2 --seed 3 --out played");
        played(folder.path(), &line, &["greedy", "random", &broken], options);
        let dir = folder.path().join("played");
        let read = |file: &str| fs::read_to_string(dir.join(file)).expect("it is there");
        check(&format!("tournament-{game}"), &read("tournament.json"));
        let standings = check("standings", &read("standings.json"));
        assert!(standings.to_string().contains("first_fault"), "no fault was seen");
        for line in read("matches.jsonl").lines() {
            check(&format!("record-{game}"), line);
        }
    }
}
