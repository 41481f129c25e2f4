//! Measures the merge of a large tournament. It writes synthetic records of a doodle round robin of five bots
//! as shards. Then it merges them and renders the tables in this process, and prints its time and memory.
//!
//! `cargo lab --release --example merge_large [MATCHES [SHARDS]]` merges 1,000,000 matches in 1,000
//! shards by default. It needs about four times the printed size on the disk of `TMPDIR`.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use engine::doodle::{Doodle, DoodleSetup};
use referee::bots::identity::Identity;
use referee::games::GameKind;
use referee::play::time_control::TimeControl;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use tournament::journal::files::write_json;
use tournament::journal::shard::{Shard, ShardEnd, ShardHead};
use tournament::merge::merge;
use tournament::plan::{Plan, TOURNAMENT, TournamentFile};
use tournament::report::tables::{Format, render};
use tournament::schedule::{ScheduleProgress, Settings};

const BOTS: usize = 5;
/// Matches of a round.
const TABLES: u64 = 10;
/// Decisions of each seat, as in an ordinary match.
const TURNS: u32 = 17;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let matches = numbers.next().transpose()?.unwrap_or(1_000_000);
    let parts = numbers.next().transpose()?.unwrap_or(1_000);
    let folder = tempfile::tempdir()?;
    let (dir, out) = (folder.path().join("parts"), folder.path().join("whole"));
    fs::create_dir(&dir)?;
    fs::create_dir(&out)?;
    let file = tournament(matches.div_ceil(TABLES));
    write_json(&dir.join(TOURNAMENT), &file)?;
    let bytes = write_parts(&dir, &file, parts)?;
    // Reset the kernel's peak memory mark, so that it covers only the merge.
    fs::write("/proc/self/clear_refs", "5")?;
    let (started, cpu) = (Instant::now(), cpu_s());
    let merged = merge(&[dir], &[], &out)?;
    let joined = started.elapsed().as_secs_f64();
    let tables = render(&merged.standings, Format::Table);
    let (wall, cpu) = (started.elapsed().as_secs_f64(), cpu_s() - cpu);
    assert!(merged.is_over && merged.missing.is_empty(), "all is there");
    println!("{tables}");
    println!("{} matches in {parts} parts, {} MB", merged.total, bytes / 1_000_000);
    println!("joined after {joined:.1} s, tabled after {wall:.1} s; {cpu:.1} s of CPU time");
    println!("{}", peak()?);
    Ok(())
}

/// Returns the plan of a tournament with this number of rounds. Its bots have no files.
fn tournament(rounds: u64) -> TournamentFile<DoodleSetup> {
    let bot = |number: usize| Identity {
        name: format!("bot{number}"),
        command: format!("bot{number}"),
        ..Identity::default()
    };
    TournamentFile::new(Plan {
        game: "doodle".to_owned(),
        schedule: Settings::default(),
        seed: 1,
        rounds,
        seats: 2,
        own_deals: false,
        deals_by_bots: false,
        seats_by_names: false,
        positions: Vec::new(),
        limits: TimeControl::default(),
        memory_bytes: None,
        freeze: false,
        reuse: false,
        trusting: false,
        bots: (0..BOTS).map(bot).collect(),
        setup: DoodleSetup::default(),
    })
}

/// Writes all shards. Returns their size in bytes.
fn write_parts(dir: &Path, file: &TournamentFile<DoodleSetup>, parts: u64) -> Result<u64, Failure> {
    let progress = file.plan.progress(Doodle::EVERY_SEAT_EACH_DEAL)?;
    let mut head = ShardHead::here(file, Shard { part: 0, of: parts });
    let mut bytes = 0;
    for part in 0..parts {
        let shard = Shard { part, of: parts };
        let mut writer = BufWriter::new(File::create(dir.join(shard.file_name()))?);
        head.shard = part;
        writeln!(writer, "{}", serde_json::to_string(&head)?)?;
        for index in (part..progress.total()).step_by(parts as usize) {
            writeln!(writer, "{}", record(&progress, file, index))?;
        }
        let end = ShardEnd { end: shard.share_of(progress.total()) };
        writeln!(writer, "{}", serde_json::to_string(&end)?)?;
        bytes += writer.into_inner()?.metadata()?.len();
    }
    Ok(bytes)
}

/// Returns the record of a match. Bots with higher numbers usually score more.
fn record(progress: &ScheduleProgress, file: &TournamentFile<DoodleSetup>, index: u64) -> String {
    let pairing = progress.pairing(index).expect("below the total");
    let names: Vec<&str> = pairing.bots.iter().map(|&bot| file.plan.bots[bot].name.as_str()).collect();
    let luck = |seat: u64| (index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (8 + 16 * seat)) as i32 & 63;
    let scores: Vec<i32> =
        pairing.bots.iter().zip(0..).map(|(&bot, seat)| 8 * bot as i32 + luck(seat)).collect();
    let ranks: Vec<u32> =
        scores.iter().map(|score| 1 + u32::from(scores.iter().any(|other| other > score))).collect();
    let turn = |id: u32, seat: usize| {
        let us = 100 + (index * 31 + u64::from(id) * 7 + seat as u64) % 900;
        format!(r#"{{"id":{id},"seat":{seat},"move":{{"card":"P{id:02}","pass":true}},"us":{us}}}"#)
    };
    let turns: Vec<String> = (0..TURNS).flat_map(|id| (0..2).map(move |seat| turn(id, seat))).collect();
    let result = json!({"scores": scores, "ranks": ranks, "faults": [null, null]});
    let (round, names, turns) = (pairing.round, json!(names), turns.join(","));
    format!(
        r#"{{"match":{index},"round":{round},"game":"doodle","bots":{names},"turns":[{turns}],"result":{result},"digest":"{index:032x}"}}"#
    )
}

/// Returns the CPU time of this process, in seconds.
fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Returns the peak memory of this process as text.
fn peak() -> Result<String, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM")).ok_or("no VmHWM")?;
    let kib: u64 = line.split_whitespace().nth(1).ok_or("no number")?.parse()?;
    Ok(format!("{} MiB at most", kib / 1024))
}
