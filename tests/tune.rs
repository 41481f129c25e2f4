//! `arena tune` from the command line: the best values, their command, and the log.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::program::{arena, command, fixture, scratch, wait_until};

/// Returns the command of a bot that plays best where its numbers are `best`.
fn planted(best: f64, numbers: &str) -> String {
    format!("{} {best} {numbers}", fixture("planted").display())
}

fn log(dir: &Path) -> Value {
    let text = fs::read_to_string(dir.join("tune.json")).expect("a log");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn the_best_number_is_in_its_interval_and_its_command_is_better() {
    let folder = scratch();
    let bot = planted(0.6, "{x=0.1:0..1} -- {unused=3:1..5}");
    let options =
        ["--seed", "1", "--rounds", "60", "--format", "json", "--quiet", "--move-time", "1m", "--out", "t"];
    let output = arena(folder.path(), &[&["tune", &bot][..], &options].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.as_ref()), (Some(0), ""));
    let printed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(printed, log(&folder.path().join("t")));
    let found = &printed["found"];
    let bounds =
        |number: usize| [0, 1].map(|side| found["intervals"][number][side].as_f64().expect("a bound"));
    let [low, high] = bounds(0);
    assert!(low <= 0.6 && 0.6 <= high && high - low < 0.2, "{found}");
    let [low, high] = bounds(1);
    assert_eq!([low, high], [1.0, 5.0], "a number that changes nothing keeps its range: {found}");
    assert_eq!(found["comparison"]["answer"]["verdict"], "better", "{found}");
    // The settings meet the start on the same deals, and the verdict has others.
    let seed = |name: &str| {
        let plan =
            fs::read_to_string(folder.path().join("t").join(name).join("tournament.json")).expect("a plan");
        let plan: Value = serde_json::from_str(&plan).expect("JSON");
        (plan["seed"].clone(), plan["bots"][0]["name"].clone())
    };
    assert_eq!(seed("0000"), seed("0001"));
    assert_ne!(seed("0000").0, seed("verdict").0);
    let values = &found["values"];
    let command = found["command"].as_str().expect("a command");
    assert_eq!(command, planted(0.6, &format!("{} -- {}", values[0], values[1].as_f64().expect("a number"))));
}

#[test]
fn a_killed_search_ends_as_if_it_had_run_on() {
    let folder = scratch();
    let bot = planted(0.5, "{a=0:0..1} {b=0.9:0..1} {c=3:0..3} {d=0.5:0..1}");
    let play = ["tune", &bot, "--seed", "7", "--rounds", "6", "--quiet", "--max-rounds", "16"];
    let options = [&play[..], &["--move-time", "1m", "--out"]].concat();
    let whole = arena(folder.path(), &[&options[..], &["whole"]].concat());
    assert!(whole.status.code() != Some(2), "{}", String::from_utf8_lossy(&whole.stderr));
    let mut child = command();
    let mut child = child.current_dir(folder.path()).args(&options).arg("killed").spawn().expect("it starts");
    let place: PathBuf = folder.path().join("killed");
    wait_until("some settings are played", || place.join("0004").exists());
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(!place.join("verdict").exists(), "it was killed before its end");
    // Interrupted a second time, it says how to go on.
    let mut child = command();
    let child = child.current_dir(folder.path()).args(&options).args(["killed", "--resume"]);
    let child = child.stderr(Stdio::piped()).spawn().expect("it starts");
    wait_until("more settings are played", || place.join("0007").exists());
    kill_process(Pid::from_child(&child), Signal::INT).expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(130), "{said}");
    let hint = said.lines().find_map(|line| line.split_once("continue with: arena ")).expect("a hint").1;
    let words = shell_words::split(hint).expect("a command line");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let again = arena(folder.path(), &words);
    assert_eq!((again.status.code(), &again.stdout), (whole.status.code(), &whole.stdout));
    assert_eq!(log(&place), log(&folder.path().join("whole")));
    let other = arena(folder.path(), &["tune", &planted(0.5, "{a=0:0..1}"), "--resume", "--out", "killed"]);
    assert_eq!(other.status.code(), Some(2), "another command");
    assert!(String::from_utf8_lossy(&other.stderr).contains("is of another command"));
}

#[test]
fn bounds_that_are_far_too_wide_are_narrowed() {
    let folder = scratch();
    // Far from 0.6 the bot passes always: there its results are flat.
    let bot = planted(0.6, "{x=4.0:0..6}");
    let options = ["--seed", "1", "--rounds", "40", "--move-time", "1m", "--out", "t"];
    let output = arena(folder.path(), &[&["tune", &bot][..], &options].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("closer settings follow"), "{said}");
    let found = &log(&folder.path().join("t"))["found"];
    let [low, high] = [0, 1].map(|side| found["intervals"][0][side].as_f64().expect("a bound"));
    assert!(low <= 0.6 && 0.6 <= high && high - low < 0.4, "{found}");
}

#[test]
fn a_start_that_is_best_stays() {
    let folder = scratch();
    let bot = planted(0.0, "{x=0:0..2}");
    let options = ["novice", "--seed", "1", "--rounds", "16", "--move-time", "1m", "--out", "t"];
    let output = arena(folder.path(), &[&["tune", &bot][..], &options].concat());
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.starts_with("not better: the best values are those at the start\n"), "{printed}");
    assert!(!folder.path().join("t/verdict").exists());
    assert_eq!(log(&folder.path().join("t"))["bots"][1], "novice");
}

#[test]
fn what_is_no_number_is_refused_with_its_form() {
    let folder = scratch();
    for (command, wrong) in [
        ("bot", "has no number to tune"),
        ("bot {x=1:0..2", "write {NAME=START:LOW..HIGH}"),
        ("bot {x}", "it has no name"),
        ("bot {x=1}", "it has no bounds"),
        ("bot {x=1:2}", "it has no bounds"),
        ("bot {x=one:0..2}", "start and bounds are numbers"),
        ("bot {x=inf:0..2}", "start and bounds are numbers"),
        ("bot {x=3:0..2}", "the start is between the bounds"),
        ("bot {x=2:2..2}", "the start is between the bounds"),
        ("bot {x=1:0..2} {x=1:0..2}", "two numbers have the name"),
        ("bot {x=1:0..1}", "a whole number has two values"),
    ] {
        let output = arena(folder.path(), &["tune", command, "--out", "t"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        assert!(said.contains(wrong) && said.lines().count() <= 2, "{command}: {said}");
        assert!(!folder.path().join("t/tune.json").exists(), "{command}");
    }
}
