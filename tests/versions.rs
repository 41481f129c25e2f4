//! Versions of a bot from git, and the search for the one that made it worse.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::program::{scratch, wait_until};

const ARENA: &str = env!("CARGO_BIN_EXE_arena");

pub(crate) fn git(here: &Path, line: &str) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]);
    git.args(line.split(' ')).current_dir(here).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = git.output().expect("git starts");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The arena in this folder, with versions of its own in `data`.
fn command(here: &Path, args: &[&str]) -> Command {
    let mut command = crate::program::command();
    let data = here.ancestors().find(|above| above.join(".git").exists()).expect("a repository");
    command
        .env("XDG_DATA_HOME", data.with_extension("data"))
        .current_dir(here)
        .args(args)
        .stdin(Stdio::null());
    command
}

fn arena(here: &Path, args: &[&str]) -> Output {
    command(here, args).output().expect("the arena starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Makes a repository with one commit for each text. The bot is in a folder of it, and is built from a file `source`.
fn repository(top: &Path, plays: &[&str]) {
    let bot = top.join("my bots/one");
    fs::create_dir_all(&bot).expect("a folder");
    git(top, "init -q");
    fs::write(
        bot.join("bot.toml"),
        "run = \"sh built.sh\"\nbuild = \"cp source built.sh && echo built >&2\"\n",
    )
    .expect("a file");
    fs::write(top.join(".gitignore"), "built.sh\n").expect("a file");
    for (number, like) in plays.iter().enumerate() {
        fs::write(bot.join("source"), format!("# {number}\nexec {ARENA} bot {like}\n")).expect("a file");
        git(top, "add -A");
        git(top, &format!("commit -q -m version-{number}"));
    }
}

#[test]
fn a_version_is_built_once_and_the_repository_stays_as_it_was() {
    if !needs::GIT.is_met() {
        return;
    }
    let scratch = scratch();
    let top = scratch.path().join("repo");
    repository(&top, &["random", "greedy", "greedy"]);
    git(&top, "tag v1 HEAD~1");
    let bot = top.join("my bots/one");
    // A hook would change something.
    let hook = top.join(".git/hooks/post-checkout");
    crate::program::executable::write(
        &hook,
        format!("#!/bin/sh\ntouch '{}'\n", top.join("hooked").display()),
        "755",
    );
    fs::write(bot.join("source"), "not committed").expect("a file");
    fs::write(bot.join("new"), "").expect("a file");
    let state = || (fs::read(top.join(".git/index")).expect("an index"), git(&top, "status --short"));
    let before = state();
    let args = ["compare", "git:HEAD", "git:HEAD~2", "--quiet", "--out", "../../../one"];
    let output = arena(&bot, &args);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(said.matches("built\n").count(), 2, "{said}");
    assert!(state() == before && !top.join("hooked").exists());
    let plan = fs::read_to_string(scratch.path().join("one/tournament.json")).expect("a plan");
    let plan: Value = serde_json::from_str(&plan).expect("JSON");
    for (number, reference) in ["HEAD", "HEAD~2"].into_iter().enumerate() {
        let commit = git(&top, &format!("rev-parse {reference}"));
        let there = &plan["bots"][number];
        assert_eq!(there["commit"], commit.as_str());
        assert_eq!(there["name"], format!("{}+{}", reference.replace('~', "-"), &commit[..6]));
    }
    // A version that was built is there for every command. Another build is another version.
    let first = git(&top, "rev-parse v1");
    for (args, builds) in [
        (&["match", "--bot", "v1=git:HEAD", "--bot", "greedy"][..], 0),
        (&["tournament", "--bot", "git:HEAD", "--bot", "greedy", "--rounds", "1", "--quiet"], 0),
        (&["tournament", "--bot", "v1=git:v1", "--bot", "git:HEAD", "--rounds", "1", "--quiet"], 1),
        (&["check", "--bot", "git:HEAD", "--game", "doodle", "--matches", "2"], 0),
        (
            &[
                "match",
                "--bot",
                "v1=git:v1",
                "--bot",
                "greedy",
                "--build",
                "v1:cp source built.sh; echo built >&2",
            ],
            1,
        ),
        (&["match", "--bot", &format!("git:{first}"), "--bot", "greedy"], 0),
    ] {
        let output = arena(&bot, args);
        let said = stderr(&output);
        assert!(output.status.success(), "{args:?}: {said}");
        assert_eq!(said.matches("built\n").count(), builds, "{args:?}: {said}");
    }
    assert!(state().0 == before.0);
    for (text, message) in [
        ("git:nothing", "git:nothing: git rev-parse: "),
        ("git:--help", "git:--help: git rev-parse: "),
        ("git:v1:my", "git:v1:my: git rev-parse: "),
    ] {
        let output = arena(&bot, &["match", "--bot", text, "--bot", "greedy"]);
        let said = stderr(&output);
        assert!(output.status.code() == Some(2) && said.contains(message), "{said}");
    }
    for (recipe, message) in [
        ("run = \"sh x\"\nbuilt = \"make\"\n", "bot.toml: unknown field `built`, expected `run` or `build`"),
        ("build = \"make\"\n", "bot.toml: missing field `run`"),
        ("run = \"sh built.sh\"\nbuild = \"exit 7\"\n", "\"exit 7\" failed: it exited with status 7"),
        (
            "run = \"sh built.sh\"\nbuild = \"cat ../../whole ../../index\"\n",
            "failed: it exited with status 1",
        ),
    ] {
        fs::write(bot.join("bot.toml"), recipe).expect("a file");
        git(&top, "add -A");
        git(&top, "commit -q -m wrong");
        let output = arena(&bot, &["match", "--bot", "git:HEAD", "--bot", "greedy"]);
        let said = stderr(&output);
        assert!(output.status.code() == Some(2) && said.contains(message), "{recipe}: {said}");
    }
}

#[test]
fn the_first_bad_commit_is_found_although_the_arena_is_killed() {
    if !needs::GIT.is_met() {
        return;
    }
    let scratch = scratch();
    let top = scratch.path().join("repo");
    let plays = |number: usize| if number < 7 { "greedy" } else { "random" };
    repository(&top, &(0..12).map(plays).collect::<Vec<_>>());
    let bot = top.join("my bots/one");
    let bad = git(&top, "log -1 --format=%h HEAD~4");
    let found = format!("first bad commit: {bad} version-7\ngood against tried: +");
    let options = [
        "--seed",
        "1",
        "--contain",
        "auto",
        "--memory",
        "1GiB",
        "--move-time",
        "7s",
        "--limit",
        "tried:move-time=6s",
    ];
    let whole = [&["bisect", "HEAD~11", "HEAD", "--out", "../../../whole"], &options[..]].concat();
    let output = arena(&bot, &whole);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && shown.starts_with(&found), "{shown}{}", stderr(&output));
    // Each step is a comparison with these options, on the same deals.
    let log = |out: &str| -> Value {
        let text = fs::read_to_string(scratch.path().join(out).join("bisect.json")).expect("a log");
        serde_json::from_str(&text).expect("JSON")
    };
    let steps = log("whole")["steps"].as_array().expect("steps").clone();
    assert!(steps.len() <= 5, "{steps:?}");
    for step in &steps {
        let dir = scratch.path().join("whole").join(&step["commit"].as_str().expect("a commit")[..12]);
        let plan = fs::read_to_string(dir.join("tournament.json")).expect("a plan");
        let plan: Value = serde_json::from_str(&plan).expect("JSON");
        assert_eq!((&plan["seed"], &plan["memory_bytes"]), (&1.into(), &(1_u64 << 30).into()));
        assert!(plan.to_string().contains("\"tried\""), "{plan}");
    }
    // Killed after its first step.
    let args = [&["bisect", "HEAD~11", "HEAD", "--quiet", "--out", "../../../killed"], &options[..]].concat();
    let mut child =
        command(&bot, &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let text = || fs::read_to_string(scratch.path().join("killed/bisect.json")).unwrap_or_default();
    wait_until("a step is done", || text().contains("\"verdict\""));
    child.kill().and_then(|()| child.wait()).expect("it is ours");
    let output = arena(
        &bot,
        &[&["bisect", "--resume", "--quiet", "--out", "../../../killed"], &options[2..]].concat(),
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), shown, "{}", stderr(&output));
    assert_eq!(log("killed"), log("whole"));
    for (range, status, message) in [
        (["HEAD~11", "HEAD~6"], 1, "is not worse than"),
        (["HEAD", "HEAD~11"], 2, "nothing in this folder changed from HEAD to HEAD~11"),
        (["HEAD~11", "nothing"], 2, "git:nothing: "),
    ] {
        let output = arena(&bot, &["bisect", range[0], range[1], "--quiet", "--seed", "1"]);
        assert!(
            output.status.code() == Some(status) && stderr(&output).contains(message),
            "{}",
            stderr(&output)
        );
    }
}

/// A commit that cannot be built, or that is not decided, is never the one that is named.
#[test]
fn what_cannot_be_tried_accuses_no_commit() {
    if !needs::GIT.is_met() {
        return;
    }
    let scratch = scratch();
    let top = scratch.path().join("repo");
    repository(&top, &["greedy", "greedy", "nobody", "nobody", "random"]);
    let bot = top.join("my bots/one");
    let output = arena(&bot, &["bisect", "HEAD~4", "HEAD", "--quiet", "--seed", "1"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let named = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = named.lines().collect();
    assert_eq!(lines[0], "one of these is the first bad commit:");
    assert!(
        lines.len() == 4 && lines[3].ends_with("version-4") && lines[1].ends_with("version-2"),
        "{named}"
    );
}
