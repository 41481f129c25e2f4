//! One signal ends each command, whatever it does: ask bots, wait for a browser, or compute.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::program::{command, complaints, scratch, succeed, wait_until, words};

/// What a command does when the signal comes. The words of its command line follow.
enum Doing {
    /// It waits for a program, which has made the file `begun` in its folder.
    Waits(&'static str),
    /// It waits for a client, after a line with its address.
    Serves(&'static str),
    /// It computes.
    Computes(&'static str),
    /// It ends at once, or with its input, without anything that takes long.
    Short,
}

use Doing::{Computes, Serves, Short, Waits};

/// `HANG` is a program that never answers, `SLOW` a bot that hangs when it is asked a move.
const COMMANDS: &[(&str, Doing)] = &[
    ("match", Waits("--contain off --bot HANG --bot random --startup-time 1h")),
    ("tournament", Waits("--contain off --bot x=SLOW --bot random --move-time 1h --quiet --out t")),
    ("compare", Waits("--contain off x=SLOW random --move-time 1h --quiet --out c")),
    ("tune", Waits("SLOW{x=1:0..4} --contain off --move-time 1h --quiet --out u")),
    ("bisect", Waits("HEAD~1 HEAD --contain off --move-time 1h --quiet --out b")),
    ("check", Waits("--contain off --bot HANG --startup-time 1h")),
    ("check", Waits("--contain off --game-command HANG")),
    ("plan", Waits("--league league.toml --hours 1")),
    ("rerun", Waits("played --match 0 --contain off --move-time 1h --trust")),
    ("feed", Waits("played --match 0 --seat 0 --contain off -- HANG")),
    ("run", Waits("--contain off -- HANG")),
    ("host", Waits("cup")),
    ("suite", Computes("suite.jsonl --bot random --quiet")),
    ("analyze", Computes("played --nodes 1000000000")),
    ("play", Serves("")),
    ("serve", Serves("played")),
    ("league", Short),
    ("new", Short),
    ("protocol", Short),
    ("bots", Short),
    ("standings", Short),
    ("ratings", Short),
    ("matches", Short),
    ("replay", Short),
    ("view", Short),
    ("report", Short),
    ("diff", Short),
    ("merge", Short),
    ("doctor", Short),
    ("moves", Short),
    ("completions", Short),
];

/// Processor time of a command that computes, and no longer starts.
const COMPUTING: Duration = Duration::from_secs(1);
/// Statuses of commands that say that a signal ended them. The system says it itself of others.
const STOPPED: [i32; 2] = [75, 130];

/// Makes the programs and files of the table in a folder of its own for each command.
fn prepare(here: &Path) {
    let begun = here.join("begun");
    let begun = begun.display();
    let hang = format!("echo >'{begun}'; exec sleep 1000");
    // Its first match is played, so that it can be played again.
    let slow = format!(
        "read -r line; echo '{{\"type\":\"hello\",\"protocol\":1}}'; read -r line; echo '{{\"type\":\"ready\"}}'\n\
         read -r line; [ -e '{}' ] && {{ {hang}; }}\necho '{{}}'; cat >/dev/null\n",
        here.join("slow").display()
    );
    // `arena tune` writes a number behind the name.
    for (name, text) in [("HANG", &hang), ("SLOW", &slow), ("SLOW0", &slow), ("SLOW1", &slow)] {
        crate::program::executable::write(&here.join(name), format!("#!/bin/sh\n{text}\n"), "755");
    }
    let play =
        words("tournament --contain off --quiet --rounds 1 --out played --bot x=./SLOW --bot y=random");
    succeed(here, &play);
    fs::write(here.join("slow"), "").expect("a file");
    let league = "[limits]\ncontain = \"off\"\nmove-time = \"1h\"\n[[bot]]\nname = \"x\"\ncommand = \"./SLOW\"\n\
                  [[bot]]\ncommand = \"random\"\n";
    fs::write(here.join("league.toml"), league).expect("a file");
    fs::create_dir_all(here.join("cup/submissions/x")).expect("a folder");
    let contest = "[contest]\nsettle = \"100ms\"\n[limits]\ncontain = \"off\"\nstartup-time = \"1h\"\n";
    fs::write(here.join("cup/contest.toml"), contest).expect("a file");
    let recipe = format!("run = '{}'\n", here.join("HANG").display());
    fs::write(here.join("cup/submissions/x/bot.toml"), recipe).expect("a file");
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/suites/doodle.jsonl");
    let suite = fs::read_to_string(suite).expect("a suite");
    let mut line: serde_json::Value =
        serde_json::from_str(suite.lines().next().expect("a line")).expect("JSON");
    line["nodes"] = 600_000.into();
    fs::write(here.join("suite.jsonl"), format!("{line}\n").repeat(200)).expect("a file");
}

/// A command that does not outlive its test.
struct Running(Child);

impl Running {
    fn ended(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().expect("it is ours")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

#[test]
fn one_signal_ends_every_command() {
    let reference = include_str!("../docs/reference/commands.md");
    let mut known: Vec<&str> = reference.lines().filter_map(|line| line.strip_prefix("## arena ")).collect();
    let mut listed: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    listed.sort_unstable();
    listed.dedup();
    assert_eq!(listed, known, "a command without a row");
    let complaint = |(name, doing): &(&str, Doing)| {
        let (Waits(line) | Serves(line) | Computes(line)) = doing else { return None };
        let folder = scratch();
        let here = folder.path();
        prepare(here);
        if *name == "bisect" && !needs::GIT.is_met() {
            return None;
        }
        if *name == "bisect" {
            crate::versions::git(here, "init -q");
            for change in ["one", "two"] {
                let recipe = format!("# {change}\nrun = \"{}\"\n", here.join("SLOW").display());
                fs::write(here.join("bot.toml"), recipe).expect("a file");
                crate::versions::git(here, "add bot.toml");
                crate::versions::git(here, "commit -q -m change");
            }
        }
        let mut arena = command();
        let line = line.replace("HANG", "./HANG").replace("SLOW", "./SLOW");
        arena.arg(name).args(words(&line)).current_dir(here);
        arena.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        if matches!(doing, Serves(_)) {
            arena.stdout(Stdio::piped());
        }
        let mut arena = Running(arena.spawn().expect("the arena starts"));
        match doing {
            Waits(_) => wait_until(name, || here.join("begun").exists() || arena.ended().is_some()),
            Computes(_) => {
                let pid = Pid::from_child(&arena.0).as_raw_pid();
                let computes = || sandbox::cpu_time(pid).is_none_or(|used| used > COMPUTING);
                wait_until(name, || computes() || arena.ended().is_some());
            }
            Serves(_) => {
                let mut lines = BufReader::new(arena.0.stdout.take().expect("it is piped")).lines();
                assert!(lines.any(|line| line.expect("text").contains("http://")), "{name} has an address");
            }
            Short => {}
        }
        if let Some(status) = arena.ended() {
            return Some(format!("arena {name} {line}: it ended by itself with {status}"));
        }
        kill_process(Pid::from_child(&arena.0), Signal::TERM).expect("it runs");
        wait_until(&format!("the end of arena {name} after SIGTERM"), || arena.ended().is_some());
        let status = arena.ended().expect("it has ended");
        let is_told = status
            .code()
            .map_or(status.signal() == Some(Signal::TERM.as_raw()), |code| STOPPED.contains(&code));
        // A server has done its work.
        let is_told = is_told || matches!(doing, Serves(_)) && status.success();
        (!is_told).then(|| format!("arena {name} {line}: it ended with {status}"))
    };
    let found = complaints(COMMANDS, complaint);
    assert!(found.is_empty(), "{}", found.join("\n"));
}
