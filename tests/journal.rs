//! Tournaments that are stopped, killed, or played in shards give the same results as uninterrupted ones.
//!
//! `QUILT_TORTURE` sets the number of runs of each round robin under kills (default 4). The other schedules
//! run a quarter as often.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use engine::dealer::Dealer;
use serde_json::Value;

use crate::cli::{json, refused, said, stderr, typed};
use crate::program::tables::{lines_in, records, sealed, standings};
use crate::program::{arena, command, scratch, succeed, words};

/// The limits are so generous that no sound bot comes near them, even on a busy machine.
const TOURNAMENT: [&str; 3] = ["tournament", "--move-time", "60s"];

/// The longest time from the line of a journal to the kill, in microseconds.
const MOMENT_US_MAX: u32 = 5_000;

const DOODLE: &str = "--rounds 6 --seed 4 --bot random --bot b=random --bot greedy";
const PATCHWORK: &str = "--game patchwork --rounds 8 --seed 4 --bot random --bot greedy";
const DRAW: &str = "--schedule draw --seats 4 --rounds 12 --seed 4 --bot random --bot b=random --bot greedy \
    --bot c=random --bot d=greedy --bot e=random";
/// Five bots, so that there are byes.
const SWISS: &str = "--schedule swiss --rounds 4 --seed 4 --bot random --bot b=random --bot greedy \
                     --bot c=random --bot g=greedy";
/// Equal bots, so that there are sudden deaths.
const KNOCKOUT: &str = "--game patchwork --schedule knockout --rounds 4 --seed 4 --bot greedy \
                        --bot g=greedy --bot random";
/// Six bots, each with limits of its own.
const LIMITED: &str = "--game patchwork --rounds 1 --seed 4 --match-time 1h --bot a=random --bot b=random \
                       --bot c=greedy --bot d=planner --bot e=master --bot f=greedy \
                       --limit a:move-time=50s --limit b:increment=1s --limit c:match-time=2h \
                       --limit d:budget=20 --limit e:budget=30 --limit f:startup-time=1m";
/// Continues the tournament in `t`.
const RESUME: [&str; 4] = ["tournament", "--resume", "--out", "t"];

/// Starts the arena with pipes.
pub(crate) fn spawned(folder: &Path, args: &[&str]) -> Child {
    let mut command = crate::program::command();
    command.current_dir(folder).args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the arena starts")
}

/// Plays a tournament whose plan has no blank in a word.
fn play(folder: &Path, plan: &str, more: &str) {
    succeed(folder, &[&TOURNAMENT[..], &words(plan), &words(more)].concat());
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

fn uninterrupted(plan: &[&str]) -> Essence {
    let folder = scratch();
    succeed(folder.path(), &[&TOURNAMENT[..], plan, &["--out", "t"]].concat());
    canonical(&folder.path().join("t"))
}

fn torture_rounds() -> u64 {
    std::env::var("QUILT_TORTURE")
        .map_or(needs::sized(4, 4, 8), |text| text.parse().expect("QUILT_TORTURE is a number"))
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
            let mut child = spawned(folder.path(), &[&TOURNAMENT[..], plan, more].concat());
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

/// The counts of a large journal are kept. A journal that begins otherwise has other counts.
#[test]
fn what_was_read_before_is_used_only_for_the_same_bytes() {
    let folder = scratch();
    let here = folder.path();
    let play = "tournament --game patchwork --reuse --quiet --seed 5 --rounds 1300 --bot a=random --bot b=random --out t";
    succeed(here, &words(play));
    let (journal, cache) = (here.join("t/matches.jsonl"), here.join("cache/quilt-arena"));
    let whole = fs::read_to_string(&journal).expect("a journal");
    let standings = |hides: bool| {
        let folder = if hides { "other" } else { "cache" };
        let mut arena = command();
        arena.env("XDG_CACHE_HOME", here.join(folder)).current_dir(here).args([
            "standings",
            "t",
            "--details",
        ]);
        let output = arena.output().expect("the arena starts");
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
    };
    let files = || fs::read_dir(&cache).into_iter().flatten().flatten().count();
    // First the journal of a tournament that is still being played.
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    fs::write(&journal, lines[..2_599].concat()).expect("a journal");
    let early = standings(false);
    assert_eq!((early.0, files()), (Some(0), 1));
    assert_eq!(standings(false), early);
    fs::write(&journal, &whole).expect("a journal");
    let all = standings(false);
    assert_eq!((all.0, files()), (Some(0), 1));
    assert!(all != early && all == standings(true));
    // Another journal of the plan, shorter or changed in its first line, has its own counts, or none.
    fs::write(&journal, lines[1..].concat()).expect("a journal");
    let later = standings(false);
    assert!(later != all && later == standings(true));
    fs::write(&journal, whole.replacen("\"ranks\":[1,2]", "\"ranks\":[2,1]", 1)).expect("a journal");
    assert_eq!(standings(false).0, Some(2));
    let kept = fs::read_dir(&cache).expect("a folder").next().expect("a file").expect("a file").path();
    fs::write(&journal, &whole).expect("a journal");
    assert_eq!(standings(false), all);
    let text = String::from_utf8_lossy(&fs::read(&kept).expect("a file")).into_owned();
    let head = text.lines().next().expect("a line").to_owned();
    let sums = |head: &str| [head.as_bytes(), &fs::read(&kept).expect("a file")[head.len()..]].concat();
    fs::write(&kept, sums(&head.replacen("\"replayed\":0", "\"replayed\":7", 1))).expect("a file");
    assert_ne!(standings(false), all, "the counts come from the cache");
    // What is no cache is read over.
    for damaged in [b"".to_vec(), b"{}\n".to_vec(), fs::read(&kept).expect("a file")[..5_000].to_vec()] {
        fs::write(&journal, &whole).expect("a journal");
        fs::write(&kept, damaged).expect("a file");
        assert_eq!(standings(false), all);
    }
}

#[test]
fn a_doodle_tournament_survives_kills() {
    torture(&words(DOODLE), torture_rounds());
}

#[test]
fn a_patchwork_tournament_survives_kills() {
    torture(&words(PATCHWORK), torture_rounds());
}

#[test]
fn a_swiss_tournament_survives_kills() {
    torture(&words(SWISS), torture_rounds().div_ceil(4));
}

#[test]
fn a_draw_survives_kills() {
    torture(&words(DRAW), torture_rounds().div_ceil(4));
}

#[test]
fn a_knockout_survives_kills() {
    torture(&words(KNOCKOUT), torture_rounds().div_ceil(4));
}

#[test]
fn a_league_with_limits_of_single_bots_survives_kills() {
    torture(&words(LIMITED), torture_rounds().div_ceil(2));
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
        let expected = uninterrupted(&words(plan));
        let folder = scratch();
        let is_expected = |out: &str| assert_eq!(canonical(&folder.path().join(out)), expected);
        play(folder.path(), plan, "--out eight --jobs 8");
        is_expected("eight");
        for part in 0..7 {
            play(folder.path(), plan, &format!("--out part{part} --shard {part}/7"));
        }
        let mut order: Vec<String> = (0..7).map(|number| format!("part{number}")).collect();
        Dealer::new(2, 9).shuffle(&mut order);
        let args: Vec<&str> = order.iter().map(String::as_str).collect();
        succeed(folder.path(), &[&["merge", "--out", "whole"], &args[..]].concat());
        is_expected("whole");
        // A duplicate shard is accepted. A missing shard is reported, and playing it completes the
        // tournament.
        succeed(folder.path(), &[&["merge", "--out", "twice", "part3"], &args[..]].concat());
        is_expected("twice");
        let lacking = said(folder.path(), &[&["merge", "--out", "lacking"], &args[1..]].concat(), 1);
        assert!(lacking.contains("are missing:"), "{lacking}");
        succeed(folder.path(), &["tournament", "--resume", "--out", "lacking"]);
        is_expected("lacking");
    }
}

#[test]
fn foreign_plans_and_contradictions_are_not_merged() {
    let folder = scratch();
    let path = folder.path();
    play(path, PATCHWORK, "--out a");
    let twice = words("--out b --seed 5"); // a seed given twice
    said(path, &[&TOURNAMENT[..], &words(PATCHWORK), &twice].concat(), 2);
    play(path, &PATCHWORK.replace("--seed 4", "--seed 5"), "--out b");
    refused(path, &["merge", "--out", "m", "a", "b"], "another plan");
    assert!(!path.join("m").exists());
    copy(&path.join("a"), &path.join("c"));
    let journal = fs::read_to_string(path.join("c/matches.jsonl")).expect("a journal");
    let digest = records(&path.join("c"))[0]["digest"].as_str().expect("a digest").to_owned();
    let contradicting = sealed(&journal.replace(&digest, &"0".repeat(32)));
    fs::write(path.join("c/matches.jsonl"), contradicting).expect("a file");
    refused(path, &["merge", "--out", "m", "a", "c"], "it is there twice, with different results");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder");
    for name in ["tournament.json", "matches.jsonl"] {
        fs::copy(from.join(name), to.join(name)).expect("a file");
    }
}

#[test]
fn more_rounds_and_more_bots_play_only_what_is_new() {
    let folder = scratch();
    let path = folder.path();
    play(path, "--rounds 3 --seed 4 --bot random --bot b=random", "--out t");
    let old: Vec<Value> = records(&path.join("t"));
    typed(path, "tournament --rounds 5 --resume --out t --bot random --bot b=random --bot greedy");
    let new = records(&path.join("t"));
    assert_eq!(new.len(), 15);
    for record in &old {
        let again =
            new.iter().find(|other| other["round"] == record["round"] && other["bots"] == record["bots"]);
        assert_eq!(again.map(|other| &other["turns"]), Some(&record["turns"]), "times and all");
    }
    let whole = DOODLE.replace("--rounds 6", "--rounds 5");
    assert_eq!(canonical(&path.join("t")), uninterrupted(&words(&whole)));
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
    succeed(path, &[&TOURNAMENT[..], &plan].concat());
    let journal = fs::read(path.join("t/matches.jsonl")).expect("a journal");
    for (change, message) in [
        (["--move-time", "3s"], "limits.move_ms is 3000 instead of 60000"),
        (["--start-cards", "shared"], "rules.start_cards is \"shared\" instead of \"dealt\""),
        (["--memory", "1GiB"], "memory_bytes is 1073741824 instead of not set"),
        (["--rounds", "1"], "1 rounds instead of 2"),
        (["--seed", "5"], "the seed is 5 instead of 4"),
    ] {
        refused(path, &[&RESUME[..], &change].concat(), message);
    }
    fs::write(&bot, script("two")).expect("a file");
    // Without its copy, the bot cannot play as it was.
    if let Some(held) = json(&path.join("t/tournament.json"))["bots"][0]["held"].as_str() {
        let store = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache/quilt-arena/held");
        fs::remove_dir_all(store.join(held)).expect("it is held");
    }
    let resume = [&RESUME[..], &["--rounds", "3"]].concat();
    refused(path, &resume, "bot \"mine\": its file");
    assert_eq!(fs::read(path.join("t/matches.jsonl")).expect("a journal"), journal);
    succeed(path, &[&resume[..], &["--force"]].concat());
    let file = json(&path.join("t/tournament.json"));
    assert!(file["changes"][0].as_str().is_some_and(|what| what.ends_with("bot.sh has changed")), "{file}");
    for format in ["table", "markdown", "json", "html"] {
        let tables = succeed(path, &["standings", "t", "--format", format]);
        assert!(tables.contains("mine") && tables.contains("bot.sh has changed"), "{tables}");
    }
    assert_eq!(records(&path.join("t")).len(), 3);
}

#[test]
fn one_arena_at_a_time_writes_to_a_directory() {
    let folder = scratch();
    let mut first = spawned(folder.path(), &words("tournament --rounds 2000 --seed 1 --out t"));
    while !folder.path().join("t/matches.jsonl").exists() {
        assert!(first.try_wait().expect("it is ours").is_none(), "it ended before it wrote");
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = arena(folder.path(), &RESUME);
    first.kill().expect("it runs");
    first.wait().expect("it ends");
    assert_eq!(second.status.code(), Some(2));
    assert!(stderr(&second).contains("another arena is writing to t"), "{}", stderr(&second));
}

#[test]
fn a_tournament_of_another_game_or_version_is_not_resumed() {
    let folder = scratch();
    let path = folder.path();
    play(path, PATCHWORK, "--out t");
    let other = stderr(&arena(path, &[&RESUME[..], &["--game", "doodle"]].concat()));
    assert!(other.contains("this is a tournament of patchwork, not of doodle"), "{other}");
    let file = fs::read_to_string(path.join("t/tournament.json")).expect("a plan");
    for version in [1, 99] {
        let other = file.replace("\"format\": 3", &format!("\"format\": {version}"));
        fs::write(path.join("t/tournament.json"), other).expect("a file");
        for args in [&RESUME[..], &["standings", "t"]] {
            refused(path, args, &format!("it is of version {version}"));
        }
    }
    // The version before had another word for the challenger.
    play(path, PATCHWORK, "--schedule gauntlet --out g");
    let file = fs::read_to_string(path.join("g/tournament.json")).expect("a plan");
    let before = file.replace("\"challenger\"", "\"hero\"").replace("\"format\": 3", "\"format\": 2");
    assert_ne!(before, file);
    let table = || String::from_utf8(arena(path, &["standings", "g"]).stdout).expect("UTF-8");
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
    play(path, &DOODLE.replace("--rounds 6", "--rounds 1"), "--out t");
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
    succeed(path, &RESUME);
    assert_eq!(canonical(&path.join("t")), uninterrupted(&words(DOODLE)));
}

/// Changes a record.
type Damage = fn(&mut Value);

const CHANGED: &str = "line 2 is not a match record: its check is wrong or missing, so the line was changed";
const NOT_ONE_EACH: &str = "match 1: its results are not one for each seat";

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
    (|record| record["result"]["ranks"] = serde_json::json!([1]), NOT_ONE_EACH),
    (|record| record["result"]["ranks"][0] = 7.into(), "match 1: a rank of 7 with 2 seats"),
    (|record| record["result"]["ranks"][0] = 0.into(), "match 1: a rank of 0 with 2 seats"),
    (|record| record["result"]["scores"] = serde_json::json!([]), NOT_ONE_EACH),
];

#[test]
fn a_damaged_journal_is_refused_by_every_command_in_the_same_words() {
    let folder = scratch();
    let plan = "--jobs 1 --game patchwork --rounds 2 --seed 4 --bot greedy --bot random";
    play(folder.path(), plan, "--quiet --out t");
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
            &RESUME,
        ] {
            refused(folder.path(), arguments, words);
        }
        assert_eq!(fs::read_to_string(&path).expect("a journal"), damaged, "{words}: nothing is lost");
    }
}

/// The record of a tournament is about all of its matches, and not only about those of the last run.
#[test]
fn the_record_has_the_weakest_sandbox_of_all_runs() {
    let folder = scratch();
    let path = folder.path();
    let file = |dir: &str| json(&path.join(dir).join("tournament.json"));
    let plan = "tournament --quiet --bot greedy --bot random --seed 1234567890123456";
    let play = |more: &str| typed(path, &format!("{plan} {more}"));
    play("--out open --rounds 1 --contain off");
    play("--out open --rounds 2 --resume --contain auto --trust");
    assert_eq!(file("open")["containment"]["mode"], "off");
    assert!(!file("open")["containment"]["held"].to_string().contains("landlock"));
    let table = arena(path, &["standings", "open"]);
    assert!(String::from_utf8_lossy(&table.stdout).contains("Bots were not contained"));

    play("--out closed --rounds 1");
    fs::write(path.join("closed/tournament.json.17.tmp"), "{").expect("a file");
    let weaker = "--out closed --rounds 2 --resume --contain off";
    let refused = stderr(&arena(path, &words(&format!("{plan} {weaker}"))));
    assert!(refused.contains("--contain is off instead of auto") && refused.contains("--force"), "{refused}");
    assert_eq!(file("closed")["containment"]["mode"], "auto");
    play(&format!("{weaker} --force"));
    assert_eq!(file("closed")["containment"]["mode"], "off");
    assert_eq!(file("closed")["changes"], serde_json::json!(["--contain is off instead of auto"]));
    assert!(!path.join("closed/tournament.json.17.tmp").exists(), "the rest of a killed run");
}

#[test]
fn the_standings_of_an_unfinished_tournament_say_so() {
    let folder = scratch();
    play(folder.path(), DOODLE, "--quiet --out t");
    assert_eq!(stderr(&arena(folder.path(), &["standings", "t"])), "");
    let path = folder.path().join("t/matches.jsonl");
    let whole = fs::read_to_string(&path).expect("a journal");
    let some: String = whole.lines().take(7).map(|line| line.to_owned() + "\n").collect();
    fs::write(&path, some).expect("a file");
    let unfinished = said(folder.path(), &["standings", "t"], 0);
    assert_eq!(unfinished, "note: the tournament is unfinished: 7 of 18 matches\n");
}
