//! A directory that grows while the arena serves it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use crate::program::{scratch, succeed};
use crate::serve::client::Server;

fn append(file: &Path, text: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(file).expect("a journal");
    file.write_all(text.as_bytes()).expect("room on the disk");
}

#[test]
fn what_is_written_is_served_and_a_torn_line_waits() {
    let folder = scratch();
    let at = folder.path();
    succeed(at, &["tournament", "--rounds", "4", "--seed", "4", "--jobs", "1", "--quiet", "--out", "t"]);
    let journal = fs::read_to_string(at.join("t/matches.jsonl")).expect("a journal");
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    fs::create_dir(at.join("live")).expect("a folder");
    fs::copy(at.join("t/tournament.json"), at.join("live/tournament.json")).expect("a plan");
    let file = at.join("live/matches.jsonl");

    let server = Server::start(&at.join("live"), &[]);
    let mut events = server.events();
    let mut wait = |what: &str, matches: usize| {
        let found = events.find(|event| event["matches"] == matches && event["tables"] != 0);
        found.unwrap_or_else(|| panic!("{what}: the events ended"))
    };
    assert_eq!(wait("no journal yet", 0)["latest"], serde_json::Value::Null);
    append(&file, lines[0]);
    assert_eq!(wait("a line", 1)["latest"], 0);
    let (head, rest) = lines[1].split_at(100);
    append(&file, head);
    append(&file, rest);
    wait("a line in two parts", 2);
    append(&file, &lines[2][..100]);
    assert_eq!(server.json("/data/matches")["total"], 2, "what is torn is no match");
    append(&file, &lines[2][100..]);
    append(&file, lines[3]);
    assert_eq!(wait("the end", 4)["is_over"], true);
    server.wait(|status| status["matches"] == 4 && server_tables(&server, at));
}

/// Returns true if the tables contain everything in the journal.
fn server_tables(server: &Server, at: &Path) -> bool {
    server.get("/data/standings").body == succeed(at, &["standings", "live", "--format", "json"])
}

#[test]
fn a_tournament_that_is_extended_or_damaged_is_told() {
    let folder = scratch();
    let at = folder.path();
    let play = |more: &[&str]| {
        let first = ["tournament", "--quiet", "--out", "t"];
        succeed(at, &[&first[..], more].concat());
    };
    play(&["--seed", "4", "--rounds", "2"]);
    let server = Server::start(&at.join("t"), &[]);
    server.wait(|status| status["matches"] == 2);
    play(&["--resume", "--bot", "random", "--bot", "greedy", "--bot", "b=random"]);
    server.wait(|status| status["matches"] == 6 && status["plan"] != 0);
    assert_eq!(server.json("/data/plan")["bots"].as_array().map(Vec::len), Some(3));
    append(&at.join("t/matches.jsonl"), "no record\n");
    let status = server.wait(|status| status["trouble"].is_string());
    assert!(status["trouble"].as_str().is_some_and(|text| text.contains("not a match record")), "{status}");
    assert_eq!(server.json("/data/matches")["total"], 6, "what was read stands");
}
