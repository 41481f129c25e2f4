//! The time for which others had the processors. It does not count against a bot, and a bot cannot make it itself.

use std::process::{Child, Command as Program, Stdio};
use std::time::Duration;

use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};
use sandbox::{BotProcess, Command, Failure, SandboxLevel};

use crate::bot_process::harness::{block_on, example, host, spawn};

/// Number of other processes on the bot's core.
const OTHERS: usize = 2;
const LIMIT: Duration = Duration::from_millis(100);

/// Processes that compute on the core of the thread that started them.
struct Others(Vec<Child>);

impl Others {
    fn start() -> Others {
        let busy = example("busy");
        let one =
            || Program::new(&busy).args(["once", "600000"]).stdin(Stdio::null()).spawn().expect("it starts");
        Others((0..OTHERS).map(|_| one()).collect())
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().and_then(|()| child.wait()).expect("it is a child");
        }
    }
}

/// Keeps this thread, and all processes that it starts, on one core.
fn stay_here() {
    let mut mask = CpuSet::new();
    mask.set(sched_getcpu());
    sched_setaffinity(None, &mask).expect("a core that this thread may use");
}

async fn busy(place: &str, ms: u32) -> BotProcess {
    let command =
        Command::new(place, [&example("busy"), place, &ms.to_string()]).expect("a program is named");
    spawn(&command, &host(SandboxLevel::Auto)).await
}

#[test]
fn a_bot_that_gets_no_processor_is_in_time_and_its_clock_stands() {
    if !needs::COUNTS_WAITS.is_met() {
        return;
    }
    stay_here();
    let _others = Others::start();
    block_on(async {
        for place in ["main", "thread", "child"] {
            let mut bot = busy(place, 60).await;
            let mut credit = Duration::ZERO;
            for _ in 0..2 {
                match bot.ask(b"q\n", LIMIT).await {
                    Ok(reply) => {
                        let timing = reply.timing;
                        assert!(timing.elapsed <= LIMIT && !timing.is_untold, "{timing:?}");
                        credit += timing.credit;
                    }
                    // A machine may have so many other processes that no clock can wait for them.
                    Err(fault) => {
                        assert_eq!(fault.timing.credit, LIMIT * 5, "{place}: {fault}");
                        credit += fault.timing.credit;
                        break;
                    }
                }
            }
            assert!(credit > LIMIT, "{place}: {credit:?} with {OTHERS} others on its core");
        }
    });
}

#[test]
fn a_bot_that_sleeps_or_computes_too_long_earns_nothing() {
    if !needs::COUNTS_WAITS.is_met() {
        return;
    }
    stay_here();
    for is_disturbed in [false, true] {
        let _others = is_disturbed.then(Others::start);
        block_on(async {
            let places = ["threads", "sleep", "main", "thread", "child", "children"];
            for place in if is_disturbed { &places[..] } else { &places[..2] } {
                let mut bot = busy(place, 150).await;
                let fault = bot.ask(b"q\n", LIMIT).await.expect_err("it is late");
                assert_eq!(fault.kind, Failure::Timeout, "{place}: {fault}");
                assert!(fault.detail.contains(" s of the processor in "), "{fault}");
                assert_eq!(fault.doubt(LIMIT), None, "the kernel told");
                let is_asleep = *place == "sleep";
                assert_eq!(fault.detail.contains("it had 0.00 s"), is_asleep, "{place}: {fault}");
            }
        });
    }
}
