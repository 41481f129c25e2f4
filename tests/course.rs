//! A contest that runs itself, as the page about contests tells it: its own commands, in their order. Each of them is killed
//! once on the way.

mod by_hand;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use engine::dealer::Dealer;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::documents::markdown::{block, blocks};
use crate::host::door::hand_in;
use crate::host::script;
use crate::program::{scratch, wait_until};
use crate::serve::client::Server;

const PAGE: &str = "docs/guide/contest.md";
/// The longest moment before a kill, in milliseconds.
const MOMENT_MS_MAX: u32 = 400;

/// The folder of the organiser.
struct Contest<'a> {
    here: &'a Path,
    chance: Dealer,
}

impl Contest<'_> {
    fn shell(&self, line: &str) -> Command {
        let arena = Path::new(env!("CARGO_BIN_EXE_arena")).parent().expect("a folder");
        let path = format!("{}:{}", arena.display(), std::env::var("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(self.here).env("PATH", path).stdin(Stdio::null());
        // Killed programs leave their temporary files.
        shell.env("XDG_STATE_HOME", self.here.join("states")).env("TMPDIR", self.here.join("tmp"));
        shell
    }

    /// Kills a command and its children at a random moment, or when `is_time`.
    fn kill(&mut self, line: &str, is_time: Option<&dyn Fn() -> bool>) {
        let mut shell = self.shell(line);
        shell.process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = shell.spawn().expect("a shell starts");
        if is_time.is_none() {
            std::thread::sleep(Duration::from_millis(self.chance.below(MOMENT_MS_MAX).into()));
        }
        let is_over = || is_time.is_none_or(|is_time| is_time());
        while !is_over() && child.try_wait().expect("it is ours").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
        child.wait().expect("it ends");
    }

    /// Runs a command of the page to its end.
    fn succeed(&self, line: &str) -> String {
        let output = self.shell(line).output().expect("a shell starts");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Kills a command at a random moment, and gives it again.
    fn twice(&mut self, line: &str) -> String {
        self.kill(line, None);
        self.succeed(line)
    }

    /// Runs the contest with its pages on a free port.
    fn serve(&self, line: &str) -> Server {
        Server::of(self.shell(&format!("exec {line} --port 0")))
    }

    fn data(&self, path: &str) -> Value {
        let text = fs::read_to_string(self.here.join("cup").join(path)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn matches(&self, of: &str) -> usize {
        let journal = self.here.join("cup").join(of).join("matches.jsonl");
        fs::read_to_string(journal).unwrap_or_default().lines().count()
    }
}

#[test]
fn the_page_about_contests_is_the_script_of_one() {
    let folder = scratch();
    let here = folder.path();
    fs::create_dir(here.join("tmp")).expect("a folder");
    let mut contest = Contest { here, chance: Dealer::new(std::process::id().into(), 0) };
    assert!(crate::documents::markdown::read(PAGE).lines().count() <= 110);
    let shells = blocks(PAGE).into_iter().filter(|block| block.info == "sh");
    let commands: Vec<String> =
        shells.flat_map(|block| block.text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    let [doctor, make, invite, serve, pause, go_on, disqualify, commit, reveal, replay, publish, report] =
        &commands[..]
    else {
        panic!("twelve commands: {commands:?}")
    };
    let is_strict = contest.twice(doctor).contains("strict") && {
        let found: Value =
            serde_json::from_str(&contest.succeed("arena doctor --format json")).expect("JSON");
        found["strict"] == true
    };
    contest.twice(make);
    // The settings of the page, with less to play and less patience.
    let settings = block(PAGE, "toml").text;
    assert!(settings.contains("rounds = 40") && settings.contains("closes = 2027"), "{settings}");
    let settings = settings
        .replace("rounds = 40", "rounds = 2")
        .replace("rounds = 100", "rounds = 2")
        .replace("closes = 2027", "accept = \"100ms\"\ncloses = 2999")
        + if is_strict { "" } else { "contain = \"auto\"\n" };
    fs::write(here.join("cup/contest.toml"), settings).expect("a file");

    fs::write(here.join("names.txt"), "anna\nben\ncarla\nkim\n").expect("a file");
    contest.twice(invite);
    let links = fs::read_to_string(here.join("links.txt")).expect("links");
    let token = |line: &str| {
        let (name, token) = line.split_once("\thttps://cup.example.org/in/").expect("a link");
        (name.to_owned(), token.to_owned())
    };
    let tokens: BTreeMap<String, String> = links.lines().map(token).collect();
    let mut server = contest.serve(serve);
    wait_until("the links", || server.get(&format!("/in/{}", tokens["kim"])).status == 303);
    for name in ["anna", "ben", "carla"] {
        assert_eq!(hand_in(&server, &tokens[name], "bot.sh", script().as_bytes()).status, 200);
    }
    assert_eq!(hand_in(&server, &tokens["kim"], "bot.sh", b"echo kim fell over >&2; exit 3\n").status, 200);
    std::thread::sleep(Duration::from_millis(contest.chance.below(2_000).into()));
    server.kill();
    let server = contest.serve(serve);
    let is_in = |name: &str| server.get("/").body.contains(&format!("<th scope=\"row\">{name}</th>"));
    wait_until("all rows", || ["anna", "ben", "carla"].into_iter().all(is_in));
    wait_until("a check", || contest.data("checks/kim.json")["state"] == "does not start");

    contest.twice(pause);
    wait_until("the pause", || server.get("/").body.contains("The contest pauses."));
    let better = script() + "# better\n";
    assert_eq!(
        hand_in(&server, &tokens["anna"], "bot.sh", better.as_bytes()).body,
        "received: version 2 of anna\n"
    );
    contest.twice(go_on);
    contest.twice(disqualify);
    wait_until("the reason", || contest.data("checks/ben.json")["reason"] == "copied from anna");
    let plays = || contest.data("results/tournament.json")["bots"].to_string();
    wait_until("the new version", || {
        plays().contains("versions/anna/2") && !plays().contains("versions/ben")
    });
    // The page may have the matches of the field before for a moment.
    wait_until("all matches", || {
        contest.matches("results") == 2 && server.get("/").body.contains("2 of 2 matches are played.")
    });

    contest.kill(commit, None);
    if !here.join("cup/final/commitment.json").exists() {
        contest.succeed(commit);
    }
    let late = hand_in(&server, &tokens["anna"], "bot.sh", b"exit 1\n");
    assert!(late.status == 422 && late.body.contains("after the close"), "{}", late.body);
    let before = Contest { here, chance: Dealer::new(0, 0) };
    contest.kill(reveal, Some(&|| before.matches("final") > 0));
    contest.succeed(reveal);
    let last = contest.data("final/tournament.json");
    assert_eq!((last["schedule"].as_str(), last["bots"].as_array().map(Vec::len)), (Some("swiss"), Some(2)));
    contest.kill(replay, None);
    assert!(contest.succeed(replay).contains("the seed follows from the secret"));
    contest.twice(publish);
    wait_until("the pages", || server.get("/final/match/0").status == 200);
    contest.twice(report);
    assert!(here.join("authors/anna/report.html").is_file());
}
