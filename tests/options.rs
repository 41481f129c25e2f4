//! Every option of limits, sandbox, and trust is obeyed by every command that has it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::contain::scene::holds;
use crate::documents::names::is_there;
use crate::program::{complaints, executable, scratch, succeed, words};

/// The options of this table, without hyphens before them.
const OPTIONS: &str = "startup-time move-time match-time increment budget limit memory freeze no-freeze contain read \
    write network processes open-files env env-from allow-root trust scratch time build retries";

/// How it is seen that an option is obeyed.
enum Seen {
    /// A probe of this file sees a difference.
    Probe,
    /// The command refuses it with these words.
    Refused(&'static str),
    /// This test shows it.
    Test(&'static str),
}

use Seen::{Probe, Refused, Test};

/// Commands, options, and how it is seen.
const TABLE: &[(&str, &str, Seen)] = &[
    (
        "match play tournament compare check suite rerun feed",
        "startup-time move-time match-time increment budget limit memory contain read write network allow-root processes \
         open-files env env-from scratch",
        Probe,
    ),
    ("run doctor", "memory contain read write network processes open-files env env-from", Probe),
    ("doctor", "scratch", Probe),
    ("doctor", "startup-time", Test("the_doctor_names_the_cause_or_none")),
    ("feed", "freeze no-freeze", Refused("stops no program between its lines")),
    (
        "match tournament compare check suite rerun play",
        "freeze no-freeze",
        Test("bots_are_frozen_as_the_options_say"),
    ),
    (
        "match play tournament compare check suite rerun",
        "retries",
        Test("retries_are_an_option_of_every_command_that_starts_bots"),
    ),
    ("play", "time", Test("a_time_limit_has_a_clock_and_the_page_tells_that_the_time_ran_out")),
    ("match", "time", Test("a_limit_that_was_set_is_kept")),
    (
        "tournament compare rerun replay",
        "trust",
        Test("own_results_go_on_without_questions_and_sent_ones_do_not"),
    ),
    ("feed", "trust", Test("the_lines_of_a_seat_are_fed_to_a_program")),
    ("run", "scratch time", Test("a_command_ends_with_its_time_and_when_a_folder_grows_too_much")),
    ("run", "build", Test("a_build_reads_and_writes_its_own_folder_alone")),
    ("league", "build", Test("a_build_reads_and_writes_its_own_folder_alone")),
    ("plan", "contain", Test("a_plan_says_what_fits_into_a_time")),
    (
        "match play tournament compare check suite rerun",
        "build",
        Test("a_version_is_built_once_and_the_repository_stays_as_it_was"),
    ),
    (
        "bisect",
        "startup-time move-time match-time increment budget limit memory contain read write network allow-root processes \
         open-files env env-from scratch freeze no-freeze retries trust build",
        Test("the_first_bad_commit_is_found_although_the_arena_is_killed"),
    ),
    (
        "tune",
        "startup-time move-time match-time increment budget limit memory contain read write network allow-root processes \
         open-files env env-from scratch freeze no-freeze retries trust build",
        Test("the_best_number_is_in_its_interval_and_its_command_is_better"),
    ),
];

/// Returns the pairs of a command and an option that the reference has.
fn known() -> BTreeSet<(String, String)> {
    let reference = include_str!("../docs/reference/commands.md");
    let mut pairs = BTreeSet::new();
    for section in reference.split("\n## arena ").skip(1) {
        let command = section.lines().next().expect("a name");
        let named = section.lines().filter_map(|line| line.trim_start().split("--").nth(1));
        let named = named.filter_map(|rest| rest.split([' ', ',', '=']).next());
        let wanted = named.filter(|name| OPTIONS.split_whitespace().any(|option| option == *name));
        // `arena match` has no limit of this name; its help mentions that of others.
        pairs.extend(wanted.map(|option| (command.to_owned(), option.to_owned())));
    }
    pairs
}

#[test]
fn every_option_of_limits_sandbox_and_trust_has_a_row() {
    let mut listed = BTreeSet::new();
    for (commands, options, seen) in TABLE {
        for command in commands.split(' ') {
            for option in options.split_whitespace() {
                assert!(listed.insert((command.to_owned(), option.to_owned())), "{command} {option} twice");
            }
        }
        if let Test(name) = seen {
            assert!(is_there(name), "there is no test {name}");
        }
    }
    assert_eq!(listed, known());
}

/// The folder of a probe: a bot that tells what it may do, and writes down what the arena tells it.
struct Place {
    here: PathBuf,
}

impl Place {
    fn new(here: &Path) -> Place {
        let arena = env!("CARGO_BIN_EXE_arena");
        for folder in ["bot", "out", "granted"] {
            fs::create_dir(here.join(folder)).expect("a folder");
        }
        fs::write(here.join("granted/book"), "a book").expect("a file");
        let shown = here.display();
        let probe = format!(
            "#!/bin/sh\nread=no; cat '{shown}/granted/book' >/dev/null 2>&1 && read=yes\n\
             network=no; [ \"$(readlink /proc/self/ns/net)\" = '{}' ] && network=yes\n\
             limits=\"memory=$(ulimit -d) files=$(ulimit -n) blocks=$(ulimit -f)\"\n\
             grep -q '^Max processes *{PROCESSES} ' /proc/self/limits && limits=\"$limits processes\"\n\
             echo \"read=$read network=$network $limits env=$LEVEL,$QUILT_PROBE home=$HOME\" >>'{shown}/out/seen'\n\
             tee -a '{shown}/out/lines' 2>/dev/null | '{arena}' bot random\n",
            fs::read_link("/proc/self/ns/net").expect("a namespace").display()
        );
        executable::write(&here.join("bot/probe"), probe, "755");
        let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/suites/doodle.jsonl");
        let suite = fs::read_to_string(suite).expect("a suite");
        let mut line: Value = serde_json::from_str(suite.lines().next().expect("a line")).expect("JSON");
        line["nodes"] = 100.into(); // the value of the answer does not matter
        fs::write(here.join("suite.jsonl"), line.to_string()).expect("a file");
        let bots = words("--bot probe=bot/probe --bot other=bot/probe");
        succeed(here, &[&words("tournament --quiet --rounds 1 --out played")[..], &bots].concat());
        Place { here: here.to_owned() }
    }

    /// Runs a command with these options, by the program in `before` if there is one. Returns what the probe saw, the
    /// limits of `probe` and of `other`, and the stderr of the arena.
    fn run(&self, command: &str, options: &str, before: &[&str]) -> (String, [Value; 2], String) {
        for file in ["seen", "lines"] {
            let _ = fs::remove_file(self.here.join("out").join(file));
        }
        let _ = fs::remove_dir_all(self.here.join("new"));
        let two = "--bot probe=bot/probe --bot other=bot/probe";
        let (line, last) = match command {
            "match" => (format!("{two} --quiet"), ""),
            // The person leaves at once, because there is no input.
            "play" => (format!("{two} --terminal"), ""),
            "tournament" => (format!("{two} --quiet --rounds 1 --out new"), ""),
            "compare" => ("probe=bot/probe other=bot/probe --quiet --max-rounds 8 --out new".to_owned(), ""),
            "check" => {
                let bots = if options.contains("--limit ") { two } else { "--bot probe=bot/probe" };
                (format!("{bots} --game doodle --matches 2 --patience 1s"), "")
            }
            "suite" => (format!("suite.jsonl {two} --quiet"), ""),
            "rerun" => ("played --match 0".to_owned(), ""),
            "feed" => {
                let record = &crate::program::tables::records(&self.here.join("played"))[0];
                let seat = usize::from(record["bots"][1] == "probe");
                (format!("played --match 0 --seat {seat}"), " -- bot/probe")
            }
            "run" => (String::new(), " -- bot/probe"),
            "doctor" => (two.to_owned(), ""),
            other => panic!("no line for {other}"),
        };
        let line = format!("{command} {line} {options}{last}");
        let arena = crate::program::command();
        let mut process = match before.split_first() {
            None => arena,
            Some((program, arguments)) => {
                let mut process = Command::new(program);
                process.args(arguments).arg(arena.get_program());
                process.envs(arena.get_envs().filter_map(|(name, value)| Some((name, value?))));
                process
            }
        };
        process.env("QUILT_PROBE", "given");
        let output = process.args(words(&line)).current_dir(&self.here).stdin(Stdio::null()).output();
        let output = output.expect("the arena starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let [seen, lines] = ["seen", "lines"]
            .map(|file| fs::read_to_string(self.here.join("out").join(file)).unwrap_or_default());
        let starts = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let starts: Vec<Value> = starts.filter(|line| line["type"] == "start").collect();
        let limits = |name: &str| {
            let is_it =
                |start: &&Value| start["players"][start["seat"].as_u64().expect("a seat") as usize] == name;
            let start = match (command, name) {
                ("check", "probe") => starts.first(),
                ("check", _) => starts.last(),
                _ => starts.iter().find(is_it),
            };
            start.map_or(Value::Null, |start| start["limits"].clone())
        };
        let first = seen.lines().next().unwrap_or_default().to_owned();
        (first, ["probe", "other"].map(limits), said)
    }
}

/// The limit of processes that `--processes 77` sets, with the supervisor.
const PROCESSES: u32 = 77 + 1;

const LIMITS: &str = "--startup-time 31s --move-time 32s --match-time 33m --increment 34s --budget 35";

/// Returns what a command does not obey.
fn ignored(command: &str) -> Option<String> {
    let folder = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    let place = Place::new(folder.path());
    let run = |options: &str| place.run(command, options, &[]);
    let mut wrong = Vec::new();
    let mut check = |is_so: bool, what: &str, seen: &dyn std::fmt::Debug| {
        if !is_so {
            wrong.push(format!("arena {command} {what}: {seen:?}"));
        }
    };
    let none = run("");
    check(none.0.is_empty(), "without --write", &none);
    let plain = run("--write out");
    check(
        plain.0.starts_with("read=no network=no ") && !plain.0.contains("memory=98304 "),
        "--write",
        &plain,
    );
    let has_no_match = ["run", "doctor"].contains(&command);
    let limits = if has_no_match { String::new() } else { format!("{LIMITS} --limit probe:move-time=36s") };
    let more = run(&format!("--write out --read granted --network --memory 96MiB {limits}"));
    check(more.0.starts_with("read=yes network=yes memory=98304 "), "--read --network --memory", &more);
    let given = run(
        "--write out --processes 77 --open-files 300 --scratch 3MiB --env LEVEL=3 --env-from QUILT_PROBE",
    );
    // A shell counts the size of files in blocks of 512 bytes.
    let has_all = given.0.contains("files=300 blocks=6144") && given.0.contains("env=3,given ");
    let has_processes = given.0.contains(" processes ") || !holds("processes");
    check(has_all && has_processes, "limits and variables", &given);
    let unnamed = run("--env nobody:LEVEL=3");
    let has_one = ["rerun", "run", "feed"].contains(&command);
    check(has_one || unnamed.2.contains("no bot has this name"), "--env nobody:", &unnamed);
    let off = run("--contain off");
    let home = std::env::var("HOME").unwrap_or_default();
    check(
        command == "doctor"
            || off.0.ends_with(&format!("home={home}")) && !plain.0.ends_with(&format!("home={home}")),
        "--contain",
        &off,
    );
    if !has_no_match {
        let all = |move_ms: u64| {
            serde_json::json!({"startup_ms": 31_000, "move_ms": move_ms, "match_ms": 1_980_000, "increment_ms": 34_000,
                "budget": 35})
        };
        check(more.1[0] == all(36_000), "--limit", &more);
        check(more.1[1] == all(32_000) || command == "feed", LIMITS, &more);
        let wrong_name = run("--limit nobody:move-time=36s");
        check(
            command == "feed" || command == "rerun" || wrong_name.2.contains("nobody"),
            "--limit nobody",
            &wrong_name,
        );
        if rustix::process::getuid().is_root() {
            let without = ["setpriv", "--bounding-set=-setuid,-setgid", "--"];
            let [kept, allowed] = ["", "--allow-root"].map(|more| place.run(command, more, &without).2);
            check(
                kept.contains("--allow-root") && !allowed.contains("--allow-root"),
                "--allow-root",
                &(kept, allowed),
            );
        }
    }
    let wrong = wrong.join("\n");
    (!wrong.is_empty()).then_some(wrong)
}

#[test]
fn every_command_obeys_its_options() {
    if !["landlock", "net-namespace", "scratch", "limits"].into_iter().all(holds) {
        return;
    }
    let probed: BTreeSet<&str> =
        TABLE.iter().filter(|row| matches!(row.2, Probe)).flat_map(|row| row.0.split(' ')).collect();
    let found = complaints(&probed.into_iter().collect::<Vec<_>>(), |command| ignored(command));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_variable_for_one_bot_is_not_for_others() {
    let folder = scratch();
    let says = "sh -c 'echo $LEVEL >&2; exit 3'";
    let bots = ["mine", "other"].map(|name| format!("{name}={says}"));
    let line = ["doctor", "--env", "mine:LEVEL=of mine", "--bot", &bots[0], "--bot", &bots[1]];
    let output = crate::program::arena(folder.path(), &line);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(said.matches("of mine").count(), 1, "{said}");
}

#[test]
fn options_that_a_command_cannot_obey_are_refused() {
    let folder = scratch();
    succeed(folder.path(), &words("tournament --quiet --rounds 1 --out played"));
    for (commands, options, words) in TABLE.iter().filter_map(|row| match row.2 {
        Refused(words) => Some((row.0, row.1, words)),
        Probe | Test(_) => None,
    }) {
        for option in options.split(' ') {
            let line = format!("{commands} played --match 0 --seat 0 --{option} -- random");
            let output = crate::program::arena(folder.path(), &crate::program::words(&line));
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(2) && said.contains(words), "{line}: {said}");
        }
    }
    for option in [
        "--memory 1GiB",
        "--contain strict",
        "--read played",
        "--write played",
        "--network",
        "--allow-root",
        "--freeze",
        "--env LEVEL=3",
        "--open-files 300",
    ] {
        let line = format!("feed played --match 0 --seat 0 --debug {option} -- random");
        let output = crate::program::arena(folder.path(), &words(&line));
        let said = String::from_utf8_lossy(&output.stderr);
        let is_told = said.contains("cannot be used with") && said.contains("--debug");
        assert!(output.status.code() == Some(2) && is_told, "{line}: {said}");
    }
}

/// The game cannot write anywhere, unless it runs without the sandbox.
#[test]
fn a_game_is_checked_in_the_sandbox_that_was_chosen() {
    if !holds("landlock") {
        return;
    }
    let folder = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    let written = folder.path().join("written");
    executable::write(
        &folder.path().join("game"),
        format!("#!/bin/sh\necho >'{}'\nexit 3\n", written.display()),
        "755",
    );
    for (mode, writes) in [("auto", false), ("off", true)] {
        let line = format!("check --game-command ./game --contain {mode}");
        let output = crate::program::arena(folder.path(), &words(&line));
        assert!(!output.status.success());
        assert_eq!(written.exists(), writes, "{mode}");
    }
}
