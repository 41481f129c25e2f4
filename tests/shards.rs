//! Shards of a tournament: played into one directory, interrupted, replayed, and merged.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::cli::{json, listing, refused, said, stderr, typed};
use crate::journal::spawned;
use crate::program::executable;
use crate::program::tables::sealed;
use crate::program::unfinished::unfinished;
use crate::program::{arena, scratch, succeed, words};

const PLAN: &str = "tournament --quiet --rounds 8 --seed 4 --bot random --bot greedy";
/// A tournament long enough to be stopped in the middle.
const LONG: &str = "tournament --quiet --rounds 3000 --seed 4 --shard 1/30 --out t";

/// Plays a shard of the plan into a directory.
fn play_well(folder: &Path, part: &str, out: &str) {
    typed(folder, &format!("{PLAN} --shard {part} --out {out}"));
}

/// Runs a command line and expects these words on stderr.
fn told(folder: &Path, line: &str, why: &str) {
    let said = stderr(&arena(folder, &words(line)));
    assert!(said.contains(why), "{line} lacks {why:?}: {said}");
}

/// Returns the digest of each match in a file.
fn digests(file: &Path) -> BTreeMap<u64, String> {
    let text = fs::read_to_string(file).expect("a file of matches");
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let digest = |record: Value| Some((record["match"].as_u64()?, record["digest"].as_str()?.to_owned()));
    records.filter_map(digest).collect()
}

#[test]
fn a_part_that_was_ended_goes_on_and_a_finished_one_is_left_alone() {
    let folder = scratch();
    let part = words(LONG);
    let mut child = spawned(folder.path(), &part);
    let dir = folder.path().join("t");
    let first = unfinished(&mut child, &dir, "1-of-30", 3);
    let pid = Pid::from_raw(child.id().cast_signed()).expect("a process has a number");
    kill_process(pid, Signal::TERM).expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    let ended = stderr(&output);
    assert_eq!(output.status.code(), Some(75), "{ended}");
    assert!(ended.contains("continue with shard 1/30 by the same command"), "{ended}");
    told(folder.path(), "merge t --out m", "there are no matches in t");
    let unfinished_text = fs::read_to_string(&first).expect("what it left");
    succeed(folder.path(), &part);
    let whole = dir.join("shard-1-of-30.jsonl");
    let text = fs::read_to_string(&whole).expect("a part");
    let kept = unfinished_text.lines().skip(1).filter(|line| line.ends_with('}'));
    let is_kept = kept.clone().count() >= 2 && kept.clone().all(|line| text.contains(line));
    assert!(is_kept, "taken over, times and all");
    let indices: Vec<u64> = digests(&whole).into_keys().collect();
    assert_eq!(indices, (0..3000).filter(|index| index % 30 == 1).collect::<Vec<_>>());
    assert_eq!(text.lines().last(), Some("{\"end\":100}"));
    assert!(!listing(&dir).iter().any(|name| name.contains(".tmp.")), "{:?}", listing(&dir));
    assert!(said(folder.path(), &part, 0).contains("shard 1/30 is done"));
    assert_eq!(fs::read_to_string(&whole).expect("a part"), text);
}

#[test]
fn matches_of_two_interrupted_runs_are_kept_although_they_played_one_differently() {
    let folder = scratch();
    let path = folder.path();
    play_well(path, "0/2", "t");
    let whole = path.join("t/shard-0-of-2.jsonl");
    let text = fs::read_to_string(&whole).expect("a shard");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let record: Value = serde_json::from_str(lines[1]).expect("the first match to end");
    let digest = record["digest"].as_str().expect("a digest");
    let differs = sealed(&lines[1].replace(digest, &"0".repeat(32)));
    assert_ne!(differs, lines[1]);
    fs::remove_file(&whole).expect("it is there");
    let runs = [
        ("one.17", [lines[0], lines[1], lines[2]].concat()),
        ("two.18", [lines[0], &differs, lines[3]].concat()),
    ];
    for (run, text) in runs {
        fs::write(path.join(format!("t/shard-0-of-2.jsonl.tmp.{run}")), text).expect("a file");
    }
    let played = said(path, &words(&format!("{PLAN} --shard 0/2 --out t")), 0);
    assert!(!played.contains("not all of"), "{played}");
    let text = fs::read_to_string(&whole).expect("a shard");
    assert!(text.contains(lines[2]) && text.contains(lines[3]), "times and all");
    assert_eq!(digests(&whole).len(), 4);
}

#[test]
fn what_was_taken_over_counts_for_the_machine_that_played_it() {
    let folder = scratch();
    let path = folder.path();
    play_well(path, "0/2", "t");
    play_well(path, "1/2", "t");
    let whole = path.join("t/shard-0-of-2.jsonl");
    let text = fs::read_to_string(&whole).expect("a part");
    let here = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let named = |host: &str| format!("\"name\":{}", Value::from(host));
    let unfinished_text: String = text.split_inclusive('\n').take(3).collect();
    // A second run on another machine, also interrupted.
    let unfinished_text = unfinished_text.replacen(&named(&here), &named("elsewhere"), 1);
    fs::remove_file(&whole).expect("it is there");
    fs::write(path.join("t/shard-0-of-2.jsonl.tmp.elsewhere.17"), &unfinished_text).expect("a file");
    play_well(path, "0/2", "t");
    let text = fs::read_to_string(&whole).expect("a part");
    let heads = text.lines().filter(|line| line.starts_with("{\"shard\":"));
    let host = |line| serde_json::from_str::<Value>(line).expect("JSON")["host"]["name"].take();
    assert_eq!(heads.map(host).collect::<Vec<Value>>(), [here.as_str(), "elsewhere", here.as_str()]);
    assert!(text.contains(&unfinished_text), "as it was there");
    told(path, "merge t --without elsewhere --out w", "2 matches of 8 are missing: ");
    let without = stderr(&arena(path, &["merge", "t", "--without", &here, "--out", "v"]));
    assert!(without.contains("6 matches of 8 are missing: "), "{without}");
    assert!(!without.contains("shards"), "no part lacks wholly and nothing else: {without}");
    succeed(path, &["merge", "t", "--out", "m"]);
    typed(path, &format!("{PLAN} --out one"));
    assert_eq!(digests(&path.join("m/matches.jsonl")), digests(&path.join("one/matches.jsonl")));
}

#[test]
fn parts_of_any_number_cover_the_tournament() {
    let folder = scratch();
    let path = folder.path();
    typed(path, &format!("{PLAN} --out one"));
    for part in ["0/2", "1/4", "3/4"] {
        play_well(path, part, "t");
    }
    succeed(path, &["merge", "t", "--out", "m"]);
    let expected = digests(&path.join("one/matches.jsonl"));
    assert_eq!(expected.len(), 8);
    assert_eq!(digests(&path.join("m/matches.jsonl")), expected);
    // Duplicate matches do no harm, and a merge can name single files.
    play_well(path, "2/4", "t");
    let files = "t/shard-0-of-2.jsonl t/shard-1-of-4.jsonl t/shard-2-of-4.jsonl";
    let lacking = said(path, &words(&format!("merge --out l {files}")), 1);
    assert!(lacking.contains("2 matches of 8 are missing: 3, 7\n"), "{lacking}");
    told(path, "merge t --out all", "arena replay all --all --quiet");
    assert_eq!(digests(&path.join("all/matches.jsonl")), expected);
}

#[test]
fn what_lacks_is_named_as_parts_and_ranges_and_can_be_played() {
    let folder = scratch();
    let path = folder.path();
    for part in ["0/4", "2/4"] {
        play_well(path, part, "t");
    }
    told(path, "merge t --out m", "4 matches of 8 are missing: shards 1, 3 of 4\n");
    let here = rustix::system::uname().nodename().to_string_lossy().into_owned();
    told(path, &format!("merge t --without {here} --out w"), "8 matches of 8 are missing: 0-7\n");
    succeed(path, &["tournament", "--quiet", "--resume", "--out", "m"]);
    typed(path, &format!("{PLAN} --out one"));
    assert_eq!(digests(&path.join("m/matches.jsonl")), digests(&path.join("one/matches.jsonl")));
}

#[test]
fn parts_that_are_torn_foreign_or_contradict_are_refused() {
    let folder = scratch();
    let path = folder.path();
    play_well(path, "0/2", "t");
    let other = PLAN.replace("greedy", "g=greedy");
    refused(path, &words(&format!("{other} --shard 1/2 --out t")), "t has another tournament");
    typed(path, &format!("{other} --shard 1/2 --out u"));
    fs::copy(path.join("u/shard-1-of-2.jsonl"), path.join("t/shard-1-of-2.jsonl")).expect("a copy");
    told(path, "merge t --out m", "is of another plan");
    play_well(path, "0/2", "v");
    let merged = stderr(&arena(path, &["merge", "v", "u", "--out", "m"]));
    assert!(merged.contains("the bots are g, random instead of greedy, random"), "{merged}");
    told(path, &format!("{PLAN} --shard 1/2 --out t"), "it is of another plan");
    fs::remove_file(path.join("t/shard-1-of-2.jsonl")).expect("it is there");
    play_well(path, "1/2", "t");
    let whole = fs::read_to_string(path.join("t/shard-1-of-2.jsonl")).expect("a part");
    let end = whole.lines().last().expect("lines").to_owned() + "\n";
    let line = whole.lines().nth(2).expect("lines").to_owned() + "\n";
    let digest = digests(&path.join("t/shard-1-of-2.jsonl"))[&1].clone();
    let wrongs = [
        (whole.replace(&end, ""), "it has no line that ends it"),
        (whole.replace(&line, ""), "it has 3 matches of 4"),
        (whole.replace("\"match\":1,", "\"match\":3,"), "its check is wrong or missing"),
        (sealed(&whole.replace("\"match\":1,", "\"match\":2,")), "match 2 is not of shard 1/2"),
        (sealed(&whole.replace("\"match\":1,", "\"match\":3,")), "match 3 is not in the plan"),
    ];
    for (text, why) in wrongs {
        fs::write(path.join("t/shard-1-of-2.jsonl"), text).expect("a file");
        refused(path, &["merge", "t", "--out", "m"], why);
        assert!(!path.join("m").exists());
    }
    fs::write(path.join("t/shard-1-of-2.jsonl"), &whole).expect("a file");
    let scores = whole.split("\"scores\":[").nth(1).and_then(|rest| rest.split(',').next()).expect("a score");
    let [score, other] = [scores, "9999"].map(|score| format!("\"scores\":[{score},"));
    for text in [whole.replace(&digest, &"0".repeat(32)), whole.replacen(&score, &other, 1)] {
        fs::write(path.join("t/copy.jsonl"), sealed(&text)).expect("a file");
        told(path, "merge t t/copy.jsonl --out m", "there twice, with different results");
    }
}

#[test]
fn a_merge_records_the_weakest_sandbox_of_all_parts() {
    let folder = scratch();
    let path = folder.path();
    play_well(path, "0/2", "t");
    typed(path, &format!("{PLAN} --contain off --shard 1/2 --out t"));
    let mode = |out: &str| json(&path.join(out).join("tournament.json"))["containment"]["mode"].take();
    assert_eq!(mode("t"), "auto", "the first part wrote it");
    for (first, second, out) in [(0, 1, "m"), (1, 0, "n")] {
        let [first, second] = [first, second].map(|part| format!("t/shard-{part}-of-2.jsonl"));
        succeed(path, &["merge", &first, &second, "--out", out]);
        assert_eq!(mode(out), "off", "{first} {second}");
    }
    // A shard of the same directory does not stand for its journal.
    fs::copy(path.join("t/shard-0-of-2.jsonl"), path.join("m/shard-0-of-2.jsonl")).expect("a copy");
    succeed(path, &["merge", "m/shard-0-of-2.jsonl", "m/matches.jsonl", "--out", "both"]);
    assert_eq!(mode("both"), "off");
    // A head of the version before says nothing about the sandbox.
    let part = path.join("t/shard-1-of-2.jsonl");
    let text = fs::read_to_string(&part).expect("a part");
    let (head, rest) = text.split_once('\n').expect("lines");
    let mut head: Value = serde_json::from_str(head).expect("JSON");
    head.as_object_mut().expect("an object").remove("containment").expect("it is there");
    let shard = head.as_object_mut().expect("an object").remove("shard").expect("it is there");
    let head = format!("{{\"shard\":{shard},{}", &head.to_string()[1..]);
    fs::write(&part, format!("{head}\n{rest}")).expect("a file");
    let merged = said(path, &["merge", "t", "--out", "old"], 0);
    assert!(merged.contains("not every shard says how its bots were contained"), "{merged}");
    assert_eq!(mode("old"), Value::Null);
}

#[test]
fn parts_need_a_seed_and_a_directory_and_know_no_resume() {
    let folder = scratch();
    for (line, why) in [
        ("tournament --shard 0/2", "name one with --seed"),
        ("tournament --shard 0/2 --seed 1", "name one with --out"),
        ("tournament --shard 0/2 --seed 1 --out t --resume", "cannot be used with"),
        ("tournament --emit slurm --shards 1001", "1001 is not in 2..=1000"),
    ] {
        refused(folder.path(), &words(line), why);
    }
    assert!(listing(folder.path()).is_empty());
}

/// Installs shell scripts in place of the programs of a cluster engine. Returns the PATH that finds them
/// first.
fn stand_ins(folder: &Path, programs: &[(&str, &str)]) -> String {
    for (name, text) in programs {
        executable::write(&folder.join(name), format!("#!/bin/bash\n{text}\n"), "755");
    }
    format!("{}:{}", folder.display(), std::env::var("PATH").expect("there is one"))
}

/// Emits a script for this plan, from a folder with an awkward name into a directory with another awkward
/// name.
fn emitted(folder: &Path, engine: &str) -> (PathBuf, PathBuf) {
    let here = folder.join("it's a $HOME \"league\"");
    fs::create_dir(&here).expect("a folder");
    let bot = format!("it={} bot random", shell_words::quote(env!("CARGO_BIN_EXE_arena")));
    fs::write(here.join("my league.toml"), "[tournament]\nrounds = 8\n[[bot]]\ncommand = \"greedy\"\n")
        .expect("it");
    let args =
        ["tournament", "my league.toml", "--emit", engine, "--shards=4", "--out", "r; e", "--bot", &bot];
    let script = succeed(&here, &[&args[..], &["--bot", "greedy", "--quiet"]].concat());
    let path = folder.join("the script.sh");
    fs::write(&path, &script).expect("a file");
    assert!(script.lines().count() < 40, "{script}");
    assert!(script.contains("\nexport ARENA_SEED="), "one is drawn where none is given: {script}");
    assert!(!script.contains("--seed"), "command lines are for everybody to read: {script}");
    (path, here)
}

#[test]
fn a_script_for_slurm_plays_each_part_and_asks_for_another_try() {
    let folder = scratch();
    let (script, here) = emitted(folder.path(), "slurm");
    let text = fs::read_to_string(&script).expect("it");
    assert!(text.contains("#SBATCH --array=0-3\n"), "{text}");
    let programs = [("srun", "shift; exec \"$@\""), ("scontrol", "echo \"$@\" >>\"$ASKED\"")];
    let path = stand_ins(folder.path(), &programs);
    let asked = folder.path().join("asked");
    let run = |part: u64, path: &str| {
        let mut command = Command::new("bash");
        command.arg(&script).current_dir("/").env("PATH", path).env("ASKED", &asked);
        command.env("SLURM_ARRAY_TASK_ID", part.to_string()).env("SLURM_CPUS_PER_TASK", "1");
        command.env("SLURM_JOB_ID", "17").status().expect("bash runs").code()
    };
    for part in 0..4 {
        let log = here.join(format!("r; e/log/shard-{part}.log"));
        assert_eq!(run(part, &path), Some(0), "{}", fs::read_to_string(&log).unwrap_or_default());
        assert!(fs::read_to_string(log).expect("a log").contains(&format!("shard {part}/4 is done")));
    }
    assert!(!asked.exists());
    succeed(&here, &["merge", "r; e", "--out", "m"]);
    assert_eq!(digests(&here.join("m/matches.jsonl")).len(), 8);
    stand_ins(folder.path(), &[("srun", "exit 75")]);
    assert_eq!(run(0, &path), Some(75));
    assert_eq!(fs::read_to_string(asked).expect("it was asked"), "requeue 17\n");
}
