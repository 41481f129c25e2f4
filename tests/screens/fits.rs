//! No line is longer than the terminal is wide, and no word is split.

use std::collections::BTreeSet;
use std::path::Path;

use super::terminal;
use crate::documents::commands::names;
use crate::program::{complaints, scratch};

const WIDTHS: [u16; 4] = [60, 80, 100, 120];
/// A width at which everything fits.
const WIDEST: u16 = 200;
/// A bot name of 39 letters, one fewer than the maximum. Callers append a letter.
const LONG: &str = "a-bot-with-a-name-of-exactly-40-letters";
/// The prompt in front of typed commands.
const PROMPT: &str = "your move> ";
/// A bot that exits in its first turn.
const BROKEN: &str = "broken=sh -c 'read a; printf \"{\\\"type\\\":\\\"hello\\\",\\\"protocol\\\":1}\\n\"; read b; printf \"{\\\"type\\\":\\\"ready\\\"}\\n\"; read c; exit 3'";

/// A command line, and the text that a person types meanwhile.
type Call = (Vec<String>, &'static str);

fn arena(folder: &Path, columns: u16, (arguments, typed): &Call) -> String {
    let mut command = crate::program::command();
    command.args(arguments).current_dir(folder);
    let (text, status) = terminal::run(command, columns, typed);
    assert_ne!(status.code(), None, "arena {}: {status}\n{text}", arguments.join(" "));
    text
}

fn call(text: &str) -> Call {
    (shell_words::split(text).expect("a shell takes it"), "")
}

fn bots(count: usize) -> String {
    (0..count).map(|number| format!(" --bot {LONG}{}=random", (b'a' + (number % 26) as u8) as char)).collect()
}

/// Plays tournaments and a record for the commands.
fn prepare(folder: &Path) {
    let forty: String = (0..40).map(|number| format!(" --bot bot-{number}=random")).collect();
    for text in [
        format!("tournament --quiet --seed 1 --rounds 1 --seats 10 --out ten{}", bots(10)),
        format!("tournament --quiet --seed 1 --rounds 1 --schedule gauntlet --out forty{forty}"),
        "tournament --quiet --seed 1 --rounds 2 --game patchwork --out patchwork".to_owned(),
        "tournament --quiet --seed 1 --rounds 4 --shard 0/2 --out shards".to_owned(),
        "tournament --quiet --seed 1 --rounds 4 --shard 1/2 --out shards".to_owned(),
        "match --quiet --seed 1 --record record.json".to_owned(),
    ] {
        arena(folder, 80, &call(&text));
    }
    let faults = [BROKEN, "greedy"].map(|bot| format!(" --bot {}", shell_words::quote(bot))).concat();
    arena(folder, 80, &call(&format!("tournament --quiet --seed 1 --rounds 2 --out faults{faults}")));
}

/// Commands. `N` stands for the width, so that each run has its own files.
const CALLS: &str = "
    match --seed 1 | match --game patchwork --seed 1 | tournament --seed 1 --rounds 2 --out two-N |
    tournament --seed 1 --rounds 2 --game patchwork --schedule knockout --out knockout-N |
    tournament --seed 1 --rounds 2 --schedule swiss --out swiss-N |
    tournament --seed 1 --rounds 2 --schedule swiss --seats 3 --out tables-N | standings ten --wide |
    standings ten --details | standings forty | standings forty --details | standings patchwork --details |
    standings faults | standings faults --details | new | new python python-N |
    check --game doodle --matches 2 --bot random |
    compare greedy random --seed 1 --max-rounds 20 --out compare-N | merge shards --out merged-N |
    replay record.json | replay ten --all --quiet | replay patchwork --match 0 |
    view record.json --out view-N.html | report ten --out report-N.html | rerun patchwork --match 0 |
    feed record.json --seat 0 -- random | diff ten ten | diff ten forty | bench --engine --quick | doctor |
    matches ten | matches faults --fault | bots | standings nowhere | tournament --bot nobody |
    tournament --rounds none | --help
";

/// Returns every command that prints for people.
fn calls() -> Vec<Call> {
    let mut calls: Vec<Call> = CALLS.split('|').map(call).collect();
    calls.push(call(&format!("tournament --seed 1 --rounds 1 --seats 10 --out ten-N{}", bots(10))));
    calls.push(call(&format!("match --seed 1{}", bots(10))));
    calls.push((call("play --terminal --seed 1").0, "?\nlegal\nboard\nnonsense\nquit\n"));
    let helps = |name: &String| [format!("{name} -h"), format!("{name} --help")];
    calls.extend(names().iter().flat_map(helps).map(|text| call(&text)));
    calls
}

/// Returns the output of a program without escape sequences.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// Returns the plain words that remain on the screen.
fn words(text: &str) -> BTreeSet<String> {
    let plain = plain(&text.replace("\r\n", "\n"));
    let left = plain.lines().map(|line| line.rsplit('\r').next().unwrap_or_default());
    let is_word = |word: &&str| word.len() > 1 && word.bytes().all(|letter| letter.is_ascii_alphabetic());
    let parts = left.flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric()));
    parts.filter(is_word).map(str::to_owned).collect()
}

#[test]
fn no_line_is_longer_than_the_terminal_and_no_word_is_split() {
    let folder = scratch();
    prepare(folder.path());
    let calls: Vec<(usize, Call)> = calls().into_iter().enumerate().collect();
    let found = complaints(&calls, |(number, (arguments, typed))| {
        let run = |columns: u16| {
            let arguments = arguments.iter().map(|word| word.replace("-N", &format!("-{columns}"))).collect();
            arena(folder.path(), columns, &(arguments, typed))
        };
        let whole = words(&run(WIDEST));
        let tried = |(width, _): &(usize, u16)| needs::is_tried(*number, *width, needs::sized(4, 2, 2));
        let widths = WIDTHS.into_iter().enumerate().filter(tried).map(|(_, columns)| columns);
        let wrong = widths.map(|columns| (columns, run(columns))).find_map(|(columns, text)| {
            let is_long = |line: &&str| console::measure_text_width(line) > usize::from(columns);
            // A typed line ends the line of its prompt. Here it was typed earlier, so a prompt does not end
            // its line.
            let plain = plain(&text).replace(PROMPT, "\n");
            let long = plain.split(['\n', '\r']).find(is_long).map(|line| format!("too long: {line}"));
            let split = || words(&text).difference(&whole).next().map(|word| format!("split: {word}"));
            Some(format!("{columns} columns: {}", long.or_else(split)?))
        });
        Some(format!("arena {}: {}", arguments.join(" "), wrong?))
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}
