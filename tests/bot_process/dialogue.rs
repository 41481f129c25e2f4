//! Deadlines, early lines, the arena's own lateness, and stopping many bots at once.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use sandbox::{BotProcess, Exit, Failure, Fault, Host, SandboxLevel, SpawnError, Started, cores};

use crate::bot_process::harness::{
    HELLO, QUIT, block_on, command, host, late_from_now, new_mark, script, spawn, wait_until_gone,
};
use crate::fixtures::modes::Mode;

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(300);
/// The number of bots that end at once.
const BOTS_THAT_END: usize = 200;
const BUSY: Duration = Duration::from_millis(1);
/// The most questions until one is answered at once.
const QUICK_TRIES_MAX: u32 = 100_000;

async fn start(text: &str) -> BotProcess {
    spawn(&script(text, &new_mark()), &host(SandboxLevel::Auto)).await
}

#[test]
fn the_write_runs_under_the_deadline() {
    block_on(async {
        let mut bot = start("sleep 60").await;
        let question = [vec![b'x'; 1_000_000], b"\n".to_vec()].concat();
        let late = late_from_now();
        let fault = bot.ask(&question, SHORT).await.expect_err("nobody reads");
        assert_eq!(fault.kind, Failure::Timeout);
        assert!(fault.detail.contains("does not read"), "{}", fault.detail);
        assert!(fault.timing.elapsed < SHORT + fault.timing.lateness + Duration::from_millis(250) + late());
        let again: Fault = bot.ask(b"x\n", LONG).await.expect_err("it was stopped");
        assert_eq!(again.kind, Failure::Exit);
        assert!(again.detail.contains("does not read"), "{}", again.detail);
    });
}

#[test]
fn the_last_words_of_many_bots_that_end_at_once_are_heard() {
    let ended = || async {
        let mut bot = start("echo 'it fell over' >&2; exit 3").await;
        bot.ask(b"q\n", LONG).await.expect_err("it ends").detail
    };
    // While the thread is busy elsewhere, the report of the end joins that of the start, which the runtime has seen.
    let busy = async {
        loop {
            std::thread::sleep(BUSY);
            tokio::task::yield_now().await;
        }
    };
    let details = block_on(async {
        let many = join_all((0..BOTS_THAT_END).map(|_| tokio::spawn(ended())));
        tokio::select! {
            details = many => details,
            () = busy => unreachable!("it is busy for ever"),
        }
    });
    for detail in details {
        let detail = detail.expect("no panic");
        assert!(detail.ends_with("stderr says \"it fell over\""), "{detail}");
    }
}

#[test]
fn a_question_larger_than_the_pipe_is_delivered() {
    block_on(async {
        let mut bot = start("read -r line; echo ${#line}; read -r line; echo ${#line}").await;
        for size in [300_000, 7] {
            let question = [vec![b'x'; size], b"\n".to_vec()].concat();
            let reply = bot.ask(&question, LONG).await.expect("it answers");
            assert_eq!(reply.line, size.to_string().as_bytes());
            assert!(!reply.early);
        }
    });
}

#[test]
fn every_question_is_asked_once_and_has_its_own_deadline() {
    block_on(async {
        let mut bot = start(r#"while read -r line; do echo "$line"; done"#).await;
        for round in 0..100 {
            let question = format!("{round}\n");
            let reply = bot.ask(question.as_bytes(), LONG).await.expect("it answers");
            assert_eq!((reply.line, reply.early), (question.trim_end().as_bytes(), false));
        }
        let mut bot = start("read a; sleep 60").await;
        let fault = bot.ask(b"q\n", SHORT).await.expect_err("it does not answer");
        assert_eq!(fault.kind, Failure::Timeout);
        assert!(fault.timing.elapsed < LONG / 2, "{:?}", fault.timing.elapsed);
    });
}

/// Returns the numbers of calls of `read` and `write` by this thread so far. Reads of the file count too.
fn calls() -> [u64; 2] {
    let text = std::fs::read_to_string("/proc/thread-self/io").expect("the kernel counts calls");
    ["syscr:", "syscw:"].map(|key| {
        let number = text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok());
        number.expect("a line for each kind of call")
    })
}

#[test]
fn a_quick_answer_costs_two_reads_and_a_write() {
    if !needs::COUNTS_CALLS.is_met() {
        return;
    }
    cores::stay_on(&cores::allowed()[..1]); // the bot is started on the core of its asker
    let ([before, _], [after, _]) = (calls(), calls());
    let own = after - before;
    block_on(async {
        let mut bot = start(r#"while read -r line; do echo "$line"; done"#).await;
        let mut least = [u64::MAX; 2];
        for round in 0..QUICK_TRIES_MAX {
            let question = format!("{round}\n");
            let before = calls();
            let reply = bot.ask(question.as_bytes(), LONG).await.expect("it answers");
            let after = calls();
            assert_eq!((reply.line, reply.early), (question.trim_end().as_bytes(), false));
            let cost = [after[0] - before[0] - own, after[1] - before[1]];
            least = least.min(cost);
            if least == [2, 1] {
                return;
            }
        }
        panic!("of {QUICK_TRIES_MAX} answers the quickest cost {least:?} reads and writes");
    });
}

#[test]
fn lines_that_were_there_before_are_called_early() {
    block_on(async {
        let mut bot = start("read a; echo 1; echo 2; read b; sleep 0.2; printf 'par'; read c; echo t").await;
        let mut early = Vec::new();
        for says_more in [true, true, false] {
            let reply = bot.ask(b"q\n", LONG).await.expect("it answers");
            early.push((String::from_utf8_lossy(reply.line).into_owned(), reply.early));
            while says_more && bot.is_quiet() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        let expected = [("1", false), ("2", true), ("part", true)];
        assert_eq!(early, expected.map(|(line, early)| (line.to_owned(), early)));
    });
}

#[test]
fn an_answer_before_the_exit_counts_and_the_next_question_is_an_exit() {
    block_on(async {
        let mut bot = start("read a; echo last; exit 5").await;
        let reply = bot.ask(b"q\n", LONG).await.expect("it answers");
        assert_eq!(reply.line, b"last");
        assert!(bot.exited().is_none_or(|exit| exit == Exit::Code(5)));
        let late = late_from_now();
        let fault = bot.ask(b"q\n", LONG).await.expect_err("it has exited");
        assert_eq!(fault.kind, Failure::Exit);
        assert!(fault.detail.contains("status 5"), "{}", fault.detail);
        assert!(fault.timing.elapsed < Duration::from_secs(2) + late(), "{:?}", fault.timing.elapsed);
        assert_eq!((bot.exited(), bot.is_usable()), (Some(Exit::Code(5)), false));
    });
}

#[test]
fn what_is_told_to_a_deaf_bot_is_dropped() {
    block_on(async {
        let mut bot = start("sleep 60").await;
        let (begin, late) = (Instant::now(), late_from_now());
        let line = [vec![b'x'; 10_000], b"\n".to_vec()].concat();
        (0..1_000).for_each(|_| bot.send(&line));
        assert!(begin.elapsed() < Duration::from_secs(1) + late());
    });
}

/// Lines that `tell` sends arrive whole or not at all, even when the pipe is nearly full.
#[test]
fn told_lines_are_never_cut() {
    block_on(async {
        let mut bot = start("sleep 0.5; while read -r line; do echo ${#line}; done").await;
        let line = [vec![b'x'; 9_999], b"\n".to_vec()].concat();
        (0..20).for_each(|_| bot.send(&line));
        let mut lengths: Vec<String> = Vec::new();
        while lengths.last().is_none_or(|length| length != "4") {
            let reply = bot.ask(b"done\n", LONG).await.expect("it answers");
            lengths.push(String::from_utf8_lossy(reply.line).into_owned());
        }
        lengths.pop();
        assert!(lengths.len() >= 6 && lengths.iter().all(|length| length == "9999"), "{lengths:?}");
    });
}

#[test]
fn the_arenas_own_lateness_is_measured() {
    block_on(async {
        let blocked = Duration::from_secs(2);
        let folder = tempfile::tempdir().expect("a scratch folder");
        let asked = folder.path().join("asked");
        // The bot answers while this thread is busy until long after the deadline.
        let wait = format!("while [ ! -e '{}' ]; do sleep 0.01; done", asked.display());
        let text = format!("read a; {wait}; echo yes; read b; sleep 60");
        let sees_all = host(SandboxLevel::Off);
        let mut bot = spawn(&script(&text, &new_mark()), &sees_all).await;
        let busy = async {
            std::fs::write(&asked, "").expect("a file");
            std::thread::sleep(blocked);
        };
        let limit = Duration::from_secs(1);
        let (reply, ()) = tokio::join!(bot.ask(b"q\n", limit), busy);
        let reply = reply.expect("the line was there");
        assert_eq!(reply.line, b"yes");
        let elapsed = reply.timing.elapsed;
        assert!(elapsed <= limit && elapsed > limit / 2, "{elapsed:?}");
        assert!(reply.timing.lateness >= Duration::from_millis(990), "{:?}", reply.timing.lateness);
        let busy = async { std::thread::sleep(blocked) };
        let (fault, ()) = tokio::join!(bot.ask(b"q\n", limit), busy);
        let fault = fault.expect_err("nothing came");
        assert!(fault.timing.lateness >= Duration::from_millis(990), "{:?}", fault.timing.lateness);
    });
}

#[test]
fn processor_time_tells_the_lazy_from_the_busy() {
    block_on(async {
        for (mode, least, most) in [(Mode::BusyLoop, 100, 600), (Mode::Hangs, 0, 20)] {
            let mut bot = spawn(&command(mode, &new_mark()), &host(SandboxLevel::Auto)).await;
            bot.ask(HELLO, LONG).await.expect("it says hello");
            let question = crate::bot_process::harness::turn(0, SHORT);
            let limit = Duration::from_millis(500);
            let fault = bot.ask(&question, limit).await.expect_err("it does not answer");
            let used = fault.timing.cpu.expect("the decision was slow");
            // CPU time that the bot could have used if other programs had not run.
            let kept = fault.timing.starved.unwrap_or_default() + fault.timing.stolen.unwrap_or_default();
            let [least, most] = [least, most].map(Duration::from_millis);
            let fits = used + kept >= least && used <= most + fault.timing.lateness;
            assert!(fits, "{mode:?}: {used:?}, kept from {kept:?}");
        }
    });
}

/// A bot that computes in processes which end before the deadline cannot say that others kept the processors from it.
#[test]
fn processor_time_counts_processes_that_have_ended() {
    let count = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";
    let text = format!("read a; echo yes; read b; sh -c '{count}'; exec sleep 60");
    block_on(async {
        let mut bot = start(&text).await;
        bot.ask(HELLO, LONG).await.expect("it answers");
        let limit = Duration::from_secs(3);
        let fault = bot.ask(b"q\n", limit).await.expect_err("it does not answer");
        let used = fault.timing.cpu.expect("the decision was slow");
        let kept = fault.timing.starved.unwrap_or_default() + fault.timing.stolen.unwrap_or_default();
        assert!(used + kept >= Duration::from_millis(50), "{used:?}, kept from {kept:?}");
    });
}

#[test]
fn many_stubborn_bots_are_stopped_together() {
    let mark = new_mark();
    block_on(async {
        let command = command(Mode::IgnoresQuitAndTerm, &mark);
        let host = host(SandboxLevel::Auto);
        let mut bots: Vec<_> = join_all((0..32).map(|_| spawn(&command, &host))).await;
        for bot in &mut bots {
            bot.ask(HELLO, LONG).await.expect("it says hello");
        }
        let (begin, late) = (Instant::now(), late_from_now());
        let ended = join_all(bots.into_iter().map(|bot| bot.quit(QUIT, SHORT))).await;
        let took = begin.elapsed();
        eprintln!("32 bots that ignore quit stopped in {took:?}, of which {SHORT:?} grace");
        assert!(ended.iter().all(|ended| ended.gone && ended.killed));
        assert!(took < SHORT + Duration::from_secs(2) + late(), "{took:?}");
    });
    assert!(wait_until_gone(&mark).is_ok());
}

/// Bot starts wait for each other across threads. The wait does not count towards a bot's time.
#[test]
fn starts_are_throttled_across_workers() {
    const AT_ONCE: u32 = 2;
    let host = host(SandboxLevel::Auto).starts_at_once_max(AT_ONCE as usize);
    let begin = Instant::now();
    let worker = |host: Host| move || block_on(start_four(&host));
    let workers: Vec<_> = (0..2).map(|_| std::thread::spawn(worker(host.clone()))).collect();
    let charged: Vec<Duration> =
        workers.into_iter().flat_map(|worker| worker.join().expect("it passes")).collect();
    let whole = begin.elapsed();
    assert!(whole >= Duration::from_millis(800), "{whole:?}");
    // After one second, a start lets the next one begin. Longer starts say nothing about waiting.
    if charged.iter().all(|charged| *charged < Duration::from_secs(1)) {
        assert!(charged.iter().sum::<Duration>() <= AT_ONCE * whole, "charged {charged:?} of {whole:?}");
    }
}

/// Starts four bots and returns the time that each is charged.
async fn start_four(host: &Host) -> Vec<Duration> {
    let command = script("sleep 0.2; read a; echo hello; read b", &new_mark());
    let bots = (0..4).map(|_| BotProcess::start(&command, host, HELLO, LONG));
    let greeted = |started: Result<Started, SpawnError>| {
        let (line, elapsed) = started.expect("it starts").hello.expect("it says hello");
        assert_eq!(line, b"hello");
        elapsed
    };
    join_all(bots).await.into_iter().map(greeted).collect()
}
