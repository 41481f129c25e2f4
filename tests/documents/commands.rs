//! The tests run the commands in the documents and compare their output with the documents.

use std::collections::BTreeSet;
use std::path::Path;

use expect_test::expect_file;

use crate::documents::markdown::{Block, DOCUMENTS, blocks, code_spans, read};
use crate::program::{scratch, succeed, words};

const MARK: &str = "text screen";
/// The two ways in which the documents call the program.
const CALLS: [&str; 2] = ["cargo run --release -- ", "arena "];
/// Width in columns of the group names in the overview of commands.
const GROUP_COLUMNS: usize = 13;
/// The columns with times, which differ from run to run.
const TIMES: [&str; 3] = ["ms/move", "99 % ms", "max ms"];
/// The first columns of the list of matches, and the place of a time in its lines.
const LIST: [&str; 5] = ["match", "deal", "margin", "max", "ms"];
const LIST_TIME: usize = 3;
/// Width in columns of the terminal in the documents.
const WIDTH: &str = "80";
/// Lines that the program prints only if the machine was late.
const LATE: [&str; 2] = ["Slow moves ", "Replayed because "];
/// The line that names further columns, and the column that exists only if the machine was late.
const MORE_COLUMNS: &str = "More columns ";
const LATE_COLUMN: &str = "slow moves, ";

pub(crate) fn is_screen(block: &Block) -> bool {
    block.info == MARK
}

#[test]
fn commands_print_what_is_shown() {
    let all = DOCUMENTS.iter().flat_map(|document| blocks(document));
    let screens: Vec<Block> = all.filter(is_screen).collect();
    assert!(screens.len() >= 2, "only {} commands are shown with their output", screens.len());
    for block in screens {
        assert_eq!(untimed(&block.text), untimed(&refreshed(&block)), "{}", block.place);
    }
}

/// The block with what its commands print now, one after the other in the same folder.
pub(crate) fn refreshed(block: &Block) -> String {
    assert!(block.text.starts_with("$ "), "{}: no command", block.place);
    let folder = scratch();
    let print = |call: &str| {
        let own = CALLS.iter().find_map(|prefix| call.strip_prefix(prefix)).expect("a call of the arena");
        let own = shell_words::split(own).expect("a shell takes it");
        let all = ["--width", WIDTH].into_iter().chain(own.iter().map(String::as_str));
        format!("$ {call}\n{}", succeed(folder.path(), &all.collect::<Vec<_>>()))
    };
    let calls = block.text.lines().filter_map(|line| line.strip_prefix("$ "));
    calls.map(print).collect::<Vec<_>>().join("\n")
}

/// Returns a `standings.json` of the current program.
pub(crate) fn standings_example() -> String {
    let folder = scratch();
    succeed(folder.path(), &words("tournament --quiet --rounds 10 --seed 1 --out played"));
    std::fs::read_to_string(folder.path().join("played/standings.json")).expect("the tournament wrote it")
}

/// Returns the lines that the program also prints on a machine that is never late. Restores the line of further columns,
/// which is longer and wraps on a late machine.
pub(crate) fn of_a_quick_machine(text: &str) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !LATE.iter().any(|late| line.starts_with(late))) {
        match kept.last_mut().filter(|last| last.starts_with(MORE_COLUMNS) && last.ends_with(',')) {
            Some(columns) => columns.extend([" ", line]),
            None => kept.push(line.to_owned()),
        }
    }
    for line in kept.iter_mut().filter(|line| line.starts_with(MORE_COLUMNS)) {
        *line = line.replace(LATE_COLUMN, "");
    }
    kept
}

/// Returns the cells of the text without rules, padding, times, and the lines of a late machine.
pub(crate) fn untimed(text: &str) -> Vec<Vec<String>> {
    let mut timed: BTreeSet<usize> = BTreeSet::new();
    let mut rows = Vec::new();
    for line in of_a_quick_machine(text).iter().filter(|line| !line.starts_with(['┌', '├', '└'])) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if words.starts_with(&LIST) {
            rows.push(LIST.map(str::to_owned).into());
            continue;
        }
        if words.first().is_some_and(|first| first.parse::<u64>().is_ok()) && words.len() > LIST.len() {
            let is_kept = |&(place, _): &(usize, &&str)| place != LIST_TIME;
            rows.push(words.iter().enumerate().filter(is_kept).map(|(_, word)| (*word).to_owned()).collect());
            continue;
        }
        let cells: Vec<&str> = line.split('│').map(str::trim).collect();
        if cells.contains(&TIMES[0]) {
            timed = (0..cells.len()).filter(|&column| TIMES.contains(&cells[column])).collect();
        }
        let kept = (0..cells.len()).filter(|column| !timed.contains(column) || cells.len() == 1);
        rows.push(kept.map(|column| cells[column].to_owned()).collect());
    }
    rows
}

/// Other programs. Their options are not checked.
const OTHERS: &str = "podman cargo .ci/run #SBATCH sbatch squeue scontrol hq bash pip python systemd-run";

/// Returns the subcommands in the order of the overview.
pub(crate) fn names() -> Vec<String> {
    let help = succeed(Path::new("."), &["--help"]);
    let section = help.split("\n\n").nth(1).expect("the help lists commands");
    // Each line has a group, then names, then descriptions.
    let names = section.lines().flat_map(|line| {
        line[GROUP_COLUMNS..].split_inclusive(' ').scan(true, |goes_on, word| {
            let name = goes_on.then(|| word.trim_end_matches([' ', ',']));
            *goes_on = word.ends_with(", ");
            name
        })
    });
    names.map(str::to_owned).collect()
}

/// Returns the subcommands with their help texts.
fn helps() -> Vec<(String, String)> {
    let help = |name: String| {
        let text = succeed(Path::new("."), &["help", &name]);
        (name, text)
    };
    names().into_iter().map(help).collect()
}

/// The page with the help of every command.
#[test]
fn the_reference_has_the_help_of_every_command() {
    let mut page = String::from(COMMANDS_HEAD);
    for name in names() {
        let help = succeed(Path::new("."), &["--width", "100", "help", &name]);
        page += &format!("\n## arena {name}\n\n```text\n{help}```\n");
    }
    expect_file!["../../docs/reference/commands.md"].assert_eq(&page);
}

#[test]
fn the_program_prints_its_protocol() {
    assert_eq!(succeed(Path::new("."), &["protocol"]), read("protocol.md"));
}

const COMMANDS_HEAD: &str = "\
# Commands

This page has the help of every command, as its option `--help` prints it. The
[guide](../guide/SUMMARY.md) shows the commands at work.
";

/// Returns all code in a document: fenced blocks of commands, and inline code.
fn code(document: &str) -> Vec<String> {
    let fenced = blocks(document).into_iter().filter(|block| block.info == "sh" || is_screen(block));
    let lines = fenced.flat_map(|block| block.text.lines().map(str::to_owned).collect::<Vec<_>>());
    code_spans(document).into_iter().chain(lines).collect()
}

#[test]
fn every_command_and_option_exists() {
    let helps = helps();
    let is_of_another = |text: &str| words(OTHERS).iter().any(|other| text.contains(&format!("{other} ")));
    for document in DOCUMENTS.iter().filter(|document| **document != "CHANGELOG.md") {
        for text in code(document) {
            let text = text.trim_start_matches("$ ");
            let called = CALLS.iter().find_map(|prefix| text.strip_prefix(prefix));
            let help = called.and_then(|arguments| arguments.split([' ', '|']).next()).map(|name| {
                let known = helps.iter().find(|(known, _)| known == name || name.starts_with("--"));
                known.unwrap_or_else(|| panic!("{document}: there is no command {name:?} in {text:?}"))
            });
            if called.is_none() && is_of_another(text) {
                continue;
            }
            for option in options(called.unwrap_or(text)) {
                let takes = |(_, help): &(String, String)| {
                    help.split(['\n', ' ', ',', '[']).any(|word| word == option)
                };
                let known = match help {
                    Some(command) if !called.is_some_and(|rest| rest.starts_with("--")) => takes(command),
                    _ => helps.iter().any(takes),
                };
                assert!(known, "{document}: there is no option {option} for {text:?}");
            }
        }
    }
}

/// Returns the words that look like long options, except for those of a command in quotes or after `--`.
fn options(text: &str) -> impl Iterator<Item = &str> {
    let own = text.split(" -- ").next().unwrap_or(text);
    let unquoted = own.split('\'').step_by(2);
    let words = unquoted.flat_map(|part| part.split([' ', '=', ',', '[', ']', '"', ':']));
    words.filter(|word| word.len() > 2 && word.starts_with("--"))
}
