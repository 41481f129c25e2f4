//! Recorded bots under debuggers, in a terminal. Bots in matches get neither the terminal nor its variables.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::{command, scratch};
use crate::replay::{line, run};
use crate::screens::terminal;
use needs::{GDB, OWN_TERMINAL, PYTHON};

const ARENA: &str = env!("CARGO_BIN_EXE_arena");

/// Records a match of two random bots in the file `one`.
fn record_one(folder: &Path) {
    line(folder, "match --seed 3 --quiet --record one --bot a=random --bot b=random", 0);
}

/// Records a match, and feeds seat 0 to a debugger. Types one line at each prompt.
fn debugged(folder: &Path, words: &[&str], prompt: &str, typed: &[&str]) -> String {
    record_one(folder);
    let mut feed = command();
    feed.current_dir(folder).args(["feed", "one", "--seat", "0", "--debug", "--"]).args(words);
    let (shown, status) = terminal::talk(feed, 80, prompt, typed);
    assert_eq!(status.code(), Some(1), "the debugger ends before the match: {shown}");
    shown
}

#[test]
fn pdb_stops_a_bot_at_turn_three() {
    if !PYTHON.is_met() {
        return;
    }
    let folder = scratch();
    run(folder.path(), &["new", "python", "my-bot"], 0);
    let stop = "b decide, state['turn'] == 3\n";
    let typed = [stop, "c\n", "p 'the turn is %d' % state['turn']\n", "q\n"];
    let shown = debugged(folder.path(), &["python3", "-m", "pdb", "my-bot/bot.py"], "(Pdb) ", &typed);
    assert!(shown.contains("'the turn is 3'"), "{shown}");
}

#[test]
fn gdb_stops_a_bot_in_its_decision() {
    if !GDB.is_met() {
        return;
    }
    let folder = scratch();
    run(folder.path(), &["new", "c", "my-bot"], 0);
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-O0", "-o", "my-bot/bot", "my-bot/bot.c"]).current_dir(folder.path());
    assert!(gcc.status().expect("gcc starts").success());
    let begin = "run <\"$QUILT_IN\" >\"$QUILT_OUT\"\n";
    let typed = ["break decide\n", begin, "continue\n", "info breakpoints\n", "kill\n", "quit\n"];
    let words =
        ["gdb", "-q", "-nx", "-ex", "set confirm off", "-ex", "set debuginfod enabled off", "my-bot/bot"];
    let shown = debugged(folder.path(), &words, "(gdb) ", &typed);
    assert!(shown.contains("already hit 2 times"), "{shown}");
}

#[test]
fn a_debugger_without_the_terminal_is_told_how_to_get_it() {
    let folder = scratch();
    record_one(folder.path());
    let (_, stderr) = run(folder.path(), &["feed", "one", "--seat", "0", "--", "echo", "(gdb)"], 1);
    let lines: Vec<&str> = stderr.lines().collect();
    let malformed = "error: the program does not greet: malformed: expected a hello message";
    assert!(lines[0].starts_with(malformed), "{stderr}");
    assert_eq!(lines[1..], ["  hint: a debugger needs the terminal: give --debug before --"]);
    // A program that opens nothing ends the command too.
    let (_, stderr) = run(folder.path(), &["feed", "one", "--seat", "0", "--debug", "--", "true"], 1);
    assert!(stderr.contains("does not greet: exit: it exited or closed its stdout"), "{stderr}");
}

#[test]
fn bots_in_matches_get_neither_the_terminal_nor_the_variables() {
    if !OWN_TERMINAL.is_met() {
        return;
    }
    for level in ["off", "auto", "strict"] {
        let folder = scratch();
        fs::create_dir(folder.path().join("out")).expect("a folder");
        let looks = "env >out/env; (: </dev/tty) && echo TERMINAL >>out/env";
        fs::write(folder.path().join("bot.sh"), format!("{looks}; exec {ARENA} bot random")).expect("a bot");
        let league = "[[bot]]\nname = 'a'\ncommand = 'sh bot.sh'\nwrite = ['out']\nenv = { QUILT_IN = 'in' }\n\
                      [[bot]]\nname = 'b'\ncommand = 'random'\n";
        fs::write(folder.path().join("league.toml"), league).expect("a league");
        let mut own = Command::new("setsid");
        let arena = command();
        own.args(["--ctty", "--wait"]).arg(arena.get_program()).args(arena.get_args());
        // The sizes of tests are variables too, and without a sandbox a bot has all variables of the arena.
        let names = std::env::vars_os().map(|(name, _)| name);
        for size in names.filter(|name| name.to_string_lossy().starts_with("QUILT_")) {
            own.env_remove(size);
        }
        own.current_dir(folder.path()).env("QUILT_OUT", "out").env("QUILT_IN", "other");
        own.args(["tournament", "league.toml", "--rounds", "1", "--contain", level]);
        let (shown, status) = terminal::run(own, 80, "");
        assert!(status.success(), "{shown}");
        let seen = fs::read_to_string(folder.path().join("out/env")).expect("the bot's view");
        let is_seen = ["PATH=", "QUILT", "TERMINAL"].map(|words| seen.contains(words));
        assert_eq!(is_seen, [true, false, false], "{level}: {seen}");
    }
}
