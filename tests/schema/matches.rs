//! Validates real matches against the schemas: every message and every file that they leave.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

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

fn arena(folder: &Path, arguments: &[&str]) {
    let output = crate::program::command()
        .args(arguments)
        .args(OPTIONS)
        .current_dir(folder)
        .output()
        .expect("it runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {}\n{stderr}", output.status);
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
        let folder = tempfile::tempdir().expect("a scratch folder");
        let (greedy, random) = (overheard("greedy"), overheard("random"));
        let bots = ["match", "--game", game, "--quiet", "--seed", "5", "--bot", &greedy, "--bot", &random];
        arena(folder.path(), &[&bots, options].concat());
        for name in ["greedy", "random"] {
            let from_arena = types(Speaker::Arena, game, &folder.path().join(format!("{name}.in")));
            let from_bot = types(Speaker::Bot, game, &folder.path().join(format!("{name}.out")));
            assert!(
                ["hello", "start", "turn", "end"].iter().all(|kind| from_arena.contains(*kind)),
                "{from_arena:?}"
            );
            assert!(from_bot.iter().eq(["hello", "move", "ready"]), "{from_bot:?}");
        }
    }
}

#[test]
fn the_files_of_real_comparisons_validate() {
    for (rounds, status) in [("1", 3), ("16", 0)] {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let arguments = ["compare", "greedy", "random", "--quiet", "--max-rounds", rounds, "--out", "played"];
        let output =
            crate::program::command().args(arguments).current_dir(folder.path()).output().expect("it runs");
        assert_eq!(output.status.code(), Some(status), "{}", String::from_utf8_lossy(&output.stderr));
        let text = fs::read_to_string(folder.path().join("played/compare.json")).expect("it is there");
        let value = serde_json::from_str(&text).expect("JSON");
        validate("compare", &value).unwrap_or_else(|why| panic!("{why}: {text}"));
    }
}

#[test]
fn the_files_of_real_parts_validate() {
    for (game, options) in GAMES {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let part =
            ["tournament", "--game", game, "--quiet", "--rounds", "4", "--seed", "3", "--shard", "1/2"];
        let part = [&part[..], &["--out", "t", "--bot", "greedy", "--bot", "random"], options].concat();
        arena(folder.path(), &part);
        let path = folder.path().join("t/shard-1-of-2.jsonl");
        // The second time, the shard continues a match of an unfinished file.
        let text = fs::read_to_string(&path).expect("a part");
        let first_lines: String = text.split_inclusive('\n').take(2).collect();
        fs::write(folder.path().join("t/shard-1-of-2.jsonl.tmp.elsewhere.17"), first_lines).expect("a file");
        fs::remove_file(&path).expect("it is there");
        arena(folder.path(), &part);
        let text = fs::read_to_string(&path).expect("a part");
        let mut kinds: Vec<String> = text
            .lines()
            .map(|line| {
                let value: Value = serde_json::from_str(line).expect("JSON");
                let kind = match line {
                    _ if line.starts_with("{\"shard\":") => "shard-head".to_owned(),
                    _ if line.starts_with("{\"end\":") => "shard-end".to_owned(),
                    _ => format!("record-{game}"),
                };
                validate(&kind, &value).unwrap_or_else(|why| panic!("{why}: {line}"));
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
        let folder = tempfile::tempdir().expect("a scratch folder");
        let broken = format!("broken={BROKEN}");
        let bots =
            ["tournament", "--game", game, "--quiet", "--rounds", "2", "--seed", "3", "--out", "played"];
        let bots = [&bots[..], &["--bot", "greedy", "--bot", "random", "--bot", &broken]].concat();
        arena(folder.path(), &[&bots, options].concat());
        let read =
            |file: &str| fs::read_to_string(folder.path().join("played").join(file)).expect("it is there");
        let check = |schema: &str, text: &str| -> Value {
            let value = serde_json::from_str(text).expect("JSON");
            validate(schema, &value).unwrap_or_else(|why| panic!("{why}: {text}"));
            value
        };
        check(&format!("tournament-{game}"), &read("tournament.json"));
        let standings = check("standings", &read("standings.json"));
        assert!(standings.to_string().contains("first_fault"), "no fault was seen");
        for line in read("matches.jsonl").lines() {
            check(&format!("record-{game}"), line);
        }
    }
}
