//! `arena export --states`: each decision with the state that its bot saw, the number of its move, and the result.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::cli::{refused, typed};
use crate::program::{arena, scratch, succeed, words};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// Asks the oracle about all states at once.
fn numbered(folder: &Path, game: &str, states: &[Value]) -> Vec<Value> {
    let mut oracle = crate::program::command();
    oracle.current_dir(folder).args(["moves", "--numbers", "--game", game]);
    let mut oracle = oracle.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the arena starts");
    let mut input = oracle.stdin.take().expect("a pipe");
    let queries: Vec<Value> =
        states.iter().map(|line| json!({ "state": line["state"], "seat": line["seat"] })).collect();
    let writer = std::thread::spawn(move || {
        queries.iter().for_each(|query| writeln!(input, "{query}").expect("the oracle reads"));
    });
    let output = oracle.wait_with_output().expect("it answers");
    assert!(output.status.success(), "the oracle fails");
    writer.join().expect("all queries are written");
    lines(&String::from_utf8_lossy(&output.stdout))
}

#[test]
fn decisions_are_exported_with_states_numbers_and_points_to_come() {
    let folder = scratch();
    for (game, decisions) in [("doodle", 3 * 2 * 19), ("patchwork", 3 * 2 * 20)] {
        let played = format!("tournament --quiet --game {game} --seed 3 --rounds 3 --out {game}");
        // A bot that fails has no decisions after its fault.
        let fails = r#"fails=sh -c 'read a; echo "{\"type\":\"hello\",\"protocol\":1}"; read b; echo "{\"type\":\"ready\"}"; read c'"#;
        let bots = ["--bot", "greedy", "--bot", "random", "--bot", fails];
        succeed(folder.path(), &[&words(&played)[..], &bots].concat());
        let all = lines(&succeed(folder.path(), &["export", game, "--states"]));
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
        let [score, to_come] = ["score", "to_come"].map(|field| first[field].as_i64().expect("points"));
        assert_eq!(score - to_come, now);

        let mine = lines(&typed(folder.path(), &format!("export {game} --states --bot random --first 2")));
        let is_mine = |line: &Value| line["bot"] == "random" && line["match"].as_u64() < Some(9);
        assert!(!mine.is_empty() && mine.iter().all(is_mine));
    }
}

#[test]
fn moves_that_were_given_with_a_position_are_left_out() {
    let folder = scratch();
    let played = "match --quiet --game patchwork --seed 1 --bot random --bot other=random";
    typed(folder.path(), &format!("{played} --record one.json"));
    typed(folder.path(), &format!("{played} --from one.json@6 --record two.json"));
    let first = |file: &str| lines(&succeed(folder.path(), &["export", file, "--states"]))[0]["id"].clone();
    assert_eq!([first("one.json"), first("two.json")], [json!(0), json!(6)]);
}

#[test]
fn what_cannot_be_exported_is_said_in_a_line() {
    let folder = scratch();
    typed(folder.path(), "match --quiet --seed 1 --bot random --record one.json");
    for (line, said) in [
        ("export one.json", "--states"),
        ("export one.json --states --bot nobody", "no selected match has a bot named \"nobody\""),
        ("export nowhere --states", "cannot read"),
    ] {
        refused(folder.path(), &words(line), said);
    }
    let mut record = std::fs::read_to_string(folder.path().join("one.json")).expect("a record");
    record = record.replacen("\"P", "\"Q", 1);
    std::fs::write(folder.path().join("one.json"), record).expect("a record");
    let output = arena(folder.path(), &["export", "one.json", "--states"]);
    assert!(!output.status.success() && output.stdout.is_empty(), "a changed record is no data");
}
