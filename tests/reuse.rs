//! Tests of processes that stay alive for many matches. Fresh processes give the same results, even with
//! misbehaving bots.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::program::executable;

const ARENA: &str = env!("CARGO_BIN_EXE_arena");

fn scratch() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = crate::program::command();
    // The bots count their starts in a file that the sandbox would not let them write.
    command.current_dir(folder).args(["tournament", "--seed", "5", "--quiet", "--contain", "off"]).args(args);
    command.output().expect("the arena runs")
}

/// Plays a tournament into `out` and returns its records by index.
fn records(folder: &Path, out: &str, args: &[&str]) -> BTreeMap<u64, Value> {
    let output = run(folder, &[&["--out", out], args].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let journal = fs::read_to_string(folder.join(out).join("matches.jsonl")).expect("a journal");
    let parse = |line: &str| serde_json::from_str::<Value>(line).expect("a record");
    journal.lines().map(parse).map(|record| (record["match"].as_u64().expect("an index"), record)).collect()
}

/// Plays a tournament with fresh and with kept processes, and checks that the digests are equal. Returns the
/// records of the second run.
fn both(folder: &Path, args: &[&str]) -> BTreeMap<u64, Value> {
    let fresh = records(folder, "fresh", args);
    let kept = records(folder, "kept", &[&["--reuse"], args].concat());
    let digests = |records: &BTreeMap<u64, Value>| -> Vec<Value> {
        records.values().map(|record| record["digest"].clone()).collect()
    };
    assert_eq!(digests(&fresh), digests(&kept));
    kept
}

/// Returns a bot that runs `command`, and appends a line to `starts` each time it starts.
fn counted(name: &str, command: &str) -> String {
    format!("{name}=sh -c 'echo {name} >> starts; exec {command}'")
}

/// Returns the number of lines of this bot in `starts`.
fn starts(folder: &Path, name: &str) -> usize {
    let path = folder.join("starts");
    let text = fs::read_to_string(&path).unwrap_or_default();
    text.lines().filter(|line| *line == name).count()
}

fn misbehave(mode: &str) -> String {
    format!("{} {mode}", crate::program::fixture("misbehave").display())
}

#[test]
fn kept_processes_play_as_fresh_ones() {
    for game in [&["--rounds", "12"][..], &["--game", "patchwork", "--rounds", "6"]] {
        let folder = scratch();
        let bots = [counted("a", &format!("{ARENA} bot random")), "greedy".to_owned()];
        let args = [game, &["--jobs", "1", "--bot", &bots[0], "--bot", &bots[1]]].concat();
        let kept = both(folder.path(), &args);
        assert_eq!(kept.len(), 12);
        let doubts: Vec<&str> = kept.values().filter_map(|record| record["replayed"].as_str()).collect();
        assert!(doubts.iter().all(|why| !why.contains("kept alive")), "{doubts:?}");
        // Two greetings, 12 fresh processes, and a few kept ones: one for bots that may think, and one for
        // bots that do not. A machine that is late for a moment also causes fresh starts.
        let all = starts(folder.path(), "a");
        assert!((2 + 12 + 1..=2 + 12 + 3 + 2 * doubts.len()).contains(&all), "{all} starts, {doubts:?}");
        let plan = fs::read_to_string(folder.path().join("kept/tournament.json")).expect("a plan");
        assert!(plan.contains("\"reuse\": true"), "{plan}");
    }
}

/// A bot that remembers the deals it has met, and appends a line to `met` if it meets one again. It
/// recognizes a Patchwork deal by the patches after a certain one in the circle, and a doodle deal by its
/// first circle.
const REMEMBER: &str = r#"
while IFS= read -r line; do
    case $line in *'"type":"start"'*) is_new=1 ;; esac
    case $line in *'"type":"turn"'*)
        deal=$(printf '%s' "$line" | sed -n \
            -e 's/.*"id":0,.*"circle":\[\("P[^]]*\)\].*/\1/p' \
            -e 's/.*"W20",\("W..","W..","W..","W.."\).*/\1/p')
        if [ -n "$deal" ] && [ -n "$is_new" ]; then
            is_new=
            case $seen in *"$deal"*) echo "$1" >> met ;; esac
            seen="$seen $deal"
        fi ;;
    esac
    printf '%s\n' "$line"
done | exec ARENA bot random
"#;

/// A bot that has seen a deal knows its hidden information.
#[test]
fn a_kept_process_never_meets_a_deal_again_unless_bots_are_trusted() {
    for game in ["doodle", "patchwork"] {
        let folder = scratch();
        let script = folder.path().join("remember.sh");
        fs::write(&script, REMEMBER.replace("ARENA", ARENA)).expect("a file");
        let bots = ["a", "b", "c"].map(|name| format!("{name}=sh remember.sh {name}"));
        let common =
            ["--game", game, "--rounds", "2", "--jobs", "1", "--move-time", "60s", "--startup-time", "60s"];
        let args: Vec<&str> = common.into_iter().chain(bots.iter().flat_map(|bot| ["--bot", bot])).collect();
        let met = || {
            let met = fs::read_to_string(folder.path().join("met")).unwrap_or_default().lines().count();
            let _ = fs::remove_file(folder.path().join("met"));
            met
        };
        records(folder.path(), "fresh", &args);
        assert_eq!(met(), 0, "fresh processes of {game}");
        let kept = records(folder.path(), "kept", &[&args[..], &["--reuse"]].concat());
        assert_eq!(met(), 0, "kept processes of {game}");
        let trusted = records(folder.path(), "trusted", &[&args[..], &["--reuse=trusting"]].concat());
        assert!(met() > 0, "trusted processes of {game}");
        let digests = |records: &BTreeMap<u64, Value>| -> Vec<Value> {
            records.values().map(|record| record["digest"].clone()).collect()
        };
        assert_eq!(digests(&kept), digests(&trusted));
        let plan = fs::read_to_string(folder.path().join("trusted/tournament.json")).expect("a plan");
        assert!(plan.contains("\"trusting\": true"), "{plan}");
    }
}

/// A worker keeps some 66 processes. Its matches come in an order that needs few others.
#[test]
fn more_bots_than_a_worker_keeps_start_seldom() {
    let folder = scratch();
    let bots: Vec<String> =
        (0..72).map(|bot| counted(&format!("b{bot}"), &format!("{ARENA} bot random"))).collect();
    let common = ["--no-solitary", "--reuse=trusting", "--jobs", "1"];
    let args: Vec<&str> = common.into_iter().chain(bots.iter().flat_map(|bot| ["--bot", bot])).collect();
    let played = records(folder.path(), "out", &[&args[..], &["--rounds", "1"]].concat());
    assert_eq!(played.len(), 72 * 71 / 2);
    let all: usize = (0..72).map(|bot| starts(folder.path(), &format!("b{bot}"))).sum();
    // A greeting, at most two starts for the blocks, and one more if the pace changes; or a late machine.
    assert!(all < 72 * 5, "{all} starts");
}

#[test]
fn jobs_and_pins_change_nothing() {
    let folder = scratch();
    let args = ["--rounds", "4", "--bot", "random", "--bot", "b=random", "--bot", "greedy"];
    let digests = |out: &str, more: &[&str]| -> Vec<Value> {
        let records = records(folder.path(), out, &[&args, more].concat());
        records.into_values().map(|record| record["digest"].clone()).collect()
    };
    let expected = digests("one", &["--jobs", "1"]);
    assert_eq!(digests("default", &["--reuse"]), expected);
    assert_eq!(digests("many", &["--reuse", "--jobs", "9", "--pin"]), expected);
    assert_eq!(digests("loose", &["--no-pin"]), expected);
}

#[test]
fn a_process_that_exits_after_its_match_is_replaced() {
    let folder = scratch();
    let bot = counted("leaver", &misbehave("exits-after-end"));
    let kept = both(folder.path(), &["--rounds", "5", "--jobs", "1", "--bot", &bot, "--bot", "greedy"]);
    assert!(kept.values().all(|record| record["result"]["faults"] == serde_json::json!([null, null])));
    assert!(starts(folder.path(), "leaver") >= 2 + 5 + 5);
}

#[test]
fn a_bot_that_fails_gets_a_fresh_process_and_the_same_fault() {
    for mode in ["stops-reading", "answers-twice", "debug-print"] {
        let folder = scratch();
        let bot = format!("bad={}", misbehave(mode));
        let args =
            ["--rounds", "2", "--move-time", "2s", "--bot", &bot, "--bot", "greedy", "--bot", "random"];
        both(folder.path(), &args);
    }
}

/// A bot that plays one match and exits in the middle of the next gets the same result as with fresh
/// processes.
#[test]
fn being_kept_is_never_a_fault() {
    let folder = scratch();
    // Passes the first start on, and exits before it answers the second.
    let script = format!(
        "import subprocess, sys\n\
         bot = subprocess.Popen(['{ARENA}', 'bot', 'random'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n\
         starts = 0\n\
         for line in sys.stdin.buffer:\n\
         \x20   kind = line[9:11]\n\
         \x20   starts += kind == b'st'\n\
         \x20   if starts > 1 and kind == b'tu': sys.exit(3)\n\
         \x20   bot.stdin.write(line); bot.stdin.flush()\n\
         \x20   if kind in (b'he', b'st', b'tu'):\n\
         \x20       sys.stdout.buffer.write(bot.stdout.readline()); sys.stdout.flush()\n"
    );
    fs::write(folder.path().join("once.py"), script).expect("a file");
    let args = ["--rounds", "4", "--jobs", "1", "--bot", "once=python3 once.py", "--bot", "greedy"];
    let kept = both(folder.path(), &args);
    let replayed = kept.values().filter_map(|record| record["replayed"].as_str());
    // Other replays are due to a late machine.
    let mut of_kept = replayed.filter(|why| why.contains("kept alive")).peekable();
    assert!(of_kept.peek().is_some());
    assert!(of_kept.all(|why| why.starts_with("once, kept alive from an earlier match, failed with exit")));
}

#[test]
fn a_resumed_tournament_keeps_its_kind_of_processes() {
    let folder = scratch();
    let args = ["--rounds", "2", "--bot", "random", "--bot", "greedy"];
    records(folder.path(), "kept", &[&["--reuse"], &args[..]].concat());
    let resume = ["--resume", "--rounds", "3", "--out"];
    let output = run(folder.path(), &[&resume[..], &["kept"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    records(folder.path(), "fresh", &args);
    let output = run(folder.path(), &[&resume[..], &["fresh", "--reuse"]].concat());
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("processes are kept alive instead of fresh for each match"), "{stderr}");
}

#[test]
fn a_shim_is_seen_through_once() {
    let folder = scratch();
    let [shims, kept, away] = ["shims", "versions/3/bin", "away"].map(|name| folder.path().join(name));
    fs::create_dir(&shims).expect("a folder");
    let shim = shims.join("managed");
    // A program outside the version manager's folder must go through the shim at each start.
    for (place, once) in [(&kept, true), (&away, false)] {
        fs::create_dir_all(place).expect("a folder");
        let real = place.join("real");
        copy(Path::new(ARENA), &real);
        let text =
            format!("#!/bin/sh\necho shim >> starts\nexport MANAGED=3\nexec '{}' \"$@\"\n", real.display());
        executable::write(&shim, text, "755");
        let _ = fs::remove_file(folder.path().join("starts"));
        plays_by_a_shim(folder.path(), &shims);
        let greeted_and_played = starts(folder.path(), "shim");
        assert_eq!(greeted_and_played == 1, once, "{}: {greeted_and_played}", place.display());
    }
}

fn copy(from: &Path, to: &Path) {
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).expect("a copy");
    }
}

fn plays_by_a_shim(folder: &Path, shims: &Path) {
    let _ = fs::remove_dir_all(folder.join("t"));
    let path = format!("{}:{}", shims.display(), std::env::var("PATH").unwrap_or_default());
    let args = ["--out", "t", "--rounds", "3", "--bot", "mine=managed bot random", "--bot", "greedy"];
    let mut command = crate::program::command();
    command
        .current_dir(folder)
        .env("PATH", path)
        .args(["tournament", "--quiet", "--contain", "off"])
        .args(args);
    let output = command.output().expect("the arena runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
