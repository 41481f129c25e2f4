//! `arena compare` from the command line: answers, exit status, and files.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::program::tables::lines_in;

/// Two identical bots, so that the comparison needs many deals.
const ALIKE: &[&str] = &["compare", "a=greedy", "b=greedy", "--seed", "2", "--format", "json", "--h1", "3"];

/// A comparison that runs for seconds, so that a test can stop it in the middle.
const PATIENT: &[&str] = &["compare", "a=greedy", "b=greedy", "--seed", "2", "--format", "json"];

fn arena(folder: &Path, args: &[&str]) -> Command {
    let mut command = crate::program::command();
    command.current_dir(folder).args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    arena(folder, args).output().expect("the arena starts")
}

fn scratch() -> TempDir {
    tempfile::tempdir().expect("a scratch folder")
}

/// Returns the answer in the JSON on stdout.
fn answer(output: &Output) -> Value {
    let comparison: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    comparison["answer"].clone()
}

#[test]
fn the_status_tells_the_answer() {
    let folder = scratch();
    let all = [("doodle", "points"), ("doodle", "elo"), ("patchwork", "points"), ("patchwork", "elo")];
    for (game, metric) in all.into_iter().step_by(needs::sized(3, 3, 1)) {
        for (bots, status) in [(["greedy", "random"], 0), (["random", "greedy"], 1)] {
            let options = ["--seed", "1", "--quiet", "--game", game, "--metric", metric];
            let output = run(folder.path(), &[&["compare"], &bots[..], &options].concat());
            let (stdout, stderr) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.status.code(), Some(status), "{game} {metric} {bots:?}: {stdout}{stderr}");
            assert!(stderr.is_empty(), "{stderr}");
            assert!(stdout.starts_with(["better: ", "worse: "][status as usize]), "{stdout}");
        }
    }
    // The question "did I break something?" calls a worse bot worse too.
    let options = ["--seed", "1", "--quiet", "--h0", "-3", "--h1", "0"];
    let output = run(folder.path(), &[&["compare", "random", "greedy"], &options[..]].concat());
    assert!(output.stdout.starts_with(b"worse: random is worse than greedy, after "), "{output:?}");
}

#[test]
fn a_bot_is_not_better_than_itself() {
    let folder = scratch();
    // Both seat orders cancel exactly in patchwork, and so do identical cards in doodle.
    for options in [
        &["--game", "patchwork"][..],
        &["--start-cards", "shared"],
        &["--game", "patchwork", "--metric", "elo"],
    ] {
        let output = run(folder.path(), &[PATIENT, options].concat());
        assert_eq!(output.status.code(), Some(1), "{options:?}");
        assert_eq!(answer(&output)["estimate"].as_f64().map(f64::abs), Some(0.0), "{options:?}");
    }
}

#[test]
fn too_few_deals_leave_it_undecided_and_more_decide_it() {
    let folder = scratch();
    let output = run(folder.path(), &[ALIKE, &["--max-rounds", "2", "--out", "c"]].concat());
    assert_eq!(output.status.code(), Some(3));
    assert_eq!((&answer(&output)["verdict"], &answer(&output)["deals"]), (&"undecided".into(), &2.into()));
    assert!(answer(&output)["deals_to_go"].as_u64().expect("a number") > 14);
    assert!(String::from_utf8_lossy(&output.stderr).contains("arena compare --resume --out c --max-rounds"));
    let output = run(folder.path(), &["compare", "--resume", "--out", "c", "--max-rounds", "1", "--quiet"]);
    assert_eq!(output.status.code(), Some(2), "fewer than were played");
    let output =
        run(folder.path(), &["compare", "--resume", "--out", "c", "--max-rounds", "20", "--h1", "4"]);
    assert_eq!(output.status.code(), Some(2), "another question");
    let output = run(
        folder.path(),
        &["compare", "--resume", "--out", "c", "--max-rounds", "1000", "--format", "json"],
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(answer(&output), answer(&run(folder.path(), ALIKE)));
}

#[test]
fn jobs_do_not_change_the_answer_and_the_files_are_those_of_a_tournament() {
    let folder = scratch();
    let one = run(folder.path(), &[ALIKE, &["--jobs", "1", "--out", "one"]].concat());
    let four = run(folder.path(), &[ALIKE, &["--jobs", "4", "--out", "four", "--quiet"]].concat());
    assert_eq!(one.status.code(), Some(1));
    assert_eq!((one.status.code(), &one.stdout), (four.status.code(), &four.stdout));
    assert!(answer(&one)["deals"].as_u64().expect("a number") > 20, "{}", answer(&one));
    let dir = folder.path().join("four");
    assert_eq!(fs::read(dir.join("compare.json")).expect("the comparison"), four.stdout);
    let table = run(folder.path(), &["standings", "four", "--format", "json"]);
    assert_eq!(table.stdout, fs::read(dir.join("standings.json")).expect("tables"));
    assert!(run(folder.path(), &["replay", "four", "--all", "--quiet"]).status.success());
    let again = run(folder.path(), &["compare", "--resume", "--out", "four", "--format", "json"]);
    assert_eq!(again.stdout, four.stdout, "nothing is left to be played");
}

/// Starts the arena and waits until the journal has this many more matches.
fn begin(folder: &Path, args: &[&str], journal: &Path, matches: usize) -> Child {
    let wanted = lines_in(journal) + matches;
    let mut child = arena(folder, args).spawn().expect("it starts");
    while lines_in(journal) < wanted {
        assert!(child.try_wait().expect("it is ours").is_none(), "it ended before it was stopped");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

#[test]
fn a_comparison_that_was_stopped_comes_out_as_one_that_was_not() {
    let folder = scratch();
    let expected = answer(&run(folder.path(), PATIENT));
    let (out, journal) = ("c", folder.path().join("c/matches.jsonl"));
    let resume = ["compare", "--resume", "--out", out, "--format", "json", "--quiet"];
    let mut child = begin(folder.path(), &[PATIENT, &["--out", out]].concat(), &journal, 5);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let child = begin(folder.path(), &resume, &journal, 15);
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("continue with: arena compare --resume --out c"), "{stderr}");
    let output = run(folder.path(), &resume);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(answer(&output), expected);
}

/// Wrong command lines, and the text that the message must contain.
const WRONG: &[(&[&str], &str)] = &[
    (&["greedy"], "a comparison is of two bots"),
    (&["greedy", "greedy"], "such as greedy-2=greedy"),
    (&["gredy", "random"], "bundled bots: random, novice"),
    (&["greedy", "random", "--h0", "3"], "--h0 is 3 and --h1 is 2 points"),
    (&["greedy", "random", "--h0", "1", "--h1", "1"], "must be at least 0.01 above H0"),
    (&["greedy", "random", "--metric", "elo", "--h1", "1e9"], "between -1000 and 1000 Elo"),
    (&["greedy", "random", "--h1", "nan"], "--h1 is NaN"),
    (&["greedy", "random", "--alpha", "0"], "--alpha is 0: it must be at least 0.000000001 and below 0.5"),
    (&["greedy", "random", "--beta", "0.5"], "--beta is 0.5: it must be at least 0.000000001 and below 0.5"),
    (&["greedy", "random", "--max-rounds", "0"], "--max-rounds"),
    (&["greedy", "random", "--jobs", "0"], "--jobs is 0"),
    (&["greedy", "random", "--metric", "wins"], "points, elo"),
    (&["greedy", "random", "--force"], "--resume"),
    (&["--resume"], "name its directory with --out"),
    (&["--resume", "--out", "nope"], "cannot read nope/compare.json"),
    (&["--resume", "--out", "wrong"], "wrong/compare.json is not a comparison's file"),
];

#[test]
fn wrong_questions_are_answered_in_a_line_or_two() {
    let folder = scratch();
    fs::create_dir(folder.path().join("wrong")).expect("a folder");
    fs::write(folder.path().join("wrong/compare.json"), "{}").expect("a file");
    for (args, message) in WRONG {
        let output = run(folder.path(), &[&["compare"], *args].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains(message), "{args:?} said: {stderr}");
        assert!(stderr.lines().count() <= 3 && !stderr.contains("panicked"), "{args:?} said: {stderr}");
        assert!(output.stdout.is_empty() && !folder.path().join("results").exists(), "{args:?}");
    }
}
