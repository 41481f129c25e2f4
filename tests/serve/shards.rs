//! A tournament whose shards are played, killed, restarted, and finished while the arena serves it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use tournament::merge::merge;

use crate::browser::{axe, browser};
use crate::program::tables::sealed;
use crate::program::unfinished::unfinished;
use crate::program::{scratch, succeed};
use crate::serve::client::Server;
use crate::serve::pages::{HOSTILE, stays_at_home, texts};
use crate::serve::running::view;

const PARTS: u64 = 4;
/// Number of matches of the plan: enough to kill a shard in the middle.
const MATCHES: u64 = 160;
const PLAN: [&str; 12] = [
    "tournament",
    "--quiet",
    "--rounds",
    "160",
    "--seed",
    "4",
    "--jobs",
    "1",
    "--bot",
    "random",
    "--bot",
    "greedy",
];
/// A short plan.
const SHORT: [&str; 10] =
    ["tournament", "--quiet", "--rounds", "40", "--seed", "4", "--bot", "random", "--bot", "greedy"];

/// Starts a shard of the plan.
fn begin(folder: &Path, part: u64) -> Child {
    crate::program::command()
        .current_dir(folder)
        .args(PLAN)
        .args(["--out", "t", "--shard", &format!("{part}/{PARTS}")])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the arena starts")
}

/// Plays the two shards of the short plan into `t` and returns their texts. Only the plan stays in the
/// directory.
fn short(folder: &Path) -> (PathBuf, [String; 2]) {
    let texts = [0, 1].map(|part| {
        succeed(folder, &[&SHORT[..], &["--out", "t", "--shard", &format!("{part}/2")]].concat());
        let path = folder.join(format!("t/shard-{part}-of-2.jsonl"));
        let text = fs::read_to_string(&path).expect("a part");
        fs::remove_file(path).expect("it is there");
        text
    });
    (folder.join("t"), texts)
}

/// Returns a shard of the same matches in which the first digit of each digest differs.
pub(super) fn with_other_results(text: &str) -> String {
    let mut pieces = text.split("\"digest\":\"");
    let first = pieces.next().expect("a text").to_owned();
    sealed(&pieces.fold(first, |text, piece| {
        let digit = if piece.starts_with('0') { '1' } else { '0' };
        format!("{text}\"digest\":\"{digit}{}", &piece[1..])
    }))
}

/// Waits until all tables, including the table of machines, equal the result of `arena merge`.
fn ends_as_merged(folder: &Path, server: &Server) {
    succeed(folder, &["merge", "t", "--out", "merged"]);
    let standings = succeed(folder, &["standings", "merged", "--format", "json"]);
    let again = folder.join("again");
    fs::create_dir(&again).expect("a folder");
    let hosts = merge(&[folder.join("t")], &[], &again).expect("parts that fit").hosts;
    server.wait(|_| server.get("/data/standings").body == standings && rows(server) == json!(hosts));
}

/// Returns the machines in the form of `arena merge`.
fn rows(server: &Server) -> Value {
    let mut rows = server.json("/data/hosts")["rows"].take();
    for row in rows.as_array_mut().expect("rows") {
        let row = row.as_object_mut().expect("a row");
        assert!(row.remove("per_minute").is_some() && row.remove("again").is_some());
    }
    rows
}

#[test]
fn parts_are_followed_from_an_empty_directory_to_the_tables_of_merge() {
    let folder = scratch();
    let dir = folder.path().join("t");
    fs::create_dir(&dir).expect("a folder");
    let there = dir.clone();
    let server = std::thread::spawn(move || Server::start(&there, &[]));
    let [mut one, mut killed] = [0, 1].map(|part| begin(folder.path(), part));
    let server = server.join().expect("it waits for the plan");
    let events = server.events();
    let reader = std::thread::spawn(move || {
        let mut received = Vec::new();
        for event in events {
            let is_last = event["parts"]["whole"] == PARTS;
            received.push(event);
            if is_last {
                break;
            }
        }
        received
    });

    let left = unfinished(&mut killed, &dir, &format!("1-of-{PARTS}"), 6);
    killed.kill().and_then(|()| killed.wait()).expect("it ran");
    let left_text = fs::read_to_string(&left).expect("what it left");
    let records = left_text.lines().skip(1).filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let taken_over: Vec<u64> = records.filter_map(|record| record["match"].as_u64()).collect();
    assert!(taken_over.len() >= 4 && (taken_over.len() as u64) < MATCHES / PARTS, "{}", taken_over.len());
    let status = server.wait(|status| status["matches"].as_u64() >= Some(taken_over.len() as u64));
    assert_eq!((&status["total"], &status["parts"]["of"]), (&json!(MATCHES), &json!(PARTS)));
    server.wait(|status| status["hosts"] != 0);
    let place = format!("/match/{}", taken_over[0]);
    server.wait(|_| server.get(&place).status == 200);

    let mut again = begin(folder.path(), 1);
    for part in [&mut one, &mut again] {
        assert!(part.wait().expect("it ends").success());
    }
    assert!(!left.exists());
    let status = server.wait(|status| status["parts"]["whole"] == 2);
    assert_eq!((&status["is_over"], &status["trouble"]), (&json!(false), &Value::Null));
    for mut part in [2, 3].map(|part| begin(folder.path(), part)) {
        assert!(part.wait().expect("it ends").success());
    }
    let status = server.wait(|status| status["parts"]["whole"] == PARTS && status["read"] == 100);
    assert_eq!((&status["matches"], &status["is_over"]), (&json!(MATCHES), &json!(true)));
    assert_eq!(status["trouble"], Value::Null);
    grows(&reader.join().expect("events to the end"));
    ends_as_merged(folder.path(), &server);

    succeed(folder.path(), &["view", "merged", "--match", &taken_over[0].to_string(), "-o", "page.html"]);
    let page = fs::read_to_string(folder.path().join("page.html")).expect("a page");
    let mut found = view(&server.get(&place).body);
    found.as_object_mut().expect("a view").remove("site");
    let mut there = view(&page);
    // The directories have different names.
    let [from, of_page] = [&mut found, &mut there].map(|view| view["from"].take());
    assert_eq!(
        [from, of_page],
        [&folder.path().join("t"), Path::new("merged")].map(|dir| json!(format!(
            "{}#{}@",
            dir.display(),
            taken_over[0]
        ))),
        "the directory as the command got it"
    );
    assert!(found == there, "it is found in the file of the part");
    assert_eq!(server.get("/data/journal").status, 404, "shards are files of their own");
}

/// Checks that the reported count only grew while the plan was the same, and never exceeded the number of
/// matches.
fn grows(events: &[Value]) {
    let matches = |event: &Value| event["matches"].as_u64().expect("a number");
    for of_plan in events.chunk_by(|one, other| one["plan"] == other["plan"]) {
        assert!(of_plan.is_sorted_by_key(matches), "nothing is counted twice and taken back");
    }
    assert!(events.iter().all(|event| matches(event) <= MATCHES));
    let mut steps: Vec<u64> = events.iter().map(matches).collect();
    steps.dedup();
    assert!(steps.len() > 2, "{steps:?}");
}

#[test]
fn what_is_there_twice_counts_once_and_what_does_not_fit_is_named() {
    let folder = scratch();
    let (dir, [even, odd]) = short(folder.path());
    let server = Server::start(&dir, &[]);
    let put = |name: &str, text: &str| fs::write(dir.join(name), text).expect("room on the disk");
    let matches = |many: u64, trouble: &str| {
        let status = server.wait(|status| {
            let reported = status["trouble"].as_str().unwrap_or_default();
            let is_reported = reported == trouble || !trouble.is_empty() && reported.contains(trouble);
            is_reported && status["matches"] == many && status["read"] == 100
        });
        let reported = status["trouble"].as_str().unwrap_or_default();
        assert!(!reported.contains(char::is_control), "{status}");
    };
    let lines = |text: &str, many: usize| text.split_inclusive('\n').take(many).collect::<String>();
    let index = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["match"].as_u64();
    let of_four = |line: &&str| index(line).is_none_or(|index| index % 4 == 1);
    let whole_of_four = odd.replacen("\"shard\":1,\"of\":2", "\"shard\":1,\"of\":4", 1);
    let whole_of_four: String = whole_of_four.split_inclusive('\n').filter(of_four).collect();
    // Matches lie in the order in which they ended.
    let begun = [lines(&odd, 11), lines(&whole_of_four, 11)].concat();
    let both = 20 + begun.lines().filter_map(index).collect::<BTreeSet<u64>>().len() as u64;

    put("shard-0-of-2.jsonl", &even);
    put("shard-1-of-2.jsonl.tmp.one\u{1b}[2J.17", &(lines(&odd, 11) + "{\"match\":4"));
    matches(30, "");
    put("shard-1-of-4.jsonl.tmp.two.17", &lines(&whole_of_four, 11));
    matches(both, "");
    assert_eq!(server.wait(|_| true)["parts"], json!({"whole": 1, "of": null}));
    let foreign = odd.replacen("\"plan_digest\":\"", "\"plan_digest\":\"f00d", 1);
    put("shard-7-of-9.jsonl", &foreign);
    matches(both, "shard-7-of-9.jsonl at byte 0: it is of another plan (f00d");
    fs::remove_file(dir.join("shard-7-of-9.jsonl")).expect("it is there");
    matches(both, "");
    let wrong = [
        ("no part\n", "this is not a shard of a tournament"),
        ("{\"shard\":3,\"of\":0}\n", "this is not a line of a shard"),
        (&lines(&odd, 1).replacen("\"of\":2", "\"of\":1", 1), "there is no shard 1/1"),
        (&(lines(&odd, 3) + "{\"end\":3}\n"), "it is not whole: it has 2 matches of 3"),
        (&even.replace("\"match\":2,", "\"match\":4,"), "the line was changed"),
        (&sealed(&even.replace("\"match\":2,", "\"match\":3,")), "match 3 is not of shard 0/2"),
        (&sealed(&even.replace("\"match\":2,", "\"match\":4,")), "match 4 is not in the plan"),
        (&with_other_results(&even), "there twice, with different results"),
    ];
    for (number, (text, why)) in wrong.into_iter().enumerate() {
        let name = format!("shard-{number}-of-9.jsonl");
        put(&name, text);
        matches(both, why);
        fs::remove_file(dir.join(name)).expect("it is there");
    }
    matches(both, "");
    let again = Server::start(&dir, &[]);
    again.wait(|status| status["matches"] == both && status["read"] == 100 && status["trouble"].is_null());
}

#[test]
fn the_whole_part_stands_where_another_run_of_it_had_other_results() {
    let folder = scratch();
    let (dir, [even, odd]) = short(folder.path());
    let server = Server::start(&dir, &[]);
    // Bots that look at the clock play like this.
    fs::write(dir.join("shard-1-of-2.jsonl.tmp.slow.17"), with_other_results(&odd))
        .expect("room on the disk");
    server.wait(|status| status["matches"] == 20 && status["tables"] != 0);
    let run = dir.join("shard-1-of-2.jsonl.tmp.quick.18");
    fs::write(&run, &odd).expect("room on the disk");
    server.wait(|status| status["trouble"].as_str().is_some_and(|text| text.contains("quick")));
    fs::rename(run, dir.join("shard-1-of-2.jsonl")).expect("it is there");
    fs::write(dir.join("shard-0-of-2.jsonl"), even).expect("room on the disk");
    server.wait(|status| status["matches"] == 40 && status["parts"]["whole"] == 2);
    assert_eq!(server.wait(|status| status["read"] == 100)["trouble"], Value::Null);
    ends_as_merged(folder.path(), &server);
}

/// Returns a shard as if the machine `host` had played it, with a timeout of the first seat in each match.
fn late(text: &str, host: &str) -> String {
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut head = lines.next().expect("a line");
    head["host"]["name"] = json!(host);
    head["host"]["cpu"] = json!(HOSTILE[1]);
    // A field of earlier versions.
    head["games_per_second"] = json!(52000.0);
    let late = lines.map(|mut line| {
        if line.get("result").is_some() {
            line["result"]["faults"][0] = json!({"kind": "timeout", "id": 0});
        }
        line
    });
    // The reader identifies a line by its first field.
    let first = |line: &Value, field: &str| {
        let mut rest = line.clone();
        let value = rest.as_object_mut().expect("an object").remove(field)?;
        let rest = rest.to_string();
        let comma = if rest == "{}" { "" } else { "," };
        Some(format!("{{\"{field}\":{value}{comma}{}\n", &rest[1..]))
    };
    let line =
        |line: Value| ["shard", "match", "end"].iter().find_map(|field| first(&line, field)).expect("it");
    sealed(&std::iter::once(head).chain(late).map(line).collect::<String>())
}

#[test]
fn machines_are_a_table_in_which_those_that_stand_out_are_marked() {
    let Some(mut browser) = browser() else { return };
    let folder = scratch();
    let (dir, [even, odd]) = short(folder.path());
    let here = rustix::system::uname().nodename().to_string_lossy().into_owned();
    fs::write(dir.join("shard-0-of-2.jsonl"), even).expect("room on the disk");
    let odd = late(&odd, HOSTILE[0]);
    let lines: Vec<&str> = odd.split_inclusive('\n').collect();
    let mut run = File::create(dir.join("shard-1-of-2.jsonl.tmp.x.17")).expect("a file");
    run.write_all(lines[..3].concat().as_bytes()).expect("room on the disk");

    let server = Server::start(&dir, &[]);
    let mut page = browser.page(1280, 900, "light");
    page.go(&server.link);
    page.evaluate("window.mark = 'the page of the beginning'");
    page.wait_for("document.documentElement.dataset.matches === '22'");
    page.wait_for("document.querySelectorAll('section[aria-label=Machines] tbody tr').length === 2");
    assert_eq!(page.evaluate("document.querySelectorAll('tr.out').length"), 0, "two matches say nothing");
    let far = "[...document.querySelectorAll('header .facts')].some((line) => line.textContent.startsWith('22 of 40 matches, 1 of 2 shards done'))";
    page.wait_for(far);

    run.write_all(lines[3..].concat().as_bytes()).expect("room on the disk");
    page.wait_for("document.querySelectorAll('tr.out td')[1]?.textContent === '20'");
    assert_eq!(page.evaluate("window.mark"), "the page of the beginning", "it was never loaded again");
    let mut names = [here.as_str(), HOSTILE[0]];
    names.sort_unstable();
    assert_eq!(texts(&mut page, "section[aria-label=Machines] tbody th"), json!(names));
    assert_eq!(texts(&mut page, "tr.out th"), json!([HOSTILE[0]]));
    let cells: Vec<String> = serde_json::from_value(texts(&mut page, "tr.out td")).expect("texts");
    // The marked machine played half of the matches of the first seat's bot, and had all of its faults.
    assert_eq!((cells[0].as_str(), cells[1].as_str()), (HOSTILE[1], "20"), "{cells:?}");
    assert_eq!(cells[6], "20", "{cells:?}");
    assert!(cells[8].parse::<f64>().is_ok_and(|residual| residual > 3.0), "{cells:?}");
    let note = texts(&mut page, "section[aria-label=Machines] pre");
    let merge = format!("arena merge t --without '{}' --out t-without\n", HOSTILE[0]);
    assert_eq!(note, json!([merge + "arena tournament --resume --out t-without"]));
    let made = "document.querySelectorAll('img, main script, section[aria-label=Machines] b').length";
    assert_eq!(page.evaluate(made), 0);
    if let Some(rules) = axe::rules() {
        assert_eq!(axe::complaints(&mut page, &rules), [""; 0]);
    }
    for width in [360, 1280] {
        page.resize(width, 800);
        let wide = page.evaluate("document.documentElement.scrollWidth");
        assert!(wide.as_u64() <= Some(width.into()), "at {width}: {wide}");
    }
    stays_at_home(&mut page, &server);
}
