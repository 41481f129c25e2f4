//! Measurements, not tests:
//! `cargo test --release --test integration bot_process::measure -- --ignored --nocapture`.

use std::io::{Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use sandbox::{BotProcess, Command, Host, SandboxLevel};

use crate::bot_process::harness::{block_on, host, new_mark, script, spawn};

const STARTS: usize = 200;
const ROUND_TRIPS: usize = 20_000;
const LONG: Duration = Duration::from_secs(60);

/// Returns a bot that echoes its input, which is the least a bot can do.
fn echo() -> Command {
    Command::new("cat", ["/bin/cat"]).expect("a program is named")
}

/// Returns the minimum, which other programs disturb least, and the median.
fn least_and_median(mut times: Vec<Duration>) -> [Duration; 2] {
    times.sort_unstable();
    [times[0], times[times.len() / 2]]
}

/// Starts the same bot without the arena.
fn bare() -> std::process::Child {
    let mut cat = std::process::Command::new("/bin/cat");
    cat.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    cat.spawn().expect("every system has cat")
}

fn bare_start() -> Duration {
    let begin = Instant::now();
    let mut child = bare();
    child.stdin.as_mut().expect("piped").write_all(b"x\n").expect("it reads");
    child.stdout.as_mut().expect("piped").read_exact(&mut [0; 2]).expect("it answers");
    let took = begin.elapsed();
    drop(child.stdin.take());
    child.wait().expect("it is our child");
    took
}

async fn kept_start(host: &Host) -> [Duration; 2] {
    let begin = Instant::now();
    let started = BotProcess::start(&echo(), host, b"x\n", LONG).await.expect("every system has cat");
    let first = begin.elapsed();
    started.hello.expect("it answers");
    started.bot.quit(b"", LONG).await;
    [first, begin.elapsed()]
}

#[test]
#[ignore = "prints figures"]
fn measure_starts() {
    let hosts = [SandboxLevel::Auto, SandboxLevel::NoNamespace, SandboxLevel::Off].map(host);
    let mut rows = [const { Vec::new() }; 7];
    block_on(async {
        for _ in 0..STARTS {
            rows[0].push(bare_start());
            for (number, host) in hosts.iter().enumerate() {
                let times = kept_start(host).await;
                rows[1 + 2 * number..][..2].iter_mut().zip(times).for_each(|(row, time)| row.push(time));
            }
        }
    });
    let figures = |row: usize| least_and_median(rows[row].clone());
    println!("least and median of {STARTS}");
    println!("bare: first answer {:?}", figures(0));
    for (number, name) in ["contained", "without namespaces", "not contained"].iter().enumerate() {
        let [first, whole] = [1, 2].map(|row| figures(2 * number + row));
        println!("{name}: first answer {first:?}, whole life {whole:?}");
    }
}

/// Measures the arena's CPU time for a decision that takes longer than 20 ms.
#[test]
#[ignore = "prints figures"]
fn measure_slow_decisions() {
    let slow = script("while read -r x; do sleep 0.03; echo y; done", &new_mark());
    block_on(async {
        let mut bot = spawn(&slow, &host(SandboxLevel::Auto)).await;
        let begin = own_cpu();
        for _ in 0..STARTS {
            bot.ask(b"x\n", LONG).await.expect("it answers");
        }
        println!("slow decision: {:?} of processor time", (own_cpu() - begin) / STARTS as u32);
    });
}

#[test]
#[ignore = "prints figures"]
fn measure_memory() {
    const BOTS: usize = 200;
    block_on(async {
        let host = host(SandboxLevel::Auto);
        let before = field_kib("/proc/self/status", "VmRSS:");
        let mark = new_mark();
        let command = script("while read -r x; do echo y; done", &mark);
        let mut bots = Vec::new();
        for _ in 0..BOTS {
            let mut bot = spawn(&command, &host).await;
            let question = [vec![b'x'; 600], b"\n".to_vec()].concat();
            for _ in 0..10 {
                bot.ask(&question, LONG).await.expect("it answers");
            }
            bots.push(bot);
        }
        let after = field_kib("/proc/self/status", "VmRSS:");
        let pids = crate::bot_process::harness::marked(&mark);
        let all: usize = pids.iter().map(|pid| field_kib(&format!("/proc/{pid}/smaps_rollup"), "Pss:")).sum();
        println!("arena: {} KiB a bot; supervisor and bot: {} KiB", (after - before) / BOTS, all / BOTS);
    });
}

fn field_kib(path: &str, field: &str) -> usize {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let rest = text.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    rest.split_ascii_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0)
}

fn own_cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[test]
#[ignore = "prints figures"]
fn measure_round_trips() {
    let question = [vec![b'x'; 600], b"\n".to_vec()].concat();
    let mut answer = vec![0; question.len()];
    let mut bare = bare();
    let (mut stdin, mut stdout) = (bare.stdin.take().expect("piped"), bare.stdout.take().expect("piped"));
    block_on(async {
        let mut bot = spawn(&echo(), &host(SandboxLevel::Auto)).await;
        for _ in 0..5 {
            let begin = Instant::now();
            for _ in 0..ROUND_TRIPS {
                stdin.write_all(&question).expect("it reads");
                stdout.read_exact(&mut answer).expect("it answers");
            }
            let floor = begin.elapsed();
            let begin = Instant::now();
            for _ in 0..ROUND_TRIPS {
                bot.ask(&question, LONG).await.expect("it answers");
            }
            let asked = begin.elapsed();
            let each = |total: Duration| total / ROUND_TRIPS as u32;
            let ratio = asked.as_secs_f64() / floor.as_secs_f64();
            println!("round trip: bare {:?}, ask {:?}, ratio {ratio:.2}", each(floor), each(asked));
        }
    });
    drop(stdin);
    bare.wait().expect("it is our child");
}
