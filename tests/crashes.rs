//! Real programs crash in the languages that this machine has. The messages of the arena quote what they say. Which
//! languages are missing is told by the kits.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::{arena, scratch};

/// A program that crashes at its first line: its file, its text, how it is built and started, or only started, and
/// what the message must contain.
type Crash = (&'static str, &'static str, &'static str, &'static str);

const CRASHES: [Crash; 14] = [
    (
        "bot.py",
        "import sys\ndef pick():\n    raise ValueError('no move')\nfor line in sys.stdin:\n    pick()\n",
        "python3 bot.py",
        "\"ValueError: no move\" at bot.py:3",
    ),
    (
        "bot.js",
        "const pick = () => { throw new TypeError('no move'); };\nprocess.stdin.on('data', pick);\n",
        "node bot.js",
        "\"TypeError: no move\" at bot.js:1",
    ),
    (
        "bot.rb",
        "def pick\n  raise ArgumentError, 'no move'\nend\ngets\npick\n",
        "ruby bot.rb",
        "no move (ArgumentError)\"",
    ),
    ("bot.pl", "<STDIN>;\ndie 'no move';\n", "perl bot.pl", "\"no move at bot.pl line 2, <STDIN> line 1.\""),
    (
        "bot.php",
        "<?php\nfgets(STDIN);\nthrow new Exception('no move');\n",
        "php -d display_errors=0 -d log_errors=1 bot.php",
        "Uncaught Exception: no move in",
    ),
    ("bot.lua", "io.read()\nerror('no move')\n", "lua bot.lua", "bot.lua:2: no move\""),
    (
        "Bot.java",
        "class Bot {\n  static void pick() { throw new IllegalStateException(\"no move\"); }\n  public static void main(String[] a) { pick(); }\n}\n",
        "javac -g Bot.java && java -XX:-UsePerfData -cp . Bot",
        "java.lang.IllegalStateException: no move\" at Bot.java:2",
    ),
    (
        "bot.rs",
        "fn main() {\n    let cards: Vec<u8> = std::env::args().map(|_| 0).collect();\n    println!(\"{}\", cards[7]);\n}\n",
        "rustc -o bot-rs bot.rs && ./bot-rs",
        "\"index out of bounds: the len is 1 but the index is 7\" at bot.rs:3",
    ),
    (
        "bot.cpp",
        "#include <stdexcept>\nint main() { throw std::runtime_error(\"no move\"); }\n",
        "g++ -o bot-cpp bot.cpp && ./bot-cpp",
        "\"what():  no move\"",
    ),
    (
        "bot.ml",
        "let pick () = failwith \"no move\"\nlet () = pick ()\n",
        "ocamlfind ocamlopt -g -o bot-ml bot.ml && env OCAMLRUNPARAM=b ./bot-ml",
        "Failure(\"no move\")",
    ),
    (
        "typed.ts",
        "const pick = (cards: number[]): number => { throw new RangeError('no move'); };\npick([]);\n",
        "tsc typed.ts && node typed.js",
        "\"RangeError: no move\" at typed.js:1",
    ),
    (
        "Bot.cs",
        "class Bot {\n  static void Main() {\n    throw new System.InvalidOperationException(\"no move\");\n  }\n}\n",
        "mcs -debug -out:bot.exe Bot.cs && mono --debug bot.exe",
        "\"System.InvalidOperationException: no move\" at Bot.cs:3",
    ),
    (
        "Bot.hs",
        "main :: IO ()\nmain = error \"no move\"\n",
        "ghc -v0 -o bot-hs Bot.hs && ./bot-hs",
        "bot-hs: no move\" at Bot.hs:2",
    ),
    (
        "bot.go",
        "package main\n\nfunc pick(cards []int) int { return cards[7] }\n\nfunc main() { pick(nil) }\n",
        "go build -o bot-go bot.go && ./bot-go",
        "\"panic: runtime error: index out of range [7] with length 0\" at bot.go:3",
    ),
];

/// Returns true if the first word is a program here.
fn is_here(command: &str) -> bool {
    let program = command.split(' ').next().expect("a word");
    let path = std::env::var_os("PATH").unwrap_or_default();
    program.starts_with("./") || std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn build(folder: &Path, command: &str) -> bool {
    let mut words = command.split(' ');
    let mut build = Command::new(words.next().expect("a word"));
    build.args(words).current_dir(folder).output().is_ok_and(|output| output.status.success())
}

#[test]
fn a_crash_is_quoted_by_what_happened_in_every_language_here() {
    let folder = scratch();
    let mut tried = 0;
    for (file, text, commands, expected) in CRASHES {
        fs::write(folder.path().join(file), text).expect("a file");
        let (built, command) = commands.split_once(" && ").map_or((None, commands), |(a, b)| (Some(a), b));
        if !built.is_none_or(|built| is_here(built) && build(folder.path(), built)) || !is_here(command) {
            continue;
        }
        let bot = format!("mine={command}");
        let args = ["match", "--startup-time", "60s", "--seed", "1", "--bot", &bot, "--bot", "greedy"];
        let stderr = String::from_utf8(arena(folder.path(), &args).stderr).expect("UTF-8");
        assert!(stderr.contains(expected), "{file}: {stderr}");
        tried += 1;
    }
    assert!(tried >= 1, "Rust is here");
}
