//! Bots that are frozen between an answer and the next question. They do not run in that time, and otherwise
//! behave like bots that are not frozen.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use sandbox::{BotProcess, Exit, Failure, SandboxLevel};

use crate::bot_process::harness::{
    HELLO, QUIT, block_on, command, host, marked, new_mark, script, spawn, turn, wait_until_gone,
    wait_until_there,
};
use crate::fixtures::modes::Mode;

const LONG: Duration = Duration::from_secs(60);
/// Length of the other bots' turn.
const OTHERS_TURN: Duration = Duration::from_millis(400);
/// CPU time per turn of others that only a running bot can use. A frozen bot also uses CPU time until the
/// freeze takes effect.
const RUNS: Duration = Duration::from_millis(40);
/// Maximum time until a signal has its effect.
const SIGNAL: Duration = Duration::from_secs(20);

/// Answers every line and also computes in a child of the shell.
const BURNER: &str = "(while :; do :; done) & while read line; do echo ok; done";
/// Answers every line.
const ECHO: &str = "while read line; do echo ok; done";

async fn start(text: &str, mark: &str, contain: SandboxLevel, freeze: bool) -> BotProcess {
    spawn(&script(text, mark), &host(contain).freeze(freeze)).await
}

/// Starts a bot that is stopped after its first answer.
async fn stopped(text: &str, mark: &str, contain: SandboxLevel) -> BotProcess {
    let mut bot = start(text, mark, contain, true).await;
    ask(&mut bot, b"turn\n").await;
    assert!(are_stopped(mark, true));
    bot
}

async fn ask(bot: &mut BotProcess, line: &[u8]) -> Vec<u8> {
    bot.ask(line, LONG).await.expect("it answers").line.to_vec()
}

/// Returns true if a signal has stopped the process or its control group is frozen.
fn is_stopped(pid: i32) -> bool {
    let read = |path: String| std::fs::read_to_string(path).unwrap_or_default();
    let stat = read(format!("/proc/{pid}/stat"));
    let groups = read(format!("/proc/{pid}/cgroup"));
    let group = groups.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or_default();
    let is_frozen = |top: &str| read(format!("{top}{group}/cgroup.events")).contains("frozen 1");
    stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('T'))
        || ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].into_iter().any(is_frozen)
}

/// Waits up to [`SIGNAL`] until all processes with the mark are stopped, or none is, as `expected` says.
/// Returns whether all are stopped.
fn are_stopped(mark: &str, expected: bool) -> bool {
    let begin = Instant::now();
    loop {
        let pids = marked(mark);
        assert!(!pids.is_empty(), "it runs");
        let stopped = pids.iter().filter(|pid| is_stopped(**pid)).count();
        let are = stopped == pids.len();
        if (are == expected && (expected || stopped == 0)) || begin.elapsed() > SIGNAL {
            return are;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_frozen_bot_does_not_run_in_the_turns_of_others_and_one_that_is_not_is_reported() {
    for contain in [SandboxLevel::Auto, SandboxLevel::NoNamespace, SandboxLevel::Off] {
        for freeze in [true, false] {
            let mark = new_mark();
            block_on(async {
                let mut bot = start(BURNER, &mark, contain, freeze).await;
                let mut stopping = Duration::ZERO;
                for _ in 0..3 {
                    assert_eq!(ask(&mut bot, b"turn\n").await, b"ok");
                    let answered = Instant::now();
                    assert_eq!(are_stopped(&mark, freeze), freeze, "{contain:?}");
                    if freeze {
                        stopping += answered.elapsed();
                    }
                    tokio::time::sleep(OTHERS_TURN).await;
                }
                bot.send(b"end\n");
                assert!(!are_stopped(&mark, false), "{contain:?}");
                let used = bot.take_cpu_off_turn();
                let what = format!("{used:?} used at rest, stopped after {stopping:?}");
                assert_eq!(used < RUNS + stopping, freeze, "{contain:?}, frozen {freeze}: {what}");
                assert_eq!(bot.take_cpu_off_turn(), Duration::ZERO);
                // The bot runs between matches, because that time is not part of any turn.
                tokio::time::sleep(OTHERS_TURN).await;
                ask(&mut bot, b"start\n").await;
                assert_eq!(bot.take_cpu_off_turn(), Duration::ZERO);
                bot.kill().await;
            });
            assert!(wait_until_gone(&mark).is_ok());
        }
    }
}

/// Short-lived children count through the CPU time that their parent inherits when it waits for them.
#[test]
fn what_short_lived_children_compute_at_rest_is_counted() {
    const CHILDREN: &str = "(while :; do (i=0; while [ $i -lt 300 ]; do i=$((i+1)); done); done) & \
                            while read line; do echo ok; done";
    for contain in [SandboxLevel::Auto, SandboxLevel::NoNamespace, SandboxLevel::Off] {
        block_on(async {
            let mut bot = start(CHILDREN, &new_mark(), contain, false).await;
            ask(&mut bot, b"turn\n").await;
            // The first rests already show CPU time, so the arena measures the later ones closely.
            let mut used = Duration::ZERO;
            let begin = Instant::now();
            while used < RUNS && begin.elapsed() < SIGNAL {
                tokio::time::sleep(OTHERS_TURN).await;
                ask(&mut bot, b"turn\n").await;
                used = bot.take_cpu_off_turn();
            }
            assert!(used >= RUNS, "{contain:?}: {used:?}");
            bot.kill().await;
        });
    }
}

#[test]
fn a_bot_that_computes_too_much_at_rest_is_out_and_others_are_not() {
    const MAX: Duration = Duration::from_millis(50);
    let texts = [BURNER, ECHO].into_iter();
    let both = |text| [SandboxLevel::Auto, SandboxLevel::Off].map(|contain| (text, contain));
    for (text, contain) in texts.flat_map(both) {
        block_on(async {
            let host = host(contain).off_turn_max(Some(MAX));
            let mut bot = spawn(&script(text, &new_mark()), &host).await;
            let (begin, mut turns) = (Instant::now(), 0..);
            let fault = loop {
                let turn = turns.next();
                match bot.ask(b"turn\n", LONG).await {
                    Ok(_) if turn >= Some(5) && (text != BURNER || begin.elapsed() > SIGNAL) => break None,
                    Ok(_) => tokio::time::sleep(OTHERS_TURN).await,
                    Err(why) => break Some(why),
                }
            };
            assert_eq!(fault.as_ref().map(|fault| fault.kind), (text == BURNER).then_some(Failure::OffTurn));
            if let Some(fault) = fault {
                assert!(fault.detail.contains("at most 50 ms a match"), "{fault}");
                let again = bot.ask(b"turn\n", LONG).await.expect_err("it is out");
                assert_eq!(again.kind, Failure::OffTurn);
            }
            bot.kill().await;
        });
    }
}

/// Without a control group, a bot that wakes itself is stopped again.
#[test]
fn a_bot_that_goes_on_while_others_are_waited_for_is_stopped_again() {
    block_on(async {
        let mark = new_mark();
        let mut bot = start(BURNER, &mark, SandboxLevel::Off, true).await;
        assert!(wait_until_there(&mark, 2));
        ask(&mut bot, b"turn\n").await;
        assert!(are_stopped(&mark, true));
        let pids = marked(&mark);
        for _ in 0..3 {
            for pid in pids.iter().filter_map(|pid| Pid::from_raw(*pid)) {
                rustix::process::kill_process(pid, Signal::CONT).expect("it is there");
            }
            assert!(!are_stopped(&mark, false));
            let begin = Instant::now();
            std::future::poll_fn(|cx| {
                bot.keep_frozen(cx);
                match pids.iter().all(|pid| is_stopped(*pid)) || begin.elapsed() > SIGNAL {
                    true => std::task::Poll::Ready(()),
                    false => std::task::Poll::Pending,
                }
            })
            .await;
            assert!(are_stopped(&mark, true));
        }
        bot.kill().await;
    });
}

/// The kernel divides CPU time between sessions first, if it groups tasks by session.
#[test]
fn bots_that_are_apart_have_sessions_of_their_own() {
    let session = |pid: i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
        let mut fields = stat.rsplit_once(')').expect("a name").1.split_ascii_whitespace();
        fields.nth(3).and_then(|text| text.parse::<i32>().ok()).expect("a number")
    };
    for contain in [SandboxLevel::Auto, SandboxLevel::NoNamespace, SandboxLevel::Off] {
        block_on(async {
            let host = host(contain);
            for is_apart in [true, false] {
                host.set_apart(is_apart);
                let mark = new_mark();
                let mut bot = spawn(&script("read line; read line", &mark), &host).await;
                assert!(wait_until_there(&mark, 1));
                bot.send(b"\n");
                let pid = marked(&mark)[0];
                let own = i32::try_from(std::process::id()).expect("ids are small");
                assert_eq!(session(pid) == pid, is_apart, "{contain:?}");
                assert_eq!(session(pid) == session(own), !is_apart, "{contain:?}");
                bot.kill().await;
                assert!(wait_until_gone(&mark).is_ok());
            }
        });
    }
}

#[test]
fn a_bot_that_is_stopped_once_held_runs_until_then() {
    block_on(async {
        let mark = new_mark();
        let host = host(SandboxLevel::Auto).freeze(true).freeze_on_call();
        let mut bot = spawn(&script(BURNER, &mark), &host).await;
        assert!(wait_until_there(&mark, 2));
        let mut stopping = Duration::ZERO;
        bot.freeze(); // has no effect: the bot owes no answer and has given none
        for _ in 0..3 {
            assert!(!are_stopped(&mark, false));
            assert_eq!(ask(&mut bot, b"turn\n").await, b"ok");
            assert!(!are_stopped(&mark, false));
            let held = Instant::now();
            bot.freeze();
            assert!(are_stopped(&mark, true));
            stopping += held.elapsed();
            bot.freeze();
            tokio::time::sleep(OTHERS_TURN).await;
            assert_eq!(ask(&mut bot, b"turn\n").await, b"ok");
        }
        assert!(bot.take_cpu_off_turn() < RUNS + stopping);
        bot.kill().await;
    });
}

#[test]
fn short_rests_are_not_measured() {
    block_on(async {
        let mut bot = start(ECHO, &new_mark(), SandboxLevel::Auto, true).await;
        for _ in 0..200 {
            ask(&mut bot, b"turn\n").await;
        }
        assert!(bot.take_cpu_off_turn() < RUNS);
        bot.quit(QUIT, LONG).await;
    });
}

#[test]
fn a_stopped_bot_can_be_quit_killed_and_let_go() {
    let text = "while read line; do case $line in *quit*) exit 3;; esac; echo ok; done; exit 4";
    for (line, status) in [(QUIT, 3), (b"", 4)] {
        let ended =
            block_on(async { stopped(text, &new_mark(), SandboxLevel::Auto).await.quit(line, LONG).await });
        assert_eq!(ended.status, Some(Exit::Code(status)));
    }
    block_on(async {
        let bot = stopped(text, &new_mark(), SandboxLevel::Auto).await;
        assert_eq!(bot.last_words(b"more\n", LONG).await.0, b"ok\n");
    });
    for is_dropped in [false, true] {
        let mark = new_mark();
        block_on(async {
            let bot = stopped(BURNER, &mark, SandboxLevel::NoNamespace).await;
            // Without this, the bot is dropped.
            assert!(is_dropped || bot.kill().await.gone);
        });
        assert!(wait_until_gone(&mark).is_ok(), "dropped {is_dropped}");
    }
}

/// Lines that a bot writes unasked are noticed before the next question, even if the freeze interrupts a
/// line.
#[test]
fn unasked_words_of_a_stopped_bot_are_seen() {
    block_on(async {
        let mark = new_mark();
        let text = "read line; printf 'one\\ntwo\\nth'; read line; echo ree";
        let mut bot = start(text, &mark, SandboxLevel::Auto, true).await;
        assert_eq!(ask(&mut bot, b"turn\n").await, b"one");
        assert!(are_stopped(&mark, true));
        let reply = bot.ask(b"turn\n", LONG).await.expect("a line is there");
        assert!(reply.early);
        assert_eq!(reply.line, b"two");
        assert!(!bot.is_quiet());
        bot.kill().await;
    });
}

#[test]
fn a_bot_that_stops_itself_or_is_late_is_judged_as_one_that_is_not_frozen() {
    for (mode, words) in
        [(Mode::StopsItself, "SIGSTOP"), (Mode::Hangs, "nothing came"), (Mode::Trickles, "without a newline")]
    {
        block_on(async {
            let host = host(SandboxLevel::Auto).freeze(true);
            let mut bot = spawn(&command(mode, &new_mark()), &host).await;
            ask(&mut bot, HELLO).await;
            let limit = Duration::from_secs(2);
            let fault = bot.ask(&turn(0, limit), limit).await.expect_err("no answer");
            assert_eq!(fault.kind, Failure::Timeout);
            assert!(fault.detail.contains(words), "{}", fault.detail);
            assert!(bot.kill().await.gone);
        });
    }
}

/// The bot's clock advances while it is frozen, but its own time limit does not.
#[test]
fn the_time_of_others_is_not_the_bots() {
    block_on(async {
        let mut bot = start(ECHO, &new_mark(), SandboxLevel::Auto, true).await;
        ask(&mut bot, b"turn\n").await;
        let limit = Duration::from_secs(2);
        tokio::time::sleep(2 * limit).await;
        let reply = bot.ask(b"turn\n", limit).await.expect("it has its whole time");
        assert!(reply.timing.elapsed < limit);
        bot.quit(QUIT, LONG).await;
    });
}
