//! Beginners' mistakes and the messages about them: a table of bots, compared with a snapshot.
//!
//! `UPDATE_EXPECT=1 cargo test -p quilt-arena --test integration mistakes::` accepts new messages.

use std::path::Path;
use std::process::Stdio;

use expect_test::expect_file;

use crate::program::{complaints, executable, scratch, words};

/// Sends `hello` and `ready`.
const READY: &str = "read -r line; echo '{\"type\":\"hello\",\"protocol\":1}'\n\
                     read -r line; echo '{\"type\":\"ready\"}'\nread -r line\n";
/// Keeps a bot alive after its last line until the arena closes its stdin.
const STAYS: &str = "\nwhile read -r line; do :; done\n";

/// A mistake, the bot that makes it, and its command. `BOT` stands for the bot's file.
type Mistake = (&'static str, Bot, &'static str);

/// Starts a bot that is shell code.
const SH: &str = "sh BOT";

enum Bot {
    /// The JSON of its move in the first turn.
    Moves(&'static str),
    /// The line that it prints in the first turn.
    Says(&'static str),
    /// Shell code after [`READY`] that answers the first turn.
    Answers(&'static str),
    /// Shell code from the beginning.
    Script(&'static str),
    /// The bytes of an executable file.
    File(&'static [u8]),
    /// The bytes of a file without permission to execute it.
    Unexecutable(&'static [u8]),
}

const MISTAKES: [Mistake; 42] = [
    ("writes a command for a shell", Bot::Script(""), "cd bots && sh BOT"),
    ("never flushes", Bot::Script(""), SH),
    ("waits for more input than the first line", Bot::Script("cat >/dev/null"), SH),
    ("answers with another id", Bot::Says(r#"{"type":"move","id":1,"move":{"pass":true}}"#), SH),
    ("answers without an id", Bot::Says(r#"{"type":"move","move":{"pass":true}}"#), SH),
    ("writes the id as a string", Bot::Says(r#"{"type":"move","id":"0","move":{"pass":true}}"#), SH),
    ("prints debugging on stdout", Bot::Says("my turn: thinking"), SH),
    ("prints the move alone", Bot::Says(r#"{"pass":true}"#), SH),
    ("prints a list", Bot::Says("[[0,0],[0,1]]"), SH),
    ("prints an empty line", Bot::Answers("echo"), SH),
    ("misspells a field", Bot::Says(r#"{"type":"move","id":0,"mvoe":{"pass":true}}"#), SH),
    ("misspells the type", Bot::Says(r#"{"type":"Move","id":0,"move":{"pass":true}}"#), SH),
    ("writes the move as a string", Bot::Moves(r#""pass""#), SH),
    ("writes cells as strings", Bot::Moves(r#"{"card":"S02","cells":[["0","0"]]}"#), SH),
    ("names no card that there is", Bot::Moves(r#"{"card":"X99","cells":[[0,0]]}"#), SH),
    ("names a cell outside of the sheet", Bot::Moves(r#"{"card":"S02","cells":[[9,9],[9,10]]}"#), SH),
    ("passes where it must draw", Bot::Moves(r#"{"pass":true}"#), SH),
    ("prints a Python dictionary", Bot::Answers(r#"echo "{'type':'move','id':0,'move':{'pass':True}}""#), SH),
    ("prints Python's True", Bot::Moves(r#"{"pass":True}"#), SH),
    ("prints half a line", Bot::Answers(r#"printf '{"type":"move","id":0'"#), SH),
    ("prints megabytes", Bot::Answers("head -c 2000000 /dev/zero | tr '\\0' x"), SH),
    ("computes for ever", Bot::Answers("while :; do :; done"), SH),
    (
        "raises an exception",
        Bot::Answers(
            "printf 'Traceback (most recent call last):\\n  File \"bot.py\", line 3, in <module>\\n    cells = min(spots)\\n            ^^^^^^^^^^\\nValueError: min() arg is an empty sequence\\n' >&2; exit 1",
        ),
        SH,
    ),
    (
        "ends after its greeting",
        Bot::Script("read -r line; echo '{\"type\":\"hello\",\"protocol\":1}'; read -r line; exit 0"),
        SH,
    ),
    (
        "writes the protocol as a string",
        Bot::Script("read -r line; echo '{\"type\":\"hello\",\"protocol\":\"1\"}'"),
        SH,
    ),
    ("has lines that end as on Windows", Bot::File(b"#!/bin/sh\r\necho\r\n"), "BOT"),
    ("names an interpreter that is not there", Bot::File(b"#!/opt/no/python3\n"), "BOT"),
    ("is not executable", Bot::Unexecutable(b"#!/bin/sh\n"), "BOT"),
    ("is built for another machine", Bot::File(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xff\0"), "BOT"),
    ("is started under a wrong name", Bot::Script(""), "shh BOT"),
    ("is started from a wrong folder", Bot::Script(""), "elsewhere/BOT"),
    ("is named with a tilde", Bot::Script(""), "~/BOT"),
    ("is named with a variable", Bot::Script(""), "$HOME/BOT"),
    ("sets a variable", Bot::Script(""), "LEVEL=3 sh BOT"),
    ("writes to a log", Bot::Script(""), "sh BOT > log.txt"),
    ("goes to the background", Bot::Script(""), "sh -c 'sleep 1 &'"),
    ("is named in the text of a shell alone", Bot::Script(""), "sh -c 'sh BOT'"),
    ("is a bundled bot with a slip", Bot::Script(""), "gredy"),
    ("prints JSON over several lines", Bot::Answers("printf '{\\n\"type\":\"move\"\\n}\\n'"), SH),
    ("writes a cell as an object", Bot::Moves(r#"{"card":"S02","cells":[{"r":0,"c":0}]}"#), SH),
    (
        "crashes in Node",
        Bot::Answers(
            "printf 'bot.js:3\\nthrow x\\n^\\n\\nTypeError: no move\\n    at pick (bot.js:3:9)\\n    at Socket.emit (node:events:524:28)\\n\\nNode.js v20.20.2\\n' >&2; exit 1",
        ),
        SH,
    ),
    (
        "crashes at its start",
        Bot::Script("echo 'panic: no book' >&2; echo >&2; echo 'goroutine 1 [running]:' >&2; exit 2"),
        SH,
    ),
];

/// Plays a match with the bot and returns the arena's messages.
fn message(folder: &Path, number: usize, bot: &Bot, command: &str) -> String {
    let name = format!("bot{number}");
    let path = folder.join(&name);
    let mode = if matches!(bot, Bot::Unexecutable(_)) { "644" } else { "755" };
    match bot {
        Bot::Moves(json) => {
            let line = format!(r#"{{"type":"move","id":0,"move":{json}}}"#);
            executable::write(&path, format!("{READY}echo '{line}'{STAYS}"), mode);
        }
        Bot::Says(line) => executable::write(&path, format!("{READY}echo '{line}'{STAYS}"), mode),
        Bot::Answers(script) => executable::write(&path, format!("{READY}{script}{STAYS}"), mode),
        Bot::Script(script) => executable::write(&path, format!("{script}{STAYS}"), mode),
        Bot::File(bytes) | Bot::Unexecutable(bytes) => executable::write(&path, bytes, mode),
    }
    let file = if command == "BOT" { format!("./{name}") } else { name };
    let bot = format!("mine={}", command.replace("BOT", &file));
    // Only bots that never answer use up a limit.
    let line = "match --quiet --seed 1 --width 1000 --startup-time 3s --move-time 3s";
    let mut command = crate::program::command();
    command.args(words(line)).args(["--bot", &bot, "--bot", "greedy"]).current_dir(folder);
    command.env("PATH", "/usr/bin:/bin").env("HOME", folder).stdin(Stdio::null());
    let output = command.output().expect("the arena starts");
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    let lines = stderr.lines().filter(|line| !line.starts_with("note:"));
    // The count of bytes varies, and the time that a late bot computed.
    let lines = lines.map(|line| {
        [" (and ", "; it had "].iter().fold(line, |line, end| line.split(end).next().unwrap_or(line))
    });
    lines
        .collect::<Vec<_>>()
        .join("\n")
        .replace(&folder.display().to_string(), "FOLDER")
        .replace(&file, "BOT")
}

#[test]
fn each_gets_a_message_that_helps() {
    let folder = scratch();
    let numbered: Vec<(usize, &Mistake)> = MISTAKES.iter().enumerate().collect();
    let messages = complaints(&numbered, |(number, (name, bot, command))| {
        Some(format!("{name}\n{}\n", message(folder.path(), *number, bot, command)))
    });
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mistakes.txt");
    expect_file![path].assert_eq(&messages.join("\n"));
}

/// Every command that a message about a shell proposes plays.
#[test]
fn the_proposed_commands_play() {
    let folder = scratch();
    let here = folder.path().canonicalize().expect("it is there");
    let bot = format!("#!/bin/sh\nexec '{}' bot random\n", env!("CARGO_BIN_EXE_arena"));
    let home = scratch();
    std::fs::create_dir(home.path().join("trial")).expect("a folder");
    std::fs::create_dir(here.join("bots")).expect("a folder");
    for file in [here.join("bot.sh"), here.join("bots/bot.sh"), home.path().join("trial/bot.sh")] {
        executable::write(&file, &bot, "755");
    }
    let play = |bot: &str| {
        let bot = format!("mine={bot}");
        let mut command = crate::program::command();
        command.current_dir(&here).env("HOME", home.path()).env("PLACE", &here).stdin(Stdio::null());
        let line = "match --quiet --width 1000 --seed 1 --bot greedy --bot";
        let output = command.args(words(line)).arg(bot).output().expect("the arena starts");
        (output.status.success(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    for typed in [
        "sh bot.sh | cat",
        "sh bo?.sh",
        "sh ./*.sh",
        "~/trial/bot.sh",
        "$HOME/trial/bot.sh",
        "sh $PLACE/bot.sh",
        "cd bots && sh bot.sh",
        "cd bots && ./bot.sh; exit",
        "LEVEL=3 sh bot.sh",
        "sleep 0; sh bot.sh",
    ] {
        let (plays, said) = play(typed);
        let proposed = said.split_once("hint: write ").and_then(|(_, rest)| rest.split_once(", or set dir"));
        let (proposed, _) = proposed.unwrap_or_else(|| panic!("{typed}: {said}"));
        assert!(!plays && said.contains("needs a shell"), "{typed}: {said}");
        let (plays, said) = play(proposed);
        assert!(plays, "{proposed}: {said}");
    }
}
