//! A misbehaving bot never stops the match or the tournament. The bot of `bot_process.rs` plays here against
//! a correct one, and in the real program.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::doodle::{Doodle, Equipment};
use engine::wire::FaultKind;
use futures_util::{StreamExt, stream};
use referee::bots::entrants::Entrant;
use referee::bots::identity::Identity;
use referee::play::time_control::TimeControl;
use referee::play::{MatchPlan, Rules, SeatPlan};
use referee::record::{FaultMark, MatchRecord};
use referee::seats::pool::Pool;
use referee::seats::table::{Played, play_together};
use rustix::process::{Pid, Signal, kill_process};
use sandbox::SandboxLevel;

use crate::bot_process::harness;
use crate::fixtures::modes::Mode;
use harness::{MARK, fixture, host, late_from_now, marked, new_mark, wait_until_gone};

/// Maximum time in microseconds beyond a bot's limit, in addition to the machine's lateness.
const OVER_LIMIT_US_MAX: u64 = 250_000;
const TIME: TimeControl = TimeControl::new(Duration::from_secs(60), Duration::from_secs(60));
/// Number of modes that run at once.
const AT_ONCE: usize = 4;

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    tokio::task::LocalSet::new().block_on(&runtime, future)
}

/// Returns a bundled bot as a command. This process is a test and not the arena, so the command names the
/// arena.
fn bundled(name: &str, mark: &str) -> Entrant {
    let mut entrant =
        Entrant::parse(&format!("{name}={} bot {name}", env!("CARGO_BIN_EXE_arena"))).expect("a bot");
    entrant.command.env.push((MARK.to_owned(), mark.to_owned()));
    entrant
}

fn misbehaving(mode: Mode, mark: &str) -> Entrant {
    let command = harness::command(mode, mark);
    let (name, text) = (mode.name().to_owned(), command.argv.join(" "));
    Entrant {
        identity: Identity { name, command: text, ..Identity::default() },
        command,
        watched: Default::default(),
        is_older: false,
    }
}

/// Returns the limits for a mode: short if the mode must exceed one, but long enough for the correct bot.
fn time(mode: Mode) -> TimeControl {
    match mode.expected() {
        Some(FaultKind::Startup) => TimeControl { startup: Duration::from_secs(10), ..TIME },
        Some(FaultKind::Timeout) => TimeControl { per_move: Duration::from_secs(2), ..TIME },
        _ => TIME,
    }
}

async fn table(entrants: &[&Entrant], time: TimeControl) -> Played<Doodle> {
    let equipment = Arc::new(Equipment::standard());
    let seat = |entrant: &&Entrant| SeatPlan::new(&entrant.identity.name, time);
    let seats = entrants.iter().map(seat).collect();
    let plan = MatchPlan::<Doodle>::dealt(&Rules::new(equipment), 7, seats).expect("so many can play");
    play_together(&plan, entrants, &Pool::fresh(&host(SandboxLevel::Auto)), &mut |_, _| ())
        .await
        .expect("the machine has processes")
}

/// Returns the moves of a seat.
fn moves(record: &MatchRecord<Doodle>, seat: usize) -> Vec<String> {
    let turns = record.turns.iter().filter(|turn| turn.seat == seat);
    turns.map(|turn| serde_json::to_string(&turn.wire_move).expect("a move")).collect()
}

#[test]
fn every_mode_at_a_table_gets_its_fault_and_costs_the_others_nothing() {
    let mark = new_mark();
    let sound = bundled("random", &mark);
    let undisturbed =
        block_on(async { table(&[&misbehaving(Mode::Plain, &mark), &sound], TIME).await.record });
    let tries = stream::iter(Mode::ALL).map(|&mode| try_mode(mode, &undisturbed));
    let failures: Vec<String> = block_on(tries.buffer_unordered(AT_ONCE).collect::<Vec<_>>()).concat();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Returns everything that is wrong with a match against this mode.
async fn try_mode(mode: Mode, undisturbed: &MatchRecord<Doodle>) -> Vec<String> {
    let mark = new_mark();
    let sound = bundled("random", &mark);
    let (time, late) = (time(mode), late_from_now());
    let bots = [&misbehaving(mode, &mark), &sound];
    let mut record = table(&bots, time).await.record;
    // A tournament also replays such a match.
    if record.doubtful_timeout(|_| time).is_some() {
        record = table(&bots, time).await.record;
    }
    let mut wrong = Vec::new();
    let mut check = |holds: bool, what: String| {
        if !holds {
            wrong.push(format!("{}: {what}", mode.name()));
        }
    };
    let kind = record.result.faults[0].map(|mark: FaultMark| mark.kind);
    check(kind == mode.expected(), format!("{kind:?} instead of {:?}", mode.expected()));
    check(record.result.faults[1].is_none(), "the sound bot was charged".to_owned());
    check(
        record.result.scores[1] == undisturbed.result.scores[1],
        "the sound bot scored otherwise".to_owned(),
    );
    check(moves(&record, 1) == moves(undisturbed, 1), "the sound bot moved otherwise".to_owned());
    for turn in record.turns.iter().filter(|turn| turn.seat == 0) {
        let limit = if turn.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Startup) {
            time.startup
        } else {
            time.per_move
        };
        let bound = u64::try_from(limit.as_micros()).expect("short") + OVER_LIMIT_US_MAX;
        let late = turn.late_us.unwrap_or(0) + late().as_micros() as u64;
        check(turn.us <= bound + late, format!("decision {} took {} us", turn.id, turn.us));
        if let Some(fault) = &turn.fault {
            check(
                fault.detail.len() > 20 && !fault.detail.contains('\n'),
                format!("says {:?}", fault.detail),
            );
        }
    }
    if let Err(left) = wait_until_gone(&mark) {
        check(false, format!("processes {left:?} are left"));
    }
    wrong
}

/// A tournament of the real program with these bots, in a scratch folder, with a mark.
struct Run {
    child: Child,
    mark: String,
    folder: tempfile::TempDir,
}

impl Run {
    fn start(modes: &[Mode], args: &[&str]) -> Run {
        let (mark, folder) = (new_mark(), tempfile::tempdir().expect("a scratch folder"));
        let mut command = crate::program::command();
        command.current_dir(folder.path()).env(MARK, &mark).args([
            "tournament",
            "--out",
            "t",
            "--bot",
            "random",
        ]);
        command.args(["--startup-time", "60s", "--seed", "1"]).args(args);
        if !args.contains(&"--move-time") {
            command.args(["--move-time", "1s"]);
        }
        for mode in modes {
            // Bots do not inherit the mark from the arena.
            let marked = format!("{}=env {MARK}={mark} {} {0}", mode.name(), fixture());
            command.arg("--bot").arg(marked);
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        Run { child: child.expect("the arena starts"), mark, folder }
    }

    fn out(&self) -> std::path::PathBuf {
        self.folder.path().join("t")
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().cast_signed()).expect("a process has a number");
        kill_process(pid, signal).expect("the arena runs");
    }

    /// Waits for the end. Returns the exit status, the text on stderr, and the folder.
    fn finish(self) -> (Option<i32>, String, tempfile::TempDir) {
        let output = self.child.wait_with_output().expect("it ends");
        assert_eq!(wait_until_gone(&self.mark).map(|_| ()), Ok(()));
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned(), self.folder)
    }
}

fn journal_lines(out: &Path) -> usize {
    fs::read_to_string(out.join("matches.jsonl")).map_or(0, |text| text.matches('\n').count())
}

/// Waits until the journal has this many lines. Fails after a minute without a new line.
fn wait_for_lines(out: &Path, lines: usize) {
    let (mut begin, mut before) = (Instant::now(), 0);
    loop {
        let there = journal_lines(out);
        if there >= lines {
            return;
        }
        if there > before {
            (begin, before) = (Instant::now(), there);
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "no progress after {there} lines");
        std::thread::sleep(Duration::from_millis(5));
    }
}

const MIX: &[Mode] = &[
    Mode::Plain,
    Mode::Segfault,
    Mode::Hangs,
    Mode::StderrFlood,
    Mode::EndlessBytes,
    Mode::AnswersTwice,
    Mode::LeavesDaemon,
];

#[test]
fn two_hundred_matches_against_a_mix_end_and_memory_stays_flat() {
    let run = Run::start(MIX, &["--rounds", "8", "--jobs", "4", "--move-time", "1s"]);
    wait_for_lines(&run.out(), 60);
    let early = resident_kib(run.child.id());
    wait_for_lines(&run.out(), 200);
    let late = resident_kib(run.child.id());
    assert!(late < early + 4 * 1024, "{early} KiB after 60 matches, {late} KiB after 200");
    let (status, stderr, folder) = run.finish();
    assert_eq!(status, Some(0), "{stderr}");
    let out = folder.path().join("t");
    assert_eq!(journal_lines(&out), 28 * 8);
    let standings: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out.join("standings.json")).expect("tables")).expect("JSON");
    for row in standings["rows"].as_array().expect("rows") {
        let name = row["bot"].as_str().expect("a name");
        let expected = Mode::from_name(name).and_then(Mode::expected);
        for (kind, count) in row["faults"].as_object().expect("faults") {
            let all = expected.is_some_and(|expected| expected.as_str() == kind);
            assert_eq!(count.as_u64(), Some(if all { 56 } else { 0 }), "{name} {kind}");
        }
    }
    let bundle = out.join("faults");
    let some = fs::read_dir(&bundle).expect("bundles").filter_map(Result::ok).map(|entry| entry.path());
    let of_hangs: Vec<_> = some.filter(|path| path.to_string_lossy().ends_with("-hangs")).collect();
    assert_eq!(of_hangs.len(), 20, "bundles are bounded");
    let report = fs::read_to_string(of_hangs[0].join("fault.txt")).expect("a report");
    assert!(report.contains("fault timeout in turn") && report.contains("arena match --game doodle --seed"));
    assert!(
        fs::read_to_string(of_hangs[0].join("last-lines.txt"))
            .expect("lines")
            .contains("> {\"type\":\"turn\"")
    );
}

/// Returns the resident memory of a process in KiB.
fn resident_kib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find(|line| line.starts_with("VmRSS")).expect("Linux tells");
    line.split_whitespace().nth(1).and_then(|text| text.parse().ok()).expect("a number")
}

#[test]
fn the_command_in_a_bundle_plays_the_match_again() {
    let args = ["--rounds", "1", "--start-cards", "shared", "--memory", "1GiB", "--move-time", "60s"];
    let run = Run::start(&[Mode::Exits3], &args);
    let (status, stderr, folder) = run.finish();
    assert_eq!(status, Some(0), "{stderr}");
    let out = folder.path().join("t");
    let report = fs::read_to_string(out.join("faults/0-exits-3/fault.txt")).expect("a report");
    let command = report.lines().rfind(|line| line.starts_with("arena match")).expect("a command");
    let words = shell_words::split(command).expect("a command line");
    let again = crate::program::command()
        .current_dir(folder.path())
        .args(&words[1..])
        .args(["--quiet", "--record", "again"])
        .output()
        .expect("the arena starts");
    assert!(again.status.success());
    let digest = |path: &Path| -> serde_json::Value {
        let text = fs::read_to_string(path).expect("a record");
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["digest"].clone()
    };
    assert_eq!(digest(&folder.path().join("again")), digest(&out.join("matches.jsonl")));
}

#[test]
fn a_killed_arena_leaves_no_bot_behind() {
    let modes = [Mode::LeavesDaemon, Mode::LeavesChildren, Mode::HangsWithChildren, Mode::IgnoresQuitAndTerm];
    for repetition in 0..needs::sized(6, 6, 20) {
        let mut run = Run::start(&modes, &["--rounds", "50", "--jobs", "3"]);
        wait_for_lines(&run.out(), 1);
        std::thread::sleep(Duration::from_millis(17 * repetition % 150));
        assert!(!marked(&run.mark).is_empty());
        run.child.kill().expect("the arena runs");
        run.child.wait().expect("it is gone");
        assert_eq!(wait_until_gone(&run.mark).map(|_| ()), Ok(()), "repetition {repetition}");
    }
}

#[test]
fn one_interrupt_finishes_the_running_matches_and_two_drop_them() {
    for interrupts in [1, 2] {
        let run = Run::start(&[Mode::Plain, Mode::Hangs], &["--rounds", "200", "--jobs", "2"]);
        wait_for_lines(&run.out(), 3);
        for _ in 0..interrupts {
            run.signal(Signal::INT);
            std::thread::sleep(Duration::from_millis(50));
        }
        let (status, stderr, folder) = run.finish();
        assert_eq!(status, Some(130), "{stderr}");
        assert!(stderr.contains("--resume"), "{stderr}");
        let out = folder.path().join("t");
        let text = fs::read_to_string(out.join("matches.jsonl")).expect("a journal");
        assert!(text.ends_with('\n') && text.lines().count() < 600);
        assert!(!out.join("standings.json").exists(), "no table of half a tournament");
    }
}

#[test]
fn a_bot_that_cannot_start_stops_the_tournament_or_is_left_out() {
    let run = Run::start(&[Mode::Plain, Mode::ExitsAtOnce], &["--rounds", "1"]);
    let (status, stderr, folder) = run.finish();
    assert_eq!(status, Some(2), "{stderr}");
    assert!(stderr.contains("bot \"exits-at-once\" cannot start"), "{stderr}");
    assert!(!folder.path().join("t").exists());
    let run = Run::start(&[Mode::Plain, Mode::ExitsAtOnce], &["--rounds", "1", "--skip-broken"]);
    let (status, stderr, folder) = run.finish();
    assert_eq!(status, Some(0), "{stderr}");
    assert!(stderr.contains("left out: bot \"exits-at-once\" cannot start"), "{stderr}");
    assert_eq!(journal_lines(&folder.path().join("t")), 1);
}

/// In patchwork, a bot that computes at its start would take CPU time from the start of the other bot.
#[test]
fn bots_that_play_in_turn_start_one_after_the_other_and_are_stopped_meanwhile() {
    let folder = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    // Each bot writes to a log when it begins and before each answer. Before an answer, it waits until the
    // other bot of the match is stopped. The startup limit ends a wait that never succeeds. In a namespace, a
    // shell does not know its process ID outside, but /proc does. Before the match, the arena greets other
    // processes of the same bots, all at once.
    let bot = |name: &str, other: &str, waits_at_hello: bool| {
        let dir = folder.path().display();
        let say = |what: &str| format!("echo {name}-{what} >>{dir}/log");
        let wait = format!("until grep -q ') T' /proc/$(cat {dir}/{other}.pid)/stat; do sleep 0.01; done");
        let is_match = format!("[ $(grep -c {name}-begins {dir}/log) -ge 2 ]");
        let hello_wait =
            if waits_at_hello { format!("if {is_match}; then {wait}; fi") } else { "sleep 0.1".to_owned() };
        let script = format!(
            "read -r pid rest </proc/self/stat\necho $pid >{dir}/{name}.pid\n{}\n\
             read -r line\n{hello_wait}\n{}\necho '{{\"type\":\"hello\",\"protocol\":1}}'\n\
             read -r line\n{wait}\n{}\necho '{{\"type\":\"ready\"}}'\nread -r line\n",
            say("begins"),
            say("hello"),
            say("ready"),
        );
        let path = folder.path().join(format!("{name}.sh"));
        fs::write(&path, script).expect("a file");
        format!("{name}=sh {}", path.display())
    };
    let args = [
        "match",
        "--game",
        "patchwork",
        "--contain",
        "off",
        "--startup-time",
        "60s",
        "--quiet",
        "--bot",
        &bot("a", "b", false),
        "--bot",
        &bot("b", "a", true),
    ];
    crate::program::succeed(folder.path(), &args);
    let log = fs::read_to_string(folder.path().join("log")).expect("both have begun");
    let order: Vec<&str> = log.lines().collect();
    assert_eq!(
        order[order.len() - 6..],
        ["a-begins", "a-hello", "b-begins", "b-hello", "a-ready", "b-ready"]
    );
}

#[test]
fn memory_is_limited_where_it_is_asked_for() {
    let run = Run::start(&[Mode::MemoryBomb], &["--rounds", "1", "--memory", "128MiB", "--move-time", "10s"]);
    let (status, stderr, folder) = run.finish();
    assert_eq!(status, Some(0), "{stderr}");
    let report = folder.path().join("t/faults/0-memory-bomb/fault.txt");
    let report = fs::read_to_string(report).expect("a report");
    assert!(report.contains("fault exit") && report.contains("memory"), "{report}");
}
