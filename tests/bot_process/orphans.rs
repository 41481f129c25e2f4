//! No process outlives the arena, however it dies, and none outlives a bot that is dropped.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use sandbox::{BotProcess, Exit, Host, SandboxLevel};

use crate::bot_process::harness::{
    HELLO, MARK, block_on, command, host, late_from_now, marked, new_mark, script, spawn, wait_until_gone,
    wait_until_there,
};
use crate::fixtures::modes::Mode;
use crate::program::test_name;

/// How often the tests kill the arena.
const REPETITIONS: usize = 20;
/// Environment variable that makes a test process start bots with this mark and wait until it is killed.
const RUNNER: &str = "QUILT_TEST_RUNNER";
const READY: &str = "the bots are ready";
const LONG: Duration = Duration::from_secs(60);
/// How long a test keeps a supervisor stopped.
const KEEPER_LATE: Duration = Duration::from_millis(500);

/// Starts a bot and waits for its greeting.
async fn greeted(command: &sandbox::Command, host: &Host) -> BotProcess {
    let mut bot = spawn(command, host).await;
    bot.ask(HELLO, LONG).await.expect("it says hello");
    bot
}

#[test]
fn nothing_survives_the_arenas_death() {
    kill_runners("namespace");
}

#[test]
fn nothing_survives_the_arenas_death_without_a_namespace() {
    kill_runners("none");
}

fn kill_runners(contain: &str) {
    let mut slowest = Duration::ZERO;
    for repetition in 0..REPETITIONS {
        let mark = new_mark();
        let exe = std::env::current_exe().expect("a test has a file");
        let mut runner = Command::new(exe)
            .args(["--exact", &test_name(module_path!(), "runner"), "--nocapture"])
            .env(RUNNER, format!("{contain} {mark}"))
            .env(MARK, &mark) // so that supervisors, which inherit the arena's environment, count too
            .stdout(Stdio::piped())
            .spawn()
            .expect("the test runs again");
        let lines = BufReader::new(runner.stdout.take().expect("it is piped")).lines();
        assert!(lines.map_while(Result::ok).any(|line| line.contains(READY)), "no bots");
        // The runner, and four bots with a supervisor each. One bot has a daemon, one has ten children, and
        // one soon gets both.
        assert!(wait_until_there(&mark, 20), "{:?}", marked(&mark));
        runner.kill().expect("it runs");
        let gone = wait_until_gone(&mark);
        runner.wait().expect("it is our child");
        match gone {
            Ok(took) => slowest = slowest.max(took),
            Err(left) => panic!("repetition {repetition}: {left:?} survived"),
        }
    }
    eprintln!("{REPETITIONS} times kill -9 ({contain}): all gone after {slowest:?} at most");
}

/// The arena that the tests above kill. It does nothing when it runs as a test.
#[test]
fn runner() {
    let Ok(words) = std::env::var(RUNNER) else { return };
    let (contain, mark) = words.split_once(' ').expect("two words");
    let contain = if contain == "none" { SandboxLevel::NoNamespace } else { SandboxLevel::Auto };
    block_on(async {
        let modes = [Mode::LeavesDaemon, Mode::LeavesChildren, Mode::Plain, Mode::HangsWithChildren];
        let mut bots = Vec::new();
        for (number, mode) in modes.into_iter().enumerate() {
            // Every second bot is frozen when the arena dies.
            let host = host(contain).freeze(number % 2 == 0);
            bots.push(greeted(&command(mode, mark), &host).await);
        }
        bots[3].send(&crate::bot_process::harness::turn(0, LONG));
        println!("{READY}");
        tokio::time::sleep(Duration::from_secs(60)).await;
    });
}

#[test]
fn letting_go_of_a_bot_kills_its_tree() {
    for contain in [SandboxLevel::Auto, SandboxLevel::NoNamespace] {
        let mark = new_mark();
        block_on(async {
            let bot = greeted(&command(Mode::LeavesDaemon, &mark), &host(contain)).await;
            assert!(wait_until_there(&mark, 2));
            drop(bot);
        });
        let gone = wait_until_gone(&mark);
        assert!(gone.is_ok(), "{contain:?}: {gone:?}");
    }
}

/// Returns the supervisor: the parent of the oldest process with this mark.
fn supervisor_of(mark: &str) -> Pid {
    let bot = marked(mark).into_iter().min().expect("the bot is marked");
    let status = std::fs::read_to_string(format!("/proc/{bot}/status")).expect("it runs");
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).expect("everybody has one");
    let parent = parent.trim().parse().expect("a number");
    Pid::from_raw(parent).expect("one that can be seen")
}

/// The arena waits for a late supervisor instead of reporting that the bot is still running.
#[test]
fn a_late_supervisor_does_not_hide_how_its_bot_ended() {
    for contain in [SandboxLevel::Auto, SandboxLevel::NoNamespace] {
        let mark = new_mark();
        let ended = block_on(async {
            let text = "read a; echo hi; read b; exit 7";
            let mut bot = greeted(&script(text, &mark), &host(contain)).await;
            let supervisor = supervisor_of(&mark);
            kill_process(supervisor, Signal::STOP).expect("it is ours");
            let waker = std::thread::spawn(move || {
                std::thread::sleep(KEEPER_LATE);
                kill_process(supervisor, Signal::CONT).expect("it is there");
            });
            let fault = bot.ask(b"q\n", LONG).await.expect_err("it exits");
            waker.join().expect("it sleeps and signals"); // before an assertion can fail
            assert!(fault.detail.contains("status 7"), "{contain:?}: {}", fault.detail);
            bot.kill().await
        });
        assert_eq!((ended.status, ended.killed), (Some(Exit::Code(7)), false), "{contain:?}");
    }
}

/// A bot that starts processes in a loop leaves none of them, even if its supervisor is stopped.
#[test]
fn a_stopped_supervisor_keeps_nothing_alive() {
    for contain in [SandboxLevel::Auto, SandboxLevel::NoNamespace] {
        let mark = new_mark();
        block_on(async {
            let text = "read a; echo hi; while :; do sleep 600 & sleep 0.001; done";
            let bot = greeted(&script(text, &mark), &host(contain)).await;
            let supervisor = supervisor_of(&mark);
            assert!(wait_until_there(&mark, 20));
            kill_process(supervisor, Signal::STOP).expect("it is ours");
            assert!(bot.kill().await.gone, "{contain:?}");
        });
        let gone = wait_until_gone(&mark);
        assert!(gone.is_ok(), "{contain:?}: {gone:?}");
    }
}

/// When something kills the supervisor, its bot dies too, and the arena notices it at once.
#[test]
fn a_killed_supervisor_is_noticed() {
    let mark = new_mark();
    block_on(async {
        let mut bot = greeted(&command(Mode::Hangs, &mark), &host(SandboxLevel::Auto)).await;
        let supervisor = supervisor_of(&mark);
        let late = late_from_now();
        kill_process(supervisor, Signal::KILL).expect("it is ours");
        let fault = bot.ask(b"{}\n", LONG).await.expect_err("it was killed");
        assert!(fault.timing.elapsed < Duration::from_secs(2) + late(), "{fault}");
    });
    assert!(wait_until_gone(&mark).is_ok());
}
