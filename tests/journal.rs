//! Tournaments that are stopped, killed, or played in shards give the same results as uninterrupted ones.
//!
//! `QUILT_TORTURE` sets the number of runs of each round robin under kills (default 4). The other schedules
//! run a quarter as often.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use engine::dealer::Dealer;
use serde_json::Value;
use tempfile::TempDir;

use crate::program::tables::{lines_in, sealed, standings};

/// The limits are so generous that no sound bot comes near them, even on a busy machine.
const TOURNAMENT: &[&str] = &["tournament", "--move-time", "60s"];

/// The longest time from the line of a journal to the kill, in microseconds.
const MOMENT_US_MAX: u32 = 5_000;

const DOODLE: &[&str] =
    &["--rounds", "6", "--seed", "4", "--bot", "random", "--bot", "b=random", "--bot", "greedy"];
const PATCHWORK: &[&str] =
    &["--game", "patchwork", "--rounds", "8", "--seed", "4", "--bot", "random", "--bot", "greedy"];

/// Five bots, so that there are byes.
const SWISS: &[&str] = &[
    "--schedule",
    "swiss",
    "--rounds",
    "4",
    "--seed",
    "4",
    "--bot",
    "random",
    "--bot",
    "b=random",
    "--bot",
    "greedy",
    "--bot",
    "c=random",
    "--bot",
    "g=greedy",
];
/// Equal bots, so that there are sudden deaths.
const KNOCKOUT: &[&str] = &[
    "--game",
    "patchwork",
    "--schedule",
    "knockout",
    "--rounds",
    "4",
    "--seed",
    "4",
    "--bot",
    "greedy",
    "--bot",
    "g=greedy",
    "--bot",
    "random",
];

/// Six bots, each with limits of its own.
const LIMITED: &[&str] = &[
    "--game",
    "patchwork",
    "--rounds",
    "1",
    "--seed",
    "4",
    "--match-time",
    "1h",
    "--bot",
    "a=random",
    "--bot",
    "b=random",
    "--bot",
    "c=greedy",
    "--bot",
    "d=planner",
    "--bot",
    "e=master",
    "--bot",
    "f=greedy",
    "--limit",
    "a:move-time=50s",
    "--limit",
    "b:increment=1s",
    "--limit",
    "c:match-time=2h",
    "--limit",
    "d:budget=20",
    "--limit",
    "e:budget=30",
    "--limit",
    "f:startup-time=1m",
];

fn arena(folder: &Path, args: &[&str]) -> Command {
    let mut command = crate::program::command();
    command.current_dir(folder).args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    arena(folder, args).output().expect("the arena starts")
}

fn succeed(folder: &Path, args: &[&str]) -> Output {
    let output = run(folder, args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    output
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn tournament(folder: &Path, plan: &[&str], more: &[&str]) -> Output {
    run(folder, &[TOURNAMENT, plan, more].concat())
}

fn scratch() -> TempDir {
    tempfile::tempdir().expect("a scratch folder")
}

/// The results that must not depend on interruptions: tables without times, and all matches.
#[derive(Debug, PartialEq)]
struct Essence {
    standings: Value,
    digests: BTreeMap<u64, String>,
    lines: usize,
}

fn canonical(dir: &Path) -> Essence {
    let records = records(dir);
    let digest = |record: &Value| record["digest"].as_str().expect("a digest").to_owned();
    let digests = records.iter().map(|record| (record["match"].as_u64().expect("an index"), digest(record)));
    Essence { standings: standings(dir), digests: digests.collect(), lines: records.len() }
}

fn records(dir: &Path) -> Vec<Value> {
    let text = fs::read_to_string(dir.join("matches.jsonl")).expect("a journal");
    text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

fn uninterrupted(plan: &[&str]) -> Essence {
    let folder = scratch();
    let output = tournament(folder.path(), plan, &["--out", "t"]);
    assert!(output.status.success(), "{}", stderr(&output));
    canonical(&folder.path().join("t"))
}

fn torture_rounds() -> u64 {
    std::env::var("QUILT_TORTURE")
        .map_or(needs::sized(4, 8, 8), |text| text.parse().expect("QUILT_TORTURE is a number"))
}

/// Kills a tournament at random moments and resumes it until it is complete.
fn torture(plan: &[&str], rounds: u64) {
    let expected = uninterrupted(plan);
    let lines = expected.lines as u32;
    let mut chance = Dealer::new(1, 9);
    let mut kills = 0;
    for round in 0..rounds {
        let folder = scratch();
        let journal = folder.path().join("t/matches.jsonl");
        let mut resume = false;
        loop {
            // The first run is killed. Of the others about half are complete before they would be.
            let (more, until): (&[&str], u32) = match resume {
                true => (&["--out", "t", "--resume"], chance.below(2 * lines)),
                false => (&["--out", "t"], chance.below(lines)),
            };
            let mut child =
                arena(folder.path(), &[TOURNAMENT, plan, more].concat()).spawn().expect("it starts");
            wait_for_lines(&mut child, &journal, until as usize);
            // Moments between two lines count too, and the start before the first one.
            std::thread::sleep(Duration::from_micros(u64::from(chance.below(MOMENT_US_MAX))));
            let finished = child.try_wait().expect("it is ours").is_some();
            let _ = child.kill();
            let output = child.wait_with_output().expect("it ends");
            if finished {
                assert!(output.status.success(), "round {round}: {}", stderr(&output));
                break;
            }
            kills += 1;
            resume = folder.path().join("t/tournament.json").exists();
        }
        assert_eq!(canonical(&folder.path().join("t")), expected, "round {round}");
    }
    assert!(kills * 3 > rounds, "only {kills} kills");
}

/// Waits until the journal has this many lines, or until the arena has ended.
fn wait_for_lines(arena: &mut Child, journal: &Path, lines: usize) {
    while lines_in(journal) < lines && arena.try_wait().expect("it is ours").is_none() {
        std::thread::sleep(Duration::from_micros(200));
    }
}

#[test]
fn a_doodle_tournament_survives_kills() {
    torture(DOODLE, torture_rounds());
}

#[test]
fn a_patchwork_tournament_survives_kills() {
    torture(PATCHWORK, torture_rounds());
}

#[test]
fn a_swiss_tournament_survives_kills() {
    torture(SWISS, torture_rounds().div_ceil(4));
}

#[test]
fn a_knockout_survives_kills() {
    torture(KNOCKOUT, torture_rounds().div_ceil(4));
}

#[test]
fn a_league_with_limits_of_single_bots_survives_kills() {
    torture(LIMITED, torture_rounds().div_ceil(2));
}

#[test]
fn a_tournament_of_a_game_in_python_survives_kills() {
    if needs::PYTHON.is_met() {
        let game = format!("python3 {}/../tests/games/nim.py", env!("CARGO_MANIFEST_DIR"));
        let bots = ["--rounds", "6", "--seed", "4", "--bot", "a=random", "--bot", "b=random"];
        torture(&[&["--game-command", &game], &bots[..]].concat(), torture_rounds().div_ceil(4));
    }
}

#[test]
fn jobs_shards_and_their_order_change_nothing() {
    for plan in [DOODLE, PATCHWORK] {
        let expected = uninterrupted(plan);
        let folder = scratch();
        assert!(tournament(folder.path(), plan, &["--out", "eight", "--jobs", "8"]).status.success());
        assert_eq!(canonical(&folder.path().join("eight")), expected);
        let parts: Vec<String> = (0..7).map(|part| format!("{part}/7")).collect();
        for (number, part) in parts.iter().enumerate() {
            let out = format!("part{number}");
            let output = tournament(folder.path(), plan, &["--out", &out, "--shard", part]);
            assert!(output.status.success(), "{}", stderr(&output));
        }
        let mut order: Vec<String> = (0..7).map(|number| format!("part{number}")).collect();
        Dealer::new(2, 9).shuffle(&mut order);
        let args: Vec<&str> = order.iter().map(String::as_str).collect();
        succeed(folder.path(), &[&["merge", "--out", "whole"], &args[..]].concat());
        assert_eq!(canonical(&folder.path().join("whole")), expected);
        // A duplicate shard is accepted. A missing shard is reported, and playing it completes the
        // tournament.
        succeed(folder.path(), &[&["merge", "--out", "twice", "part3"], &args[..]].concat());
        assert_eq!(canonical(&folder.path().join("twice")), expected);
        let lacking = run(folder.path(), &[&["merge", "--out", "lacking"], &args[1..]].concat());
        assert_eq!(lacking.status.code(), Some(1));
        assert!(stderr(&lacking).contains("are missing:"), "{}", stderr(&lacking));
        succeed(folder.path(), &["tournament", "--resume", "--out", "lacking"]);
        assert_eq!(canonical(&folder.path().join("lacking")), expected);
    }
}

#[test]
fn foreign_plans_and_contradictions_are_not_merged() {
    let folder = scratch();
    let path = folder.path();
    assert!(tournament(path, PATCHWORK, &["--out", "a"]).status.success());
    assert!(
        tournament(path, PATCHWORK, &["--out", "b", "--seed", "5"]).status.code() == Some(2),
        "seed given twice"
    );
    let other = [&PATCHWORK[..4], &["--seed", "5"], &PATCHWORK[6..]].concat();
    assert!(tournament(path, &other, &["--out", "b"]).status.success());
    let foreign = run(path, &["merge", "--out", "m", "a", "b"]);
    assert_eq!(foreign.status.code(), Some(2));
    assert!(stderr(&foreign).contains("another plan"), "{}", stderr(&foreign));
    assert!(!path.join("m").exists());
    copy(&path.join("a"), &path.join("c"));
    let journal = fs::read_to_string(path.join("c/matches.jsonl")).expect("a journal");
    let digest = records(&path.join("c"))[0]["digest"].as_str().expect("a digest").to_owned();
    let contradicting = sealed(&journal.replace(&digest, &"0".repeat(32)));
    fs::write(path.join("c/matches.jsonl"), contradicting).expect("a file");
    let contradiction = run(path, &["merge", "--out", "m", "a", "c"]);
    assert_eq!(contradiction.status.code(), Some(2));
    assert!(
        stderr(&contradiction).contains("it is there twice, with different results"),
        "{}",
        stderr(&contradiction)
    );
}

fn copy(from: &Path, to: &PathBuf) {
    fs::create_dir(to).expect("a folder");
    for name in ["tournament.json", "matches.jsonl"] {
        fs::copy(from.join(name), to.join(name)).expect("a file");
    }
}

#[test]
fn more_rounds_and_more_bots_play_only_what_is_new() {
    let folder = scratch();
    let path = folder.path();
    let bots = ["--bot", "random", "--bot", "b=random"];
    let plan = [&["--rounds", "3", "--seed", "4"], &bots[..]].concat();
    assert!(tournament(path, &plan, &["--out", "t"]).status.success());
    let old: Vec<Value> = records(&path.join("t"));
    let wider = [&["--rounds", "5", "--resume", "--out", "t"], &bots[..], &["--bot", "greedy"]].concat();
    let output = run(path, &[&["tournament"], &wider[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let new = records(&path.join("t"));
    assert_eq!(new.len(), 15);
    for record in &old {
        let again =
            new.iter().find(|other| other["round"] == record["round"] && other["bots"] == record["bots"]);
        assert_eq!(again.map(|other| &other["turns"]), Some(&record["turns"]), "times and all");
    }
    assert_eq!(canonical(&path.join("t")), uninterrupted(&[&["--rounds", "5"], &DOODLE[2..]].concat()));
}

#[test]
fn a_changed_tournament_is_not_resumed_unless_forced() {
    let folder = scratch();
    let path = folder.path();
    let bot = path.join("bot.sh");
    let script =
        |comment: &str| format!("#!/bin/sh\n# {comment}\nexec {} bot random\n", env!("CARGO_BIN_EXE_arena"));
    fs::write(&bot, script("one")).expect("a file");
    let plan = ["--rounds", "2", "--seed", "4", "--out", "t", "--bot", "mine=sh bot.sh", "--bot", "random"];
    assert!(tournament(path, &plan, &[]).status.success());
    let journal = fs::read(path.join("t/matches.jsonl")).expect("a journal");
    for (change, message) in [
        (vec!["--move-time", "3s"], "limits.move_ms is 3000 instead of 60000"),
        (vec!["--start-cards", "shared"], "rules.start_cards is \"shared\" instead of \"dealt\""),
        (vec!["--memory", "1GiB"], "memory_bytes is 1073741824 instead of not set"),
        (vec!["--rounds", "1"], "1 rounds instead of 2"),
        (vec!["--seed", "5"], "the seed is 5 instead of 4"),
    ] {
        let output = run(path, &[&["tournament", "--resume", "--out", "t"], &change[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{change:?}");
        assert!(stderr(&output).contains(message), "{change:?}: {}", stderr(&output));
    }
    fs::write(&bot, script("two")).expect("a file");
    let resume = ["tournament", "--resume", "--out", "t", "--rounds", "3"];
    let refused = run(path, &resume);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("bot \"mine\": its file"), "{}", stderr(&refused));
    assert_eq!(fs::read(path.join("t/matches.jsonl")).expect("a journal"), journal);
    succeed(path, &[&resume[..], &["--force"]].concat());
    let file: Value =
        serde_json::from_str(&fs::read_to_string(path.join("t/tournament.json")).unwrap()).unwrap();
    assert!(file["changes"][0].as_str().is_some_and(|what| what.ends_with("bot.sh has changed")), "{file}");
    for format in ["table", "markdown", "json", "html"] {
        let tables = succeed(path, &["standings", "t", "--format", format]).stdout;
        let tables = String::from_utf8(tables).expect("UTF-8");
        assert!(tables.contains("mine") && tables.contains("bot.sh has changed"), "{tables}");
    }
    assert_eq!(records(&path.join("t")).len(), 3);
}

#[test]
fn one_arena_at_a_time_writes_to_a_directory() {
    let folder = scratch();
    let long = ["tournament", "--rounds", "2000", "--seed", "1", "--out", "t"];
    let mut first = arena(folder.path(), &long).spawn().expect("it starts");
    while !folder.path().join("t/matches.jsonl").exists() {
        assert!(first.try_wait().expect("it is ours").is_none(), "it ended before it wrote");
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = run(folder.path(), &["tournament", "--resume", "--out", "t"]);
    first.kill().expect("it runs");
    first.wait().expect("it ends");
    assert_eq!(second.status.code(), Some(2));
    assert!(stderr(&second).contains("another arena is writing to t"), "{}", stderr(&second));
}

#[test]
fn a_tournament_of_another_game_or_version_is_not_resumed() {
    let folder = scratch();
    let path = folder.path();
    assert!(tournament(path, PATCHWORK, &["--out", "t"]).status.success());
    let other = run(path, &["tournament", "--resume", "--out", "t", "--game", "doodle"]);
    assert!(
        stderr(&other).contains("this is a tournament of patchwork, not of doodle"),
        "{}",
        stderr(&other)
    );
    let file = fs::read_to_string(path.join("t/tournament.json")).expect("a plan");
    for version in [1, 99] {
        let other = file.replace("\"format\": 3", &format!("\"format\": {version}"));
        fs::write(path.join("t/tournament.json"), other).expect("a file");
        for args in [&["tournament", "--resume", "--out", "t"][..], &["standings", "t"]] {
            let output = run(path, args);
            assert_eq!(output.status.code(), Some(2));
            assert!(stderr(&output).contains(&format!("it is of version {version}")), "{}", stderr(&output));
        }
    }
    // The version before had another word for the challenger.
    let gauntlet = [PATCHWORK, &["--schedule", "gauntlet"]].concat();
    assert!(tournament(path, &gauntlet, &["--out", "g"]).status.success());
    let file = fs::read_to_string(path.join("g/tournament.json")).expect("a plan");
    let before = file.replace("\"challenger\"", "\"hero\"").replace("\"format\": 3", "\"format\": 2");
    assert_ne!(before, file);
    let table = || String::from_utf8(run(path, &["standings", "g"]).stdout).expect("UTF-8");
    let now = table();
    fs::write(path.join("g/tournament.json"), before).expect("a file");
    assert_eq!(table(), now);
}

/// A file-size limit simulates the full disk, because it needs only a shell.
#[test]
fn a_full_disk_is_an_error_that_loses_nothing() {
    let folder = scratch();
    let path = folder.path();
    // One round is complete before the limit applies, so the test does not depend on the number of matches
    // written at once.
    let one_round = [&["--rounds", "1"], &DOODLE[2..]].concat();
    assert!(tournament(path, &one_round, &["--out", "t"]).status.success());
    let whole = records(&path.join("t")).len();
    let command = format!(
        "trap '' XFSZ; ulimit -f 30; exec {} tournament --resume --rounds 6 --out t",
        env!("CARGO_BIN_EXE_arena"),
    );
    let full = Command::new("sh").arg("-c").arg(command).current_dir(path).output().expect("a shell");
    assert_eq!(full.status.code(), Some(75), "{}", stderr(&full));
    assert!(stderr(&full).contains("cannot write t/matches.jsonl"), "{}", stderr(&full));
    let before = records(&path.join("t")).len();
    assert!((whole..18).contains(&before), "{before} whole lines, {whole} of them before");
    succeed(path, &["tournament", "--resume", "--out", "t"]);
    assert_eq!(canonical(&path.join("t")), uninterrupted(DOODLE));
}

/// Changes a record.
type Damage = fn(&mut Value);

const CHANGED: &str = "line 2 is not a match record: its check is wrong or missing, so the line was changed";

/// Ways to damage the second match of a journal, and the words of every command that reads the journal.
const DAMAGES: [(Damage, &str); 12] = [
    (|record| record["result"]["scores"][0] = 50.into(), CHANGED),
    (|record| record["turns"][0]["us"] = 7.into(), CHANGED),
    (|record| record["check"] = "0123456789abcdef".into(), CHANGED),
    (|record| drop(record.as_object_mut().expect("a record").remove("check")), CHANGED),
    (|record| record["bots"][0] = "nobody".into(), "match 1: the bot \"nobody\" does not take part"),
    (|record| record["round"] = 99.into(), "match 1 is not in the plan"),
    (|record| record["bots"] = serde_json::json!(["greedy", "greedy"]), "match 1 is not in the plan"),
    (|record| record["digest"] = "no digest".into(), "match 1: \"no digest\" is not a digest"),
    (
        |record| record["result"]["ranks"] = serde_json::json!([1]),
        "match 1: its results are not one for each seat",
    ),
    (|record| record["result"]["ranks"][0] = 7.into(), "match 1: a rank of 7 with 2 seats"),
    (|record| record["result"]["ranks"][0] = 0.into(), "match 1: a rank of 0 with 2 seats"),
    (
        |record| record["result"]["scores"] = serde_json::json!([]),
        "match 1: its results are not one for each seat",
    ),
];

#[test]
fn a_damaged_journal_is_refused_by_every_command_in_the_same_words() {
    let folder = scratch();
    let bots = ["--bot", "greedy", "--bot", "random"];
    let plan = [
        TOURNAMENT,
        &["--quiet", "--jobs", "1", "--game", "patchwork", "--rounds", "2", "--seed", "4", "--out", "t"],
        &bots,
    ];
    assert!(run(folder.path(), &plan.concat()).status.success());
    let path = folder.path().join("t/matches.jsonl");
    let sound = fs::read_to_string(&path).expect("a journal");
    for (damage, words) in DAMAGES {
        let mut lines: Vec<String> = sound.lines().map(str::to_owned).collect();
        let mut record: Value = serde_json::from_str(&lines[1]).expect("a record");
        damage(&mut record);
        lines[1] = record.to_string();
        let damaged = lines.join("\n") + "\n";
        let damaged = if words == CHANGED { damaged } else { sealed(&damaged) };
        fs::write(&path, &damaged).expect("a file");
        for arguments in [
            &["standings", "t"][..],
            &["report", "t", "--out", "report.html"],
            &["merge", "t", "--out", "m"],
            &["tournament", "--resume", "--out", "t"],
        ] {
            let output = run(folder.path(), arguments);
            let (status, text) = (output.status, stderr(&output));
            assert_eq!(status.code(), Some(2), "{words}: {arguments:?}: {text}");
            assert!(text.contains(words), "{words}: {arguments:?}: {text}");
        }
        assert_eq!(fs::read_to_string(&path).expect("a journal"), damaged, "{words}: nothing is lost");
    }
}

/// The record of a tournament is about all of its matches, and not only about those of the last run.
#[test]
fn the_record_has_the_weakest_sandbox_of_all_runs() {
    let folder = scratch();
    let path = folder.path();
    let file = |dir: &str| -> Value {
        let text = fs::read_to_string(path.join(dir).join("tournament.json")).expect("a plan");
        serde_json::from_str(&text).expect("JSON")
    };
    let play = |dir: &str, more: &[&str]| {
        let bots = ["--bot", "greedy", "--bot", "random", "--seed", "1234567890123456"];
        run(path, &[&["tournament", "--quiet", "--out", dir], &bots[..], more].concat())
    };
    assert!(play("open", &["--rounds", "1", "--contain", "off"]).status.success());
    let later = play("open", &["--rounds", "2", "--resume", "--contain", "auto", "--trust"]);
    assert!(later.status.success(), "{}", stderr(&later));
    assert_eq!(file("open")["containment"]["mode"], "off");
    assert!(!file("open")["containment"]["held"].to_string().contains("landlock"));
    let table = run(path, &["standings", "open"]);
    assert!(String::from_utf8_lossy(&table.stdout).contains("Bots were not contained"));

    assert!(play("closed", &["--rounds", "1"]).status.success());
    fs::write(path.join("closed/tournament.json.17.tmp"), "{").expect("a file");
    let weaker = ["--rounds", "2", "--resume", "--contain", "off"];
    let refused = stderr(&play("closed", &weaker));
    assert!(refused.contains("--contain is off instead of auto") && refused.contains("--force"), "{refused}");
    assert_eq!(file("closed")["containment"]["mode"], "auto");
    assert!(play("closed", &[&weaker[..], &["--force"]].concat()).status.success());
    assert_eq!(file("closed")["containment"]["mode"], "off");
    assert_eq!(file("closed")["changes"], serde_json::json!(["--contain is off instead of auto"]));
    assert!(!path.join("closed/tournament.json.17.tmp").exists(), "the rest of a killed run");
}

#[test]
fn the_standings_of_an_unfinished_tournament_say_so() {
    let folder = scratch();
    assert!(run(folder.path(), &[TOURNAMENT, &["--quiet", "--out", "t"], DOODLE].concat()).status.success());
    assert_eq!(stderr(&run(folder.path(), &["standings", "t"])), "");
    let path = folder.path().join("t/matches.jsonl");
    let whole = fs::read_to_string(&path).expect("a journal");
    let some: String = whole.lines().take(7).map(|line| line.to_owned() + "\n").collect();
    fs::write(&path, some).expect("a file");
    let standings = run(folder.path(), &["standings", "t"]);
    assert!(standings.status.success());
    assert_eq!(stderr(&standings), "note: the tournament is unfinished: 7 of 18 matches\n");
}
