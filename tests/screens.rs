//! The output of every command at several widths, in a real terminal and as snapshots.
//!
//! `UPDATE_EXPECT=1 cargo test -p quilt-arena --test integration screens::` accepts new snapshots.

mod fits;
mod pictures;
pub(crate) mod terminal;

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::path::Path;
use std::process::Stdio;

use expect_test::expect_file;
use tempfile::TempDir;

use crate::documents::commands::{of_a_quick_machine, untimed};
use crate::program::{scratch, words};

/// Maximum number of lines per command in a snapshot. For a match these are the first boards.
const LINES_MAX: usize = 120;

/// Copies the recorded tournaments of the tests to a scratch folder, so that screens show no path of this
/// machine.
fn recorded() -> TempDir {
    let folder = scratch();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/journals");
    for game in ["doodle", "patchwork"] {
        fs::create_dir(folder.path().join(game)).expect("a folder");
        for name in ["tournament.json", "matches.jsonl"] {
            let copy = folder.path().join(game).join(name);
            fs::copy(golden.join(game).join(name), copy).expect("a golden file");
        }
    }
    folder
}

/// Returns the arena's stdout and stderr, in order, for a terminal of this width.
fn screen(folder: &Path, columns: u16, color: &str, arguments: &[&str]) -> String {
    let mut both = tempfile::tempfile().expect("a scratch file");
    let copy = |file: &File| Stdio::from(file.try_clone().expect("a second handle"));
    let status = crate::program::command()
        .args(["--width", &columns.to_string(), "--color", color])
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(copy(&both))
        .stderr(copy(&both))
        .status()
        .expect("the arena starts");
    let mut text = String::new();
    both.rewind().and_then(|()| both.read_to_string(&mut text)).expect("the arena prints UTF-8");
    assert!(status.success(), "arena {}: {status}\n{text}", arguments.join(" "));
    text
}

/// Compares the output of commands, each below its command line, with a snapshot.
fn is(name: &str, columns: u16, calls: &[&str]) {
    let folder = recorded();
    let text = |call: &&str| {
        let output = screen(folder.path(), columns, "never", &words(call));
        let lines: Vec<&str> = output.lines().take(LINES_MAX).collect();
        format!("$ arena {call}\n{}\n\n", lines.join("\n"))
    };
    let output: String = calls.iter().map(text).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/screens").join(name);
    expect_file![path].assert_eq(&output);
}

#[test]
fn help() {
    is("help.txt", 80, &["--help", "tournament -h", "tournament --help"]);
}

#[test]
fn standings() {
    is("standings-60.txt", 60, &["standings doodle", "standings patchwork"]);
    let columns = "standings patchwork --columns rank,bot,elo,ms-max";
    let wide = ["standings doodle --wide", columns, "standings patchwork --details"];
    is("standings-80.txt", 80, &[&["standings doodle", "standings patchwork"][..], &wide].concat());
    is("standings-120.txt", 120, &["standings doodle --details"]);
}

#[test]
fn boards() {
    is("boards-60.txt", 60, &["replay doodle --match 0", "replay patchwork --match 0"]);
}

#[test]
fn records() {
    let replays = ["replay doodle", "replay patchwork --match 1 --quiet"];
    let others = ["view doodle --match 0", "report doodle", "diff doodle doodle", "new", "bots"];
    is("records-80.txt", 80, &[&replays[..], &others].concat());
}

#[test]
fn matches_and_answers() {
    let [doodle, patchwork] = ["doodle", "patchwork"].map(|game| format!("--game {game} --seed 4"));
    let own = "tournament --rounds 1 --columns bot,wdl --quiet --out own --bot greedy --bot random";
    let calls = [
        format!("match --quiet --bot greedy {doodle}"),
        format!("compare greedy random --quiet {doodle}"),
        format!("compare greedy random --quiet --metric elo {patchwork}"),
        "replay doodle --match 1 --quiet".to_owned(),
        format!("{own} {patchwork}"),
        "rerun own --match 1".to_owned(),
    ];
    is("answers-80.txt", 80, &calls.each_ref().map(String::as_str));
}

#[test]
fn schedules() {
    let bots = "--bot greedy --bot random --bot b=random --bot c=random --bot g=greedy";
    let plan = "tournament --game patchwork --quiet --seed 1 --move-time 1m";
    let calls = [
        ("swiss", "--schedule swiss --rounds 2"),
        ("knockout", "--schedule knockout --rounds 2"),
        ("ladder", "--schedule ladder --rounds 2"),
        ("gauntlet", "--schedule gauntlet --challenger b --rounds 2"),
        ("decided", "--until-decided --rounds 4 --max-rounds 9"),
    ]
    .map(|(out, schedule)| format!("{plan} --out {out} --columns rank,bot,elo,wdl {schedule} {bots}"));
    is("schedules-80.txt", 80, &calls.each_ref().map(String::as_str));
}

/// The first output that a new user sees.
#[test]
fn the_first_tournament_is_told_in_sixteen_lines() {
    let text = screen(scratch().path(), 80, "never", &["tournament", "--seed", "1"]);
    assert!(of_a_quick_machine(&text).len() <= 16, "{text}");
    // The picture in the documents shows the program's output, except for times.
    let picture = pictures::text(&pictures::standings());
    let (command, shown) = picture.split_once('\n').expect("a command and what it prints");
    assert_eq!((command, untimed(shown)), (pictures::COMMAND, untimed(&text)));
}

/// Colors are for terminals, unless the user chooses otherwise.
#[test]
fn colors_follow_the_users_wish() {
    let folder = recorded();
    let is_colored = |is_terminal: bool, arguments: &[&str], variable: Option<(&str, &str)>| {
        let mut command = crate::program::command();
        command.args(["standings", "doodle"]).args(arguments).current_dir(folder.path());
        for set in ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR"] {
            command.env_remove(set);
        }
        command.env("TERM", "xterm").envs(variable);
        let shown = match is_terminal {
            true => terminal::run(command, 80, "").0,
            false => String::from_utf8(command.output().expect("the arena runs").stdout).expect("UTF-8"),
        };
        shown.contains('\u{1b}')
    };
    assert!(is_colored(true, &[], None));
    assert!(!is_colored(true, &[], Some(("NO_COLOR", "1"))));
    assert!(!is_colored(true, &["--color", "never"], None));
    assert!(is_colored(true, &["--color", "always"], Some(("NO_COLOR", "1"))));
    assert!(!is_colored(false, &[], None));
    assert!(is_colored(false, &[], Some(("CLICOLOR_FORCE", "1"))));
    assert!(is_colored(false, &["--color", "always"], None));
}
