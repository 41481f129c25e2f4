//! Matches that start in a position: they go on as recorded, or on cards dealt anew, alike on every way to play them.

mod naive;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use engine::doodle::Doodle;
use engine::patchwork::Patchwork;
use needs::sized;
use referee::games::GameKind;
use referee::play::Position;
use referee::record::MatchRecord;
use serde_json::{Value, json};

use crate::program::tables::{lines_in, records, sealed, standings};
use crate::program::{arena, command, scratch, succeed};

/// Returns the entry of a bot with a budget in nodes.
fn planner() -> String {
    format!("planner={} bot planner --nodes 40", env!("CARGO_BIN_EXE_arena"))
}

/// Plays a tournament into this folder.
fn play(folder: &Path, out: &str, options: &[&str]) -> Vec<Value> {
    succeed(folder, &[&["tournament", "--seed", "3", "--quiet", "--out", out], options].concat());
    records(&folder.join(out))
}

/// Returns the positions before each decision of these records.
fn positions<G: GameKind>(records: &[Value], is_whole: bool) -> Vec<String> {
    let of = |record: &Value| {
        let record: MatchRecord<G> = serde_json::from_value(record.clone()).expect("a record");
        let mut ids: Vec<u32> = record.turns.iter().map(|turn| turn.id).collect();
        ids.dedup();
        let position = |id| Position::of_record(&record, id, is_whole).expect("no bot fails").to_line();
        ids.into_iter().map(position).collect::<Vec<_>>()
    };
    records.iter().flat_map(of).collect()
}

fn write(folder: &Path, lines: &[String]) {
    fs::write(folder.join("positions.jsonl"), lines.join("\n") + "\n").expect("a file");
}

/// Returns the seats and moves of a record.
fn moves(record: &Value) -> Vec<[Value; 3]> {
    let turns = record["turns"].as_array().expect("turns").iter();
    turns.map(|turn| [&turn["id"], &turn["seat"], &turn["move"]].map(Value::clone)).collect()
}

#[test]
fn from_every_turn_the_rest_is_the_recorded_rest() {
    fn goes_on<G: GameKind>(bots: [&str; 2]) {
        let (rounds, every) = (sized("1", "2", "50"), sized(3, 1, 1));
        let folder = scratch();
        let bots = ["--game", G::NAME, "--bot", bots[0], "--bot", bots[1]];
        let recorded = play(folder.path(), "recorded", &[&bots[..], &["--rounds", rounds]].concat());
        let options = ["--positions", "positions.jsonl", "--deal-as-recorded"];
        let all: Vec<String> = positions::<G>(&recorded, true).into_iter().step_by(every).collect();
        // A tournament has a bound for the size of its positions.
        let parts = all.chunks(1_000).enumerate().flat_map(|(number, part)| {
            write(folder.path(), part);
            let out = format!("again-{number}");
            let played = play(folder.path(), &out, &[&bots[..], &options].concat());
            assert_eq!(standings(&folder.path().join(&out))["matches"], json!(played.len()));
            succeed(folder.path(), &["replay", &out]);
            played
        });
        let again: Vec<Value> = parts.collect();
        let mut found = BTreeSet::new();
        for record in &again {
            let given = record["start"]["turns"].as_u64().expect("a number") as usize;
            let is_it = |other: &&Value| {
                other["deal"] == record["deal"]
                    && other["bots"] == record["bots"]
                    && moves(other).starts_with(&moves(record)[..given])
            };
            let Some(recorded) = recorded.iter().find(is_it) else { continue };
            assert_eq!(moves(record), moves(recorded));
            assert_eq!(
                (&record["result"], &record["start"]["future"]),
                (&recorded["result"], &json!("recorded"))
            );
            let turns = record["turns"].as_array().expect("turns");
            assert!(turns[..given].iter().all(|turn| turn["us"].is_null()), "given moves have no times");
            found.insert((recorded["match"].as_u64(), given));
        }
        assert_eq!(found.len(), all.len(), "each position with the bots in their recorded seats");
    }
    goes_on::<Doodle>(["greedy", "other=greedy"]);
    goes_on::<Patchwork>(["greedy", &planner()]);
}

#[test]
fn a_rerun_from_a_turn_agrees_and_names_the_first_difference() {
    let folder = scratch();
    let bots = ["--game", "patchwork", "--bot", "greedy", "--bot", &planner(), "--rounds", "1"];
    play(folder.path(), "pw", &bots);
    let said = succeed(folder.path(), &["rerun", "--from", "pw#1@9"]);
    assert!(said.starts_with("match 1: all ") && said.contains(" decisions agree"), "{said}");
    let other = arena(folder.path(), &["rerun", "--from", "pw#1@9", "--bot", "greedy=random"]);
    assert_eq!(other.status.code(), Some(1));
    let record = ["match", "--from", "pw#0@5", "--bot", "greedy", "--bot", "random", "--record", "m.json"];
    succeed(folder.path(), &[&record[..], &["--seed", "8"]].concat());
    succeed(folder.path(), &["replay", "m.json"]);
    succeed(folder.path(), &["rerun", "m.json", "--bot", "greedy=greedy", "--bot", "random=random"]);
    succeed(folder.path(), &["view", "m.json", "--out", "m.html"]);
    let seat = ["feed", "m.json", "--seat", "1", "--", "random"];
    assert_eq!(succeed(folder.path(), &seat), succeed(folder.path(), &seat));
    assert!(succeed(folder.path(), &seat).contains("answers agree"));
}

/// One job or four, killed and resumed or not, with solitary bots or without: the same matches.
#[test]
fn however_positions_are_played_the_matches_are_the_same() {
    fn check<G: GameKind>(bots: [&str; 2]) {
        let folder = scratch();
        let path = folder.path();
        let recorded = play(path, "recorded", &["--game", G::NAME, "--rounds", "1"]);
        let lines = positions::<G>(&recorded, false);
        let lines: Vec<String> = lines.into_iter().step_by(sized(4, 2, 1)).collect();
        write(path, &lines);
        let bots = ["--positions", "positions.jsonl", "--bot", bots[0], "--bot", bots[1]];
        let once = play(path, "once", &[&bots[..], &["--jobs", "1"]].concat());
        assert_eq!(once.len(), 2 * lines.len(), "each line in both seatings");
        for pair in once.chunks(2) {
            assert_eq!([&pair[0]["deal"], &pair[0]["seed"]], [&pair[1]["deal"], &pair[1]["seed"]]);
            assert_ne!(pair[0]["bots"], pair[1]["bots"]);
        }
        let digest = standings(&path.join("once"))["digest"].clone();
        play(path, "four", &[&bots[..], &["--jobs", "4", "--no-solitary"]].concat());
        assert_eq!(standings(&path.join("four"))["digest"], digest);
        let args = ["tournament", "--seed", "3", "--quiet", "--out", "killed", "--jobs", "2"];
        let mut child = command();
        child.current_dir(path).args(args).args(bots).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = child.spawn().expect("it starts");
        while lines_in(&path.join("killed/matches.jsonl")) < 3 {
            assert!(child.try_wait().expect("it is ours").is_none_or(|status| status.success()));
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
        succeed(path, &["tournament", "--resume", "--quiet", "--out", "killed"]);
        assert_eq!(standings(&path.join("killed"))["digest"], digest);
        for part in ["0/2", "1/2"] {
            let shard = ["tournament", "--seed", "3", "--quiet", "--out", "parts", "--shard", part];
            succeed(path, &[&shard[..], &bots].concat());
        }
        succeed(path, &["merge", "parts", "--out", "joined"]);
        assert_eq!(standings(&path.join("joined"))["digest"], digest);
    }
    check::<Doodle>(["greedy", "random"]);
    check::<Patchwork>(["greedy", "random"]);
}

#[test]
fn a_position_shows_nothing_hidden_and_its_future_is_proven() {
    let folder = scratch();
    let path = folder.path();
    let recorded = play(path, "recorded", &["--rounds", "1"]);
    for (turn, cards) in [(0, 8), (6, 8), (7, 14), (12, 14), (13, 20), (18, 20)] {
        let line = succeed(path, &["matches", "recorded", "--match", "0", "--position", &turn.to_string()]);
        let position: Value = serde_json::from_str(&line).expect("a line");
        let deal = &position["deal"];
        let seen = [&deal["deck"], &deal["dice"]].map(|list| list.as_array().expect("a list").len());
        assert_eq!(seen, [cards, (turn as usize).min(17)], "turn {turn}");
    }
    write(path, &positions::<Doodle>(&recorded, false)[8..9]);
    let played = play(path, "anew", &["--positions", "positions.jsonl", "--rounds", "3"]);
    let decks: Vec<&Value> = played.iter().map(|record| &record["deal"]["deck"]).collect();
    assert!(decks[0] == decks[1] && decks[2] == decks[3] && decks[4] == decks[5], "seats share a future");
    assert!(decks[0] != decks[2] && decks[2] != decks[4], "each round has another");
    assert_ne!(decks[0], &recorded[0]["deal"]["deck"]);
    let journal = path.join("anew/matches.jsonl");
    let text = fs::read_to_string(&journal).expect("a journal");
    for (what, from, to) in [
        ("another seed of the future", "\"future\":", "\"future\":1"),
        ("fewer given moves", "\"start\":{\"turns\":16", "\"start\":{\"turns\":14"),
        ("a future as recorded", &format!("\"future\":{}", played[0]["seed"]), "\"future\":\"recorded\""),
        ("no position", ",\"start\":{", ",\"begin\":{"),
    ] {
        assert!(text.contains(from), "{what}");
        fs::write(&journal, sealed(&text.replacen(from, to, 1))).expect("a journal");
        assert_eq!(arena(path, &["replay", "anew"]).status.code(), Some(1), "{what}");
    }
}

/// Games in the middle of which cards are dealt anew are judged by a second implementation of the rules.
#[test]
fn the_naive_rules_agree_on_continued_games() {
    fn check<G: GameKind>(judge: fn(&Value) -> Vec<i64>) {
        let (rounds, games) = sized(("2", 40), ("2", 80), ("40", 3_000));
        let folder = scratch();
        let bots = ["--game", G::NAME, "--bot", "random", "--bot", "novice"];
        let recorded = play(folder.path(), "recorded", &[&bots[..], &["--rounds", rounds]].concat());
        write(folder.path(), &positions::<G>(&recorded, false));
        let options = ["--positions", "positions.jsonl", "--reuse"];
        let rounds = (games / 2).to_string();
        let played = play(folder.path(), "played", &[&bots[..], &options, &["--rounds", &rounds]].concat());
        assert_eq!(played.len(), games);
        for record in &played {
            let scores: Vec<i64> =
                serde_json::from_value(record["result"]["scores"].clone()).expect("scores");
            assert_eq!(judge(record), scores, "match {}", record["match"]);
        }
    }
    check::<Doodle>(naive::doodle_scores);
    check::<Patchwork>(naive::patchwork_scores);
}

#[test]
fn wrong_positions_are_told_in_a_line_with_their_place() {
    let folder = scratch();
    let path = folder.path();
    let recorded = play(path, "recorded", &["--rounds", "1", "--game", "patchwork"]);
    let line = positions::<Patchwork>(&recorded, false).swap_remove(3);
    let other = |change: &dyn Fn(&mut Value)| {
        let mut value: Value = serde_json::from_str(&line).expect("a position");
        change(&mut value);
        value.to_string()
    };
    let doodle = play(path, "doodle", &["--rounds", "1"]);
    let mut half: Value = serde_json::from_str(&positions::<Doodle>(&doodle, false)[4]).expect("a position");
    half["moves"].as_array_mut().expect("moves").pop();
    let cut = &positions::<Doodle>(&doodle, false)[4];
    for (text, why) in [
        (String::new(), "has no position"),
        ("{}".to_owned(), "line 1: not a position"),
        (other(&|position| position["game"] = json!("chess")), "line 1: there is no game \"chess\""),
        (other(&|position| position["moves"][1][1] = json!({"advance": true, "x": 1})), "line 1"),
        (other(&|position| position["moves"][0][0] = json!(1)), "line 1: move 0, of seat 1 in turn 0"),
        (other(&|position| position["moves"][0][0] = json!(7)), "line 1: move 0, of seat 7 in turn 0"),
        (other(&|position| position["deal"]["circle"][0] = json!("W99")), "line 1"),
        (
            line.clone() + "\n" + &other(&|position| position["rules"]["leather"] = json!("revised")),
            "line 2: its rules",
        ),
        (format!("{half}"), "line 1: some seats have moved in turn 3 and others have not"),
        (line.clone() + "\n" + cut, "line 2"),
    ] {
        fs::write(path.join("positions.jsonl"), text + "\n").expect("a file");
        let said = arena(path, &["tournament", "--positions", "positions.jsonl", "--out", "none"]);
        let stderr = String::from_utf8_lossy(&said.stderr);
        assert_eq!(said.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(why) && stderr.lines().count() <= 2, "{why}: {stderr}");
        assert!(!path.join("none").exists(), "{why}");
    }
    fs::write(path.join("positions.jsonl"), format!("{line}\n{line}\n")).expect("a file");
    for (args, why) in [
        (&["match", "--from", "recorded#0@900"][..], "match 0 has no turn 900"),
        (&["match", "--from", "recorded#90@1"], "there is no match 90"),
        (&["match", "--from", "recorded@1"], "has several matches"),
        (&["match", "--from", "positions.jsonl"], "the file has 2 positions"),
        (&["match", "--from", "positions.jsonl:3"], "no position in line 3"),
        (&["match", "--from", "nowhere.jsonl"], "cannot read nowhere.jsonl"),
        (&["match", "--from", "recorded"], "recorded is a directory"),
        (&["match", "--from", "positions.jsonl:1", "--game", "doodle"], "line 1"),
        (&["match", "--from", "positions.jsonl:1", "--leather", "revised"], "the position has its rules"),
        (&["match", "--from", "positions.jsonl:1", "--bot", "greedy"], "the position has 2 seats"),
        (&["rerun", "--from", "positions.jsonl:1"], "a file of positions has no bots"),
        (&["tournament", "--positions", "positions.jsonl", "--seats", "3"], "the positions have 2 seats"),
        (&["tournament", "--deal-as-recorded"], "is for --positions"),
        (
            &["tournament", "--positions", "positions.jsonl", "--deal-as-recorded", "--contain", "strict"],
            "is not for --contain strict",
        ),
        (&["matches", "recorded", "--match", "0", "--position", "900"], "match 0 has no turn 900"),
    ] {
        let said = arena(path, args);
        let stderr = String::from_utf8_lossy(&said.stderr);
        assert_eq!(said.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(why) && stderr.lines().count() <= 2, "{why}: {stderr}");
    }
    let fails = "broken=sh -c 'read l; echo {\\\"type\\\":\\\"hello\\\",\\\"protocol\\\":1}; read l; echo {\\\"type\\\":\\\"ready\\\"}; read l; echo no'";
    let args = ["match", "--bot", fails, "--bot", "greedy", "--record", "fault.json"];
    succeed(path, &args);
    let said = arena(path, &["matches", "fault.json", "--position", "1"]);
    let stderr = String::from_utf8_lossy(&said.stderr);
    assert!(stderr.contains("broken was put out in turn 0, before turn 1"), "{stderr}");
}

#[test]
fn more_positions_than_a_tournament_has_room_for_are_refused() {
    let folder = scratch();
    let recorded = play(folder.path(), "recorded", &["--rounds", "1", "--game", "patchwork"]);
    let line = positions::<Patchwork>(&recorded, true).pop().expect("a position");
    let count = (9 << 20) / line.len();
    write(folder.path(), &vec![line; count]);
    let said = arena(folder.path(), &["tournament", "--positions", "positions.jsonl", "--out", "none"]);
    let stderr = String::from_utf8_lossy(&said.stderr);
    assert_eq!(said.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains(&format!("{count} positions are too many: they take 8 MiB")), "{stderr}");
    assert!(!folder.path().join("none").exists());
}
