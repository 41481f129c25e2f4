//! `arena export --states`: each decision with the state that its bot saw, the number of its move, and the result.

use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

fn arena(folder: &Path, args: &[&str]) -> Output {
    crate::program::command().current_dir(folder).args(args).output().expect("the arena starts")
}

fn lines(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// Asks the oracle about all states at once.
fn numbered(folder: &Path, game: &str, states: &[Value]) -> Vec<Value> {
    let mut oracle = crate::program::command()
        .current_dir(folder)
        .args(["moves", "--numbers", "--game", game])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the arena starts");
    let mut input = oracle.stdin.take().expect("a pipe");
    let queries: Vec<Value> =
        states.iter().map(|line| json!({ "state": line["state"], "seat": line["seat"] })).collect();
    let writer = std::thread::spawn(move || {
        queries.iter().for_each(|query| writeln!(input, "{query}").expect("the oracle reads"));
    });
    let answers = lines(&oracle.wait_with_output().expect("it answers"));
    writer.join().expect("all queries are written");
    answers
}

#[test]
fn decisions_are_exported_with_states_numbers_and_points_to_come() {
    let folder = tempfile::tempdir().expect("a folder");
    for (game, decisions) in [("doodle", 3 * 2 * 19), ("patchwork", 3 * 2 * 20)] {
        let played = ["tournament", "--quiet", "--game", game, "--seed", "3", "--rounds", "3", "--out", game];
        // A bot that fails has no decisions after its fault.
        let fails = r#"fails=sh -c 'read a; echo "{\"type\":\"hello\",\"protocol\":1}"; read b; echo "{\"type\":\"ready\"}"; read c'"#;
        let bots = ["--bot", "greedy", "--bot", "random", "--bot", fails];
        let output = arena(folder.path(), &[&played[..], &bots].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let all = lines(&arena(folder.path(), &["export", game, "--states"]));
        let of = |bot: &str| all.iter().filter(|line| line["bot"] == bot).count();
        assert!(of("greedy") + of("random") >= decisions && of("fails") == 0, "{game}: {}", all.len());

        // Early states of doodle have hundreds of thousands of moves.
        let few: Vec<Value> =
            all.iter().filter(|line| game == "patchwork" || line["id"] == 0).cloned().collect();
        let answers = numbered(folder.path(), game, &few);
        assert_eq!(answers.len(), few.len());
        for (line, answer) in few.iter().zip(&answers) {
            let numbers = answer["numbers"].as_array().expect("numbers");
            assert_eq!(numbers.len() as u64, answer["count"], "one for each move");
            assert!(numbers.contains(&line["action"]), "{game} {}: {}", line["match"], line["action"]);
        }
        let first = &all[0];
        let now = if game == "doodle" { -81 } else { 5 - 2 * 81 };
        assert_eq!(
            first["score"].as_i64().expect("points") - first["to_come"].as_i64().expect("points"),
            now
        );

        let mine =
            lines(&arena(folder.path(), &["export", game, "--states", "--bot", "random", "--first", "2"]));
        assert!(
            !mine.is_empty()
                && mine.iter().all(|line| line["bot"] == "random" && line["match"].as_u64() < Some(9))
        );
    }
}

#[test]
fn moves_that_were_given_with_a_position_are_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let played = [
        "match",
        "--quiet",
        "--game",
        "patchwork",
        "--seed",
        "1",
        "--bot",
        "random",
        "--bot",
        "other=random",
    ];
    assert!(arena(folder.path(), &[&played[..], &["--record", "one.json"]].concat()).status.success());
    let from = [&played[..], &["--from", "one.json@6", "--record", "two.json"]].concat();
    let output = arena(folder.path(), &from);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let first = |file: &str| lines(&arena(folder.path(), &["export", file, "--states"]))[0]["id"].clone();
    assert_eq!([first("one.json"), first("two.json")], [json!(0), json!(6)]);
}

#[test]
fn what_cannot_be_exported_is_said_in_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let match_ = ["match", "--quiet", "--seed", "1", "--bot", "random", "--record", "one.json"];
    assert!(arena(folder.path(), &match_).status.success());
    for (args, said) in [
        (&["export", "one.json"][..], "--states"),
        (
            &["export", "one.json", "--states", "--bot", "nobody"],
            "no selected match has a bot named \"nobody\"",
        ),
        (&["export", "nowhere", "--states"], "cannot read"),
    ] {
        let output = arena(folder.path(), args);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && stderr.contains(said), "{args:?}: {stderr}");
    }
    let mut record = std::fs::read_to_string(folder.path().join("one.json")).expect("a record");
    record = record.replacen("\"P", "\"Q", 1);
    std::fs::write(folder.path().join("one.json"), record).expect("a record");
    let output = arena(folder.path(), &["export", "one.json", "--states"]);
    assert!(!output.status.success() && output.stdout.is_empty(), "a changed record is no data");
}
