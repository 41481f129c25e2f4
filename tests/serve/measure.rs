//! Prints response times with 100,000 matches, and memory use while 10,000 more arrive. The test asserts no
//! bounds. `cargo test -p quilt-arena --test integration serve::measure -- --ignored --nocapture`

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::{scratch, succeed};
use crate::serve::client::Server;

const MATCHES: u64 = 100_000;
const MORE: u64 = 10_000;
const BATCH: u64 = 10;
const TIMES: usize = 21;

/// Returns a record like the real ones, with some of its turns.
fn line(records: &[Value], index: u64) -> String {
    let mut record = records[(index % records.len() as u64) as usize].clone();
    record["match"] = json!(index);
    record["round"] = json!(index / 6);
    record["digest"] = json!(format!("{index:032x}"));
    record["turns"].as_array_mut().expect("turns").truncate(8);
    format!("{record}\n")
}

fn resident_kib(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("resident memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

fn times(server: &Server, path: &str) {
    let mut took: Vec<Duration> = (0..TIMES)
        .map(|_| {
            let begun = Instant::now();
            assert_eq!(server.get(path).status, 200);
            begun.elapsed()
        })
        .collect();
    took.sort_unstable();
    println!("{path}: median {:.1?}, longest {:.1?} of {TIMES}", took[TIMES / 2], took[TIMES - 1]);
}

/// Plays one round of four bots and returns the records of its six matches.
fn small(folder: &Path) -> Vec<Value> {
    let bots = ["--bot", "random", "--bot", "greedy", "--bot", "c=random", "--bot", "d=greedy"];
    let args = ["tournament", "--rounds", "1", "--seed", "4", "--quiet", "--out", "t"];
    succeed(folder, &[&args[..], &bots[..]].concat());
    let journal = fs::read_to_string(folder.join("t/matches.jsonl")).expect("a journal");
    journal.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

#[test]
#[ignore = "prints times and memory of a large journal"]
fn measure() {
    let folder = scratch();
    let records = small(folder.path());
    let file = folder.path().join("t/matches.jsonl");
    let mut journal = BufWriter::new(File::create(&file).expect("a journal"));
    (0..MATCHES).for_each(|index| journal.write_all(line(&records, index).as_bytes()).expect("room"));
    journal.flush().expect("room");
    let begun = Instant::now();
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["matches"] == MATCHES && status["read"] == 100);
    println!("{MATCHES} matches read after {:.1?}", begun.elapsed());
    std::thread::sleep(Duration::from_secs(5)); // until the tables are ready
    for path in ["/", "/data/standings", "/data/matches", "/data/matches?bot=greedy&order=highest"] {
        times(&server, path);
    }
    let before = resident_kib(&server);
    let events = server.events();
    let counting = std::thread::spawn(move || {
        let mut count = 0_u64;
        for event in events {
            count += 1;
            if event["matches"] == MATCHES + MORE {
                break;
            }
        }
        count
    });
    let mut journal = OpenOptions::new().append(true).open(&file).expect("a journal");
    for batch in 0..MORE / BATCH {
        let first = MATCHES + batch * BATCH;
        let lines: String = (first..first + BATCH).map(|index| line(&records, index)).collect();
        journal.write_all(lines.as_bytes()).expect("room");
        std::thread::sleep(Duration::from_millis(20));
        if (batch + 1) % 250 == 0 {
            println!("{} more: {} KiB resident", (batch + 1) * BATCH, resident_kib(&server));
        }
    }
    let events = counting.join().expect("it counts");
    println!("{MORE} more in {events} events: {before} KiB resident before, {} after", resident_kib(&server));
    times(&server, "/data/matches");
}
