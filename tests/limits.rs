//! Limits of single bots, increments, and budgets.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::cli::{self, typed};
use crate::program::tables::{records, standings};
use crate::program::{arena, scratch, succeed, words};

const ARENA: &str = env!("CARGO_BIN_EXE_arena");

/// Returns a bot that writes all its lines from the arena to a file.
fn listener(name: &str, file: &Path) -> String {
    format!("{name}=sh -c 'tee -a {} | {ARENA} bot greedy'", file.display())
}

/// Returns the limits in each `start` of a listener.
fn told(file: &Path) -> Vec<Value> {
    let lines = fs::read_to_string(file).expect("it heard something");
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.filter(|line| line["type"] == "start").map(|mut line| line["limits"].take()).collect()
}

#[test]
fn each_bot_is_told_its_own_limits_in_every_stage() {
    let folder = scratch();
    let [fast, plain] = ["fast", "plain"].map(|name| (name, folder.path().join(format!("{name}.log"))));
    let league = format!(
        "[tournament]\nrounds = 1\nout = \"out\"\n[limits]\nmove-time = \"50s\"\nmatch-time = \"1h\"\ncontain = \"off\"\n\
         [[bot]]\ncommand = {:?}\nname = \"fast\"\nmove-time = \"40s\"\nincrement = \"2s\"\nbudget = 9\n\
         [[bot]]\ncommand = {:?}\nname = \"plain\"\n\
         [[stage]]\ngame = \"patchwork\"\n[[stage]]\ngame = \"patchwork\"\nmove-time = \"30s\"\nbudget = 3\n",
        listener(fast.0, &fast.1).split_once('=').expect("a command").1,
        listener(plain.0, &plain.1).split_once('=').expect("a command").1,
    );
    fs::write(folder.path().join("league.toml"), league).expect("a league file");
    let text = succeed(folder.path(), &["tournament", "league.toml", "--quiet", "--jobs", "1"]);
    assert!(text.contains("Other limits: fast move-time=40000ms increment=2000ms budget=9"), "{text}");
    let common = json!({ "startup_ms": 10_000, "move_ms": 50_000, "match_ms": 3_600_000 });
    let with = |more: Value| {
        let mut limits = common.clone();
        limits.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        limits
    };
    let own = with(json!({ "move_ms": 40_000, "increment_ms": 2_000, "budget": 9 }));
    assert_eq!(told(&fast.1), vec![own.clone(); 4]);
    let second = with(json!({ "move_ms": 30_000, "budget": 3 }));
    assert_eq!(told(&plain.1), [&common, &common, &second, &second].map(Clone::clone));
    let first = records(&folder.path().join("out/1-patchwork"));
    let seats = |record: &Value| {
        if record["bots"][0] == "fast" { json!([own, common]) } else { json!([common, own]) }
    };
    assert!(first.iter().all(|record| record["limits"] == seats(record)), "{first:?}");
}

/// A limit of the shell for the size of files is as a full disk: nothing is lost, and the message says how to go on.
#[test]
fn a_limit_of_file_sizes_stops_as_a_full_disk_does() {
    let folder = scratch();
    let line = format!(
        "ulimit -f 40; exec {ARENA} tournament --bot random --bot greedy --rounds 200 --seed 1 --out r --quiet"
    );
    let output = std::process::Command::new("sh").args(["-c", &line]).current_dir(&folder).output();
    let output = output.expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(75) && said.contains("--resume"), "{:?} {said}", output.status);
    succeed(folder.path(), &words("tournament --resume --out r --rounds 200 --quiet"));
}

#[test]
fn a_folder_whose_name_is_not_utf8_is_named() {
    use std::os::unix::ffi::OsStrExt;
    let folder = scratch();
    let here = folder.path().join(std::ffi::OsStr::from_bytes(b"b\xe4r"));
    fs::create_dir(&here).expect("a folder");
    for line in ["match", "doctor --bot random", "tournament --rounds 1 --out r"] {
        let output = arena(&here, &words(line));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("the name is not UTF-8") && !said.contains("probe"), "{line}: {said}");
    }
}

/// A bot that is put out by the limit of another would be a fault of the arena.
#[test]
fn a_bot_runs_out_of_its_own_time_alone() {
    let folder = scratch();
    let hangs = "hangs=sh -c 'read h; echo \"{\\\"type\\\":\\\"hello\\\",\\\"protocol\\\":1}\"; read s; echo \"{\\\"type\\\":\\\"ready\\\"}\"; exec sleep 600'";
    let args = ["tournament", "--rounds", "1", "--quiet", "--out", "t", "--bot", hangs, "--bot", "greedy"];
    let limits = ["--move-time", "10m", "--limit", "hangs:move-time=50ms"];
    succeed(folder.path(), &[&args[..], &limits].concat());
    let record = &records(&folder.path().join("t"))[0];
    let fault = &record["turns"].as_array().expect("turns").iter().find(|turn| !turn["fault"].is_null());
    let detail = fault.expect("it hangs")["fault"]["detail"].as_str().expect("a text").to_owned();
    assert!(detail.contains("within 50 ms"), "{detail}");
    // The command in the report, a replay, and the fed lines have its limits, too.
    let report = fs::read_dir(folder.path().join("t/faults")).expect("reports").flatten().next();
    let report = fs::read_to_string(report.expect("one").path().join("fault.txt")).expect("a report");
    assert!(report.contains("--limit hangs:move-time=50ms"), "{report}");
    succeed(folder.path(), &["rerun", "t", "--match", "0"]);
    let log = folder.path().join("fed.log");
    let program = listener("", &log);
    let seat = record["bots"].as_array().expect("bots").iter().position(|bot| bot == "hangs");
    let feed = format!("feed t --match 0 --seat {} --contain off --", seat.expect("a seat"));
    let program = shell_words::split(program.trim_start_matches('=')).expect("a command");
    let program = program.iter().map(String::as_str);
    arena(folder.path(), &words(&feed).into_iter().chain(program).collect::<Vec<_>>());
    assert_eq!(told(&log)[0]["move_ms"], 50);
}

#[test]
fn a_comparison_may_give_one_version_less_time() {
    let folder = scratch();
    let limits = "--limit v11:move-time=30s --limit v10:budget=5";
    typed(folder.path(), &format!("compare v11=greedy v10=random --seed 1 --quiet --out c {limits}"));
    let file = cli::json(&folder.path().join("c/tournament.json"));
    assert_eq!(file["bots"][0]["limits"], json!({ "move_ms": 30_000 }));
    assert_eq!(file["bots"][1]["limits"], json!({ "budget": 5 }));
    let other = words("compare --resume --out c --max-rounds 20000 --limit v11:move-time=20s");
    let refused = arena(folder.path(), &other);
    let refused = String::from_utf8(refused.stderr).expect("UTF-8");
    assert!(refused.contains("limits.move_ms is 20000 instead of 30000"), "{refused}");
}

#[test]
fn budgets_have_the_same_results_on_a_busy_machine() {
    let folder = scratch();
    let plan = "tournament --game patchwork --rounds 3 --seed 5 --budget 60 --quiet --bot planner \
            --bot master --limit master:budget=90 --move-time 10m";
    let play = |out: &str, jobs: &str| {
        typed(folder.path(), &format!("{plan} --out {out} --jobs {jobs}"));
        standings(&folder.path().join(out))["digest"].clone()
    };
    let idle = play("idle", "1");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop()
                }
            });
        }
        let busy = play("busy", "4");
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(busy, idle);
    });
}

#[test]
fn wrong_limits_are_answered_with_key_range_and_line() {
    let folder = scratch();
    for (line, expected) in [
        ("move-time = \"0s\"", "bad.toml line 4: move-time: a time above zero, such as 250ms or 2s"),
        ("move-time = 5", "expected a text, such as \"2s\" or \"512MiB\""),
        ("match-time = \"9000h\"", "bad.toml line 4: match-time: a time of at most 30 days"),
        ("move-tme = '2s'", "bad.toml line 4: unknown key `move-tme` in [[bot]]; did you mean `move-time`?"),
        ("budget = 0", "bad.toml line 4: budget: a whole number from 1 to 9007199254740991"),
        ("budget = \"x\"", "bad.toml line 4: budget: a whole number from 1 to 9007199254740991"),
        ("increment = \"soon\"", "bad.toml line 4: increment: a time such as 250ms or 2s"),
        ("increment = \"1s\"", "bot \"a\" has an increment of 1s and no match time"),
    ] {
        let text =
            format!("[[bot]]\nname = \"a\"\ncommand = \"greedy\"\n{line}\n[[bot]]\ncommand = \"random\"\n");
        fs::write(folder.path().join("bad.toml"), text).expect("a file");
        refused(folder.path(), &["tournament", "bad.toml", "--out", "t"], expected);
    }
    for (limit, expected) in [
        ("greedi:move-time=2s", "--limit greedi: no bot has this name\n  hint: did you mean greedy?"),
        ("greedy:move-tim=2s", "unknown key \"move-tim\": did you mean move-time?"),
        ("greedy:move-time=2", "a time such as 250ms or 2s"),
        ("greedy:budget=-1", "a whole number from 1 to 9007199254740991"),
        ("greedy=2s", "NAME:KEY=VALUE, such as mine:move-time=2s"),
        ("greedy:increment=1s", "bot \"greedy\" has an increment of 1s and no match time"),
    ] {
        for command in ["tournament", "match"] {
            refused(folder.path(), &[command, "--limit", limit], expected);
        }
    }
}

fn refused(folder: &Path, args: &[&str], expected: &str) {
    cli::refused(folder, args, expected);
    assert!(!folder.join("t").exists() && !folder.join("results").exists(), "{args:?} left something");
}
