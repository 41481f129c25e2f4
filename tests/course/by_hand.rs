//! A course of strangers' submissions, as the page about contests by hand tells it: its own commands, in their order.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use arena::templates;
use engine::dealer::Dealer;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use toml::Table;

use crate::documents::markdown::{block, blocks};
use crate::program::{executable, scratch};

const PAGE: &str = "docs/guide/contest-by-hand.md";
/// The good submissions of the first day, each with its template. A small program stands in for a missing language.
const ALL_GOOD: [(&str, &str); 8] = [
    ("anna", "python"),
    ("ben", "javascript"),
    ("carla", "perl"),
    ("finn", "c"),
    ("hugo", ""),
    ("dan", "ruby"),
    ("emma", "lua"),
    ("gina", "python"),
];
/// The broken ones, each with a word of the reason.
const BROKEN: [(&str, &str); 3] =
    [("kim", "kim fell over"), ("leo", "no answer in JSON"), ("mia", "there is no file")];
/// A bot that starts and then breaks the rules.
const WRONG: &str = "nils";
/// The longest moment before a kill, in milliseconds.
const MOMENT_MS_MAX: u32 = 400;

fn good() -> &'static [(&'static str, &'static str)] {
    &ALL_GOOD[..needs::sized(3, 5, 8)]
}

/// The folder of the organiser.
struct Course<'a> {
    here: &'a Path,
    /// The mode in place of `strict` if this machine lacks a layer.
    mode: &'static str,
    chance: Dealer,
}

impl Course<'_> {
    fn shell(&self, line: &str) -> Command {
        let arena = Path::new(env!("CARGO_BIN_EXE_arena")).parent().expect("a folder");
        let path = format!("{}:{}", arena.display(), std::env::var("PATH").unwrap_or_default());
        let line = line.replace("--contain strict", &format!("--contain {}", self.mode));
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(self.here).env("PATH", path).stdin(Stdio::null());
        // Killed programs leave their temporary files.
        shell.env("XDG_STATE_HOME", self.here.join("states")).env("TMPDIR", self.here.join("tmp"));
        shell
    }

    fn run(&self, line: &str) -> Output {
        self.shell(line).output().expect("a shell starts")
    }

    /// Runs a command of the page to its end.
    fn succeed(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Kills a command and its children at a random moment, or after this many matches.
    fn kill(&mut self, line: &str, matches: usize) {
        let before = self.matches();
        let mut shell = self.shell(line);
        shell.process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = shell.spawn().expect("a shell starts");
        if matches == 0 {
            std::thread::sleep(Duration::from_millis(self.chance.below(MOMENT_MS_MAX).into()));
        }
        while self.matches() < before + matches && child.try_wait().expect("it is ours").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let group = Pid::from_child(&child);
        let _ = kill_process_group(group, Signal::KILL);
        child.wait().expect("it ends");
    }

    fn matches(&self) -> usize {
        let read = |name: &str| fs::read_to_string(self.here.join(name)).unwrap_or_default();
        read("contest/matches.jsonl").lines().count()
    }

    /// Makes a bot from a template, or a program.
    fn submit(&self, name: &str, template: &str) {
        let folder = self.here.join("submissions").join(name);
        let kit = templates::find(template).ok().filter(|kit| {
            let lacks = kit.lacks();
            assert!(lacks.is_none() || !needs::is_ci(), "kit {}: {lacks:?}", kit.name);
            lacks.is_none()
        });
        if let Some(kit) = kit {
            self.succeed(&format!("arena new {} submissions/{name}", kit.name));
            assert!(folder.join(&kit.facts().bot).is_file());
        } else {
            self.program(name, &format!("exec '{}' bot random\n", env!("CARGO_BIN_EXE_arena")));
        }
    }

    fn program(&self, name: &str, text: &str) {
        let folder = self.here.join("submissions").join(name);
        fs::create_dir_all(&folder).expect("a folder");
        executable::write(&folder.join("bot"), format!("#!/bin/sh\n{text}"), "755");
    }

    fn plan(&self, out: &str) -> Value {
        let text = fs::read_to_string(self.here.join(out).join("tournament.json")).expect("a plan");
        serde_json::from_str(&text).expect("JSON")
    }

    /// Checks that each pair of these bots met once on each deal, and that the bots left out have their reasons.
    fn is_whole(&self, out: &str, bots: &BTreeSet<&str>, rounds: usize) {
        let plan = self.plan(out);
        let named: BTreeSet<&str> =
            plan["bots"].as_array().expect("bots").iter().filter_map(|bot| bot["name"].as_str()).collect();
        assert_eq!(named, *bots);
        let journal = fs::read_to_string(self.here.join(out).join("matches.jsonl")).expect("a journal");
        let met: Vec<(u64, BTreeSet<String>)> = journal
            .lines()
            .map(|line| {
                let record: Value = serde_json::from_str(line).expect("a record");
                let names = record["bots"].as_array().expect("bots").iter();
                let names = names.map(|name| name.as_str().expect("a name").to_owned());
                (record["round"].as_u64().expect("a round"), names.collect())
            })
            .collect();
        assert_eq!(met.len(), bots.len() * (bots.len() - 1) / 2 * rounds);
        assert_eq!(met.iter().collect::<BTreeSet<_>>().len(), met.len(), "no match is played twice");
        let skipped = plan["skipped"].as_array().expect("bots that cannot start");
        for (name, reason) in BROKEN {
            let one = skipped.iter().find(|one| one["bot"] == name).expect("it is left out");
            assert!(one["reason"].as_str().is_some_and(|told| told.contains(reason)), "{one}");
        }
        assert_eq!(skipped.len(), BROKEN.len());
        let table = self.succeed(&format!("arena standings {out}"));
        for (name, _) in BROKEN {
            assert!(table.contains(&format!("Left out: {name}: ")), "{table}");
        }
        assert!(table.contains(&format!("First fault of {WRONG}")), "{table}");
    }
}

/// The submissions of the first day.
fn first_day(course: &Course<'_>) {
    for (name, template) in good() {
        course.submit(name, template);
    }
    course.program("kim", "echo 'kim fell over' >&2\nexit 3\n");
    course.program("leo", "read -r line\necho 'no answer in JSON'\nread -r line\n");
    fs::create_dir_all(course.here.join("submissions/mia")).expect("a folder");
    fs::write(course.here.join("submissions/mia/bot.c"), "int main(void) { return }\n").expect("a file");
    course.program(
        WRONG,
        "read -r line\necho '{\"type\":\"hello\",\"protocol\":1}'\nread -r line\necho '{\"type\":\"ready\"}'\n\
         read -r line\necho '{\"type\":\"move\",\"id\":0,\"move\":{\"pass\":true}}'\nread -r line\n",
    );
}

#[test]
fn the_page_about_contests_by_hand_is_the_script_of_one() {
    let folder = scratch();
    let found = crate::program::arena(folder.path(), &["doctor", "--format", "json"]);
    let found: Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let mode = if found["strict"] == true { "strict" } else { "auto" };
    let mut course = Course { here: folder.path(), mode, chance: Dealer::new(std::process::id().into(), 0) };
    let here = folder.path();
    fs::create_dir(here.join("tmp")).expect("a folder");
    first_day(&course);
    // The settings of the page, with less to play.
    let settings = block(PAGE, "toml").text;
    assert!(toml::from_str::<Table>(&settings).is_ok() && settings.contains("rounds = 40"), "{settings}");
    fs::write(here.join("settings.toml"), settings.replace("rounds = 40", "rounds = 2")).expect("a file");

    let blocks: Vec<_> = blocks(PAGE).into_iter().filter(|block| block.info == "sh").collect();
    let lines = |number: usize| blocks[number].text.lines().map(str::to_owned).collect::<Vec<String>>();
    let [build, run_build, league, check, plan] = &lines(0)[..] else { panic!("five commands") };
    [build, run_build, league].into_iter().for_each(|line| drop(course.succeed(line)));
    let checked = course.run(&format!("{check} --matches 2 --patience 1s"));
    assert_eq!(checked.status.code(), Some(1), "{}", String::from_utf8_lossy(&checked.stderr));
    let table = String::from_utf8_lossy(&checked.stdout);
    let result = |name: &str| table.lines().find(|line| line.contains(&format!(" {name} "))).expect("a row");
    for (name, reason) in BROKEN {
        assert!(result(name).contains("does not start"), "{table}");
        let text = fs::read_to_string(here.join(format!("checks/{name}.txt"))).expect("a text");
        assert!(text.contains(reason), "{text}");
    }
    assert!(result(WRONG).contains("fails"), "{table}");
    let plays = |name: &str| assert!(result(name).contains("plays"), "{name}: {table}");
    good().iter().for_each(|(name, _)| plays(name));
    assert!(course.succeed(plan).contains("3h: "));

    let [tournament, during] = &lines(1)[..] else { panic!("two commands") };
    course.kill(tournament, 5);
    course.succeed("arena tournament --resume --out contest");
    let mut bots: BTreeSet<&str> = good().iter().map(|(name, _)| *name).chain([WRONG]).collect();
    course.is_whole("contest", &bots, 2);
    course.succeed(during);
    let faults =
        |name: &str| fs::read_to_string(here.join("authors").join(name).join("faults.csv")).expect("a file");
    let illegal = format!("illegal,{}", 2 * good().len());
    assert!(faults(WRONG).contains(&illegal) && !faults("anna").contains("illegal"), "{}", faults(WRONG));

    course.submit("ivo", "python");
    course.submit("julia", "");
    course.submit("otto", "");
    fs::rename(here.join("submissions/otto"), here.join("submissions/better")).expect("it is there");
    fs::remove_dir_all(here.join("submissions/anna")).expect("it is there");
    fs::rename(here.join("submissions/better"), here.join("submissions/anna")).expect("it is there");
    fs::remove_dir_all(here.join("submissions/ben")).expect("it is there");
    let [league, again] = &lines(2)[..] else { panic!("two commands") };
    course.succeed(league);
    course.kill(again, 5);
    course.succeed("arena tournament --resume --out contest");
    bots.extend(["ivo", "julia"]);
    bots.remove("ben");
    course.is_whole("contest", &bots, 2);

    course.succeed("arena report contest --for-each authors");
    let authors: BTreeSet<String> = fs::read_dir(here.join("authors"))
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().into_string().expect("a name"))
        .collect();
    let all: BTreeSet<String> =
        bots.iter().chain(&BROKEN.map(|(name, _)| name)).map(ToString::to_string).collect();
    assert_eq!(authors.difference(&all).collect::<Vec<_>>(), ["ben"], "the folder of the first day");
    for name in &all {
        assert!(here.join("authors").join(name).join("report.html").is_file(), "{name}");
    }
    let late = course.run(&format!("{} --replace carla", again.split(" --replace").next().expect("options")));
    let said = String::from_utf8_lossy(&late.stderr).into_owned();
    assert!(late.status.code() == Some(2) && said.contains("authors know the deals"), "{said}");

    assert_eq!(blocks.len(), 3, "all of the page is played");
    assert!(crate::documents::markdown::read(PAGE).lines().count() <= 55);
}
