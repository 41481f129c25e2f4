//! Bots as processes. For every way in which a bot can misbehave, these tests check that its fault has the
//! right kind, comes in time, and leaves nothing behind. They run with and without a PID namespace, as root
//! and as an ordinary user.

mod credit;
mod dialogue;
mod frozen;
pub(crate) mod harness;
mod launch;
mod measure;
mod orphans;

use std::time::Duration;

use engine::wire::FaultKind;
use futures_util::{StreamExt, stream};
use sandbox::{Containment, Exit, SandboxLevel, TRANSCRIPT_LINE_BYTES_MAX, TRANSCRIPT_LINES_MAX};

use crate::fixtures::modes::Mode;
use crate::program::{is_again, passes_again};
use harness::{Limits, Played, block_on, command, host, late_from_now, new_mark, play, wait_until_gone};

/// The arena must report a fault within this time after the limit.
const OVER_LIMIT_MAX: Duration = Duration::from_millis(250);
/// Maximum number of bytes that the arena keeps of one bot and match.
const KEPT_BYTES_MAX: usize = 1024 * 1024;
/// Number of modes that run at once. Some of them are busy loops and floods.
const AT_ONCE: usize = 6;

#[test]
fn every_mode_is_survived() {
    assert!(Mode::ALL.len() >= 45, "only {} modes", Mode::ALL.len());
    survive(SandboxLevel::Auto, false);
}

#[test]
fn every_mode_is_survived_without_a_namespace() {
    survive(SandboxLevel::NoNamespace, false);
}

#[test]
fn every_mode_is_survived_when_frozen() {
    survive(SandboxLevel::Auto, true);
}

/// Runs the same test as an ordinary user. Needs root, and a test program that this user may read.
#[test]
fn every_mode_is_survived_as_an_ordinary_user() {
    if is_again() || !needs::NOBODY_STARTS_TESTS.is_met() {
        return;
    }
    let exe = std::env::current_exe().expect("a test has a file");
    let tests = ["bot_process::every_mode_is_survived", "--skip", "ordinary", "bot_process::orphans"];
    passes_again(needs::as_nobody(exe).args(tests).args(["--test-threads", "2"]));
}

fn survive(contain: SandboxLevel, freeze: bool) {
    let modes = stream::iter(Mode::ALL).map(|mode| survive_one(*mode, contain, freeze));
    let failures: Vec<String> = block_on(modes.buffer_unordered(AT_ONCE).collect::<Vec<_>>()).concat();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), Mode::ALL.len(), failures.join("\n"));
}

/// Plays against a bot in this mode and returns everything that is wrong with the outcome.
async fn survive_one(mode: Mode, contain: SandboxLevel, freeze: bool) -> Vec<String> {
    let (mark, late) = (new_mark(), late_from_now());
    let played = match play(&command(mode, &mark), &host(contain).freeze(freeze), limits(mode)).await {
        Ok(played) => played,
        Err(error) => return vec![format!("{}: {error}", mode.name())],
    };
    let mut wrong = Vec::new();
    // Only the rules know illegal moves. For this layer an illegal move is a valid answer.
    let expected = mode.expected().filter(|kind| *kind != FaultKind::Illegal);
    if played.kind != expected {
        wrong.push(format!("{:?} instead of {expected:?}: {}", played.kind, played.detail));
    }
    if played.over_limit > OVER_LIMIT_MAX + late() {
        wrong.push(format!("{:?} over its limit", played.over_limit));
    }
    if !played.ended.gone {
        wrong.push("its end was not seen".to_owned());
    }
    if let Err(left) = wait_until_gone(&mark) {
        wrong.push(format!("left behind: {left:?}"));
    }
    wrong.extend(particulars(mode, &played));
    wrong.into_iter().map(|text| format!("{}: {text}", mode.name())).collect()
}

/// Returns generous limits, except for the limit that this mode must reach.
fn limits(mode: Mode) -> Limits {
    let long = Duration::from_secs(60);
    // These modes do something within the limit that the fault must mention.
    let acts = [Mode::NoNewline, Mode::ClosesStdin, Mode::StopsItself, Mode::Trickles].contains(&mode);
    let until = Duration::from_millis(if acts { 2_000 } else { 400 });
    let short = |kind| if mode.expected() == Some(kind) { until } else { long };
    let ignores = [Mode::IgnoresQuit, Mode::IgnoresQuitAndTerm, Mode::FloodsAfterQuit];
    let grace = if ignores.contains(&mode) { Duration::from_millis(300) } else { long };
    Limits { startup: short(FaultKind::Startup), turn: short(FaultKind::Timeout), grace }
}

/// Checks the size of the kept output, the exit, and the text for the author of the bot.
fn particulars(mode: Mode, played: &Played) -> Vec<String> {
    let ended = &played.ended;
    let mut wrong = Vec::new();
    let stderr = ended.stderr.head.len() + ended.stderr.tail.len();
    if stderr + TRANSCRIPT_LINES_MAX * TRANSCRIPT_LINE_BYTES_MAX > KEPT_BYTES_MAX {
        wrong.push(format!("{stderr} bytes of stderr kept"));
    }
    let floods = [(Mode::StderrFlood, 5_000_000), (Mode::StderrEveryTurn, 3_000_000)];
    for (_, bytes) in floods.iter().filter(|(flood, _)| *flood == mode) {
        if ended.stderr.bytes_total != *bytes {
            wrong.push(format!("{} bytes of stderr drained, not {bytes}", ended.stderr.bytes_total));
        }
    }
    if let Some(text) = words(mode).iter().find(|text| !played.detail.contains(**text)) {
        wrong.push(format!("no {text:?} in {:?}", played.detail));
    }
    // The arena may kill a bot that fills its memory before an allocation fails.
    let is_stopped_early = mode == Mode::MemoryBomb && ended.killed;
    if let Some(exit) = exit(mode)
        && ended.status != Some(exit)
        && !is_stopped_early
    {
        wrong.push(format!("ended with {:?}, not {exit:?}", ended.status));
    }
    if ended.killed != (ended.status.is_none()) {
        wrong.push(format!("killed {} and status {:?}", ended.killed, ended.status));
    }
    wrong
}

fn words(mode: Mode) -> &'static [&'static str] {
    match mode {
        Mode::Exits127 => &["exited with status 127"],
        Mode::Segfault => &["SIGSEGV"],
        Mode::KillsItself => &["SIGKILL"],
        Mode::Traceback => &["status 1", "ValueError: not enough values"],
        Mode::Panic => &["panics on purpose"],
        Mode::ExitsMidLine => &["{\"type\":\"mo", "status 0"],
        Mode::ClosesStdout => &["closed its stdout"],
        Mode::ClosesStdin => &["closed its stdin"],
        Mode::MemoryBomb | Mode::MemoryTree => &["memory", "128 MiB"],
        Mode::NoNewline => &["12 bytes without a newline: did you flush", "{\"type\":\"mov"],
        Mode::StopsItself => &["SIGSTOP"],
        Mode::Hangs => &["nothing came"],
        Mode::EndlessBytes => &["65536 bytes without a newline"],
        _ => &[],
    }
}

fn exit(mode: Mode) -> Option<Exit> {
    match mode {
        Mode::Plain | Mode::Crlf | Mode::ExitsAfterEnd | Mode::ExitsAtOnce => Some(Exit::Code(0)),
        Mode::Exits3 => Some(Exit::Code(3)),
        Mode::Exits127 => Some(Exit::Code(127)),
        Mode::Panic => Some(Exit::Code(101)),
        Mode::Segfault => Some(Exit::Signal(11)),
        Mode::Abort | Mode::StackOverflow | Mode::MemoryBomb => Some(Exit::Signal(6)),
        Mode::TerminatesItself => Some(Exit::Signal(15)),
        _ => None,
    }
}

#[test]
fn the_containment_is_reported() {
    for contain in [SandboxLevel::Auto, SandboxLevel::NoNamespace] {
        let limits = limits(Mode::Plain);
        let played = block_on(play(&command(Mode::Plain, &new_mark()), &host(contain), limits));
        let held = played.expect("the fixture starts").ended.containment;
        eprintln!("{contain:?} gives {}", held.as_str());
        if contain == SandboxLevel::NoNamespace {
            assert_eq!(held, Containment::Subreaper);
        }
    }
}
