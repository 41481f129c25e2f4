//! Completions and man pages of the installed program.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::cli::refused;
use crate::program::{scratch, succeed, words};

/// Returns the names of all commands.
fn commands() -> BTreeSet<String> {
    let reference = include_str!("../docs/reference/commands.md");
    reference.lines().filter_map(|line| line.strip_prefix("## arena ")).map(str::to_owned).collect()
}

#[test]
fn completions_know_every_command_the_bots_and_the_languages() {
    let folder = scratch();
    for shell in ["bash", "zsh", "fish"] {
        let script = succeed(folder.path(), &["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
        assert!(script.contains("planner") && script.contains("python"), "{shell}");
    }
    refused(folder.path(), &["completions", "dos"], "bash, zsh, fish");
}

#[test]
fn shells_accept_their_completions() {
    if !needs::SHELLS.is_met() {
        return;
    }
    let folder = scratch();
    for shell in ["bash", "zsh", "fish"] {
        let file = folder.path().join(shell);
        fs::write(&file, succeed(folder.path(), &["completions", shell])).expect("a file");
        let output = Command::new(shell).arg("-n").arg(&file).output().expect("the shell is there");
        assert!(output.status.success() && output.stderr.is_empty(), "{shell}: {output:?}");
    }
    // The completions at work: an option and a bundled bot.
    let script = "source ./bash
        COMP_WORDS=(arena tournament --bot pl); COMP_CWORD=3; _arena arena pl --bot
        echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash").current_dir(folder.path()).args(["-c", script]).output();
    assert_eq!(String::from_utf8_lossy(&output.expect("bash is there").stdout), "planner\n");
    let script = "source ./fish; complete --do-complete 'arena new pyt'";
    let mut fish = Command::new("fish");
    fish.current_dir(folder.path()).env("HOME", folder.path()).args(["--no-config", "-c", script]);
    let output = fish.output().expect("fish is there");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "python\npython-game");
}

#[test]
fn every_command_has_a_man_page_without_warnings() {
    let folder = scratch();
    succeed(folder.path(), &["completions", "--man", "man1"]);
    let pages = fs::read_dir(folder.path().join("man1")).expect("a folder").flatten();
    let pages: BTreeSet<String> =
        pages.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    for command in commands() {
        assert!(pages.contains(&format!("arena-{command}.1")), "{command} of {pages:?}");
    }
    assert!(pages.contains("arena.1"));
    if !needs::MAN.is_met() {
        return;
    }
    for page in &pages {
        let mut command = Command::new("man");
        command.args(words("--warnings -E UTF-8 -l -Tutf8")).arg(folder.path().join("man1").join(page));
        let output = command.output().expect("man is there");
        let warnings = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && warnings.is_empty(), "{page}: {warnings}");
    }
}
