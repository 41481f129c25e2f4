//! Prints response times with 100,000 matches, and memory use while 10,000 more arrive. The test asserts no
//! bounds. `cargo test -p quilt-arena --test integration serve::measure -- --ignored --nocapture`

use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::tables::sealed;
use crate::program::{scratch, succeed};
use crate::serve::client::Server;
use crate::serve::pages::of_many_bots;

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
    sealed(&format!("{record}\n"))
}

fn resident_kib(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("resident memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

fn times(server: &Server, path: &str) {
    let mut took: Vec<Duration> = (0..TIMES)
        .map(|_| {
            let started = Instant::now();
            assert_eq!(server.get(path).status, 200);
            started.elapsed()
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
    let started = Instant::now();
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["matches"] == MATCHES && status["read"] == 100);
    println!("{MATCHES} matches read after {:.1?}", started.elapsed());
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

/// The number of viewers, and the time for which they follow the tournament.
const VIEWERS: usize = 200;
const FOLLOWED: Duration = Duration::from_secs(20);

/// Returns the processor time of the server so far, in seconds.
fn cpu_seconds(server: &Server) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", server.id())).expect("it runs");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("a name").split_whitespace().collect();
    let ticks = |place: usize| fields[place].parse::<f64>().expect("a number");
    (ticks(11) + ticks(12)) / rustix::param::clock_ticks_per_second() as f64
}

/// Prints what viewers of a tournament of 60 bots cost. Its journal grows by ten matches a second, and each viewer asks
/// for the tables and the list every two seconds, as a page does.
#[test]
#[ignore = "prints the cost of many viewers"]
fn viewers() {
    let folder = scratch();
    of_many_bots(folder.path(), 60, "2");
    let file = folder.path().join("t/matches.jsonl");
    let journal = fs::read_to_string(&file).expect("a journal");
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    let (written, rest) = lines.split_at(lines.len() / 2);
    fs::write(&file, written.concat()).expect("room");
    let server = Server::start(&folder.path().join("t"), &[]);
    server.wait(|status| status["read"] == 100 && status["tables"] != 0);
    let alone = growing(&server, &file, &rest[..rest.len() / 4], 0);
    let with_viewers = growing(&server, &file, &rest[rest.len() / 4..], VIEWERS);
    println!("without viewers: {:.1} % of a core", alone.0);
    println!(
        "with {VIEWERS} viewers: {:.1} % of a core, {:.1} kB/s for each",
        with_viewers.0,
        with_viewers.1 as f64 / FOLLOWED.as_secs_f64() / VIEWERS as f64 / 1000.0
    );
}

/// Lets the journal grow. Returns the share of a core in percent that the server took, and the bytes that it sent.
fn growing(server: &Server, file: &Path, lines: &[&str], viewers: usize) -> (f64, usize) {
    let (cpu, started) = (cpu_seconds(server), Instant::now());
    let bytes = std::thread::scope(|scope| {
        let view = || {
            let mut bytes = 0;
            while started.elapsed() < FOLLOWED {
                let asked = Instant::now();
                bytes += ["/data/standings", "/data/matches?page=0"]
                    .map(|path| server.compressed_bytes(path))
                    .iter()
                    .sum::<usize>();
                std::thread::sleep(Duration::from_secs(2).saturating_sub(asked.elapsed()));
            }
            bytes
        };
        let viewers: Vec<_> = (0..viewers).map(|_| scope.spawn(view)).collect();
        for line in lines.iter().take(10 * FOLLOWED.as_secs() as usize) {
            File::options()
                .append(true)
                .open(file)
                .and_then(|mut file| file.write_all(line.as_bytes()))
                .expect("room");
            std::thread::sleep(Duration::from_millis(100));
        }
        viewers.into_iter().map(|viewer| viewer.join().expect("it ends")).sum()
    });
    (100.0 * (cpu_seconds(server) - cpu) / started.elapsed().as_secs_f64(), bytes)
}
