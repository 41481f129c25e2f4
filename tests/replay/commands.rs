//! Tests of the commands replay, rerun, feed, and diff.

use std::fs;
use std::mem::MaybeUninit;
use std::path::Path;

use rustix::fs::inotify::{self, ReadFlags, WatchFlags};

use crate::cli::refused;
use crate::program::tables::{records, sealed};
use crate::program::{arena, scratch, words};
use crate::replay::{copied, golden_dir, line, lines, run};

const ARENA: &str = env!("CARGO_BIN_EXE_arena");

/// Plays a small tournament of two random bots and a greedy one.
fn played(folder: &Path, game: &str, out: &str) {
    let plan = "tournament --rounds 2 --seed 5 --quiet --bot random --bot r2=random --bot greedy";
    line(folder, &format!("{plan} --game {game} --out {out}"), 0);
}

#[test]
fn a_fresh_tournament_holds_reruns_feeds_and_equals_itself() {
    for game in ["doodle", "patchwork"] {
        let folder = scratch();
        played(folder.path(), game, "t");
        let (proof, _) = run(folder.path(), &["replay", "t", "--all", "--quiet"], 0);
        assert!(proof.contains(&format!("matches of {game} replayed")), "{proof}");
        assert_eq!(run(folder.path(), &["replay", "t/matches.jsonl"], 0).0, proof);
        let (agreed, _) = line(folder.path(), "rerun t --match 1", 0);
        let is_agreed = agreed.starts_with("match 1: all ") && agreed.contains("decisions agree, digest");
        assert!(is_agreed, "{agreed}");
        let seat = seat_of_random(&folder.path().join("t"), 1);
        let fed = line(folder.path(), &format!("feed t --match 1 --seat {seat} -- random"), 0);
        let records = records(&folder.path().join("t"));
        let first = records.iter().find(|record| record["match"] == 1).expect("a match");
        let turns = first["turns"].as_array().expect("turns");
        let turns = turns.iter().filter(|turn| turn["seat"] == seat).count();
        assert_eq!(fed, (format!("all {turns} answers agree\n"), String::new()));
        played(folder.path(), game, "u");
        let (same, _) = run(folder.path(), &["diff", "t", "u"], 0);
        assert!(same.ends_with("matches, all digests are the same\n"), "{same}");
    }
}

/// Returns a seat in which a random bot sits in a match.
fn seat_of_random(dir: &Path, index: u64) -> usize {
    let records = records(dir);
    let record = records.iter().find(|record| record["match"] == index).expect("a match");
    let bots = record["bots"].as_array().expect("bots");
    bots.iter().position(|bot| bot != "greedy").expect("one of two")
}

#[test]
fn a_match_is_played_again_from_any_folder_with_the_bots_of_its_own() {
    let folder = scratch();
    let here = folder.path();
    let bot = |place: &str, strategy: &str| {
        fs::create_dir_all(here.join(place)).expect("a folder");
        let text = format!("#!/bin/sh\nexec '{ARENA}' bots {strategy}\n");
        crate::program::executable::write(&here.join(place).join("bot.sh"), text, "755");
        fs::write(here.join(place).join("notes"), strategy).expect("a file");
    };
    bot("project/bots", "greedy");
    let project = here.join("project");
    let play = "tournament --rounds 1 --seed 5 --quiet --bot random";
    line(&project, &format!("{play} --bot c=bots/bot.sh --out results/c"), 0);
    let args = ["tournament", "--rounds", "1", "--seed", "5", "--quiet", "--bot", "random", "--out", "s"];
    run(&project, &[&args[..], &["--bot", "s=sh bots/bot.sh"]].concat(), 0);
    // Another folder has other bots with the same names.
    bot("other/bots", "random");
    fs::create_dir(here.join("empty")).expect("a folder");
    for from in ["project", "other", "empty", "project/bots"] {
        for results in ["results/c", "s"] {
            let results = project.join(results).display().to_string();
            let (said, notes) = run(&here.join(from), &["rerun", &results, "--match", "0"], 0);
            assert!(said.contains("decisions agree") && notes.is_empty(), "{from}: {said}{notes}");
        }
    }
    // A note is about a file that is there and has another digest.
    fs::write(project.join("bots/notes"), "new").expect("a file");
    for (from, results) in [("empty", "../project/s"), ("project", "results/c")] {
        let (_, notes) = run(&here.join(from), &["rerun", results, "--match", "0"], 0);
        let bot = &results[results.len() - 1..];
        assert_eq!(notes, format!("note: notes of {bot} has changed since the record\n"));
    }
    fs::remove_file(project.join("bots/bot.sh")).expect("it is ours");
    for results in ["results/c", "s"] {
        let (_, said) = run(&project, &["rerun", results, "--match", "0"], 1);
        assert!(!said.contains("changed") && said.contains("bot.sh"), "{said}");
    }
}

#[test]
fn a_match_is_shown_turn_by_turn() {
    let (text, _) = run(&golden_dir("doodle"), &["replay", ".", "--match", "1"], 0);
    let (quiet, _) = run(&golden_dir("doodle"), &["replay", ".", "--match", "1", "--quiet"], 0);
    assert!(text.ends_with(&format!("{quiet}\n")) && quiet.lines().count() == 4, "{quiet}");
    let (all, _) = run(&golden_dir("patchwork"), &["replay", ".", "--all"], 0);
    assert_eq!(all.matches(" holds, digest ").count(), 12);
}

#[test]
fn a_single_record_is_enough() {
    let folder = scratch();
    line(folder.path(), "match --seed 3 --quiet --record one --bot random --bot greedy", 0);
    assert!(run(folder.path(), &["replay", "one"], 0).0.contains("turn 19, seat 1 (greedy)"));
    refused(folder.path(), &["rerun", "one"], "--bot random=COMMAND");
    line(folder.path(), "rerun one --bot random=random --bot greedy=greedy", 0);
    run(folder.path(), &["feed", "one", "--seat", "1", "--", "greedy"], 0);
    let text = fs::read_to_string(folder.path().join("one")).expect("a record");
    fs::write(folder.path().join("bare"), text.trim_end()).expect("a record");
    run(folder.path(), &["replay", "bare", "--quiet"], 0);
}

#[test]
fn another_bot_differs_and_its_first_decision_is_named() {
    let folder = scratch();
    played(folder.path(), "doodle", "t");
    let found = records(&folder.path().join("t")).into_iter().find(|record| record["bots"][0] == "random");
    let index = found.expect("random sits first somewhere")["match"].to_string();
    let (_, stderr) = run(folder.path(), &["rerun", "t", "--match", &index, "--bot", "random=greedy"], 1);
    let named = format!("match {index}, turn 1, seat 0 (random): the record has {{\"card\"");
    assert!(stderr.contains(&named) && stderr.contains(", now it is {\"card\""), "{stderr}");
    let (stdout, stderr) = line(folder.path(), &format!("feed t --match {index} --seat 0 -- greedy"), 1);
    let listed: Vec<&str> = stdout.lines().collect();
    assert_eq!(listed[0], "turn 1");
    assert!(listed[1].starts_with("  record   {\"card\"") && listed[2].starts_with("  program  {\"card\""));
    let count = listed.iter().filter(|line| line.starts_with("turn ")).count();
    assert_eq!((stderr, listed.len()), (String::new(), 3 * count + 1));
    assert_eq!(listed[3 * count], format!("{count} of 19 answers differ"));
    let args = ["rerun", "t", "--match", &index, "--bot", "me=greedy"];
    refused(folder.path(), &args, "no bot of this match is named \"me\"");
}

/// A program that gives `count` lines to a bot, and then waits up to `patience` seconds for the end of its
/// stdin.
fn script(count: usize, patience: &str) -> String {
    format!(
        "n=0; while [ $n -lt {count} ] && read -r line; do printf '%s\\n' \"$line\"; n=$((n+1)); done | {ARENA} bot random
        timeout {patience} cat >&2 && echo closed >&2 || echo open >&2"
    )
}

#[test]
fn a_program_is_held_after_a_turn_at_a_terminal_only() {
    // The script answers hello, start, and turns 0 to 3.
    let args = ["feed", ".", "--match", "0", "--seat", "1", "--until", "3", "--", "sh", "-c"];
    let outputs = run(&golden_dir("doodle"), &[&args[..], &[&script(6, "600")]].concat(), 0);
    assert_eq!(outputs, ("all 4 answers agree\n".to_owned(), "closed\n".to_owned()));
    let mut command = crate::program::command();
    command.current_dir(golden_dir("doodle")).args(args).arg(script(6, "0.5"));
    let (text, status) = crate::screens::terminal::run(command, 80, "");
    assert!(status.success() && text.contains("no more lines follow") && text.contains("open\r\n"), "{text}");
    assert!(!text.contains("closed"), "{text}");
    // Without `--until`, the same script ends too early.
    let args = ["feed", ".", "--match", "0", "--seat", "1", "--contain", "off", "--", "sh", "-c"];
    let (stdout, _) = run(&golden_dir("doodle"), &[&args[..], &[&script(6, "0.1")]].concat(), 1);
    assert!(stdout.starts_with("turn 5\n  record   {"), "{stdout}");
    assert!(stdout.contains("\n  program  a fault, exit: it exited or closed its stdout\n"), "{stdout}");
    assert!(stdout.contains("1 of 5 answers differ; the program exited with status 0"), "{stdout}");
}

#[test]
fn a_recorded_fault_is_met_by_the_same_fault_only() {
    let golden = golden_dir("doodle");
    let records = records(&golden);
    let out = |bot: &str| {
        let found = records.iter().find(|record| record["bots"].to_string().contains(bot)).expect("a match");
        let bots = found["bots"].as_array().expect("bots");
        (found["match"].to_string(), bots.iter().position(|name| name == bot).expect("a seat").to_string())
    };
    let (index, seat) = out("hangs");
    let (stdout, _) = run(&golden, &["feed", ".", "--match", &index, "--seat", &seat, "--", "random"], 1);
    assert!(stdout.starts_with("turn 1\n  record   a fault, timeout: "), "{stdout}");
    let illegal = r#"read -r hello; echo '{"type":"hello","protocol":1}'; read -r start; echo '{"type":"ready"}'
        read -r turn; echo '{"type":"move","id":0,"move":{"pass":true}}'; cat >&2"#;
    let args = ["feed", ".", "--match", &index, "--seat", &seat, "--", "sh", "-c", illegal];
    let (stdout, stderr) = run(&golden, &args, 1);
    assert!(stdout.contains("program  a fault, illegal: the start patch must be drawn"), "{stdout}");
    assert!(stderr.contains(r#"{"type":"fault","id":0,"kind":"timeout""#), "it hears the fault: {stderr}");
    let (index, seat) = out("exits-at-start");
    let (_, stderr) = run(&golden, &["feed", ".", "--match", &index, "--seat", &seat, "--", "true"], 1);
    assert!(stderr.contains("the program does not greet: exit"), "{stderr}");
}

#[test]
fn tournaments_that_differ_are_told_apart_match_by_match() {
    let (first, second) = (copied("doodle"), copied("doodle"));
    let (a, b) = (first.path(), second.path().to_str().expect("UTF-8").to_owned());
    let mut changed = lines(a);
    let digest = records(a)[4]["digest"].as_str().expect("a digest").to_owned();
    changed[4] = changed[4].replace(&digest, "00").replacen("\"cells\":[[", "\"cells\":[[7,7],[", 1);
    changed.remove(7);
    fs::write(Path::new(&b).join("matches.jsonl"), sealed(&(changed.join("\n") + "\n"))).expect("a journal");
    let (stdout, stderr) = run(a, &["diff", ".", &b], 1);
    let lines: Vec<&str> = stdout.lines().collect();
    let begins = ["differs: match 4 (deal 1: ", "only in the first: match 7 (deal 1: "];
    assert!(lines.len() == 2 && (0..2).all(|at| lines[at].starts_with(begins[at])), "{stdout}");
    assert!(lines[0].contains("turn 1, seat "), "{stdout}");
    let counts = "8 matches are the same, 1 differ, 1 are only in the first, 0 only in the second";
    assert!(stderr.contains(counts), "{stderr}");
    let many: Vec<String> =
        (0..50).map(|round| changed[0].replace("\"round\":0", &format!("\"round\":{round}"))).collect();
    fs::write(Path::new(&b).join("matches.jsonl"), sealed(&(many.join("\n") + "\n"))).expect("a journal");
    let (stdout, _) = run(a, &["diff", ".", &b], 1);
    assert!(stdout.contains("only in the second: 29 more"), "{stdout}");
    let patchwork = golden_dir("patchwork");
    let (_, stderr) = run(a, &["diff", ".", patchwork.to_str().expect("UTF-8")], 1);
    assert!(stderr.contains("the first is of doodle, the second of patchwork"), "{stderr}");
}

#[test]
fn wrong_input_is_answered_in_a_line_or_two() {
    let folder = copied("doodle");
    fs::write(folder.path().join("text"), "hello\n").expect("a file");
    fs::write(folder.path().join("empty"), "").expect("a file");
    let chess = lines(folder.path())[0].replace("\"doodle\"", "\"chess\"") + "\n";
    fs::write(folder.path().join("chess"), chess).expect("a file");
    for (args, reason) in [
        ("replay nope", "cannot read nope"),
        ("replay text", "text is not a file of match records"),
        ("replay empty", "empty has no whole record"),
        ("replay chess", "a match of \"chess\", which is no game"),
        ("replay . --match 99", "there is no match 99"),
        ("replay . --match 1 --all", "--all"),
        ("rerun .", "say which with --match N"),
        ("feed . --match 0 --seat 0", "COMMAND"),
        ("feed . --match 0 --seat 3 -- random", "its seats are 0 to 2"),
        ("feed . --match 0 --seat 0 -- ./nope", "cannot start: there is no file"),
        ("diff . nope", "cannot read nope"),
    ] {
        let (_, stderr) = line(folder.path(), args, 2);
        assert!(stderr.contains(reason) && stderr.lines().count() <= 3, "{args:?}: {stderr}");
    }
}

/// A source that is opened twice may be two: another file may have taken its place.
#[test]
fn each_command_opens_the_records_and_their_plan_once() {
    let folder = scratch();
    ["t", "u"].into_iter().for_each(|out| played(folder.path(), "patchwork", out));
    let mut wrong = Vec::new();
    let seat = seat_of_random(&folder.path().join("t"), 0);
    let feed = format!("feed t --match 0 --seat {seat} --contain off -- random");
    for (command, status) in [
        ("matches t", 0),
        ("matches t --with greedy --worst 1 --format csv", 0),
        ("matches t --decisions --first 2 --format json", 0),
        ("diff t u", 0),
        ("matches t --match 0 --format jsonl", 0),
        ("analyze t --match 0 --nodes 10 --quiet", 0),
        ("view t --match 0 --out 0.html", 0),
        ("view t --match 0 --analyze --image --out 0.png", 0),
        ("replay t --match 0", 0),
        ("replay t --all", 0),
        ("replay t --all --quiet", 0),
        ("replay t", 0),
        ("rerun t --match 0 --contain off", 0),
        ("rerun --from t#0@9 --contain off", 1),
        (&feed, 0),
        ("matches t --match 0 --position 4", 0),
        ("match --from t#0@9 --bot a=greedy --bot b=greedy --contain off", 0),
        ("suite suite --make t --count 1 --nodes 100 --quiet", 0),
        ("standings t", 0),
        ("plan t", 2),
        ("report t --out report.html", 0),
        ("report t --for greedy --out greedy --during", 0),
        ("report t --for greedy --out greedy", 0),
        ("report t --for-each all", 0),
    ] {
        let opened = opened(&folder.path().join("t"), || {
            let output = arena(folder.path(), &words(command));
            if output.status.code() != Some(status) {
                wrong.push(format!("{output:?}"));
            }
        });
        let [records, plans] = opened;
        // A report to authors notes in the plan that the deals are known.
        let reads_the_plan_once = plans <= 1 || command.contains("--for");
        if records != 1 || !reads_the_plan_once {
            wrong.push(format!("{opened:?} arena {command}"));
        }
    }
    assert!(wrong.is_empty(), "opened are the records and the plan: {wrong:#?}");
}

/// Returns how often the journal and the plan in a folder were opened meanwhile.
fn opened(folder: &Path, act: impl FnOnce()) -> [usize; 2] {
    let watch = inotify::init(inotify::CreateFlags::NONBLOCK).expect("the system watches files");
    // The system reports equal events in a row as one, so there are others between.
    let flags = WatchFlags::OPEN | WatchFlags::ACCESS | WatchFlags::CLOSE_NOWRITE;
    let of = ["matches.jsonl", "tournament.json"]
        .map(|name| inotify::add_watch(&watch, folder.join(name), flags).expect("a file"));
    act();
    let mut space = [MaybeUninit::uninit(); 1 << 20];
    let mut events = inotify::Reader::new(&watch, &mut space);
    let mut counts = [0; 2];
    while let Ok(event) = events.next() {
        let place = of.iter().position(|of| *of == event.wd()).expect("one of the two");
        counts[place] += usize::from(event.events().contains(ReadFlags::OPEN));
    }
    counts
}
