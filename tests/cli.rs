//! The program from the command line: commands, files, tables, and messages about wrong input.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::program::tables::{lasting, records, standings};
use crate::program::{arena, executable, scratch, send, succeed, words};

/// Runs a command line without quotes, expects it to succeed, and returns its stdout.
pub(crate) fn typed(folder: &Path, line: &str) -> String {
    succeed(folder, &words(line))
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs the arena, expects this exit status, and returns its stderr.
pub(crate) fn said(folder: &Path, args: &[&str], status: i32) -> String {
    let output = arena(folder, args);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {}", stderr(&output));
    stderr(&output)
}

/// Runs the arena and expects a usage error with these words.
pub(crate) fn refused(folder: &Path, args: &[&str], why: &str) {
    let stderr = said(folder, args, 2);
    assert!(stderr.contains(why), "{args:?} lacks {why:?}: {stderr}");
}

pub(crate) fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("a JSON file")
}

/// Arguments need not be text: paths can have any bytes.
#[test]
fn an_argument_that_is_not_text_is_refused_without_a_panic() {
    let folder = scratch();
    for word in ["replay", "--width"] {
        let mut command = crate::program::command();
        command.current_dir(folder.path()).arg(word).arg(OsStr::from_bytes(b"\xff"));
        let output = command.stdin(Stdio::null()).output().expect("the arena starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.starts_with("error: ") && stderr.lines().count() <= 3, "{stderr}");
    }
}

#[test]
fn a_tournament_leaves_everything_and_the_tables_come_again_from_it() {
    let folder = scratch();
    let stdout = typed(folder.path(), "tournament --rounds 8 --seed 5");
    let out = folder.path().join("results/doodle-1");
    let plan = json(&out.join("tournament.json"));
    assert_eq!((&plan["seed"], &plan["rounds"], &plan["seats"]), (&5.into(), &8.into(), &2.into()));
    assert_eq!(plan["bots"][0]["files"][0]["sha256"].as_str().map(str::len), Some(64));
    let standings = json(&out.join("standings.json"));
    let row = &standings["rows"][0];
    assert_eq!((&row["rank"], &row["bot"], &row["matches"]), (&1.into(), &"greedy".into(), &8.into()));
    for field in ["won", "drawn", "lost", "mean_score", "ci95", "mean_rank", "faults"] {
        assert!(!row[field].is_null(), "{field} in {row}");
    }
    assert_eq!(row["faults"]["timeout"], 0);
    assert_eq!(records(&out).len(), 8);
    let again = |format: &str| typed(folder.path(), &format!("standings results/doodle-1 --format {format}"));
    for (format, file) in [("json", "json"), ("csv", "csv"), ("markdown", "md")] {
        let table = fs::read_to_string(out.join(format!("standings.{file}"))).expect("a table");
        assert_eq!(again(format), table, "{format}");
    }
    assert_eq!(typed(folder.path(), "standings results/doodle-1"), stdout);
    assert!(again("html").contains("<table>"));
}

#[test]
fn a_record_has_what_the_contract_names() {
    let folder = scratch();
    succeed(folder.path(), &["tournament", "--rounds", "1", "--seed", "9", "--out", "t"]);
    let record = &records(&folder.path().join("t"))[0];
    assert_eq!((&record["game"], &record["rules"]["start_cards"]), (&"doodle".into(), &"dealt".into()));
    assert_eq!(record["bots"].as_array().map(Vec::len), Some(2));
    assert_eq!(record["deal"]["deck"].as_array().map(Vec::len), Some(30));
    assert_eq!(record["deal"]["dice"].as_array().map(Vec::len), Some(17));
    let turns = record["turns"].as_array().expect("turns");
    let order: Vec<(u64, u64)> =
        turns.iter().map(|turn| (turn["id"].as_u64().unwrap(), turn["seat"].as_u64().unwrap())).collect();
    assert_eq!(order, (0..19).flat_map(|id| [(id, 0), (id, 1)]).collect::<Vec<_>>());
    assert!(turns.iter().all(|turn| turn["us"].is_u64() && turn["move"].is_object()));
    let result = &record["result"];
    for field in ["scores", "ranks", "rounds", "faults"] {
        assert_eq!(result[field].as_array().map(Vec::len), Some(2), "{field}");
    }
    assert_eq!(result["rounds"][0].as_array().map(Vec::len), Some(3));
}

#[test]
fn jobs_change_nothing_but_the_times() {
    let folder = scratch();
    let plan = "tournament --rounds 5 --seed 3 --bot random --bot r2=random --bot greedy";
    for (out, jobs) in [("one", "1"), ("four", "4")] {
        typed(folder.path(), &format!("{plan} --jobs {jobs} --out {out}"));
    }
    let [one, four] = ["one", "four"].map(|out| folder.path().join(out));
    assert_eq!(records(&one).len(), 15);
    let lasting = |dir: &Path| -> Vec<Value> { records(dir).into_iter().map(lasting).collect() };
    assert_eq!(lasting(&one), lasting(&four));
    assert_eq!(standings(&one), standings(&four));
}

#[test]
fn a_match_alone_is_the_match_of_the_tournament() {
    let folder = scratch();
    // The same bot by another command, because copies of one bot have other seeds.
    let twin = format!("r2={} bot random", env!("CARGO_BIN_EXE_arena"));
    let args = words("tournament --rounds 3 --seed 11 --seats 3 --out t");
    succeed(folder.path(), &[&args[..], &["--bot", "random", "--bot", &twin, "--bot", "greedy"]].concat());
    for record in records(&folder.path().join("t")) {
        let file = format!("m{}", record["match"]);
        let line = format!("match --quiet --record {file} --seed {}", record["seed"]);
        let mut args = words(&line);
        for bot in record["bots"].as_array().expect("names") {
            let name = bot.as_str().expect("a name");
            args.extend(["--bot", if name == "r2" { &twin } else { name }]);
        }
        succeed(folder.path(), &args);
        let again = json(&folder.path().join(&file));
        assert_eq!(again["digest"], record["digest"], "{file}");
        assert_eq!(lasting(again["turns"].clone()), lasting(record["turns"].clone()));
    }
}

#[test]
fn tables_of_any_size_are_played() {
    let folder = scratch();
    let plan = "tournament --rounds 2 --seed 1 --bot random --bot b=random --bot c=random";
    for (seats, matches) in [("1", 6), ("2", 6), ("3", 2), ("all", 2)] {
        typed(folder.path(), &format!("{plan} --seats {seats} --out {seats}"));
        assert_eq!(records(&folder.path().join(seats)).len(), matches, "{seats} seats");
    }
    let shared = "tournament --rounds 1 --seats all --start-cards shared --out twelve";
    typed(folder.path(), &format!("{shared}{}", random_bots(12)));
    let record = &records(&folder.path().join("twelve"))[0];
    assert_eq!(record["result"]["ranks"].as_array().map(Vec::len), Some(12));
}

/// Returns options for this number of random bots.
fn random_bots(count: usize) -> String {
    (0..count).map(|number| format!(" --bot b{number}=random")).collect()
}

#[test]
fn a_league_file_holds_bots_and_settings_and_options_override_it() {
    let folder = scratch();
    let league = r#"
        [tournament]
        game = "doodle"
        rounds = 3
        seats = "all"
        seed = 8
        out = "from-file"

        [limits]
        move-time = "2s"

        [rules]
        start-cards = "shared"

        [[bot]]
        command = "random"

        [[bot]]
        name = "second"
        command = "random"
        env = { LEVEL = "3" }
    "#;
    fs::write(folder.path().join("league.toml"), league).expect("a file");
    succeed(folder.path(), &["tournament", "league.toml", "--rounds", "2"]);
    let plan = json(&folder.path().join("from-file/tournament.json"));
    let numbers = [&plan["rounds"], &plan["seed"], &plan["limits"]["move_ms"]];
    assert_eq!(numbers, [2, 8, 2000]);
    assert_eq!([&plan["rules"]["start_cards"], &plan["bots"][1]["name"]], ["shared", "second"]);
}

fn standard_cards() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/data/doodle-standard.json");
    fs::read_to_string(path).expect("the standard cards")
}

#[test]
fn a_card_file_of_ones_own_is_played_and_kept_in_the_records() {
    let folder = scratch();
    let cards = standard_cards().replacen("\"cells\": [\"X\"]", "\"cells\": [\"XXXXXX\"]", 1);
    fs::write(folder.path().join("mine.json"), cards).expect("a file");
    succeed(folder.path(), &["tournament", "--rounds", "1", "--cards", "mine.json", "--out", "t"]);
    let record = &records(&folder.path().join("t"))[0];
    assert_eq!(record["cards"]["patches"][0]["cells"][0], "XXXXXX");
}

/// Wrong command lines, and the text that the message must contain.
const WRONG: &[(&[&str], &str)] = &[
    (&["new", "klingon", "mine"], "there are bash"),
    (&["new", "python"], "arena new python my-bot"),
    (&["new", "pyhton", "mine"], "did you mean python? there are"),
    (&["match", "--bot", "x=./crlf", "--bot", "greedy"], "hint: save the script with Unix line ends"),
    (&["tournament", "--bot", "x=cat *.none", "--bot", "greedy"], "hint: write sh -c 'cat *.none'"),
    (&["match", "--bot", "Engine 17 (dev)=greedy", "--bot", "greedy"], "\"Engine 17 (dev)\""),
    (&["match", "--bot", "team/bot=greedy", "--bot", "greedy"], "\"team/bot\""),
    (&["match", "greedy", "random"], "hint: name bots with --bot, and quote a command"),
    (&["check", "my-bot/bot.py"], "hint: name bots with --bot, and quote a command"),
    (&["tournament", "--bot", "python3", "x.py", "y.py"], "hint: name bots with --bot, and quote a command"),
    (&["match", "--seed", "abc"], "a seed is a whole number from 0 to 2^53 - 1"),
    (&["tournament", "--seed", "-1"], "a seed is a whole number from 0 to 2^53 - 1"),
    (&["compare", "greedy", "random", "--seed", "1e6"], "a seed is a whole number from 0 to 2^53 - 1"),
    (&["tournament", "--rounds", "1e3"], "it is a whole number, such as 1000"),
    (&["tournament", "--swiss-rounds", "many"], "it is a whole number, such as 1000"),
    (
        &["tournament", "float.toml"],
        "float.toml line 2: rounds: invalid type: floating point `1000.0`, expected a whole number",
    ),
    (&["tournament", "word.toml"], "word.toml line 2: rounds: texts stand in quotes, numbers do not"),
    (&["compare", "greedy", "random", "--alpha", "five"], "it is a probability, such as 0.025 or 2.5%"),
    (
        &["compare", "greedy", "random", "--beta", "60%"],
        "--beta is 0.6: it must be at least 0.000000001 and below 0.5",
    ),
    (&["match", "--bot", "+1.0=greedy", "--bot", "random"], "hint: a name begins with a letter or a digit"),
    (&["tournament", "plus.toml"], "\"_x\" cannot be the name of a bot: it begins with '_'"),
    (&["tournament", "utf16.toml"], "utf16.toml is UTF-16"),
    (&["tournament", "--cards", "latin.json"], "latin.json is not UTF-8, at line 2"),
    (&["match", "--game", "patchwork", "--patches", "utf16.toml"], "hint: save it as UTF-8"),
    (&["new", "python", "full"], "no empty folder"),
    (&["new", "python", "full/file"], "no empty folder"),
    (&["check"], "--bot"),
    (&["check", "--bot", "x='open"], "a quote that is not closed"),
    (&["check", "--bot", "greedy", "--matches", "1"], "2..=1000000"),
    (&["tournament", "--bot", "gredy", "--bot", "random"], "bundled bots: random, novice"),
    (&["tournament", "--bot", "x=./nope", "--bot", "random"], "there is no file"),
    (&["tournament", "--bot", "x=true", "--bot", "random"], "exited with status 0"),
    (&["tournament", "--bot", "x='open", "--bot", "random"], "a quote that is not closed"),
    (&["tournament", "--bot", "b\u{7}d=random"], "cannot be the name of a bot"),
    (&["tournament", "--bot", "random", "--bot", "random"], "such as random-2=random"),
    (&["tournament", "--bot", "random"], "--seats 1"),
    (&["tournament", "--seats", "3"], "3 seats need 3 bots, there are 2"),
    (&["tournament", "--seats", "none"], "a number of seats from 1 on"),
    (&["tournament", "--rounds", "0"], "--rounds is 0"),
    (&["tournament", "--rounds", "18446744073709551615"], "too many matches"),
    (&["tournament", "--move-time", "400000y"], "at most 30 days"),
    (&["tournament", "seats.toml"], "seats.toml line 2: a number of seats from 1 on"),
    (&["match", "--record", "full"], "full is a folder"),
    (&["match", "--record", "nope/record"], "there is no folder nope"),
    (&["match", "--game", "patchwork", "--cards", "bad.json"], "--cards is a rule of doodle"),
    (&["match", "--game", "patchwork", "--bot", "random"], "patchwork is for 2 seats"),
    (&["tournament", "--resume", "--out", "full"], "cannot read full/tournament.json"),
    (&["tournament", "--resume"], "name its directory with --out"),
    (&["tournament", "--shard", "2/2"], "a shard such as 0/4"),
    (&["merge", "--out", "m", "nope"], "cannot read nope/tournament.json"),
    (&["tournament", "--jobs", "0"], "--jobs is 0"),
    (&["tournament", "--seed", "9007199254740992"], "below 2^53"),
    (&["tournament", "--seed", "-1"], "--seed"),
    (&["tournament", "--move-time", "0s"], "250ms"),
    (&["tournament", "--game", "chess"], "doodle"),
    (&["tournament", "--out", "full"], "already exists and is not empty"),
    (&["tournament", "--out", "full/file"], "cannot use full/file for results"),
    (&["tournament", "--cards", "nope.json"], "cannot read nope.json"),
    (&["tournament", "--cards", "full/file"], "not a card file"),
    (&["tournament", "--cards", "bad.json"], "\"P02\": the shape is not connected"),
    (&["tournament", "--cards", "twice.json"], "\"P01\": two cards have this id"),
    (&["tournament", "nope.toml"], "cannot read nope.toml"),
    (&["tournament", "typo.toml"], "line 2: unknown key `round` in [tournament]; did you mean `rounds`?"),
    (&["tournament", "section.toml"], "line 1: unknown key `turnament`; did you mean `tournament`?"),
    (&["tournament", "bot.toml"], "line 3: unknown key `comand` in [[bot]]; did you mean `command`?"),
    (
        &["tournament", "processes.toml"],
        "processes.toml line 3: processes: invalid value: integer `0`, expected a whole number from 1 on",
    ),
    (&["tournament", "nameless.toml"], "bot \"a\": \"\" cannot be a variable in env"),
    (&["tournament", "equals.toml"], "bot \"a\": \"A=B\" cannot be a variable in env"),
    (&["tournament", "nul.toml"], "bot \"a\": \"A\" cannot be a variable in env"),
    (&["tournament", "read.toml"], "nothing/here: No such file or directory"),
    (&["tournament", "write.toml"], "nothing/there: No such file or directory"),
    (&["tournament", "memory.toml"], "memory.toml line 3: memory: at least 4.0 MiB"),
    (&["tournament", "limits.toml"], "limits.toml line 2: memory: at least 4.0 MiB"),
    (&["tournament", "--memory", "3MiB"], "at least 4.0 MiB"),
    (&["match", "--memory", "1MiB"], "at least 4.0 MiB"),
    (&["check", "--bot", "greedy", "--memory", "1MiB"], "at least 4.0 MiB"),
    (&["run", "--memory", "1MiB", "--", "true"], "at least 4.0 MiB"),
    (&["tournament", "--schedule", "swis"], "swiss"),
    (&["tournament", "--schedule", "swiss", "--seats", "1"], "a swiss is for tables of at least 2 seats"),
    (
        &[
            "tournament",
            "--schedule",
            "knockout",
            "--seats",
            "3",
            "--bot",
            "random",
            "--bot",
            "greedy",
            "--bot",
            "b=random",
        ],
        "a knockout is for tables of 2 seats",
    ),
    (&["tournament", "--schedule", "swiss", "--swiss-rounds", "0"], "--swiss-rounds is 0"),
    (&["tournament", "--schedule", "swiss", "--seed", "1", "--shard", "0/2"], "cannot be split into shards"),
    (&["tournament", "--schedule", "knockout", "--rounds", "18446744073709551615"], "too many matches"),
    (&["tournament", "--schedule", "knockout", "--challenger", "greedy"], "--challenger is for a gauntlet"),
    (
        &["tournament", "--schedule", "gauntlet", "--challenger", "x"],
        "the challenger \"x\" is not among the bots",
    ),
    (&["tournament", "--schedule", "ladder", "--until-decided"], "--until-decided is not for a ladder"),
    (&["tournament", "--seeding", "draw"], "--seeding is for a knockout"),
    (&["tournament", "--max-rounds", "5"], "--max-rounds is for --until-decided"),
    (&["tournament", "--until-decided", "--max-rounds", "5"], "100 deals are planned"),
    (&["serve", "nowhere", "--base-url", "arena.example.org"], "such as https://arena.example.org"),
    (&["serve", "nowhere", "--base-url", "https://a\"onload=b"], "such as https://arena.example.org"),
    (&["plan", "nowhere"], "cannot read nowhere/tournament.json"),
    (&["plan", "--difference", "5"], "such as 30elo or 2points"),
    (&["plan", "--difference=-5elo"], "a number above 0"),
    (&["plan", "--power", "120"], "from 10% to 99.9%"),
    (&["plan", "--bots", "1"], "1 is not in 2..=1000"),
    (&["tournament", "--unknown"], "--unknown"),
    (&["match", "--bot", "nope"], "nope"),
    (&["match", "--seed", "9007199254740992"], "below 2^53"),
    (&["standings", "."], "cannot read ./tournament.json"),
    (&["standings", "nope"], "results/doodle-1"),
    (&["check", "--bot", "random", "--seed", "4"], "--game-command"),
    (&["check", "--bot", "random", "--game-option", "a=1"], "--game-command"),
    (&["check", "--game-command", "x", "--retries", "y:1"], "--bot <BOT>"),
    (&["bots", "nope"], "the bundled bots are"),
    (&["dance"], "dance"),
];

#[test]
fn wrong_input_is_answered_in_a_line_or_two_and_leaves_nothing() {
    let folder = scratch();
    let path = folder.path();
    let cards = standard_cards();
    fs::create_dir(path.join("full")).expect("a folder");
    for (name, text) in [
        ("full/file", "x".to_owned()),
        ("bad.json", cards.replacen("[\"XX\"]", "[\"X.X\"]", 1)),
        ("twice.json", cards.replacen("P02", "P01", 1)),
        ("seats.toml", "[tournament]\nseats = -1\n".to_owned()),
        ("typo.toml", "[tournament]\nround = 3\n".to_owned()),
        ("float.toml", "[tournament]\nrounds = 1e3\n".to_owned()),
        ("word.toml", "[tournament]\nrounds = many\n".to_owned()),
        ("plus.toml", "[[bot]]\nname = '_x'\ncommand = 'greedy'\n".to_owned()),
        ("section.toml", "[turnament]\nrounds = 3\n".to_owned()),
        ("bot.toml", "[[bot]]\nname = \"a\"\ncomand = \"greedy\"\n".to_owned()),
        ("processes.toml", of_bot("processes = 0")),
        ("nameless.toml", of_bot("env = { \"\" = \"1\" }")),
        ("equals.toml", of_bot("env = { \"A=B\" = \"1\" }")),
        ("nul.toml", of_bot("env = { A = \"x\\u0000y\" }")),
        ("read.toml", of_bot("read = [\"nothing/here\"]")),
        ("write.toml", of_bot("write = [\"nothing/there\"]")),
        ("memory.toml", of_bot("memory = \"1MiB\"")),
        ("limits.toml", "[limits]\nmemory = \"1MiB\"\n".to_owned()),
    ] {
        fs::write(path.join(name), text).expect("a file");
    }
    fs::write(path.join("utf16.toml"), b"\xff\xfe[\0t\0").expect("a file");
    fs::write(path.join("latin.json"), b"{\n\"\xe9\"").expect("a file");
    executable::write(&path.join("crlf"), b"#!/usr/bin/env python3\r\nprint()\r\n", "755");
    let before = listing(path);
    for (args, message) in WRONG {
        let output = arena(path, args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains(message), "{args:?} said: {stderr}");
        assert!(stderr.lines().count() <= 3 && !stderr.contains("panicked"), "{args:?} said: {stderr}");
        assert!(output.stdout.is_empty(), "{args:?}");
        assert_eq!(listing(path), before, "{args:?} left something");
    }
}

/// Returns a league file of two bots, with this third line.
fn of_bot(line: &str) -> String {
    format!("[[bot]]\nname = \"a\"\n{line}\ncommand = \"sh -c x\"\n[[bot]]\ncommand = \"greedy\"\n")
}

pub(crate) fn listing(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_tip_names_what_is_near_or_says_nothing() {
    let folder = scratch();
    for (line, tip) in [
        ("feed --quiet", ""),
        ("match --format json", ""),
        ("check --replace A", ""),
        ("matches --columns x", ""),
        ("torunament", "tournament"),
        ("mach", "match"),
        ("match --bots x", "--bot"),
        ("view r --matc 3", "--match"),
        ("match --game dodle", "doodle"),
        ("standings r --columns mean_score", ""),
    ] {
        let said = arena(folder.path(), &words(line));
        let stderr = String::from_utf8_lossy(&said.stderr);
        let tips: Vec<&str> =
            stderr.lines().filter_map(|line| line.strip_prefix("  tip: did you mean ")).collect();
        let expected = Some(format!("{tip}?")).filter(|_| !tip.is_empty());
        assert_eq!(tips, expected.iter().map(String::as_str).collect::<Vec<_>>(), "{line}: {stderr}");
        assert!(said.status.code() == Some(2) && !stderr.contains("as a value"), "{stderr}");
    }
    refused(
        folder.path(),
        &["compare", "greedy"],
        "error: a comparison is of two bots\n  hint: arena compare A B",
    );
    refused(folder.path(), &["compare", "HEAD~3", "greedy"], "a commit git:REF");
}

#[test]
fn a_match_in_which_a_bot_crashes_names_the_debugger() {
    let folder = scratch();
    for (signal, is_crash) in
        [("SEGV", true), ("ABRT", true), ("FPE", true), ("TERM", false), ("KILL", false)]
    {
        let hello =
            "read l; echo '{\"type\":\"hello\",\"protocol\":1}'; read l; echo '{\"type\":\"ready\"}'; read l";
        let crash = format!("#!/bin/sh\n{hello}; kill -{signal} $$\n");
        executable::write(&folder.path().join("crash"), crash, "755");
        let said = arena(folder.path(), &words("match --record one --bot x=./crash --bot random --quiet"));
        let stderr = String::from_utf8_lossy(&said.stderr);
        let hint = "stderr is empty; \"arena feed --debug\" shows where in a debugger";
        assert!(stderr.contains(&format!("SIG{signal}")) && stderr.contains(hint) == is_crash, "{stderr}");
    }
    // The command with another program in the place of the debugger.
    let fed = arena(folder.path(), &words("feed one --seat 0 --debug -- cat"));
    assert!(String::from_utf8_lossy(&fed.stderr).contains("runs without the sandbox"), "{fed:?}");
}

#[test]
fn more_seats_than_start_cards_are_refused_with_the_way_out() {
    let folder = scratch();
    let line = format!("tournament --seats all{}", random_bots(11));
    let stderr = String::from_utf8(arena(folder.path(), &words(&line)).stderr).expect("UTF-8");
    assert!(stderr.contains("11 seats need 11 start cards and the deck has 10"), "{stderr}");
    assert!(stderr.contains("shared start cards"), "{stderr}");
}

#[test]
fn a_torn_last_line_is_left_out_and_said() {
    let folder = scratch();
    succeed(folder.path(), &["tournament", "--rounds", "3", "--seed", "5", "--out", "t"]);
    let path = folder.path().join("t/matches.jsonl");
    let journal = fs::read(&path).expect("a journal");
    fs::write(&path, &journal[..journal.len() - 40]).expect("a journal");
    let output = arena(folder.path(), &["standings", "t", "--format", "json"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("is incomplete and was ignored"));
    let standings: Value = serde_json::from_slice(&output.stdout).expect("a table");
    assert_eq!(standings["matches"], 2);
}

#[test]
fn a_reader_that_goes_away_ends_the_output_quietly() {
    let folder = scratch();
    let mut command = crate::program::command();
    command.current_dir(folder.path()).args(words("match --seed 4 --bot random"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the arena starts");
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut stderr).expect("UTF-8");
    assert!(child.wait().expect("it ends").success(), "{stderr}");
    assert_eq!(stderr, "");
}

/// Plays a tournament with a bot that leaves a mark when it starts, and then plays. Returns the mark.
fn marked(folder: &Path) -> PathBuf {
    let (arena, mark) = (env!("CARGO_BIN_EXE_arena"), folder.join("mark"));
    play_own(folder, &format!(r#"own=sh -c 'touch "{}"; exec {arena} bot random'"#, mark.display()));
    mark
}

/// Plays a tournament of this bot without a sandbox.
fn play_own(folder: &Path, bot: &str) {
    let common = words("tournament --quiet --seed 1234567890123456 --out out --rounds 1 --contain off");
    succeed(folder, &[&common[..], &["--bot", bot, "--bot", "greedy"]].concat());
}

/// The commands that start the bots of the directory `out`.
const AGAIN: [&[&str]; 2] = [
    &["rerun", "out", "--match", "0"],
    &["tournament", "--quiet", "--resume", "--out", "out", "--rounds", "2"],
];

#[test]
fn a_directory_gets_no_rights_that_it_asks_for_unless_the_user_grants_them() {
    let folder = scratch();
    let mark = marked(folder.path());
    for args in AGAIN {
        fs::remove_file(&mark).expect("it was started");
        let stderr = said(folder.path(), args, 2);
        for part in ["asks for more", "--contain off", "--trust"] {
            assert!(stderr.contains(part), "{stderr}");
        }
        assert!(!mark.exists(), "{args:?} has started a bot");
        succeed(folder.path(), &[args, &["--contain", "off"]].concat());
        assert!(mark.exists());
        succeed(folder.path(), &[args, &["--trust"]].concat());
    }
}

/// The bot's author, and not its entry, names the interpreter.
#[test]
fn a_directory_does_not_choose_the_interpreter_of_a_bots_script() {
    let (folder, elsewhere) = (scratch(), scratch());
    let shell = elsewhere.path().canonicalize().expect("a folder").join("shell");
    fs::copy("/bin/sh", &shell).expect("a copy");
    let script = format!("#!{}\nexec {} bot random\n", shell.display(), env!("CARGO_BIN_EXE_arena"));
    executable::write(&folder.path().join("run"), &script, "755");
    play_own(folder.path(), "own=./run");
    let refused = arena(folder.path(), AGAIN[0]);
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(stderr.contains(&format!("the path {:?} for \"own\"", shell.display().to_string())), "{stderr}");
}

#[test]
fn what_a_directory_grants_a_bot_is_the_users_to_grant() {
    let folder = scratch();
    let bot = format!("[[bot]]\nname = \"own\"\ncommand = '{} bot random'\n", env!("CARGO_BIN_EXE_arena"));
    let other = "[[bot]]\ncommand = \"greedy\"\n";
    for (right, words) in [
        ("network = true", "the network"),
        ("read = [\"notes\"]", "to read"),
        ("write = [\"kept\"]", "to write"),
        ("memory = \"3GiB\"", "memory"),
        ("env = { PATH = \"/opt/tools:/usr/bin\" }", "the search path"),
    ] {
        let league = format!("[tournament]\nseed = 1234567890123456\nrounds = 1\n{bot}{right}\n{other}");
        fs::write(folder.path().join("league.toml"), league).expect("a file");
        fs::write(folder.path().join("notes"), "").expect("a file");
        fs::create_dir_all(folder.path().join("kept")).expect("a folder");
        let out = words.split(' ').next_back().expect("a word");
        succeed(folder.path(), &["tournament", "league.toml", "--quiet", "--out", out]);
        send(&folder.path().join(out));
        let resume = ["tournament", "--quiet", "--resume", "--out", out, "--rounds", "2"];
        let stderr = said(folder.path(), &resume, 2);
        assert!(stderr.contains(words) && stderr.contains("\"own\""), "{stderr}");
        succeed(folder.path(), &[&["tournament", "league.toml"], &resume[1..]].concat());
        succeed(folder.path(), &["rerun", out, "--match", "0", "--trust"]);
        said(folder.path(), &["rerun", out, "--match", "0"], 2);
        // If the user names the bot, it gets the rights that every bot gets.
        let named = format!("own={} bot random", env!("CARGO_BIN_EXE_arena"));
        succeed(folder.path(), &["rerun", out, "--match", "0", "--bot", &named]);
    }
}

/// A results directory of a stranger may name files outside of it, such as the user's keys.
#[test]
fn files_elsewhere_are_the_users_to_show() {
    let folder = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    let (mine, theirs) = (folder.path().join("mine"), folder.path().join("theirs"));
    for place in [&mine, &theirs] {
        fs::create_dir_all(place.join(".keys")).expect("a folder");
        fs::write(place.join("notes"), "").expect("a file");
        fs::write(place.join(".keys/id"), "").expect("a file");
    }
    let (notes, keys) =
        (mine.join("notes").display().to_string(), theirs.join(".keys/id").display().to_string());
    for (word, names) in [
        ("notes", None),
        (".keys/id", Some(&*keys)),
        ("../mine/notes", Some(&*notes)),
        (&*format!("--net={notes}"), Some("notes")),
    ] {
        let _ = fs::remove_dir_all(theirs.join("out"));
        let bot = format!("own=sh -c 'exec {} bot random' sh {word}", env!("CARGO_BIN_EXE_arena"));
        let played = words("tournament --quiet --rounds 1 --out out --bot");
        succeed(&theirs, &[&played[..], &[&bot, "--bot", "greedy"]].concat());
        send(&theirs.join("out"));
        for args in AGAIN {
            let output = arena(&theirs, args);
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            let Some(path) = names else {
                assert!(output.status.success(), "{bot}: {stderr}");
                continue;
            };
            assert_eq!(output.status.code(), Some(2), "{bot}: {stderr}");
            assert!(stderr.contains(path) && stderr.contains("--trust"), "{bot}: {stderr}");
            succeed(&theirs, &[args, &["--trust"]].concat());
        }
        if names.is_none() {
            // From another directory, the same command names a file of the user's.
            said(&mine, &["rerun", "../theirs/out", "--match", "0"], 2);
        }
    }
}

/// Every bot can read everything below `/usr`.
#[test]
fn results_are_not_written_where_every_bot_can_read_them() {
    let folder = scratch();
    let args = ["tournament", "--rounds", "1", "--out", "/usr/share/quilt-results"];
    refused(folder.path(), &args, "every bot can read results in");
    assert!(!Path::new("/usr/share/quilt-results").exists());
}

/// A file cannot request the mode that exists for tests.
#[test]
fn a_directory_cannot_ask_for_fewer_layers() {
    let folder = scratch();
    succeed(folder.path(), &["tournament", "--quiet", "--rounds", "1", "--out", "out"]);
    let path = folder.path().join("out/tournament.json");
    let text = fs::read_to_string(&path).expect("a plan");
    assert!(text.contains("\"mode\": \"auto\""), "{text}");
    fs::write(&path, text.replace("\"mode\": \"auto\"", "\"mode\": \"no-namespace\"")).expect("it is ours");
    for args in AGAIN {
        refused(folder.path(), args, "no-namespace");
    }
}

#[test]
fn a_plan_that_was_changed_by_hand_starts_nothing() {
    let folder = scratch();
    let mark = marked(folder.path());
    fs::remove_file(&mark).expect("it was started");
    let path = folder.path().join("out/tournament.json");
    let text = fs::read_to_string(&path).expect("a plan").replace("exec ", "exec env ");
    fs::write(&path, text).expect("it is ours");
    for args in AGAIN {
        refused(folder.path(), &[args, &["--trust"]].concat(), "was changed");
        assert!(!mark.exists());
    }
}

/// A bot that tries all seeds below a million knows the deals before the first turn.
#[test]
fn seeds_that_a_bot_could_guess_are_for_ones_own_bots() {
    let folder = scratch();
    let own = format!("own={} bot random", env!("CARGO_BIN_EXE_arena"));
    let play = ["match", "--bot", &own, "--bot", "greedy"];
    // Bots of others are usually in a league file.
    let league = format!("[tournament]\nrounds = 1\nseed = 5\n[[bot]]\ncommand = '{}'\n", &own[4..]);
    fs::write(folder.path().join("league.toml"), league + "[[bot]]\ncommand = 'greedy'\n").expect("a file");
    let text = said(folder.path(), &["tournament", "league.toml"], 0);
    let notes = text.lines().filter(|line| line.starts_with("note: a bot could guess the seed 5"));
    assert_eq!(notes.count(), 1, "{text}");
    for more in [&["--seed", "5"][..], &["--seed", "1234567890123456"], &[]] {
        let text = said(folder.path(), &[&play[..], more].concat(), 0);
        assert!(!text.contains("guess"), "{text}");
    }
    let text = said(folder.path(), &words("match --bot random --bot greedy --seed 5"), 0);
    assert!(!text.contains("guess"), "bundled bots do not: {text}");
    let bots = ["--bot", &own, "--bot", "greedy"];
    let strict = ["--seed", "5", "--contain", "strict"];
    for command in [
        &[&["match"][..], &bots].concat()[..],
        &[&["tournament", "--out", "out"][..], &bots].concat(),
        &["compare", &own, "greedy", "--out", "compared"],
    ] {
        let text = said(folder.path(), &[command, &strict].concat(), 2);
        assert!(text.contains("omit --seed, or use a random seed"), "{command:?}: {text}");
        assert!(text.trim().lines().count() <= 2, "{text}");
    }
    succeed(folder.path(), &["tournament", "--quiet", "--rounds", "1", "--out", "t"]);
    let plan = json(&folder.path().join("t/tournament.json"));
    assert!(plan["seed"].as_u64().is_some_and(|seed| seed >= 1 << 40), "{}", plan["seed"]);
}

/// Editors of Windows write a byte order mark, and other line ends.
#[test]
fn texts_of_windows_and_seeds_in_all_forms_are_taken() {
    let folder = scratch();
    let path = folder.path();
    let league = "\u{feff}[tournament]\r\nrounds = 1\r\nseed = 0x1F\r\n";
    fs::write(path.join("league.toml"), league).expect("a file");
    let cards = format!("\u{feff}{}", standard_cards().replace('\n', "\r\n"));
    fs::write(path.join("cards.json"), cards).expect("a file");
    let plan = "tournament --rounds 1 --quiet --cards cards.json";
    for (out, seed) in [("a", "league.toml"), ("b", "--seed 0x1F"), ("c", "--seed 3_1")] {
        typed(path, &format!("{plan} --out {out} {seed}"));
    }
    let with_variable = |seed: &str, out: &str| {
        let mut command = crate::program::command();
        command.current_dir(path).env("ARENA_SEED", seed);
        command.args(words(plan)).args(["--out", out]).output().expect("the arena starts")
    };
    assert!(with_variable("0x1F", "d").status.success());
    let digests = ["a", "b", "c", "d"].map(|out| standings(&path.join(out))["digest"].clone());
    assert!(digests.iter().all(|digest| *digest == digests[0]), "{digests:?}");
    // An empty variable is no seed, and a wrong one is named.
    assert!(with_variable("", "e").status.success());
    assert!(json(&path.join("e/tournament.json"))["seed"].as_u64() >= Some(1 << 40));
    let wrong = with_variable("1e6", "f");
    let rule = "error: the variable ARENA_SEED is \"1e6\": a seed is a whole number from 0 to 2^53 - 1\n";
    let said = String::from_utf8_lossy(&wrong.stderr);
    assert_eq!((said.as_ref(), wrong.status.code()), (rule, Some(2)));
}

#[test]
fn a_game_that_was_named_stays_in_the_commands_that_follow() {
    let folder = scratch();
    let said = succeed(folder.path(), &["new", "python", "mine", "--game", "patchwork"]);
    let page = fs::read_to_string(folder.path().join("mine/README.md")).expect("a page");
    for text in [&said, &page] {
        for command in ["check", "match", "tournament"] {
            assert!(text.contains(&format!("arena {command} --game patchwork --bot")), "{text}");
        }
    }
    let other = succeed(folder.path(), &["new", "python", "other"]);
    assert!(!other.contains("--game"), "{other}");
}

#[test]
fn the_newest_results_are_read_where_none_are_named() {
    let folder = scratch();
    let none = "error: there is no tournament in results\n  hint: name its directory\n";
    assert_eq!(said(folder.path(), &["standings"], 2), none);
    for game in ["patchwork", "doodle"] {
        succeed(folder.path(), &["tournament", "--quiet", "--rounds", "1", "--game", game]);
    }
    // The one that began last, whatever its name is.
    let plan = |name: &str| folder.path().join("results").join(name).join("tournament.json");
    let later = fs::metadata(plan("doodle-1")).and_then(|file| file.modified()).expect("a time");
    let file = fs::File::options().append(true).open(plan("patchwork-1")).expect("a plan");
    file.set_modified(later + Duration::from_secs(5)).expect("it is ours");
    for command in
        [&["standings"][..], &["report"], &["view", "--match", "0"], &["matches"], &["replay", "--quiet"]]
    {
        let output = arena(folder.path(), command);
        let text = String::from_utf8_lossy(&output.stderr);
        let note = "note: results/patchwork-1, the newest in results\n";
        assert!(output.status.success() && text.starts_with(note), "{command:?}: {text}");
        let named = [&command[..1], &["results/patchwork-1"], &command[1..]].concat();
        assert_eq!(output.stdout, arena(folder.path(), &named).stdout, "{command:?}");
    }
}
