//! `--freeze` from the command line: its default, its entry in the plan, and the report about bots that
//! compute in the turns of others.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cli::{json, said, typed};
use crate::program::tables::records;
use crate::program::{arena, scratch, succeed, words};

const ARENA: &str = env!("CARGO_BIN_EXE_arena");
/// CPU time in microseconds a match outside of its turns, from which the remark names a bot.
const TOLD_US: u64 = 10_000;
const REMARK: &str = "Processor time outside of their turns";

/// Plays a tournament into `out` and returns its plan.
fn plan(folder: &Path, out: &str, more: &str) -> Value {
    let common = "tournament --quiet --seed 3 --rounds 1 --bot random --bot greedy";
    typed(folder, &format!("{common} --out {out} {more}"));
    json(&folder.join(out).join("tournament.json"))
}

fn digest(folder: &Path, out: &str) -> Value {
    json(&folder.join(out).join("standings.json"))["digest"].clone()
}

#[test]
fn bots_are_stopped_at_patchwork_unless_it_is_said_otherwise_and_no_digest_depends_on_it() {
    let folder = scratch();
    fs::write(folder.path().join("league.toml"), "[limits]\nfreeze = false\n").expect("a file");
    for (out, game, more, is_frozen) in [
        ("default", "patchwork", "", true),
        ("not", "patchwork", "--no-freeze", false),
        ("league", "patchwork", "league.toml", false),
        ("override", "patchwork", "league.toml --freeze", true),
        ("kept", "patchwork", "--reuse", true),
        ("kept-not", "patchwork", "--reuse --no-freeze", false),
        ("doodle", "doodle", "", false),
        ("doodle-frozen", "doodle", "--freeze", true),
    ] {
        let plan = plan(folder.path(), out, &format!("--game {game} {more}"));
        assert_eq!(plan["freeze"].as_bool().unwrap_or(false), is_frozen, "{out}");
        let holds = plan["containment"]["held"].as_array().expect("a list").contains(&"cgroup".into());
        let how = if !is_frozen { "off" } else { ["best-effort", "complete"][usize::from(holds)] };
        assert_eq!(plan["containment"]["freeze"], how, "{out}");
        let first = if game == "doodle" { "doodle" } else { "default" };
        assert_eq!(digest(folder.path(), out), digest(folder.path(), first));
    }
}

#[test]
fn a_tournament_goes_on_and_a_match_is_played_again_as_it_was_begun() {
    let folder = scratch();
    plan(folder.path(), "out", "--game patchwork --no-freeze");
    let resume = "tournament --quiet --resume --out out --rounds 2";
    typed(folder.path(), resume);
    let after = json(&folder.path().join("out/tournament.json"));
    assert_eq!((&after["freeze"], &after["changes"]), (&Value::Null, &Value::Null));
    let changed = arena(folder.path(), &words(&format!("{resume} --freeze")));
    let stderr = String::from_utf8_lossy(&changed.stderr);
    assert!(stderr.contains("bots are stopped outside of their turns instead of not stopped"), "{stderr}");
    for option in ["", "--freeze"] {
        assert!(typed(folder.path(), &format!("rerun out --match 1 {option}")).contains("decisions agree"));
    }
}

/// Without seccomp a bot can leave the frozen process group. The arena says so once.
#[test]
fn what_is_best_effort_is_said() {
    let folder = scratch();
    let bot = format!("mine={ARENA} bot random");
    for (option, times) in [("--freeze", 1), ("--no-freeze", 0)] {
        let args = words("match --quiet --seed 1 --contain off --bot");
        let stderr = said(folder.path(), &[&args[..], &[&bot, "--bot", "greedy", option]].concat(), 0);
        assert_eq!(stderr.matches("best effort").count(), times, "{stderr}");
    }
}

/// Doodle asks all seats at once. A bot that answers first and then computes takes CPU time from the others.
#[test]
fn who_computes_after_its_answer_is_out_and_the_others_play_on() {
    let folder = scratch();
    let faults = |move_time: &str, sleep: &str| {
        let [burner, slow] = burner_and_slow(sleep);
        let limits = ["--move-time", move_time, "--match-time", "10m", "--record", "record.json"];
        let args = ["match", "--quiet", "--seed", "1", "--bot", &burner, "--bot", &slow];
        succeed(folder.path(), &[&args[..], &limits].concat());
        json(&folder.path().join("record.json"))["result"]["faults"].clone()
    };
    assert_eq!(faults("60s", "0.2"), serde_json::json!([null, null]));
    // The bound is as long as a turn. On a busy machine, the burner may get too little CPU time to reach it,
    // or the other bot may get too little to answer. Longer turns give both more time.
    let mut found = Vec::new();
    let is_reported = [("1s", "0.4"), ("4s", "2"), ("20s", "10")].into_iter().any(|(move_time, sleep)| {
        let faults = faults(move_time, sleep);
        let is_reported = faults[0]["kind"] == "off-turn" && faults[1].is_null();
        found.push(faults);
        is_reported
    });
    assert!(is_reported, "{found:?}");
}

/// Returns a bot that always computes, and one that waits `sleep` seconds before each answer.
fn burner_and_slow(sleep: &str) -> [String; 2] {
    let waits = format!("while IFS= read -r line; do sleep {sleep}; printf \"%s\\n\" \"$line\"; done");
    let slow = format!("slow=sh -c '{waits} | {ARENA} bot random'");
    [format!("burner=sh -c '(while :; do :; done) & exec {ARENA} bot random'"), slow]
}

/// Plays one round of Patchwork between these bots. Returns what is printed and the first bot's CPU times in
/// microseconds outside of its turns.
fn burn(folder: &Path, option: &str, out: &str, sleep: &str) -> (String, Vec<u64>) {
    let args = words("tournament --quiet --game patchwork --seed 2 --rounds 1 --jobs 1");
    let limits = ["--match-time", "10m", "--details", "--out", out];
    let [burner, slow] = burner_and_slow(sleep);
    let bots = ["--bot", &burner, "--bot", &slow, option];
    let printed = succeed(folder, &[&args[..], &bots, &limits].concat());
    let used = records(&folder.join(out)).into_iter().map(|record| {
        record["off_turn_us"][usize::from(record["bots"][1] == "burner")].as_u64().unwrap_or(0)
    });
    (printed, used.collect())
}

#[test]
fn what_a_bot_thinks_in_the_turns_of_others_is_told() {
    let folder = scratch();
    let told = |out: &str, text: &str| {
        let rows = json(&folder.path().join(out).join("standings.json"))["rows"].clone();
        let row = rows.as_array().expect("rows").iter().find(|row| row["bot"] == "burner").cloned();
        let remark = text.lines().find(|line| line.starts_with(REMARK)).unwrap_or_default();
        (row.expect("a row")["time_us"]["off_turn"].as_u64().expect("a number"), remark.contains("burner"))
    };
    // On a busy machine, the burner may get too little CPU time while the other waits, and the arena may get too
    // little to stop it at once. Longer waits give more to a bot that runs, and nothing to one that is stopped.
    let mut found = Vec::new();
    let is_seen = ["0.03", "0.2", "1"].into_iter().enumerate().any(|(at, sleep)| {
        let [stops, runs] = ["--freeze", "--no-freeze"].map(|option| {
            let out = format!("{at}{option}");
            let (text, used) = burn(folder.path(), option, &out, sleep);
            let (sum, is_told) = told(&out, &text);
            assert_eq!((sum, is_told), (used.iter().sum(), sum >= 2 * TOLD_US), "{used:?}: {text}");
            used
        });
        let digests =
            ["--freeze", "--no-freeze"].map(|option| digest(folder.path(), &format!("{at}{option}")));
        assert_eq!(digests[0], digests[1]);
        let is_seen =
            stops.iter().all(|stopped| runs.iter().all(|ran| *ran >= TOLD_US && stopped * 3 < *ran));
        found.push((stops, runs));
        is_seen
    });
    assert!(is_seen, "{found:?}");
}
