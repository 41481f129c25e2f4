//! Recorded matches found by their results: `arena matches`, and the same options of other commands.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cli::{refused, said, stderr};
use crate::program::tables::records;
use crate::program::{arena, scratch, succeed, words};

/// A bot that exits at its third line: in its first turn.
pub(crate) const BROKEN: &str = "broken=sh -c 'read a; printf \"{\\\"type\\\":\\\"hello\\\",\\\"protocol\\\":1}\\n\"; read b; printf \"{\\\"type\\\":\\\"ready\\\"}\\n\"; read c; exit 3'";

/// A tournament of four bots at tables of two: 6 matches on each of 4 deals.
fn tournament(folder: &Path) {
    let bots = ["--bot", "mine=random", "--bot", "greedy", "--bot", "random", "--bot", BROKEN];
    let plan = ["tournament", "--quiet", "--seed", "3", "--rounds", "4", "--out", "t"];
    succeed(folder, &[&plan[..], &bots].concat());
}

pub(crate) fn seat_of(record: &Value, bot: &str) -> Option<usize> {
    record["bots"].as_array()?.iter().position(|name| name == bot)
}

/// Returns the score of `bot` minus the score of the other seat.
fn margin(record: &Value, bot: &str) -> i64 {
    let seat = seat_of(record, bot).expect("it plays");
    let score = |seat: usize| record["result"]["scores"][seat].as_i64().expect("a number");
    score(seat) - score(1 - seat)
}

/// Returns the numbers of the matches that `arena matches` lists.
fn listed(folder: &Path, options: &[&str]) -> Vec<u64> {
    let stdout = succeed(folder, &[&["matches", "t", "--format", "jsonl"], options].concat());
    let number = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["match"].as_u64();
    stdout.lines().map(|line| number(line).expect("a number")).collect()
}

#[test]
fn matches_are_listed_by_bots_results_faults_and_deals() {
    let folder = scratch();
    tournament(folder.path());
    let all = records(&folder.path().join("t"));
    let numbers = |is_it: &dyn Fn(&Value) -> bool| -> Vec<u64> {
        all.iter().filter(|record| is_it(record)).filter_map(|record| record["match"].as_u64()).collect()
    };
    let has = |record: &Value, bot: &str| seat_of(record, bot).is_some();
    let rank = |record: &Value, bot: &str| record["result"]["ranks"][seat_of(record, bot)?].as_u64();
    let list = |options: &[&str]| listed(folder.path(), options);
    assert_eq!(list(&[]), (0..24).collect::<Vec<u64>>());
    assert_eq!(list(&["--with", "mine"]), numbers(&|record| has(record, "mine")));
    let against = ["--with", "mine", "--against", "greedy"];
    assert_eq!(list(&against), numbers(&|record| has(record, "mine") && has(record, "greedy")));
    let lost = numbers(&|record| rank(record, "mine") == Some(2));
    assert!(lost.len() >= 4 && list(&["--with", "mine", "--lost"]) == lost, "{lost:?}");
    let first = numbers(&|record| rank(record, "mine") == Some(1));
    assert_eq!(list(&["--with", "mine", "--won", "--drawn"]), first);
    assert_eq!(list(&["--fault"]), numbers(&|record| has(record, "broken")));
    assert_eq!(list(&["--fault=exit", "--with", "broken"]), numbers(&|record| has(record, "broken")));
    assert_eq!(list(&["--fault=timeout"]), [0; 0]);
    assert_eq!(list(&["--fault", "--with", "greedy"]), [0; 0]);
    assert_eq!(list(&["--deal", "2"]), numbers(&|record| record["round"] == 1));
    assert_eq!(list(&["--match", "5"]), [5]);
    let mut worst: Vec<&Value> = all.iter().filter(|record| has(record, "mine")).collect();
    worst.sort_by_key(|record| (margin(record, "mine"), record["match"].as_u64()));
    let worst: Vec<u64> = worst.iter().filter_map(|record| record["match"].as_u64()).collect();
    assert_eq!(list(&["--with", "mine", "--worst", "3"]), worst[..3]);
    assert_eq!(list(&["--with", "mine", "--sort", "margin"]), worst);
    assert_eq!(list(&["--with", "mine", "--best", "1"]), worst[worst.len() - 1..]);
    assert_eq!(list(&["--sort", "number", "--reverse", "--first", "2"]), [23, 22]);
}

#[test]
fn the_worst_losses_open_replay_run_and_feed_by_the_same_options() {
    let folder = scratch();
    tournament(folder.path());
    let losses = ["--with", "mine", "--against", "greedy", "--lost", "--worst", "3"];
    let numbers = listed(folder.path(), &losses);
    assert_eq!(numbers.len(), 3);
    let with = |command: &str, more| succeed(folder.path(), &[&[command, "t"], &losses[..], more].concat());
    with("view", &[]);
    let pages = numbers.iter().filter(|number| folder.path().join(format!("match-{number}.html")).is_file());
    assert_eq!(pages.count(), 3);
    let stdout = with("replay", &["--quiet"]);
    let held =
        stdout.lines().filter_map(|line| line.strip_prefix("match ")?.split(' ').next()?.parse::<u64>().ok());
    assert_eq!(held.collect::<Vec<_>>(), numbers);
    assert_eq!(with("rerun", &[]).matches("decisions agree").count(), 3);
    // `feed` sends one match, by default to the bot of `--with`.
    let feed = [&["feed", "t"], &losses[..], &["--", "random"]].concat();
    refused(folder.path(), &feed, "3 matches are selected, and this command takes one");
    let stdout = succeed(folder.path(), &["feed", "t", "--with", "mine", "--worst", "1", "--", "random"]);
    assert!(stdout.starts_with("all ") && stdout.ends_with("answers agree\n"), "{stdout}");
}

#[test]
fn every_format_has_every_selected_match() {
    let folder = scratch();
    tournament(folder.path());
    let list =
        |options: &[&str]| succeed(folder.path(), &[&["matches", "t", "--with", "broken"], options].concat());
    let rows: Vec<Value> = serde_json::from_str(&list(&["--format", "json"])).expect("JSON");
    assert_eq!(rows.len(), 12);
    let seat = &rows[0]["seats"].as_array().expect("seats").iter().find(|seat| seat["bot"] == "broken");
    assert_eq!(seat.expect("it plays")["fault"]["kind"], "exit");
    let csv = list(&["--format", "csv"]);
    assert_eq!(csv.lines().count(), 1 + 24, "a row for each seat: {csv}");
    assert!(csv.starts_with("match,deal,seat,bot,score,rank,fault,fault_id,"), "{csv}");
    let decisions = list(&["--decisions", "--format", "csv"]);
    let recorded = records(&folder.path().join("t"));
    let of_broken = recorded.iter().filter(|record| seat_of(record, "broken").is_some());
    let count: usize = of_broken.map(|record| record["turns"].as_array().expect("turns").len()).sum();
    assert_eq!(decisions.lines().count(), 1 + count);
    let table = list(&[]);
    assert_eq!(table.lines().count(), 1 + 12, "{table}");
    assert!(table.contains("(exit in turn 1)"), "{table}");
}

#[test]
fn wrong_selections_are_refused_in_a_line() {
    let folder = scratch();
    tournament(folder.path());
    let is_without = |record: &&Value| seat_of(record, "mine").is_none();
    let without_mine =
        records(&folder.path().join("t")).iter().find(is_without).expect("bots pair up")["match"].to_string();
    let without_mine = format!("replay t --with mine --match {without_mine}");
    for (options, part) in [
        ("matches t --with mime", "no match has a bot \"mime\": there are"),
        ("view t --with mine --fault=id", "the options select no match"),
        ("matches t --lost", "--with"),
        ("matches t --with mine --against mine", "cannot play against itself"),
        ("matches t --fault=lost", "invalid value 'lost'"),
        ("matches t --deal 0", "0 is not in 1.."),
        (&without_mine, "\"mine\" does not play in that match"),
        ("view t --with mine --out x.html", "--out is for one match, and 12 are selected"),
    ] {
        refused(folder.path(), &words(options), part);
        assert!(fs::read_dir(folder.path()).expect("it is ours").count() == 1, "{options:?} wrote files");
    }
}

/// A bot that passes on every line to `random`, and writes to stderr when it starts and in each turn.
const TALKER: &str = r#"#!/bin/sh
echo "loaded" >&2
turn=0
while read -r line; do
    case $line in *'"type":"turn"'*) echo "--- match 0, seat 0 in $turn" >&2; turn=$((turn + 1)) ;; esac
    printf '%s\n' "$line"
done | "$1" bot random
"#;

#[test]
fn stderr_is_shown_with_its_turn() {
    let folder = scratch();
    let talker = folder.path().join("talker.sh");
    fs::write(&talker, TALKER).expect("a file");
    let bot = format!("talker=sh '{}' '{}'", talker.display(), env!("CARGO_BIN_EXE_arena"));
    let bots = ["--bot", &bot, "--bot", "greedy", "--seed", "5"];
    let stdout = succeed(folder.path(), &[&["match"], &bots[..]].concat());
    let lines: Vec<&str> = stdout.lines().collect();
    assert!(lines.contains(&"talker, start: loaded") && lines.len() < 70, "{stdout}");
    let own: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].starts_with("    stderr: ")).collect();
    assert_eq!(own.len(), 19);
    for (turn, &at) in own.iter().enumerate() {
        assert_eq!(lines[at], format!("    stderr: --- match 0, seat 0 in {turn}"));
        let moved = lines[at - 1];
        let place = match turn {
            0 => "start patches".to_owned(),
            turn => format!("round {}, turn {}", (turn - 1) / 6 + 1, (turn - 1) % 6 + 1),
        };
        assert!(moved.starts_with(&format!("turn {} ({place}), talker: ", turn + 1)), "{moved}");
        assert!(moved.ends_with(" ms") && (moved.contains(" cell") || moved.contains(": pass")), "{moved}");
    }
    let boards = succeed(folder.path(), &[&["match", "--boards"], &bots[..]].concat());
    assert!(boards.contains(". . . .") && boards.contains("\ntalker, turn 3: --- match 0"), "{boards}");
    let quiet = succeed(folder.path(), &[&["match", "--quiet"], &bots[..]].concat());
    assert!(!quiet.contains("talker, turn"), "{quiet}");
    // A tournament keeps it on demand, and what shows a match shows it beside the turn.
    succeed(
        folder.path(),
        &[&words("tournament --quiet --rounds 2 --out t --keep-stderr")[..], &bots].concat(),
    );
    for number in ["0", "1"] {
        let shown = succeed(folder.path(), &["replay", "t", "--match", number]);
        assert!(shown.contains("\ntalker: loaded\n"), "{shown}");
        let mut turn = None;
        let mut found = 0;
        for line in shown.lines() {
            turn = line.strip_prefix("turn ").map_or(turn, |rest| rest.split(',').next());
            if let Some(text) = line.strip_prefix("    stderr: ") {
                let id: u32 = text.rsplit(' ').next().and_then(|id| id.parse().ok()).expect("a number");
                assert_eq!(Some(&*(id + 1).to_string()), turn, "{line}");
                found += 1;
            }
        }
        assert_eq!(found, 19, "{shown}");
        succeed(folder.path(), &["view", "t", "--match", number]);
        let page = fs::read_to_string(folder.path().join(format!("match-{number}.html"))).expect("a page");
        assert!(page.contains("loaded\\n--- match 0, seat 0 in 0\\n"), "it is in the first turn");
    }
}

#[test]
fn rerun_names_the_files_that_have_changed() {
    let folder = scratch();
    let path = folder.path().join("bot.sh");
    let script = |text: &str| format!("# {text}\nexec {} bot random\n", env!("CARGO_BIN_EXE_arena"));
    fs::write(&path, script("one")).expect("a file");
    let plan = ["tournament", "--quiet", "--rounds", "1", "--seed", "1", "--out", "t"];
    succeed(folder.path(), &[&plan[..], &["--bot", "mine=sh bot.sh", "--bot", "greedy"]].concat());
    let rerun = |more: &[&str]| said(folder.path(), &[&["rerun", "t", "--match", "0"], more].concat(), 0);
    assert!(!rerun(&[]).contains("has changed"));
    fs::write(&path, script("two")).expect("a file");
    let stderr = rerun(&[]);
    assert!(stderr.contains("bot.sh of mine has changed since the record"), "{stderr}");
    assert!(!rerun(&["--bot", "mine=random"]).contains("has changed"));
}

#[test]
fn a_match_names_the_other_game_to_a_bot_that_fails_at_once() {
    let folder = scratch();
    let stderr = |arguments: &[&str]| stderr(&arena(folder.path(), arguments));
    let note = "this match is doodle; --game patchwork plays the other game";
    let failing = ["match", "--quiet", "--bot", BROKEN, "--bot", "greedy"];
    assert!(stderr(&failing).contains(note));
    assert!(!stderr(&[&failing[..], &["--game", "doodle"]].concat()).contains(note));
    assert!(!stderr(&["match", "--quiet"]).contains(note));
}

/// The recipe of `docs/reference/recipes.md`, under the default sandbox.
#[test]
fn a_conversation_is_recorded_with_tee() {
    let folder = scratch();
    fs::create_dir(folder.path().join("talk")).expect("a folder");
    let own = env!("CARGO_BIN_EXE_arena");
    let bot = format!("mine=sh -c \"tee talk/in.txt | {own} bot random | tee talk/out.txt\"");
    let args = ["match", "--quiet", "--write", "talk", "--bot", &bot, "--bot", "greedy"];
    let stdout = succeed(folder.path(), &args);
    assert!(!stdout.contains("out by"), "{stdout}");
    let lines = |name: &str| fs::read_to_string(folder.path().join("talk").join(name)).expect("a recording");
    assert!(lines("in.txt").starts_with("{\"type\":\"hello\""));
    let moves = lines("out.txt").lines().filter(|line| line.starts_with("{\"type\":\"move\"")).count();
    assert_eq!(moves, 19);
}
