//! Matches with commands, as from a terminal.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::Value;

use crate::program::{arena, scratch, succeed, words};

const PROMPT: &str = "your move> ";
/// Limits that are enough on a busy machine.
const PATIENCE: [&str; 4] = ["--startup-time", "60s", "--move-time", "60s"];

/// A match that waits for commands.
struct Terminal {
    process: Child,
    types: ChildStdin,
    shows: ChildStdout,
}

impl Terminal {
    fn start(folder: &Path, args: &[&str]) -> Terminal {
        let mut command = crate::program::command();
        command.current_dir(folder).args(args).args(PATIENCE);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().expect("the arena starts");
        let types = process.stdin.take().expect("a pipe");
        let shows = process.stdout.take().expect("a pipe");
        Terminal { process, types, shows }
    }

    /// Returns the output up to the next prompt, or `None` after the last one.
    fn next(&mut self) -> Option<String> {
        let mut shown = Vec::new();
        let mut byte = [0];
        while self.shows.read(&mut byte).expect("the arena shows something") > 0 {
            shown.push(byte[0]);
            if shown.ends_with(PROMPT.as_bytes()) {
                return Some(String::from_utf8(shown).expect("UTF-8"));
            }
        }
        None
    }

    /// Types a line and returns the output up to the next prompt.
    fn say(&mut self, line: &str) -> Option<String> {
        writeln!(self.types, "{line}").expect("the arena reads");
        self.next()
    }
}

fn record(folder: &Path) -> Value {
    let text = std::fs::read_to_string(folder.join("match.json")).expect("a record");
    serde_json::from_str(&text).expect("JSON")
}

/// Returns the first command of a list of legal ones.
fn first(legal: &str) -> String {
    let line = legal.lines().next().expect("there is always a legal move");
    line[..line.find(',').map_or(line.len(), |comma| comma + 2)].to_owned()
}

#[test]
fn a_whole_match_is_played_through_a_pipe_and_replays() {
    for game in ["doodle", "patchwork"] {
        let folder = scratch();
        let args = format!("match --game {game} --seed 5 --bot me=human --bot greedy --record match.json");
        let mut terminal = Terminal::start(folder.path(), &words(&args));
        let mut shown = terminal.next();
        let (mut turns, mut others) = (0, 0);
        while let Some(text) = shown {
            assert!(text.contains("to lay: "), "{game}: {text}");
            // What the person needs is in view: the boards with their numbers, and what can be taken.
            let lines: Vec<&str> = text.lines().collect();
            let seen = &lines[lines.len().saturating_sub(24)..];
            let boards = seen.iter().filter(|line| line.contains("  1 2 3 4 5 6 7 8 9")).count();
            assert_eq!(boards, 1, "{game}: {text}");
            let fits = |line: &&str| line.chars().count() <= 80 || line.starts_with("to lay: ");
            assert!(lines.iter().all(fits), "{text}");
            others += lines.iter().filter(|line| line.starts_with("greedy ")).count();
            let legal = terminal.say("legal").expect("the turn goes on");
            let card = first(&legal).split(' ').next().expect("a word").to_owned();
            if !["pass", "advance"].contains(&card.as_str()) {
                let refused = terminal.say(&format!("{card} 99,99")).expect("asked again");
                let is_told = refused.contains("no: ") && refused.contains("outside the board");
                assert!(is_told, "{game}: {refused}");
            }
            let help = terminal.say("?").expect("asked again");
            assert!(help.contains("ROW,COL") && help.contains("leather") == (game == "patchwork"), "{help}");
            turns += 1;
            shown = terminal.say(&first(&legal));
        }
        assert!(others > 5, "{game}: the moves of the other one in {others} sentences");
        assert!(terminal.process.wait().expect("it ends").success());
        let record = record(folder.path());
        assert_eq!(record["bots"][0], "me", "{game}");
        assert_eq!(record["result"]["faults"][0], Value::Null, "{game}");
        let mine = record["turns"].as_array().expect("turns").iter().filter(|turn| turn["seat"] == 0);
        assert_eq!(mine.count(), turns, "{game}");
        succeed(folder.path(), &["replay", "match.json"]);
    }
}

#[test]
fn the_end_of_the_input_ends_the_match_cleanly() {
    let folder = scratch();
    // The input is empty from the beginning.
    let args = words("play --terminal --seed 3 --record match.json");
    succeed(folder.path(), &[&args[..], &PATIENCE].concat());
    let record = record(folder.path());
    assert_eq!(record["result"]["faults"][0]["kind"], "exit");
    assert_eq!(record["result"]["ranks"], serde_json::json!([2, 1]), "greedy plays on");
    succeed(folder.path(), &["replay", "match.json"]);
}

#[test]
fn a_limit_of_ones_own_is_kept_and_the_bots_keep_theirs() {
    let folder = scratch();
    let args = "match --game patchwork --seed 2 --bot human --bot greedy --time 5ms --record match.json";
    let mut terminal = Terminal::start(folder.path(), &words(args));
    while terminal.next().is_some() {}
    assert!(terminal.process.wait().expect("it ends").success());
    assert_eq!(record(folder.path())["result"]["faults"][0]["kind"], "timeout");
}

#[test]
fn a_human_plays_where_there_is_a_seat_for_one() {
    let folder = scratch();
    for (args, message) in [
        (&["tournament", "--bot", "human", "--bot", "greedy"][..], "a human cannot play here"),
        (&["match", "--bot", "human", "--bot", "me=human"], "only one human"),
        (&["match", "--bot", "greedy=human", "--bot", "greedy"], "as you are"),
        (&["match", "--bot", "./x=human", "--bot", "greedy"], "cannot be the name"),
    ] {
        let output = arena(folder.path(), args);
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(message) && text.lines().count() <= 2, "{args:?}: {text}");
    }
}
