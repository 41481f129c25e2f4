//! Shared parts of the process tests: the path of the fixture, marks that identify processes, and a short
//! match. Its judge knows the protocol but not the rules.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use engine::doodle::WireMove;
use engine::wire::FaultKind;
use referee::play::answer::{read_hello, read_move, read_ready};
use referee::seats::fault::{Fault, Owed, of_process};
use sandbox::{BotProcess, Command, Ended, Host, Reply, SandboxLevel, SpawnError};

use crate::fixtures::modes::Mode;

/// The environment variable that every process of a test inherits, daemons included.
pub(crate) const MARK: &str = "QUILT_TEST_MARK";
/// Maximum time until a process appears; generous.
const THERE_WITHIN: Duration = Duration::from_secs(60);
/// Maximum time to wait for a process tree to disappear. Generous, but far less than the processes would run
/// by themselves.
const GONE_WITHIN: Duration = Duration::from_secs(30);
const GONE_PAUSE: Duration = Duration::from_millis(5);
/// Length of one sleep of the thread that measures how late the machine is.
const NAP: Duration = Duration::from_millis(10);
pub(crate) const HELLO: &[u8] = b"{\"type\":\"hello\",\"protocol\":1}\n";
pub(crate) const QUIT: &[u8] = b"{\"type\":\"quit\"}\n";
const END: &[u8] = b"{\"type\":\"end\",\"scores\":[3],\"ranks\":[1]}\n";
const START: &[u8] = br#"{"type":"start","match":0,"game":"doodle","seats":1,"seat":0,"players":["a"],"seed":1,"limits":{"startup_ms":3000,"move_ms":400,"match_ms":null},"rules":{"start_cards":"dealt"},"cards":{"starts":[{"id":"S01","cells":["..X",".XX",".X.","XXX"]}],"patches":[{"id":"P01","cells":["XX"]}]}}
"#;

/// Returns the path of the misbehaving bot.
pub(crate) fn fixture() -> String {
    example("misbehave")
}

/// Returns the path of a bot that Cargo builds as an example.
pub(crate) fn example(name: &str) -> String {
    let mut path = std::env::current_exe().expect("a test has a file");
    path.pop();
    path.set_file_name("examples");
    path.push(name);
    assert!(path.exists(), "first `cargo build -p test-bots --example {name}` (in this profile)");
    path.into_os_string().into_string().expect("the target folder's name is UTF-8")
}

/// Returns a host whose supervisors are the real program.
pub(crate) fn host(contain: SandboxLevel) -> Host {
    Host::with_supervisor(env!("CARGO_BIN_EXE_arena")).contain(contain)
}

/// Returns a function that tells how late this machine has run a sleeping thread since this call. Tests
/// extend their time bounds by it.
pub(crate) fn late_from_now() -> impl Fn() -> Duration {
    let before = machine_late();
    move || machine_late().saturating_sub(before)
}

/// State of the thread that measures lateness by sleeping.
struct Witness {
    /// Total lateness of all finished sleeps.
    late: Duration,
    /// Start of the current sleep.
    since: Instant,
}

/// Returns the machine's total lateness since the first call. A sleep that takes too long counts before it
/// ends, because the caller may be the first thread to run again.
fn machine_late() -> Duration {
    static WITNESS: OnceLock<Mutex<Witness>> = OnceLock::new();
    let late_of = |witness: &Witness| witness.late + witness.since.elapsed().saturating_sub(NAP);
    let witness = WITNESS.get_or_init(|| {
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(NAP);
                let mut witness = WITNESS.wait().lock().expect("nobody panics with it");
                *witness = Witness { late: late_of(&witness), since: Instant::now() };
            }
        });
        Mutex::new(Witness { late: Duration::ZERO, since: Instant::now() })
    });
    late_of(&witness.lock().expect("nobody panics with it"))
}

/// Returns a mark that no other test uses.
pub(crate) fn new_mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("m{}-{}.", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Returns the fixture in this mode, with this mark.
pub(crate) fn command(mode: Mode, mark: &str) -> Command {
    let mut command = Command::new(mode.name(), [&fixture(), mode.name()]).expect("a program is named");
    command.env.push((MARK.to_owned(), mark.to_owned()));
    // The output of a panic must not depend on how the tests run.
    command.env.push(("RUST_BACKTRACE".to_owned(), "0".to_owned()));
    command.rights.memory_bytes = mode.memory_bytes_max();
    command
}

/// Starts a bot, which must succeed.
pub(crate) async fn spawn(command: &Command, host: &Host) -> BotProcess {
    BotProcess::spawn(command, host).await.expect("the program is there")
}

/// Returns a shell script as a bot, with this mark.
pub(crate) fn script(text: &str, mark: &str) -> Command {
    let mut command = Command::new("script", ["/bin/sh", "-c", text]).expect("a program is named");
    command.env.push((MARK.to_owned(), mark.to_owned()));
    command
}

/// Returns the live processes with the mark, in any namespace.
pub(crate) fn marked(mark: &str) -> Vec<i32> {
    let wanted = format!("{MARK}={mark}");
    let pids = std::fs::read_dir("/proc").expect("there is a /proc").flatten();
    pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| {
            let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
        })
        .collect()
}

/// Waits until at least `count` processes have the mark. Returns false after a minute. A process has no
/// environment for a moment after `exec`.
pub(crate) fn wait_until_there(mark: &str, count: usize) -> bool {
    let begin = Instant::now();
    while marked(mark).len() < count {
        if begin.elapsed() > THERE_WITHIN {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Waits until no process has the mark. Returns the time it took, or the remaining processes.
pub(crate) fn wait_until_gone(mark: &str) -> Result<Duration, Vec<i32>> {
    let begin = Instant::now();
    loop {
        let is_late = begin.elapsed() > GONE_WITHIN;
        match marked(mark) {
            left if left.is_empty() => return Ok(begin.elapsed()),
            left if is_late => return Err(left),
            _ => std::thread::sleep(GONE_PAUSE),
        }
    }
}

/// Runs a future on a runtime like the one of an arena worker.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime can be made").block_on(future)
}

/// The outcome of a short match.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) kind: Option<FaultKind>,
    pub(crate) detail: String,
    /// Time that the last question took beyond its limit, without the arena's own lateness and time that does not count.
    pub(crate) over_limit: Duration,
    pub(crate) ended: Ended,
}

/// Time limits of a short match.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) startup: Duration,
    pub(crate) turn: Duration,
    pub(crate) grace: Duration,
}

/// Plays `hello`, `start`, three turns, `end`, and `quit` with a bot.
pub(crate) async fn play(command: &Command, host: &Host, limits: Limits) -> Result<Played, SpawnError> {
    let mut bot = BotProcess::spawn(command, host).await?;
    let mut over_limit = Duration::ZERO;
    let verdict = dialogue(&mut bot, limits, &mut over_limit).await;
    let ended = if verdict.is_ok() {
        bot.send(END);
        bot.quit(QUIT, limits.grace).await
    } else {
        bot.kill().await
    };
    let (kind, detail) = verdict.err().map(|fault| (fault.kind, fault.detail)).unzip();
    let detail = detail.unwrap_or_default();
    Ok(Played { kind, detail, over_limit, ended })
}

async fn dialogue(bot: &mut BotProcess, limits: Limits, over: &mut Duration) -> Result<(), Fault> {
    let turns = (0..3).map(|id| (turn(id, limits.turn), false));
    for (question, startup) in [HELLO, START].map(|line| (line.to_vec(), true)).into_iter().chain(turns) {
        let limit = if startup { limits.startup } else { limits.turn };
        let begin = Instant::now();
        let owed = if startup { Owed::Greeting } else { Owed::Move };
        let reply = bot.ask(&question, limit).await.map_err(|failure| of_process(failure, owed));
        let late = match &reply {
            Ok(reply) => reply.timing.lateness + reply.timing.credit,
            Err(fault) => fault.timing.lateness + fault.timing.credit,
        };
        let verdict = reply.and_then(|reply| judge(&question, &reply));
        *over = begin.elapsed().saturating_sub(limit + late);
        verdict?;
    }
    Ok(())
}

/// Returns the `turn` message of decision `id`.
pub(crate) fn turn(id: u64, limit: Duration) -> Vec<u8> {
    let (phase, offer) = if id == 0 { ("start", "S01") } else { ("draw", "P01") };
    let board = serde_json::json!(vec!["........."; 9]);
    let players = serde_json::json!([{ "board": board, "rounds": [], "actions": [] }]);
    let state = serde_json::json!({ "phase": phase, "offer": [offer], "players": players });
    let time_ms = limit.as_millis() as u64;
    let message = serde_json::json!({ "type": "turn", "id": id, "time_ms": time_ms, "state": state });
    format!("{message}\n").into_bytes()
}

/// Judges a reply like a referee without rules.
fn judge(question: &[u8], reply: &Reply<'_>) -> Result<(), Fault> {
    let asked: serde_json::Value = serde_json::from_slice(question).expect("we wrote it");
    match asked["type"].as_str().expect("a message has a type") {
        "hello" => read_hello(reply.line).map(|_| ()),
        "start" => read_ready(reply.line),
        _ => {
            let id = u32::try_from(asked["id"].as_u64().expect("a turn has an id")).expect("small");
            read_move::<WireMove>(reply.line, id, reply.early).map(|_| ())
        }
    }
}
