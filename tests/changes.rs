//! What may change while a tournament runs, or between two runs: signals, folders, bots.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::program::tables::lines_in;

const ARENA: &str = env!("CARGO_BIN_EXE_arena");
/// The longest wait for an event that is certain to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with a bot that starts once there is a file `go`. It makes a file `begun` before that.
fn folder_with_a_gate() -> TempDir {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let gate = format!(": >begun; while [ ! -e go ]; do sleep 0.01; done; exec {ARENA} bot random\n");
    fs::write(folder.path().join("gate.sh"), gate).expect("a bot");
    folder
}

/// Adds a bot behind the gate.
const GATED: &[&str] = &["--contain", "off", "--startup-time", "60s", "--bot", "gated=/bin/sh gate.sh"];

/// Waits until it is so.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn end(child: Child) -> (Option<i32>, String) {
    let output: Output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Starts the arena as `nohup ... &` does in a script.
fn start_ignoring(folder: &Path, args: &[&str]) -> Child {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "trap '' HUP INT TERM; exec \"$@\"", "sh", ARENA]).args(args).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("a shell")
}

#[test]
fn signals_that_are_ignored_at_the_start_stay_ignored_except_for_term() {
    let tournament = ["tournament", "--out", "t", "--bot", "random", "--rounds", "100000"];
    let compare =
        ["compare", "--out", "t", "--h1", "0.02", "random", "random-2=random", "--max-rounds", "100000"];
    for (args, is_gated) in [(&tournament[..], true), (&compare[..], false)] {
        let folder = folder_with_a_gate();
        let (out, journal) = (folder.path(), folder.path().join("t/matches.jsonl"));
        let gated = if is_gated { GATED } else { &["--contain", "off"] };
        let child = start_ignoring(out, &[args, gated].concat());
        let send = |signal| kill_process(Pid::from_child(&child), signal).expect("it runs");
        if is_gated {
            wait_until("the bots start", || out.join("begun").exists());
            [Signal::HUP, Signal::INT].into_iter().for_each(send);
            fs::write(out.join("go"), "").expect("a file");
        }
        for lines in [1, 200] {
            wait_until("matches are played", || lines_in(&journal) >= lines);
            [Signal::HUP, Signal::INT].into_iter().for_each(send);
        }
        wait_until("matches are played", || lines_in(&journal) >= 400);
        send(Signal::TERM);
        let (status, stderr) = end(child);
        assert_eq!(status, Some(75), "{stderr}");
        assert_eq!(stderr.matches("stopping now").count(), 1, "{stderr}");
        assert!(!stderr.contains("finishing"), "{stderr}");
    }
}
