//! The attempts against each layer. Each attempt runs in a process of its own, in the same sandbox as a bot.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::UdpSocket;
use std::os::unix::fs::MetadataExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::process::{Pid, Resource, getrlimit, test_kill_process};

use crate::Layer;

/// The hidden first argument that makes an `arena` process run an attempt. The name of the attempt and the arena's
/// process id follow.
pub(crate) const ATTEMPT_ARG: &str = "__attempt";
/// The variable that names a file which the attempt must not be able to read.
pub(super) const SECRET: &str = "ARENA_SECRET";
/// The status of an attempt that was stopped.
pub(super) const STOPPED: i32 = 0;
/// The exit status of an attempt that succeeded.
pub(super) const GOT_THROUGH: i32 = 1;

/// The processor time from which an attempt counts as computing while frozen. A process that is frozen late may use
/// less.
const THOUGHT_MIN: Duration = Duration::from_millis(50);
/// A time longer than the steps of file system timestamps.
const TICK: Duration = Duration::from_millis(20);
/// A number of files above the limit of a bot.
const FILES: usize = 5_000;
/// A number of processes above the limit of an attempt.
const PROCESSES: usize = 16;
/// A number of pieces above the limit of the scratch folder. Each piece, in bytes, is within the limit.
const PIECES: usize = 8;
const PIECE_BYTES: usize = 512 * 1024;

/// An action that a layer must stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// Find the arena among the processes.
    SeeTheArena,
    /// Send a datagram.
    Send,
    /// Read a file of the user's.
    ReadASecret,
    /// Leave its session, make a socket for datagrams, or watch a folder.
    UseOddCalls,
    /// Open thousands of files, or get priority at the processor.
    PassLimits,
    /// Start many processes.
    StartProcesses,
    /// Fill its scratch folder.
    FillTheFolder,
    /// See the arguments of the arena.
    SeeItsWords,
    /// Read a file of root's without Landlock.
    ReadAsRoot,
    /// Compute while it is frozen.
    ThinkOffTurn,
    /// Start many processes under the limit of a control group.
    StartMeteredProcesses,
    /// Change the access time of a file by reading it.
    LeaveATrace,
}

impl Attempt {
    /// Returns true if the attempt answers a question first and is then frozen while others have their turn.
    pub(super) fn is_frozen(self) -> bool {
        self == Attempt::ThinkOffTurn
    }

    /// All attempts, in the order in which they run.
    pub(crate) const ALL: [Attempt; 12] = [
        Attempt::SeeTheArena,
        Attempt::Send,
        Attempt::ReadAsRoot,
        Attempt::ReadASecret,
        Attempt::UseOddCalls,
        Attempt::PassLimits,
        Attempt::StartProcesses,
        Attempt::FillTheFolder,
        Attempt::SeeItsWords,
        Attempt::ThinkOffTurn,
        Attempt::StartMeteredProcesses,
        Attempt::LeaveATrace,
    ];

    /// Returns the layer that must stop the attempt.
    pub(crate) fn layer(self) -> Layer {
        match self {
            Attempt::SeeTheArena => Layer::PidNamespace,
            Attempt::Send => Layer::NetNamespace,
            Attempt::ReadASecret => Layer::Landlock,
            Attempt::UseOddCalls => Layer::Seccomp,
            Attempt::PassLimits => Layer::Limits,
            Attempt::StartProcesses => Layer::Processes,
            Attempt::FillTheFolder => Layer::Scratch,
            Attempt::SeeItsWords => Layer::Proc,
            Attempt::ReadAsRoot => Layer::OwnUser,
            Attempt::ThinkOffTurn => Layer::Cgroup,
            Attempt::StartMeteredProcesses => Layer::CgroupLimits,
            Attempt::LeaveATrace => Layer::ReadOnly,
        }
    }

    /// Returns the name of the attempt on the command line.
    pub(crate) fn name(self) -> &'static str {
        self.layer().as_str()
    }

    /// Returns a short description of the attempt.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Attempt::SeeTheArena => "signal the arena",
            Attempt::Send => "send a datagram",
            Attempt::ReadASecret => "read a file of yours",
            Attempt::UseOddCalls => "leave its session, make a socket, watch a folder",
            Attempt::PassLimits => "open 5,000 files, ask for real time",
            Attempt::StartProcesses | Attempt::StartMeteredProcesses => {
                "start twice as many processes as it may"
            }
            Attempt::ThinkOffTurn => "compute while it is stopped",
            Attempt::SeeItsWords => "read the arena's command line",
            Attempt::FillTheFolder => "write four times what it may",
            Attempt::ReadAsRoot => "read a file of root's",
            Attempt::LeaveATrace => "change the access time of a file",
        }
    }
}

/// Runs an attempt and exits if the current process was started for that. Returns at once otherwise.
pub fn main_if_asked() {
    let args: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let [first, name, arena] = args.as_slice() else { return };
    if first != ATTEMPT_ARG {
        return;
    }
    let attempt = Attempt::ALL.into_iter().find(|attempt| attempt.name() == name);
    let secret = std::env::var(SECRET).unwrap_or_default();
    let got_through = attempt.is_some_and(|attempt| succeeds(attempt, arena, &secret));
    std::process::exit(if got_through { GOT_THROUGH } else { STOPPED });
}

fn succeeds(attempt: Attempt, arena: &str, secret: &str) -> bool {
    match attempt {
        Attempt::SeeTheArena => {
            let arena = arena.parse().ok().and_then(Pid::from_raw);
            arena.is_some_and(|arena| test_kill_process(arena).is_ok())
        }
        Attempt::SeeItsWords => std::fs::read(format!("/proc/{arena}/cmdline")).is_ok(),
        Attempt::Send => {
            let sent = UdpSocket::bind("0.0.0.0:0").and_then(|socket| socket.send_to(b"x", "127.0.0.1:9"));
            sent.is_ok()
        }
        Attempt::ReadASecret | Attempt::ReadAsRoot => File::open(secret).is_ok(),
        Attempt::LeaveATrace => leaves_a_trace(secret).unwrap_or(false),
        Attempt::UseOddCalls => leaves_the_session() || has_datagrams() || watches_a_folder(),
        Attempt::PassLimits => opens_files() || has_rank(),
        Attempt::ThinkOffTurn => thinks_at_rest().unwrap_or(false),
        Attempt::StartProcesses | Attempt::StartMeteredProcesses => {
            let children: Vec<Child> = (0..PROCESSES).map_while(|_| start().ok()).collect();
            let all = children.len() == PROCESSES;
            children.into_iter().for_each(|mut child| drop((child.kill(), child.wait())));
            all
        }
        Attempt::FillTheFolder => {
            let written = (0..PIECES).take_while(|&number| write_piece(number)).count();
            std::thread::sleep(Duration::from_secs(1)); // the supervisor checks the folder at intervals
            // Without the layer they are in a folder of the user.
            (0..written).for_each(|number| _ = std::fs::remove_file(piece(number)));
            written == PIECES
        }
    }
}

/// Makes a process outside its group compute between its answer and the next question. The end of its input is that
/// question.
fn thinks_at_rest() -> std::io::Result<bool> {
    let mut command = Command::new("/usr/bin/setsid");
    command.args(["/bin/sh", "-c", "echo; while :; do :; done"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    BufReader::new(child.stdout.take().expect("it is a pipe")).read_line(&mut String::new())?;
    let used = |child: &Child| crate::cpu_time(child.id().cast_signed()).unwrap_or_default();
    let mut question = String::new();
    std::io::stdin().read_line(&mut question)?;
    let before = used(&child);
    println!();
    std::io::stdin().read_line(&mut question)?;
    let thought = used(&child).saturating_sub(before);
    child.kill()?;
    child.wait()?;
    Ok(thought >= THOUGHT_MIN)
}

/// Returns true if reading the file changes its access time.
fn leaves_a_trace(path: &str) -> std::io::Result<bool> {
    let accessed = || std::fs::metadata(path).map(|data| (data.atime(), data.atime_nsec()));
    let before = accessed()?;
    std::thread::sleep(TICK);
    std::fs::read(path)?;
    Ok(accessed()? != before)
}

/// The first process of a group cannot leave its session, so a child tries. The call may report success and do nothing.
fn leaves_the_session() -> bool {
    let mut command = Command::new("/usr/bin/setsid");
    command.args(["/bin/cat", "/proc/self/stat"]).stdin(Stdio::null()).stderr(Stdio::null());
    let stat = command.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let stat = stat.unwrap_or_default();
    let session = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(3));
    session.is_some() && session == stat.split(' ').next()
}

/// Returns true if it can make a datagram socket. The kernel turns a raw pair into a datagram pair, which can send to
/// any socket in the file system.
fn has_datagrams() -> bool {
    socketpair(AddressFamily::UNIX, SocketType::RAW, SocketFlags::empty(), None).is_ok()
}

fn watches_a_folder() -> bool {
    let watch = inotify::init(CreateFlags::CLOEXEC);
    watch.and_then(|watch| inotify::add_watch(watch, "/", WatchFlags::CREATE)).is_ok()
}

fn opens_files() -> bool {
    let files: Vec<_> = (0..FILES).map_while(|_| File::open("/dev/null").ok()).collect();
    files.len() == FILES
}

/// Returns true if it may raise its priority at the processor.
fn has_rank() -> bool {
    [Resource::Rtprio, Resource::Nice].into_iter().any(|rank| getrlimit(rank).maximum != Some(0))
}

/// Starts a process that waits until it is killed.
fn start() -> std::io::Result<Child> {
    let mut command = Command::new("/bin/sleep");
    command.arg("60").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

fn piece(number: usize) -> std::path::PathBuf {
    let folder = std::env::var_os("TMPDIR").unwrap_or_default();
    std::path::Path::new(&folder).join(format!("piece-{number}"))
}

fn write_piece(number: usize) -> bool {
    let Ok(mut file) = File::create_new(piece(number)) else { return false };
    let written = file.write_all(&vec![1; PIECE_BYTES]);
    if written.is_err() {
        let _ = std::fs::remove_file(piece(number));
    }
    std::thread::sleep(Duration::from_millis(100)); // the supervisor checks the folder at intervals
    written.is_ok()
}
