//! `arena check`: it accepts correct bots and names planted faults.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use referee::games::GameName;
use serde_json::Value;

use crate::fixtures::modes::Mode;
use crate::program::{complaints, scratch, succeed};

/// Limits that correct bots meet on any machine, however busy.
const AMPLE: [&str; 4] = ["--startup-time", "60s", "--move-time", "60s"];

fn check(bot: &str, options: &[&str]) -> (Output, Value) {
    let mut command = crate::program::command();
    command.args(["check", "--format", "json", "--bot", bot]).args(options);
    if !options.contains(&"--move-time") {
        command.args(AMPLE);
    }
    command.env_remove("PYTHONUNBUFFERED"); // it would hide planted faults
    let output = command.output().expect("the arena starts");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{bot}: {stderr}"));
    (output, report)
}

/// Returns the verdict, detail, and hint of this check as one text.
fn finding(report: &Value, check: &str) -> Option<String> {
    let checks = report["checks"].as_array().expect("a list");
    let found = checks.iter().find(|finding| finding["check"] == check)?;
    let text = |field: &str| found[field].as_str().unwrap_or_default().to_owned();
    Some(format!("{}: {} ({})", text("verdict"), text("detail"), text("hint")))
}

/// The expected report about a planted fault.
struct Expected {
    status: i32,
    check: &'static str,
    words: &'static str,
}

/// Returns a message if the report about a planted fault differs from the expected one.
fn complaint(what: &str, (output, report): &(Output, Value), expected: &Expected) -> Option<String> {
    let reported = finding(report, expected.check).unwrap_or_default();
    let is_named = reported.contains(expected.words);
    let is_verdict =
        output.status.code() == Some(expected.status) && report["ready"] == (expected.status == 0);
    (!is_named || !is_verdict).then(|| format!("{what}: {reported:?} in {report:#}"))
}

/// Returns the misbehaving fixture in this mode. It plays doodle only.
fn fixture(mode: Mode) -> String {
    format!("{} {}", crate::program::fixture("misbehave").display(), mode.name())
}

/// Returns the options for this mode, with short limits if the mode hangs.
fn options(mode: Mode) -> &'static [&'static str] {
    match mode {
        Mode::NoHello | Mode::NoReady => HANGS_AT_START,
        Mode::NoNewline => HANGS_IN_TURN,
        _ => DOODLE,
    }
}

const fn fails(check: &'static str, words: &'static str) -> Expected {
    Expected { status: 1, check, words }
}

const fn warns(check: &'static str, words: &'static str) -> Expected {
    Expected { status: 0, check, words }
}

#[test]
fn sound_bots_are_ready() {
    for bot in ["random", "greedy"] {
        let (output, report) = check(bot, &["--matches", "10"]);
        assert_eq!(output.status.code(), Some(0), "{report:#}");
        let checks = report["checks"].as_array().expect("a list");
        assert!(checks.len() > 35 && checks.iter().all(|finding| finding["verdict"] == "pass"), "{report:#}");
        assert_eq!((&report["bot"], report["times"].as_array().map(Vec::len)), (&bot.into(), Some(3)));
    }
    let (_, report) = check(&fixture(Mode::Plain), &["--game", "doodle", "--matches", "3"]);
    assert_eq!(report["ready"], true, "{report:#}");
}

#[test]
fn the_list_is_for_people_too() {
    let bot = fixture(Mode::IgnoresQuit);
    let mut command = crate::program::command();
    let output =
        command.args(["check", "--game", "doodle", "--matches", "2", "--bot", &bot]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\nok    starts and greets"), "{text}");
    assert!(text.contains("\nFAIL  ends when told to"), "{text}");
    assert!(text.contains("Fix this first:\n  ends when told to\n  exit within a second"), "{text}");
    let stderr = String::from_utf8(output.stderr).unwrap();
    let own = stderr.lines().filter(|line| !line.starts_with("note: the sandbox lacks "));
    assert_eq!((output.status.code(), own.count()), (Some(1), 1), "{stderr}");
}

#[test]
fn a_check_says_whether_another_seed_gives_other_moves() {
    let folder = scratch();
    for game in ["doodle", "patchwork"] {
        for (bot, detail) in [
            ("random", "twice the same, others with another seed"),
            ("greedy", "twice the same, and the same with another seed"),
        ] {
            let said = succeed(folder.path(), &["check", "--bot", bot, "--game", game, "--matches", "2"]);
            let line = said.lines().find(|line| line.contains("the same seed, the same moves"));
            assert!(line.is_some_and(|line| line.starts_with("ok ") && line.ends_with(detail)), "{said}");
        }
    }
}

#[test]
fn faults_of_the_fixture_are_named() {
    let planted = [
        (Mode::NoHello, fails("hello", "too slow or waits for something")),
        (Mode::HelloGarbage, fails("hello", "stdout is for one answer a question")),
        (Mode::ExitsAtOnce, fails("hello", "exited with status 0")),
        (Mode::NoReady, fails("doodle-two-seats", "startup")),
        (Mode::Traceback, fails("doodle-two-seats", "ValueError")),
        (Mode::NoNewline, fails("doodle-two-seats", "end each answer with a newline")),
        (Mode::DebugPrint, fails("doodle-two-seats", "stdout is for one answer a question")),
        (Mode::WrongId, fails("doodle-two-seats", "copy \"id\" from the turn")),
        (Mode::AnswersTwice, fails("doodle-two-seats", "answer each turn once")),
        (Mode::OffBoard, fails("doodle-two-seats", "cell [9,0] is outside the board")),
        (Mode::EndlessBytes, fails("doodle-two-seats", "more than 65536 bytes")),
        (Mode::IgnoresQuit, fails("quit", "still running two seconds later")),
        (Mode::FloodsAfterQuit, fails("doodle-silence", "it wrote")),
        (Mode::LeavesDaemon, warns("leftovers", "still there when it had ended")),
        (Mode::WrongData, warns("data", "of its values are no numbers that the record keeps")),
        (Mode::StderrFlood, warns("stderr", "5000000 bytes")),
        (Mode::ExitsAfterEnd, warns("doodle-several", "match 2 in one process")),
    ];
    let complaints = complaints(&planted, |(mode, expected)| {
        complaint(mode.name(), &check(&fixture(*mode), options(*mode)), expected)
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The Python template with one change in one file.
struct Mutant {
    name: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
    options: &'static [&'static str],
    expected: Expected,
}

const DOODLE: &[&str] = &["--game", "doodle", "--matches", "2"];
const HANGS_AT_START: &[&str] =
    &["--game", "doodle", "--matches", "2", "--startup-time", "5s", "--move-time", "60s"];
const HANGS_IN_TURN: &[&str] =
    &["--game", "doodle", "--matches", "2", "--startup-time", "60s", "--move-time", "700ms"];
const PATCHWORK: &[&str] = &["--game", "patchwork", "--matches", "2"];
const ANSWER: &str = "print(json.dumps(answer), file=answers, flush=True)";

#[rustfmt::skip]
const MUTANTS: &[Mutant] = &[
    Mutant { name: "no flush", file: "quilt/__init__.py", from: "flush=True", to: "flush=False", options: HANGS_AT_START,
        expected: fails("hello", "came only after the end of the input: flush stdout after each line: print(answer, flush=True)") },
    Mutant { name: "no flush of moves", file: "quilt/__init__.py", from: ANSWER, to: "print(json.dumps(answer), flush=answer['type'] != 'move')", options: HANGS_IN_TURN,
        expected: fails("doodle-two-seats", "only after the end of the input") },
    Mutant { name: "no newline", file: "quilt/__init__.py", from: ANSWER, to: "print(json.dumps(answer), flush=True, end='')", options: HANGS_AT_START,
        expected: fails("hello", "end each answer with a newline") },
    Mutant { name: "debugging on stdout", file: "bot.py", from: "    me = state", to: "    print('me')\n    me = state", options: DOODLE,
        expected: fails("doodle-two-seats", "print(text, file=sys.stderr)") },
    Mutant { name: "too slow", file: "quilt/__init__.py", from: "decide(start, state)", to: "__import__('time').sleep(1) or decide(start, state)", options: HANGS_IN_TURN,
        expected: fails("doodle-two-seats", "too slow or waits for something") },
    Mutant { name: "always the first seat", file: "bot.py", from: "state[\"players\"][start[\"seat\"]][\"board\"]", to: "state[\"players\"][0][\"board\"]", options: DOODLE,
        expected: fails("doodle-ten-seats", "your sheet is players[seat]") },
    Mutant { name: "never passes", file: "bot.py", from: "if state[\"phase\"] != \"start\"", to: "if False", options: DOODLE,
        expected: fails("doodle-two-seats", "ValueError: max()") },
    Mutant { name: "needs an empty cell", file: "bot.py", from: "    if start[\"game\"] ==", to: "    next(row for row in board if '.' in row)\n    if start[\"game\"] ==", options: DOODLE,
        expected: fails("doodle-full-board", "answer {\"pass\":true}") },
    Mutant { name: "a deck of its own", file: "bot.py", from: "patches[card][\"cells\"]", to: "patches[card][\"cells\"] if card[1:].isdigit() else patches['P01']", options: DOODLE,
        expected: fails("doodle-other-cards", "take shapes and ids from the start message") },
    Mutant { name: "lines of 8 kB", file: "quilt/__init__.py", from: "for line in lines:", to: "for line in iter(lambda: sys.stdin.readline(8192), ''):", options: DOODLE,
        expected: fails("doodle-many-cards", "read a line up to its newline") },
    Mutant { name: "counts on the field's place", file: "quilt/__init__.py", from: "message = json.loads(line)", to: "message = json.loads(line)\n        assert next(iter(message)) == 'type'", options: DOODLE,
        expected: fails("doodle-fields", "by name, not by place") },
    Mutant { name: "ends its lines by \\n only", file: "quilt/__init__.py", from: "for line in lines:", to: "for line in open(0, newline='\\n'):\n        assert line.endswith('}\\n')", options: DOODLE,
        expected: fails("doodle-crlf", "may end in \\r\\n") },
    Mutant { name: "answers the end", file: "quilt/__init__.py", from: "continue  # ", to: "answer = {'type': 'bye'}  # ", options: DOODLE,
        expected: fails("doodle-several", "answer nothing to \"end\"") },
    Mutant { name: "keeps its first seat", file: "quilt/__init__.py", from: "start = Start(message)", to: "start = start or Start(message)", options: DOODLE,
        expected: fails("doodle-several", "match 2 in one process") },
    Mutant { name: "carries chance over", file: "bot.py", from: "return touching\n\n", to: "return touching * COIN.random()\n\nCOIN = __import__('random').Random(1)\n\n", options: DOODLE,
        expected: warns("doodle-carry-over", "after other matches it plays otherwise") },
    Mutant { name: "chance of its own", file: "bot.py", from: "return touching\n\n", to: "return touching * __import__('random').random()\n\n", options: DOODLE,
        expected: warns("doodle-deterministic", "draw all chance from the \"seed\"") },
    Mutant { name: "keeps four megabytes of each match", file: "quilt/__init__.py", from: "start = Start(message)", to: "start = Start(message)\n            globals().setdefault('kept', []).append('x' * 4000000 + line)", options: &["--game", "doodle", "--matches", "20", "--patience", "60s"],
        expected: warns("doodle-memory", "kB more with each") },
    Mutant { name: "stays after quit", file: "bot.py", from: "quilt.run(\"python\", decide)", to: "quilt.run(\"python\", decide)\n__import__('time').sleep(60)", options: DOODLE,
        expected: fails("end-of-input", "for line in sys.stdin: ends by itself") },
    Mutant { name: "crashes at the end", file: "bot.py", from: "quilt.run(\"python\", decide)", to: "quilt.run(\"python\", decide)\nraise EOFError", options: DOODLE,
        expected: warns("quit", "exit with status 0") },
    Mutant { name: "remembers the actions", file: "bot.py", from: "    board, patches =", to: "    state['players'][start['seat']]['actions'].remove('cut')\n    board, patches =", options: DOODLE,
        expected: fails("doodle-takes-over", "the state of a turn says all") },
    Mutant { name: "plays doodle only", file: "bot.py", from: "elif state[\"phase\"]", to: "elif missing", options: &["--matches", "2"],
        expected: fails("patchwork", "if it does not play patchwork, say --game doodle") },
    Mutant { name: "counts ids itself", file: "quilt/__init__.py", from: "message[\"id\"], \"move\": decide", to: "(globals().__setitem__('n', globals().get('n', -1) + 1), n)[1], \"move\": decide", options: PATCHWORK,
        expected: fails("patchwork-first-seat", "copy \"id\" from the turn") },
    Mutant { name: "pays what it has not", file: "bot.py", from: "if patches[patch][\"buttons\"] <=", to: "if patches[patch][\"buttons\"] * 0 <=", options: PATCHWORK,
        expected: fails("patchwork-first-seat", "illegal") },
    Mutant { name: "counts on three patches", file: "bot.py", from: "state[\"circle\"][:3]", to: "[state[\"circle\"][i] for i in range(3)]", options: PATCHWORK,
        expected: fails("patchwork-few-patches", "fewer than three patches") },
    Mutant { name: "knows where leather lies", file: "bot.py", from: "cells[0]}", to: "cells[0 if set(start['track']['leather']) <= {20, 26, 32, 38, 44, 50} else 9]}", options: PATCHWORK,
        expected: fails("patchwork-much-leather", "in phase \"leather\"") },
];

#[test]
fn faults_planted_in_a_kit_are_named() {
    if !needs::PYTHON.is_met() {
        return;
    }
    let scratch = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    // Usually one is tried for each check that only these faults fail.
    let mut named = BTreeSet::from(["hello", "doodle-two-seats"]);
    let tried = MUTANTS.iter().filter(|mutant| named.insert(mutant.expected.check) || needs::tries_more());
    let complaints = complaints(&tried.collect::<Vec<_>>(), |mutant| {
        let bot = format!("python3 -B {}", plant(mutant, scratch.path()).join("bot.py").display());
        complaint(mutant.name, &check(&bot, mutant.options), &mutant.expected)
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Writes the changed template and returns its folder.
fn plant(mutant: &Mutant, scratch: &Path) -> PathBuf {
    let folder = scratch.join(mutant.name.replace(|letter: char| !letter.is_alphanumeric(), "-"));
    let kit = arena::templates::find("python").expect("a kit");
    kit.write_to(&folder, GameName::default()).expect("a scratch folder");
    let file = folder.join(mutant.file);
    let sound = fs::read_to_string(&file).expect("it was written");
    assert_eq!(sound.matches(mutant.from).count(), 1, "{}: {:?}", mutant.name, mutant.from);
    fs::write(&file, sound.replace(mutant.from, mutant.to)).expect("it was written before");
    folder
}
