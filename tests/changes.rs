//! What may change while a tournament runs, or between two runs: signals, folders, bots.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::program::tables::lines_in;
use crate::program::{arena, succeed, wait_until};

const ARENA: &str = env!("CARGO_BIN_EXE_arena");

/// A folder with a bot that starts once there is a file `go`. It makes a file `begun` before that.
fn folder_with_a_gate() -> TempDir {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let gate = format!(": >begun; while [ ! -e go ]; do sleep 0.01; done; exec {ARENA} bot random\n");
    fs::write(folder.path().join("gate.sh"), gate).expect("a bot");
    folder
}

/// Adds a bot behind the gate.
const GATED: &[&str] = &["--contain", "off", "--startup-time", "60s", "--bot", "gated=/bin/sh gate.sh"];

fn end(child: Child) -> (Option<i32>, String) {
    let output: Output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Starts the arena as `nohup ... &` does in a script.
fn start_ignoring(folder: &Path, args: &[&str]) -> Child {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "trap '' HUP INT TERM; exec \"$@\"", "sh", ARENA]).args(args).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("a shell")
}

#[test]
fn signals_that_are_ignored_at_the_start_stay_ignored_except_for_term() {
    let tournament = ["tournament", "--out", "t", "--bot", "random", "--rounds", "100000"];
    let compare =
        ["compare", "--out", "t", "--h1", "0.02", "random", "random-2=random", "--max-rounds", "100000"];
    for (args, is_gated) in [(&tournament[..], true), (&compare[..], false)] {
        let folder = folder_with_a_gate();
        let (out, journal) = (folder.path(), folder.path().join("t/matches.jsonl"));
        let gated = if is_gated { GATED } else { &["--contain", "off"] };
        let child = start_ignoring(out, &[args, gated].concat());
        let send = |signal| kill_process(Pid::from_child(&child), signal).expect("it runs");
        if is_gated {
            wait_until("the bots start", || out.join("begun").exists());
            [Signal::HUP, Signal::INT].into_iter().for_each(send);
            fs::write(out.join("go"), "").expect("a file");
        }
        for lines in [1, 50] {
            wait_until("matches are played", || lines_in(&journal) >= lines);
            [Signal::HUP, Signal::INT].into_iter().for_each(send);
        }
        wait_until("matches are played", || lines_in(&journal) >= 100);
        send(Signal::TERM);
        let (status, stderr) = end(child);
        assert_eq!(status, Some(75), "{stderr}");
        assert_eq!(stderr.matches("stopping now").count(), 1, "{stderr}");
        assert!(!stderr.contains("finishing"), "{stderr}");
    }
}

/// Starts the arena with a bot behind the gate, and waits until the bot starts.
fn start_gated(folder: &Path, args: &[&str]) -> Child {
    let _ = fs::remove_file(folder.join("begun"));
    let mut command = crate::program::command();
    command.current_dir(folder).args(args).args(["--contain", "off", "--startup-time", "60s"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    wait_until("the bots start", || folder.join("begun").exists());
    child.expect("the arena starts")
}

#[test]
fn a_directory_is_claimed_before_its_bots_start() {
    const GATE: &str = "random=/bin/sh gate.sh";
    let tournament = ["tournament", "--bot", GATE, "--bot", "greedy", "--seed", "11", "--rounds", "2"];
    let compare = ["compare", "greedy", GATE, "--seed", "11"];
    let merge = ["merge", "other", "--out", "x"];
    let intruder =
        ["tournament", "--bot", "random", "--bot", "greedy", "--seed", "22", "--rounds", "2", "--quiet"];
    let compares = ["compare", "greedy", "random", "--seed", "22", "--quiet"];
    for first in [&tournament[..], &compare[..]] {
        let folder = folder_with_a_gate();
        let here = folder.path();
        let name = if first[0] == "compare" { "compare" } else { "doodle" };
        succeed(here, &[&intruder[..], &["--out", "other"]].concat());
        let (numbered, named) =
            (start_gated(here, first), start_gated(here, &[first, &["--out", "x"]].concat()));
        for second in [&intruder[..], &compares[..]] {
            let other = arena(here, &[second, &["--out", "x"]].concat());
            let stderr = String::from_utf8_lossy(&other.stderr);
            assert_eq!(other.status.code(), Some(2), "{stderr}");
            assert!(stderr.contains("another arena is writing to x"), "{stderr}");
            succeed(here, second);
        }
        assert_eq!(arena(here, &merge).status.code(), Some(2));
        fs::write(here.join("go"), "").expect("a file");
        for child in [numbered, named] {
            let (status, stderr) = end(child);
            assert_eq!(status, Some(0), "{stderr}");
        }
        for (dir, seed) in [("results/NAME-1", 11), ("results/NAME-2", 22), ("x", 11)] {
            let dir = dir.replace("NAME", name);
            let plan = fs::read_to_string(here.join(&dir).join("tournament.json")).expect("a plan");
            assert!(plan.contains(&format!("\"seed\": {seed},")), "{dir}: {plan}");
            succeed(here, &["replay", &dir, "--all", "--quiet"]);
        }
    }
}

#[test]
fn stages_and_shards_claim_their_directories_too() {
    let folder = folder_with_a_gate();
    let here = folder.path();
    let bots = "[[bot]]\nname = \"gated\"\ncommand = \"sh gate.sh\"\n[[bot]]\ncommand = \"greedy\"\n";
    fs::write(here.join("gated.toml"), format!("[[stage]]\nrounds = 1\n{bots}")).expect("a league file");
    let quick = "[[stage]]\nrounds = 1\n[[bot]]\ncommand = \"random\"\n[[bot]]\ncommand = \"greedy\"\n";
    fs::write(here.join("quick.toml"), quick).expect("a league file");
    let league = start_gated(here, &["tournament", "gated.toml"]);
    let shard =
        ["tournament", "--bot", "random", "--bot", "greedy", "--rounds", "2", "--seed", "1", "--quiet"];
    let whole = start_gated(here, &["tournament", "gated.toml", "--out", "both"]);
    succeed(here, &["tournament", "quick.toml", "--quiet"]);
    assert!(here.join("results/league-2/1-doodle/standings.json").exists());
    let refused = arena(here, &[&shard[..], &["--shard", "0/2", "--out", "both/1-doodle"]].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", String::from_utf8_lossy(&refused.stderr));
    fs::write(here.join("go"), "").expect("a file");
    assert_eq!((end(league).0, end(whole).0), (Some(0), Some(0)));
    succeed(here, &[&shard[..], &["--shard", "0/2", "--out", "s"]].concat());
    let other = [&shard[..5], &["--rounds", "3", "--seed", "1", "--shard", "1/2", "--out", "s"]].concat();
    let refused = arena(here, &other);
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && stderr.contains("s has another tournament"), "{stderr}");
}

#[test]
fn a_journal_of_another_seed_is_not_continued() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let here = folder.path();
    for (out, seed) in [("one", "1"), ("two", "2")] {
        let args = ["tournament", "--bot", "random", "--bot", "greedy", "--rounds", "2", "--quiet"];
        succeed(here, &[&args[..], &["--seed", seed, "--out", out]].concat());
    }
    fs::copy(here.join("two/matches.jsonl"), here.join("one/matches.jsonl")).expect("a copy");
    for args in [&["tournament", "--resume", "--out", "one"][..], &["standings", "one"], &["report", "one"]] {
        let refused = arena(here, args);
        let stderr = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains("has the seed"), "{args:?}: {stderr}");
    }
}

/// A bot that plays like a bundled one. It can be changed by changing its file.
fn write_bot(path: &Path, like: &str) {
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder");
    fs::write(path, format!("#!/bin/sh\nexec {ARENA} bot {like}\n")).expect("a bot");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

fn plan_of(dir: &Path) -> Value {
    let text = fs::read_to_string(dir.join("tournament.json")).expect("a plan");
    serde_json::from_str(&text).expect("JSON")
}

/// Returns one field of each bot in the plan.
fn of_bots(dir: &Path, field: &str) -> Vec<Value> {
    plan_of(dir)["bots"].as_array().expect("bots").iter().map(|bot| bot[field].clone()).collect()
}

/// Returns the digests of all matches, without their order.
fn digests(dir: &Path) -> BTreeSet<String> {
    let journal = fs::read_to_string(dir.join("matches.jsonl")).expect("a journal");
    let digest = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["digest"].to_string();
    journal.lines().map(digest).collect()
}

fn refused(folder: &Path, args: &[&str], why: &str) {
    let output = arena(folder, args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    assert!(stderr.contains(why), "{args:?}: {stderr}");
}

#[test]
fn bots_that_are_named_again_keep_their_order_and_their_copies() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let here = folder.path();
    write_bot(&here.join("own"), "greedy");
    let play = |out: &str, more: &[&str]| {
        let args = ["tournament", "--seed", "1", "--quiet", "--jobs", "4", "--out", out];
        succeed(here, &[&args[..], more].concat());
    };
    let all = ["--bot", "a=random", "--bot", "./own", "--bot", "b=random", "--bot", "new=planner"];
    for schedule in ["round-robin", "gauntlet", "ladder"] {
        let [grown, whole] = ["grown", "whole"].map(|name| format!("{name}-{schedule}"));
        play(&grown, &[&["--schedule", schedule, "--rounds", "2"], &all[..4]].concat());
        play(&grown, &["--resume", "--bot", "./own", "--bot", "a=random", "--bot", "b=random"]);
        play(&grown, &["--resume", "--bot", "new=planner"]);
        play(&whole, &[&["--schedule", schedule, "--rounds", "2"], &all[..]].concat());
        // The order has a meaning in a gauntlet and a ladder.
        let sorted = ["a", "b", "greedy", "new"];
        let order = if schedule == "round-robin" { sorted } else { ["a", "greedy", "b", "new"] };
        assert_eq!(of_bots(&here.join(&grown), "name"), order, "{schedule}");
        assert_eq!(of_bots(&here.join(&grown), "copy"), vec![Value::Null; 4], "{schedule}");
        assert!(digests(&here.join(&grown)) == digests(&here.join(&whole)), "{schedule}");
        succeed(here, &["replay", &grown, "--all", "--quiet"]);
    }
    for schedule in ["swiss", "knockout"] {
        play(schedule, &[&["--schedule", schedule, "--rounds", "2"], &all[..6]].concat());
        play(schedule, &[&["--resume"], &all[4..6], &all[..4]].concat());
        let args = ["tournament", "--resume", "--out", schedule, "--bot", "new=planner"];
        refused(here, &args, "\"new\" cannot join: later matches depend on earlier ones");
    }
}

#[test]
fn a_project_that_moves_goes_on_with_its_league_file() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let old = folder.path().join("old");
    write_bot(&old.join("A/bot"), "random");
    write_bot(&old.join("tools/b"), "greedy");
    let league = "[tournament]\nrounds = 2\nseed = 1\n[[bot]]\nname = \"a\"\ncommand = \"./bot\"\ndir = \"A\"\n\
                  read = [\"tools\"]\n[[bot]]\nname = \"b\"\ncommand = \"tools/b\"\n";
    fs::write(old.join("league.toml"), league).expect("a league file");
    succeed(&old, &["tournament", "league.toml", "--out", "r", "--quiet"]);
    let new = folder.path().join("new");
    fs::rename(&old, &new).expect("it moves");
    let resume = ["tournament", "new/league.toml", "--resume", "--rounds", "4", "--quiet"];
    succeed(folder.path(), &[&resume[..], &["--out", "new/r"]].concat());
    assert_eq!(
        (lines_in(&new.join("r/matches.jsonl")), &plan_of(&new.join("r"))["changes"]),
        (4, &Value::Null)
    );
    assert_eq!(of_bots(&new.join("r"), "dir"), [serde_json::json!("A"), Value::Null]);
    let other = league.replace("dir = \"A\"", "dir = \"tools\"").replace("./bot", "./b");
    fs::write(new.join("league.toml"), other + "env = { LEVEL = \"3\" }\n").expect("a league file");
    let resume = ["tournament", "league.toml", "--resume", "--rounds", "4", "--out", "r"];
    refused(&new, &resume, "bot \"a\": command is \"./b\" instead of \"./bot\"");
    refused(&new, &resume, "bot \"b\": env.LEVEL is \"3\" instead of not set");
}

#[test]
fn a_program_is_looked_for_in_the_folder_of_its_bot() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let here = folder.path();
    write_bot(&here.join("A/bot"), "greedy");
    let league = "[tournament]\nrounds = 1\n[[bot]]\nname = \"a\"\ncommand = \"./bot\"\ndir = \"A\"\n\
                  [[bot]]\ncommand = \"random\"\n";
    fs::write(here.join("league.toml"), league).expect("a league file");
    succeed(here, &["tournament", "league.toml", "--out", "inside", "--quiet"]);
    write_bot(&here.join("bot"), "random");
    let here_and_there = format!("its file may be {0}/A/./bot or {0}/./bot", here.display());
    for args in [
        &["tournament", "league.toml"][..],
        &["tournament", "--resume", "--out", "inside"],
        &["rerun", "inside"],
    ] {
        refused(here, args, &here_and_there.replace("/./", "/"));
    }
    fs::remove_file(here.join("A/bot")).expect("it is there");
    let missing = format!("there is no {}/A/bot", here.display());
    refused(here, &["tournament", "league.toml", "--out", "beside"], &missing);
}

/// Returns the matches by their bots and round, without their numbers.
fn matches_in(dir: &Path) -> BTreeMap<String, Value> {
    let journal = fs::read_to_string(dir.join("matches.jsonl")).unwrap_or_default();
    let of_line = |line: &str| {
        let mut record: Value = serde_json::from_str(line).ok()?;
        record.as_object_mut()?.retain(|field, _| field != "match" && field != "check");
        Some((format!("{} {}", record["bots"], record["round"]), record))
    };
    journal.lines().filter_map(of_line).collect()
}

/// The tables without times.
fn rows_in(dir: &Path) -> Value {
    let text = fs::read_to_string(dir.join("standings.json")).expect("tables");
    let mut tables: Value = serde_json::from_str(&text).expect("JSON");
    for row in tables["rows"].as_array_mut().expect("rows") {
        row.as_object_mut().expect("a row").remove("time_us");
    }
    serde_json::json!([tables["rows"], tables["digest"], tables["crosstable"]])
}

/// Eight bots play, two join, one is replaced, and one is withdrawn. Each step is killed on the way.
#[test]
fn a_course_that_changes_comes_out_as_one_that_did_not() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let here = folder.path();
    let found: Value =
        serde_json::from_str(&String::from_utf8_lossy(&arena(here, &["doctor", "--format", "json"]).stdout))
            .expect("JSON");
    let mode = if found["strict"] == true { "strict" } else { "auto" };
    let league = |bots: &str| {
        let section =
            |bot: char| format!("[[bot]]\nname = \"{bot}\"\ncommand = \"./bot\"\ndir = \"{bot}\"\n");
        let bots: String = bots.chars().map(section).collect();
        let text = format!("[tournament]\nrounds = 3\nseed = 1234567890123456\njobs = 4\n{bots}");
        fs::write(here.join("league.toml"), text).expect("a league file");
    };
    for (number, bot) in "abcdefghij".chars().enumerate() {
        write_bot(&here.join(format!("{bot}/bot")), ["random", "greedy"][number % 2]);
    }
    let play = |out: &str, more: &[&str]| {
        let args = ["tournament", "league.toml", "--quiet", "--contain", mode, "--out", out];
        let mut command = crate::program::command();
        command.current_dir(here).args([&args[..], more].concat()).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the arena starts")
    };
    // Kills the run after a few new matches, and goes on.
    let killed_on_the_way = |more: &[&str], new: usize| {
        let before = matches_in(&here.join("grown"));
        let mut child = play("grown", more);
        if new > 0 {
            let is_new = |(key, record): (&String, &Value)| before.get(key) != Some(record);
            wait_until("new matches are played", || {
                matches_in(&here.join("grown")).iter().filter(|one| is_new(*one)).count() >= new
            });
        }
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        let again = if new == 0 { more } else { &["--resume"] };
        let (status, stderr) = end(play("grown", again));
        assert_eq!(status, Some(0), "{more:?}: {stderr}");
        succeed(here, &["replay", "grown", "--all", "--quiet"]);
        (before, matches_in(&here.join("grown")))
    };
    let kept = |before: &BTreeMap<String, Value>, after: &BTreeMap<String, Value>| {
        before.iter().filter(|(key, record)| after.get(*key) == Some(record)).count()
    };
    league("abcdefgh");
    let (_, after) = killed_on_the_way(&["--reuse"], 5);
    assert_eq!(after.len(), 28 * 3);
    league("abcdefghij");
    let (before, after) = killed_on_the_way(&["--resume"], 5);
    assert_eq!(
        (kept(&before, &after), after.len()),
        (28 * 3, 45 * 3),
        "only the matches of the new bots are played"
    );
    write_bot(&here.join("c/bot"), "greedy");
    let (status, stderr) = end(play("grown", &["--resume"]));
    match crate::held::can_hold() {
        true => assert!(status == Some(0) && stderr.contains("--out grown --replace c"), "{stderr}"),
        false => assert!(status == Some(2) && stderr.contains("/c/bot has changed"), "{stderr}"),
    }
    let (before, after) = killed_on_the_way(&["--resume", "--replace", "c"], 5);
    assert_eq!(
        (kept(&before, &after), after.len()),
        (36 * 3, 45 * 3),
        "only the matches of c are played again"
    );
    let replaced = fs::read_to_string(here.join("grown/replaced-1.jsonl")).expect("the old matches");
    assert_eq!(replaced.lines().count(), 27);
    let (before, after) = killed_on_the_way(&["--resume", "--without", "b"], 0);
    assert_eq!((kept(&before, &after), after.len()), (36 * 3, 36 * 3), "nothing is played");
    assert_eq!(of_bots(&here.join("grown"), "name"), ["a", "c", "d", "e", "f", "g", "h", "i", "j"]);
    for command in ["standings", "matches", "report"] {
        let said = arena(here, &[command, "grown"]);
        assert!(said.status.success(), "{command}: {}", String::from_utf8_lossy(&said.stderr));
    }
    let table = succeed(here, &["standings", "grown"]);
    assert!(table.contains("Withdrawn, with all their matches: b"), "{table}");
    // The league file still has the bot, which stays away.
    let (status, stderr) = end(play("grown", &["--resume"]));
    assert_eq!(status, Some(0), "{stderr}");
    league("acdefghij");
    let (status, stderr) = end(play("fresh", &["--reuse"]));
    assert_eq!(status, Some(0), "{stderr}");
    assert_eq!(rows_in(&here.join("grown")), rows_in(&here.join("fresh")));
    assert!(digests(&here.join("grown")) == digests(&here.join("fresh")));
}

#[test]
fn what_depends_on_results_is_neither_replaced_nor_withdrawn() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let here = folder.path();
    let bots = ["--bot", "a=random", "--bot", "b=greedy", "--bot", "c=greedy"];
    for schedule in ["swiss", "knockout", "ladder", "gauntlet"] {
        let args = ["tournament", "--rounds", "1", "--seed", "1", "--quiet", "--out", schedule];
        succeed(here, &[&args[..], &["--schedule", schedule], &bots].concat());
        for option in ["--replace", "--without"] {
            let args = ["tournament", "--resume", "--out", schedule, option];
            if schedule != "gauntlet" {
                let why = format!("{option} b: later matches depend on its results");
                refused(here, &[&args[..], &["b"]].concat(), &why);
            }
            refused(
                here,
                &[&args[..], &["x"]].concat(),
                if schedule == "gauntlet" { "there is no such bot" } else { option },
            );
        }
    }
    let resume = ["tournament", "--resume", "--quiet", "--out", "gauntlet"];
    refused(here, &[&resume[..], &["--without", "a"]].concat(), "the challenger \"a\" is not among the bots");
    succeed(here, &[&resume[..], &["--without", "c"]].concat());
    assert_eq!(of_bots(&here.join("gauntlet"), "name"), ["a", "b"]);
    refused(here, &[&resume[..], &["--without", "b"]].concat(), "2 seats need 2 bots");
    succeed(here, &[&resume[..], &["--replace", "c"]].concat());
    assert_eq!(of_bots(&here.join("gauntlet"), "name"), ["a", "b", "c"]);
    assert_eq!(lines_in(&here.join("gauntlet/matches.jsonl")), 2);
    refused(here, &["tournament", "--replace", "c"], "--resume");
}

/// Puts a new file in the place of an old one at once, as compilers do.
fn replace(path: &Path, write: impl Fn(&Path)) {
    let new = path.with_extension("new");
    write(&new);
    fs::rename(&new, path).expect("it is ours");
}

fn start(folder: &Path, program: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(program);
    command.current_dir(folder).args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("the arena starts")
}

#[test]
fn matches_after_a_change_of_a_bot_count_for_nobody() {
    // Without a sandbox no bot is held.
    let rounds =
        ["--seed", "1", "--quiet", "--out", "t", "--contain", "off", "--bot", "random", "--bot", "greedy"];
    let two = ["--seed", "1", "--quiet", "--out", "t", "--contain", "off", "--bot", "random"];
    let slow = |like: &str| format!("#!/bin/sh\nsleep 0.02; exec {ARENA} bot {like}\n");
    let write = |path: &Path, like: &str| {
        write_bot(path, like);
        fs::write(path, slow(like)).expect("a bot");
    };
    let tournament = ["tournament", "--rounds", "100", "--bot", "mine=./bot"];
    let shard = ["tournament", "--rounds", "300", "--bot", "mine=./bot", "--shard", "1/2"];
    let compare = [
        "compare",
        "mine=./bot",
        "b=random",
        "--h1",
        "0.05",
        "--seed",
        "1",
        "--quiet",
        "--contain",
        "off",
        "--out",
        "t",
    ];
    let again = "arena tournament --resume --out t --trust --replace mine";
    let back = "put the old file back and go on";
    for (args, more, how) in [
        (&tournament[..], &[&rounds[..], &["--jobs", "4"]].concat()[..], again),
        (&tournament[..], &[&two[..], &["--jobs", "1", "--schedule", "ladder"]].concat()[..], back),
        (&shard[..], &two[..], back),
        (&compare[..], &[], "arena compare --resume --out t --trust --replace mine"),
    ] {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let here = folder.path();
        let bot = here.join("bot");
        write(&bot, if args[0] == "compare" { "random" } else { "greedy" });
        let child = start(here, Path::new(ARENA), &[args, more].concat());
        let lines = || {
            let files =
                fs::read_dir(here.join("t")).into_iter().flatten().flatten().map(|entry| entry.path());
            files
                .filter(|path| path.to_string_lossy().contains(".jsonl"))
                .map(|path| lines_in(&path))
                .sum::<usize>()
        };
        wait_until("matches are played", || lines() >= 10);
        // The same contents are no change, and no reason for a process to fail.
        for _ in 0..10 {
            replace(&bot, |new| assert!(fs::copy(&bot, new).is_ok()));
            let seen = lines();
            wait_until("another match is played", || lines() > seen);
        }
        let seen = lines();
        wait_until("more matches are played", || lines() >= seen + 20);
        replace(&bot, |new| write(new, "planner"));
        let (status, stderr) = end(child);
        assert_eq!(status, Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains("bot of bot \"mine\" has changed: its matches from"), "{stderr}");
        assert!(stderr.contains(how), "{args:?}: {stderr}");
        if how != again {
            continue;
        }
        let played = matches_in(&here.join("t"));
        let is_mine = |key: &str| key.contains("mine");
        assert_eq!(played.keys().filter(|key| !is_mine(key)).count(), 100, "the others play on");
        assert!(played.keys().filter(|key| is_mine(key)).count() < 200);
        let fresh = |out: &str, like: &str| {
            write_bot(&here.join(like), like); // no copy of the bundled bot
            let mine = format!("mine=./{like}");
            let args =
                ["tournament", "--rounds", "100", "--seed", "1", "--quiet", "--out", out, "--bot", &mine];
            succeed(here, &[&args[..], &["--bot", "random", "--bot", "greedy", "--reuse=trusting"]].concat());
            digests(&here.join(out))
        };
        let before = fresh("before", "greedy");
        let other = |record: &&Value| !before.contains(&record["digest"].to_string());
        let other = played.values().find(other);
        assert_eq!(other, None, "only the old version was counted");
        refused(here, &["tournament", "--resume", "--trust", "--out", "t"], "bot has changed");
        replace(&bot, |new| write(new, "random"));
        succeed(here, &["tournament", "--resume", "--trust", "--out", "t", "--replace", "mine", "--quiet"]);
        assert!(digests(&here.join("t")) == fresh("after", "random"));
    }
}

#[test]
fn a_change_in_another_file_of_a_bot_is_seen() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let here = folder.path();
    for (number, command) in ["./bot", "sh helper.sh", "sh -c './bot'"].into_iter().enumerate() {
        let dir = here.join(format!("dir{number}"));
        write_bot(&dir.join("helper.sh"), "greedy");
        fs::write(dir.join("bot"), "#!/bin/sh\n. ./helper.sh\n").expect("a bot");
        fs::set_permissions(dir.join("bot"), fs::Permissions::from_mode(0o755)).expect("it is ours");
        for left_out in [".hidden", "__pycache__/x", "venv/pyvenv.cfg", "learned/x", "node_modules/x/y"] {
            write_bot(&dir.join(left_out), "nothing");
        }
        let league = format!(
            "[tournament]\nrounds = 2\nseed = 1\n[[bot]]\nname = \"mine\"\ncommand = \"{command}\"\ndir = \".\"\n\
             write = [\"learned\"]\n[[bot]]\ncommand = \"random\"\n"
        );
        fs::write(dir.join("league.toml"), &league).expect("a league file");
        // A log beside the bot grows while it plays.
        let args = ["tournament", "league.toml", "--out", "r"];
        let log = fs::File::create(dir.join("log")).expect("a file");
        let status = crate::program::command()
            .args(args)
            .current_dir(&dir)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a copy"))
            .stderr(log)
            .status();
        assert!(
            status.expect("the arena starts").success(),
            "{}",
            fs::read_to_string(dir.join("log")).expect("a log")
        );
        let around = of_bots(&dir.join("r"), "around")[0].clone();
        let around = around.as_array().expect("files").iter().map(|file| file["path"].clone());
        let around: Vec<Value> = around.collect();
        let other = if number == 1 { "bot" } else { "helper.sh" };
        let own = if number == 2 { vec![other] } else { vec![".hidden", other] };
        let own = [&own[..], &["node_modules/x/y", "venv/pyvenv.cfg"]].concat();
        assert!(own.iter().all(|path| around.contains(&Value::from(*path))), "{command}: {around:?}");
        for path in ["__pycache__/x", "learned/x", "league.toml", "log"] {
            assert!(!around.contains(&Value::from(path)), "{command}: {around:?}");
        }
        fs::remove_file(dir.join("log")).expect("it is there");
        // What was written since, the league file included, is no file of the bot.
        fs::write(dir.join("league.toml"), league.replace("rounds = 2", "rounds = 3"))
            .expect("a league file");
        let resume = ["tournament", "league.toml", "--resume", "--out", "r"];
        assert!(arena(&dir, &[&resume[..], &["--quiet"]].concat()).stderr.is_empty());
        write_bot(&dir.join("helper.sh"), "random");
        let resumed = arena(&dir, &resume);
        let said = String::from_utf8_lossy(&resumed.stderr).into_owned();
        match crate::held::can_hold() {
            true => assert!(resumed.status.success() && said.contains("--replace mine"), "{said}"),
            false => assert!(said.contains("helper.sh has changed"), "{said}"),
        }
        let said = arena(&dir, &["rerun", "r", "--match", "0", "--trust"]);
        let said = String::from_utf8_lossy(&said.stderr);
        assert!(said.contains("helper.sh of mine has changed since the record"), "{said}");
        // An old plan compares the files that it lists.
        let mut plan = plan_of(&dir.join("r"));
        for field in ["around", "digest", "held"] {
            plan["bots"][0].as_object_mut().expect("a bot").remove(field);
        }
        fs::write(dir.join("r/tournament.json"), plan.to_string()).expect("a plan");
        if number != 1 {
            succeed(&dir, &["tournament", "league.toml", "--resume", "--out", "r", "--quiet"]);
        }
    }
}

#[test]
fn bundled_bots_of_a_rebuilt_arena_are_other_bots() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let here = folder.path();
    let own = here.join("arena");
    fs::copy(ARENA, &own).expect("a copy");
    let child =
        start(here, &own, &["tournament", "--rounds", "100000", "--seed", "1", "--quiet", "--out", "t"]);
    wait_until("matches are played", || lines_in(&here.join("t/matches.jsonl")) >= 5);
    replace(&own, |new| {
        fs::copy(ARENA, new).expect("a copy");
        let mut file = fs::OpenOptions::new().append(true).open(new).expect("it is ours");
        std::io::Write::write_all(&mut file, b"another build").expect("it is writable");
    });
    let (status, stderr) = end(child);
    assert!(status == Some(2) && stderr.contains("has changed: its matches from"), "{stderr}");
}

#[test]
fn shards_of_different_versions_are_not_joined() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let here = folder.path();
    write_bot(&here.join("b/helper.sh"), "random");
    fs::write(here.join("b/bot.sh"), "cd b; . ./helper.sh").expect("a bot");
    let shard = |part: &str, out: &str| {
        let args =
            ["tournament", "--bot", "mine=sh b/bot.sh", "--bot", "random", "--seed", "1", "--rounds", "4"];
        arena(here, &[&args[..], &["--quiet", "--shard", part, "--out", out]].concat())
    };
    assert!(shard("0/2", "one").status.success() && shard("0/2", "two").status.success());
    write_bot(&here.join("b/helper.sh"), "random # another version");
    let joined = shard("1/2", "one");
    let stderr = String::from_utf8_lossy(&joined.stderr);
    let why = "bot \"mine\": its file helper.sh is not the same in all shards";
    assert!(joined.status.code() == Some(2) && stderr.contains(why), "{stderr}");
    assert!(shard("1/2", "three").status.success());
    refused(here, &["merge", "two", "three", "--out", "m"], why);
}
